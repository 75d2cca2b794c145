//! SIG files: one signature a line, with the documents that have it.
//!
//! ```text
//! hexsignature:documents doc1 doc2 …
//! ```
//!
//! The first bit of a signature is the highest bit of its first hexadecimal digit.

use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::error::{Error, Result, check_count};
use crate::files::content::{Content, ContentLines};
use crate::files::input::Line;
use crate::files::names::Names;
use crate::files::paths::SigPaths;
use crate::signature::{BITS_PER_WORD, MAX_SIGNATURE_BITS, SignatureSet};

/// Bits in a hexadecimal digit.
const BITS_IN_DIGIT: usize = 4;
/// Hexadecimal digits in a word.
const DIGITS_IN_WORD: usize = BITS_PER_WORD / BITS_IN_DIGIT;

/// The signatures of a collection and who has them.
pub struct Signatures {
    /// The different signatures, in the order of their first documents.
    pub set: SignatureSet,
    /// The documents, in the order of the files.
    pub documents: Names,
    /// Where the documents of each signature end; one more than signatures, the first is 0.
    pub ends: Vec<usize>,
}

impl Signatures {
    /// The documents that have signature `number`, as positions in `documents`.
    pub fn group(&self, number: usize) -> std::ops::Range<usize> {
        self.ends[number]..self.ends[number + 1]
    }

    /// The signature of the document at position `document`.
    pub fn signature_of(&self, document: usize) -> usize {
        self.ends.partition_point(|end| *end <= document) - 1
    }
}

/// Appends one line: the signature's words and the encoded names of its documents.
pub fn append_line<'a>(
    line: &mut Vec<u8>,
    words: &[u64],
    bits: usize,
    names: impl ExactSizeIterator<Item = &'a str>,
) {
    let start = line.len();
    let digits = bits / BITS_IN_DIGIT;
    line.reserve(words.len() * DIGITS_IN_WORD);
    words.iter().for_each(|word| line.extend_from_slice(&hexadecimal(*word)));
    line.truncate(start + digits);
    write!(line, ":{}", names.len()).expect("writing to memory does not fail");
    for name in names {
        line.push(b' ');
        line.extend_from_slice(name.as_bytes());
    }
    line.push(b'\n');
}

/// The sixteen digits of a word, the highest first: all half-bytes are spread over bytes and turned into characters at once.
fn hexadecimal(word: u64) -> [u8; DIGITS_IN_WORD] {
    const LOW_HALVES: u128 = u128::from_ne_bytes([0x0F; DIGITS_IN_WORD]);
    const ONE_EACH: u128 = u128::from_ne_bytes([1; DIGITS_IN_WORD]);
    /// From `'9' + 1` to `'a'`.
    const TO_LETTERS: u128 = (b'a' - b'9' - 1) as u128;
    let mut spread = u128::from(word);
    spread = (spread | spread << 32) & 0x00000000_FFFFFFFF_00000000_FFFFFFFF;
    spread = (spread | spread << 16) & 0x0000FFFF_0000FFFF_0000FFFF_0000FFFF;
    spread = (spread | spread << 8) & 0x00FF00FF_00FF00FF_00FF00FF_00FF00FF;
    spread = (spread | spread << 4) & LOW_HALVES;
    // Six more carries into the upper half from ten on.
    let is_letter = (spread + 6 * ONE_EACH) >> 4 & ONE_EACH;
    (spread + u128::from(b'0') * ONE_EACH + TO_LETTERS * is_letter).to_be_bytes()
}

/// Bytes of a file that one task reads.
const PART_BYTES: usize = 4 << 20;

/// Reads all signatures that a list names: several files, or parts of a large one, at a time. Beside what it returns it needs memory only for
/// what is read at that moment.
pub fn read(list: &Path) -> Result<Signatures> {
    let header = SigPaths::read(list)?;
    if header.bits == 0
        || header.bits > MAX_SIGNATURE_BITS
        || !header.bits.is_multiple_of(BITS_IN_DIGIT)
    {
        return Err(Error::Message(format!(
            "{}: a signature of {} bits cannot be: its length is a multiple of {BITS_IN_DIGIT}, at most {MAX_SIGNATURE_BITS}",
            list.display(),
            header.bits
        )));
    }
    let mut signatures = Signatures::empty(header.bits);
    signatures.reserve(&header);
    let threads = rayon::current_num_threads();
    for files in header.files.chunks(threads) {
        let contents: Result<Vec<Content>> =
            files.par_iter().map(|file| Content::open(file)).collect();
        let contents = contents?;
        let mut parts: Vec<_> = contents
            .iter()
            .flat_map(|c| c.parts(c.lines().bytes_left() / PART_BYTES + 1))
            .collect();
        while !parts.is_empty() {
            let rest = parts.split_off(threads.min(parts.len()));
            let read = parts.into_par_iter().map(|lines| Signatures::of(lines, header.bits));
            // Of several errors the first is told.
            let read: Vec<Result<Signatures>> = read.collect();
            read.into_iter().try_for_each(|part| part.map(|part| signatures.append(&part)))?;
            parts = rest;
        }
    }
    check_count(list, "different signatures", header.distinct, signatures.set.len() as u64)?;
    check_count(list, "documents", header.documents, signatures.documents.len() as u64)?;
    Ok(signatures)
}

impl Signatures {
    fn empty(bits: usize) -> Self {
        Signatures { set: SignatureSet::new(bits), documents: Names::default(), ends: vec![0] }
    }

    /// Makes room for what a header states, as far as the files can hold it.
    fn reserve(&mut self, header: &SigPaths) {
        /// What follows the digits of a signature at least: a colon, a number, a space, a name, a newline.
        const LEAST_REST: u64 = 5;
        let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        let bytes: u64 = header.files.iter().map(size).sum();
        let lines = bytes / (header.bits as u64 / BITS_IN_DIGIT as u64 + LEAST_REST);
        let count = header.distinct.min(lines) as usize;
        self.set.reserve(count);
        self.ends.reserve_exact(count);
        self.documents.reserve(header.documents.min(bytes / 2) as usize);
    }

    /// The signatures of some lines.
    fn of(mut lines: ContentLines<'_>, bits: usize) -> Result<Self> {
        let mut signatures = Signatures::empty(bits);
        let mut words = vec![0; SignatureSet::words_for(bits)];
        while let Some(line) = lines.next_line()? {
            append_signature(&mut signatures, &line, &mut words)?;
        }
        Ok(signatures)
    }

    /// Adds what another part of the files holds.
    fn append(&mut self, part: &Signatures) {
        let before = self.documents.len();
        self.set.append(&part.set);
        self.documents.append(&part.documents);
        self.ends.extend(part.ends[1..].iter().map(|end| before + end));
    }
}

fn append_signature(signatures: &mut Signatures, line: &Line<'_>, words: &mut [u64]) -> Result<()> {
    let (hex, stated, names) = line.record("hexsignature:documents")?;
    parse_hex(line, hex, signatures.set.bits(), words)?;
    signatures.set.push(words);
    let mut found = 0;
    for name in names.split(' ').filter(|name| !name.is_empty()) {
        let name = line.name(name)?;
        signatures.documents.push(&name);
        found += 1;
    }
    signatures.ends.push(signatures.documents.len());
    if found == 0 {
        return Err(line.expected("at least one document", line.text));
    }
    line.check_items("documents", stated, found)
}

/// What is no hexadecimal digit.
const NO_DIGIT: u8 = 0xff;

/// The values of hexadecimal digits by their bytes.
const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16u8 {
        values[b"0123456789abcdef"[digit as usize] as usize] = digit;
        values[b"0123456789ABCDEF"[digit as usize] as usize] = digit;
        digit += 1;
    }
    values
};

fn parse_hex(line: &Line<'_>, hex: &str, bits: usize, words: &mut [u64]) -> Result<()> {
    let digits = bits / BITS_IN_DIGIT;
    let mut is_wrong = hex.len() != digits;
    for (word, chunk) in words.iter_mut().zip(hex.as_bytes().chunks(DIGITS_IN_WORD)) {
        let (value, wrong) = parse_word(chunk);
        *word = value << (BITS_IN_DIGIT * (DIGITS_IN_WORD - chunk.len()));
        is_wrong |= wrong;
    }
    if !is_wrong {
        return Ok(());
    }
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(line.expected("hexadecimal digits", hex));
    }
    let expected = format!("{digits} hexadecimal digits for {bits} bits");
    let found = format!("{} digits for {} bits", hex.len(), hex.len() * BITS_IN_DIGIT);
    Err(line.expected(expected, &found))
}

/// The number that some digits are, and whether one of them is none.
fn parse_word(digits: &[u8]) -> (u64, bool) {
    let (mut word, mut all) = (0, 0);
    for digit in digits {
        let value = VALUES[usize::from(*digit)];
        word = word << BITS_IN_DIGIT | u64::from(value);
        all |= value;
    }
    (word, all == NO_DIGIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_the_standard_library(words in prop::collection::vec(any::<u64>(), 1..4), cut in 0usize..16) {
            let bits = 64 * words.len() - 4 * cut;
            let mut line = b"before ".to_vec();
            append_line(&mut line, &words, bits, ["a", "b"].into_iter());
            let mut digits: String = words.iter().map(|word| format!("{word:016x}")).collect();
            digits.truncate(bits / 4);
            prop_assert_eq!(String::from_utf8(line).unwrap(), format!("before {digits}:2 a b\n"));
        }
    }
}
