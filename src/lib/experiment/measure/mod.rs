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

/// Receives the values of each configuration, in the order of the batch.
pub type Sink<'a> = dyn FnMut(&Configuration, Vec<String>) -> Result<()> + 'a;

impl Measurement {
    /// Returns the name of the measurement.
    pub fn name(self) -> String {
        name_of(&self)
    }

    /// Returns the measurement of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Measurement::from_str(name, false).ok()
    }

    /// Returns the keys of its configurations, in order.
    pub fn keys(self) -> &'static [GridKey] {
        use GridKey::*;
        match self {
            Measurement::Approximation => {
                &[Collection, Weighting, MinDf, Sample, RndSeed, SigLen, ThresholdSim, ThresholdHam]
            }
            Measurement::Vocabulary => &[Collection, Weighting, MinDf, Sample, ThresholdSim],
            Measurement::Pleb => &[
                Collection, Weighting, MinDf, RndSeed, SigLen, Threshold, Beam, ShiftCount,
                IterCount,
            ],
            Measurement::Planes => &[Collection, Weighting, MinDf, RndSeed, SigLen],
            Measurement::Density => &[Collection, Weighting, MinDf, Sample, RndSeed, SigLen],
            Measurement::Timing => &[
                Collection, Weighting, MinDf, RndSeed, SigLen, Threshold, Method, Beam, ShiftCount,
                IterCount,
            ],
        }
    }

    /// Returns whether a grid may omit a key.
    pub fn may_omit(self, key: GridKey) -> bool {
        self == Measurement::Timing && GridKey::OF_PLEB.contains(&key)
    }

    /// Returns the columns of its results.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Measurement::Approximation => &approximation::COLUMNS,
            Measurement::Vocabulary => &vocabulary::COLUMNS,
            Measurement::Pleb => &pleb::COLUMNS,
            Measurement::Planes => &planes::COLUMNS,
            Measurement::Density => &density::COLUMNS,
            Measurement::Timing => &timing::COLUMNS,
        }
    }

    /// Returns whether two configurations share enough work to be measured together.
    pub fn together(self, one: &Configuration, other: &Configuration) -> bool {
        use GridKey::*;
        let shared: &[GridKey] = match self {
            Measurement::Approximation => &[Collection, Weighting, MinDf, Sample, RndSeed],
            Measurement::Pleb => &[Collection, Weighting, MinDf, RndSeed, SigLen, Threshold],
            Measurement::Vocabulary
            | Measurement::Planes
            | Measurement::Density
            | Measurement::Timing => {
                return false;
            }
        };
        shared.iter().all(|key| one.text(*key) == other.text(*key))
    }

    /// Returns the command lines that give a configuration's numbers.
    pub fn commands(self, configuration: &Configuration, folders: &Folders) -> Vec<String> {
        let pipeline = Pipeline { configuration, folders };
        match self {
            Measurement::Approximation => approximation::commands(&pipeline),
            Measurement::Vocabulary => vocabulary::commands(&pipeline),
            Measurement::Pleb => pleb::commands(&pipeline),
            Measurement::Planes => planes::commands(&pipeline),
            Measurement::Density => density::commands(&pipeline),
            Measurement::Timing => timing::commands(&pipeline),
        }
    }
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

impl<'a> Bench<'a> {
    /// Returns the pipeline of a configuration.
    fn pipeline(&self, configuration: &'a Configuration) -> Pipeline<'a> {
        Pipeline { folders: self.folders, configuration }
    }

    /// Measures a batch of configurations and passes the values of each to `sink`.
    pub fn run(
        &self,
        measurement: Measurement,
        batch: &'a [Configuration],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        match measurement {
            Measurement::Approximation => approximation::run(self, batch, sink),
            Measurement::Vocabulary => {
                batch.iter().try_for_each(|one| sink(one, vocabulary::run(self, one)?))
            }
            Measurement::Pleb => pleb::run(self, batch, sink),
            Measurement::Planes => {
                batch.iter().try_for_each(|one| sink(one, planes::run(self, one)?))
            }
            Measurement::Density => {
                batch.iter().try_for_each(|one| sink(one, density::run(self, one)?))
            }
            Measurement::Timing => {
                batch.iter().try_for_each(|one| sink(one, timing::run(self, one)?))
            }
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
