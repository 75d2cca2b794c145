//! Result lines of `similarity`, `hamming` and `hamming_full`: one line per document with its matches.
//!
//! ```text
//! doc1:similar1:sim11:similar2:sim12…
//! ```
//!
//! Similarities are percentages. Documents with the same signature form a group `doc1(doc2 doc3 … docN)`; they match each other
//! at 100.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use super::id::IdNames;
use crate::error::Result;
use crate::files::input::Line;
use crate::files::name;
use crate::files::output::Output;

/// A document, or a group of documents with the same signature. The first is the representative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentGroup<'a>(pub Vec<Cow<'a, str>>);

impl DocumentGroup<'_> {
    /// Returns the representative.
    pub fn first(&self) -> &str {
        &self.0[0]
    }
}

/// One line: a document or group with its matches.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultRow<'a> {
    /// The line number, from 1. Of a document of a table: the line of its first pair.
    pub number: u64,
    /// The documents whose matches follow.
    pub head: DocumentGroup<'a>,
    /// The matches and their similarities in percent.
    pub matches: Vec<(DocumentGroup<'a>, f64)>,
}

impl<'a> ResultRow<'a> {
    /// Returns all matches of one document of the head: the others of its group at 100, then every document of every match.
    pub fn matches_of<'b>(&'b self, document: &'b str) -> impl Iterator<Item = (&'b str, f64)> {
        let members = |group: &'b DocumentGroup<'a>| group.0.iter().map(|name| &**name);
        let group =
            members(&self.head).filter(move |name| *name != document).map(|name| (name, 100.0));
        let others = self
            .matches
            .iter()
            .flat_map(move |(group, value)| members(group).map(|name| (name, *value)));
        group.chain(others)
    }

    /// Appends the row as a line.
    pub(super) fn append_to(&self, line: &mut String) {
        let append = |line: &mut String, group: &DocumentGroup| {
            append_group(line, group.first(), group.0[1..].iter().map(|name| &**name));
        };
        append(line, &self.head);
        for (group, similarity) in &self.matches {
            line.push(':');
            append(line, group);
            append_similarity(line, *similarity);
        }
        line.push('\n');
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
pub(crate) fn append_similarity(line: &mut String, similarity: f64) {
    write!(line, ":{similarity}").expect("writing to memory does not fail");
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

/// Writer of result lines.
pub struct ResultWriter {
    out: Output,
    line: String,
}

impl ResultWriter {
    /// Creates the file; `.gz` and `.zst` select compression.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(ResultWriter { out: Output::create(path)?, line: String::new() })
    }

    /// Writes one line; `append_match` appends the document or group of a match and its similarity.
    pub fn line<M>(
        &mut self,
        head: &str,
        matches: &[M],
        append_match: impl Fn(&mut String, &M),
    ) -> Result<()> {
        self.line.clear();
        self.line.push_str(head);
        for found in matches {
            self.line.push(':');
            append_match(&mut self.line, found);
        }
        self.line.push('\n');
        self.out.write(self.line.as_bytes())
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        self.out.finish()
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
) -> Result<DocumentGroup<'a>> {
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
) -> Result<DocumentGroup<'a>> {
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
    Ok(DocumentGroup(members.map(canonical).collect::<Result<_>>()?))
}
