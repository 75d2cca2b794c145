//! Prints of a collection.

/// Prints by document number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintTable {
    values: Vec<u64>,
    /// The end of each print; starts with 0.
    ends: Vec<usize>,
}

impl Default for PrintTable {
    fn default() -> Self {
        PrintTable { values: Vec::new(), ends: vec![0] }
    }
}

impl PrintTable {
    /// Appends a print that `append` appends to the values it is given.
    pub fn push_with(&mut self, append: impl FnOnce(&mut Vec<u64>)) {
        append(&mut self.values);
        self.ends.push(self.values.len());
    }

    /// Appends a print.
    pub fn push(&mut self, print: &[u64]) {
        self.push_with(|values| values.extend_from_slice(print));
    }

    /// Appends the prints of another table.
    pub fn append(&mut self, other: &PrintTable) {
        let before = self.values.len();
        self.values.extend_from_slice(&other.values);
        self.ends.extend(other.ends[1..].iter().map(|end| before + end));
    }

    /// Returns the print of a document.
    pub fn get(&self, document: usize) -> &[u64] {
        &self.values[self.ends[document]..self.ends[document + 1]]
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all prints, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        (0..self.len()).map(|document| self.get(document))
    }

    /// Returns the number of fingerprints of all documents.
    pub fn fingerprints(&self) -> usize {
        self.values.len()
    }
}
