//! evaluate_search: usage, measures computed by hand, kinds, listed pairs, PAN's XML, errors.

use super::shared::{check_closed_pipe, check_manners, check_required, check_usage};
use crate::common::Work;

const LINE: &str = "evaluate_search --truth truth.tsv --out scores.csv found.jsonl";
const TRUTH: &str = "suspicious\toffset\tlength\tsource\tsource_offset\tsource_length\tkind\na\t0\t100\tx\t0\t100\tnone\nb\t0\t10\ty\t0\t10\trandom\n";
const HEADER: &str = "kind,cases,detections,document_precision,document_recall,precision,recall,granularity,plagdet\n";

fn found(passages: &[(&str, u64, u64, &str, u64, u64)]) -> String {
    let line = |(suspicious, offset, length, source, source_offset, source_length): &(
        &str,
        u64,
        u64,
        &str,
        u64,
        u64,
    )| {
        format!(
            "{{\"suspicious\":\"{suspicious}\",\"offset\":{offset},\"length\":{length},\"source\":\"{source}\",\"source_offset\":{source_offset},\"source_length\":{source_length},\"similarity\":0.5,\"run\":7}}\n"
        )
    };
    passages.iter().map(line).collect()
}

/// Two passages of one case, and one of a pair without a case.
fn prepared() -> Work {
    let work = Work::new();
    work.write("truth.tsv", TRUTH);
    let passages = [("a", 0, 50, "x", 0, 50), ("a", 60, 80, "x", 60, 40), ("c", 0, 9, "x", 0, 9)];
    work.write("found.jsonl", found(&passages));
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "evaluate_search",
        "Compares found passages with known ones",
        &["truth", "pairs", "out"],
    );
    check_required(LINE, &["truth"]);
    check_manners(&prepared(), LINE, "read 5 passages, skipped 0, wrote 3 rows");
    check_closed_pipe(&prepared(), "evaluate_search --truth truth.tsv found.jsonl");
}

#[test]
fn the_measures_are_those_of_pan() {
    let work = prepared();
    work.ok(LINE);
    let expected = "all,2,3,0.500000,0.500000,0.555556,0.450000,2.000000,0.313722\n\
                    none,1,2,1.000000,1.000000,0.833333,0.900000,2.000000,0.545997\n\
                    random,1,0,,0.000000,,0.000000,,0.000000\n";
    assert_eq!(work.read("scores.csv"), format!("{HEADER}{expected}"));
    let text = "\
kind    cases  detections  document_precision  document_recall  precision  recall  granularity  plagdet
all         2           3              0.5000           0.5000     0.5556  0.4500       2.0000   0.3137
none        1           2              1.0000           1.0000     0.8333  0.9000       2.0000   0.5460
random      1           0                   -           0.0000          -  0.0000            -   0.0000
";
    assert_eq!(work.ok("evaluate_search --truth truth.tsv found.jsonl").stdout, text);
    let csv = work.ok("evaluate_search --truth truth.tsv --out - found.jsonl").stdout;
    assert_eq!(csv, work.read("scores.csv"));
}

#[test]
fn only_listed_pairs_count() {
    let work = prepared();
    work.write("pairs.tsv", "suspicious\tsource\tkind\nc\tx\tunrelated\na\tx\tnone\n");
    let ran =
        work.ok("evaluate_search --truth truth.tsv --pairs pairs.tsv --out scores.csv found.jsonl");
    let expected = "all,1,3,0.500000,1.000000,0.555556,0.900000,2.000000,0.433463\n\
                    none,1,2,1.000000,1.000000,0.833333,0.900000,2.000000,0.545997\n\
                    unrelated,0,1,0.000000,,0.000000,,,\n";
    assert_eq!(work.read("scores.csv"), format!("{HEADER}{expected}"));
    assert!(
        ran.stderr.contains("skipped 1 passage of pairs that are not listed"),
        "{}",
        ran.stderr
    );
}

#[test]
fn xml_of_pan_is_read_on_both_sides() {
    let work = prepared();
    let feature = |name: &str, attributes: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<document reference=\"a\">\n<feature name=\"{name}\" {attributes}/>\n</document>\n"
        )
    };
    let places = "this_offset=\"0\" this_length=\"100\" source_reference=\"x\" source_offset=\"0\" source_length=\"100\"";
    work.write("truth/02/a.xml", feature("plagiarism", &format!("obfuscation=\"none\" {places}")));
    work.write("found/a-x.xml", feature("detected-plagiarism", places));
    work.ok("evaluate_search --truth truth --out scores.csv found");
    let row = "1,1,1.000000,1.000000,1.000000,1.000000,1.000000,1.000000\n";
    assert_eq!(work.read("scores.csv"), format!("{HEADER}all,{row}none,{row}"));
}

#[test]
fn wrong_input_is_named() {
    let work = prepared();
    work.write("found.jsonl", found(&[("a", 0, 50, "x", 0, 0)]));
    let told = work.fails(LINE);
    assert!(
        told.contains(
            "found.jsonl:1: expected a length of at least 1 that ends within 64 bits, found '0'"
        ),
        "{told}"
    );
    work.write("found.jsonl", "{\"suspicious\":\"a\"}\n");
    let told = work.fails(LINE);
    assert!(told.contains("found.jsonl:1: expected the field 'offset'"), "{told}");
    let told = work.fails(&LINE.replace("truth.tsv", "lost.tsv"));
    assert!(told.contains("lost.tsv: cannot open"), "{told}");
    let told = work.refuses("evaluate_search --truth - -");
    assert!(told.contains("only one of --truth and --found can be standard input"), "{told}");
    assert!(!work.has("scores.csv"));
    work.write("found.jsonl", found(&[("other", 0, 50, "x", 0, 9)]));
    let told = work.ok(LINE).stderr;
    assert!(told.contains("no pair of documents in common; do their ids agree?"), "{told}");
}
