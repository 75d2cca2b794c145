//! BOW files: one bag of words a line.
//!
//! ```text
//! name:distinct_terms term1:count1 term2:count2 …
//! ```
//!
//! A term may hold colons: its count is what follows the last one.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::path::Path;

use crate::error::Result;
use crate::files::content::Content;
use crate::files::decimal::append_number;
use crate::files::input::Line;
use crate::text::split::for_each_item;
use crate::text::{CountedTerm, Key};

/// Appends what follows the encoded name in a line: the terms with their counts.
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

/// One bag of words as it stands in a file.
pub struct Bag<'a, 'b> {
    /// The document's name, in its canonical encoding.
    pub name: Cow<'a, str>,
    /// Terms and counts, in the file's order.
    pub terms: &'b [CountedTerm<'a>],
}

/// What is done with the bags of a file.
pub trait Bags {
    /// Hears of every term of the next bag as soon as it is read, to ask for memory that [`Bags::take`] will need: reading goes on
    /// while that comes.
    fn expect(&self, key: &Key);

    /// Takes a bag, with its line.
    fn take(&mut self, line: &Line<'_>, bag: Bag<'_, '_>) -> Result<()>;
}

/// Reads every bag of a file, in order.
pub fn for_each(path: &Path, bags: &mut impl Bags) -> Result<()> {
    let content = Content::open(path)?;
    let mut lines = content.lines();
    let mut terms = Vec::new();
    while let Some(line) = lines.next_line()? {
        let name = parse(&line, &mut terms, |key| bags.expect(key))?;
        bags.take(&line, Bag { name, terms: &terms })?;
    }
    Ok(())
}

/// Reads a line: the name, and the terms into `terms`.
fn parse<'a>(
    line: &Line<'a>,
    terms: &mut Vec<CountedTerm<'a>>,
    expect: impl Fn(&Key),
) -> Result<Cow<'a, str>> {
    let (name, stated, items) = line.record("name:distinct_terms")?;
    let name = line.name(name)?;
    terms.clear();
    let mut wrong = None;
    for_each_item(items.as_bytes(), |start, end| {
        let Some((length, count)) = split(&items.as_bytes()[start..end]) else {
            // Of several errors the first is told.
            wrong = wrong.or(Some(&items[start..end]));
            return;
        };
        let text = &items[start..start + length];
        let key = Key::within(items.as_bytes(), start, start + length);
        expect(&key);
        terms.push(CountedTerm { text, key, count });
    });
    if let Some(item) = wrong {
        return Err(wrong_item(line, item));
    }
    line.check_items("terms", stated, terms.len())?;
    Ok(name)
}

/// A term's length and its count.
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
    const SHAPE: &str = "term:count";
    match item.rsplit_once(':').filter(|(term, _)| !term.is_empty()) {
        Some((_, count)) => line.expected(SHAPE, count),
        None => line.expected(SHAPE, item),
    }
}
