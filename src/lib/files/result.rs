//! Result files of `similarity`, `hamming` and `hamming_full`: one document a line with its matches.
//!
//! ```text
//! doc1:similar1:sim11:similar2:sim12…
//! ```
//!
//! Similarities are percentages. Documents that share a signature stand as a group `doc1(doc2 doc3 … docN)`; they
//! are matches of each other at 100.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use crate::error::Result;
use crate::files::input::{Line, Lines};
use crate::files::name;

/// A document, or a group of documents that share a signature. The first stands for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group<'a>(pub Vec<Cow<'a, str>>);

impl Group<'_> {
    /// The document that stands for all.
    pub fn first(&self) -> &str {
        &self.0[0]
    }
}

/// Appends `doc1` or `doc1(doc2 … docN)`.
pub fn append_group<'a>(line: &mut String, first: &str, others: impl Iterator<Item = &'a str>) {
    line.push_str(first);
    let mut opening = '(';
    for other in others {
        line.push(opening);
        line.push_str(other);
        opening = ' ';
    }
    if opening == ' ' {
        line.push(')');
    }
}

/// Appends a match's similarity, in the shortest spelling that reads back as the same number.
pub fn append_similarity(line: &mut String, similarity: f64) {
    write!(line, ":{similarity}").expect("writing to memory does not fail");
}

/// The spellings of similarities that come again and again: those of signatures at some distance.
pub struct Spellings {
    known: Vec<String>,
    of: Box<dyn Fn(u32) -> f64 + Sync>,
}

/// Distances whose spellings are kept; farther ones are rare enough to be spelled each time.
const KEPT: u32 = 4096;

impl Spellings {
    /// Spells `of(distance)` for distances up to `most`.
    pub fn new(most: u32, of: impl Fn(u32) -> f64 + Sync + 'static) -> Self {
        let spelled = |distance| {
            let mut text = String::new();
            append_similarity(&mut text, of(distance));
            text
        };
        Spellings { known: (0..=most.min(KEPT)).map(spelled).collect(), of: Box::new(of) }
    }

    /// Appends a match's similarity, as [`append_similarity`] does.
    pub fn append(&self, line: &mut String, distance: u32) {
        match self.known.get(distance as usize) {
            Some(text) => line.push_str(text),
            None => append_similarity(line, (self.of)(distance)),
        }
    }
}

/// The lines of a result file, read one at a time.
pub struct Results {
    lines: Lines,
}

/// One line: whose matches they are, and the matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// The line's number.
    pub number: u64,
    /// Whose matches follow.
    pub head: Group<'a>,
    /// The matches and their similarities.
    pub matches: Vec<(Group<'a>, f64)>,
}

impl<'a> Row<'a> {
    /// Everything the line says about one document of its head: the others of its group at 100, and every document of every match.
    pub fn said_of<'b>(&'b self, document: &'b str) -> impl Iterator<Item = (&'b str, f64)> {
        let members = |group: &'b Group<'a>| group.0.iter().map(|name| &**name);
        let mates =
            members(&self.head).filter(move |name| *name != document).map(|name| (name, 100.0));
        let others = self
            .matches
            .iter()
            .flat_map(move |(group, value)| members(group).map(|name| (name, *value)));
        mates.chain(others)
    }
}

impl Results {
    /// Opens a result file.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Results { lines: Lines::open(path)? })
    }

    /// The next line, or `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        self.lines.next_line()?.map(|line| parse(&line)).transpose()
    }
}

pub(super) fn parse<'a>(line: &Line<'a>) -> Result<Row<'a>> {
    let head = parse_head(line)?;
    let mut fields = line.text.split(':').skip(1);
    let mut matches = Vec::new();
    while let Some(document) = fields.next() {
        let similarity =
            fields.next().ok_or_else(|| line.expected("document:similarity", document))?;
        let value: f64 = line.number("a similarity in per cent", similarity)?;
        if !(-100.0..=100.0).contains(&value) {
            return Err(line.expected("a similarity in per cent", similarity));
        }
        matches.push((parse_group(line, document)?, value));
    }
    Ok(Row { number: line.number, head, matches })
}

/// The documents whose matches a line tells.
pub(super) fn parse_head<'a>(line: &Line<'a>) -> Result<Group<'a>> {
    parse_group(line, line.text.split(':').next().unwrap_or(""))
}

fn parse_group<'a>(line: &Line<'a>, text: &'a str) -> Result<Group<'a>> {
    let wrong = || line.expected("a document or doc1(doc2 … docN)", text);
    let (first, others) = match text.split_once('(') {
        Some((first, rest)) => (first, Some(rest.strip_suffix(')').ok_or_else(wrong)?)),
        None => (text, None),
    };
    let names = std::iter::once(first).chain(others.into_iter().flat_map(|o| o.split(' ')));
    let decoded = |name: &'a str| {
        let legal = !name.is_empty() && !name.contains(['(', ')', ' ']);
        name::canonical(name).filter(|_| legal).ok_or_else(wrong)
    };
    Ok(Group(names.map(decoded).collect::<Result<_>>()?))
}
