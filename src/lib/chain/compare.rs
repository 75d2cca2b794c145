//! `compare_results`: two results side by side, and how well the one approximates the other.
//!
//! Both results must come from the same sample: their lines are then about the same documents in the same order, and are read in step, in memory
//! that does not grow. Results of whole collections have lines only for documents with matches, so they are read completely.

use std::hash::Hash;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::Counts;
use crate::error::{Error, Result};
use crate::evaluate::{Compared, Evaluation, Settings, Summary, Value};
use crate::files::ids;
use crate::files::output::{Output, Part};
use crate::files::result::{Group, Results, Row};
use crate::files::summary::{SummaryFile, text};

/// What to compare and where to write.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The reference: a result of `similarity`.
    pub sim: PathBuf,
    /// Its approximation: a result of `hamming` or `hamming_full`.
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
                let mut block = Block::default();
                block.put(Side::Sim, expanded(&sim, sim.head.first()));
                block.put(Side::Ham, expanded(&ham, ham.head.first()));
                report.add(sim.head.first(), &block.others, &block.values)?;
            }
            (sim, ham) => return Err(different_samples(task, sim.as_ref(), ham.as_ref())),
        }
    }
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
struct Block<K> {
    others: Vec<K>,
    values: Vec<Compared>,
    positions: FxHashMap<K, usize>,
}

impl<K: Copy + Eq + Hash> Block<K> {
    fn put(&mut self, side: Side, matches: impl Iterator<Item = (K, f64)>) {
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

/// Everything a line says about one document of its head: the others of its group at 100, and every document of every match.
fn expanded<'a>(row: &'a Row<'_>, document: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
    let members = |group: &'a Group<'_>| group.0.iter().map(|name| &**name);
    let mates = members(&row.head).filter(move |name| *name != document).map(|name| (name, 100.0));
    let others = row
        .matches
        .iter()
        .flat_map(move |(group, value)| members(group).map(|name| (name, *value)));
    mates.chain(others)
}

/// A whole result by document.
#[derive(Default)]
struct Whole {
    /// Documents in the order of their lines.
    order: Vec<u32>,
    matches: FxHashMap<u32, Vec<(u32, f64)>>,
}

fn compare_whole(task: &Compare, report: &mut Report) -> Result<()> {
    let mut names = Interned::default();
    let sims = Whole::read(&task.sim, &mut names)?;
    let hams = Whole::read(&task.ham, &mut names)?;
    let only_ham = hams.order.iter().filter(|document| !sims.matches.contains_key(document));
    for document in sims.order.iter().chain(only_ham) {
        let mut block = Block::default();
        block.put(Side::Sim, sims.of(*document));
        block.put(Side::Ham, hams.of(*document));
        let others: Vec<&str> = block.others.iter().map(|other| names.name(*other)).collect();
        report.add(names.name(*document), &others, &block.values)?;
    }
    Ok(())
}

impl Whole {
    fn read(path: &Path, names: &mut Interned) -> Result<Self> {
        let mut whole = Whole::default();
        let mut results = Results::open(path)?;
        while let Some(row) = results.next_row()? {
            for document in &row.head.0 {
                let matches =
                    expanded(&row, document).map(|(name, value)| (names.number(name), value));
                let matches = matches.collect();
                let number = names.number(document);
                whole.order.push(number);
                if whole.matches.insert(number, matches).is_some() {
                    let path = path.display();
                    let line = row.number;
                    return Err(Error::Message(format!(
                        "{path}:{line}: '{document}' has a line already"
                    )));
                }
            }
        }
        Ok(whole)
    }

    fn of(&self, document: u32) -> impl Iterator<Item = (u32, f64)> {
        self.matches.get(&document).into_iter().flatten().copied()
    }
}

/// Names by number, each held once.
#[derive(Default)]
struct Interned {
    numbers: FxHashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

impl Interned {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.into(), number);
        self.names.push(name.into());
        number
    }

    fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
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
    fn add(&mut self, document: &str, others: &[&str], values: &[Compared]) -> Result<()> {
        self.out.write(format!("Results for {}:\n", name(&self.names, document)?).as_bytes())?;
        for (other, Compared { sim, ham }) in others.iter().zip(values) {
            let (sim, ham) = (text(Value::Number(*sim)), text(Value::Number(*ham)));
            let line = format!("{} {sim} {ham}\n", name(&self.names, other)?);
            self.out.write(line.as_bytes())?;
        }
        self.evaluation.add_document(values);
        self.pairs += values.len() as u64;
        self.documents += 1;
        Ok(())
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

fn name<'a>(names: &'a Option<Ids>, id: &'a str) -> Result<&'a str> {
    names.as_ref().map_or(Ok(id), |ids| ids.name(id))
}
