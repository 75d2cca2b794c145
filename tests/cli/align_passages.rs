//! align_passages: usage, passages of two documents and of listed pairs, methods, errors.

use serde_json::{Value, json};

use super::shared::{check_closed_pipe, check_manners, check_usage, check_values};
use crate::common::Work;

const LINE: &str = "align_passages --out found.jsonl copy.txt source.txt";

const COPIED: &str = "The miller of the lower village kept an old horse that nobody wanted to buy. One spring morning the horse opened the gate by itself and walked \
    through the orchard. Nobody saw it again, but every autumn somebody finds an apple with the marks of large teeth.";
const OTHER: &str = "Interest rates rose by a quarter of one percent after the central bank published its report. Žižkov analysts had expected this for months.";

fn prepared() -> Work {
    let work = Work::new();
    work.write("copy.txt", format!("{OTHER} {COPIED}\n"));
    work.write("source.txt", format!("{COPIED}\n"));
    work
}

fn passages(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn expected() -> Value {
    json!({
        "suspicious": "copy.txt", "offset": OTHER.chars().count() + 1, "length": COPIED.len(), "source": "source.txt", "source_offset": 0,
        "source_length": COPIED.len(), "similarity": 1.0, "run": COPIED.split(' ').count()
    })
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "align_passages",
        "Finds the passages of a document that are copied from another one",
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
            "pairs",
            "alignment",
            "stem",
            "ngram_size",
            "sorted_ngrams",
            "max_gap",
            "min_words",
            "out",
        ],
    );
    check_values(
        LINE,
        &[
            ("alignment", "words", "possible values: sentences, ngrams"),
            ("stem", "de", "expected auto, none, en, cs, ru or uk"),
            ("ngram_size", "0", "expected an integer from 1 to 64"),
        ],
    );
    check_manners(&prepared(), LINE, "read 2 documents, skipped 0, wrote 1 passage");
    check_closed_pipe(&prepared(), "align_passages copy.txt source.txt");
}

#[test]
fn passages_have_places_in_characters() {
    let work = prepared();
    for flags in [
        "",
        "--alignment ngrams",
        "--alignment ngrams --ngram_size 7 --sorted_ngrams",
        "--stem none",
    ] {
        let found = work.ok(&format!("align_passages copy.txt source.txt {flags}")).stdout;
        assert_eq!(passages(&found), [expected()], "{flags}");
    }
    let none = work.ok("align_passages copy.txt source.txt --alignment ngrams --min_words 99");
    assert_eq!(none.stdout, "");
}

#[test]
fn listed_pairs_are_aligned_in_their_order() {
    let work = prepared();
    let documents = [("a", OTHER), ("b", COPIED), ("c", COPIED)];
    let line = |(id, text): (&str, &str)| format!("{}\n", json!({"id": id, "text": text}));
    work.write("docs.jsonl", documents.map(line).concat());
    work.write("pairs.tsv", "suspicious\tsource\tkind\nc\tb\tnone\na\tb\tnone\nb\tc\tnone\n");
    work.ok("align_passages docs.jsonl --pairs pairs.tsv --out found.jsonl.gz");
    let found = passages(&work.read("found.jsonl.gz"));
    let ids: Vec<_> =
        found.iter().map(|passage| (&passage["suspicious"], &passage["source"])).collect();
    assert_eq!(ids, [(&json!("c"), &json!("b")), (&json!("b"), &json!("c"))]);
    let threads = work.ok("align_passages docs.jsonl --pairs pairs.tsv --threads 1").stdout;
    assert_eq!(threads, work.read("found.jsonl.gz"));
}

#[test]
fn wrong_input_is_named() {
    let work = prepared();
    work.write("pairs.tsv", "suspicious\tsource\ncopy.txt\tsource.txt\ncopy.txt\tlost.txt\n");
    let told = work.fails("align_passages copy.txt source.txt --pairs pairs.tsv --out x");
    assert!(
        told.contains("pairs.tsv:3: expected the id of a document of the input, found 'lost.txt'"),
        "{told}"
    );
    work.write("pairs.tsv", "left\tright\na\tb\n");
    let told = work.fails("align_passages copy.txt source.txt --pairs pairs.tsv --out x");
    assert!(
        told.contains(
            "pairs.tsv:1: expected the columns 'suspicious\\tsource', found 'left\\tright'"
        ),
        "{told}"
    );
    let told = work.fails("align_passages copy.txt --out x");
    assert!(told.contains("expected two documents, found 1"), "{told}");
    let told = work.refuses("align_passages - --pairs - --out x");
    assert!(told.contains("only one input can be standard input"), "{told}");
    let told = work.fails("align_passages copy.txt source.txt --out copy.txt");
    assert!(told.contains("copy.txt"), "{told}");
    assert!(!work.has("x"));
}
