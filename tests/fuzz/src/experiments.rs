//! Experiment files.

use nearsig::experiment::ExperimentPlan;

use super::content::{check_error, twice};
use super::scratch;

/// Maximum number of commas in a file whose combinations are listed: their number is exponential in it.
const MAX_COMMAS: usize = 12;

/// Reads an experiment and its small version.
///
/// Reading is repeatable and errors name a line of the file; every measurement has a configuration, and all of them differ.
pub fn check(data: &[u8]) {
    let path = scratch::write("experiment.toml", data);
    for small in [false, true] {
        let read = || ExperimentPlan::read(&path, small).map(|plan| format!("{plan:?}"));
        if twice(&path, read).is_none() {
            continue;
        }
        let plan = ExperimentPlan::read(&path, small).expect("it was read before");
        if data.iter().filter(|byte| **byte == b',').count() <= MAX_COMMAS {
            for measurement in plan.measurements() {
                let all = plan.configurations(measurement);
                let differ = |at: usize| !all[..at].contains(&all[at]);
                assert!(!all.is_empty() && (0..all.len()).all(differ));
            }
        }
        if let Err(error) = plan.check_collections(|name| name.len() % 2 == 0, "folder") {
            check_error(&error, &path);
        }
    }
}
