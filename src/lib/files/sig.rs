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
    const INFALLIBLE: &str = "writing to memory does not fail";
    let start = line.len();
    for word in words {
        write!(line, "{word:0DIGITS_IN_WORD$x}").expect(INFALLIBLE);
    }
    line.truncate(start + bits / BITS_IN_DIGIT);
    write!(line, ":{}", names.len()).expect(INFALLIBLE);
    for name in names {
        line.push(b' ');
        line.extend_from_slice(name.as_bytes());
    }
    line.push(b'\n');
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
