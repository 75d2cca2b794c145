//! Counting sort of rows into buckets.

/// Rows by key; the members of each bucket ascend.
pub(super) struct Buckets {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Buckets {
    /// Sorts rows by keys of `bits` bits.
    pub(super) fn new(keys: &[u32], bits: u32) -> Self {
        let mut starts = vec![0u32; (1 << bits) + 1];
        keys.iter().for_each(|key| starts[*key as usize + 1] += 1);
        for key in 0..1 << bits {
            starts[key + 1] += starts[key];
        }
        let mut members = vec![0u32; keys.len()];
        for (row, key) in keys.iter().enumerate() {
            let next = &mut starts[*key as usize];
            members[*next as usize] = row as u32;
            *next += 1;
        }
        // Every start has moved to the start of the next bucket.
        starts.copy_within(..1 << bits, 1);
        starts[0] = 0;
        Buckets { starts, members }
    }

    /// Returns the number of buckets, empty ones included.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the rows of a bucket, ascending.
    #[inline(always)]
    pub(super) fn members(&self, bucket: usize) -> &[u32] {
        &self.members[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}
