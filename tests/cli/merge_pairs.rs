//! merge_pairs: usage, flags, errors.

use super::shared::{check_closed_pipe, check_manners, check_required, check_usage};
use crate::common::Work;

const LINE: &str = "merge_pairs p.1-of-2 p.2-of-2 --out out";

fn prepare(work: &Work) {
    work.write(
        "sig_paths",
        "VELIKOST_KOLEKCE 4\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR 3\nsigs\n",
    );
    work.write("sigs", "00:2 a b%20c\n01:1 d\n03:1 e\n");
    for shard in ["1/2", "2/2"] {
        work.ok(&format!(
            "hamming_full --sig_paths sig_paths --threshold 70 --out p --shard {shard}"
        ));
    }
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage("merge_pairs", "Merges the pairs of shards", &["out"]);
    check_required(LINE, &["out"]);
    let refusal = Work::new().refuses("merge_pairs --out out");
    assert!(refusal.contains("<PART>"), "{refusal}");
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    let work = prepared();
    work.ok(LINE);
    let expected = work.read("out");
    for flag in ["-out other", "--out=other", "-o other", "-out=other"] {
        work.ok(&format!("merge_pairs {flag} p.1-of-2 p.2-of-2"));
        assert_eq!(work.read("other"), expected, "{flag}");
    }
}

#[test]
fn lines_are_counted() {
    let work = prepared();
    check_manners(&work, LINE, "read 2 shards, skipped 0, wrote 3 lines");
    assert_eq!(
        work.read("out"),
        "a(b%20c):d:87.5:e:75\nd:a(b%20c):87.5:e:87.5\ne:a(b%20c):75:d:87.5\n"
    );
}

#[test]
fn standard_output_and_compression_are_outputs() {
    let work = prepared();
    let ran = work.ok("merge_pairs --out - p.1-of-2 p.2-of-2");
    work.ok("merge_pairs --out out.gz p.1-of-2 p.2-of-2");
    assert_eq!(ran.stdout, work.read("out.gz"));
    check_closed_pipe(&work, "merge_pairs --out - p.1-of-2 p.2-of-2");
}

#[test]
fn tables_need_the_name_of_one() {
    let work = Work::new();
    work.write("print_paths", "VELIKOST_KOLEKCE 2\nMETODA md5\nSHODA equal\nprints\n");
    work.write("prints", "a:1 1\nb:1 1\n");
    work.ok("match_prints --print_paths print_paths --out p.tsv --shard 1/1");
    let refusal = work.refuses("merge_pairs --out out.xlsx p.1-of-1.tsv");
    assert!(
        refusal.contains("out.xlsx: expected a name ending in .tsv, .csv or .jsonl"),
        "{refusal}"
    );
    work.ok("merge_pairs --out out.csv p.1-of-1.tsv");
    assert_eq!(work.read("out.csv"), "similarity,document_1,document_2\n1.0000,a,b\n");
}
