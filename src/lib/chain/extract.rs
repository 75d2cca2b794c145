//! `extract_similarities`: plain numbers out of a result.
//!
//! Lines are written in the result's order, fields separated by tabs, names as the chain's files write them (so they hold no tab and no space, and can be joined
//! with other files of the chain): `document other similarity`, or the similarity alone, or for each document how many others have a similarity
//! above 0 and which share of the collection they are. Memory holds one line of the result at a time.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::Counts;
use crate::error::Result;
use crate::files::input;
use crate::files::list::{self, Separator};
use crate::files::name;
use crate::files::output::Output;
use crate::files::result::{Results, Row};

/// What to read, what of it, and where to write.
#[derive(Debug, Clone)]
pub struct Extract {
    /// A result of `similarity`, `hamming` or `hamming_full`.
    pub result: PathBuf,
    /// Where to write.
    pub out: PathBuf,
    /// Whether the result is of a whole collection: then a line is about every document of its head, not only about the first.
    pub all_pairs: bool,
    /// What to write.
    pub what: What,
}

/// What is written of a result.
#[derive(Debug, Clone)]
pub enum What {
    /// `document other similarity`, one line a match.
    Pairs,
    /// The similarity alone, one line a match.
    Values,
    /// `document positive share`, one line a document.
    PositiveShare {
        /// By how many documents to divide.
        documents: u64,
        /// Others that do not count: a list of names, and how they are separated.
        leave_out: Option<(PathBuf, Separator)>,
    },
}

/// Writes what is asked for.
pub fn extract(task: &Extract) -> Result<Counts> {
    let mut writer = Writer::new(task)?;
    let mut results = Results::open(&task.result)?;
    let mut lines = String::new();
    while let Some(row) = results.next_row()? {
        let heads = if task.all_pairs { row.head.0.len() } else { 1 };
        for document in &row.head.0[..heads] {
            writer.append(&mut lines, &row, document)?;
        }
        writer.out.write(lines.as_bytes())?;
        lines.clear();
    }
    writer.out.finish()?;
    let what = match task.what {
        What::PositiveShare { .. } => "shares",
        _ => "similarities",
    };
    Ok(Counts {
        read: (writer.documents, "documents"),
        skipped: (0, ""),
        written: (writer.written, what),
        unreadable: 0,
    })
}

struct Writer<'a> {
    task: &'a Extract,
    out: Output,
    left_out: FxHashSet<String>,
    documents: u64,
    written: u64,
}

impl<'a> Writer<'a> {
    fn new(task: &'a Extract) -> Result<Self> {
        let left_out = match &task.what {
            What::PositiveShare { leave_out: Some((path, separator)), .. } => {
                names(path, *separator)?
            }
            _ => FxHashSet::default(),
        };
        let out = Output::create(&task.out)?;
        Ok(Writer { task, out, left_out, documents: 0, written: 0 })
    }

    /// Appends what is wanted of one document's matches.
    fn append(&mut self, lines: &mut String, row: &Row<'_>, document: &str) -> Result<()> {
        const INFALLIBLE: &str = "writing to memory does not fail";
        self.documents += 1;
        match &self.task.what {
            What::Pairs => {
                for (other, value) in row.said_of(document) {
                    writeln!(lines, "{document}\t{other}\t{value}").expect(INFALLIBLE);
                    self.written += 1;
                }
            }
            What::Values => {
                for (_, value) in row.said_of(document) {
                    writeln!(lines, "{value}").expect(INFALLIBLE);
                    self.written += 1;
                }
            }
            What::PositiveShare { documents, .. } => {
                let positive = self.positive(row, document, *documents)?;
                let share = positive as f64 / *documents as f64;
                writeln!(lines, "{document}\t{positive}\t{share}").expect(INFALLIBLE);
                self.written += 1;
            }
        }
        Ok(())
    }

    /// How many others have a similarity above 0.
    fn positive(&self, row: &Row<'_>, document: &str, most: u64) -> Result<u64> {
        let counts = |(other, value): &(&str, f64)| *value > 0.0 && !self.left_out.contains(*other);
        let positive = row.said_of(document).filter(counts).count() as u64;
        if positive <= most {
            return Ok(positive);
        }
        let line = input::Line { text: "", path: &self.task.result, number: row.number };
        let expected = format!(
            "at most {most} documents with a similarity above 0 (collection_size; leave_out names those that do not count)"
        );
        Err(line.expected(expected, &positive.to_string()))
    }
}

/// The names of a list in both ways in which they may be meant: as they stand in a `doc_list`, and as the chain's files write them.
fn names(path: &Path, separator: Separator) -> Result<FxHashSet<String>> {
    let mut names = FxHashSet::default();
    for entry in list::read(path, separator)? {
        let text = std::str::from_utf8(&entry.raw).ok();
        names.extend(text.and_then(name::canonical).map(|written| written.into_owned()));
        names.insert(entry.encoded());
    }
    Ok(names)
}
