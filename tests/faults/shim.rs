//! Runs of executables under `shim.c`, which numbers all calls that open or change files and injects a fault into one of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use crate::common::{Outcome, Work};

/// A fault at one point of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call fails: a broken disk.
    BrokenDisk,
    /// The call fails: a full disk.
    FullDisk,
    /// A write writes half of its bytes, the next write fails.
    ShortWrite,
    /// The process is killed before the call.
    Kill,
    /// The process is killed after the call.
    KillAfter,
}

impl Fault {
    fn spelling(self) -> &'static str {
        match self {
            Fault::BrokenDisk => "error:EIO",
            Fault::FullDisk => "error:ENOSPC",
            Fault::ShortWrite => "short",
            Fault::Kill => "kill",
            Fault::KillAfter => "kill_after",
        }
    }
}

/// A call that opens or changes a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Its number, from 1.
    pub number: usize,
    /// The operation, as `shim.c` names it.
    pub operation: String,
    /// The inode of an open file.
    pub inode: u64,
    /// The path, relative to the folder of the run.
    pub path: String,
    /// The second path of a rename or link.
    pub second: String,
    /// The place of a write, or the length of a truncated file.
    pub offset: usize,
    /// The bytes of a write.
    pub data: Vec<u8>,
    /// Whether the call succeeded.
    pub succeeded: bool,
}

impl Point {
    /// Returns whether the call writes bytes.
    pub fn is_write(&self) -> bool {
        matches!(&*self.operation, "write" | "copy")
    }

    /// Returns whether the call makes earlier ones durable.
    pub fn is_sync(&self) -> bool {
        matches!(&*self.operation, "sync" | "sync_all")
    }

    /// Returns whether the call only reads.
    pub fn is_read(&self) -> bool {
        matches!(&*self.operation, "open_read" | "open_folder")
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.operation, self.path)?;
        if self.second.is_empty() { Ok(()) } else { write!(f, " -> {}", self.second) }
    }
}

/// Returns the compiled shim.
pub fn library() -> &'static Path {
    static LIBRARY: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
        compile(source, &library, &["-shared", "-fPIC"]);
        (folder, library)
    });
    &LIBRARY.1
}

/// Compiles a C file with `cc`, which Rust needs as a linker too.
pub fn compile(source: &str, target: &Path, flags: &[&str]) {
    let mut command = Command::new("cc");
    command.args(flags).args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(target).arg(source);
    let output = command.output().unwrap_or_else(|e| panic!("cc: {e}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cc cannot compile {source}:\n{messages}");
}

/// Returns a command line, ready to run in the folder under the shim.
fn command(work: &Work, line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = work.command(words.next().unwrap());
    command.args(words).env("LD_PRELOAD", library());
    command.env("NEARSIG_FAULT_ROOT", fs::canonicalize(work.path("")).unwrap());
    command
}

/// Runs a command line with a fault at point `number`. Returns the points up to a kill too.
pub fn run_with_fault(
    work: &Work,
    line: &str,
    number: usize,
    fault: Fault,
) -> (Outcome, Vec<Point>) {
    let mut command = command(work, line);
    command.env("NEARSIG_FAULT_AT", number.to_string()).env("NEARSIG_FAULT_DO", fault.spelling());
    traced(command)
}

/// Runs a command line for a time, then kills it.
pub fn run_for(work: &Work, line: &str, time: Duration) {
    let mut words = line.split_whitespace();
    let mut command = work.command(words.next().unwrap());
    let mut child = command.args(words).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Runs a command line without faults and returns its points.
pub fn trace(work: &Work, line: &str) -> (Outcome, Vec<Point>) {
    traced(command(work, line))
}

fn traced(mut command: Command) -> (Outcome, Vec<Point>) {
    let records = tempfile::tempdir().unwrap();
    let (log, data) = (records.path().join("log"), records.path().join("data"));
    command.env("NEARSIG_FAULT_LOG", &log).env("NEARSIG_FAULT_DATA", &data);
    let outcome = Outcome::from(command.output().unwrap());
    let points = parse(&fs::read_to_string(log).unwrap(), &fs::read(data).unwrap());
    (outcome, points)
}

/// Reads the log of the shim and the bytes of all writes.
fn parse(log: &str, mut data: &[u8]) -> Vec<Point> {
    let mut points = Vec::new();
    for line in log.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |column: usize| columns[column].parse::<u64>().unwrap();
        let (written, rest) = data.split_at(number(6) as usize);
        data = rest;
        points.push(Point {
            number: number(0) as usize,
            operation: columns[1].to_string(),
            inode: number(2),
            path: columns[3].to_string(),
            second: columns[4].to_string(),
            offset: number(5) as usize,
            data: written.to_vec(),
            succeeded: number(7) == 0,
        });
    }
    assert!(data.is_empty(), "the log has fewer bytes than the data");
    points
}
