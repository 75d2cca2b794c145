//! Many names in little memory.

use rustc_hash::FxHashMap;

/// Document names as the chain's files write them, numbered from 0, in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// Adds all names of another list.
    pub fn append(&mut self, other: &Names) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Makes room for so many more names, not for their letters.
    pub fn reserve(&mut self, names: usize) {
        self.ends.reserve_exact(names);
    }

    /// The name with this number.
    pub fn get(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// A table from name to number.
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
