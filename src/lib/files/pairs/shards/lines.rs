//! Parts of result lines: `12 doc1:15 doc2:98.5:17 doc3:97` with the numbers of head and matches.

use std::path::Path;

use super::read::{PartLines, PartRecords, merge_records};
use crate::error::{Error, Result, excerpt};
use crate::files::output::Publisher;
use crate::files::pairs::results::ResultWriter;
use crate::files::parts::Parts;

/// Shape of a line.
const SHAPE: &str = "'number document:number document:similarity…' by ascending numbers";

/// Result lines of a part.
struct NumberedLines {
    lines: PartLines,
}

/// A line without the number of its head.
struct NumberedLine {
    text: String,
    /// The number of the line in its part.
    number: u64,
}

impl PartRecords for NumberedLines {
    type Key = u64;
    type Record = NumberedLine;

    fn next_record(&mut self) -> Result<Option<(u64, NumberedLine)>> {
        let mut text = String::new();
        if !self.lines.read(&mut text)? {
            return Ok(None);
        }
        let Some((key, label)) = numbered(&text) else {
            return Err(self.lines.expected(SHAPE, &text));
        };
        text.drain(..text.len() - label.len());
        Ok(Some((key, NumberedLine { text, number: self.lines.number })))
    }

    fn unsorted(&self) -> Error {
        self.lines.expected(SHAPE, "a head that is not after the one before")
    }
}

/// Splits a number from a label.
fn numbered(text: &str) -> Option<(u64, &str)> {
    let (number, label) = text.split_once(' ')?;
    Some((number.parse().ok()?, label))
}

/// A match of a line.
#[derive(Clone, Copy)]
struct PartMatch<'a> {
    number: u64,
    label: &'a str,
    similarity: &'a str,
    /// The position of the part.
    part: usize,
}

/// Merges the lines of all parts and returns their number. Lines of one head become one line with the matches of all.
pub(super) fn merge(parts: &Parts, publisher: &Publisher<'_>, out: &Path) -> Result<u64> {
    let mut out = ResultWriter::create(publisher, out)?;
    let open = |position| Ok(NumberedLines { lines: PartLines::open(parts, position)? });
    let opened = (0..parts.paths.len()).map(open).collect::<Result<Vec<_>>>()?;
    let mut count = 0;
    merge_records(opened, |_, lines| {
        count += 1;
        let (head, matches) = union(parts, lines)?;
        out.line(head, &matches, |line, found| {
            line.push_str(found.label);
            line.push(':');
            line.push_str(found.similarity);
        })
    })?;
    out.finish()?;
    Ok(count)
}

/// Returns the head and all matches of the lines of one head, each match once, by ascending number.
fn union<'a>(
    parts: &Parts,
    lines: &'a [(usize, NumberedLine)],
) -> Result<(&'a str, Vec<PartMatch<'a>>)> {
    let mut matches = Vec::new();
    let mut head: Option<(usize, &str)> = None;
    for (part, line) in lines {
        let (label, found) = parse(*part, &line.text).ok_or_else(|| {
            let path = &parts.paths[*part];
            Error::parse(path, line.number, SHAPE, excerpt(&line.text))
        })?;
        let (first, expected) = *head.get_or_insert((*part, label));
        check_same(parts, "head", (first, expected), (*part, label))?;
        matches.extend(found);
    }
    matches.sort_by_key(|found: &PartMatch<'_>| (found.number, found.part));
    for pair in matches.windows(2).filter(|pair| pair[0].number == pair[1].number) {
        let [one, other] = [pair[0], pair[1]];
        check_same(parts, "match", (one.part, one.label), (other.part, other.label))?;
        let what = format!("similarity of {} and {}", first_name(head), one.label);
        check_same(parts, &what, (one.part, one.similarity), (other.part, other.similarity))?;
    }
    matches.dedup_by_key(|found| found.number);
    Ok((head.map_or("", |(_, label)| label), matches))
}

fn first_name<'a>(head: Option<(usize, &'a str)>) -> &'a str {
    head.map_or("", |(_, label)| label)
}

/// Splits a line into its head and its matches, which ascend.
fn parse(part: usize, text: &str) -> Option<(&str, Vec<PartMatch<'_>>)> {
    let mut fields = text.split(':');
    let head = fields.next()?;
    let mut matches = Vec::new();
    while let Some(field) = fields.next() {
        let (number, label) = numbered(field)?;
        matches.push(PartMatch { number, label, similarity: fields.next()?, part });
    }
    matches.is_sorted_by(|one, next| one.number < next.number).then_some((head, matches))
}

/// Fails if two parts say different things.
fn check_same(
    parts: &Parts,
    what: &str,
    (first, expected): (usize, &str),
    (other, found): (usize, &str),
) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let [first, other] = [first, other].map(|part| &parts.paths[part]);
    Err(Error::mismatch(other, what, expected, first, found))
}
