//! Power losses at every moment of a run, by a model of the disk that forgets unsynced bytes and names.

use super::disk::{Disk, Loss};
use super::scenario::Scenario;
use super::shim::{Point, compile};
use crate::common::Work;

/// Replays a run and checks the files after each loss at each of its points. Returns the violations.
pub fn power_losses(scenario: &Scenario) -> Vec<String> {
    let mut disk = Disk::new(&scenario.before);
    let mut violations = Vec::new();
    for point in &scenario.points {
        disk.apply(point);
        let is_last = point.number == scenario.points.len();
        let losses = disk.losses().into_iter();
        violations.extend(losses.filter_map(|loss| loses(scenario, &disk, point, is_last, loss)));
    }
    violations
}

/// Checks the files after a loss behind a point. After the last one, all outputs must survive.
fn loses(
    scenario: &Scenario,
    disk: &Disk,
    point: &Point,
    is_last: bool,
    loss: Loss,
) -> Option<String> {
    let state = disk.after(loss);
    let survived = if is_last { scenario.has_survived(&state) } else { Ok(()) };
    let what = survived.and_then(|()| scenario.recovers_from(&state)).err()?;
    let Scenario { line, .. } = scenario;
    Some(format!("{line}\n  {loss:?} lost after {} ({point}): {what}", point.number))
}

/// Returns a run of `forgetful.c` over older files.
fn forgetful(forgotten: &str) -> Scenario {
    let work = Work::new();
    let program = work.path("forgetful");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/forgetful.c");
    compile(source, &program, &[]);
    work.write("data/file", "old data\n");
    work.write("out_paths", "old list\n");
    Scenario::new(work, &format!("{} {forgotten}", program.display()))
}

/// Checks that violations have a part of a message.
#[track_caller]
fn assert_told(violations: &[String], expected: &str) {
    let is_told = violations.iter().any(|violation| violation.contains(expected));
    assert!(is_told, "no '{expected}' in {violations:#?}");
}

#[test]
fn a_program_that_forgets_nothing_passes() {
    let scenario = forgetful("nothing");
    assert_eq!(scenario.kills(), [""; 0]);
    assert_eq!(power_losses(&scenario), [""; 0]);
}

#[test]
fn a_program_that_forgets_to_sync_is_caught() {
    for (forgotten, expected) in [
        ("data", "data/file is neither old nor new"),
        ("folder", "out_paths does not belong to its files"),
        ("end", "out_paths has not survived"),
    ] {
        let scenario = forgetful(forgotten);
        assert_eq!(scenario.kills(), [""; 0], "a kill loses nothing");
        assert_told(&power_losses(&scenario), expected);
    }
}

#[test]
fn a_program_that_forgets_temporary_names_or_their_order_is_caught() {
    assert_told(&forgetful("part").kills(), "data/file is neither old nor new");
    assert_told(&forgetful("order").kills(), "out_paths does not belong to its files");
}

#[test]
#[should_panic(expected = "the files are not those of the log: data/file.part differs")]
fn a_program_that_escapes_the_shim_is_caught() {
    forgetful("shim").kills();
}
