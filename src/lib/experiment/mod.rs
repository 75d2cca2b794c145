//! `run_experiment`: parameter grids as data.
//!
//! An experiment lists collections, weightings, signature lengths, thresholds and PLEB settings; every combination is one row of a table.
//! [`ExperimentPlan`] reads `experiment.toml`. [`RunExperiment`] measures the rows that a table lacks, in the order of the plan, so an
//! interrupted run ends with the same table when repeated. Configurations share vectors, the sample and the longest signatures: a shorter
//! signature is a prefix of a longer one.

mod keys;
mod measure;
mod pipeline;
mod plan;
mod sample;
mod shards;
mod table;

use std::path::PathBuf;

use clap::Parser;
use rustc_hash::FxHashSet;
use serde::Serialize;

pub use keys::{Configuration, GridKey, HammingThreshold};
pub use measure::Measurement;
pub use pipeline::Folders;
pub use plan::ExperimentPlan;

use crate::error::{Error, Result};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::disk;
use crate::files::output::Output;
use crate::session::Session;
use crate::shard::Shard;
use pipeline::Pipeline;
use table::ResultTable;

/// Measures every combination of the settings that an experiment lists, one row of a table each. Rows are written after every run; rows that
/// exist are not measured again, so an interrupted run can be resumed
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "run_experiment", version, rename_all = "snake_case")]
pub struct RunExperiment {
    /// Experiment: its folder, or its experiment.toml
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub experiment: FlagPath,
    /// Folder of the collections, NAME.jsonl or NAME.jsonl.gz; collections named synthetic-N are created there
    #[arg(long, value_name = "DIR", help_heading = "Input", default_value = "exp/collections")]
    pub collections: FlagPath,
    /// Run the small version of the experiment
    #[arg(long, help_heading = "Input")]
    pub small: bool,
    /// Folder for files derived from the collections, shared by all experiments
    #[arg(long, value_name = "DIR", help_heading = "Output", default_value = "exp/work")]
    pub work_dir: FlagPath,
    /// Folder for the tables, named after the experiment and the measure
    #[arg(long, value_name = "DIR", help_heading = "Output", default_value = "res/experiments")]
    pub res_dir: FlagPath,
    /// Print the command lines that give the same numbers, then exit
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    /// Measure part I of N of the rows, from 1/N to N/N, into tables with '.I-of-N' before the extension. Runs at the same time need a --work_dir each
    #[arg(long, value_name = "I/N", help_heading = "Shards")]
    pub shard: Option<Shard>,
    /// Join the tables of N shards in the order of the experiment, then exit
    #[arg(long, value_name = "N", help_heading = "Shards", conflicts_with_all = ["shard", "dry_run"], value_parser = shards::parse_count)]
    pub merge_shards: Option<u32>,
}

impl Executable for RunExperiment {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Run the small version of an experiment", "run_experiment --experiment exp/NAME --small"),
        ("Print the commands of an experiment", "run_experiment --experiment exp/NAME --dry_run"),
    ];

    /// Measures every configuration that the tables lack, or prints the commands.
    fn run(&self, session: &Session) -> Result<Counts> {
        let mut path = self.experiment.to_path_buf();
        if path.is_dir() {
            path.push("experiment.toml");
        }
        let plan = ExperimentPlan::read(&path, self.small)?;
        let folders = Folders {
            collections: self.collections.to_path_buf(),
            work: self.work_dir.to_path_buf(),
        };
        match self.merge_shards {
            Some(count) => shards::merge(&plan, count, |one| self.table(&plan, one), session),
            None if self.dry_run => print(&plan, &folders),
            None => self.measure(&plan, &folders, session),
        }
    }
}

impl RunExperiment {
    fn measure(
        &self,
        plan: &ExperimentPlan,
        folders: &Folders,
        session: &Session,
    ) -> Result<Counts> {
        let shown = folders.collections.display().to_string();
        plan.check_collections(|name| folders.has(name), &shown)?;
        disk::create_folders(&self.res_dir, session.is_durable())
            .map_err(|e| Error::io("create", &*self.res_dir, e))?;
        let open = |(measurement, planned)| {
            TableWork::open(planned, self.table(plan, measurement), self.shard, measurement)
        };
        let parts = shards::part(plan, self.shard);
        let works = parts.into_iter().map(open).collect::<Result<Vec<TableWork>>>()?;
        works.iter().for_each(|work| work.report_changes(folders, session));
        let planned: usize = works.iter().map(|work| work.planned.len()).sum();
        let missing: usize = works.iter().map(|work| work.missing.len()).sum();
        session.phase(&plan.name, Some(missing as u64));
        for work in works {
            work.finish(folders, session)?;
        }
        let skipped = ((planned - missing) as u64, "measured before");
        let counts = Counts::new((planned as u64, "configurations"), (missing as u64, "rows"));
        Ok(Counts { skipped, ..counts })
    }

    /// Returns the table of a measurement, the whole one.
    fn table(&self, plan: &ExperimentPlan, measurement: Measurement) -> PathBuf {
        let small = if self.small { "-small" } else { "" };
        self.res_dir.join(format!("{}{small}-{}.csv", plan.name, measurement.name()))
    }
}

/// The missing rows of one table.
struct TableWork {
    measurement: Measurement,
    path: PathBuf,
    /// The table of all shards, which the files of single rows are named after.
    whole: PathBuf,
    table: ResultTable,
    planned: Vec<Configuration>,
    missing: Vec<Configuration>,
}

impl TableWork {
    fn open(
        planned: Vec<Configuration>,
        whole: PathBuf,
        shard: Option<Shard>,
        measurement: Measurement,
    ) -> Result<Self> {
        let path = shard.map_or_else(|| whole.clone(), |shard| shard.path(&whole));
        let table = ResultTable::open(&path, measurement, &planned)?;
        let is_missing = |configuration: &&Configuration| !table.has(configuration);
        let missing = planned.iter().filter(is_missing).cloned().collect();
        Ok(TableWork { measurement, path, whole, table, planned, missing })
    }

    /// Reports collections that changed after rows were written. Only the user knows whether the rows are still valid.
    fn report_changes(&self, folders: &Folders, session: &Session) {
        let mut reported = FxHashSet::default();
        for collection in self.planned.iter().map(|one| folders.path(one.text(GridKey::Collection)))
        {
            if self.table.is_older_than(&collection) && reported.insert(collection.clone()) {
                let (table, collection) = (self.path.display(), collection.display());
                session.info(&format!(
                    "{collection} has changed since rows of {table} were written: remove the table to measure anew"
                ));
            }
        }
    }

    fn finish(mut self, folders: &Folders, session: &Session) -> Result<()> {
        // The progress of a stage would hide that of the experiment.
        let stages = session.quiet();
        let bench = measure::Bench { folders, session: &stages, table: &self.whole };
        for batch in self.missing.chunk_by(|one, next| self.measurement.together(one, next)) {
            let _lock = folders.lock(batch[0].text(GridKey::Collection))?;
            bench.run(self.measurement, batch, &mut |configuration, values| {
                self.table.append(configuration, values)?;
                session.detail(&configuration.to_string());
                session.advance(1);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Prints the command lines on standard output.
fn print(plan: &ExperimentPlan, folders: &Folders) -> Result<Counts> {
    let lines = commands(plan, folders);
    let mut out = Output::stdout()?;
    lines.iter().try_for_each(|line| out.write(format!("{line}\n").as_bytes()))?;
    out.finish()?;
    let configurations = |measurement| plan.configurations(measurement).len() as u64;
    let read = plan.measurements().into_iter().map(configurations).sum();
    Ok(Counts::new((read, "configurations"), (lines.len() as u64, "lines")))
}

/// Returns the command lines that give each configuration's numbers below a comment that names it. Each command appears once.
fn commands(plan: &ExperimentPlan, folders: &Folders) -> Vec<String> {
    let (mut lines, mut seen) = (Vec::new(), FxHashSet::default());
    for measurement in plan.measurements() {
        for configuration in plan.configurations(measurement) {
            lines.push(format!("# {}: {configuration}", measurement.name()));
            let pipeline = Pipeline { folders, configuration: &configuration };
            let commands = (measurement.parts().commands)(&pipeline);
            lines.extend(commands.into_iter().filter(|command| seen.insert(command.clone())));
        }
    }
    lines
}
