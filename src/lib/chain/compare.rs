//! `compare_results`: two results side by side, and how well the one approximates the other.
//!
//! Both results must come from the same sample: their lines are then about the same documents in the same order, and are read in step. Results of whole
//! collections have lines only for documents with matches: the reference is read line by line, and the line of the same document in
//! the approximation is looked up ([`lookup`]). Either way memory holds two lines at a time, and for whole collections the documents' names;
//! it does not grow with the number of pairs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::Counts;
use crate::error::{Error, Result};
use crate::evaluate::{Compared, Evaluation, Settings, Summary, Value};
use crate::files::ids;
use crate::files::lookup;
use crate::files::output::{Output, Part};
use crate::files::result::{Results, Row};
use crate::files::summary::{SummaryFile, text};

/// What to compare and where to write.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The reference: a result of `similarity`, or of any other search.
    pub sim: PathBuf,
    /// Its approximation: a result of `hamming` or `hamming_full`, or of any other search.
    pub ham: PathBuf,
    /// The comparison to write.
    pub out: PathBuf,
    /// The names of a numbered collection.
    pub id_file: Option<PathBuf>,
    /// Where to write the measures alone: CSV or JSON by its ending.
    pub summary: Option<PathBuf>,
    /// Whether the results are of whole collections, not of a sample.
    pub all_pairs: bool,
    /// What to evaluate.
    pub settings: Settings,
}

/// Compares, and returns the measures beside the counts.
pub fn run(task: &Compare) -> Result<(Counts, Summary)> {
    let summary_file = task.summary.as_deref().map(SummaryFile::create).transpose()?;
    let mut report = Report {
        out: Output::create(&task.out)?,
        names: task.id_file.as_deref().map(Ids::read).transpose()?,
        evaluation: Evaluation::new(task.settings),
        pairs: 0,
        documents: 0,
    };
    if task.all_pairs {
        compare_whole(task, &mut report)?;
    } else {
        compare_in_step(task, &mut report)?;
    }
    let summary = report.evaluation.summary();
    let counts = Counts {
        read: (report.documents, "documents"),
        skipped: (0, ""),
        written: (report.pairs, "compared pairs"),
        unreadable: 0,
    };
    // Both are complete before either has its name.
    let comparison = report.finish(&summary)?;
    let measures = summary_file.map(|file| file.finish(&summary)).transpose()?;
    comparison.publish()?;
    measures.map(Part::publish).transpose()?;
    Ok((counts, summary))
}

fn compare_in_step(task: &Compare, report: &mut Report) -> Result<()> {
    let (mut sims, mut hams) = (Results::open(&task.sim)?, Results::open(&task.ham)?);
    loop {
        match (sims.next_row()?, hams.next_row()?) {
            (None, None) => return Ok(()),
            (Some(sim), Some(ham)) if sim.head.first() == ham.head.first() => {
                report.add(sim.head.first(), Some(&sim), Some(&ham))?;
            }
            (sim, ham) => return Err(different_samples(task, sim.as_ref(), ham.as_ref())),
        }
    }
}

/// First the documents of the reference, in its order, then those that only the approximation has, in its own.
fn compare_whole(task: &Compare, report: &mut Report) -> Result<()> {
    let (mut heads, mut hams) = lookup::open(&task.ham, &task.out)?;
    let mut sims = Results::open(&task.sim)?;
    while let Some(sim) = sims.next_row()? {
        for document in &sim.head.0 {
            let line = heads.ask(document);
            let line = line.ok_or_else(|| lookup::twice(&task.sim, sim.number, document))?;
            let ham = line.map(|line| hams.row(line)).transpose()?;
            ham.iter().try_for_each(|ham| lookup::Text::check(ham, &task.ham, document))?;
            report.add(document, Some(&sim), ham.as_ref())?;
        }
    }
    for line in heads.lines_left() {
        let ham = hams.row(line)?;
        for document in ham.head.0.iter().filter(|document| !heads.was_asked(document)) {
            report.add(document, None, Some(&ham))?;
        }
    }
    Ok(())
}

fn different_samples(task: &Compare, sim: Option<&Row<'_>>, ham: Option<&Row<'_>>) -> Error {
    let side = |path: &Path, row: Option<&Row<'_>>| match row {
        Some(row) => format!("{}:{} is about '{}'", path.display(), row.number, row.head.first()),
        None => format!("{} has ended", path.display()),
    };
    Error::Message(format!(
        "the two results do not come from the same sample_list: {}, {} (results made without sample_list need all_pairs)",
        side(&task.sim, sim),
        side(&task.ham, ham)
    ))
}

/// Which of the two results says something.
#[derive(Clone, Copy)]
enum Side {
    Sim,
    Ham,
}

/// The similarities of one document to others, in the order in which they were met.
#[derive(Default)]
struct Block<'a> {
    others: Vec<&'a str>,
    values: Vec<Compared>,
    positions: FxHashMap<&'a str, usize>,
}

impl<'a> Block<'a> {
    fn put(&mut self, side: Side, matches: impl Iterator<Item = (&'a str, f64)>) {
        for (other, similarity) in matches {
            let position = *self.positions.entry(other).or_insert_with(|| {
                self.others.push(other);
                self.values.push(Compared { sim: None, ham: None });
                self.values.len() - 1
            });
            let value = &mut self.values[position];
            match side {
                Side::Sim => value.sim = Some(similarity),
                Side::Ham => value.ham = Some(similarity),
            }
        }
    }
}

/// The names of a numbered collection.
struct Ids {
    path: PathBuf,
    names: FxHashMap<String, String>,
}

impl Ids {
    fn read(path: &Path) -> Result<Self> {
        Ok(Ids { path: path.to_path_buf(), names: ids::read(path)? })
    }

    fn name(&self, id: &str) -> Result<&str> {
        let unknown =
            || Error::Message(format!("{}: has no document numbered '{id}'", self.path.display()));
        self.names.get(id).map(|name| &**name).ok_or_else(unknown)
    }
}

/// The comparison as it is written.
struct Report {
    out: Output,
    names: Option<Ids>,
    evaluation: Evaluation,
    pairs: u64,
    documents: u64,
}

impl Report {
    /// Adds a document: what the two results say about it.
    fn add(&mut self, document: &str, sim: Option<&Row<'_>>, ham: Option<&Row<'_>>) -> Result<()> {
        let mut block = Block::default();
        block.put(Side::Sim, sim.into_iter().flat_map(|row| row.said_of(document)));
        block.put(Side::Ham, ham.into_iter().flat_map(|row| row.said_of(document)));
        self.write(document, &block)?;
        self.evaluation.add_document(&block.values);
        self.pairs += block.values.len() as u64;
        self.documents += 1;
        Ok(())
    }

    fn write(&mut self, document: &str, block: &Block<'_>) -> Result<()> {
        let mut lines = format!("Results for {}:\n", name(&self.names, document)?);
        for (other, Compared { sim, ham }) in block.others.iter().zip(&block.values) {
            lines.push_str(name(&self.names, other)?);
            for value in [sim, ham] {
                match value {
                    Some(value) => write!(lines, " {value}").expect("memory takes what is written"),
                    None => lines.push_str(NOTHING),
                }
            }
            lines.push('\n');
        }
        self.out.write(lines.as_bytes())
    }

    fn finish(mut self, summary: &Summary) -> Result<Part> {
        self.out.write(b"\nSummary:\n")?;
        for (measure, value) in &summary.0 {
            let value = match value {
                Value::Number(Some(number)) => format!("{number:.6}"),
                other => text(*other),
            };
            self.out.write(format!("{measure} {value}\n").as_bytes())?;
        }
        self.out.close()
    }
}

/// What is written where a result does not say anything about a pair.
const NOTHING: &str = " -";

fn name<'a>(names: &'a Option<Ids>, id: &'a str) -> Result<&'a str> {
    names.as_ref().map_or(Ok(id), |ids| ids.name(id))
}
