//! Directories of blocks. A lookup reads the whole directory of its section, so it is small: two bytes per block.
//!
//! ```text
//! start of each group of 64 blocks, relative to the first block (u64) │ length of each block (u16) │ long blocks: number (u32), length (u64)
//! ```
//!
//! A block that is too long for 16 bits has the length [`LONG`]; the long blocks follow in order.

/// Blocks whose places are relative to one start.
const BLOCKS_PER_GROUP: usize = 64;
/// Bytes of the start of a group.
const START: usize = 8;
/// Bytes of the length of a block.
const LENGTH: usize = 2;
/// Bytes of the number and the length of a long block.
const LONG_BLOCK: usize = 12;
/// In place of the length of a long block.
const LONG: u16 = u16::MAX;

/// Returns whether the directory of 2^`bucket_bits` blocks may have this size.
pub fn is_size(bytes: u64, bucket_bits: u32) -> bool {
    let long = bytes.checked_sub(short_size(bucket_bits));
    long.is_some_and(|long| long.is_multiple_of(LONG_BLOCK as u64))
}

/// Returns the bytes of a directory without long blocks.
fn short_size(bucket_bits: u32) -> u64 {
    (START * groups(bucket_bits) + (LENGTH << bucket_bits)) as u64
}

fn groups(bucket_bits: u32) -> usize {
    (1usize << bucket_bits).div_ceil(BLOCKS_PER_GROUP)
}

/// Encodes the starts of all blocks, and the end of the last.
pub fn encode(starts: &[u64]) -> Vec<u8> {
    let groups = starts[..starts.len() - 1].iter().step_by(BLOCKS_PER_GROUP);
    let mut bytes: Vec<u8> = groups.flat_map(|start| start.to_le_bytes()).collect();
    let mut long = Vec::new();
    for (block, places) in starts.windows(2).enumerate() {
        let length = places[1] - places[0];
        let short = u16::try_from(length).unwrap_or(LONG);
        bytes.extend_from_slice(&short.to_le_bytes());
        if short == LONG {
            long.extend_from_slice(&(block as u32).to_le_bytes());
            long.extend_from_slice(&length.to_le_bytes());
        }
    }
    bytes.extend_from_slice(&long);
    bytes
}

/// Where the blocks of a section are, relative to the first.
#[derive(Clone, Copy)]
pub struct BlockDirectory<'d> {
    groups: &'d [[u8; START]],
    lengths: &'d [[u8; LENGTH]],
    long: &'d [[u8; LONG_BLOCK]],
}

impl<'d> BlockDirectory<'d> {
    /// Reads the directory of 2^`bucket_bits` blocks, which has the [size](is_size) of one.
    pub fn new(bytes: &'d [u8], bucket_bits: u32) -> Self {
        let (groups, rest) = bytes.split_at(START * groups(bucket_bits));
        let (lengths, long) = rest.split_at(LENGTH << bucket_bits);
        BlockDirectory {
            groups: groups.as_chunks().0,
            lengths: lengths.as_chunks().0,
            long: long.as_chunks().0,
        }
    }

    /// Returns the start of a block.
    pub fn start(self, block: usize) -> u64 {
        let group = block / BLOCKS_PER_GROUP;
        let before = &self.lengths[group * BLOCKS_PER_GROUP..block];
        let short = |sum, length: &[u8; LENGTH]| sum + u32::from(u16::from_le_bytes(*length));
        let mut sum = u64::from(before.iter().fold(0, short));
        if before.contains(&LONG.to_le_bytes()) {
            let lengths = (group * BLOCKS_PER_GROUP..block).map(|before| self.length(before));
            sum = lengths.fold(0, u64::saturating_add);
        }
        u64::from_le_bytes(self.groups[group]).saturating_add(sum)
    }

    /// Returns the length of a block.
    pub fn length(self, block: usize) -> u64 {
        match u16::from_le_bytes(self.lengths[block]) {
            LONG => self.long_length(block),
            length => length.into(),
        }
    }

    /// Returns the length of a long block.
    #[cold]
    fn long_length(self, block: usize) -> u64 {
        let parts = |long: &[u8; LONG_BLOCK]| {
            let (number, length) = long.split_first_chunk::<4>().expect("twelve bytes");
            let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
            (u32::from_le_bytes(*number) as usize, length)
        };
        let at = self.long.partition_point(|long| parts(long).0 < block);
        let found = self.long.get(at).map(parts).filter(|(number, _)| *number == block);
        // A block that is not in the list has another checksum than bytes of this length.
        found.map_or(LONG.into(), |(_, length)| length)
    }

    /// Returns whether each group of blocks begins where the one before it ends.
    pub fn is_contiguous(self) -> bool {
        (1..self.groups.len()).all(|group| {
            let first = group * BLOCKS_PER_GROUP;
            let end = self.start(first - 1).saturating_add(self.length(first - 1));
            self.start(first) == end
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
            bucket_bits in 0u32..9, first in 0..u64::MAX / 2,
            lengths in prop::collection::vec(prop_oneof![4 => 0u64..3000, 1 => 65_530u64..65_540, 1 => 0u64..1 << 40], 256),
        ) {
            let mut starts = vec![first];
            for length in &lengths[..1 << bucket_bits] {
                starts.push(starts.last().unwrap() + length);
            }
            let bytes = encode(&starts);
            prop_assert!(is_size(bytes.len() as u64, bucket_bits));
            let directory = BlockDirectory::new(&bytes, bucket_bits);
            for block in 0..1 << bucket_bits {
                let found = (directory.start(block), directory.length(block));
                prop_assert_eq!(found, (starts[block], lengths[block]));
            }
            prop_assert!(directory.is_contiguous());
        }
    }

    #[test]
    fn gaps_and_wrong_sizes_are_noticed() {
        let starts: Vec<u64> = (0..=128).collect();
        let mut bytes = encode(&starts);
        let size = bytes.len() as u64;
        assert!([size - 1, size + 1, size - 12].iter().all(|size| !is_size(*size, 7)));
        bytes[START] = 65;
        assert!(!BlockDirectory::new(&bytes, 7).is_contiguous());
    }
}
