//! Blocks of postings: sorted hashes in Elias–Fano form (Elias 1974, Fano 1971), and document numbers packed to a fixed width.
//!
//! The hashes of a block share their first bits. Of the rest, the upper bits are stored in unary, the lower ones packed: about
//! 2 + log₂(2⁶⁴ / n) bits per hash for n hashes in all blocks. A hash with several documents is stored once for each of them: nearly all
//! n-grams stand in one document.
//!
//! ```text
//! count (u32) │ upper bits, in unary │ lower bits │ document numbers │ XXH3 of all before (its lower 32 bits)
//! ```
//!
//! Each part ends at a byte. All numbers are little-endian, and bits are counted from the lowest.

use twox_hash::XxHash3_64;

/// Bytes after a block in a buffer, so that reads of bits need no bounds of their own.
pub const PADDING: usize = 16;
/// Bytes of the count.
const COUNT: usize = 4;
/// Bytes of the checksum.
const CHECKSUM: usize = 4;

/// A hash, and the number of a document in its segment.
pub type Posting = (u64, u32);

/// Widths of the numbers in the blocks of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockForm {
    /// Bits that all hashes of a block share, from the highest.
    pub bucket_bits: u32,
    /// Bits of a document number.
    pub document_bits: u32,
}

impl BlockForm {
    /// Returns the block of a hash.
    pub fn bucket(self, hash: u64) -> usize {
        hash.checked_shr(64 - self.bucket_bits).unwrap_or(0) as usize
    }

    /// Returns the bits of a hash that its block does not imply.
    fn rest(self, hash: u64) -> u64 {
        if self.bucket_bits == 0 { hash } else { hash << self.bucket_bits >> self.bucket_bits }
    }

    /// Returns the first hash of a block.
    fn first_hash(self, bucket: usize) -> u64 {
        (bucket as u64).checked_shl(64 - self.bucket_bits).unwrap_or(0)
    }

    /// Returns the widths of the upper and the lower bits in a block of `count` hashes.
    fn split(self, count: usize) -> (u32, u32) {
        let rest = 64 - self.bucket_bits;
        let upper = bits_for(count as u64).min(rest);
        (upper, rest - upper)
    }

    /// Appends the block of some postings, sorted by hash, then by document; none for no posting.
    pub fn encode(self, postings: &[Posting], block: &mut Vec<u8>) {
        if postings.is_empty() {
            return;
        }
        let start = block.len();
        let (upper_bits, lower_bits) = self.split(postings.len());
        block.extend_from_slice(&(postings.len() as u32).to_le_bytes());
        let mut upper = vec![0u8; unary_bytes(postings.len(), upper_bits)];
        for (at, (hash, _)) in postings.iter().enumerate() {
            let bit = at + self.rest(*hash).checked_shr(lower_bits).unwrap_or(0) as usize;
            upper[bit / 8] |= 1 << (bit % 8);
        }
        block.extend_from_slice(&upper);
        let mut writer = BitWriter::default();
        for (hash, _) in postings {
            writer.push(low(self.rest(*hash), lower_bits), lower_bits, block);
        }
        writer.finish(block);
        let mut writer = BitWriter::default();
        for (_, document) in postings {
            writer.push(u64::from(*document), self.document_bits, block);
        }
        writer.finish(block);
        let checksum = XxHash3_64::oneshot(&block[start..]) as u32;
        block.extend_from_slice(&checksum.to_le_bytes());
    }
}

/// Returns the number of bits that numbers below `count` take.
pub fn bits_for(count: u64) -> u32 {
    64 - count.saturating_sub(1).leading_zeros()
}

/// Returns the lowest bits of a number.
fn low(value: u64, bits: u32) -> u64 {
    if bits == 64 { value } else { value & ((1 << bits) - 1) }
}

/// Returns the bytes of the upper bits in unary: a one per hash, a zero after each of their values.
fn unary_bytes(count: usize, upper_bits: u32) -> usize {
    (count + (1usize << upper_bits)).div_ceil(8)
}

/// Returns the bytes of `count` numbers of `bits` bits.
fn packed_bytes(count: usize, bits: u32) -> usize {
    (count * bits as usize).div_ceil(8)
}

/// Packs numbers of any width.
#[derive(Default)]
struct BitWriter {
    pending: u128,
    used: u32,
}

impl BitWriter {
    fn push(&mut self, value: u64, bits: u32, bytes: &mut Vec<u8>) {
        self.pending |= u128::from(value) << self.used;
        self.used += bits;
        if self.used >= 64 {
            bytes.extend_from_slice(&(self.pending as u64).to_le_bytes());
            self.pending >>= 64;
            self.used -= 64;
        }
    }

    fn finish(self, bytes: &mut Vec<u8>) {
        let rest = self.used.div_ceil(8) as usize;
        bytes.extend_from_slice(&self.pending.to_le_bytes()[..rest]);
    }
}

/// Returns a number of at most 64 bits, at this bit of a buffer with [`PADDING`].
fn bits_at(bytes: &[u8], bit: usize, bits: u32) -> u64 {
    let word: [u8; 16] = bytes[bit / 8..bit / 8 + 16].try_into().expect("sixteen bytes");
    low((u128::from_le_bytes(word) >> (bit % 8)) as u64, bits)
}

/// A block that was read.
pub struct Block<'b> {
    form: BlockForm,
    /// The block and padding.
    bytes: &'b [u8],
    count: usize,
    lower_bits: u32,
    /// Bytes where the upper bits end and the lower ones begin.
    lower_start: usize,
    documents_start: usize,
}

impl<'b> Block<'b> {
    /// Reads a block of `length` bytes at the beginning of a buffer with [`PADDING`]. Returns `None` if it is damaged.
    pub fn open(form: BlockForm, bytes: &'b [u8], length: usize) -> Option<Self> {
        let end = length.checked_sub(CHECKSUM).filter(|end| *end >= COUNT)?;
        let checksum = XxHash3_64::oneshot(&bytes[..end]) as u32;
        if bytes[end..length] != checksum.to_le_bytes() {
            return None;
        }
        let count = u32::from_le_bytes(bytes[..COUNT].try_into().ok()?) as usize;
        let (upper_bits, lower_bits) = form.split(count);
        let lower_start = COUNT + unary_bytes(count, upper_bits);
        let documents_start = lower_start + packed_bytes(count, lower_bits);
        let is_whole = documents_start + packed_bytes(count, form.document_bits) == end;
        is_whole.then_some(Block { form, bytes, count, lower_bits, lower_start, documents_start })
    }

    /// Calls `visit` with the documents that hold a hash, increasing. Time: the upper bits, in words.
    pub fn find(&self, hash: u64, mut visit: impl FnMut(u32)) {
        let rest = self.form.rest(hash);
        let upper = rest.checked_shr(self.lower_bits).unwrap_or(0) as usize;
        let wanted = low(rest, self.lower_bits);
        let mut bit = self.group_start(upper);
        let mut at = bit - upper;
        // Ones up to the next zero are the hashes with these upper bits, sorted by the lower ones.
        while at < self.count && self.upper_bit(bit) {
            let lower = self.lower(at);
            if lower > wanted {
                return;
            }
            if lower == wanted {
                visit(self.document(at));
            }
            (bit, at) = (bit + 1, at + 1);
        }
    }

    /// Calls `visit` with all postings of the block, in order.
    pub fn for_each(&self, bucket: usize, mut visit: impl FnMut(Posting)) {
        let first = self.form.first_hash(bucket);
        let (mut bit, mut at) = (0, 0);
        while at < self.count && bit < (self.lower_start - COUNT) * 8 {
            let word = self.upper_word(bit);
            if word == 0 {
                bit += 64;
                continue;
            }
            bit += word.trailing_zeros() as usize;
            let upper = ((bit - at) as u64).checked_shl(self.lower_bits).unwrap_or(0);
            visit((first | upper | self.lower(at), self.document(at)));
            (bit, at) = (bit + 1, at + 1);
        }
    }

    /// Returns the bit after `zeros` zeros.
    fn group_start(&self, zeros: usize) -> usize {
        let (mut bit, mut left) = (0, zeros as u32);
        while left > 0 {
            let zeros = !self.upper_word(bit);
            if zeros.count_ones() < left {
                left -= zeros.count_ones();
                bit += 64;
                continue;
            }
            let mut rest = zeros;
            (1..left).for_each(|_| rest &= rest - 1);
            return bit + rest.trailing_zeros() as usize + 1;
        }
        bit
    }

    /// Returns 64 of the upper bits; those beyond their end are of no use.
    fn upper_word(&self, bit: usize) -> u64 {
        let at = COUNT + bit / 8;
        let Some(word) = self.bytes.get(at..at + 8) else { return 0 };
        let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
        if bit.is_multiple_of(8) { word } else { bits_at(self.bytes, COUNT * 8 + bit, 64) }
    }

    fn upper_bit(&self, bit: usize) -> bool {
        self.bytes[COUNT + bit / 8] >> (bit % 8) & 1 == 1
    }

    fn lower(&self, at: usize) -> u64 {
        let bit = self.lower_start * 8 + at * self.lower_bits as usize;
        bits_at(self.bytes, bit, self.lower_bits)
    }

    fn document(&self, at: usize) -> u32 {
        let bits = self.form.document_bits;
        bits_at(self.bytes, self.documents_start * 8 + at * bits as usize, bits) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(form: BlockForm, postings: &[Posting]) -> (Vec<u8>, usize) {
        let mut bytes = Vec::new();
        form.encode(postings, &mut bytes);
        let length = bytes.len();
        bytes.resize(length + PADDING, 0xff);
        (bytes, length)
    }

    proptest! {
        #[test]
        fn blocks_hold_their_postings(
            bucket_bits in 0u32..20, document_bits in 0u32..33,
            mut postings in prop::collection::vec((any::<u64>(), any::<u32>()), 1..200), copies in 0usize..100,
        ) {
            let form = BlockForm { bucket_bits, document_bits };
            let bucket = form.bucket(postings[0].0);
            let first = postings[0].0;
            for (at, (hash, document)) in postings.iter_mut().enumerate() {
                *hash = if at < copies { first } else { form.first_hash(bucket) | form.rest(*hash) };
                *document = low(u64::from(*document), document_bits) as u32;
            }
            postings.sort_unstable();
            postings.dedup();
            let (bytes, length) = encoded(form, &postings);
            let block = Block::open(form, &bytes, length).unwrap();
            let mut all = Vec::new();
            block.for_each(bucket, |posting| all.push(posting));
            prop_assert_eq!(&all, &postings);
            for (hash, _) in &postings {
                for wanted in [*hash, form.first_hash(bucket) | form.rest(hash.wrapping_add(1))] {
                    let mut found = Vec::new();
                    block.find(wanted, |document| found.push(document));
                    let expected: Vec<u32> = postings.iter().filter(|p| p.0 == wanted).map(|p| p.1).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }

        #[test]
        fn damaged_blocks_are_refused(byte in any::<prop::sample::Index>(), flip in 1u8.., cut in 0usize..20) {
            let form = BlockForm { bucket_bits: 8, document_bits: 5 };
            let postings: Vec<Posting> = (0..100).map(|at| (at * 0x1_0000_0000_0001, at as u32 % 32)).collect();
            let (mut bytes, length) = encoded(form, &postings);
            prop_assert!(Block::open(form, &bytes, length - 1 - cut).is_none());
            let at = byte.index(length);
            bytes[at] ^= flip;
            prop_assert!(Block::open(form, &bytes, length).is_none());
        }
    }

    #[test]
    fn sizes_are_those_of_the_theory() {
        // 4·10⁸ hashes in 2²¹ blocks, a million documents.
        let form = BlockForm { bucket_bits: 21, document_bits: 20 };
        let step = u64::MAX / 400_000_000;
        let postings: Vec<Posting> = (0..190).map(|at| (at * step, 7)).collect();
        let (_, length) = encoded(form, &postings);
        let per_posting = (length as f64 + 4.125) / 190.0;
        assert!((7.1..7.3).contains(&per_posting), "{per_posting}");
    }
}
