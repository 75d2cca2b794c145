//! Sparse matrices of counts.

/// Rows of a sparse matrix: columns with counts.
#[derive(Debug, Clone)]
pub(super) struct SparseRows {
    ends: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

impl Default for SparseRows {
    fn default() -> Self {
        SparseRows { ends: vec![0], entries: Vec::new() }
    }
}

impl SparseRows {
    /// Appends a row: columns in ascending order, each with its count.
    pub fn push(&mut self, row: impl Iterator<Item = (u32, u32)>) {
        self.entries.extend(row);
        self.ends.push(self.entries.len());
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns a row: columns in ascending order, each with its count.
    pub fn row(&self, row: usize) -> &[(u32, u32)] {
        &self.entries[self.ends[row]..self.ends[row + 1]]
    }

    /// Returns the matrix with rows and columns exchanged.
    pub fn transposed(&self, columns: usize) -> SparseRows {
        let mut ends = vec![0; columns + 1];
        self.entries.iter().for_each(|(column, _)| ends[*column as usize + 1] += 1);
        (0..columns).for_each(|column| ends[column + 1] += ends[column]);
        let mut entries = vec![(0, 0); self.entries.len()];
        let mut next = ends.clone();
        for row in 0..self.len() {
            for (column, count) in self.row(row) {
                let at = &mut next[*column as usize];
                entries[*at] = (row as u32, *count);
                *at += 1;
            }
        }
        SparseRows { ends, entries }
    }
}
