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

#[test]
fn every_check_passes_on_its_corpus() {
    for (name, check) in targets::TARGETS {
        for file in entries(&corpus().join(name)) {
            // Shown if the check panics.
            eprintln!("{}", file.display());
            check(&std::fs::read(&file).unwrap());
        }
    }
}

#[test]
fn every_check_passes_on_empty_and_foreign_input() {
    for (name, check) in targets::TARGETS {
        for input in [&b""[..], b"\n", b"\0", b"\xff\xfe\n\xff", b"{}\n", &[b'a'; 300]] {
            eprintln!("{name}: {input:?}");
            check(input);
        }
    }
}
