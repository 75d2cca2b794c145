//! SIG files: one signature per line, with its documents.
//!
//! ```text
//! hexsignature:documents doc1 doc2 …
//! ```
//!
//! The first bit of a signature is the highest bit of its first hexadecimal digit.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use crate::error::{Error, INFALLIBLE, Result, check_count, fallibly};
use crate::files::content::{ContentLines, for_each_batch};
use crate::files::input::Line;
use crate::files::manifest::DataFile;
use crate::files::names::Names;
use crate::files::paths::SigPaths;
use crate::files::unique::NameHashes;
use crate::signature::{BITS_PER_WORD, MAX_SIGNATURE_BITS, SignatureSet};

/// The start of a line.
const SHAPE: &str = "hexsignature:documents";
/// Bits in a hexadecimal digit.
const BITS_IN_DIGIT: usize = 4;
/// Hexadecimal digits in a word.
const DIGITS_IN_WORD: usize = BITS_PER_WORD / BITS_IN_DIGIT;

/// The signatures of a collection and their documents.
pub struct Signatures {
    /// The distinct signatures, ordered by their first documents.
    pub set: SignatureSet,
    /// The documents, in file order.
    pub documents: Names,
    /// The end of each signature's documents; starts with 0.
    pub ends: Vec<usize>,
}

impl Signatures {
    /// Returns the documents of signature `number`, as positions in `documents`.
    pub fn group(&self, number: usize) -> std::ops::Range<usize> {
        self.ends[number]..self.ends[number + 1]
    }

    /// Returns the number of documents of signature `number`.
    pub fn size(&self, number: usize) -> u64 {
        self.group(number).len() as u64
    }

    /// Returns the number of a document's signature.
    pub fn signature_of(&self, document: usize) -> usize {
        self.ends.partition_point(|end| *end <= document) - 1
    }
}

/// Appends one line: a signature and the encoded names of its documents.
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
    write!(line, ":{}", names.len()).expect(INFALLIBLE);
    for name in names {
        line.push(b' ');
        line.extend_from_slice(name.as_bytes());
    }
    line.push(b'\n');
}

/// Returns the sixteen digits of a word, the highest first. Spreads all half-bytes over bytes and turns them into characters together.
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
    // Adding six carries into the upper half from ten on.
    let is_letter = (spread + 6 * ONE_EACH) >> 4 & ONE_EACH;
    (spread + u128::from(b'0') * ONE_EACH + TO_LETTERS * is_letter).to_be_bytes()
}

/// Reads all signatures of a list, in parallel, and checks that no name occurs twice. Memory: the result, 8 bytes per name, and tens of megabytes of text.
pub fn read(list: &Path, header: &SigPaths) -> Result<Signatures> {
    if header.bits == 0
        || header.bits > MAX_SIGNATURE_BITS
        || !header.bits.is_multiple_of(BITS_IN_DIGIT)
    {
        let legal = format!("divisible by {BITS_IN_DIGIT}, at most {MAX_SIGNATURE_BITS}");
        let found = format!("expected a signature length {legal}, found {} bits", header.bits);
        return Err(Error::in_file(list, found));
    }
    let mut signatures = Signatures::empty(header.bits);
    signatures.reserve(header);
    let parse = |lines: ContentLines<'_>| Signatures::of(lines, header.bits);
    for_each_batch(&header.files, parse, |_, parts| {
        parts.iter().for_each(|part| signatures.append(part));
        Ok(())
    })?;
    let mut names = NameHashes::default();
    names.extend(signatures.documents.iter());
    names.check(list, &header.files, |line, visit| {
        let (.., names) = line.record(SHAPE)?;
        split_names(names).try_for_each(|name| line.name(name).map(|name| visit(&name)))
    })?;
    check_count(list, "distinct signatures", header.distinct, signatures.set.len() as u64)?;
    check_count(list, "documents", header.documents, signatures.documents.len() as u64)?;
    Ok(signatures)
}

impl Signatures {
    fn empty(bits: usize) -> Self {
        Signatures { set: SignatureSet::new(bits), documents: Names::default(), ends: vec![0] }
    }

    /// Reserves capacity for the header's counts, as far as the files are large enough for them and there is so much memory.
    fn reserve(&mut self, header: &SigPaths) {
        /// Minimum number of bytes after the digits of a signature: a colon, a number, a space, a name, a newline.
        const MIN_REST: u64 = 5;
        let size = |file: &DataFile| file.path.metadata().map_or(0, |metadata| metadata.len());
        let bytes: u64 = header.files.iter().map(size).sum();
        let lines = bytes / (header.bits as u64 / BITS_IN_DIGIT as u64 + MIN_REST);
        let count = header.distinct.min(lines) as usize;
        self.set.reserve(count);
        let _ = fallibly(|| self.ends.try_reserve_exact(count));
        self.documents.reserve(header.documents.min(bytes / 2) as usize);
    }

    /// Parses the signatures of some lines.
    fn of(mut lines: ContentLines<'_>, bits: usize) -> Result<Self> {
        let mut signatures = Signatures::empty(bits);
        let mut words = vec![0; SignatureSet::words_for(bits)];
        while let Some(line) = lines.next_line()? {
            append_signature(&mut signatures, &line, &mut words)?;
        }
        Ok(signatures)
    }

    /// Appends the signatures of the next part.
    fn append(&mut self, part: &Signatures) {
        let before = self.documents.len();
        self.set.append(&part.set);
        self.documents.append(&part.documents);
        self.ends.extend(part.ends[1..].iter().map(|end| before + end));
    }
}

/// Returns the digits of a line's signature and the names of its documents, in their canonical encoding.
pub fn parse<'a>(line: &Line<'a>) -> Result<(&'a str, Vec<Cow<'a, str>>)> {
    let (hex, stated, names) = line.record(SHAPE)?;
    let names = split_names(names).map(|name| line.name(name)).collect::<Result<Vec<_>>>()?;
    line.check_items("documents", stated, names.len())?;
    Ok((hex, names))
}

fn split_names(names: &str) -> impl Iterator<Item = &str> {
    names.split(' ').filter(|name| !name.is_empty())
}

fn append_signature(signatures: &mut Signatures, line: &Line<'_>, words: &mut [u64]) -> Result<()> {
    let (hex, stated, names) = line.record(SHAPE)?;
    parse_hex(line, hex, signatures.set.bits(), words)?;
    signatures.set.push(words);
    let mut found = 0;
    for name in split_names(names) {
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

/// The value of a byte that is no hexadecimal digit.
const NO_DIGIT: u8 = 0xff;

/// The values of all bytes as hexadecimal digits.
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

/// Parses up to sixteen digits. Returns their value and whether one is invalid.
pub(super) fn parse_word(digits: &[u8]) -> (u64, bool) {
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
        fn digits_equal_those_of_the_standard_library(words in prop::collection::vec(any::<u64>(), 1..4), cut in 0usize..16) {
            let bits = 64 * words.len() - 4 * cut;
            let mut line = b"before ".to_vec();
            append_line(&mut line, &words, bits, ["a", "b"].into_iter());
            let mut digits: String = words.iter().map(|word| format!("{word:016x}")).collect();
            digits.truncate(bits / 4);
            prop_assert_eq!(String::from_utf8(line).unwrap(), format!("before {digits}:2 a b\n"));
        }
    }
}
