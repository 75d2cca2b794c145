//! extract_similarities: usage, flags, output, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_spellings, check_usage, check_values,
};
use crate::common::{Work, gzip};

const LINE: &str = "extract_similarities --result result --out out";
const RESULT: &str = "a(b):c%20d:90.5:e(f):-10\nc%20d:a:90.5:b:0\ng\n";

fn prepare(work: &Work) {
    work.write("result", RESULT);
    work.write("names", "c%20d f\n");
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

#[track_caller]
fn check(flags: &str, expected: &str) {
    let work = prepared();
    work.ok(&format!("{LINE} {flags}"));
    assert_eq!(work.read("out"), expected, "{flags}");
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "extract_similarities",
        "Writes the pairs of a result as lines",
        &[
            "result",
            "out",
            "all_pairs",
            "values_only",
            "positive_share",
            "collection_size",
            "leave_out",
            "lines",
        ],
    );
    check_required(LINE, &["result", "out"]);
    let shares = format!("{LINE} --positive_share");
    check_values(
        &shares,
        &[
            ("collection_size", "0", "expected an integer of at least 1"),
            ("collection_size", "-5", "expected an integer of at least 1"),
        ],
    );
    let work = Work::new();
    for (flags, missing) in [
        ("--positive_share", "--collection_size <N>"),
        ("--collection_size 5", "--positive_share"),
        ("--leave_out names", "--positive_share"),
        ("--lines", "--leave_out <FILE>"),
        ("--positive_share --collection_size 5 --values_only", "cannot be used with"),
        ("--result=- --positive_share --collection_size 5 --leave_out -", ""),
    ] {
        let line = if flags.contains("result") {
            LINE.replace("--result result", "")
        } else {
            LINE.into()
        };
        let refusal = work.refuses(&format!("{line} {flags}"));
        assert!(refusal.contains(missing), "{flags}: {refusal}");
    }
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(prepare, &format!("{LINE} --values_only --all_pairs --threads 1 --verbose"));
    let shares = "--positive_share --collection_size 5 --leave_out names --lines";
    check_spellings(prepare, &format!("{LINE} {shares}"));
}

#[test]
fn lines_of_a_sample_list_the_first_document() {
    check("", "a\tb\t100\na\tc%20d\t90.5\na\te\t-10\na\tf\t-10\nc%20d\ta\t90.5\nc%20d\tb\t0\n");
}

#[test]
fn all_pairs_lists_every_document_of_a_group() {
    check(
        "--all_pairs",
        "a\tb\t100\na\tc%20d\t90.5\na\te\t-10\na\tf\t-10\n\
         b\ta\t100\nb\tc%20d\t90.5\nb\te\t-10\nb\tf\t-10\nc%20d\ta\t90.5\nc%20d\tb\t0\n",
    );
}

#[test]
fn values_only_omits_names() {
    check("--values_only", "100\n90.5\n-10\n-10\n90.5\n0\n");
}

#[test]
fn positive_share_counts_similarities_above_0() {
    let shares = "--positive_share --collection_size 8";
    check(shares, "a\t2\t0.25\nc%20d\t1\t0.125\ng\t0\t0\n");
}

#[test]
fn documents_of_leave_out_do_not_count() {
    let shares = "--positive_share --collection_size 4 --leave_out names";
    check(shares, "a\t1\t0.25\nc%20d\t1\t0.25\ng\t0\t0\n");
    let work = prepared();
    work.write("names", "c d\nb\n");
    work.ok(&format!("{LINE} {shares} --lines"));
    assert_eq!(work.read("out"), "a\t0\t0\nc%20d\t1\t0.25\ng\t0\t0\n");
}

#[test]
fn more_positive_documents_than_the_collection_has_are_refused() {
    let work = prepared();
    let told = work.fails(&format!("{LINE} --positive_share --collection_size 1"));
    let expected = "result:1: expected at most 1 documents with a similarity above 0";
    assert!(told.contains(expected) && told.contains("found '2'"), "{told}");
    assert_eq!(work.files(), ["names", "result"]);
}

#[test]
fn compressed_files_and_streams_are_read_and_written() {
    let work = prepared();
    work.ok(LINE);
    let expected = work.read("out");
    work.write("zipped", gzip(RESULT.as_bytes()));
    work.ok("extract_similarities --result zipped --out out.gz");
    assert_eq!(work.read("out.gz"), expected);
    let line = "extract_similarities --result - --out -";
    assert_eq!(work.run_with_input(line, RESULT.as_bytes()).stdout, expected);
}

#[test]
fn other_files_are_refused() {
    let work = prepared();
    check_contents(
        &work,
        LINE,
        "result",
        &[
            (b"a:b:101\n", "result:1: expected a similarity in percent, found '101'"),
            (b"a:b:nan\n", "result:1: expected a similarity in percent, found 'nan'"),
            (b"a\nb:c\n", "result:2: expected document:similarity, found 'c'"),
            (b"a:b:50", "result:1: expected a newline at the end of the line"),
            (b"\xff\n", "result:1: expected UTF-8"),
            (b"\n", "result:1: expected a document or doc1(doc2"),
        ],
    );
    assert_eq!(work.files(), ["names", "result"]);
    let told = work.fails("extract_similarities --result nowhere --out out");
    assert!(told.contains("nowhere: cannot open"), "{told}");
}

#[test]
fn closed_pipes_are_success_and_the_last_line_has_counts() {
    let work = prepared();
    let line = "extract_similarities --result result --out -";
    check_closed_pipe(&work, line);
    check_manners(&work, LINE, "read 3 documents, skipped 0, wrote 6 similarities");
    let shares = format!("{LINE} --positive_share --collection_size 9");
    check_manners(&work, &shares, "read 3 documents, skipped 0, wrote 3 shares");
    let matches: String = (0..100_000).map(|n| format!(":document{n}:50")).collect();
    work.write("result", format!("a{matches}\n"));
    check_reader_that_leaves(&work, line);
}
