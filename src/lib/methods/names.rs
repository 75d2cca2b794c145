//! Names of the methods to evaluate.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::union::MAX_LISTS;
use crate::prints::METHODS;

/// The exact search of `find_near_dups`, which is no fingerprint method.
pub(super) const COSINE: &str = "cosine";

/// All fingerprint methods.
const ALL: &str = "all";

/// Methods to evaluate, by name, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodNames(Vec<&'static str>);

impl MethodNames {
    /// Returns the names in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.0.iter().copied()
    }

    fn add(&mut self, name: &'static str) {
        if !self.0.contains(&name) {
            self.0.push(name);
        }
    }
}

/// Returns the names of all methods, those of prints first.
fn known() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|entry| entry.name).chain([COSINE])
}

impl FromStr for MethodNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = MethodNames(Vec::new());
        for part in text.split(',') {
            match known().find(|name| *name == part) {
                Some(name) => names.add(name),
                None if part == ALL => METHODS.iter().for_each(|entry| names.add(entry.name)),
                None => {
                    let known: Vec<&str> = known().collect();
                    return Err(format!("expected {ALL}, or names among {}", known.join(", ")));
                }
            }
        }
        // The truth is one more list.
        debug_assert!(known().count() < MAX_LISTS);
        Ok(names)
    }
}

impl fmt::Display for MethodNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl Serialize for MethodNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_once_and_all_leaves_cosine_out() {
        let names = |text: &str| text.parse::<MethodNames>().map(|names| names.to_string());
        assert_eq!(names("tf,md5,tf").unwrap(), "tf,md5");
        let all = names("all").unwrap();
        assert!(all.split(',').count() == METHODS.len() && !all.contains(COSINE));
        assert!(names("cosine,all").unwrap().starts_with("cosine,"));
        for wrong in ["", "md5,", "MD5", "nothing"] {
            assert!(
                names(wrong).unwrap_err().starts_with("expected all, or names among"),
                "{wrong}"
            );
        }
    }
}
