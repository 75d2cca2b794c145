//! find_near_dups on a full disk, with misspelled outputs, over its own input, next to other runs and after killed ones.

use super::outputs::limited;
use super::{assert_unchanged, refused_without_trace, snapshot};
use crate::common::{Outcome, Work};

#[test]
fn a_full_disk_is_told_and_what_was_there_stays() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 1500 --out docs.jsonl --mean_words 60");
    work.ok("find_near_dups docs.jsonl --out pairs.tsv --dedup kept.jsonl --save_index index");
    let state = |work: &Work| -> Vec<(String, Vec<u8>)> {
        work.files().into_iter().map(|name| (name.clone(), work.read_bytes(name))).collect()
    };
    let before = state(&work);
    for line in [
        "find_near_dups docs.jsonl --threshold 0.7 --out pairs.tsv",
        "find_near_dups docs.jsonl --threshold 0.7 --dedup kept.jsonl",
        "find_near_dups docs.jsonl --threshold 0.7 --save_index index",
    ] {
        let ran = Outcome::from(limited(&work, line, 4).output().unwrap());
        assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("cannot write"), "{line}\n{}", ran.stderr);
        let now = state(&work);
        assert!(before.iter().all(|file| now.contains(file)), "{line}");
    }
    work.ok("find_near_dups docs.jsonl --index index --out again.tsv");
}

/// Returns a folder with an index of old documents, and new documents of which two are copies of one old document.
fn with_index() -> Work {
    let work = Work::new();
    let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let story = "one two three four five six seven eight nine ten eleven twelve";
    work.write("old.jsonl", line("a", story) + &line("b", "some words of another document"));
    let new = [line("c", story), line("d", "an entirely new document of today"), line("e", story)];
    work.write("new.jsonl", new.concat());
    work.ok("find_near_dups old.jsonl --save_index ix");
    work
}

const UPDATE: &str = "find_near_dups new.jsonl --index ix --save_index ix";

/// Returns the ids in the index, in order.
fn indexed(work: &Work) -> Vec<String> {
    let names = work.files();
    let name = names.iter().find(|name| name.starts_with("ix/documents-")).unwrap();
    let id = |line: &str| line.split('\t').next().unwrap().to_string();
    work.read(name).lines().map(id).collect()
}

#[test]
fn a_misspelled_output_fails_at_once_and_the_index_stays() {
    let work = with_index();
    let before = snapshot(&work);
    for outputs in
        ["--out nodir/x.tsv --dedup c.jsonl", "--dedup c.jsonl --removed nodir/x", "--out x.doc"]
    {
        let ran = work.run(&format!("{UPDATE} {outputs}"));
        assert!(matches!(ran.code, Some(1 | 2)), "{}", ran.stderr);
        assert_unchanged(&before, &snapshot(&work), &ran.stderr);
    }
    work.ok(&format!("{UPDATE} --out x.tsv --dedup c.jsonl"));
    assert_eq!(work.read("c.jsonl").lines().count(), 1, "d is not a copy");
    assert_eq!(indexed(&work), ["a", "b", "c", "d", "e"]);
}

#[test]
fn the_same_run_again_gives_the_same_results_and_the_same_index() {
    let work = with_index();
    let line = format!("{UPDATE} --out x.tsv --clusters y.tsv --removed z.tsv --dedup c.jsonl");
    work.ok(&line);
    let before = snapshot(&work);
    let again = work.ok(&line);
    assert!(again.stderr.contains("the 3 new documents are those that the last run added"));
    assert_unchanged(&before, &snapshot(&work), &again.stderr);
}

#[test]
fn documents_that_the_index_has_are_told_and_not_added_again() {
    let work = with_index();
    work.ok(UPDATE);
    // Not the documents of the last run: one more, and one with another text.
    let more = work.read("new.jsonl").replace("of today", "of tomorrow");
    work.write("more.jsonl", more + "{\"id\":\"b\",\"text\":\"some words of another document\"}\n");
    let ran = work.ok("find_near_dups more.jsonl --index ix --save_index ix --removed r.tsv");
    assert!(ran.stderr.contains("3 of 4 new documents are already in the index"), "{}", ran.stderr);
    assert_eq!(indexed(&work), ["a", "b", "c", "d", "e", "d"]);
    assert_eq!(work.read("r.tsv").lines().count(), 4, "all but d have an existing duplicate");
    work.ok("find_near_dups new.jsonl --index ix --out x.tsv");
    // The index is that of all documents at once.
    let line = |text: &str| text.lines().nth(1).unwrap().to_string() + "\n";
    let all = work.read("old.jsonl") + &work.read("new.jsonl");
    work.write("all.jsonl", all + &line(&work.read("more.jsonl")).replace("\"d\"", "\"d \""));
    work.ok("find_near_dups all.jsonl --save_index other");
    let of = |folder: &str, name: &str| {
        let names = work.files();
        let start = format!("{folder}/{name}-");
        work.read_bytes(names.iter().find(|name| name.starts_with(&start)).unwrap())
    };
    for name in ["terms", "vectors"] {
        assert!(of("ix", name) == of("other", name), "{name}");
    }
}

#[test]
fn a_folder_that_a_killed_run_left_is_taken_over_and_no_other() {
    let work = Work::new();
    work.write("docs/a.txt", "one two three");
    work.write("docs/b.txt", "four five six");
    let line = "find_near_dups docs --dedup clean/";
    // The mark of a killed run and its folder.
    work.write("clean.part/c.txt", "left");
    work.write("clean.lock.part", "");
    work.ok(line);
    assert_eq!(work.files(), ["clean/a.txt", "clean/b.txt", "docs/a.txt", "docs/b.txt"]);
    // A folder of the user.
    std::fs::remove_dir_all(work.path("clean")).unwrap();
    work.write("clean.part/c.txt", "mine");
    assert!(work.fails(line).contains("clean.part is in the way"));
    assert_eq!(work.read("clean.part/c.txt"), "mine");
    assert!(!work.has("clean.lock.part"));
    // A folder that is not empty.
    std::fs::remove_dir_all(work.path("clean.part")).unwrap();
    work.write("clean/c.txt", "mine");
    assert!(work.fails(line).contains("not empty"));
    assert_eq!(work.files(), ["clean/c.txt", "docs/a.txt", "docs/b.txt"]);
}

#[test]
fn what_a_killed_run_left_among_the_documents_is_no_document() {
    let work = Work::new();
    work.write("a.txt", "one two three");
    work.write("b.txt", "one two three");
    for name in ["x.tsv.part", "clean.part/a.txt", "clean.lock.part"] {
        work.write(name, "one two three");
    }
    work.write("sub/x.tsv.part", "one two three");
    let ran = work.ok("find_near_dups . --out x.tsv --dedup clean/");
    assert!(ran.stderr.contains("read 3 documents"), "{}", ran.stderr);
    assert_eq!(work.read("x.tsv").lines().count(), 4, "the one in sub is a document");
}

#[test]
fn no_output_replaces_what_the_run_reads() {
    let work = with_index();
    std::fs::create_dir(work.path("links")).unwrap();
    std::os::unix::fs::symlink(work.path("new.jsonl"), work.path("links/s.jsonl")).unwrap();
    std::fs::hard_link(work.path("new.jsonl"), work.path("links/h.jsonl")).unwrap();
    work.write("texts/a.txt", "one two");
    let before = snapshot(&work);
    for (line, names) in [
        ("find_near_dups new.jsonl --out new.jsonl", ["new.jsonl", "new.jsonl"]),
        ("find_near_dups new.jsonl --dedup ./links/../new.jsonl", ["new.jsonl", "new.jsonl"]),
        ("find_near_dups new.jsonl --dedup links/s.jsonl", ["links/s.jsonl", "new.jsonl"]),
        ("find_near_dups new.jsonl --dedup links/h.jsonl", ["links/h.jsonl", "new.jsonl"]),
        (
            "find_near_dups new.jsonl --against old.jsonl --out old.jsonl",
            ["old.jsonl", "old.jsonl"],
        ),
        ("find_near_dups texts --dedup texts/a.txt", ["texts/a.txt", "texts/a.txt"]),
        (
            "find_near_dups new.jsonl --index ix --dedup ix/index.json",
            ["ix/index.json", "index.json"],
        ),
        ("find_near_dups ix --format text --save_index ix", ["ix/index.json", "index.json"]),
    ] {
        let line = line.replace("--out new.jsonl", "--out new.jsonl --threads 1");
        refused_without_trace(&work, &line, &[names[0], "this run reads", names[1]]);
    }
    assert_unchanged(&before, &snapshot(&work), "after all");
}

#[test]
fn a_second_writer_of_an_index_waits_for_the_first() {
    let work = with_index();
    let lock = std::fs::File::options().write(true).open(work.path("ix/lock")).unwrap();
    lock.lock().unwrap();
    let mut words = UPDATE.split(' ');
    let mut command = work.command(words.next().unwrap());
    command.args(words).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut message = String::new();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut stderr, &mut message).unwrap();
    assert!(message.contains("ix: waiting for another run"), "{message}");
    // Readers need not wait.
    work.ok("find_near_dups new.jsonl --index ix --out x.tsv");
    assert_eq!(child.try_wait().unwrap(), None);
    drop(lock);
    assert!(child.wait().unwrap().success());
    assert_eq!(indexed(&work), ["a", "b", "c", "d", "e"]);
}

#[test]
fn temporary_names_lead_to_no_other_file() {
    let work = with_index();
    work.write("precious", "mine");
    let line = "find_near_dups new.jsonl --out x.tsv";
    std::os::unix::fs::symlink(work.path("precious"), work.path("x.tsv.part")).unwrap();
    assert!(work.fails(line).contains("x.tsv.part is in the way; remove it"));
    std::fs::remove_file(work.path("x.tsv.part")).unwrap();
    std::fs::hard_link(work.path("precious"), work.path("x.tsv.part")).unwrap();
    work.ok(line);
    assert_eq!(work.read("precious"), "mine");
    assert!(!work.has("x.tsv.part"));
}
