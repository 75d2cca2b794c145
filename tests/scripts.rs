//! Tests of the shell scripts: the six of the thesis, measurements and the small experiments.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::common::{Outcome, Work, executable_path};

/// Returns the path of a script, from the folder `scripts`.
pub fn path(script: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script)
}

/// Runs a script with the executables under test. Working data and results go to `exp` and `res` of the folder.
pub fn run(work: &Work, script: &str, arguments: &[&str]) -> Outcome {
    run_with_folders(work, "exp", "res", script, arguments)
}

/// Runs a script with the executables under test and these folders of working data and results.
fn run_with_folders(
    work: &Work,
    exp: &str,
    res: &str,
    script: &str,
    arguments: &[&str],
) -> Outcome {
    let bin = executable_path("create_bows").parent().unwrap().to_path_buf();
    let mut command = Command::new("bash");
    command.arg(path(script)).args(arguments).current_dir(work.path(""));
    command.env("NEARSIG_BIN", bin).env("NEARSIG_EXP", exp).env("NEARSIG_RES", res);
    command.env("NEARSIG_VENV", python_environment());
    Outcome::from(command.output().unwrap())
}

/// Returns the Python environment of the scripts. Creates it once for all tests: NEARSIG_VENV, or `exp/venv` of the project.
fn python_environment() -> &'static Path {
    static ENVIRONMENT: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = std::env::var_os("NEARSIG_VENV").map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| path("../exp/venv"));
        let mut command = Command::new("bash");
        command.arg(path("report/run.sh")).args(["page", "-h"]).env("NEARSIG_VENV", &folder);
        let outcome = Outcome::from(command.output().unwrap());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        folder
    });
    &ENVIRONMENT
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
fn thesis_scripts_go_from_documents_to_comparisons() {
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
fn folders_may_be_relative_and_have_spaces() {
    let work = collection();
    for (script, arguments) in [
        ("bows_through_vecs_red.sh", &["doc_list", "--lines"][..]),
        ("sigs.sh", &[]),
        ("hamm_through_cmp_full.sh", &["sample", "--lines"]),
        ("quickstart.sh", &[]),
        ("dev/pipeline_sample.sh", &[]),
    ] {
        let ran = run_with_folders(&work, "working data", "my results", script, arguments);
        assert_eq!(ran.code, Some(0), "{script}\n{}", ran.stderr);
    }
    for file in ["comparison_full", "quickstart/report.html", "pipeline_sample/summary.csv"] {
        assert!(work.has(format!("my results/{file}")), "{file}");
    }
}

#[test]
fn quick_start_finds_the_pairs_of_the_sample() {
    let work = Work::new();
    let ran = run(&work, "quickstart.sh", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let line = "284 pairs found; 284 are the same chapter in two translations (of 300 such pairs)";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    assert!(work.read("res/quickstart/report.html").contains("</html>"));
}

#[test]
fn reduced_vocabulary_omits_terms_of_one_document() {
    let work = collection();
    ok(&work, "bows_through_vecs_red.sh", &["doc_list", "--lines"]);
    let vocabulary = work.read("exp/voc_reduced");
    assert!(vocabulary.contains("\nnight 2 2\n") && !vocabulary.contains("once"), "{vocabulary}");
    assert!(work.read("exp/vec_paths").starts_with("USING_TF\nVELIKOST_SLOVNIKU 8\n"));
}

#[test]
fn missing_argument_prints_usage() {
    for script in
        ["bows_through_vecs_no_red.sh", "bows_through_vecs_red.sh", "hamm_through_cmp_full.sh"]
    {
        let ran = run(&Work::new(), script, &[]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.starts_with(&format!("usage: {script} ")), "{}", ran.stderr);
    }
}

#[test]
fn failing_stage_ends_the_script() {
    let work = Work::new();
    work.write("doc_list", "missing\n");
    let ran = run(&work, "bows_through_vecs_no_red.sh", &["doc_list"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("doc_list:1: missing: cannot open"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("create_voc"), "{}", ran.stderr);
}

#[test]
fn measurement_scripts_print_their_usage() {
    for (script, usage) in [
        ("bench.sh", "[small|full] [pipeline|find_near_dups [COMMIT]|real|all]"),
        ("bench/thesis_scale.sh", "[DOCUMENTS=644566]"),
        ("bench/growth.sh", "[ten_million [DOCUMENTS] | DOCUMENTS…]"),
        ("bench/pleb_recall.sh", "[DOCUMENTS=100000]"),
        (
            "bench/scale.sh",
            "[DOCUMENTS=400000 [SHARDS=8] | large [DOCUMENTS=10000000 [SHARDS=15 [PART=2000000]]] | page [FOLDER]]",
        ),
        ("reproduce.sh", "[NAME|all] [--small] [--check]"),
        ("copied_passages.sh", "[--small] [--check] [--pan13 DIR] [--wikipedia_versions DIR]"),
    ] {
        let work = Work::new();
        let ran = run(&work, script, &["-h"]);
        assert_eq!(ran.code, Some(2));
        let name = script.rsplit('/').next().unwrap();
        assert_eq!(ran.stderr, format!("usage: {name} {usage}\n"));
        assert_eq!(work.files(), [""; 0]);
    }
    let work = Work::new();
    let ran = run(&work, "bench.sh", &["huge"]);
    assert_eq!(
        (ran.code, &*ran.stderr),
        (Some(2), "usage: bench.sh [small|full] [pipeline|find_near_dups [COMMIT]|real|all]\n")
    );
    assert_eq!(work.files(), [""; 0]);
}

/// Returns documents and stage of each row of a stage table, after checking its other columns.
fn stages(work: &Work, table: &str) -> Vec<String> {
    let text = work.read(table);
    let mut lines = text.lines();
    let header = "documents,stage,seconds,peak_mb,wrote,what,command,commit";
    assert_eq!(lines.next(), Some(header));
    let one = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), 8, "{line}");
        assert!(fields[2].parse::<f64>().is_ok() && fields[3].parse::<f64>().is_ok(), "{line}");
        format!("{} {}", fields[0], fields[1])
    };
    lines.map(one).collect()
}

#[test]
fn thesis_scale_runs_on_a_small_collection() {
    let work = Work::new();
    ok(&work, "bench/thesis_scale.sh", &["300"]);
    let expected = "create_corpus create_bows create_voc reduce_voc create_vecs create_sigs \
        hamming_50 hamming_100 hamming_full similarity";
    let expected: Vec<String> =
        expected.split_whitespace().map(|stage| format!("300 {stage}")).collect();
    assert_eq!(stages(&work, "res/bench_small/thesis_scale.csv"), expected);
    let page = work.read("res/bench_small/README.md");
    for stage in ["create_corpus", "hamming_50", "similarity"] {
        assert!(page.contains(&format!("| `{stage}` | ")), "{page}");
    }
    // An exact search finds all copies with one edited word in a hundred.
    let planted = work.read("res/bench_small/thesis_scale_planted.csv");
    assert!(planted.starts_with("edit_share,search,planted,found,share_found\n"), "{planted}");
    assert!(planted.contains("\n0.01,similarity,6,6,1.0000\n"), "{planted}");
    assert!(!work.has("exp/thesis_scale"), "working data left behind");
}

#[test]
fn growth_searches_signatures_of_short_documents() {
    let work = Work::new();
    ok(&work, "bench/growth.sh", &["ten_million", "300"]);
    let expected = "create_corpus create_bows create_voc reduce_voc create_vecs create_sigs \
        hamming_full_95 hamming_95";
    let expected: Vec<String> =
        expected.split_whitespace().map(|stage| format!("300 {stage}")).collect();
    assert_eq!(stages(&work, "res/bench_small/ten_million.csv"), expected);
    assert!(!work.has("exp/growth"), "working data left behind");
}

#[test]
fn pleb_recall_covers_every_shift_count() {
    let work = Work::new();
    ok(&work, "bench/pleb_recall.sh", &["300"]);
    let rows = work.read("res/bench_small/pleb_recall.csv");
    assert!(rows.starts_with("shift_count,iteration,known,all,share,estimate\n"), "{rows}");
    let page = work.read("res/bench_small/README.md");
    for shift in ["1", "10", "70", "1000", "full"] {
        assert!(rows.contains(&format!("\n{shift},1,")), "{rows}");
        assert!(page.contains(&format!("| {shift} | ")), "{page}");
    }
    assert!(!work.has("exp/pleb_recall"), "working data left behind");
}

#[test]
fn reproduce_measures_and_checks_a_small_experiment() {
    let work = Work::new();
    let ran = run(&work, "reproduce.sh", &["--small", "ranges", "--check"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("== ranges ("), "{}", ran.stdout);
    let last = ran.stdout.lines().last().unwrap();
    assert!(last.starts_with("reproduce.sh: ranges --small: "), "{last}");
    assert!(work.has("exp/collections/sample.jsonl") && !work.has("exp/collections/debian.jsonl"));
    let checks = work.read("res/experiments/checks-small");
    assert!(checks.lines().count() > 10, "{checks}");
    assert!(checks.lines().all(|line| line.starts_with("ranges: ok ")), "{checks}");

    // A wrong value is printed and fails the script. Existing rows are not measured again.
    let table = "res/experiments/ranges-small-planes.csv";
    let text = work.read(table);
    let row = text.lines().nth(1).unwrap();
    let mut cells: Vec<&str> = row.split(',').collect();
    cells[7] = "99";
    work.write(table, text.replacen(row, &cells.join(","), 1));
    let ran = run(&work, "reproduce.sh", &["ranges", "--small", "--check"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("measured before, wrote 0 rows"), "{}", ran.stderr);
    assert!(ran.stdout.contains("\nranges: off planes collection=sample "), "{}", ran.stdout);
    let ran = run(&work, "reproduce.sh", &["ranges", "--small"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn reproduce_rejects_unknown_arguments() {
    for arguments in [&["koran"][..], &["ranges", "theory"], &["ranges", "--large"]] {
        let work = Work::new();
        let ran = run(&work, "reproduce.sh", arguments);
        let usage = "usage: reproduce.sh [NAME|all] [--small] [--check]\n";
        assert_eq!((ran.code, &*ran.stderr), (Some(2), usage), "{arguments:?}");
        assert_eq!(work.files(), [""; 0]);
    }
}

/// Runs the tasks that plan.sh writes, all shards of a stage one after the other.
fn run_plan(work: &Work, arguments: &[&str]) -> Vec<String> {
    let plan = run(work, "shards/plan.sh", arguments);
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    let mut stages = Vec::new();
    for line in plan.stdout.lines() {
        let [name, count, file, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        for shard in 1..=count.parse().unwrap_or(0).max(1) {
            let mut command = Command::new("bash");
            command.arg(file).args([&shard.to_string(), "1"]);
            let ran = Outcome::from(command.output().unwrap());
            assert_eq!(ran.code, Some(0), "{line}: {shard}\n{}", ran.stderr);
        }
        stages.push(name.to_string());
    }
    stages
}

#[test]
fn a_sweep_in_shards_gives_the_table_of_one_run() {
    let work = crate::cli::run_experiment::experiment(crate::cli::run_experiment::SEVERAL);
    work.ok(crate::cli::run_experiment::LINE);
    std::fs::create_dir_all(work.path("exp")).unwrap();
    std::fs::rename(work.path("collections"), work.path("exp/collections")).unwrap();
    let arguments = ["sweep", "exp/test", "--shards", "3", "--out", "tables of shards"];
    assert_eq!(run_plan(&work, &arguments), ["run_experiment", "merge_tables"]);
    for name in ["test-approximation.csv", "test-density.csv"] {
        let merged = work.read(format!("tables of shards/{name}"));
        assert_eq!(merged, work.read(format!("res/{name}")));
    }
    let is_part = |name: &String| name.starts_with("tables") && name.contains("-of-");
    assert!(!work.files().iter().any(is_part));
}

#[test]
fn plans_refuse_wrong_arguments() {
    let work = collection();
    for (arguments, message) in [
        (&["chain", "texts"][..], "expected --out DIR, found none"),
        (&["chain", "--out", "x"], "expected documents or an experiment, found none"),
        (
            &["chain", "texts", "--out", "x", "--shards", "0"],
            "--shards: expected a number from 1 to 100000, found '0'",
        ),
        (
            &["chain", "texts", "--out", "x", "--search", "none"],
            "--search: expected hamming, hamming_full or similarity, found 'none'",
        ),
        (
            &["chain", "texts", "--out", "x", "--mem", "1G"],
            "unexpected argument '--mem'; options of the engine follow '--'",
        ),
        (&["chain", "texts", "--flags", "none", "x"], "--flags: expected one of"),
        (&["sweep", "none"], "none: expected an experiment, a folder of exp/"),
        (&["other", "texts"], "expected chain, near_dups or sweep, found 'other'"),
    ] {
        let ran = run(&work, "shards/plan.sh", arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}");
        assert!(ran.stderr.starts_with(&format!("plan.sh: {message}")), "{}", ran.stderr);
    }
    for engine in ["slurm", "parallel"] {
        for workflow in ["chain", "near_dups", "sweep"] {
            let ran = run(&work, &format!("{engine}/{workflow}.sh"), &[]);
            assert_eq!(ran.code, Some(2));
            assert!(ran.stderr.starts_with(&format!("usage: {workflow}.sh ")), "{}", ran.stderr);
        }
    }
}
