//! merge_clusters.

use super::shared::{
    check_closed_pipe, check_manners, check_required, check_spellings, check_usage,
};
use crate::common::{Work, gzip};

const HEADER: &str = "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\n";
const PAIRS: &str = "similarity\tdocument_1\tdocument_2\n";

const LINE: &str = "merge_clusters --pairs pairs.tsv --out all.tsv";

fn prepare(work: &Work) {
    work.write("pairs.tsv", format!("{PAIRS}0.9\ta\tb\n0.8\tc\td\n"));
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "merge_clusters",
        "Joins clusters of different collections by the pairs between them",
        &["pairs", "out"],
    );
    check_required(LINE, &["pairs", "out"]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(prepare, &format!("{LINE} --quiet"));
}

#[test]
fn a_run_counts_pairs_and_clusters() {
    let work = Work::new();
    prepare(&work);
    check_manners(&work, LINE, "read 2 pairs, skipped 0, wrote all.tsv (2 clusters)");
    check_closed_pipe(&work, "merge_clusters --pairs pairs.tsv --out -");
}

#[test]
fn pairs_join_clusters_of_different_collections() {
    let work = Work::new();
    let old = "1\t2\t0.9000\t0.9000\tall\ta\n1\t2\t0.9000\t0.9000\tall\tb\n2\t2\t0.8000\t0.8000\tall\tc\n2\t2\t0.8000\t0.8000\tall\td\n";
    work.write("old.tsv", format!("{HEADER}{old}"));
    let new = "{\"cluster\":1,\"size\":2,\"smallest\":0.85,\"mean\":0.85,\"cohesion\":\"all\",\"documents\":[\"x\",\"y\"]}\n";
    work.write("new.jsonl.gz", gzip(new.as_bytes()));
    work.write("cross.csv", "similarity,document_1,document_2\n0.95,a,x\n0.88,z,e\n");
    let ran = work.ok("merge_clusters old.tsv new.jsonl.gz --pairs cross.csv --out all.tsv");
    let summary = "3 clusters and 2 pairs: 3 clusters with 8 documents";
    assert!(ran.stderr.contains(summary), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("read 2 pairs, skipped 0, wrote all.tsv (3 clusters)"),
        "{}",
        ran.stderr
    );
    // Three of the six pairs of the first cluster are known.
    let first: String = ["a", "b", "x", "y"]
        .map(|id| format!("1\t4\t0.8500\t0.9000\tfound_pairs\t{id}\n"))
        .concat();
    let others = "2\t2\t0.8000\t0.8000\tall\tc\n2\t2\t0.8000\t0.8000\tall\td\n3\t2\t0.8800\t0.8800\tall\tz\n3\t2\t0.8800\t0.8800\tall\te\n";
    assert_eq!(work.read("all.tsv"), format!("{HEADER}{first}{others}"));
    work.write("more.tsv", format!("{PAIRS}0.91\tb\tx\n0.92\tb\ty\n0.93\ta\ty\n"));
    work.ok("merge_clusters old.tsv new.jsonl.gz --pairs cross.csv more.tsv --out all.jsonl");
    let first = "{\"cluster\":1,\"size\":4,\"smallest\":0.8500,\"mean\":0.9100,\"cohesion\":\"all\",\"documents\":[\"a\",\"b\",\"x\",\"y\"]}";
    assert_eq!(work.read("all.jsonl").lines().next().unwrap(), first);
}

#[test]
fn a_document_of_several_tables_joins_its_clusters() {
    let work = Work::new();
    work.write("a.tsv", format!("{HEADER}1\t2\t0.9\t0.9\tall\ta\n1\t2\t0.9\t0.9\tall\tb\n"));
    work.write("b.tsv", format!("{HEADER}1\t2\t0.8\t0.8\tall\tb\n1\t2\t0.8\t0.8\tall\tc\n"));
    work.write("pairs.tsv", PAIRS);
    let ran = work.ok("merge_clusters a.tsv b.tsv --pairs pairs.tsv --out all.tsv");
    assert!(
        ran.stderr.contains("1 document of several tables of clusters joins its clusters"),
        "{}",
        ran.stderr
    );
    let rows = ["a", "b", "c"].map(|id| format!("1\t3\t0.8000\t0.8500\tfound_pairs\t{id}\n"));
    assert_eq!(work.read("all.tsv"), format!("{HEADER}{}", rows.concat()));
}

#[test]
fn wrong_input_is_refused() {
    let work = Work::new();
    work.write("pairs.tsv", PAIRS);
    for (rows, message) in [
        (
            "1\t2\t0.9\t0.9\tall\ta\n1\t2\t0.9\t0.9\tall\ta\n",
            "c.tsv:3: duplicate document name 'a'",
        ),
        (
            "1\t1\t0.9\t0.9\tall\ta\n2\t1\t0.9\t0.9\tall\ta\n",
            "c.tsv:3: duplicate document name 'a'",
        ),
        (
            "1\t3\t0.9\t0.9\tall\ta\n1\t3\t0.9\t0.9\tall\tb\n",
            "c.tsv: cluster 1: expected 3 documents, found 2",
        ),
        ("1\t1\t0.9\t0.9\tall\t\n", "c.tsv:2: expected the id of a document, found ''"),
        ("1\t2\t1.9\t0.9\tall\ta\n", "c.tsv:2: expected a similarity from 0 to 1, found '1.9'"),
    ] {
        work.write("c.tsv", format!("{HEADER}{rows}"));
        let found = work.fails("merge_clusters c.tsv --pairs pairs.tsv --out all.tsv");
        assert!(found.contains(message), "{rows}: {found}");
    }
    work.write("c.tsv", PAIRS);
    let found = work.fails("merge_clusters c.tsv --pairs pairs.tsv --out all.tsv");
    assert!(found.contains("c.tsv:1: expected the columns 'cluster"), "{found}");
    let found = work.fails("merge_clusters --pairs missing.tsv --out all.tsv");
    assert!(found.contains("missing.tsv"), "{found}");
    let found = work.refuses("merge_clusters - --pairs - --out all.tsv");
    assert!(found.contains("standard input ('-') can be named only once"), "{found}");
    assert!(work.refuses("merge_clusters c.tsv --out all.tsv").contains("--pairs"));
    assert!(!work.has("all.tsv"));
}

#[test]
fn result_lines_are_pairs() {
    let work = Work::new();
    // Both documents list their pair.
    work.write("results", "a:b:90:c:80\nb:a:90:c:85\nc:a:80:b:85\nd(e)\n");
    work.ok("merge_clusters --pairs results --out all.tsv");
    let first = ["a", "b", "c"].map(|id| format!("1\t3\t0.8000\t0.8500\tall\t{id}\n")).concat();
    let second = ["d", "e"].map(|id| format!("2\t2\t1.0000\t1.0000\tall\t{id}\n")).concat();
    assert_eq!(work.read("all.tsv"), format!("{HEADER}{first}{second}"));
}
