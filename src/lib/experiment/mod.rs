//! Sweeps as data: an experiment names collections, weightings, signature lengths, thresholds and PLEB settings as lists, and every combination
//! becomes a row of a table.
//!
//! [`Experiment`] reads `experiment.toml`; [`run`] measures what the table does not have yet, one row after the other in the plan's order, so that a run
//! that was killed and started again ends with the same table; [`commands`] shows the command lines of the chain that give the same numbers. What
//! configurations share (vectors, the sample, the longest signatures: a shorter one is the beginning of a longer one) is made once.

mod keys;
mod measure;
mod plan;
mod reading;
mod stages;
mod step;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

pub use keys::{Configuration, HammingThreshold, Key, METHODS};
pub use measure::Measure;
pub use plan::Experiment;
pub use stages::Folders;

use crate::chain::Counts;
use crate::error::{Error, Result};
use crate::files::output::with_suffix;
use crate::session::Session;
use stages::Stages;
use table::Table;

/// Where an experiment's files are.
#[derive(Debug, Clone)]
pub struct Places {
    /// Collections, and what is made of them.
    pub folders: Folders,
    /// What the names of the tables begin with; `-MEASURE.csv` follows.
    pub tables: PathBuf,
}

/// What the names of an experiment's tables begin with: its own name, and whether they are of its small version.
pub fn tables(folder: &Path, name: &str, small: bool) -> PathBuf {
    folder.join(format!("{name}{}", if small { "-small" } else { "" }))
}

/// The table of a measure, of tables that begin so.
pub fn table_path(tables: &Path, measure: Measure) -> PathBuf {
    with_suffix(tables, &format!("-{}.csv", measure.name()))
}

/// What is left to do for one table.
struct Work {
    measure: Measure,
    path: PathBuf,
    table: Table,
    planned: usize,
    missing: Vec<Configuration>,
}

/// Measures every configuration that the tables do not have yet.
pub fn run(experiment: &Experiment, places: &Places, session: &Session) -> Result<Counts> {
    let folders = &places.folders;
    let shown = folders.collections.display().to_string();
    experiment.check_collections(|name| folders.has(name), &shown)?;
    make_folder(places.tables.parent())?;
    let open = |measure| Work::open(experiment, places, measure);
    let works = experiment.measures().into_iter().map(open).collect::<Result<Vec<Work>>>()?;
    works.iter().for_each(|work| work.tell_of_changes(experiment, folders, session));
    let planned: usize = works.iter().map(|work| work.planned).sum();
    let missing: usize = works.iter().map(|work| work.missing.len()).sum();
    session.phase(&experiment.name, Some(missing as u64));
    for work in works {
        work.finish(folders, session)?;
    }
    Ok(Counts {
        read: (planned as u64, "configurations"),
        skipped: ((planned - missing) as u64, "that were there already"),
        written: (missing as u64, "rows"),
        unreadable: 0,
    })
}

impl Work {
    fn open(experiment: &Experiment, places: &Places, measure: Measure) -> Result<Self> {
        let planned = experiment.configurations(measure);
        let path = table_path(&places.tables, measure);
        let table = Table::open(&path, measure, &planned)?;
        let is_missing = |configuration: &&Configuration| !table.has(configuration);
        let missing = planned.iter().filter(is_missing).cloned().collect();
        Ok(Work { measure, path, planned: planned.len(), missing, table })
    }

    /// Tells of collections that changed after rows were written. Whether these are still right, nobody but the user can know.
    fn tell_of_changes(&self, experiment: &Experiment, folders: &Folders, session: &Session) {
        let planned = experiment.configurations(self.measure);
        let mut told = FxHashSet::default();
        for collection in planned.iter().map(|one| folders.path(one.collection())) {
            if self.table.is_older_than(&collection) && told.insert(collection.clone()) {
                let (table, collection) = (self.path.display(), collection.display());
                session.info(&format!(
                    "{collection} has changed since rows of {table} were written: remove the table to measure anew"
                ));
            }
        }
    }

    fn finish(mut self, folders: &Folders, session: &Session) -> Result<()> {
        // Stages have progress of their own, which would hide that of the whole.
        let stages = Stages { folders, session: &Session::silent() };
        let bench = measure::Bench { stages: &stages, table: &self.path };
        for batch in self.missing.chunk_by(|one, next| self.measure.together(one, next)) {
            let _held = folders.hold(batch[0].collection())?;
            bench.run(self.measure, batch, &mut |configuration, values| {
                self.table.append(configuration, values)?;
                session.detail(&configuration.to_string());
                session.advance(1);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The command lines that give each configuration's numbers, with a line that says which; what was said before is not said again.
pub fn commands(experiment: &Experiment, folders: &Folders) -> Vec<String> {
    let (mut lines, mut said) = (Vec::new(), FxHashSet::default());
    for measure in experiment.measures() {
        for configuration in experiment.configurations(measure) {
            lines.push(format!("# {}: {configuration}", measure.name()));
            let commands = measure.commands(&configuration, folders);
            lines.extend(commands.into_iter().filter(|command| said.insert(command.clone())));
        }
    }
    lines
}

fn make_folder(folder: Option<&Path>) -> Result<()> {
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = folder else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))
}
