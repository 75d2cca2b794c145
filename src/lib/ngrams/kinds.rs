//! Kinds of n-grams that an index holds next to each other.

use std::fmt;

use serde::{Serialize, Serializer};

/// The longest n-gram of words. Longer ones would find next to nothing.
pub(super) const MAX_LENGTH: usize = 1000;
/// The key of stems, after those of all lengths.
const STEMS_KEY: usize = MAX_LENGTH + 1;

/// A kind of n-grams. Stores know it by its [key](NgramKind::key).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NgramKind {
    /// N-grams of this many words; shares and runs count them.
    Words(usize),
    /// Sorted n-grams of stems without stop words, which candidates for passages are found by.
    Stems,
}

impl NgramKind {
    /// Returns the number by which stores tell kinds: the length of n-grams of words.
    pub fn key(self) -> usize {
        match self {
            NgramKind::Words(length) => length,
            NgramKind::Stems => STEMS_KEY,
        }
    }

    /// Returns the kind with a key.
    pub fn of_key(key: usize) -> Self {
        if key == STEMS_KEY { NgramKind::Stems } else { NgramKind::Words(key) }
    }

    /// Returns the length of n-grams of words.
    pub fn length(self) -> Option<usize> {
        match self {
            NgramKind::Words(length) => Some(length),
            NgramKind::Stems => None,
        }
    }
}

/// The length, or `stems`.
impl fmt::Display for NgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NgramKind::Words(length) => length.fmt(f),
            NgramKind::Stems => f.write_str("stems"),
        }
    }
}

/// The length as a number, or `"stems"`.
impl Serialize for NgramKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            NgramKind::Words(length) => length.serialize(serializer),
            NgramKind::Stems => serializer.collect_str(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_kinds_apart() {
        for kind in [NgramKind::Words(1), NgramKind::Words(MAX_LENGTH), NgramKind::Stems] {
            assert_eq!(NgramKind::of_key(kind.key()), kind);
        }
        assert_eq!(NgramKind::Stems.to_string(), "stems");
        let spelled = serde_json::to_string(&[NgramKind::Words(7), NgramKind::Stems]).unwrap();
        assert_eq!(spelled, r#"[7,"stems"]"#);
    }
}
