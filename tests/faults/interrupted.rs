//! Killed, interrupted and concurrent runs.
//!
//! To stop a run in the middle, one of its inputs is a named pipe that delivers half of the file and then blocks. Kills at every write are in
//! `injected.rs`.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use super::outputs::{SMALL_FILES_CHAIN, limited, many_small_files};
use super::{Files, Kind, STAGES, Stage, assert_failed, is_in, snapshot, undisturbed};
use crate::common::{MANIFEST, Outcome, Work};

const HANGUP: i32 = 1;
const INTERRUPT: i32 = 2;
const KILL: i32 = 9;
const TERMINATE: i32 = 15;
const FILE_SIZE: i32 = 25;
/// Default action of a signal.
const DEFAULT: usize = 0;
/// No action.
const IGNORE: usize = 1;
/// Flag that opens a pipe without waiting for a reader.
const NONBLOCK: i32 = if cfg!(target_os = "linux") { 0o4000 } else { 4 };

unsafe extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
    fn signal(number: i32, handler: usize) -> usize;
}

/// Restores the default actions of signals, which background jobs may ignore.
fn with_default_signals(command: &mut Command) -> &mut Command {
    with_signals(command, DEFAULT)
}

/// Sets the action of all signals.
fn with_signals(command: &mut Command, action: usize) -> &mut Command {
    let reset = move || {
        for number in [HANGUP, INTERRUPT, TERMINATE, FILE_SIZE] {
            // SAFETY: `signal` takes plain numbers and may be called between fork and exec.
            unsafe { signal(number, action) };
        }
        Ok(())
    };
    // SAFETY: the closure only calls `signal`.
    unsafe { command.pre_exec(reset) }
}

/// A run that waits for the second half of one of its inputs.
struct Held {
    child: Child,
    pipe: File,
    rest: Vec<u8>,
}

impl Held {
    /// Starts a command line with `input` replaced by a pipe, and delivers half of it.
    fn start(work: &Work, line: &str, input: &str) -> Self {
        Self::start_with(work, line, input, DEFAULT)
    }

    /// Starts a command line with an action of all signals.
    fn start_with(work: &Work, line: &str, input: &str, action: usize) -> Self {
        let path = work.path(input);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let mut words = line.split_whitespace();
        let mut command = work.command(words.next().unwrap());
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = with_signals(&mut command, action).spawn().unwrap();
        let mut pipe = wait_for(&format!("{line} to open {input}"), || {
            assert_eq!(child.try_wait().unwrap(), None, "{line} ended without {input}");
            OpenOptions::new().write(true).custom_flags(NONBLOCK).open(&path).ok()
        });
        let content = &undisturbed()[input];
        let (half, rest) = content.split_at(content.len() / 2);
        pipe.write_all(half).unwrap();
        Held { child, pipe, rest: rest.to_vec() }
    }

    fn send(&self, number: i32) {
        // SAFETY: the process has been started here and not been waited for, so the number is still its own.
        assert_eq!(unsafe { kill(self.child.id() as i32, number) }, 0);
    }

    /// Waits for a run that ends by a signal.
    fn ends(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Delivers the second half and waits for the run.
    fn release(mut self) -> Output {
        self.pipe.write_all(&self.rest).unwrap();
        drop(self.pipe);
        self.child.wait_with_output().unwrap()
    }
}

/// Polls a condition. The deadline is generous and only keeps a broken program from hanging.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_part(name: &str) -> bool {
    name.ends_with(".part")
}

/// Replaces the pipe by a file.
fn repair(work: &Work, input: &str) {
    fs::remove_file(work.path(input)).unwrap();
    work.write(input, &undisturbed()[input]);
}

/// Checks that only temporary files were added.
#[track_caller]
fn assert_only_parts_came(before: &Files, after: &Files, when: &str) {
    for (name, content) in before {
        assert!(after.get(name) == Some(content), "{name} changed {when}");
    }
    let is_new = |name: &&String| !before.contains_key(*name) && !is_part(name);
    assert_eq!(after.keys().find(is_new), None, "came {when}");
}

/// Returns whether a stage writes before it has read an input of this kind.
fn writes_while_reading(stage: &Stage, kind: Kind) -> bool {
    match stage.executable() {
        "create_bows" | "create_prints" => kind == Kind::Document,
        "create_vecs" | "create_sigs" | "implant_rnd_vecs" | "match_prints" => kind == Kind::Data,
        "compare_results" | "extract_similarities" => true,
        _ => false,
    }
}

/// Starts a stage, interrupts it in the middle by a signal, then runs it undisturbed.
fn end_in_the_middle(stage: &Stage, (input, kind): (&str, Kind), number: i32) {
    for work in [stage.before(), stage.over_older_outputs()] {
        let mut before = snapshot(&work);
        before.remove(input);
        let held = Held::start(&work, stage.line, input);
        if writes_while_reading(stage, kind) {
            assert!(work.files().iter().any(|name| is_part(name)), "{} has not begun", stage.line);
        }
        held.send(number);
        assert_eq!(held.ends().signal(), Some(number), "{}", stage.line);
        let when = format!("after signal {number} to: {}", stage.line);
        assert_only_parts_came(&before, &snapshot(&work), &when);
        repair(&work, input);
        work.ok(stage.line);
        stage.assert_complete(&work, &when);
    }
}

fn all_inputs() -> impl Iterator<Item = (&'static Stage, (&'static str, Kind))> {
    STAGES.iter().flat_map(|stage| stage.inputs.iter().map(move |input| (stage, *input)))
}

#[test]
fn a_killed_run_leaves_no_half_file_and_the_next_run_completes() {
    all_inputs().for_each(|(stage, input)| end_in_the_middle(stage, input, KILL));
}

#[test]
fn an_interrupted_run_leaves_no_half_file_and_the_next_run_completes() {
    for (stage, input) in
        all_inputs().filter(|(stage, (_, kind))| writes_while_reading(stage, *kind))
    {
        [INTERRUPT, TERMINATE, HANGUP].iter().for_each(|n| end_in_the_middle(stage, input, *n));
    }
}

/// As by `nohup`, and for background jobs of a script.
#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let stage = STAGES.iter().find(|stage| stage.executable() == "create_voc").unwrap();
    let work = stage.before();
    let input = stage.inputs[1].0;
    let held = Held::start_with(&work, stage.line, input, IGNORE);
    [HANGUP, INTERRUPT, TERMINATE].iter().for_each(|number| held.send(*number));
    assert!(held.release().status.success());
    repair(&work, input);
    stage.assert_complete(&work, stage.line);
}

#[test]
fn a_run_killed_with_random_vectors_on_disk_leaves_none_of_them() {
    let stage = STAGES.iter().find(|stage| stage.executable() == "create_sigs").unwrap();
    let input = "vecs/vec_paths-000002.vec";
    for disk in ["-use_hdd 1", "-use_hdd 1 -compress_rnd_vecs"] {
        let work = stage.over_older_outputs();
        let line = format!("{} {disk}", stage.line);
        let held = Held::start(&work, &line, input);
        held.send(KILL);
        held.ends();
        let before = stage.over_older_outputs().files();
        let is_new = |name: &String| !before.contains(name) && !is_part(name);
        assert_eq!(work.files().into_iter().filter(is_new).collect::<Vec<_>>(), [""; 0]);
        assert!(work.files().iter().all(|name| !name.contains("random")));
        repair(&work, input);
        work.ok(&line);
        stage.assert_complete(&work, &line);
    }
}

/// Runs a command line that fails at the limit on file sizes. Messages must not go to a file, which has the same limit.
#[track_caller]
fn fails_writing(work: &Work, line: &str, blocks: u32) {
    let mut command = limited(work, line, blocks);
    let output = with_default_signals(&mut command).output().unwrap();
    assert_failed(&Outcome::from(output), line, &["cannot write"]);
}

/// The file size limit raises a signal during the write that exceeds it; the write fails.
#[test]
fn a_run_that_fails_while_it_writes_leaves_no_half_file_and_the_next_run_completes() {
    for stage in &STAGES {
        for blocks in [0, 1] {
            for work in [stage.before(), stage.over_older_outputs()] {
                let before = snapshot(&work);
                fails_writing(&work, stage.line, blocks);
                let when = format!("at {blocks} blocks after: {}", stage.line);
                let after = snapshot(&work);
                assert_only_parts_came(&before, &after, &when);
                work.ok(stage.line);
                stage.assert_complete(&work, &when);
            }
        }
    }
}

/// Checks the files of a stage: all old, all new, or no list.
#[track_caller]
fn assert_list_is_whole(list: &str, old: &Files, new: &Files, found: &Files) {
    if found.contains_key(list) {
        let found: Files = found.clone().into_iter().filter(|(name, _)| !is_part(name)).collect();
        assert!(found == *old || found == *new, "{list} does not belong to its files");
    }
}

/// Runs each stage with a list over the outputs of an earlier run with different data files.
fn for_each_list(mut check: impl FnMut(&Work, &str, &str, &Files, &Files)) {
    let work = many_small_files();
    for (line, change) in SMALL_FILES_CHAIN.iter().filter(|(_, change)| !change.is_empty()) {
        let is_list = |word: &&str| word.ends_with("_paths") && !word.starts_with('-');
        let list = line.split(' ').rfind(is_list).unwrap();
        let changed = format!("{line} {change}");
        let old = snapshot(&work);
        work.ok(&changed);
        let new = snapshot(&work);
        assert!(old != new, "{change} changes nothing");
        work.ok(line);
        check(&work, &changed, list, &old, &new);
        work.ok(line);
        assert!(snapshot(&work) == old, "the chain goes on with what it was");
    }
}

#[test]
fn a_run_that_fails_while_it_writes_its_list_leaves_none_that_is_wrong() {
    for_each_list(|work, line, list, old, new| {
        fails_writing(work, line, 2);
        assert_list_is_whole(list, old, new, &snapshot(work));
        work.ok(line);
        assert!(snapshot(work) == *new, "{line}");
    });
}

/// Kills at any time, also during renames.
#[test]
fn a_run_killed_at_any_moment_leaves_no_list_that_is_wrong() {
    const MOMENTS: u32 = 14;
    for_each_list(|work, line, list, old, new| {
        let start = Instant::now();
        work.ok(line);
        let whole = start.elapsed();
        for moment in 0..MOMENTS {
            let mut words = line.split_whitespace();
            let mut command = work.command(words.next().unwrap());
            let mut child = command.args(words).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(whole * moment / MOMENTS);
            child.kill().unwrap();
            child.wait().unwrap();
            assert_list_is_whole(list, old, new, &snapshot(work));
        }
        work.ok(line);
        assert!(snapshot(work) == *new, "{line}");
    });
}

/// A folder blocks the rename of one data file after others have been renamed.
#[test]
fn a_run_that_fails_while_files_take_their_names_leaves_no_list_that_is_wrong() {
    let with_lists = all_inputs().filter(|(stage, _)| stage.outputs[0].ends_with("_paths"));
    for (stage, (input, kind)) in with_lists {
        if !writes_while_reading(stage, kind) {
            continue;
        }
        let (list, folder) = (stage.outputs[0], stage.outputs[1]);
        let work = stage.over_older_outputs();
        let held = Held::start(&work, stage.line, input);
        let obstacle = undisturbed().keys().filter(|name| is_in(name, folder)).nth(2).unwrap();
        fs::remove_file(work.path(obstacle)).unwrap();
        work.write(format!("{obstacle}/inside"), "in the way\n");
        let before = snapshot(&work);
        assert_failed(&Outcome::from(held.release()), stage.line, &[obstacle]);
        let after = snapshot(&work);
        assert_eq!(after.keys().find(|name| is_part(name)), None, "left by: {}", stage.line);
        let old = |name: &&String| stage.is_output(name) && !is_part(name);
        let is_old = before.keys().filter(old).all(|name| after.get(name) == before.get(name));
        assert!(is_old || !after.contains_key(list), "{list} does not belong to its files");
        fs::remove_dir_all(work.path(obstacle)).unwrap();
        repair(&work, input);
        work.ok(stage.line);
        stage.assert_complete(&work, stage.line);
    }
}

#[test]
fn standard_input_that_stops_halfway_leaves_no_half_file() {
    for (executable, input, stream) in
        [("reduce_voc", "voc", "-old_voc_name -"), ("compare_results", "full", "-ham -")]
    {
        let stage = STAGES.iter().find(|stage| stage.executable() == executable).unwrap();
        let flag = stream.trim_end_matches('-');
        let line = stage.line.replace(&format!("{flag}{input}"), stream);
        for work in [stage.before(), stage.over_older_outputs()] {
            let before = snapshot(&work);
            let mut words = line.split(' ');
            let mut command = work.command(words.next().unwrap());
            command.args(words).stdin(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            let content = &undisturbed()[input];
            child.stdin.as_mut().unwrap().write_all(&content[..content.len() / 2]).unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            assert_only_parts_came(&before, &snapshot(&work), &line);
            let half = work.run_with_input(&line, &content[..content.len() / 2]);
            assert_failed(&half, &line, &["-:", "newline"]);
            assert_eq!(work.run_with_input(&line, content).code, Some(0), "{line}");
            // Nothing is known about standard input, so the manifest differs.
            stage.assert_same(&work, &line, |name| !name.ends_with(MANIFEST));
        }
    }
}

#[test]
fn parts_of_a_killed_run_are_taken_over() {
    for stage in &STAGES {
        let work = stage.before();
        for (name, content) in undisturbed().iter().filter(|(name, _)| stage.is_output(name)) {
            let longer = [content.as_slice(), b"what a killed run has left\n"].concat();
            work.write(format!("{name}.part"), longer);
        }
        work.ok(stage.line);
        stage.assert_complete(&work, stage.line);
    }
}

/// Returns a run that must end soon; it would wait forever at the pipe of another run otherwise.
fn run_without_hanging(work: &Work, line: &str) -> Outcome {
    let mut words = line.split_whitespace();
    let mut command = work.command(words.next().unwrap());
    let mut child = command.args(words).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&format!("the end of: {line}"), || child.try_wait().unwrap());
    Outcome::from(child.wait_with_output().unwrap())
}

#[test]
fn a_second_run_at_the_same_output_is_refused_and_the_first_completes() {
    for (stage, (input, kind)) in all_inputs() {
        // If output starts after all input is read, no run is first yet.
        if !writes_while_reading(stage, kind) {
            continue;
        }
        for work in [stage.before(), stage.over_older_outputs()] {
            let first = Held::start(&work, stage.line, input);
            let second = run_without_hanging(&work, stage.line);
            assert_failed(&second, stage.line, &["another run is writing"]);
            let first = Outcome::from(first.release());
            assert_eq!(first.code, Some(0), "{}\n{}", stage.line, first.stderr);
            repair(&work, input);
            stage.assert_complete(&work, stage.line);
        }
    }
}

/// The lock on the temporary file separates runs; here the test is the other run.
#[test]
fn an_output_that_another_run_is_writing_is_left_alone() {
    for stage in &STAGES {
        for output in undisturbed().keys().filter(|name| stage.is_output(name)) {
            let work = stage.over_older_outputs();
            let part = format!("{output}.part");
            work.write(&part, "half of what the other run wri");
            let other = OpenOptions::new().write(true).open(work.path(&part)).unwrap();
            other.try_lock().unwrap();
            super::refused_without_trace(&work, stage.line, &[output, "another run is writing"]);
            other.unlock().unwrap();
            work.ok(stage.line);
            stage.assert_complete(&work, stage.line);
        }
    }
}
