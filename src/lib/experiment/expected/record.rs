//! Expected results written down from tables.
//!
//! For every configuration but its seed, the means of the columns that matter. Another seed, or another version of a collection that
//! grows, gives other numbers: the tolerance is four standard errors of the mean over seeds, and a floor for what does not depend on
//! seeds.

use super::{Aggregate, COLUMNS, Expectation, Expected, shortened, value};
use crate::error::Result;
use crate::experiment::keys::Key;
use crate::experiment::measure::Measure;
use crate::experiment::{Experiment, Row, rows, table_path};
use crate::files::output::Output;

/// How many standard errors a mean may be off.
const STANDARD_ERRORS: f64 = 4.0;

/// The floor of tolerances: this share of the expected value, and this much.
const FLOOR_SHARE: f64 = 0.005;
const FLOOR: f64 = 0.0005;

/// Columns, and the keys that they do not depend on beside the seed.
type Recorded = &'static [(&'static [&'static str], &'static [Key])];

/// What is recorded of a measure. Times are not: they are the machine's.
fn recorded(measure: Measure) -> Recorded {
    use Key::*;
    match measure {
        Measure::Approximation => &[
            (&["L1", "L2", "S", "L1_calibrated", "L2_calibrated"], &[ThresholdSim, ThresholdHam]),
            (&["P", "R", "F1", "near_L1"], &[]),
        ],
        Measure::Vocabulary => {
            &[(&["terms", "L1", "L2", "S"], &[ThresholdSim]), (&["near_L1", "near_L2"], &[])]
        }
        Measure::Pleb => &[
            (&["all_pairs"], &[Beam, ShiftCount, IterCount]),
            (&["found_pairs_pct", "estimate_pct"], &[]),
        ],
        Measure::Planes => &[(&["share_mean", "share_deviation"], &[])],
        Measure::Density => {
            &[(&["hamming_mean", "share_below_45", "correlation", "mean_distance_from_curve"], &[])]
        }
        Measure::Timing => &[(&["read", "wrote"], &[])],
    }
}

impl Expected {
    /// Writes the file anew from the tables, and returns how many results it expects.
    pub fn record(&self) -> Result<u64> {
        let experiment = Experiment::read(&self.folder.join("experiment.toml"), self.small)?;
        let mut expectations = Vec::new();
        for measure in experiment.measures() {
            let rows = rows(&table_path(&self.tables, measure), measure)?;
            for (columns, without) in recorded(measure) {
                for group in groups(measure, &rows, without) {
                    expectations.extend(self.of_group(measure, &group, columns)?);
                }
            }
        }
        let mut out = Output::create(&self.path())?;
        out.write(format!("{}\n", COLUMNS.join(",")).as_bytes())?;
        expectations.iter().try_for_each(|one| out.write(line(one).as_bytes()))?;
        out.finish()?;
        Ok(expectations.len() as u64)
    }

    /// What to expect of rows that differ in nothing that matters but their seed; nothing of a column without values.
    fn of_group(
        &self,
        measure: Measure,
        group: &Group<'_>,
        columns: &[&str],
    ) -> Result<Vec<Expectation>> {
        let mut expectations = Vec::new();
        for column in columns {
            let mut by_seed: Vec<(&str, Vec<f64>)> = Vec::new();
            for row in &group.rows {
                let Some(value) = value(row, measure, column, &self.tables)? else { continue };
                let seed = cell(measure, row, Key::RndSeed);
                match by_seed.iter_mut().find(|(of, _)| *of == seed) {
                    Some((_, values)) => values.push(value),
                    None => by_seed.push((seed, vec![value])),
                }
            }
            let all: Vec<f64> = by_seed.iter().flat_map(|(_, values)| values.clone()).collect();
            let Some(expected) = Aggregate::Mean.of(&all) else { continue };
            let means = by_seed.iter().filter_map(|(_, values)| Aggregate::Mean.of(values));
            expectations.push(Expectation {
                measure,
                conditions: group.conditions.clone(),
                column: column.to_string(),
                aggregate: Aggregate::Mean,
                expected,
                tolerance: tolerance(expected, &means.collect::<Vec<_>>()),
            });
        }
        Ok(expectations)
    }
}

/// How far a mean of so scattered values may be off.
fn tolerance(expected: f64, values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let error = if values.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
    STANDARD_ERRORS * error + FLOOR_SHARE * expected.abs() + FLOOR
}

/// Rows that have the same values of some keys.
struct Group<'a> {
    conditions: Vec<(Key, String)>,
    rows: Vec<&'a Row>,
}

/// Rows put together by all their keys but the seed and those in `without`, in the order of their first rows.
fn groups<'a>(measure: Measure, rows: &'a [Row], without: &[Key]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for row in rows {
        let cells = measure.keys().iter().copied().zip(row.cells.iter().cloned());
        let says = |(key, cell): &(Key, String)| {
            *key != Key::RndSeed && !without.contains(key) && !cell.is_empty()
        };
        let conditions: Vec<(Key, String)> = cells.filter(says).collect();
        match groups.iter_mut().find(|group| group.conditions == conditions) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { conditions, rows: vec![row] }),
        }
    }
    groups
}

/// What a row has for a key; empty where the measure has none.
fn cell(measure: Measure, row: &Row, key: Key) -> &str {
    measure.keys().iter().position(|of| *of == key).map_or("", |place| &row.cells[place])
}

fn line(one: &Expectation) -> String {
    let pairs: Vec<String> =
        one.conditions.iter().map(|(key, value)| format!("{}={value}", key.name())).collect();
    format!(
        "{},{},{},{},{},{}\n",
        one.measure.name(),
        pairs.join(" "),
        one.column,
        one.aggregate.name(),
        shortened(one.expected),
        shortened(one.tolerance)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_four_standard_errors_and_a_floor() {
        // Of 1, 2, 3 the deviation is 1.
        let found = tolerance(2.0, &[1.0, 2.0, 3.0]);
        assert!((found - (4.0 / 3f64.sqrt() + 0.01 + 0.0005)).abs() < 1e-12);
        assert!((tolerance(-100.0, &[-100.0]) - 0.5005).abs() < 1e-12);
    }
}
