//! Where the numbers come from: machine, commit, data.

use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result};

/// What is said where something cannot be found out.
const UNKNOWN: &str = "unknown";

/// The machine this runs on, in a line: processor, cores, memory, system.
pub fn machine() -> String {
    let cpu = first_value("/proc/cpuinfo", "model name").unwrap_or_else(|| UNKNOWN.into());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kilobytes = first_value("/proc/meminfo", "MemTotal").and_then(|text| {
        text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok())
    });
    let memory = kilobytes.map_or_else(String::new, |kilobytes| {
        format!(", {:.0} GB of memory", kilobytes * 1024.0 / 1e9)
    });
    let (system, kind) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{cpu}, {cores} cores{memory}, {system} {kind}")
}

/// The first `key : value` of a file of the system.
fn first_value(path: &str, key: &str) -> Option<String> {
    let content = std::fs::read_to_string(path).ok()?;
    let line = content.lines().find(|line| line.starts_with(key))?;
    line.split_once(':').map(|(_, value)| value.trim().to_string())
}

/// The commit of the folder this runs in, and whether the program or its experiments differ from it.
pub fn commit() -> String {
    let Some(commit) = git(&["rev-parse", "HEAD"]) else { return UNKNOWN.into() };
    let changed =
        git(&["status", "--porcelain", "--", "src", "exp", "scripts", "Cargo.toml", "Cargo.lock"]);
    let is_changed = changed.is_some_and(|changed| !changed.is_empty());
    if is_changed { format!("{commit}, with changes") } else { commit }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}

/// The record of the collections beside the experiments; none where there is no such file.
pub fn collections(experiments: &Path) -> Result<Option<String>> {
    let path = experiments.join("collections.sha256");
    if !path.exists() {
        return Ok(None);
    }
    std::fs::read_to_string(&path).map(Some).map_err(|error| Error::io("read", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_one_line() {
        let machine = machine();
        assert!(machine.contains(" cores") && !machine.contains('\n'), "{machine}");
    }
}
