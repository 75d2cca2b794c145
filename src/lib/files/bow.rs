//! BOW files: one bag of words per line.
//!
//! ```text
//! name:distinct_terms term1:count1 term2:count2 …
//! ```
//!
//! A term may contain colons; its count follows the last one.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::path::Path;

use crate::error::Result;
use crate::files::blocks::{Block, BlockReader};
use crate::files::decimal::append_number;
use crate::files::input::Line;
use crate::files::manifest::DataFile;
use crate::files::unique::NameHashes;
use crate::text::split::for_each_item;
use crate::text::{CountedTerm, Key};

/// The start of a line.
const SHAPE: &str = "name:distinct_terms";
/// Bytes read at once: they stay in the second-level cache until they are parsed.
const BLOCK_BYTES: usize = 1 << 20;

/// Appends the part of a line after the encoded name: the terms with their counts.
pub fn append_bag<'a>(line: &mut Vec<u8>, terms: impl ExactSizeIterator<Item = CountedTerm<'a>>) {
    line.push(b':');
    append_number(line, terms.len() as u64);
    for CountedTerm { text, key, count } in terms {
        line.push(b' ');
        key.append_to(line, text);
        line.push(b':');
        append_number(line, count);
    }
    line.push(b'\n');
}

/// One bag of words of a file.
pub struct Bag<'a, 'b> {
    /// The document's name, in its canonical encoding.
    pub name: Cow<'a, str>,
    /// Terms and counts, in file order.
    pub terms: &'b [CountedTerm<'a>],
}

/// A consumer of bags of words.
pub trait BagConsumer {
    /// Prefetches the table entry of a term of the next bag; called as soon as the term is parsed.
    fn prefetch(&self, _key: &Key) {}

    /// Takes a bag and its line.
    fn take(&mut self, line: &Line<'_>, bag: Bag<'_, '_>) -> Result<()>;
}

/// Reads every bag of a file, in order, and verifies the file. Returns the hashes of the names, for [`check_names`]. Memory: these, and about a
/// megabyte, or the longest line.
pub fn for_each(file: &DataFile, bags: &mut impl BagConsumer) -> Result<NameHashes> {
    let (mut reader, mut block) = (BlockReader::open(file)?, Block::default());
    let mut names = NameHashes::default();
    while !block.is_last {
        reader.read(&mut block, BLOCK_BYTES)?;
        let mut lines = block.lines(&file.path);
        let mut terms = Vec::new();
        while let Some(line) = lines.next_line()? {
            let name = parse(&line, &mut terms, |key| bags.prefetch(key))?;
            names.push(&name);
            bags.take(&line, Bag { name, terms: &terms })?;
        }
    }
    reader.verify()?;
    Ok(names)
}

/// Checks that the documents of BOW files have different names, given the hashes of each file's names.
pub fn check_names(
    list: &Path,
    files: &[DataFile],
    names: impl IntoIterator<Item = NameHashes>,
) -> Result<()> {
    let mut all = NameHashes::default();
    names.into_iter().for_each(|names| all.append(names));
    all.check(list, files, |line, visit| {
        let (name, ..) = line.record(SHAPE)?;
        visit(&line.name(name)?);
        Ok(())
    })
}

/// Parses a line: returns the name and fills `terms`.
fn parse<'a>(
    line: &Line<'a>,
    terms: &mut Vec<CountedTerm<'a>>,
    prefetch: impl Fn(&Key),
) -> Result<Cow<'a, str>> {
    let (name, stated, items) = line.record(SHAPE)?;
    let name = line.name(name)?;
    terms.clear();
    let mut wrong = None;
    for_each_item(items.as_bytes(), |start, end| {
        let Some((length, count)) = split(&items.as_bytes()[start..end]) else {
            // The first of several errors is reported.
            wrong = wrong.or(Some(&items[start..end]));
            return;
        };
        let text = &items[start..start + length];
        let key = Key::within(items.as_bytes(), start, start + length);
        prefetch(&key);
        terms.push(CountedTerm { text, key, count });
    });
    if let Some(item) = wrong {
        return Err(wrong_item(line, item));
    }
    line.check_items("terms", stated, terms.len())?;
    Ok(name)
}

/// Returns the length of the term and its count.
#[inline]
fn split(item: &[u8]) -> Option<(usize, u64)> {
    // Most counts have one digit.
    if let [.., _, b':', digit @ b'1'..=b'9'] = item {
        return Some((item.len() - 2, u64::from(digit - b'0')));
    }
    let length = memchr::memrchr(b':', item).filter(|length| *length > 0)?;
    let count = str::from_utf8(&item[length + 1..]).ok()?;
    Some((length, count.parse::<NonZeroU64>().ok()?.get()))
}

#[cold]
fn wrong_item(line: &Line<'_>, item: &str) -> crate::Error {
    const ITEM: &str = "term:count";
    match item.rsplit_once(':').filter(|(term, _)| !term.is_empty()) {
        Some((_, count)) => line.expected(ITEM, count),
        None => line.expected(ITEM, item),
    }
}
