//! An experiment: what is measured, in which configurations.

use std::path::PathBuf;

use super::keys::{Configuration, Key};
use super::measure::Measure;
use crate::error::{Error, Result};

/// An experiment: what is measured, in which configurations.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Its name: that of its folder.
    pub name: String,
    /// What it is about, in a line.
    pub title: String,
    /// The tables and figures of the thesis that it repeats.
    pub tables: Vec<String>,
    pub(super) grids: Vec<Grid>,
    pub(super) path: PathBuf,
}

/// Lists of values by key; every combination is a configuration.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    pub(super) measure: Measure,
    pub(super) lists: Lists,
    /// Where it begins.
    pub(super) line: u64,
}

/// Values by key.
pub(super) type Lists = Vec<(Key, Vec<Written>)>;

/// A value as it was written, and in which line.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) line: u64,
}

impl Experiment {
    /// What is measured, each once, in the order of the grids.
    pub fn measures(&self) -> Vec<Measure> {
        let mut measures: Vec<Measure> = Vec::new();
        for grid in &self.grids {
            if !measures.contains(&grid.measure) {
                measures.push(grid.measure);
            }
        }
        measures
    }

    /// All configurations of a measure, those of the first grid first; one that stands in two grids once.
    pub fn configurations(&self, measure: Measure) -> Vec<Configuration> {
        let mut all: Vec<Configuration> = Vec::new();
        for grid in self.grids.iter().filter(|grid| grid.measure == measure) {
            for configuration in grid.configurations() {
                if !all.contains(&configuration) {
                    all.push(configuration);
                }
            }
        }
        all
    }

    /// Checks every collection; the first that `exists` denies is an error with its place.
    pub fn check_collections(&self, exists: impl Fn(&str) -> bool, where_: &str) -> Result<()> {
        let mut values = self.grids.iter().flat_map(|grid| grid.values(Key::Collection));
        let Some(missing) = values.find(|value| !exists(&value.text)) else { return Ok(()) };
        Err(Error::Parse {
            path: self.path.clone(),
            line: missing.line,
            expected: format!("for collection one that is in {where_}"),
            found: format!("'{}'", missing.text),
        })
    }
}

impl Grid {
    pub(super) fn values(&self, key: Key) -> &[Written] {
        values(&self.lists, key)
    }

    /// The combinations of the values, the last key's changing first. A key without values stands with none.
    fn configurations(&self) -> Vec<Configuration> {
        let mut all = vec![Configuration(Vec::new())];
        for key in self.measure.keys() {
            let texts: Vec<&str> = match self.values(*key) {
                [] => vec![""],
                values => values.iter().map(|value| &*value.text).collect(),
            };
            let with = |one: &Configuration, text: &str| {
                let mut more = one.clone();
                more.0.push((*key, text.to_string()));
                more
            };
            all = all
                .iter()
                .flat_map(|one| texts.iter().map(|text| with(one, text)).collect::<Vec<_>>())
                .collect();
        }
        all
    }

    /// Takes other values where there are some for a key that this grid has.
    pub(super) fn replace_with(&mut self, others: &Lists) {
        for (key, own) in &mut self.lists {
            if let [_, ..] = values(others, *key) {
                *own = values(others, *key).to_vec();
            }
        }
    }
}

/// The values of a key, if there are any.
fn values(lists: &Lists, key: Key) -> &[Written] {
    lists.iter().find(|(of, _)| *of == key).map_or(&[], |(_, values)| values)
}
