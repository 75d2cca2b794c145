//! What experiments measure.

mod approximation;
mod compared;
mod density;
mod planes;
mod pleb;
mod timing;
mod vocabulary;

use std::path::Path;

use super::keys::{Configuration, Key};
use super::stages::{
    Folders, Stages, sample_command, sample_list, sig_paths, signing, to_vectors, vec_paths,
};
use super::step::{Searched, Step, quoted};
use crate::error::Result;
use crate::evaluate::{Summary, Value};
use crate::search::Percent;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// How well Hamming similarities approximate cosines: L1, L2, S, P, R, F1.
    Approximation,
    /// How much a reduced vocabulary changes cosines.
    Vocabulary,
    /// The share of pairs that PLEB finds.
    Pleb,
    /// The share of documents on one side of each random hyperplane.
    Planes,
    /// How often each cosine goes with each Hamming similarity.
    Density,
    /// How long a stage takes.
    Timing,
}

/// Where rows go: called with each configuration's values, in the order of the batch.
pub type Sink<'a> = dyn FnMut(&Configuration, Vec<String>) -> Result<()> + 'a;

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 6] = [
        Measure::Approximation,
        Measure::Vocabulary,
        Measure::Pleb,
        Measure::Planes,
        Measure::Density,
        Measure::Timing,
    ];

    /// How it is spelled.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Approximation => "approximation",
            Measure::Vocabulary => "vocabulary",
            Measure::Pleb => "pleb",
            Measure::Planes => "planes",
            Measure::Density => "density",
            Measure::Timing => "timing",
        }
    }

    /// The measure of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Measure::ALL.into_iter().find(|measure| measure.name() == name)
    }

    /// What a configuration of it says, in order.
    pub fn keys(self) -> &'static [Key] {
        use Key::*;
        match self {
            Measure::Approximation => {
                &[Collection, Weighting, MinDf, Sample, RndSeed, SigLen, ThresholdSim, ThresholdHam]
            }
            Measure::Vocabulary => &[Collection, Weighting, MinDf, Sample, ThresholdSim],
            Measure::Pleb => &[
                Collection, Weighting, MinDf, RndSeed, SigLen, Threshold, Beam, ShiftCount,
                IterCount,
            ],
            Measure::Planes => &[Collection, Weighting, MinDf, RndSeed, SigLen],
            Measure::Density => &[Collection, Weighting, MinDf, Sample, RndSeed, SigLen],
            Measure::Timing => &[
                Collection, Weighting, MinDf, RndSeed, SigLen, Threshold, Method, Beam, ShiftCount,
                IterCount,
            ],
        }
    }

    /// Whether a grid may say nothing of a key.
    pub fn may_lack(self, key: Key) -> bool {
        self == Measure::Timing && Key::OF_PLEB.contains(&key)
    }

    /// The columns of its results.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Measure::Approximation => &approximation::COLUMNS,
            Measure::Vocabulary => &vocabulary::COLUMNS,
            Measure::Pleb => &pleb::COLUMNS,
            Measure::Planes => &planes::COLUMNS,
            Measure::Density => &density::COLUMNS,
            Measure::Timing => &timing::COLUMNS,
        }
    }

    /// Whether two configurations share so much that they are measured together.
    pub fn together(self, one: &Configuration, other: &Configuration) -> bool {
        use Key::*;
        let shared: &[Key] = match self {
            Measure::Approximation => &[Collection, Weighting, MinDf, Sample, RndSeed],
            Measure::Pleb => &[Collection, Weighting, MinDf, RndSeed, SigLen, Threshold],
            Measure::Vocabulary | Measure::Planes | Measure::Density | Measure::Timing => {
                return false;
            }
        };
        shared.iter().all(|key| one.text(*key) == other.text(*key))
    }

    /// The command lines that give a configuration's numbers.
    pub fn commands(self, configuration: &Configuration, folders: &Folders) -> Vec<String> {
        let script = Script { configuration, folders };
        match self {
            Measure::Approximation => approximation::commands(&script),
            Measure::Vocabulary => vocabulary::commands(&script),
            Measure::Pleb => pleb::commands(&script),
            Measure::Planes => planes::commands(&script),
            Measure::Density => density::commands(&script),
            Measure::Timing => timing::commands(&script),
        }
    }
}

/// What is at hand to measure with.
pub struct Bench<'a> {
    /// The files of the chain.
    pub stages: &'a Stages<'a>,
    /// The table; what does not fit into a row has files beside it.
    pub table: &'a Path,
}

impl Bench<'_> {
    /// Measures configurations that are measured together, and tells `sink` each in turn.
    pub fn run(
        &self,
        measure: Measure,
        batch: &[Configuration],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        match measure {
            Measure::Approximation => approximation::run(self, batch, sink),
            Measure::Vocabulary => {
                batch.iter().try_for_each(|one| sink(one, vocabulary::run(self, one)?))
            }
            Measure::Pleb => pleb::run(self, batch, sink),
            Measure::Planes => batch.iter().try_for_each(|one| sink(one, planes::run(self, one)?)),
            Measure::Density => {
                batch.iter().try_for_each(|one| sink(one, density::run(self, one)?))
            }
            Measure::Timing => batch.iter().try_for_each(|one| sink(one, timing::run(self, one)?)),
        }
    }
}

/// A number as tables hold it.
fn number(value: f64) -> String {
    format!("{value:.6}")
}

/// A measure of a summary as tables hold it; nothing where it has no value.
fn cell(summary: &Summary, name: &str) -> String {
    match summary.get(name) {
        Some(Value::Count(count)) => count.to_string(),
        Some(Value::Number(Some(value))) => number(value),
        Some(Value::Number(None)) | None => String::new(),
    }
}

/// The command lines of a configuration.
struct Script<'a> {
    configuration: &'a Configuration,
    folders: &'a Folders,
}

impl Script<'_> {
    fn to_vectors(&self) -> Vec<String> {
        let folder = self.folders.work.join(self.configuration.collection());
        let steps = to_vectors(self.folders, self.configuration);
        let mut lines =
            vec![format!("mkdir -p {} {}", quoted(&self.folders.collections), quoted(&folder))];
        lines.extend(steps.iter().map(|made| made.step.command()));
        lines
    }

    /// To signatures; returns their list too.
    fn to_signatures(&self) -> (Vec<String>, std::path::PathBuf) {
        let mut lines = self.to_vectors();
        let bits = self.configuration.bits();
        lines.push(signing(self.folders, self.configuration, bits).command());
        (lines, sig_paths(self.folders, self.configuration, bits))
    }

    /// To the sample's results of `similarity` and `hamming_full`, of all documents.
    fn to_results(&self) -> (Vec<String>, Searched, Searched) {
        let (mut lines, sig_paths) = self.to_signatures();
        let (collection, size) = (self.configuration.collection(), self.configuration.sample());
        lines.push(sample_command(self.folders, collection, size));
        let sample = Some(sample_list(self.folders, collection, size));
        let vectors = vec_paths(self.folders, self.configuration);
        let searched = |paths: std::path::PathBuf, ending: &str| Searched {
            out: crate::files::output::with_suffix(&paths, ending),
            paths,
            threshold: Percent::default(),
            sample: sample.clone(),
        };
        let sim = searched(vectors, &format!(".sim-{size}"));
        let ham = searched(sig_paths, &format!(".ham-{size}"));
        lines.push(Step::Similarity(sim.clone()).command());
        lines.push(Step::HammingFull(ham.clone()).command());
        (lines, sim, ham)
    }
}
