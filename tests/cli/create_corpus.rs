//! create_corpus: usage, flags, errors, and that what it writes is what it says.

use std::collections::{BTreeSet, HashMap};

use super::shared::{
    check_closed_pipe, check_manners, check_reader_that_leaves, check_required, check_spellings,
    check_usage, check_values,
};
use crate::common::Work;

const LINE: &str = "create_corpus --doc_count 600 --out corpus";

/// Returns the texts of a collection in JSON lines, checked to be numbered from 1.
fn texts(work: &Work, name: &str) -> Vec<String> {
    let collection = work.read(name);
    assert!(collection.ends_with('\n'));
    let one = |(position, line): (usize, &str)| {
        let document: HashMap<String, String> = serde_json::from_str(line).unwrap();
        assert_eq!(document.len(), 2);
        assert_eq!(document["id"], (position + 1).to_string());
        document["text"].clone()
    };
    collection.lines().enumerate().map(one).collect()
}

/// Original, copy and edit share, by line.
fn truth(work: &Work, name: &str) -> Vec<(usize, usize, f64)> {
    let content = work.read(name);
    let mut lines = content.lines();
    assert_eq!(lines.next(), Some("original\tcopy\tedit_share"));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let one = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields.len(), 3, "{line}");
        (number(fields[0]) as usize, number(fields[1]) as usize, number(fields[2]))
    };
    lines.map(one).collect()
}

fn counts(text: &str) -> HashMap<&str, i64> {
    let mut counts = HashMap::new();
    text.split(' ').for_each(|word| *counts.entry(word).or_default() += 1);
    counts
}

/// Returns the number of words that one bag has and the other has not.
fn surplus(one: &str, other: &str) -> i64 {
    let other = counts(other);
    let more = |(word, n): (&str, i64)| (n - other.get(word).copied().unwrap_or(0)).max(0);
    counts(one).into_iter().map(more).sum()
}

/// Returns Levenshtein's distance over words, the plain way.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<&str> = right.split(' ').collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, word) in left.split(' ').enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(word != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "create_corpus",
        "Writes a synthetic collection: Zipf-distributed words, log-normal lengths, planted near-duplicates",
        &[
            "doc_count",
            "out",
            "format",
            "truth",
            "mean_words",
            "spread",
            "terms",
            "zipf",
            "near_dups",
            "edits",
            "templates",
            "fields",
            "rnd_seed",
        ],
    );
    check_required(LINE, &["doc_count", "out"]);
    check_values(
        LINE,
        &[
            ("doc_count", "0", "expected an integer of at least 1"),
            ("doc_count", "many", "expected an integer of at least 1"),
            ("format", "xml", "json"),
            ("mean_words", "0.5", "expected a number from 1 to 10000000"),
            ("mean_words", "nan", "expected a number from 1 to 10000000"),
            ("spread", "-1", "expected a number from 0 to 2"),
            ("spread", "2.1", "expected a number from 0 to 2"),
            ("terms", "1", "expected an integer from 2 to 268435456"),
            ("terms", "268435457", "expected an integer from 2 to 268435456"),
            ("zipf", "-0.1", "expected a number from 0 to 10"),
            ("near_dups", "1.1", "expected a number from 0 to 1"),
            ("edits", "10%", "expected a number from 0 to 1"),
            ("edits", "2", "expected a number from 0 to 1"),
            ("templates", "0", "expected an integer of at least 1"),
            ("rnd_seed", "-1", "invalid digit"),
            ("threads", "-1", "expected an integer from 0 to 1024"),
        ],
    );
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    let line = "create_corpus --doc_count 20 --out corpus --truth truth --format text --mean_words 10 --spread 0.1 \
        --terms 50 --zipf 0.9 --near_dups 0.5 --edits 0.1,0.2 --rnd_seed 1 --threads 2 --verbose";
    check_spellings(|_| {}, line);
}

#[test]
fn the_same_seed_writes_the_same_for_any_number_of_threads() {
    let work = Work::new();
    // More documents than are made at once.
    let line = "create_corpus --doc_count 9000 --mean_words 200";
    for threads in [1, 2, 5] {
        work.ok(&format!("{line} --out c{threads} --truth t{threads} --threads {threads}"));
        assert!(work.read_bytes(format!("c{threads}")) == work.read_bytes("c1"), "{threads}");
        assert!(work.read_bytes(format!("t{threads}")) == work.read_bytes("t1"), "{threads}");
    }
    assert_eq!(texts(&work, "c1").len(), 9000);
    assert_eq!(truth(&work, "t1").len(), 900);
    work.ok(&format!("{line} --out c2007 --rnd_seed 2007"));
    assert!(work.read_bytes("c2007") == work.read_bytes("c1"));
    work.ok(&format!("{line} --out other --rnd_seed 2008"));
    assert!(work.read_bytes("other") != work.read_bytes("c1"));
}

#[test]
fn collections_made_today_can_be_made_again() {
    let work = Work::new();
    let line =
        "create_corpus -doc_count 4 -mean_words 8 -near_dups 0.25 -edits 0.2 -format text -out -";
    assert_eq!(work.ok(line).stdout, GOLDEN);
    let line =
        "create_corpus -doc_count 4 -mean_words 8 -near_dups 0.25 -edits 0.2 -out o -truth -";
    assert_eq!(work.ok(line).stdout, GOLDEN_TRUTH);
}

const GOLDEN: &str = "\
te ne tavro\n\
sa no ni te ti nema teli nilo ta dalou tospa\n\
na sema tou tekougo\n\
sa no seke ni te ti nema teli nilo ta tospa\n";
const GOLDEN_TRUTH: &str = "original\tcopy\tedit_share\n2\t4\t0.2\n";

#[test]
fn both_formats_hold_the_same_texts() {
    let work = Work::new();
    work.ok(LINE);
    work.ok("create_corpus -doc_count 600 -out lines -format text");
    assert_eq!(work.read("lines"), texts(&work, "corpus").join("\n") + "\n");
    work.ok("create_corpus -doc_count 600 -out json -format json");
    assert!(work.read_bytes("json") == work.read_bytes("corpus"));
}

#[test]
fn the_truth_is_true() {
    let work = Work::new();
    work.ok(&format!("{LINE} --truth truth --near_dups 0.2 --edits 0,0.05,0.3"));
    let texts = texts(&work, "corpus");
    let truth = truth(&work, "truth");
    assert_eq!(truth.len(), 120);
    assert!(truth.is_sorted_by_key(|(_, copy, _)| *copy));
    let (mut promised, mut found) = (0, 0);
    for (original, copy, share) in &truth {
        assert!([0.0, 0.05, 0.3].contains(share));
        let (original, copy) = (&texts[original - 1], &texts[copy - 1]);
        let edits = (original.split(' ').count() as f64 * share).round() as usize;
        let distance = distance(original, copy);
        assert!(distance <= edits, "{distance} of {edits}");
        (promised, found) = (promised + edits, found + distance);
    }
    // A few edits cancel each other, as where a word is removed beside an added one.
    assert!(found as f64 > 0.9 * promised as f64, "{found} of {promised}");
}

#[test]
fn documents_that_are_no_copies_are_not_alike() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 60 --out corpus --near_dups 0 --truth truth");
    assert_eq!(work.read("truth"), "original\tcopy\tedit_share\n");
    let texts = texts(&work, "corpus");
    for (at, text) in texts.iter().enumerate() {
        let words = text.split(' ').count() as i64;
        for other in &texts[..at] {
            assert!(surplus(text, other) * 10 > words * 2, "{text}\n{other}");
        }
    }
}

#[test]
fn defaults_make_documents_like_newspaper_articles() {
    let work = Work::new();
    // The vocabulary that 100,000 documents would have.
    work.ok("create_corpus --doc_count 3000 --out corpus --terms 500000");
    let texts = texts(&work, "corpus");
    let mean = |of: fn(&String) -> usize| texts.iter().map(of).sum::<usize>() as f64 / 3000.0;
    let distinct = mean(|text| text.split(' ').collect::<BTreeSet<_>>().len());
    let words = mean(|text| text.split(' ').count());
    assert!((235.0..265.0).contains(&words), "{words} words");
    assert!((176.0..192.0).contains(&distinct), "{distinct} different words");
    let letters = mean(String::len);
    assert!((1600.0..1800.0).contains(&letters), "{letters} bytes");
}

#[test]
fn the_number_of_terms_is_the_limit() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 50 --out corpus --terms 7 --zipf 0");
    let texts = texts(&work, "corpus");
    let words: BTreeSet<&str> = texts.iter().flat_map(|text| text.split(' ')).collect();
    assert_eq!(words.len(), 7);
}

#[test]
fn one_document_is_no_copy() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 1 --near_dups 1 --out corpus --truth truth");
    assert_eq!(texts(&work, "corpus").len(), 1);
    assert_eq!(truth(&work, "truth").len(), 0);
}

#[test]
fn names_that_end_in_gz_are_written_compressed() {
    let work = Work::new();
    work.ok(&format!("{LINE} --truth truth"));
    work.ok("create_corpus --doc_count 600 --out corpus.gz --truth truth.gz");
    for name in ["corpus", "truth"] {
        let compressed = format!("{name}.gz");
        assert_eq!(std::fs::read(work.path(&compressed)).unwrap()[..2], [0x1f, 0x8b]);
        assert!(work.read_bytes(&compressed) == work.read_bytes(name), "{name}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let work = Work::new();
    work.ok(LINE);
    assert!(work.ok("create_corpus -doc_count 600 -out -").stdout == work.read("corpus"));
    let refusal = work.refuses("create_corpus -doc_count 600 -out - -truth -");
    assert!(refusal.contains("only one of --out and --truth can be standard output"), "{refusal}");
}

#[test]
fn a_closed_pipe_is_success() {
    let work = Work::new();
    let line = "create_corpus -doc_count 3000 -out -";
    check_closed_pipe(&work, line);
    check_reader_that_leaves(&work, line);
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    check_manners(&Work::new(), LINE, "read 0 documents, skipped 0, wrote 600 documents");
}

#[test]
fn places_that_cannot_be_written_are_reported() {
    let work = Work::new();
    let told = work.fails("create_corpus -doc_count 5 -out no/where");
    assert!(told.starts_with("create_corpus: error: no/where: cannot create: "), "{told}");
    let told = work.fails("create_corpus -doc_count 5 -out corpus -truth no/where");
    assert!(told.starts_with("create_corpus: error: no/where: cannot create: "), "{told}");
    assert_eq!(work.files(), [""; 0], "half of the output was written");
    let told = work.fails("create_corpus -doc_count 5 -out same -truth same");
    assert!(told.contains("or this one writes it twice"), "{told}");
}
