//! SIG files: one signature a line, with the documents that have it.
//!
//! ```text
//! hexsignature:documents doc1 doc2 …
//! ```
//!
//! The first bit of a signature is the highest bit of its first hexadecimal digit.

use std::io::Write;
use std::path::Path;

use crate::corpus::Names;
use crate::error::{Error, Result, check_count};
use crate::files::content::Content;
use crate::files::input::Line;
use crate::files::paths::SigPaths;
use crate::signature::{BITS_IN_WORD, MOST_BITS, SignatureSet};

/// Bits in a hexadecimal digit.
const BITS_IN_DIGIT: usize = 4;
/// Hexadecimal digits in a word.
const DIGITS_IN_WORD: usize = BITS_IN_WORD / BITS_IN_DIGIT;

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

/// Reads all signatures that a list names.
pub fn read(list: &Path) -> Result<Signatures> {
    let header = SigPaths::read(list)?;
    if header.bits == 0 || header.bits > MOST_BITS || !header.bits.is_multiple_of(BITS_IN_DIGIT) {
        return Err(Error::Message(format!(
            "{}: a signature of {} bits cannot be: its length is a multiple of {BITS_IN_DIGIT}, at most {MOST_BITS}",
            list.display(),
            header.bits
        )));
    }
    let mut signatures = Signatures {
        set: SignatureSet::new(header.bits),
        documents: Names::default(),
        ends: vec![0],
    };
    for file in &header.files {
        let content = Content::open(file)?;
        let mut lines = content.lines();
        while let Some(line) = lines.next_line()? {
            append_signature(&mut signatures, &line)?;
        }
    }
    check_count(list, "different signatures", header.distinct, signatures.set.len() as u64)?;
    check_count(list, "documents", header.documents, signatures.documents.len() as u64)?;
    Ok(signatures)
}

fn append_signature(signatures: &mut Signatures, line: &Line<'_>) -> Result<()> {
    let (hex, stated, names) = line.record("hexsignature:documents")?;
    let words = parse_hex(line, hex, signatures.set.bits())?;
    signatures.set.push(&words);
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

fn parse_hex(line: &Line<'_>, hex: &str, bits: usize) -> Result<Vec<u64>> {
    let digits = bits / BITS_IN_DIGIT;
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(line.expected("hexadecimal digits", hex));
    }
    if hex.len() != digits {
        let expected = format!("{digits} hexadecimal digits for {bits} bits");
        let found = format!("{} digits for {} bits", hex.len(), hex.len() * BITS_IN_DIGIT);
        return Err(line.expected(expected, &found));
    }
    let chunks = hex.as_bytes().chunks(DIGITS_IN_WORD);
    Ok(chunks
        .map(|chunk| parse_word(chunk) << (BITS_IN_DIGIT * (DIGITS_IN_WORD - chunk.len())))
        .collect())
}

fn parse_word(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |word, digit| {
        let value = (*digit as char).to_digit(16).expect("the digits were checked");
        word << BITS_IN_DIGIT | u64::from(value)
    })
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
