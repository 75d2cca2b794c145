//! BOW files: one bag of words a line.
//!
//! ```text
//! name:distinct_terms term1:count1 term2:count2 …
//! ```
//!
//! A term may hold colons: its count is what follows the last one.

use std::num::NonZeroU64;
use std::path::Path;

use crate::error::Result;
use crate::files::content::Content;
use crate::files::input::Line;

/// Appends one line: the encoded name and the terms with their counts.
pub fn append_line(line: &mut Vec<u8>, name: &str, terms: &[(&str, u64)]) {
    use std::io::Write;
    const INFALLIBLE: &str = "writing to memory does not fail";
    write!(line, "{name}:{}", terms.len()).expect(INFALLIBLE);
    for (term, count) in terms {
        write!(line, " {term}:{count}").expect(INFALLIBLE);
    }
    line.push(b'\n');
}

/// One bag of words as it stands in a file.
pub struct Bag<'a> {
    /// The document's name, in its canonical encoding.
    pub name: String,
    /// Terms and counts, in the file's order.
    pub terms: Vec<(&'a str, u64)>,
}

/// Calls `visit` for every bag of a file, in order, with its line.
pub fn for_each(
    path: &Path,
    mut visit: impl FnMut(&Line<'_>, Bag<'_>) -> Result<()>,
) -> Result<()> {
    let content = Content::open(path)?;
    let mut lines = content.lines();
    while let Some(line) = lines.next_line()? {
        let bag = parse(&line)?;
        visit(&line, bag)?;
    }
    Ok(())
}

fn parse<'a>(line: &Line<'a>) -> Result<Bag<'a>> {
    let (name, stated, items) = line.record("name:distinct_terms")?;
    let name = line.name(name)?;
    let mut terms = Vec::with_capacity(stated.min(items.len()));
    for item in items.split(' ').filter(|item| !item.is_empty()) {
        let (term, count) = item
            .rsplit_once(':')
            .filter(|(term, _)| !term.is_empty())
            .ok_or_else(|| line.expected("term:count", item))?;
        let count: NonZeroU64 = line.number("term:count", count)?;
        terms.push((term, count.get()));
    }
    line.check_items("terms", stated, terms.len())?;
    Ok(Bag { name: name.into_owned(), terms })
}
