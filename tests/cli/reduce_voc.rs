//! reduce_voc: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_spellings, check_usage, check_values, truncated_gzip, with,
};
use crate::common::{Work, gzip};

const FILES: &str = "reduce_voc --old_voc_name voc --new_voc_name small";
const LINE: &str = "reduce_voc --old_voc_name voc --new_voc_name small --min_tf 1 --max_tf 9";

/// Six terms of ten documents. TC · ln(N/DC) is, in this order: 0, 6.24, 3.67, 4.83, 16.12, 2.30.
const VOC: &str = "VELIKOST_SLOVNIKU 6\nVELIKOST_KOLEKCE 10\n\
                   all 20 10\nmany 9 5\nsome 4 4\nfew 3 2\nrare 7 1\nonce 1 1\n";

const LEGAL_PAIRS: [[&str; 2]; 6] = [
    ["min_tf", "max_tf"],
    ["min_tf", "count"],
    ["min_df", "max_df"],
    ["min_df", "count"],
    ["min_tf_idf", "max_tf_idf"],
    ["min_tf_idf", "count"],
];

fn prepare(work: &Work) {
    work.write("voc", VOC);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the terms that stay with these limits; checks the headers.
#[track_caller]
fn kept(limits: &str) -> Vec<String> {
    let work = prepared();
    work.ok(&format!("{FILES} {limits}"));
    let small = work.read("small");
    let terms: Vec<&str> = small.lines().skip(2).collect();
    assert!(
        small.starts_with(&format!("VELIKOST_SLOVNIKU {}\nVELIKOST_KOLEKCE 10\n", terms.len()))
    );
    assert!(terms.iter().all(|term| VOC.contains(&format!("\n{term}\n"))), "{small}");
    terms.iter().map(|term| term.split(' ').next().unwrap().to_string()).collect()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "reduce_voc",
        "Keeps the terms of a vocabulary within inclusive limits",
        &[
            "old_voc_name",
            "new_voc_name",
            "min_tf",
            "max_tf",
            "min_df",
            "max_df",
            "min_tf_idf",
            "max_tf_idf",
            "count",
        ],
    );
    check_required(LINE, &["old_voc_name", "new_voc_name"]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    for [minimum, upper] in LEGAL_PAIRS {
        check_spellings(prepare, &format!("{FILES} --{minimum} 2 --{upper} 5 --quiet"));
    }
}

#[test]
fn wrong_values_are_refused() {
    for [minimum, upper] in LEGAL_PAIRS {
        let line = format!("{FILES} --{minimum} 2 --{upper} 5");
        let reason = if upper == "count" { "invalid digit" } else { "expected a number" };
        check_values(&line, &[(minimum, "two", "expected a number"), (upper, "x", reason)]);
    }
    let counted = format!("{FILES} --min_tf 1 --count 2");
    check_values(&counted, &[("count", "-1", "invalid digit"), ("count", "1.5", "invalid digit")]);
}

#[test]
fn limits_that_are_not_numbers_are_refused() {
    let work = prepared();
    for flag in ["min_tf", "max_tf"] {
        work.refuses(&with(LINE, flag, "nan"));
    }
    assert!(!work.has("small"));
}

#[test]
fn limits_on_tf_are_inclusive() {
    assert_eq!(kept("-min_tf 3 -max_tf 9"), ["many", "some", "few", "rare"]);
    assert_eq!(kept("-min_tf 3.5 -max_tf 8.5"), ["some", "rare"]);
    assert_eq!(kept("-min_tf 9 -max_tf 3"), [""; 0]);
    assert_eq!(kept("-min_tf -5 -max_tf inf").len(), 6);
}

#[test]
fn limits_on_df_are_inclusive() {
    assert_eq!(kept("-min_df 2 -max_df 5"), ["many", "some", "few"]);
    assert_eq!(kept("-min_df 1 -max_df 1"), ["rare", "once"]);
}

#[test]
fn limits_on_tf_idf_are_inclusive() {
    assert_eq!(kept("-min_tf_idf 3.7 -max_tf_idf 10"), ["many", "few"]);
    assert_eq!(kept("-min_tf_idf 0 -max_tf_idf 0"), ["all"]);
    assert_eq!(kept("-min_tf_idf 16.11 -max_tf_idf 16.12"), ["rare"]);
}

#[test]
fn count_keeps_the_best_by_the_measure_of_the_minimum() {
    assert_eq!(kept("-min_tf 2 -count 3"), ["all", "many", "rare"]);
    assert_eq!(kept("-min_df 2 -count 3"), ["all", "many", "some"]);
    assert_eq!(kept("-min_tf_idf 2 -count 3"), ["many", "few", "rare"]);
    assert_eq!(kept("-min_df 4 -count 100"), ["all", "many", "some"], "the minimum holds too");
    assert_eq!(kept("-min_tf 0 -count 0"), [""; 0]);
}

#[test]
fn count_breaks_ties_by_order() {
    assert_eq!(kept("-min_df 1 -count 5"), ["all", "many", "some", "few", "rare"]);
}

#[test]
fn every_combination_but_the_legal_pairs_is_refused() {
    let flags = ["min_tf", "max_tf", "min_df", "max_df", "min_tf_idf", "max_tf_idf", "count"];
    let work = prepared();
    for chosen in 0..1 << flags.len() {
        let given: Vec<&str> =
            (0..flags.len()).filter(|at| chosen >> at & 1 == 1).map(|at| flags[at]).collect();
        let limits: String = given.iter().map(|flag| format!(" -{flag} 1")).collect();
        if LEGAL_PAIRS.iter().any(|pair| pair[..] == given) {
            work.ok(&format!("{FILES}{limits}"));
            std::fs::remove_file(work.path("small")).unwrap();
            continue;
        }
        let told = work.refuses(&format!("{FILES}{limits}"));
        for [minimum, upper] in LEGAL_PAIRS {
            assert!(told.contains(&format!("--{minimum} and --{upper}")), "{limits}: {told}");
        }
        assert!(!work.has("small"), "{limits}");
    }
}

#[test]
fn a_vocabulary_does_not_replace_itself() {
    let work = prepared();
    let told = work.fails("reduce_voc -old_voc_name voc -new_voc_name voc -min_df 5 -count 9");
    assert!(told.contains("voc: is a file that this run reads"), "{told}");
    assert_eq!(work.read("voc"), VOC);
}

#[test]
fn compression_goes_by_name_on_writing_and_by_content_on_reading() {
    let work = Work::new();
    work.write("voc", gzip(VOC.as_bytes()));
    work.ok("reduce_voc -old_voc_name voc -new_voc_name small.gz -min_df 5 -count 1");
    assert_eq!(std::fs::read(work.path("small.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(work.read("small.gz"), "VELIKOST_SLOVNIKU 1\nVELIKOST_KOLEKCE 10\nall 20 10\n");
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = Work::new();
    let ran = work.run_with_input(
        "reduce_voc -old_voc_name - -new_voc_name - -min_df 10 -max_df 10",
        VOC.as_bytes(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, "VELIKOST_SLOVNIKU 1\nVELIKOST_KOLEKCE 10\nall 20 10\n");
}

#[test]
fn a_closed_pipe_is_success() {
    let work = prepared();
    let line = "reduce_voc -old_voc_name voc -new_voc_name - -min_df 1 -max_df 9";
    check_closed_pipe(&work, line);
    let terms: String = (0..100_000).map(|n| format!("term{n} 1 1\n")).collect();
    work.write("voc", format!("VELIKOST_SLOVNIKU 100000\nVELIKOST_KOLEKCE 1\n{terms}"));
    check_reader_that_leaves(&work, line);
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    let line = format!("{FILES} -min_df 2 -max_df 5");
    check_manners(&prepared(), &line, "read 6 terms, skipped 3 outside the limits, wrote 3 terms");
}

#[test]
fn errors_in_the_vocabulary_name_the_line() {
    let size = "expected 'VELIKOST_SLOVNIKU' and a number, found ";
    let collection = "expected 'VELIKOST_KOLEKCE' and a number, found ";
    let head = "VELIKOST_SLOVNIKU 1\nVELIKOST_KOLEKCE 3\n";
    let wrong_term = |line: &str| format!("{head}{line}\n").into_bytes();
    let told_term = |line: &str| format!("voc:3: expected term TC DC, found '{line}'");
    let bounds = "voc:3: expected 1 <= DC <= TC and DC <= 3, found ";
    check_contents(
        &prepared(),
        LINE,
        "voc",
        &[
            (b"", "error: voc:1: expected VELIKOST_SLOVNIKU, found the end of the file"),
            (b"x 1 1\n", &format!("voc:1: {size}'x 1 1'")),
            (b"VELIKOST_SLOVNIKU x\n", &format!("voc:1: {size}'VELIKOST_SLOVNIKU x'")),
            (
                b"VELIKOST_SLOVNIKU 1\n",
                "voc:2: expected VELIKOST_KOLEKCE, found the end of the file",
            ),
            (b"VELIKOST_SLOVNIKU 1\nx 1 1\n", &format!("voc:2: {collection}'x 1 1'")),
            (&wrong_term("x"), &told_term("x")),
            (&wrong_term("x 1"), &told_term("x 1")),
            (&wrong_term(" 1 1"), &told_term(" 1 1")),
            (&wrong_term("x y 1 1"), &told_term("x y 1 1")),
            (&wrong_term("x many 1"), &told_term("many")),
            (&wrong_term("x 1 few"), &told_term("few")),
            (&wrong_term("x 1 0"), &format!("{bounds}'x 1 0'")),
            (&wrong_term("x 1 2"), &format!("{bounds}'x 1 2'")),
            (&wrong_term("x 9 4"), &format!("{bounds}'x 9 4'")),
            (
                head.as_bytes(),
                "voc: expected 1 terms as in the header, found 0 (truncated or mixed files?)",
            ),
            (&wrong_term("x 1 1\ny 1 1"), "voc: expected 1 terms as in the header, found 2"),
            (
                &wrong_term("x 1 1")[..head.len() + 5],
                "voc:3: expected a newline at the end of the line",
            ),
            (b"VELIKOST_SLOVNIKU \xff\n", "voc:1: expected UTF-8, found 'VELIKOST_SLOVNIKU "),
            (&truncated_gzip(VOC.as_bytes()), "expected readable data, found "),
        ],
    );
    let told = Work::new().fails(LINE);
    assert!(told.starts_with("reduce_voc: error: voc: cannot open: "), "{told}");
}

#[test]
fn a_file_that_another_run_is_writing_is_left_alone() {
    let work = prepared();
    work.write("small.part", "the other run's");
    let part = std::fs::File::open(work.path("small.part")).unwrap();
    part.lock().unwrap();
    let told = work.fails(LINE);
    assert!(told.contains("small: cannot create: another run is writing "), "{told}");
    assert_eq!(work.read("small.part"), "the other run's");
    part.unlock().unwrap();
    work.ok(LINE);
    assert!(!work.has("small.part"), "what a killed run left is taken over");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let told = prepared().fails(&with(LINE, "new_voc_name", "/dev/full"));
    assert!(told.starts_with("reduce_voc: error: /dev/full: cannot write: "), "{told}");
}

#[test]
fn a_folder_is_not_overwritten() {
    let work = prepared();
    work.write("small/file", "");
    let told = work.fails(LINE);
    assert!(told.contains("small: cannot create: is a directory"), "{told}");
}
