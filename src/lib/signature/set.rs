//! Many signatures of one length, packed.

/// The longest signature; far beyond what anybody needs, well within 32-bit distances.
pub const MAX_SIGNATURE_BITS: usize = 1 << 24;
/// Bits in a word of a packed signature.
pub const BITS_PER_WORD: usize = 64;

/// Signatures of one length, packed in words. The first bit of a signature is the highest of its first word, so that comparing
/// words as numbers compares signatures lexicographically; bits past the length are 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureSet {
    bits: usize,
    words: Vec<u64>,
}

impl SignatureSet {
    /// No signature yet, of `bits` bits each (at least one).
    pub fn new(bits: usize) -> Self {
        assert!(bits > 0, "a signature has at least one bit");
        SignatureSet { bits, words: Vec::new() }
    }

    /// The signatures whose words stand one after the other.
    pub fn from_words(bits: usize, words: Vec<u64>) -> Self {
        let set = SignatureSet { words, ..Self::new(bits) };
        assert_eq!(set.words.len() % Self::words_for(bits), 0, "whole signatures");
        set
    }

    /// Words that a signature of `bits` bits takes.
    #[inline(always)]
    pub fn words_for(bits: usize) -> usize {
        bits.div_ceil(BITS_PER_WORD)
    }

    /// The length of a signature in bits.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// How many signatures there are.
    pub fn len(&self) -> usize {
        self.words.len() / Self::words_for(self.bits)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a signature.
    pub fn push(&mut self, words: &[u64]) {
        assert_eq!(words.len(), Self::words_for(self.bits), "a signature of another length");
        self.words.extend_from_slice(words);
    }

    /// Adds all signatures of another set of the same length.
    pub fn append(&mut self, other: &SignatureSet) {
        assert_eq!(self.bits, other.bits, "signatures of another length");
        self.words.extend_from_slice(&other.words);
    }

    /// Makes room for so many more signatures, and no more.
    pub fn reserve(&mut self, signatures: usize) {
        self.words.reserve_exact(signatures * Self::words_for(self.bits));
    }

    /// The words of all signatures, one after the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words of signature `number`.
    #[inline(always)]
    pub fn get(&self, number: usize) -> &[u64] {
        let words = Self::words_for(self.bits);
        &self.words[number * words..(number + 1) * words]
    }
}
