//! Hostile input of the n-gram index: bombs, long lines, deep nesting, false formats, names that lead elsewhere, equal names, full disks.

use std::collections::BTreeSet;

use super::bounds::ends;
use super::outputs::fails_on_a_full_disk;
use super::{assert_unchanged, snapshot};
use crate::common::Work;

const SENTENCE: &str =
    "the miller of the lower village kept an old horse that nobody wanted to buy";

/// A folder with an index of one document.
fn prepared() -> Work {
    let work = Work::new();
    work.write("good.txt", SENTENCE);
    work.ok("ngram_index add good.txt --index ix -n 3");
    work
}

/// Returns the ids of the index, after a check.
fn ids(work: &Work) -> BTreeSet<String> {
    work.ok("ngram_index check --index ix");
    let list = work.ok("ngram_index list --index ix").stdout;
    let id = |line: &str| line.split('\t').next().unwrap().to_string();
    list.lines().skip(1).map(id).collect()
}

/// Adds and searches a document; both must end with this exit code and a message, and leave the index sound. Returns the number of documents.
#[track_caller]
fn meets(work: &Work, input: &str, code: i32, told: &str) -> usize {
    for line in [
        format!("ngram_index add {input} --index ix -n 3"),
        format!("ngram_search {input} --index ix --format jsonl --out found.jsonl"),
    ] {
        let stderr = ends(work, &line, code);
        assert!(stderr.contains(told), "{line}\n{stderr}");
    }
    ids(work).len()
}

#[test]
fn a_line_of_200_megabytes_takes_bounded_memory() {
    let work = prepared();
    let line = format!("{SENTENCE} ").repeat((200 << 20) / (SENTENCE.len() + 1));
    work.write("long.txt", &line);
    work.write("long.jsonl", format!("{{\"id\":\"long\",\"text\":\"{line}\"}}\n"));
    let told = "expected a record of at most 67108864 bytes (--max_record), found a longer one";
    assert_eq!(meets(&work, "long.txt --max_record 64M", 1, &format!("long.txt: {told}")), 1);
    assert_eq!(meets(&work, "long.jsonl --max_record 64M", 1, &format!("long.jsonl:1: {told}")), 1);
    // The default admits it, and takes a multiple of its size.
    for line in
        ["ngram_index add long.txt --index ix -n 3", "ngram_search long.txt --index ix --out x"]
    {
        let told = ends(&work, line, 1);
        assert!(told.contains("error: out of memory"), "{told}");
    }
    assert!(ids(&work).len() == 1 && !work.has("x"));
}

#[test]
fn markup_nested_without_end_is_read() {
    let work = prepared();
    let depth = 100_000;
    let page =
        format!("<html>{}{SENTENCE}{}</html>", "<div>".repeat(depth), "</div>".repeat(depth));
    work.write("deep.html", page);
    assert_eq!(meets(&work, "deep.html", 0, "read 1 document"), 2);
    assert!(work.read("found.jsonl").contains("\"run\":15"), "{}", work.read("found.jsonl"));
}

#[test]
fn a_false_pdf_is_named_and_left_out() {
    let work = prepared();
    work.write("false.pdf", "%PDF-1.4 not one %%EOF");
    assert_eq!(meets(&work, "false.pdf", 1, "false.pdf: damaged PDF"), 1);
}

#[test]
fn a_path_through_parents_is_the_same_document() {
    let work = prepared();
    work.write("sub/x.txt", "other words");
    let told = work.fails("ngram_index add sub/../good.txt --index ix -n 3");
    assert!(told.contains("good.txt") && told.contains("--replace"), "{told}");
    assert_eq!(ids(&work).len(), 1);
}

/// Members of archives and ids of records name files below `--out` only.
#[test]
fn results_stay_in_their_folder() {
    let work = prepared();
    let names = ["../../evil", "/etc/evil", "..", "a/../../evil", "", "a", "a"];
    let record = |name: &&str| format!("{{\"id\":\"{name}\",\"text\":\"{SENTENCE}\"}}\n");
    work.write("in/records.jsonl", names.iter().map(record).collect::<String>());
    for (form, count) in [("text", names.len()), ("xml", names.len()), ("pan", names.len())] {
        let before = snapshot(&work);
        work.ok(&format!("ngram_search in --index ix --format {form} --out found-{form}/"));
        let mut after = snapshot(&work);
        let folder = format!("found-{form}/");
        let found: Vec<String> =
            after.keys().filter(|name| name.starts_with(&folder)).cloned().collect();
        assert_eq!(found.len(), count, "{found:?}");
        after.retain(|name, _| !name.starts_with(&folder));
        assert_unchanged(&before, &after, form);
    }
}

#[test]
fn documents_of_equal_names_are_different() {
    let work = prepared();
    for folder in ["x", "y"] {
        work.write(format!("{folder}/a.txt"), format!("{SENTENCE} {folder}"));
    }
    work.ok("ngram_index add x --index ix -n 3");
    work.ok("ngram_index add y --index ix -n 3");
    let found = ids(&work);
    assert!(found.len() == 3 && found.iter().filter(|id| id.ends_with("/a.txt")).count() == 2);
    // Two records with one id: the second one is not another version of the first.
    work.write(
        "twice.jsonl",
        "{\"id\":\"t\",\"text\":\"a b c d\"}\n{\"id\":\"t\",\"text\":\"e f g h\"}\n",
    );
    let before = ids(&work);
    let ran = work.run("ngram_index add twice.jsonl --index ix -n 3");
    let after = ids(&work);
    let told = ran.stderr;
    assert!(ran.code == Some(1) && after == before || after.len() == before.len() + 2, "{told}");
}

#[test]
fn a_segment_of_another_version_is_refused() {
    let work = prepared();
    let mut segment = work.read_bytes("ix/segment-1.bin");
    segment[15] = b'0';
    work.write("ix/segment-1.bin", segment);
    let before = snapshot(&work);
    for line in [
        "ngram_search good.txt --index ix",
        "ngram_index add good.txt --index ix -n 3 --replace",
        "ngram_index compact --index ix",
    ] {
        let told = work.fails(line);
        assert!(told.contains("segment-1.bin: expected 'nearsig ngrams 4' at its start"), "{told}");
    }
    assert_unchanged(&before, &snapshot(&work), "an index of another version");
}

#[test]
fn a_full_disk_leaves_the_index_as_it_was() {
    let work = prepared();
    let words: Vec<String> = (0..20_000).map(|word| format!("w{word}")).collect();
    work.write("large.txt", words.join(" "));
    work.ok("ngram_index add large.txt --index ix -n 3");
    work.write("larger.txt", words.join(" x "));
    for blocks in [0, 1, 64] {
        for line in [
            "ngram_index add larger.txt --index ix -n 3",
            "ngram_index compact --index ix",
            "ngram_index export --index ix --out hashes.tsv",
            "ngram_search larger.txt --index ix --format html -a 1 --out page.html",
        ] {
            fails_on_a_full_disk(&work, line, blocks);
        }
    }
    assert_eq!(ids(&work).len(), 2);
}
