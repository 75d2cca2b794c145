//! The kept corpus of the fuzz targets, through the same checks, without a fuzzer.

use std::path::{Path, PathBuf};

#[allow(dead_code)]
#[path = "fuzz/src/lib.rs"]
mod targets;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus")
}

/// Returns the entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_target_has_a_small_corpus_and_a_program() {
    let known: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    let mut sorted = known.clone();
    sorted.sort();
    let folders = entries(&corpus());
    assert!(folders.iter().map(|folder| folder.file_name().unwrap()).eq(sorted));
    let manifest = std::fs::read_to_string(corpus().with_file_name("Cargo.toml")).unwrap();
    for name in known {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        let program = corpus().with_file_name("fuzz_targets").join(format!("{name}.rs"));
        assert!(std::fs::read_to_string(program).unwrap().contains(&format!("\"{name}\"")));
        let files = entries(&corpus().join(name));
        assert!((1..=40).contains(&files.len()), "{name}: {} files", files.len());
        assert!(files.iter().all(|file| file.metadata().unwrap().len() <= 4096), "{name}");
    }
}

/// Runs a check; returns its name and the input if it panics.
fn failure(name: &str, check: targets::Target, what: &str, input: &[u8]) -> Option<String> {
    let outcome = std::panic::catch_unwind(|| check(input));
    outcome.err().map(|_| format!("{name}: {what}"))
}

#[test]
fn every_check_passes_on_its_corpus() {
    let mut failures = Vec::new();
    for (name, check) in targets::TARGETS {
        for file in entries(&corpus().join(name)) {
            let (what, input) = (file.display().to_string(), std::fs::read(&file).unwrap());
            failures.extend(failure(name, *check, &what, &input));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn every_check_passes_on_empty_and_foreign_input() {
    let inputs = [&b""[..], b"\n", b"\0", b"\xff\xfe\n\xff", b"{}\n", &[b'a'; 300]];
    let mut failures = Vec::new();
    for (name, check) in targets::TARGETS {
        for input in inputs {
            failures.extend(failure(name, *check, &format!("{input:?}"), input));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
