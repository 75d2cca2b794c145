//! evaluate_methods: usage, measures computed by hand, known pairs, samples, intervals, resuming, errors.

use super::shared::{check_required, check_usage, check_values, counts};
use crate::common::Work;

const LINE: &str = "evaluate_methods docs.jsonl --methods md5,cosine --out table.csv";
const WORDS: &str = "alpha bravo charlie delta echo foxtrot golf hotel india juliet";
const REVERSED: &str = "juliet india hotel golf foxtrot echo delta charlie bravo alpha";
const OTHER: &str = "quite another story";
const HEADER: &str = "method,pairs,recall_union,precision_string,precision_cosine,f1,precision_truth,recall_truth,f1_truth,seconds,bytes_per_document";

/// Returns a folder with two copies, the same words in another order, and another text.
fn prepared() -> Work {
    let work = Work::new();
    documents(&work, &[("a", WORDS), ("b", WORDS), ("e", REVERSED), ("d", OTHER)]);
    work
}

fn documents(work: &Work, texts: &[(&str, &str)]) {
    let line = |(id, text): &(&str, &str)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    work.write("docs.jsonl", texts.iter().map(line).collect::<String>());
}

/// Returns the cells of a table, row by row, without the header.
fn cells(table: &str) -> Vec<Vec<String>> {
    let mut lines = table.lines();
    assert!(lines.next().unwrap().starts_with(HEADER));
    lines.map(|line| line.split(',').map(String::from).collect()).collect()
}

/// Returns the rows of a run without the times.
#[track_caller]
fn rows(work: &Work, line: &str) -> Vec<String> {
    work.ok(line);
    let rows = cells(&work.read("table.csv")).into_iter();
    rows.map(|row| [&row[..9], &row[10..]].concat().join(",")).collect()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "evaluate_methods",
        "Runs fingerprint methods on one collection",
        &[
            "include",
            "exclude",
            "follow",
            "format",
            "text_field",
            "id_field",
            "encoding",
            "markup",
            "max_record",
            "max_ratio",
            "max_archive",
            "methods",
            "stop_words",
            "stem",
            "drop_digits",
            "fold_homoglyphs",
            "stop_word_file",
            "templates",
            "min_word_len",
            "max_group",
            "max_copies",
            "work",
            "truth",
            "beta",
            "similarity",
            "cosine",
            "max_judged",
            "intervals",
            "resamples",
            "rnd_seed",
            "out",
            "markdown",
        ],
    );
    check_required(LINE, &["out"]);
}

#[test]
fn wrong_values_are_refused() {
    let wrong = [
        ("methods", "md6", "expected all, or names among md5"),
        ("methods", "md5,", "expected all"),
        ("beta", "-1", "expected a number from 0 to 1000"),
        ("similarity", "0", "expected a share above 0"),
        ("cosine", "x", "expected a share"),
        ("max_judged", "0", "expected an integer of at least 1"),
        ("max_copies", "0", "expected an integer of at least 1"),
    ];
    check_values(LINE, &wrong);
    let told = prepared().refuses(&format!("{LINE} --resamples 10"));
    assert!(told.contains("--intervals"), "{told}");
    prepared().refuses("evaluate_methods docs.jsonl --out - --markdown -");
    prepared().refuses("evaluate_methods - --truth - --out table.csv");
}

/// The copies are one pair of three: recall 1/3, and all precisions 1. Of the pairs of equal words, only the copies have similar texts.
#[test]
fn measures_are_those_computed_by_hand() {
    let work = prepared();
    let found = rows(&work, LINE);
    assert!(found[0].starts_with("md5,1,0.333333,1.000000,1.000000,0.500000,,,,"), "{found:?}");
    // Six bytes for each of 33 words of 4 documents.
    assert_eq!(found[1], "cosine,3,1.000000,0.333333,1.000000,0.500000,,,,49.5");
    assert_eq!(work.read("table.csv").lines().next(), Some(HEADER));
    let ran = work.ok(LINE);
    assert_eq!(counts(&ran), "read 4 documents, skipped 0, wrote 2 methods");
}

#[test]
fn known_pairs_and_beta_count() {
    let work = prepared();
    work.write("truth.tsv", "original\tcopy\tedit_share\na\tb\t0\na\td\t0.5\n");
    let found = rows(&work, &format!("{LINE} --truth truth.tsv"));
    assert!(
        found[0]
            .starts_with("md5,1,0.333333,1.000000,1.000000,0.500000,1.000000,0.500000,0.666667,"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with(
            "cosine,3,1.000000,0.333333,1.000000,0.500000,0.333333,0.500000,0.400000,"
        ),
        "{found:?}"
    );
    // (4 + 1)·1/3/(4·1 + 1/3) = 5/13
    let found = rows(&work, &format!("{LINE} --beta 2"));
    assert!(found[0].starts_with("md5,1,0.333333,1.000000,1.000000,0.384615,"), "{found:?}");
    work.write("truth.tsv", "document_1\tdocument_2\na\tz\n");
    let told = work.fails(&format!("{LINE} --truth truth.tsv"));
    assert!(told.contains("truth.tsv:2: expected a document of the input, found 'z'"), "{told}");
}

#[test]
fn methods_that_find_nothing_have_no_precision() {
    let work = Work::new();
    documents(&work, &[("a", WORDS), ("d", OTHER)]);
    let found = rows(&work, LINE);
    assert!(found[0].starts_with("md5,0,,,,,,,,") && found[1].starts_with("cosine,0,,,,,,,,"));
}

#[test]
fn large_results_are_judged_by_a_sample() {
    let work = prepared();
    let ran = work.ok(&format!("{LINE} --max_judged 1 --markdown table.md"));
    let note = "Precision of cosine: by a random sample of 1 pair.";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let page = work.read("table.md");
    assert!(page.contains(note) && page.contains("| md5 | 1 | 0.333 | 1.000 |"), "{page}");
    assert!(page.contains("4 documents; string similarity ≥ 0.8, cosine ≥ 0.8, β = 1."), "{page}");
}

#[test]
fn intervals_are_more_columns_and_contain_the_value() {
    let work = prepared();
    let intervals = format!("{LINE} --intervals --resamples 100");
    work.ok(&intervals);
    let table = work.read("table.csv");
    assert!(table.lines().next().unwrap().ends_with(",f1_truth_low,f1_truth_high"));
    let row = &cells(&table)[1];
    let [value, low, high] = [2, 11, 12].map(|column| row[column].parse::<f64>().unwrap());
    assert!(low <= value && value <= high, "{row:?}");
    let without_times = |line: &str| rows(&work, line);
    assert_eq!(
        without_times(&format!("{intervals} --threads 1")),
        without_times(&format!("{intervals} --threads 3"))
    );
}

#[test]
fn a_second_run_reads_what_the_first_found() {
    let work = prepared();
    let line = format!("{LINE} --work runs");
    let first = work.ok(&line);
    assert!(!first.stderr.contains("from runs"), "{}", first.stderr);
    let table = work.read("table.csv");
    let files = ["cosine.json", "cosine.tsv.zst", "md5.json", "md5.tsv.zst"];
    let kept: Vec<String> =
        work.files().into_iter().filter(|name| name.starts_with("runs/")).collect();
    assert_eq!(kept, files.map(|name| format!("runs/{name}")));
    let second = work.ok(&line);
    assert!(second.stderr.contains("md5: 1 pair from runs/md5.tsv.zst"), "{}", second.stderr);
    assert_eq!(work.read("table.csv"), table);
    documents(&work, &[("a", WORDS), ("b", REVERSED)]);
    let third = work.ok(&line);
    let replaced =
        "runs/md5.json: a run of other documents, options or another version; it is replaced";
    assert!(third.stderr.contains(replaced), "{}", third.stderr);
    assert!(work.read("table.csv").contains("\nmd5,0,"));
    work.write("runs/md5.tsv.zst", "similarity\tdocument_1\tdocument_2\n1.0\ta\tb\n");
    let told = work.fails(&line);
    assert!(told.contains("md5.tsv.zst: expected 0 pairs as in the header, found 1"), "{told}");
}

#[test]
fn filters_shape_the_words_of_methods() {
    let work = Work::new();
    documents(&work, &[("a", "The dogs bark 7 times"), ("b", "dogs bark times of"), ("c", OTHER)]);
    work.write("words", "7\n");
    let line = "evaluate_methods docs.jsonl --methods md5,cosine --cosine 0.99 --out table.csv --work runs";
    let counts = |flags: &str| -> Vec<String> {
        let rows = rows(&work, &format!("{line} {flags}")).into_iter();
        rows.map(|row| row.split(',').nth(1).unwrap().into()).collect()
    };
    assert_eq!(counts(""), ["0", "0"]);
    // The cosine is that of all words.
    assert_eq!(counts("--stop_words en --drop_digits"), ["1", "0"]);
    assert_eq!(counts("--min_word_len 4"), ["1", "0"]);
    assert_eq!(counts("--stop_words en"), ["0", "0"]);
    assert_eq!(counts("--stop_words en --stop_word_file words"), ["1", "0"]);
    work.write("words", "8\n");
    assert_eq!(counts("--stop_words en --stop_word_file words"), ["0", "0"]);
    let told = work.refuses(&format!("{line} --templates - --truth -"));
    assert!(told.contains("only one input can be standard input"), "{told}");
}

#[test]
fn all_methods_run_on_odd_documents() {
    let work = Work::new();
    let long = "one two three. ".repeat(300);
    documents(
        &work,
        &[
            ("empty", ""),
            ("blank", " "),
            ("word", "word"),
            ("marks", "!?"),
            ("nul", "a\\u0000b"),
            ("x", &long),
            ("y", &long),
        ],
    );
    let found = rows(&work, "evaluate_methods docs.jsonl --methods all,cosine --out table.csv");
    assert_eq!(found.len(), 20);
    assert!(found[0].starts_with("md5,1,"), "{found:?}");
}
