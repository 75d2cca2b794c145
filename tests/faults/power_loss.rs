//! Power losses at every moment of a run, by a model of the disk that forgets unsynced bytes and names.

use super::disk::{Disk, Loss};
use super::scenario::Scenario;
use super::shim::Point;

/// Replays a run and checks the files after each loss at each of its points. Returns the violations.
pub fn power_losses(scenario: &Scenario) -> Vec<String> {
    let mut disk = Disk::new(&scenario.before);
    let mut violations = losses_at(scenario, &disk, None);
    for point in &scenario.points {
        disk.apply(point);
        violations.extend(losses_at(scenario, &disk, Some(point)));
    }
    violations
}

/// Checks the files after each loss behind a point.
fn losses_at(scenario: &Scenario, disk: &Disk, point: Option<&Point>) -> Vec<String> {
    let check = |loss: Loss| {
        let number = point.map_or(0, |point| point.number);
        let place = point.map(|point| format!(" ({point})")).unwrap_or_default();
        let what = scenario.recovers_from(&disk.after(loss)).err()?;
        Some(format!("{}\n  {loss:?} lost after {number}{place}: {what}", scenario.line))
    };
    disk.losses().into_iter().filter_map(check).collect()
}
