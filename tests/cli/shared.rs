//! Behavior that all executables share: usage, spellings of flags, messages, closed pipes.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Stdio;

use crate::common::{Outcome, Work};

/// Flags that every executable has.
const COMMON_FLAGS: [&str; 6] = ["threads", "no_sync", "verbose", "quiet", "help", "version"];

/// More than a pipe and the buffers before it can hold: who writes this much notices that nobody reads.
const MORE_THAN_ANY_BUFFER: usize = 1 << 20;

/// Checks the help text (how it begins, that each flag is described, its two examples), a run without arguments, the version, and the answer
/// to an unknown flag.
#[track_caller]
pub fn check_usage(executable: &str, about: &str, flags: &[&str]) {
    let work = Work::new();
    let help = work.ok(&format!("{executable} -h"));
    assert!(help.stdout.starts_with(about), "{}", help.stdout);
    let mut expected: Vec<&str> = flags.iter().chain(&COMMON_FLAGS).copied().collect();
    // Stages in shards have both flags; run_experiment always keeps its rows.
    if flags.contains(&"shard") && !flags.contains(&"merge_shards") {
        expected.push("resume");
    }
    let described = described_flags(&help.stdout);
    let mut names: Vec<&str> = described.iter().map(|(name, _)| *name).collect();
    expected.sort_unstable();
    names.sort_unstable();
    assert_eq!(names, expected);
    for (name, meaning) in described {
        assert!(meaning.starts_with(char::is_uppercase), "--{name}: {meaning}");
    }
    assert_eq!(help.stderr, "");

    let long_help = work.ok(&format!("{executable} --help"));
    for name in names {
        assert!(long_help.stdout.contains(&format!("--{name}")), "{name}");
    }
    let nothing = work.run(executable);
    assert_eq!(nothing.code, Some(2));
    assert_eq!(nothing.stdout + &nothing.stderr, help.stdout);

    let version = format!("{executable} {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(work.ok(&format!("{executable} --version")).stdout, version);
    assert_eq!(work.ok(&format!("{executable} -V")).stdout, version);

    let refusal = work.refuses(&format!("{executable} --no_such_flag"));
    assert!(refusal.contains("unexpected argument '--no_such_flag'"), "{refusal}");
    let misspelled = work.refuses(&format!("{executable} -{}x y", flags[0]));
    let suggestion = format!("a similar argument exists: '--{}'", flags[0]);
    assert!(misspelled.contains(&suggestion), "{misspelled}");
    assert!(refusal.contains(&format!("Usage: {executable}")), "{refusal}");
    assert_eq!(work.files(), [""; 0], "telling the usage writes no file");
}

/// Returns the flags that a help text describes, each with the first line of its description.
fn described_flags(help: &str) -> Vec<(&str, &str)> {
    let mut flags = Vec::new();
    let options = help.split("\nExamples:\n").next().unwrap();
    // Deeper indentation holds descriptions, which may name flags too.
    let is_flag = |line: &&str| {
        let text = line.trim_start_matches(' ');
        text.starts_with('-') && (2..="  -v, ".len()).contains(&(line.len() - text.len()))
    };
    for line in options.lines().filter(is_flag) {
        let Some((_, flag)) = line.split_once("--") else { continue };
        let (head, meaning) = flag.split_once("  ").unwrap_or((flag, ""));
        flags.push((head.split([' ', '[']).next().unwrap(), meaning.trim_start()));
    }
    flags
}

/// Checks that the flags about a sample are refused where there is none.
#[track_caller]
pub fn check_sample_flags(line: &str) {
    let work = Work::new();
    for (flag, value) in [("-lines", ""), ("-id_file", "ids")] {
        let refusal = work.refuses(&format!("{line} {flag} {value}"));
        assert!(refusal.contains("--sample_list <FILE>"), "{flag} alone: {refusal}");
    }
}

/// Checks that a line whose flags are spelled `--like_this` is refused without any one of the required flags.
#[track_caller]
pub fn check_required(line: &str, required: &[&str]) {
    let work = Work::new();
    for flag in required {
        let refusal = work.refuses(&without(line, flag));
        assert!(refusal.contains("required arguments were not provided"), "{flag}: {refusal}");
        assert!(refusal.contains(&format!("--{flag} <")), "{flag}: {refusal}");
    }
    assert_eq!(work.files(), [""; 0]);
}

/// Checks that a line is refused for each of these values of its flags, with a message that names the flag, the value
/// and what is wrong.
#[track_caller]
pub fn check_values(line: &str, wrong: &[(&str, &str, &str)]) {
    let work = Work::new();
    for (flag, value, reason) in wrong {
        let refusal = work.refuses(&with(line, flag, value));
        let place = format!("invalid value '{value}' for '--{flag} <");
        assert!(refusal.contains(&place) && refusal.contains(reason), "{flag} {value}: {refusal}");
    }
    assert_eq!(work.files(), [""; 0]);
}

/// Returns a line without a flag and its value.
fn without(line: &str, flag: &str) -> String {
    let (before, after) = line.split_once(&format!(" --{flag} ")).expect("the line has the flag");
    let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
    format!("{before} {rest}")
}

/// Returns a line with a flag set to a value, in the spelling that also suits values like `-1`.
pub fn with(line: &str, flag: &str, value: &str) -> String {
    let is_there = line.contains(&format!(" --{flag} "));
    let others = if is_there { without(line, flag) } else { line.to_string() };
    format!("{others} --{flag}={value}")
}

/// Checks that a line whose flags are spelled `--like_this` does the same in every other spelling. Values must not begin with `-`.
#[track_caller]
pub fn check_spellings(prepare: impl Fn(&Work), line: &str) {
    let written = |line: &str| {
        let work = Work::new();
        prepare(&work);
        let before = work.files();
        let ran = work.ok(line);
        let after: Vec<String> = work.files();
        assert!(after.len() > before.len() || !ran.stdout.is_empty(), "{line} wrote nothing");
        let contents: BTreeMap<_, _> =
            after.into_iter().map(|name| (name.clone(), work.read_bytes(name))).collect();
        (contents, ran.stdout)
    };
    let expected = written(line);
    for spelled in spellings(line) {
        assert!(written(&spelled) == expected, "{spelled}\ndiffers from\n{line}");
    }
}

/// `-like_this`, `--like-this`, `-like-this`, and the first two with `=value`.
fn spellings(line: &str) -> Vec<String> {
    let mut words = line.split_whitespace();
    let executable = words.next().unwrap();
    let mut flags: Vec<(&str, Option<&str>)> = Vec::new();
    for word in words {
        match word.strip_prefix("--") {
            Some(name) => flags.push((name, None)),
            None => flags.last_mut().unwrap().1 = Some(word),
        }
    }
    let spell = |dashes: &str, joint: &str, equals: &str| {
        let one = |(name, value): &(&str, Option<&str>)| {
            let value = value.map(|value| format!("{equals}{value}")).unwrap_or_default();
            format!(" {dashes}{}{value}", name.replace('_', joint))
        };
        executable.to_string() + &flags.iter().map(one).collect::<String>()
    };
    vec![
        spell("-", "_", " "),
        spell("--", "-", " "),
        spell("-", "-", " "),
        spell("--", "_", "="),
        spell("-", "_", "="),
    ]
}

/// Returns the counts in the last line of an executable, which ends in time and (where the system reports it) memory.
#[track_caller]
pub fn counts(ran: &Outcome) -> &str {
    let line = ran.stderr.lines().last().expect("a last line");
    let (_, told) = line.split_once(": ").expect("the executable's name");
    let (counts, resources) = told.split_once("; ").expect("time and memory");
    let mut resources = resources.split(", ");
    let seconds = resources.next().unwrap().strip_suffix(" s").expect(line);
    assert!(seconds.parse::<f64>().unwrap() >= 0.0, "{line}");
    if let Some(memory) = resources.next() {
        let megabytes = memory.strip_prefix("peak memory ").and_then(|m| m.strip_suffix(" MB"));
        assert!(megabytes.expect(line).parse::<f64>().unwrap() > 0.0, "{line}");
    }
    counts
}

/// Checks the last line of a run and its name, that `-q` leaves nothing on either stream, and that `-q` and `-v` exclude each other.
#[track_caller]
pub fn check_manners(work: &Work, line: &str, expected: &str) {
    let executable = line.split(' ').next().unwrap();
    let ran = work.ok(line);
    assert_eq!(counts(&ran), expected, "{line}");
    assert!(ran.stderr.lines().all(|line| line.starts_with(&format!("{executable}: "))));
    assert_eq!(ran.stdout, "");
    for quiet in ["-q", "--quiet", "-quiet"] {
        let ran = work.ok(&format!("{line} {quiet}"));
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    }
    let refusal = work.refuses(&format!("{line} -q -v"));
    assert!(refusal.contains("cannot be used with"), "{refusal}");
}

/// Checks that a line that writes to standard output succeeds when nobody reads it any more.
#[track_caller]
pub fn check_closed_pipe(work: &Work, line: &str) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut words = line.split_whitespace();
    let mut command = work.command(words.next().unwrap());
    command.args(words).stdout(writer).stderr(Stdio::piped());
    let ran = Outcome::from(command.spawn().unwrap().wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
    assert!(!ran.stderr.contains("error"), "{line}\n{}", ran.stderr);
}

/// Checks that a line that writes a lot to standard output succeeds when its reader leaves in the middle, as `head` does.
#[track_caller]
pub fn check_reader_that_leaves(work: &Work, line: &str) {
    assert!(work.ok(line).stdout.len() > MORE_THAN_ANY_BUFFER, "too little output to notice");
    let mut words = line.split_whitespace();
    let mut command = work.command(words.next().unwrap());
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let ran = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
    assert!(!ran.stderr.contains("error"), "{line}\n{}", ran.stderr);
}

/// Checks that a line fails with each of these contents of one of its files, and says what is wrong with it.
#[track_caller]
pub fn check_contents(work: &Work, line: &str, file: &str, wrong: &[(&[u8], &str)]) {
    work.delete_manifests();
    for (content, message) in wrong {
        work.write(file, content);
        let told = work.fails(line);
        let shown = String::from_utf8_lossy(content);
        assert!(told.contains(message), "{shown:?}\n{told}\nshould tell\n{message}");
        assert_eq!(told.lines().count(), 1, "an error is one line: {told}");
    }
}

/// Returns where gzip data end before they should.
pub fn truncated_gzip(content: &[u8]) -> Vec<u8> {
    let whole = crate::common::gzip(content);
    whole[..whole.len() - 9].to_vec()
}
