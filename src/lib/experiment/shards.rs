//! Parts of an experiment's rows, for runs in several processes, and their merge.
//!
//! A part is a range of the rows in the order of the plan, cut between batches: configurations that are measured together share work.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::keys::Configuration;
use super::measure::Measurement;
use super::plan::ExperimentPlan;
use super::table;
use crate::error::Result;
use crate::executable::Counts;
use crate::files::output::Publisher;
use crate::session::Session;
use crate::shard::Shard;

/// Parses a number of shards.
pub fn parse_count(text: &str) -> Result<u32, String> {
    format!("1/{text}").parse().map(Shard::count)
}

/// Returns the configurations of a part, or all, by measurement. Every part has all measurements; some may have no configuration.
pub fn part(plan: &ExperimentPlan, shard: Option<Shard>) -> Vec<(Measurement, Vec<Configuration>)> {
    let all: Vec<(Measurement, Vec<Configuration>)> =
        plan.measurements().into_iter().map(|one| (one, plan.configurations(one))).collect();
    let Some(shard) = shard else { return all };
    let sizes: Vec<u64> = all.iter().flat_map(|(one, planned)| batches(*one, planned)).collect();
    let wanted = shard.of_weights(&sizes);
    let mut first = 0;
    let take = |(measurement, planned): (Measurement, Vec<Configuration>)| {
        let mut taken = Vec::new();
        let together = |one: &Configuration, next: &Configuration| measurement.together(one, next);
        for batch in planned.chunk_by(together) {
            if wanted.contains(&first) {
                taken.extend_from_slice(batch);
            }
            first += 1;
        }
        (measurement, taken)
    };
    all.into_iter().map(take).collect()
}

/// Returns the numbers of configurations that are measured together.
fn batches(measurement: Measurement, planned: &[Configuration]) -> Vec<u64> {
    let together = |one: &Configuration, next: &Configuration| measurement.together(one, next);
    planned.chunk_by(together).map(|batch| batch.len() as u64).collect()
}

/// Writes the tables of the whole experiment from those of `count` parts, rows in the order of the plan.
///
/// # Errors
/// A part's table that is missing, has other columns or rows of other configurations than the part's, or lacks some.
pub fn merge(
    plan: &ExperimentPlan,
    count: u32,
    table_of: impl Fn(Measurement) -> PathBuf,
    session: &Session,
) -> Result<Counts> {
    let mut merged = 0;
    let shards: Vec<Shard> = (1..=count).filter_map(|index| Shard::new(index, count)).collect();
    let parts: Vec<_> = shards.iter().map(|shard| part(plan, Some(*shard))).collect();
    for (at, (measurement, planned)) in part(plan, None).into_iter().enumerate() {
        let whole = table_of(measurement);
        let mut rows = Vec::new();
        for (shard, part) in shards.iter().zip(&parts) {
            rows.extend(table::rows(&shard.path(&whole), measurement, &part[at].1)?);
        }
        write(&whole, measurement, &planned, &rows, session)?;
        merged += planned.len() as u64;
    }
    Ok(Counts::new((u64::from(count), "shards"), (merged, "rows")))
}

/// Writes a table with the rows of all planned configurations, in their order.
fn write(
    path: &Path,
    measurement: Measurement,
    planned: &[Configuration],
    rows: &[Vec<String>],
    session: &Session,
) -> Result<()> {
    let keys = measurement.parts().keys.len();
    let by_keys: FxHashMap<&[String], &Vec<String>> =
        rows.iter().map(|row| (&row[..keys], row)).collect();
    let ordered: Vec<&Vec<String>> =
        planned.iter().map(|configuration| by_keys[&configuration.values()[..]]).collect();
    let mut out = Publisher::of_no_input(session).create(path)?;
    out.write(&table::text(measurement, &ordered))?;
    out.finish()
}
