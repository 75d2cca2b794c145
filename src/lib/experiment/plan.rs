//! The plan of an experiment: measurements and their configurations.

use std::path::PathBuf;

use super::keys::{Configuration, GridKey};
use super::measure::Measurement;
use crate::error::{Error, Result};

/// The measurements of an experiment and their configurations.
#[derive(Debug, Clone)]
pub struct ExperimentPlan {
    /// The name of the experiment's folder.
    pub name: String,
    pub(super) grids: Vec<Grid>,
    pub(super) path: PathBuf,
}

/// Lists of values by key. Every combination is a configuration.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    pub(super) measurement: Measurement,
    pub(super) lists: Lists,
    /// The first line in the file.
    pub(super) line: u64,
}

/// Values by key.
pub(super) type Lists = Vec<(GridKey, Vec<GridValue>)>;

/// A value as written, and its line.
#[derive(Debug, Clone)]
pub(super) struct GridValue {
    pub(super) text: String,
    pub(super) line: u64,
}

impl ExperimentPlan {
    /// Returns the distinct measurements in the order of the grids.
    pub fn measurements(&self) -> Vec<Measurement> {
        let mut all: Vec<Measurement> = Vec::new();
        for grid in &self.grids {
            if !all.contains(&grid.measurement) {
                all.push(grid.measurement);
            }
        }
        all
    }

    /// Returns the distinct configurations of a measurement in the order of the grids.
    pub fn configurations(&self, measurement: Measurement) -> Vec<Configuration> {
        let mut all: Vec<Configuration> = Vec::new();
        for grid in self.grids.iter().filter(|grid| grid.measurement == measurement) {
            for configuration in grid.configurations() {
                if !all.contains(&configuration) {
                    all.push(configuration);
                }
            }
        }
        all
    }

    /// Fails at the first collection that does not exist in `folder`.
    pub fn check_collections(&self, exists: impl Fn(&str) -> bool, folder: &str) -> Result<()> {
        let mut values = self.grids.iter().flat_map(|grid| grid.values(GridKey::Collection));
        let Some(missing) = values.find(|value| !exists(&value.text)) else { return Ok(()) };
        Err(Error::Parse {
            path: self.path.clone(),
            line: missing.line,
            expected: format!("for collection the name of one in {folder}"),
            found: format!("'{}'", missing.text),
        })
    }
}

impl Grid {
    pub(super) fn values(&self, key: GridKey) -> &[GridValue] {
        values(&self.lists, key)
    }

    /// Returns the combinations of the values; the last key changes fastest. A key without values is empty.
    fn configurations(&self) -> Vec<Configuration> {
        let mut all = vec![Configuration(Vec::new())];
        for key in self.measurement.keys() {
            let texts: Vec<&str> = match self.values(*key) {
                [] => vec![""],
                values => values.iter().map(|value| &*value.text).collect(),
            };
            let with = |one: &Configuration, text: &str| {
                let mut extended = one.clone();
                extended.0.push((*key, text.to_string()));
                extended
            };
            all = all
                .iter()
                .flat_map(|one| texts.iter().map(|text| with(one, text)).collect::<Vec<_>>())
                .collect();
        }
        all
    }

    /// Replaces the values of this grid's keys by others where there are any.
    pub(super) fn replace_with(&mut self, others: &Lists) {
        for (key, own) in &mut self.lists {
            if let [_, ..] = values(others, *key) {
                *own = values(others, *key).to_vec();
            }
        }
    }
}

/// Returns the values of a key, if there are any.
fn values(lists: &Lists, key: GridKey) -> &[GridValue] {
    lists.iter().find(|(of, _)| *of == key).map_or(&[], |(_, values)| values)
}
