//! find_near_dups in shards: merge_pairs restores the table of the whole search.

use std::fmt::Write;

use proptest::prelude::*;

use super::{COUNTS, json_lines, run_shards, text};
use crate::common::{Work, gzip};

/// Returns the names of the parts of a table, which has an extension.
fn parts(name: &str, count: usize) -> String {
    let (stem, extension) = name.split_once('.').unwrap();
    let part = |index: usize| format!("{stem}.{index}-of-{count}.{extension}");
    (1..=count).map(part).collect::<Vec<_>>().join(" ")
}

/// Runs a search whole and in shards, and compares the bytes of the merged pairs.
#[track_caller]
fn assert_merged(work: &Work, search: &str, form: &str, count: usize) {
    let (whole, part) = (format!("whole.{form}"), format!("part.{form}"));
    if !work.has(&whole) {
        work.ok(&format!("{search} --out {whole}"));
    }
    run_shards(work, &format!("{search} --out {part}"), count);
    work.ok(&format!("merge_pairs --out merged.{form} {}", parts(&part, count)));
    let expected = work.read_bytes(&whole);
    assert!(expected == work.read_bytes(format!("merged.{form}")), "{search}, {count} shards");
}

#[test]
fn merged_pairs_are_those_of_the_whole_search() {
    for input in ["texts", "docs.jsonl", "docs.jsonl.gz", "a.jsonl b.jsonl.gz c.csv"] {
        let work = Work::new();
        (0..60).for_each(|number| work.write(format!("texts/{number:02}.txt"), text(number)));
        work.write("docs.jsonl", json_lines(0..60));
        work.write("docs.jsonl.gz", gzip(json_lines(0..60).as_bytes()));
        work.write("a.jsonl", json_lines(0..25));
        work.write("b.jsonl.gz", gzip(json_lines(25..45).as_bytes()));
        let rows: String = (45..60).map(|number| format!("c{number},{}\n", text(number))).collect();
        work.write("c.csv", format!("id,text\n{rows}"));
        let search = format!("find_near_dups {input} --threshold 0.3");
        for count in COUNTS.into_iter().chain([2, 5]) {
            assert_merged(&work, &search, "tsv", count);
        }
        assert!(work.read("whole.tsv").lines().count() > 100, "{input} has pairs");
    }
}

#[test]
fn every_form_of_tables_is_merged() {
    let work = Work::new();
    work.write(
        "docs.jsonl",
        json_lines(0..40) + "{\"id\":\"a \\\"b\\\",\\n\",\"text\":\"w0 w1 w4\"}\n",
    );
    for form in ["tsv", "csv", "jsonl", "tsv.gz", "csv.zst"] {
        assert_merged(&work, "find_near_dups docs.jsonl --threshold 0.3", form, 3);
    }
}

#[test]
fn there_may_be_more_shards_than_documents() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..4));
    assert_merged(&work, "find_near_dups docs.jsonl --threshold 0.1", "tsv", 24);
    work.write("one/a.txt", "one two");
    let ran = work.ok("find_near_dups one --shard 5/9 --out one.tsv");
    assert!(
        ran.stderr.contains("read 0 documents, skipped 0, wrote one.5-of-9.tsv (0 pairs)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn copies_of_several_parts_are_listed_in_short() {
    let work = Work::new();
    let mut lines = String::new();
    for number in 0..1050 {
        writeln!(lines, "{{\"id\":\"p{number}\",\"text\":\"page not found please try again\"}}")
            .unwrap();
        if number % 250 == 7 {
            let near = "page not found please try once again";
            writeln!(lines, "{{\"id\":\"near{number}\",\"text\":\"{near}\"}}").unwrap();
            writeln!(lines, "{{\"id\":\"wordless{number}\",\"text\":\"🎉🎉\"}}").unwrap();
        }
    }
    work.write("docs.jsonl", lines);
    for count in [3, 8] {
        assert_merged(&work, "find_near_dups docs.jsonl", "tsv", count);
    }
    assert_eq!(work.read("whole.tsv").lines().count(), 1 + 1049 + 5 + 10 + 10);
    std::fs::remove_file(work.path("whole.tsv")).unwrap();
    assert_merged(&work, "find_near_dups docs.jsonl --all_copies", "tsv", 3);
}

#[test]
fn repeated_ids_are_refused() {
    let work = Work::new();
    let line =
        |id: &str, number: usize| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", text(number));
    let all: String = (0..10).map(|number| line(&number.to_string(), number)).collect();
    // Shard 1 of 3 has both parts, the others one.
    for (content, shards) in
        [(all.clone() + &line("0", 3), vec![1]), (line("0", 3) + &all, vec![1, 2])]
    {
        work.write("docs.jsonl", content);
        for shard in 1..=3 {
            let search = format!("find_near_dups docs.jsonl --shard {shard}/3 --out pairs.tsv");
            if !shards.contains(&shard) {
                work.ok(&search);
                continue;
            }
            let message = work.fails(&search);
            let why = "duplicate document name '0' (first at docs.jsonl:1); shards cannot number repeated ids; an empty --id_field names records by file and line";
            assert!(message.contains(why), "{message}");
        }
    }
    assert_merged(&work, "find_near_dups docs.jsonl --id_field= --threshold 0.3", "tsv", 3);
}

#[test]
fn unreadable_input_is_counted_in_every_shard_that_reads_it() {
    let work = Work::new();
    (0..12).for_each(|number| work.write(format!("docs/{number:02}.txt"), text(number)));
    work.write("docs/00 binary.txt", [0, 1, 2, 255, 0]);
    let whole = work.run("find_near_dups docs --threshold 0.3 --out whole.tsv");
    assert_eq!(whole.code, Some(3), "{}", whole.stderr);
    let mut codes = Vec::new();
    for shard in 1..=3 {
        let ran = work
            .run(&format!("find_near_dups docs --threshold 0.3 --shard {shard}/3 --out part.tsv"));
        let is_named = ran.stderr.contains("skipped docs/00 binary.txt");
        assert_eq!(is_named, ran.code == Some(3), "{}", ran.stderr);
        codes.push(ran.code.unwrap());
    }
    assert_eq!(codes, [3, 3, 0]);
    work.ok(&format!("merge_pairs --out merged.tsv {}", parts("part.tsv", 3)));
    assert_eq!(work.read("merged.tsv"), work.read("whole.tsv"));
}

#[test]
fn flags_that_need_the_whole_search_are_refused() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..4));
    let all_pairs = "needs the pairs of all shards: join them with merge_pairs, and cluster them with merge_clusters";
    let collection = "excludes --shard, which compares parts of one collection";
    for (flags, message) in [
        ("--out p.tsv --clusters c.tsv", format!("--clusters {all_pairs}")),
        ("--out p.tsv --dedup d.jsonl", format!("--dedup {all_pairs}")),
        ("--out p.tsv --removed r.tsv", format!("--removed {all_pairs}")),
        ("--out p.tsv --against docs.jsonl", format!("--against {collection}")),
        ("--out p.tsv --index i", format!("--index {collection}")),
        ("--out p.tsv --save_index i", format!("--save_index {collection}")),
        ("--out p.tsv --plan", "--plan excludes --shard: plan the whole search".into()),
        ("--out p.tsv --prints md5", "--prints excludes --shard: match_prints has it".into()),
        ("--out -", "--out: expected a file with --shard, found '-'".into()),
        (
            "",
            "--shard needs --out FILE for the part of the pairs; merge_pairs joins all parts"
                .into(),
        ),
        (
            "- --out p.tsv",
            "--shard needs files: standard input ('-') cannot be read by several shards".into(),
        ),
    ] {
        let found = work.refuses(&format!("find_near_dups docs.jsonl --shard 1/2 {flags}"));
        assert!(found.contains(&message), "{flags}: {found}");
    }
    assert_eq!(work.files(), ["docs.jsonl"]);
}

#[test]
fn parts_of_other_documents_or_parameters_are_refused() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..9));
    work.ok("find_near_dups docs.jsonl --shard 1/2 --out a.tsv");
    work.ok("find_near_dups docs.jsonl --shard 2/2 --threshold 0.7 --out b.tsv");
    let message = work.fails("merge_pairs --out pairs.tsv a.1-of-2.tsv b.2-of-2.tsv");
    assert!(message.contains("threshold"), "{message}");
    work.write("docs.jsonl", json_lines(0..10));
    work.ok("find_near_dups docs.jsonl --shard 2/2 --out b.tsv");
    let message = work.fails("merge_pairs --out pairs.tsv a.1-of-2.tsv b.2-of-2.tsv");
    assert!(message.contains("checksum of the documents' names and sizes"), "{message}");
}

/// Returns the lines of a table of clusters, without the figures of clusters that do not cover all pairs.
fn clusters(work: &Work, name: &str, other: &str) -> Vec<String> {
    let is_known: Vec<bool> =
        work.read(other).lines().map(|line| !line.contains("found_pairs")).collect();
    let cut = |(line, is_known): (&str, bool)| match is_known {
        true => line.to_string(),
        false => {
            let cells: Vec<&str> = line.split('\t').collect();
            [cells[0], cells[1], cells[5]].join("\t")
        }
    };
    work.read(name)
        .lines()
        .map(str::to_string)
        .collect::<Vec<_>>()
        .iter()
        .map(|line| &**line)
        .zip(is_known)
        .map(cut)
        .collect()
}

#[test]
fn parts_give_the_clusters_of_the_whole_search() {
    for threshold in [0.3, 0.6, 0.9] {
        let work = Work::new();
        work.write("docs.jsonl", json_lines(0..80));
        let search = format!("find_near_dups docs.jsonl --threshold {threshold}");
        work.ok(&format!("{search} --out whole.tsv --clusters whole_clusters.tsv"));
        run_shards(&work, &format!("{search} --out part.tsv"), 8);
        let parts = parts("part.tsv", 8);
        work.ok(&format!("merge_clusters --pairs {parts} --out clusters.tsv"));
        let expected = clusters(&work, "whole_clusters.tsv", "clusters.tsv");
        assert_eq!(clusters(&work, "clusters.tsv", "clusters.tsv"), expected, "{threshold}");
        // The pairs of the whole search do not tell the order of all documents, but the clusters and their figures.
        work.ok("merge_clusters --pairs whole.tsv --out of_pairs.tsv");
        let sorted = |name: &str| {
            let content = work.read(name);
            let mut lines: Vec<String> = content.lines().map(str::to_string).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted("of_pairs.tsv"), sorted("clusters.tsv"), "{threshold}");
        let message = work.fails(&format!(
            "merge_clusters --pairs {} --out x.tsv",
            parts.rsplit_once(' ').unwrap().0
        ));
        assert!(message.contains("missing shards: 8/8"), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any collection, in any number of shards, has the pairs of the whole with the same cosines.
    #[test]
    fn any_collection_in_any_number_of_shards(
        texts in prop::collection::vec("([a-f]{2} ){0,5}[a-c🎉]", 1..30), cut in 0..30usize, count in 1..12usize, threshold in 1..=9u8,
    ) {
        let work = Work::new();
        let (first, second) = texts.split_at(cut.min(texts.len()));
        for (name, texts, start) in [("a.jsonl", first, 0), ("b.jsonl", second, first.len())] {
            let lines = (start..).zip(texts).map(|(id, text)| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n"));
            work.write(format!("docs/{name}"), lines.collect::<String>());
        }
        assert_merged(&work, &format!("find_near_dups docs --threshold 0.{threshold}"), "tsv", count);
    }
}
