//! Experiments that are killed, run out of disk space, or run twice at a time.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::assert_failed;
use super::outputs::limited;
use crate::cli::run_experiment::{LINE, SEVERAL, experiment, tables};
use crate::common::{Outcome, Work};

/// Many slow rows in batches of two; and some bins.
const MANY: &str = "[[grid]]
measure = \"approximation\"
collection = \"synthetic-300\"
weighting = \"tf_idf\"
min_df = 1
sample = 100
rnd_seed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
sig_len = [256, 1024]
threshold_sim = 50
threshold_ham = \"lowest\"

[[grid]]
measure = \"density\"
collection = \"synthetic-300\"
weighting = \"tf\"
min_df = 2
sample = 100
rnd_seed = [1, 2, 3]
sig_len = 256
";

fn start(work: &Work, line: &str) -> Child {
    let mut words = line.split_whitespace();
    let mut command = work.command(words.next().unwrap());
    command.args(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the lines of a table that may not exist yet.
fn lines(work: &Work, name: &str) -> usize {
    let content = std::fs::read(work.path(name)).unwrap_or_default();
    content.iter().filter(|byte| **byte == b'\n').count()
}

#[test]
fn an_experiment_that_was_killed_ends_as_if_it_had_not_been() {
    let undisturbed = experiment(MANY);
    undisturbed.ok(LINE);
    let work = experiment(MANY);
    let table = "res/test-approximation.csv";
    let (mut wanted, mut kills, deadline) = (2, 0, Instant::now() + Duration::from_secs(300));
    while lines(&work, table) < 30 {
        let mut child = start(&work, LINE);
        while lines(&work, table) < wanted && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "waited in vain for row {wanted}");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());
        wanted = lines(&work, table) + 3;
    }
    assert!(kills >= 1, "no run was killed before its end");
    work.ok(LINE);
    assert!(tables(&work) == tables(&undisturbed));
}

#[test]
fn a_full_disk_is_told_and_the_next_run_goes_on() {
    let undisturbed = experiment(SEVERAL);
    undisturbed.ok(LINE);
    let work = experiment(SEVERAL);
    let ran = Outcome::from(limited(&work, LINE, 0).output().unwrap());
    assert_failed(&ran, LINE, &["cannot write"]);
    // The files of the collection exist, so the table is the first file that does not fit.
    work.ok(LINE);
    std::fs::remove_dir_all(work.path("res")).unwrap();
    for blocks in [8, 10] {
        let ran = Outcome::from(limited(&work, LINE, blocks).output().unwrap());
        assert_failed(&ran, LINE, &["res/test-approximation.csv: cannot write"]);
    }
    work.ok(LINE);
    assert!(tables(&work) == tables(&undisturbed));
}

#[test]
fn experiments_that_share_a_folder_take_turns() {
    let alone = experiment(MANY);
    alone.ok(LINE);
    let work = experiment(MANY);
    for name in ["first", "second", "third"] {
        work.write(format!("exp/{name}/experiment.toml"), format!("title = \"A test\"\n{MANY}"));
    }
    let line = |name: &str| LINE.replace("exp/test", &format!("exp/{name}"));
    let children = ["first", "second", "third"].map(|name| start(&work, &line(name)));
    for child in children {
        let ran = Outcome::from(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    for (name, content) in tables(&alone) {
        for other in ["first", "second", "third"] {
            assert!(work.read(name.replace("test", other)) == content, "{name} of {other}");
        }
    }
}
