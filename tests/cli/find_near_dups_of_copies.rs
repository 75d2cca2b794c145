//! find_near_dups: many copies of a document, and copies without words.

use crate::common::Work;

const PAGE: &str = "page not found please try again";
const NEAR_PAGE: &str = "page not found please try once again";
const OTHER: &str = "nothing here has anything in common with what stands elsewhere";

/// Returns JSON lines of documents given as (id, text).
fn json_lines(documents: impl IntoIterator<Item = (String, &'static str)>) -> String {
    let line = |(id, text)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    documents.into_iter().map(line).collect()
}

/// Returns `count` copies of a page, named by a letter and a number from 0.
fn copies(letter: &'static str, count: usize) -> impl Iterator<Item = (String, &'static str)> {
    (0..count).map(move |number| (format!("{letter}{number}"), PAGE))
}

/// Returns the ids of a file's pairs.
fn pairs(work: &Work, name: &str) -> Vec<(String, String)> {
    let content = work.read(name);
    let ids = content.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[1].to_string(), fields[2].to_string())
    });
    ids.collect()
}

#[test]
fn many_copies_are_listed_in_short() {
    let work = Work::new();
    let others = [("near", NEAR_PAGE), ("x", OTHER), ("y", OTHER), ("z", OTHER)];
    let others = others.map(|(id, text)| (id.to_string(), text));
    work.write("docs.jsonl", json_lines(copies("p", 1500).chain(others)));
    let line = "find_near_dups docs.jsonl --clusters clusters.tsv --removed removed.tsv --out";
    let short = work.ok(&format!("{line} short.tsv"));
    let all_pairs = "1,125,753 pairs with cosine >= 0.8 in 2 clusters";
    let notice = "1 group of copies with more than 1,000 documents is listed in short: 1,503 of 1,125,753 pairs; --all_copies lists all";
    assert!(short.stderr.contains(notice), "{}", short.stderr);
    assert!(short.stderr.contains(all_pairs), "{}", short.stderr);
    assert!(short.stderr.contains("wrote short.tsv (1,503 pairs), clusters.tsv (2 clusters), removed.tsv (1,502 removals); "), "{}", short.stderr);
    let mut expected: Vec<(String, String)> =
        (1..1500).map(|number| ("p0".to_string(), format!("p{number}"))).collect();
    let others = [("p0", "near"), ("x", "y"), ("x", "z"), ("y", "z")];
    expected.extend(others.map(|(low, high)| (low.to_string(), high.to_string())));
    assert_eq!(pairs(&work, "short.tsv"), expected);

    let (clusters, removed) = (work.read("clusters.tsv"), work.read("removed.tsv"));
    assert_eq!(removed.lines().count(), 1 + 1500 + 2);
    let all = work.ok(&format!("{line} all.tsv --all_copies"));
    assert!(!all.stderr.contains("in short"), "{}", all.stderr);
    assert!(all.stderr.contains(all_pairs), "{}", all.stderr);
    assert_eq!(pairs(&work, "all.tsv").len(), 1_125_753);
    assert_eq!(work.read("clusters.tsv"), clusters);
    assert_eq!(work.read("removed.tsv"), removed);
}

#[test]
fn every_new_copy_is_listed_where_existing_copies_are_many() {
    let work = Work::new();
    work.write("old.jsonl", json_lines(copies("old", 1500)));
    let near = [("near".to_string(), NEAR_PAGE)];
    work.write("new.jsonl", json_lines(copies("new", 2).chain(near)));
    work.ok("find_near_dups old.jsonl --save_index index");
    let expected = [("old0", "new0"), ("old0", "new1"), ("old0", "near"), ("new0", "near")];
    let expected = expected.map(|(low, high)| (low.to_string(), high.to_string()));
    for existing in ["--against old.jsonl", "--index index"] {
        let ran = work.ok(&format!("find_near_dups new.jsonl {existing} --out pairs.tsv"));
        assert_eq!(pairs(&work, "pairs.tsv"), expected, "{existing}");
        assert!(ran.stderr.contains("4 of 4,503 pairs"), "{}", ran.stderr);
    }
}

#[test]
fn a_thousand_copies_are_listed_in_full() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(copies("p", 1000)));
    let ran = work.ok("find_near_dups docs.jsonl --out pairs.tsv");
    assert_eq!(pairs(&work, "pairs.tsv").len(), 499_500);
    assert!(!ran.stderr.contains("in short"), "{}", ran.stderr);
}

#[test]
fn equal_texts_without_words_are_copies() {
    let work = Work::new();
    let texts = ["🎉🎉🎉", " ", "🎉🎉🎉", " ", "🎉🎉", "", "", "one two", "🎉🎉🎉", "two one"];
    let named = |name: &'static str, texts: &[&'static str]| {
        let ids = (0..texts.len()).map(|number| format!("{name}{number}"));
        json_lines(ids.zip(texts.iter().copied()))
    };
    work.write("docs.jsonl", named("d", &texts));
    let ran = work.ok("find_near_dups docs.jsonl --out pairs.tsv --clusters clusters.tsv --removed removed.tsv --dedup kept.jsonl");
    let summary = "10 documents, 8 without words; 2 exact duplicates; 4 pairs with cosine >= 0.8 in 2 clusters; 3 documents";
    assert!(ran.stderr.contains(summary), "{}", ran.stderr);
    let expected = [("d0", "d2"), ("d0", "d8"), ("d2", "d8"), ("d7", "d9")];
    let owned = |(low, high): (&str, &str)| (low.to_string(), high.to_string());
    assert_eq!(pairs(&work, "pairs.tsv"), expected.map(owned));
    assert!(work.read("pairs.tsv").lines().nth(1).unwrap().starts_with("1.0000\t"));
    let clusters = work.read("clusters.tsv");
    assert_eq!(clusters.lines().nth(1).unwrap(), "1\t3\t1.0000\t1.0000\tall\td0");
    assert_eq!(work.read("removed.tsv"), "removed\tkept\nd2\td0\nd8\td0\nd9\td7\n");
    assert_eq!(work.read("kept.jsonl").lines().count(), 7);
    work.ok("find_near_dups docs.jsonl --removed alone.tsv");
    assert_eq!(work.read("alone.tsv"), work.read("removed.tsv"));

    work.write("new.jsonl", named("n", &["", "🎉🎉🎉", "🎉🎉🎉", " ", "!"]));
    work.ok("find_near_dups docs.jsonl --save_index index");
    let expected = ["d0", "d2", "d8", "n1"].map(|old| (old, ["n1", "n2"]));
    let expected = expected.iter().flat_map(|(old, new)| new.map(|new| owned((old, new))));
    let expected: Vec<(String, String)> = expected.filter(|(old, new)| old != new).collect();
    for existing in ["--against docs.jsonl", "--index index"] {
        work.ok(&format!(
            "find_near_dups new.jsonl {existing} --out pairs.tsv --removed removed.tsv"
        ));
        assert_eq!(pairs(&work, "pairs.tsv"), expected, "{existing}");
        let removed = "removed\tkept\tkept_from\nn1\td0\told\nn2\td0\told\n";
        assert_eq!(work.read("removed.tsv"), removed, "{existing}");
    }
}

#[test]
fn equal_texts_shorter_than_a_shingle_are_copies() {
    let work = Work::new();
    let texts = ["one two", "two one", "one two", "one two three", "One two!"];
    let ids = (0..texts.len()).map(|number| number.to_string());
    work.write("docs.jsonl", json_lines(ids.zip(texts)));
    let ran = work.ok("find_near_dups docs.jsonl --shingle_size 3 --out pairs.tsv");
    assert_eq!(pairs(&work, "pairs.tsv"), [("0".to_string(), "2".to_string())]);
    assert!(ran.stderr.contains("4 without words; 1 exact duplicate;"), "{}", ran.stderr);
}
