//! A run of one command line over given files, disturbed at each of its fault points.
//!
//! A check returns every violation, not only the first: one defect of an output usually shows at several points.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::Files;
use super::disk::{Disk, Loss};
use super::index_state::index_violation;
use super::rules::Rules;
use super::shim::{Fault, Point, run_for, run_with_fault, trace};
use super::soak::{Dice, is_soak};
use super::state::{differs, hash_of, is_part, regular, restore, tree, without_parts};
use crate::common::{MANIFEST, Outcome, Work};

/// A command line, the files before it and after it.
pub struct Scenario {
    /// The command line.
    pub line: String,
    /// Files and folders before the run.
    pub before: Files,
    /// Files and folders after an undisturbed run.
    pub after: Files,
    /// The fault points of an undisturbed run.
    pub points: Vec<Point>,
    /// The promise to check.
    rules: Rules,
    /// The lists that the run writes: they exist only if all files of the stage belong to them.
    lists: Vec<String>,
    /// The folder of the runs.
    work: Work,
    /// The time of an undisturbed run.
    duration: Duration,
    /// The number of runs so far.
    runs: Cell<usize>,
    /// Hashes of states from which a rerun completes.
    completed: RefCell<BTreeSet<u64>>,
}

impl Scenario {
    /// Runs a command line in a folder, undisturbed.
    pub fn new(work: Work, line: &str) -> Self {
        Self::with_rules(work, line, Rules::Outputs)
    }

    /// The same with other promises.
    pub fn with_rules(work: Work, line: &str, rules: Rules) -> Self {
        let line = format!("{line} --threads 1");
        let before = rules.comparable(tree(&work.path("")));
        restore(&work.path(""), &before);
        let start = Instant::now();
        let (ran, points) = trace(&work, &line);
        let duration = start.elapsed();
        assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
        let after = rules.comparable(tree(&work.path("")));
        let targets = points.iter().map(|point| &point.second);
        let lists = targets.filter(|name| is_list(name)).cloned().collect();
        let (runs, completed) = (Cell::new(1), RefCell::default());
        Scenario { line, before, after, points, rules, lists, work, duration, runs, completed }
    }

    /// Returns the number of runs so far.
    pub fn runs(&self) -> usize {
        self.runs.get()
    }

    fn count_run(&self) {
        self.runs.set(self.runs.get() + 1);
    }

    /// Runs with a fault at a point.
    fn disturbed(&self, point: &Point, fault: Fault) -> (Outcome, Vec<Point>) {
        self.count_run();
        run_with_fault(&self.work, &self.line, point.number, fault)
    }

    /// Injects errors into every point. Returns the violations.
    pub fn errors(&self) -> Vec<String> {
        let cases = self.points.iter().flat_map(|point| faults_of(point).map(move |f| (point, f)));
        cases.filter_map(|(point, fault)| self.error(point, fault).err()).collect()
    }

    /// Kills the run before every point and after the last. Returns the violations.
    pub fn kills(&self) -> Vec<String> {
        let last = self.points.last().map(|point| (point, Fault::KillAfter));
        let cases = self.points.iter().map(|point| (point, Fault::Kill)).chain(last);
        cases.filter_map(|(point, fault)| self.kill(point, fault).err()).collect()
    }

    /// Runs with an error at a point.
    fn error(&self, point: &Point, fault: Fault) -> Result<(), String> {
        restore(&self.work.path(""), &self.before);
        let (ran, calls) = self.disturbed(point, fault);
        // The order of removals is that of the folder's entries and may change.
        let point = calls.get(point.number - 1).unwrap_or(point);
        let state = self.rules.comparable(tree(&self.work.path("")));
        let repeat = || if ran.code == Some(3) { Ok(()) } else { self.completes(&state) };
        let checked = self.after_error(point, &ran, &state).and_then(|()| repeat());
        checked.map_err(|what| self.violation(point, fault, &what))
    }

    /// Runs until the process is killed at a point.
    fn kill(&self, point: &Point, fault: Fault) -> Result<(), String> {
        restore(&self.work.path(""), &self.before);
        let (ran, calls) = self.disturbed(point, fault);
        let state = tree(&self.work.path(""));
        let mut disk = Disk::new(&self.before);
        calls.iter().for_each(|call| disk.apply(call));
        // A call that escapes the shim would escape every test.
        assert_same(&disk.after(Loss::Nothing), &state, &self.violation(point, fault, "model"));
        let checked = match ran.code {
            None => self.after_kill(&state).and_then(|()| self.completes(&state)),
            Some(code) => Err(format!("exit code {code} before the kill: {}", ran.stderr)),
        };
        checked.map_err(|what| self.violation(point, fault, &what))
    }

    /// Kills the run at a random point or at a random time, and repeats it.
    pub fn random_kill(&self, dice: &mut Dice) -> Result<(), String> {
        restore(&self.work.path(""), &self.before);
        let when = if dice.below(2) == 0 {
            let point = &self.points[dice.below(self.points.len() as u64) as usize];
            self.disturbed(point, Fault::Kill);
            format!("before {} ({point})", point.number)
        } else {
            let time = self.duration * dice.below(1000) as u32 / 1000;
            self.count_run();
            run_for(&self.work, &self.line, time);
            format!("after {time:?}")
        };
        let state = tree(&self.work.path(""));
        self.completed.borrow_mut().remove(&hash_of(&state));
        let checked = self.after_kill(&state).and_then(|()| self.completes(&state));
        checked.map_err(|what| format!("{}\n  killed {when}: {what}", self.line))
    }

    /// Checks a state that a killed run or a power loss has left, then repeats the run.
    pub fn recovers_from(&self, state: &Files) -> Result<(), String> {
        self.after_kill(state)?;
        if self.completed.borrow().contains(&hash_of(state)) {
            return Ok(());
        }
        restore(&self.work.path(""), state);
        self.completes(state)
    }

    /// Checks that a power loss at the end of the run has spared its outputs.
    pub fn has_survived(&self, state: &Files) -> Result<(), String> {
        let state = &self.rules.comparable(state.clone());
        let is_lost =
            |name: &&String| !name.ends_with('/') && state.get(*name) != self.after.get(*name);
        match self.after.keys().filter(|name| self.is_promised(name)).find(is_lost) {
            Some(name) => Err(format!("{name} has not survived")),
            None => Ok(()),
        }
    }

    /// Returns whether a file is promised: working files of an experiment are not.
    fn is_promised(&self, name: &str) -> bool {
        self.rules.table().is_none_or(|table| name == table || self.before.contains_key(name))
    }

    fn violation(&self, point: &Point, fault: Fault, what: &str) -> String {
        format!("{}\n  {fault:?} at {} ({point}): {what}", self.line, point.number)
    }

    /// Checks the outcome of a run in which one call failed.
    fn after_error(&self, point: &Point, ran: &Outcome, state: &Files) -> Result<(), String> {
        let is_left = |name: &&String| is_part(name) && !fails_to_remove(point, name);
        if let Some(part) = state.keys().find(is_left) {
            return Err(format!("left {part}"));
        }
        let state = &without_parts(state);
        match ran.code {
            Some(0) if !self.is_ignorable(point) => Err("exit code 0".into()),
            Some(0) => differs(&self.after, &without_failed(point, state), "exit code 0"),
            // The unreadable input was skipped: results cover the rest.
            Some(3) if point.is_read() => Ok(()),
            Some(1) => self.names_a_path(point, ran).and_then(|()| self.after_failure(state)),
            code => Err(format!("exit code {code:?}: {}", ran.stderr)),
        }
    }

    /// Returns whether the run may succeed though this call failed: reading again, making a folder that exists, removing leftovers, and syncing
    /// their removal.
    fn is_ignorable(&self, point: &Point) -> bool {
        let before = self.points.iter().take_while(|other| other.number < point.number);
        let is_removal = |other: &Point| matches!(&*other.operation, "unlink" | "rmdir");
        match &*point.operation {
            "sync" | "open_folder" => before
                .filter(|other| !other.is_read() && !other.is_sync())
                .last()
                .is_some_and(is_removal),
            operation => matches!(operation, "open_read" | "unlink" | "rmdir" | "mkdir" | "chmod"),
        }
    }

    /// Checks the files that a failed run has left.
    fn after_failure(&self, state: &Files) -> Result<(), String> {
        if let Some(table) = self.rules.table() {
            return self.table_is_whole(table, state);
        }
        index_violation(state)?;
        self.rules.run_violation([&self.before, &self.after], state)?;
        let outputs = |files: &Files| self.rules.outputs(regular(files));
        let same = |files: &Files| outputs(files) == outputs(state);
        match same(&self.before) || same(&self.after) {
            true => Ok(()),
            false => differs(&self.before, state, "neither all old nor all new"),
        }
    }

    /// Checks that a table has no other rows than it will have.
    fn table_is_whole(&self, table: &str, state: &Files) -> Result<(), String> {
        let rows = state.get(table).map_or(&[][..], Vec::as_slice);
        match self.after[table].starts_with(rows) {
            true => Ok(()),
            false => Err(format!("{table} has other rows")),
        }
    }

    /// Checks that standard error has one error line, which names a file.
    fn names_a_path(&self, point: &Point, ran: &Outcome) -> Result<(), String> {
        let start = format!("{}: error: ", self.line.split(' ').next().unwrap());
        let errors: Vec<&str> =
            ran.stderr.lines().filter(|line| line.starts_with(&start)).collect();
        let [message] = errors[..] else {
            return Err(format!("expected one error line, found: {}", ran.stderr));
        };
        let named = self.before.keys().chain(self.after.keys()).chain([&point.path, &point.second]);
        let mut named = named.map(|name| name.trim_end_matches('/').trim_end_matches(".part"));
        let is_named = named.any(|name| !name.is_empty() && name != "." && message.contains(name));
        let root = self.work.path("").display().to_string();
        let is_root = [".", root.trim_end_matches('/')]
            .iter()
            .any(|root| message[start.len()..].starts_with(&format!("{root}: ")));
        match is_named || is_root {
            true => Ok(()),
            false => Err(format!("no path in: {message}")),
        }
    }

    /// Checks the files of a run that was killed: each is old or new, and those that belong together agree.
    fn after_kill(&self, state: &Files) -> Result<(), String> {
        let state = &self.rules.comparable(state.clone());
        if let Some(table) = self.rules.table() {
            return self.table_is_whole(table, state);
        }
        for (name, content) in state.iter().filter(|(name, _)| !is_part(name)) {
            let is_known = |files: &Files| files.get(name) == Some(content);
            if !is_known(&self.before) && !is_known(&self.after) {
                return Err(format!("{name} is neither old nor new"));
            }
        }
        let is_lost = |name: &&String| self.must_exist(name) && !state.contains_key(*name);
        if let Some(name) = self.before.keys().find(is_lost) {
            return Err(format!("{name} is lost"));
        }
        self.lists_are_whole(state)?;
        self.manifests_belong(state)?;
        index_violation(state)?;
        self.rules.described_violation([&self.before, &self.after], state)?;
        self.results_belong(state)
    }

    /// Returns whether a file must exist at any time. A list and its manifest go before their data files change, the description of a
    /// method's run before its pairs, an empty folder before the one that replaces it.
    fn must_exist(&self, name: &str) -> bool {
        let is_exchanged = is_list(name)
            || self.rules.is_description(name)
            || name.ends_with(MANIFEST)
            || name.ends_with('/');
        self.after.contains_key(name) && !is_exchanged
    }

    /// Checks that a list exists only with all files of its run.
    fn lists_are_whole(&self, state: &Files) -> Result<(), String> {
        let found = regular(state);
        let is_whole = || found == regular(&self.before) || found == regular(&self.after);
        match self.lists.iter().find(|list| state.contains_key(*list) && !is_whole()) {
            Some(list) => Err(format!("{list} does not belong to its files")),
            None => Ok(()),
        }
    }

    /// Checks that a manifest exists only next to the file that it describes.
    fn manifests_belong(&self, state: &Files) -> Result<(), String> {
        let version = |name: &str| {
            let is_in = |files: &Files| files.get(name) == state.get(name);
            (is_in(&self.before), is_in(&self.after))
        };
        for manifest in state.keys().filter(|name| name.ends_with(MANIFEST)) {
            let described = manifest.strip_suffix(MANIFEST).unwrap();
            let (first, second) = (version(described), version(manifest));
            if state.contains_key(described) && !(first.0 && second.0 || first.1 && second.1) {
                return Err(format!("{manifest} does not belong to {described}"));
            }
        }
        Ok(())
    }

    /// Checks that a new index exists only with all results of its run.
    fn results_belong(&self, state: &Files) -> Result<(), String> {
        let heads = self.after.keys().filter(|name| name.ends_with("/index.json"));
        for head in heads.filter(|head| self.before.get(*head) != self.after.get(*head)) {
            let folder = head.strip_suffix("index.json").unwrap();
            let is_result = |name: &&String| !name.starts_with(folder) && !name.ends_with('/');
            let is_new = |name: &String| state.get(name) == self.after.get(name);
            let late = self.after.keys().filter(is_result).find(|name| !is_new(name));
            if let Some(name) = late.filter(|_| is_new(head)) {
                return Err(format!("{folder} is new and {name} is not"));
            }
        }
        Ok(())
    }

    /// Returns whether the run was complete and has written a folder, which another run refuses to replace.
    fn is_complete_folder(&self, state: &Files) -> bool {
        let is_old =
            |name: &String| self.before.contains_key(name) && !self.after.contains_key(name);
        let mut state = regular(state);
        // Older files of an index that could not be removed.
        state.retain(|name, _| !is_old(name));
        self.line.contains("/ --") && state == regular(&self.after)
    }

    /// Repeats the run in the folder, which has this state, and checks that it ends like an undisturbed one.
    fn completes(&self, state: &Files) -> Result<(), String> {
        // A state that was seen before ends in the same way.
        let is_known = !self.completed.borrow_mut().insert(hash_of(state));
        if is_known || self.is_complete_folder(state) {
            return Ok(());
        }
        self.count_run();
        let ran = self.work.run(&self.line);
        if ran.code != Some(0) {
            return Err(format!("rerun: exit code {:?}: {}", ran.code, ran.stderr));
        }
        let promised = |files: Files| -> Files {
            files.into_iter().filter(|(name, _)| self.is_promised(name)).collect()
        };
        let found = promised(self.rules.comparable(tree(&self.work.path(""))));
        differs(&promised(self.after.clone()), &found, "rerun")
    }
}

/// Compares the model with the files.
#[track_caller]
fn assert_same(model: &Files, found: &Files, when: &str) {
    let outcome = differs(model, found, "the files are not those of the log");
    assert_eq!(outcome, Ok(()), "{when}");
}

/// Returns the errors to inject into a call.
fn faults_of(point: &Point) -> impl Iterator<Item = Fault> + use<> {
    let (is_write, is_long) = (point.is_write(), point.data.len() > 1);
    let when = |condition: bool, fault: Fault| condition.then_some(fault);
    [
        Some(Fault::BrokenDisk),
        when(is_write || is_soak(), Fault::FullDisk),
        when(is_write && is_long, Fault::ShortWrite),
    ]
    .into_iter()
    .flatten()
}

/// Returns the files without the one that the failed call should have removed.
fn without_failed(point: &Point, state: &Files) -> Files {
    let mut files = state.clone();
    files.retain(|name, _| !fails_to_remove(point, name));
    files
}

/// Returns whether the failed call should have removed a file: it must stay then.
fn fails_to_remove(point: &Point, name: &str) -> bool {
    matches!(&*point.operation, "unlink" | "rmdir")
        && name.trim_end_matches('/').starts_with(&point.path)
}

fn is_list(name: &str) -> bool {
    name.trim_end_matches(".gz").ends_with("_paths")
}
