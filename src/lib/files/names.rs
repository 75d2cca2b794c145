//! Document names in little memory.

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use crate::error::fallibly;

/// Document names as the pipeline's files write them, numbered from 0, in one allocation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    /// Appends a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// Appends the names of another list.
    pub fn append(&mut self, other: &Names) {
        self.append_first(other, other.len());
    }

    /// Appends at most the first `count` names of another list.
    pub fn append_first(&mut self, other: &Names, count: usize) {
        let before = self.text.len();
        let ends = &other.ends[..count.min(other.len())];
        self.text.push_str(&other.text[..ends.last().copied().unwrap_or(0)]);
        self.ends.extend(ends.iter().map(|end| before + end));
    }

    /// Keeps the first `count` names only.
    pub fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Reserves capacity for `names` more names, not for their letters, if there is so much memory: the number may come from a file.
    pub fn reserve(&mut self, names: usize) {
        // Without it, memory grows as needed.
        let _ = fallibly(|| self.ends.try_reserve_exact(names));
    }

    /// Returns the name with this number.
    pub fn get(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns all names in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Returns a table from name to number.
    pub fn index(&self) -> FxHashMap<&str, usize> {
        self.iter().enumerate().map(|(number, name)| (name, number)).collect()
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut table = Names::default();
        names.into_iter().for_each(|name| table.push(name.as_ref()));
        table
    }
}

/// Names that get numbers in the order in which they first occur. Memory: the names, and about 30 bytes for each.
#[derive(Debug, Default)]
pub struct NameTable {
    names: Names,
    /// Numbers by the hash of the name, or by the next free hash where two names have the same.
    numbers: FxHashMap<u64, u32>,
}

impl NameTable {
    /// Returns the number of a name, which is new if it is the number of names before.
    pub fn number(&mut self, name: &str) -> u32 {
        let mut hash = XxHash3_64::oneshot(name.as_bytes());
        loop {
            match self.numbers.get(&hash) {
                Some(number) if self.names.get(*number as usize) == name => return *number,
                Some(_) => hash = hash.wrapping_add(1),
                None => break,
            }
        }
        let number = u32::try_from(self.names.len()).expect("numbers of names fit 32 bits");
        self.numbers.insert(hash, number);
        self.names.push(name);
        number
    }

    /// Returns the names by number.
    pub fn names(&self) -> &Names {
        &self.names
    }
}
