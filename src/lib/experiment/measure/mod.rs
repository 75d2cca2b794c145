//! Measurements of experiments.

mod approximation;
mod compared;
mod density;
mod planes;
mod pleb;
mod timing;
mod vocabulary;

use std::path::Path;

use clap::ValueEnum;

use super::keys::{Configuration, GridKey, name_of};
use super::pipeline::{Folders, Pipeline};
use crate::error::Result;
use crate::evaluate::{MeasureValue, Measures};
use crate::session::Session;

/// A measurement; each has a table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Measurement {
    /// Error of Hamming similarities as approximations of cosines: L1, L2, S, P, R, F1.
    Approximation,
    /// Change of cosines by a reduced vocabulary.
    Vocabulary,
    /// Share of pairs that PLEB finds.
    Pleb,
    /// Share of documents on the positive side of each hyperplane.
    Planes,
    /// Joint frequencies of cosines and Hamming similarities.
    Density,
    /// Time of a stage.
    Timing,
}

/// The parts of a measurement.
pub struct MeasurementParts {
    /// The keys of its configurations, in order.
    pub keys: &'static [GridKey],
    /// The columns of its results, as a line of CSV.
    pub columns: &'static str,
    /// Its work.
    run: Run,
    /// Returns the command lines that give a configuration's numbers.
    pub commands: fn(&Pipeline<'_>) -> Vec<String>,
}

/// The work of a measurement. Cells missing at the end of a row are empty.
enum Run {
    /// Returns the cells of a configuration.
    Alone(fn(&Bench<'_>, &Configuration) -> Result<Vec<String>>),
    /// Measures configurations with the same values of these keys together, because they share work.
    Together(&'static [GridKey], fn(&Bench<'_>, &[Configuration], &mut Sink<'_>) -> Result<()>),
}

/// Receives the cells of each configuration, in the order of the batch.
pub type Sink<'a> = dyn FnMut(&Configuration, Vec<String>) -> Result<()> + 'a;

impl Measurement {
    /// Returns the name of the measurement.
    pub fn name(self) -> String {
        name_of(&self)
    }

    /// Returns the parts of the measurement.
    pub fn parts(self) -> &'static MeasurementParts {
        match self {
            Measurement::Approximation => &approximation::PARTS,
            Measurement::Vocabulary => &vocabulary::PARTS,
            Measurement::Pleb => &pleb::PARTS,
            Measurement::Planes => &planes::PARTS,
            Measurement::Density => &density::PARTS,
            Measurement::Timing => &timing::PARTS,
        }
    }

    /// Returns whether a grid may omit a key.
    pub fn may_omit(self, key: GridKey) -> bool {
        self == Measurement::Timing && GridKey::OF_PLEB.contains(&key)
    }

    /// Returns whether two configurations are measured together.
    pub fn together(self, one: &Configuration, other: &Configuration) -> bool {
        match self.parts().run {
            Run::Alone(_) => false,
            Run::Together(shared, _) => have_same(shared, one, other),
        }
    }
}

/// Returns whether two configurations have the same values of these keys.
fn have_same(keys: &[GridKey], one: &Configuration, other: &Configuration) -> bool {
    keys.iter().all(|key| one.text(*key) == other.text(*key))
}

/// The environment of a measurement.
pub struct Bench<'a> {
    /// The folders of the pipeline's files.
    pub folders: &'a Folders,
    /// The session of the stages.
    pub session: &'a Session,
    /// The table. Data that do not fit into a row are written next to it.
    pub table: &'a Path,
}

impl Bench<'_> {
    /// Returns the pipeline of a configuration.
    fn pipeline<'a>(&'a self, configuration: &'a Configuration) -> Pipeline<'a> {
        Pipeline { folders: self.folders, configuration }
    }

    /// Measures a batch of configurations and passes the cells of each to `sink`.
    pub fn run(
        &self,
        measurement: Measurement,
        batch: &[Configuration],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        match measurement.parts().run {
            Run::Alone(run) => batch.iter().try_for_each(|one| sink(one, run(self, one)?)),
            Run::Together(_, run) => run(self, batch, sink),
        }
    }
}

/// Formats a number for a table.
fn number(value: f64) -> String {
    format!("{value:.6}")
}

/// Formats a value of a summary for a table, empty if there is none.
fn cell(summary: &Measures, name: &str) -> String {
    match summary.get(name) {
        Some(MeasureValue::Count(count)) => count.to_string(),
        Some(MeasureValue::Number(Some(value))) => number(value),
        Some(MeasureValue::Number(None)) | None => String::new(),
    }
}
