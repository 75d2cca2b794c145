//! Directories of blocks: the start of each group of blocks relative to the first block (u64), then the end of each block relative to its
//! group (u32). A lookup reads the whole directory once, so that it is half as large as plain starts.

/// Blocks whose ends are relative to one start.
const BLOCKS_PER_GROUP: usize = 64;
/// Bytes of the start of a group.
const START: usize = 8;
/// Bytes of the end of a block.
const END: usize = 4;

/// Returns the bytes of the directory of 2^`bucket_bits` blocks.
pub fn size(bucket_bits: u32) -> u64 {
    (START * groups(bucket_bits) + (END << bucket_bits)) as u64
}

fn groups(bucket_bits: u32) -> usize {
    (1usize << bucket_bits).div_ceil(BLOCKS_PER_GROUP)
}

/// Encodes the starts of all blocks, and the end of the last. Returns `None` if a group of blocks has more than 4 GB.
pub fn encode(starts: &[u64]) -> Option<Vec<u8>> {
    let blocks = starts.len() - 1;
    let groups = starts[..blocks].iter().step_by(BLOCKS_PER_GROUP);
    let mut bytes: Vec<u8> = groups.flat_map(|start| start.to_le_bytes()).collect();
    for block in 0..blocks {
        let group = starts[block - block % BLOCKS_PER_GROUP];
        let end = u32::try_from(starts[block + 1] - group).ok()?;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    Some(bytes)
}

/// Where the blocks of a section are, relative to the first.
#[derive(Clone, Copy)]
pub struct BlockDirectory<'d> {
    groups: &'d [[u8; START]],
    ends: &'d [[u8; END]],
}

impl<'d> BlockDirectory<'d> {
    /// Reads the directory of 2^`bucket_bits` blocks, which has the [`size`] of one.
    pub fn new(bytes: &'d [u8], bucket_bits: u32) -> Self {
        let (groups, ends) = bytes.split_at(START * groups(bucket_bits));
        BlockDirectory { groups: groups.as_chunks().0, ends: ends.as_chunks().0 }
    }

    /// Returns the start of a block.
    pub fn start(self, block: usize) -> u64 {
        match block % BLOCKS_PER_GROUP {
            0 => u64::from_le_bytes(self.groups[block / BLOCKS_PER_GROUP]),
            _ => self.end(block - 1),
        }
    }

    /// Returns the end of a block.
    pub fn end(self, block: usize) -> u64 {
        let group = u64::from_le_bytes(self.groups[block / BLOCKS_PER_GROUP]);
        group.saturating_add(u32::from_le_bytes(self.ends[block]).into())
    }

    /// Returns whether each block begins where the one before it ends.
    pub fn is_contiguous(self) -> bool {
        (0..self.ends.len()).all(|block| {
            let follows = block == 0 || self.start(block) == self.end(block - 1);
            follows && self.start(block) <= self.end(block)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn directories_are_read_as_written(
            bucket_bits in 0u32..9, first in 0..u64::MAX / 2, lengths in prop::collection::vec(0u64..1 << 25, 256),
        ) {
            let mut starts = vec![first];
            for length in &lengths[..1 << bucket_bits] {
                starts.push(starts.last().unwrap() + length);
            }
            let bytes = encode(&starts).unwrap();
            prop_assert_eq!(bytes.len() as u64, size(bucket_bits));
            let directory = BlockDirectory::new(&bytes, bucket_bits);
            for block in 0..1 << bucket_bits {
                let found = (directory.start(block), directory.end(block));
                prop_assert_eq!(found, (starts[block], starts[block + 1]));
            }
            prop_assert!(directory.is_contiguous());
        }
    }

    #[test]
    fn gaps_and_large_groups_are_noticed() {
        assert_eq!(encode(&[0, 1 << 32]), None);
        let starts: Vec<u64> = (0..=128).collect();
        let mut bytes = encode(&starts).unwrap();
        bytes[START] = 65;
        assert!(!BlockDirectory::new(&bytes, 7).is_contiguous());
    }
}
