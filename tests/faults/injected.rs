//! Errors, kills and power losses at every call that opens or changes a file, in every executable that writes.

use super::power_loss::power_losses;
use super::scenario::Scenario;
use super::scenarios;
use super::shim::Point;
use super::soak::report;

/// Checks each scenario and fails with all violations.
#[track_caller]
fn assert_none(name: &str, scenarios: Vec<Scenario>, check: impl Fn(&Scenario) -> Vec<String>) {
    let checked = scenarios.iter().map(|scenario| {
        let violations = check(scenario);
        report(name, &scenario.line, scenario.runs(), violations.len());
        violations
    });
    let violations: Vec<String> = checked.flatten().collect();
    assert!(violations.is_empty(), "{} violations\n{}", violations.len(), violations.join("\n"));
}

/// Tests of each group of scenarios.
macro_rules! disturbed {
    ($($group:ident),*) => { $(
        mod $group {
            use super::*;

            #[test]
            fn with_an_error_at_any_point_leave_old_or_new_outputs() {
                assert_none("errors", scenarios::$group(), Scenario::errors);
            }

            #[test]
            fn killed_at_any_point_leave_whole_files_and_complete_when_repeated() {
                assert_none("kills", scenarios::$group(), Scenario::kills);
            }

            #[test]
            fn without_power_at_any_point_leave_whole_files_and_complete_when_repeated() {
                assert_none("power losses", scenarios::$group(), power_losses);
            }
        }
    )* };
}

disturbed!(
    stages,
    repeated_stages,
    compressed_stages,
    tools,
    searches,
    index_updates,
    ngram_updates,
    experiments
);

/// Nothing is promised after a power loss then.
#[test]
fn runs_without_syncs_leave_old_or_new_outputs_too() {
    let unsynced = scenarios::unsynced();
    let is_synced = |scenario: &Scenario| scenario.points.iter().any(Point::is_sync);
    assert!(!unsynced.iter().any(is_synced), "--no_sync");
    assert_none("errors", unsynced, Scenario::errors);
    assert_none("kills", scenarios::unsynced(), Scenario::kills);
}
