//! The thesis' scripts, run from a folder of their own on documents with relative paths.

use std::process::Command;

use crate::common::{Ran, Work, executable_path};

/// Runs a script of the project with the executables under test.
fn run(work: &Work, script: &str, arguments: &[&str]) -> Ran {
    let scripts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let bin = executable_path("create_bows").parent().unwrap().to_path_buf();
    let mut command = Command::new("bash");
    command.arg(scripts.join(script)).args(arguments).current_dir(work.path(""));
    command
        .env("NEARSIG_BIN", bin)
        .env("NEARSIG_EXP", work.path("exp"))
        .env("NEARSIG_RES", work.path("res"));
    Ran::from(command.output().unwrap())
}

#[track_caller]
fn ok(work: &Work, script: &str, arguments: &[&str]) {
    let ran = run(work, script, arguments);
    assert_eq!(ran.code, Some(0), "{script}\n{}", ran.stderr);
}

fn collection() -> Work {
    let work = Work::new();
    work.collection(&[
        ("texts/one two", "one fine day in the middle of the night once"),
        ("texts/other", "two dead men got up to fight"),
        ("texts/copy", "one fine day in the middle of the night"),
    ]);
    work.write("sample", "texts/one two\n");
    work
}

#[test]
fn the_scripts_run_from_documents_to_comparisons() {
    let work = collection();
    ok(&work, "bows_through_vecs_no_red.sh", &["doc_list", "--lines"]);
    ok(&work, "sigs.sh", &[]);
    ok(&work, "hamm_through_cmp_full.sh", &["sample", "--lines"]);
    ok(&work, "hamm_through_cmp_pleb.sh", &["sample", "--lines"]);
    for comparison in ["res/comparison_full", "res/comparison_pleb"] {
        let text = work.read(comparison);
        assert!(text.starts_with("Results for texts/one%20two:\ntexts/copy 95."), "{text}");
        assert!(text.contains("\nR 1.000000\n"), "{text}");
    }
    assert_eq!(work.read("res/summary_full.csv"), work.read("res/summary_pleb.csv"));
    assert!(work.read("exp/vec_paths").starts_with("USING_TF\nVELIKOST_SLOVNIKU 16\n"));
    assert!(work.read("exp/sig_paths").contains("DELKA_SIGNATUR_V_BITECH 1024\n"));
}

#[test]
fn the_reduced_vocabulary_has_no_term_of_one_document() {
    let work = collection();
    ok(&work, "bows_through_vecs_red.sh", &["doc_list", "--lines"]);
    let vocabulary = work.read("exp/voc_reduced");
    assert!(vocabulary.contains("\nnight 2 2\n") && !vocabulary.contains("once"), "{vocabulary}");
    assert!(work.read("exp/vec_paths").starts_with("USING_TF\nVELIKOST_SLOVNIKU 8\n"));
}

#[test]
fn a_missing_argument_is_told() {
    for script in
        ["bows_through_vecs_no_red.sh", "bows_through_vecs_red.sh", "hamm_through_cmp_full.sh"]
    {
        let ran = run(&Work::new(), script, &[]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.starts_with(&format!("usage: {script} ")), "{}", ran.stderr);
    }
}

#[test]
fn a_failing_stage_stops_the_script() {
    let work = Work::new();
    work.write("doc_list", "missing\n");
    let ran = run(&work, "bows_through_vecs_no_red.sh", &["doc_list"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("doc_list:1: missing: cannot open"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("create_voc"), "{}", ran.stderr);
}

#[test]
fn the_measuring_scripts_tell_their_usage() {
    for (script, usage) in [
        ("bench.sh", "[small|full]"),
        ("thesis_scale.sh", "[DOCUMENTS=644566]"),
        ("growth.sh", "[ten_million [DOCUMENTS] | DOCUMENTS…]"),
    ] {
        let work = Work::new();
        let ran = run(&work, script, &["-h"]);
        assert_eq!(ran.code, Some(2));
        assert_eq!(ran.stderr, format!("usage: {script} {usage}\n"));
        assert_eq!(work.files(), [""; 0]);
    }
    let work = Work::new();
    let ran = run(&work, "bench.sh", &["huge"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(2), "usage: bench.sh [small|full]\n"));
    assert_eq!(work.files(), [""; 0]);
}
