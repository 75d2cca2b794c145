//! match_prints: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_required, check_spellings, check_usage,
    check_values, truncated_gzip,
};
use crate::common::{Work, gzip};

const LINE: &str = "match_prints --print_paths print_paths --out out.tsv";
const HEADER: &str = "VELIKOST_KOLEKCE 5\nMETODA shingles\nSHODA resemblance 0.5\n";
const FILES: &str = "prints/1\nprints/2\n";
const PRINTS_1: &str = "a:3 1 2 3\nb%20c:3 1 2 3\nd:4 1 2 3 ff\n";
const PRINTS_2: &str = "e:0\nf:2 1 aa\n";

fn prepare(work: &Work) {
    work.write("print_paths", format!("{HEADER}{FILES}"));
    work.write("prints/1", PRINTS_1);
    work.write("prints/2", PRINTS_2);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "match_prints",
        "Finds pairs of documents whose fingerprints agree",
        &["print_paths", "out", "threshold", "max_group", "all_copies", "shard"],
    );
    check_required(LINE, &["print_paths", "out"]);
    check_values(LINE, &[("threshold", "2", "from 0 to 1"), ("max_group", "0", "at least 1")]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(prepare, &format!("{LINE} --threshold 0.2 --max_group 10 --quiet"));
}

#[test]
fn pairs_are_those_at_the_threshold() {
    let work = prepared();
    check_manners(&work, LINE, "read 5 prints, skipped 0, wrote 3 pairs");
    let table = "similarity\tdocument_1\tdocument_2\n";
    let pairs = "1.0000\ta\tb c\n0.7500\ta\td\n0.7500\tb c\td\n";
    assert_eq!(work.read("out.tsv"), format!("{table}{pairs}"));
    work.ok(&format!("{LINE} --threshold 0.8"));
    assert_eq!(work.read("out.tsv"), format!("{table}1.0000\ta\tb c\n"));
    work.ok("match_prints --print_paths print_paths --out out.jsonl.gz --threshold 0");
    let found = work.read("out.jsonl.gz");
    assert_eq!(found.lines().count(), 6, "{found}");
}

#[test]
fn pairs_are_read_by_the_other_executables() {
    let work = prepared();
    work.ok(LINE);
    work.ok("match_prints --print_paths print_paths --out strict.csv --threshold 0.9");
    let compared = work.ok("compare_results --sim out.tsv --ham strict.csv --out -");
    assert!(!compared.stdout.is_empty());
}

#[test]
fn methods_without_a_threshold_refuse_one() {
    let work = prepared();
    work.write("print_paths", format!("{}{FILES}", HEADER.replace("resemblance 0.5", "equal")));
    work.ok(LINE);
    assert_eq!(work.read("out.tsv").lines().count(), 2);
    let refusal = work.refuses(&format!("{LINE} --threshold 0.5"));
    assert!(refusal.contains("shingles: prints of this method agree or not"), "{refusal}");
}

#[test]
fn large_groups_are_told() {
    let work = Work::new();
    let lines: String =
        (0..40).map(|number| format!("d{number}:2 7 {:x}\n", 100 + number)).collect();
    work.write("prints/1", lines);
    work.write("print_paths", "VELIKOST_KOLEKCE 40\nMETODA x\nSHODA coordinates 1\nprints/1\n");
    let ran = work.ok(&format!("{LINE} --max_group 10"));
    assert!(
        ran.stderr.contains("1 fingerprint is shared by more than 10 different prints"),
        "{}",
        ran.stderr
    );
    assert_eq!(work.read("out.tsv").lines().count(), 40);
    let equal: String = (0..1500).map(|number| format!("d{number}:1 7\n")).collect();
    work.write("prints/1", equal);
    work.write("print_paths", "VELIKOST_KOLEKCE 1500\nMETODA x\nSHODA coordinates 1\nprints/1\n");
    let ran = work.ok(LINE);
    assert!(ran.stderr.contains("1499 of 1124250 pairs; --all_copies lists all"), "{}", ran.stderr);
    assert_eq!(work.read("out.tsv").lines().count(), 1500);
}

#[test]
fn damaged_files_are_errors_with_their_places() {
    let work = prepared();
    check_contents(
        &work,
        LINE,
        "prints/2",
        &[
            (
                b"e:1 xyz\nf:0\n",
                "prints/2:1: expected a fingerprint of up to 16 hexadecimal digits, found 'xyz'",
            ),
            (b"e:1 11112222333344445\nf:0\n", "hexadecimal digits"),
            (b"e:2 5 5\nf:0\n", "prints/2:1: expected ascending fingerprints, found '5 5'"),
            (b"e:2 1\nf:0\n", "prints/2:1: expected 2 fingerprints, found '1'"),
            (b"e\nf:0\n", "prints/2:1: expected name:fingerprints"),
            (b"e:0\na:0\n", "duplicate"),
            (b"e:0\n", "expected 5 documents"),
            (b"e:0\nf:0", "newline"),
            (&truncated_gzip(b"e:0\nf:0\n"), "prints/2"),
        ],
    );
    prepare(&work);
    check_contents(
        &work,
        LINE,
        "print_paths",
        &[
            (
                b"VELIKOST_KOLEKCE 5\nMETODA x\nSHODA equals\n",
                "print_paths:3: expected a known agreement, found 'equals'",
            ),
            (b"VELIKOST_KOLEKCE 5\nSHODA equal\n", "print_paths:2: expected 'METODA' and a text"),
            (b"", "print_paths:1"),
        ],
    );
}

#[test]
fn compressed_prints_are_read_and_a_closed_pipe_is_success() {
    let work = prepared();
    work.ok(LINE);
    let expected = work.read("out.tsv");
    work.write("prints/1", gzip(PRINTS_1.as_bytes()));
    work.ok(LINE);
    assert_eq!(work.read("out.tsv"), expected);
    check_closed_pipe(&work, "match_prints --print_paths print_paths --out -");
}
