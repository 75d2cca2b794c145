//! The process of an executable: control characters in messages, closed streams, exhausted memory, signals.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::process::Command;

use crate::common::{Outcome, Work, executable_path};

/// Two copies of a document.
fn documents() -> Work {
    let work = Work::new();
    work.write("docs/a", "one two three");
    work.write("docs/b", "one two three");
    work
}

/// Runs a command line by a shell, which sets up limits and streams around `"$0" "$@"`.
fn shell(work: &Work, script: &str, line: &str) -> Outcome {
    let mut words = line.split_whitespace();
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(executable_path(words.next().unwrap())).args(words);
    Outcome::from(command.current_dir(work.path(".")).output().unwrap())
}

/// Runs an executable with arguments that may contain anything.
fn run(work: &Work, executable: &str, arguments: &[&str]) -> Outcome {
    Outcome::from(work.command(executable).args(arguments).output().unwrap())
}

#[track_caller]
fn assert_printable(ran: &Outcome, shown: &str) {
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    let is_control = |c: char| c != '\n' && c.is_control();
    assert!(!ran.stderr.contains(is_control), "{:?}", ran.stderr);
    assert!(!ran.stderr.contains('\u{202e}'), "{:?}", ran.stderr);
}

#[test]
fn messages_show_control_characters_escaped() {
    let work = documents();
    let name = "no\u{1b}]0;title\u{7}\nsuch\u{202e}file\r\u{9b}";
    let shown = r"no\u{1b}]0;title\u{7}\nsuch\u{202e}file\r\u{9b}";
    let ran = run(&work, "find_near_dups", &[name]);
    assert_eq!(ran.code, Some(1));
    assert_printable(&ran, &format!("find_near_dups: error: {shown}: cannot open"));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    // Unreadable input is skipped with a message.
    work.write(format!("docs/{name}.jsonl"), "{\n");
    let ran = run(&work, "find_near_dups", &["docs", "--out", "pairs.tsv"]);
    assert_eq!(ran.code, Some(3));
    assert_printable(&ran, shown);
}

#[test]
fn usage_errors_show_control_characters_escaped_and_keep_their_lines() {
    let work = documents();
    let plain = run(&work, "find_near_dups", &["docs", "--threshold", "x"]);
    let ran = run(&work, "find_near_dups", &["docs", "--threshold", "\u{1b}[31m\n\u{202e}"]);
    assert_eq!((ran.code, plain.code), (Some(2), Some(2)));
    assert_printable(&ran, r"'\u{1b}[31m\n\u{202e}'");
    assert_eq!(ran.stderr.lines().count(), plain.stderr.lines().count(), "{}", ran.stderr);
    for executable in ["find_near_dups", "nearsig"] {
        let ran = run(&work, executable, &["--no\u{1b}[2J\nflag"]);
        assert_eq!(ran.code, Some(2));
        assert_printable(&ran, r"--no\u{1b}[2J\nflag");
    }
    let ran = run(&work, "nearsig", &["\u{1b}c"]);
    assert_printable(&ran, r"unknown executable '\u{1b}c'");
}

#[test]
fn data_on_standard_output_stays_as_it_is() {
    let work = Work::new();
    work.write("docs/\u{1b}a", "one two three");
    work.write("docs/\u{1b}b", "one two three");
    let ran = work.ok("find_near_dups docs");
    assert!(ran.stdout.contains("\u{1b}a\t\u{1b}b"), "{}", ran.stdout);
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let work = documents();
    let closed = "exec \"$0\" \"$@\" >&-";
    for line in [
        "find_near_dups docs",
        "nearsig find_near_dups docs",
        "find_near_dups docs --clusters -",
        "create_corpus --doc_count 3 --out -",
        "nearsig",
    ] {
        let ran = shell(&work, closed, line);
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("error: standard output is closed"), "{line}: {}", ran.stderr);
    }
    // Whoever needs no standard output may close it.
    let ran = shell(&work, closed, "find_near_dups docs --out pairs.tsv");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(work.read("pairs.tsv").lines().count(), 2);
}

#[test]
fn a_closed_standard_input_is_an_error() {
    let work = documents();
    let closed = "exec \"$0\" \"$@\" <&-";
    for line in ["find_near_dups - --out pairs.tsv", "extract_similarities --result - --out pairs"]
    {
        let ran = shell(&work, closed, line);
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("standard input is closed"), "{line}: {}", ran.stderr);
    }
    let ran = shell(&work, closed, "find_near_dups docs --out pairs.tsv");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// Other programs open it for reading and writing.
#[test]
fn the_null_device_is_an_open_stream() {
    let work = documents();
    let null = || OpenOptions::new().read(true).write(true).open("/dev/null").unwrap();
    for tool in [&["find_near_dups", "docs"][..], &["nearsig", "find_near_dups", "docs"]] {
        let mut command = work.command(tool[0]);
        command.args(&tool[1..]).stdin(null()).stdout(null());
        let ran = Outcome::from(command.output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
}

#[test]
fn exhausted_memory_is_one_line() {
    let work = Work::new();
    let sizes = "VELIKOST_SLOVNIKU 4000000000\nVELIKOST_KOLEKCE 1\n";
    let header = format!("USING_TF\n{sizes}POCET_ZAZNAMU_VE_VEC_SOUBORECH 1\n");
    work.write("vec_paths", header + "vectors\n");
    work.write("vectors", "a:1 3999999999:1\n");
    let line = "similarity --vec_paths vec_paths --threshold 50 --out out --threads 1";
    let ran = shell(&work, "ulimit -v 4000000; exec \"$0\" \"$@\"", line);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let expected = "similarity: error: vec_paths: not enough memory for 4000000000 terms\n";
    assert_eq!(ran.stderr, expected);
    assert!(work.files().iter().all(|name| !name.starts_with("out")));
    // An allocation that no caller expects to fail.
    let line = "find_near_dups docs.jsonl --out pairs.tsv --threads 1";
    work.ok("create_corpus --doc_count 4000 --out docs.jsonl");
    let ran = shell(&work, "ulimit -v 40000; exec \"$0\" \"$@\"", line);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("find_near_dups: error: out of memory ("), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    work.ok(line);
}

#[test]
fn exit_codes_are_those_of_the_documentation() {
    let work = documents();
    work.write("far", "nothing in common");
    work.write("bad/record.jsonl", "{\n");
    let little = "ulimit -v 40000; exec \"$0\" \"$@\"";
    work.ok("create_corpus --doc_count 4000 --out many.jsonl");
    for (line, code) in [
        ("find_near_dups docs --out pairs.tsv", 0),
        ("find_near_dups docs/a far --out pairs.tsv", 0),
        ("find_near_dups --help", 0),
        ("find_near_dups --version", 0),
        ("nearsig --help", 0),
        ("find_near_dups missing --out pairs.tsv", 1),
        ("find_near_dups docs --out missing/pairs.tsv", 1),
        ("find_near_dups bad --out pairs.tsv", 1),
        ("create_bows docs bad --words --bow_paths paths --bow_dir bows", 1),
        ("find_near_dups docs --threshold 1.5 --out pairs.tsv", 2),
        ("find_near_dups docs --no_such_flag", 2),
        ("find_near_dups", 2),
        ("nearsig no_such_executable", 2),
        ("find_near_dups docs bad --out pairs.tsv", 3),
        ("report_pairs docs bad --pairs pairs.tsv --out page.html", 3),
    ] {
        let ran = work.run(line);
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.stderr);
    }
    // Memory that runs out is a failure, also where input was skipped before.
    for line in ["find_near_dups many.jsonl", "find_near_dups bad many.jsonl"] {
        let ran = shell(&work, little, &format!("{line} --out pairs.tsv --threads 1"));
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("error: out of memory ("), "{line}: {}", ran.stderr);
    }
}

#[test]
fn short_flags_are_those_of_out_and_threshold() {
    let work = documents();
    work.ok("find_near_dups docs -t 0.9 -o short.tsv");
    work.ok("find_near_dups docs --threshold 0.9 --out long.tsv");
    assert_eq!(work.read("short.tsv"), work.read("long.tsv"));
    let ran = work.ok("find_near_dups docs -t90 -o=-");
    assert_eq!(ran.stdout, work.read("long.tsv"));
    // Not the threads, and no beginning of another flag.
    assert!(work.refuses("create_corpus --doc_count 3 -o docs -t 2").contains("'-t'"));
    assert!(work.refuses("find_near_dups docs -ouput pairs.tsv").contains("'--ouput'"));
    assert!(!work.has("uput"));
    for tool in nearsig::cli::tools::all() {
        let help = work.ok(&format!("{} -h", tool.name)).stdout;
        for (long, short) in [("--out <", "-o, "), ("--threshold <", "-t, ")] {
            let mut flags = help.lines().map(|line| line.trim_start());
            assert!(!flags.any(|flag| flag.starts_with(long)), "{}: {long}", tool.name);
            assert!(!help.contains(short) || help.contains(&format!("{short}{long}")));
        }
    }
}

#[test]
fn the_last_line_names_every_output() {
    let work = documents();
    let line = "find_near_dups docs -o pairs.tsv --clusters clusters.csv --removed gone.jsonl --dedup clean/ --save_index index";
    let wrote = "read 2 documents, skipped 0, wrote pairs.tsv (1 pair), clusters.csv (1 cluster), gone.jsonl (1 removal), clean/ (1 document), index (2 documents)";
    let ran = work.ok(line);
    assert_eq!(crate::cli::shared::counts(&ran), wrote);
    let summary = "find_near_dups: 2 documents; 1 exact duplicate; 1 pair with cosine >= 0.8 in 1 cluster; 1 document (50.00 %) removable";
    assert!(ran.stderr.contains(summary), "{}", ran.stderr);
    let ran = work.ok("find_near_dups docs");
    assert_eq!(
        crate::cli::shared::counts(&ran),
        "read 2 documents, skipped 0, wrote standard output (1 pair)"
    );
    let ran = work.ok("find_near_dups docs --save_index other");
    assert_eq!(
        crate::cli::shared::counts(&ran),
        "read 2 documents, skipped 0, wrote other (2 documents)"
    );
}

#[test]
fn a_limit_on_file_sizes_fails_a_write() {
    let work = Work::new();
    let line = "create_corpus --doc_count 1000 --out docs.jsonl";
    let ran = shell(&work, "ulimit -f 1; exec \"$0\" \"$@\"", line);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("docs.jsonl: cannot write: File too large"), "{}", ran.stderr);
    assert_eq!(work.files(), [""; 0]);
}
