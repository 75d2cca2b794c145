//! Result lines of `similarity`, `hamming` and `hamming_full`: one line per document, or group of documents, with its matches.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use rayon::prelude::*;

use super::shards::{PairPart, PartManifest};
use crate::error::{INFALLIBLE, Result};
use crate::files::decimal::decimals;
use crate::files::ids::IdNames;
use crate::files::input::Line;
use crate::files::name;
use crate::files::output::{Output, Publisher};

/// One line: a document or group with its matches.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultRow<'a> {
    /// The line number, from 1. Of a document of a table: the line of its first pair.
    pub number: u64,
    /// The document whose matches follow, or the group of documents; its first is the representative.
    pub head: Vec<Cow<'a, str>>,
    /// The matches, documents or groups, and their similarities in percent.
    pub matches: Vec<(Vec<Cow<'a, str>>, f64)>,
}

impl ResultRow<'_> {
    /// Returns the document, or the representative of the group.
    pub fn first(&self) -> &str {
        &self.head[0]
    }

    /// Returns all matches of one document of the head: the others of its group at 100, then every document of every match.
    pub fn matches_of<'b>(&'b self, document: &'b str) -> impl Iterator<Item = (&'b str, f64)> {
        let group = self.head.iter().map(|name| &**name).filter(move |name| *name != document);
        let others = self.matches.iter();
        let others = others.flat_map(|(group, value)| group.iter().map(|name| (&**name, *value)));
        group.map(|name| (name, 100.0)).chain(others)
    }

    /// Appends the row as a line without its newline.
    pub(super) fn append_to(&self, line: &mut String) {
        let append = |line: &mut String, group: &[Cow<str>]| {
            append_group(line, &group[0], group[1..].iter().map(|name| &**name));
        };
        append(line, &self.head);
        for (group, similarity) in &self.matches {
            line.push(':');
            append(line, group);
            append_similarity(line, *similarity);
        }
    }
}

/// Appends `doc1` or `doc1(doc2 … docN)`.
pub fn append_group<'a>(line: &mut String, first: &str, others: impl Iterator<Item = &'a str>) {
    line.push_str(first);
    let mut separator = '(';
    for other in others {
        line.push(separator);
        line.push_str(other);
        separator = ' ';
    }
    if separator == ' ' {
        line.push(')');
    }
}

/// Appends a similarity in the shortest decimal form that reads back as the same number.
///
/// Cosines are millionths of a percent. Their spelling is the shortest, since no two decimals of up to 15 digits are the same number.
pub(crate) fn append_similarity(line: &mut String, similarity: f64) {
    const MILLION: u64 = 1_000_000;
    line.push(':');
    let millionths = (similarity * MILLION as f64 + 0.5) as u64;
    let is_short = millionths < 10u64.pow(15);
    if !is_short || (millionths as f64 / MILLION as f64).to_bits() != similarity.to_bits() {
        return write!(line, "{similarity}").expect(INFALLIBLE);
    }
    line.push_str(itoa::Buffer::new().format(millionths / MILLION));
    let (decimals, count) = decimals(millionths % MILLION * 100, 0);
    if count > 0 {
        line.push('.');
        line.push_str(str::from_utf8(&decimals[..count]).expect("digits are UTF-8"));
    }
}

/// Decimal forms of the similarities of signatures, by Hamming distance: a few distances make up most matches.
pub struct SimilarityText {
    cached: Vec<String>,
    similarity: Box<dyn Fn(u32) -> f64 + Sync>,
}

/// Number of distances whose text is cached; larger ones are rare.
const CACHED_DISTANCES: u32 = 4096;

impl SimilarityText {
    /// Caches the text of `similarity(distance)` for distances up to `max_distance`.
    pub fn new(max_distance: u32, similarity: impl Fn(u32) -> f64 + Sync + 'static) -> Self {
        let text = |distance| {
            let mut text = String::new();
            append_similarity(&mut text, similarity(distance));
            text
        };
        let cached = (0..=max_distance.min(CACHED_DISTANCES)).map(text).collect();
        SimilarityText { cached, similarity: Box::new(similarity) }
    }

    /// Appends the similarity at a distance.
    pub fn append(&self, line: &mut String, distance: u32) {
        match self.cached.get(distance as usize) {
            Some(text) => line.push_str(text),
            None => append_similarity(line, (self.similarity)(distance)),
        }
    }
}

/// Appends a line with its end; `append_match` appends the document or group of a match and its similarity.
pub fn append_line<M>(
    line: &mut String,
    head: &str,
    matches: &[M],
    append_match: impl Fn(&mut String, &M),
) {
    line.push_str(head);
    for found in matches {
        line.push(':');
        append_match(line, found);
    }
    line.push('\n');
}

/// Lines that all threads format before they are written.
const LINES_PER_WRITE: usize = 256;

/// Order numbers before the documents of result lines, which parts have: `12 doc1:15 doc2:98.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderNumbers {
    is_shown: bool,
}

impl OrderNumbers {
    /// Appends the number of a document or group, if numbers are shown, before its name.
    pub fn append(self, line: &mut String, number: usize) {
        if self.is_shown {
            line.push_str(itoa::Buffer::new().format(number));
            line.push(' ');
        }
    }
}

/// Writer of result lines.
pub struct ResultWriter {
    out: Output,
    line: String,
    part: Option<(PartManifest, Publisher<'static>)>,
}

impl ResultWriter {
    /// Creates the file; `.gz`, `.zst`, `.bz2` and `.xz` select compression.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        Ok(ResultWriter { out: publisher.create(path)?, line: String::new(), part: None })
    }

    /// Creates the file of a part and its manifest. Lines have [`ResultWriter::numbers`] and ascend by that of their head.
    pub fn create_part(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        let (out, manifest) = PartManifest::create(publisher, path)?;
        let part = Some((manifest, publisher.after_checks()));
        Ok(ResultWriter { out, line: String::new(), part })
    }

    /// Returns the numbers to write before heads and matches.
    pub fn numbers(&self) -> OrderNumbers {
        OrderNumbers { is_shown: self.part.is_some() }
    }

    /// Writes lines that `append` appends, with their ends, on all threads.
    pub fn lines<T: Sync>(
        &mut self,
        items: &[T],
        append: impl Fn(&mut String, &T) + Sync,
    ) -> Result<()> {
        let line = |item: &T| {
            let mut line = String::new();
            append(&mut line, item);
            line
        };
        for items in items.chunks(LINES_PER_WRITE) {
            let lines: Vec<String> = items.par_iter().map(line).collect();
            lines.iter().try_for_each(|line| self.out.write(line.as_bytes()))?;
        }
        Ok(())
    }

    /// Writes one line; `append_match` appends the document or group of a match and its similarity.
    pub fn line<M>(
        &mut self,
        head: &str,
        matches: &[M],
        append_match: impl Fn(&mut String, &M),
    ) -> Result<()> {
        self.line.clear();
        append_line(&mut self.line, head, matches, append_match);
        self.out.write(self.line.as_bytes())
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        self.out.finish()
    }

    /// Completes the file, or that of a part, which is described, and its manifest.
    pub fn finish_part(self, description: Option<PairPart>) -> Result<()> {
        match (self.part, description) {
            (Some((manifest, publisher)), Some(description)) => {
                publisher.publish(manifest.close(self.out, description)?)
            }
            _ => self.out.finish(),
        }
    }
}

/// Parses a line. With `names`, documents are numbers of that id file and are replaced by their names.
pub(super) fn parse<'a>(line: &Line<'a>, names: Option<&'a IdNames>) -> Result<ResultRow<'a>> {
    let mut fields = fields(line);
    let head = parse_group(line, fields.next().unwrap_or(""), names)?;
    let mut matches = Vec::new();
    while let Some(document) = fields.next() {
        let similarity =
            fields.next().ok_or_else(|| line.expected("document:similarity", document))?;
        let value: f64 = line.number("a similarity in percent", similarity)?;
        if !(-100.0..=100.0).contains(&value) {
            return Err(line.expected("a similarity in percent", similarity));
        }
        matches.push((parse_group(line, document, names)?, value));
    }
    Ok(ResultRow { number: line.number, head, matches })
}

/// Parses the documents whose matches a line lists.
pub(super) fn parse_head<'a>(
    line: &Line<'a>,
    names: Option<&'a IdNames>,
) -> Result<Vec<Cow<'a, str>>> {
    parse_group(line, fields(line).next().unwrap_or(""), names)
}

/// Splits a line, without the CR of a CRLF line end. Names hold no CR.
fn fields<'a>(line: &Line<'a>) -> impl Iterator<Item = &'a str> {
    line.text.strip_suffix('\r').unwrap_or(line.text).split(':')
}

fn parse_group<'a>(
    line: &Line<'a>,
    text: &'a str,
    names: Option<&'a IdNames>,
) -> Result<Vec<Cow<'a, str>>> {
    let wrong = || line.expected("a document or doc1(doc2 … docN)", text);
    let (first, others) = match text.split_once('(') {
        Some((first, rest)) => (first, Some(rest.strip_suffix(')').ok_or_else(wrong)?)),
        None => (text, None),
    };
    let members = std::iter::once(first).chain(others.into_iter().flat_map(|o| o.split(' ')));
    let canonical = |member: &'a str| {
        let is_legal = !member.is_empty() && !member.contains(['(', ')', ' ']);
        let name = name::canonical(member).filter(|_| is_legal).ok_or_else(wrong)?;
        match names {
            Some(ids) => Ok(Cow::Borrowed(ids.name(&name)?)),
            None => Ok(name),
        }
    };
    members.map(canonical).collect()
}
