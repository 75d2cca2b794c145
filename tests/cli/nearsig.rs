//! The overview: what it lists, and that what it runs is what it names.

use std::process::Command;

use crate::cli::shared::check_closed_pipe;
use crate::common::{Outcome, Work, executable_path};
use nearsig::cli::tools;

/// Returns the names of all executables but this one, from their sources.
fn executables() -> Vec<String> {
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        path.file_stem().unwrap().to_str().unwrap().to_string()
    };
    let mut names: Vec<String> = std::fs::read_dir(sources).unwrap().map(name).collect();
    names.retain(|name| name != "nearsig");
    names.sort();
    names
}

#[test]
fn the_list_holds_all_executables() {
    let mut listed: Vec<&str> = tools::all().map(|tool| tool.name).collect();
    listed.sort();
    assert_eq!(listed, executables());
}

#[test]
fn each_purpose_begins_the_description() {
    let work = Work::new();
    for tool in tools::all() {
        let help = work.ok(&format!("{} -h", tool.name)).stdout;
        let about = help.split("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>();
        let about = about.join(" ");
        let rest = about.strip_prefix(&*tool.purpose()).unwrap_or_else(|| panic!("{about}"));
        let is_whole = rest.is_empty() || rest.starts_with(['.', ':']);
        assert!(is_whole, "{}: {rest}", tool.name);
    }
}

#[test]
fn without_arguments_it_lists_the_executables_by_group() {
    let work = Work::new();
    let ran = work.ok("nearsig");
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.starts_with("Finds near-duplicate documents"), "{}", ran.stdout);
    let mut rest = &*ran.stdout;
    for (heading, tools) in tools::GROUPS {
        rest = rest.split_once(&format!("\n{heading}:\n")).expect("the heading").1;
        for tool in tools {
            let (line, others) = rest.split_once('\n').unwrap();
            assert_eq!(line.split_whitespace().next(), Some(tool.name));
            assert!(line.ends_with(&format!("  {}", tool.purpose())), "{line}");
            rest = others;
        }
    }
    for other in ["nearsig help", "nearsig -h", "nearsig --help", "nearsig -help"] {
        assert_eq!(work.ok(other).stdout, ran.stdout, "{other}");
    }
    check_closed_pipe(&work, "nearsig");
    assert_eq!(work.files(), [""; 0]);
}

#[test]
fn it_prints_its_version() {
    let work = Work::new();
    for line in ["nearsig --version", "nearsig -V", "nearsig -version"] {
        assert_eq!(work.ok(line).stdout, format!("nearsig {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn it_runs_every_executable() {
    let work = Work::new();
    for tool in tools::all() {
        let name = tool.name;
        let help = work.ok(&format!("{name} --help")).stdout;
        let with_dashes = name.replace('_', "-");
        for line in [
            format!("nearsig {name} --help"),
            format!("nearsig help {name}"),
            format!("nearsig {with_dashes} --help"),
        ] {
            assert_eq!(work.ok(&line).stdout, help, "{line}");
        }
    }
}

#[test]
fn arguments_streams_and_exit_codes_are_passed_on() {
    let work = Work::new();
    work.write("a", "one two two\n");
    work.write("doc_list", "a\n");
    let ran = work.ok("nearsig create_bows -doc_list doc_list -bow_paths bow_paths -bow_dir bows");
    assert!(ran.stderr.starts_with("create_bows: read 1 "), "{}", ran.stderr);
    let list = work.read("bow_paths");
    let ran = work.run_with_input("nearsig create_voc -bow_paths - -voc_name -", list.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("two 2 1"), "{}", ran.stdout);
    for line in [
        "create_voc -bow_paths missing -voc_name voc",
        "create_voc --no_such_flag",
        "create_voc -- -bow_paths",
        "create_voc",
        "similarity -vec_paths - -threshold 101 -out x",
    ] {
        let (direct, through) = (work.run(line), work.run(&format!("nearsig {line}")));
        assert_ne!(direct.code, Some(0));
        let shown = |ran: &Outcome| (ran.code, ran.stdout.clone(), ran.stderr.clone());
        assert_eq!(shown(&through), shown(&direct), "{line}");
    }
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    let work = Work::new();
    for (line, unknown, hint) in [
        ("nearsig create_bow x", "create_bow", ": did you mean 'create_bows'?"),
        ("nearsig similarty --help", "similarty", ": did you mean 'similarity'?"),
        ("nearsig help hamming_ful", "hamming_ful", ": did you mean 'hamming_full'?"),
        ("nearsig frobnicate", "frobnicate", "; run 'nearsig' for a list"),
    ] {
        let message = format!("nearsig: error: unknown executable '{unknown}'{hint}\n");
        assert_eq!(work.refuses(line), message);
    }
    let refusal = work.refuses("nearsig help create_bows create_voc");
    assert!(refusal.contains("unexpected argument 'create_voc'"), "{refusal}");
    let refusal = work.refuses("nearsig --no_such_flag");
    assert!(refusal.contains("unexpected argument '--no_such_flag'"), "{refusal}");
    assert!(refusal.contains("Usage: nearsig NAME [ARGUMENT]..."), "{refusal}");
}

/// Runs a line of bash in a folder with a copy of `nearsig` alone in `own/`.
fn in_copy(work: &Work, line: &str) -> Outcome {
    let script = format!("mkdir -p own other && cp \"$NEARSIG\" own/nearsig\n{line}");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(work.path(""));
    command.env("NEARSIG", executable_path("nearsig"));
    Outcome::from(command.output().unwrap())
}

#[test]
fn executables_beside_it_come_before_those_in_the_path() {
    let fake = |folder: &str| {
        format!(
            "printf '#!/bin/sh\\necho {folder} \"$@\"; exit 7\\n' > {folder}/create_bows; chmod +x {folder}/create_bows\n"
        )
    };
    let run = "PATH=$PWD/other:$PATH own/nearsig create_bows 'a b' --flag";
    let work = Work::new();
    let ran = in_copy(&work, &(fake("other") + run));
    assert_eq!((ran.code, &*ran.stdout), (Some(7), "other a b --flag\n"), "{}", ran.stderr);
    let ran = in_copy(&work, &(fake("own") + run));
    assert_eq!((ran.code, &*ran.stdout), (Some(7), "own a b --flag\n"), "{}", ran.stderr);
}

#[test]
fn an_executable_that_is_not_there_is_named() {
    let ran = in_copy(&Work::new(), "PATH=$PWD/other own/nearsig create_bows");
    assert_eq!(ran.code, Some(1));
    let message = "nearsig: error: create_bows: cannot run: No such file or directory";
    assert!(ran.stderr.starts_with(message) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
}
