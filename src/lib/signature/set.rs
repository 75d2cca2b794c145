//! Packed signatures of one length.

use twox_hash::XxHash3_64;

use crate::bits::groups::EqualGroups;
use crate::error::fallibly;

/// Maximum signature length in bits: far more than needed, well within 32-bit distances.
pub const MAX_SIGNATURE_BITS: usize = 1 << 24;
/// Bits per word of a packed signature.
pub const BITS_PER_WORD: usize = 64;

/// Signatures of one length, packed into words. The first bit of a signature is the highest of its first word, so that comparing words as
/// numbers compares signatures lexicographically; unused bits are 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureSet {
    bits: usize,
    words: Vec<u64>,
}

impl SignatureSet {
    /// Returns an empty set of signatures of `bits` bits, at least one.
    pub fn new(bits: usize) -> Self {
        assert!(bits > 0, "a signature has at least one bit");
        SignatureSet { bits, words: Vec::new() }
    }

    /// Returns the number of words of a signature of `bits` bits.
    #[inline(always)]
    pub fn words_for(bits: usize) -> usize {
        bits.div_ceil(BITS_PER_WORD)
    }

    /// Returns the length of a signature in bits.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the number of signatures.
    pub fn len(&self) -> usize {
        self.words.len() / Self::words_for(self.bits)
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Appends a signature.
    pub fn push(&mut self, words: &[u64]) {
        assert_eq!(words.len(), Self::words_for(self.bits), "a signature of another length");
        self.words.extend_from_slice(words);
    }

    /// Appends the signatures of another set with the same length.
    pub fn append(&mut self, other: &SignatureSet) {
        assert_eq!(self.bits, other.bits, "signatures of another length");
        self.words.extend_from_slice(&other.words);
    }

    /// Reserves memory for exactly this many more signatures, if there is so much: the number may come from a file.
    pub fn reserve(&mut self, signatures: usize) {
        let words = signatures.saturating_mul(Self::words_for(self.bits));
        // Without it, memory grows as needed.
        let _ = fallibly(|| self.words.try_reserve_exact(words));
    }

    /// Returns the words of all signatures, one after the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the words of signature `number`.
    #[inline(always)]
    pub fn get(&self, number: usize) -> &[u64] {
        let words = Self::words_for(self.bits);
        &self.words[number * words..(number + 1) * words]
    }
}

/// Groups those of the signatures of `words` words each for which `is_counted` holds, by equality.
pub fn group_equal(
    signatures: &[u64],
    words: usize,
    is_counted: impl Fn(usize) -> bool,
) -> EqualGroups {
    let get = |number: usize| &signatures[number * words..][..words];
    let hash = |number: usize| {
        is_counted(number).then(|| XxHash3_64::oneshot(bytemuck::cast_slice(get(number))))
    };
    EqualGroups::find(signatures.len() / words, hash, |one, other| get(one) == get(other))
}
