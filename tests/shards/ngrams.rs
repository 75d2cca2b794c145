//! The n-gram index and searches in it in shards.

use super::{COUNTS, json_lines, parts, run_shards, text};
use crate::common::{Work, gzip};

/// Collections in different containers, and how they are named.
const COLLECTIONS: [&str; 5] =
    ["texts", "docs.jsonl", "docs.jsonl.gz", "records", "--input_format lines lines"];
/// Parameters of an index.
const FLAGS: [&str; 5] = [
    "-n 2",
    "-n 2,4 --winnow 3",
    "-n 3 --no_stems --prefix p:",
    "-n 2 --preset mensik",
    "-n 2 --preset pekar --buffer 50",
];

fn prepared() -> Work {
    let work = Work::new();
    for number in 0..30 {
        // Documents without words are documents.
        let content = if number == 20 { String::new() } else { text(number) };
        work.write(format!("texts/{}/{number:02}.txt", number % 4), content);
    }
    work.write("docs.jsonl", json_lines(0..60));
    work.write("docs.jsonl.gz", gzip(json_lines(0..60).as_bytes()));
    work.write("records/a.jsonl", json_lines(0..25));
    work.write("records/b.jsonl.gz", gzip(json_lines(20..40).as_bytes()));
    work.write("records/c.txt", text(40));
    work.write("records/d.csv", "id,text\nx,one two three\ny,\"four\nfive\"\n");
    work.write("records/e.jsonl", format!("\u{feff}{}", json_lines(41..60)));
    work.write("lines", (0..60).map(|number| text(number) + "\n").collect::<String>());
    work
}

/// Returns the files of a folder with their bytes.
fn files_of(work: &Work, folder: &str) -> Vec<(String, Vec<u8>)> {
    let below = format!("{folder}/");
    let names = work.files().into_iter().filter(|name| name.starts_with(&below));
    names.map(|name| (name[below.len()..].to_string(), work.read_bytes(name))).collect()
}

/// Makes the index `merged` of documents in so many shards.
fn merge(work: &Work, documents: &str, count: usize) {
    run_shards(work, &format!("ngram_index add {documents} --index merged"), count);
    work.ok(&format!("merge_index --index merged {}", parts("merged", count)));
}

/// Removes indexes.
fn remove(work: &Work, folders: &str) {
    folders.split(' ').for_each(|folder| std::fs::remove_dir_all(work.path(folder)).unwrap());
}

/// Fails unless the merged index has the bytes of the whole one, for all numbers of shards.
#[track_caller]
fn check_merged(work: &Work, documents: &str) {
    work.ok(&format!("ngram_index add {documents} --index ix"));
    let whole = files_of(work, "ix");
    let names: Vec<&str> = whole.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["index.json", "lock", "segment-1.bin"]);
    for count in COUNTS {
        merge(work, documents, count);
        assert!(files_of(work, "merged") == whole, "{documents} in {count} shards");
        remove(work, &format!("merged {}", parts("merged", count)));
    }
    remove(work, "ix");
}

#[test]
fn merged_indexes_have_the_bytes_of_the_whole_one() {
    let work = prepared();
    for (number, documents) in COLLECTIONS.into_iter().enumerate() {
        for flags in [FLAGS[number], FLAGS[(number + 2) % FLAGS.len()]] {
            check_merged(&work, &format!("{documents} {flags}"));
        }
    }
}

#[test]
fn repeated_documents_of_different_parts_are_those_of_one_run() {
    let work = prepared();
    // Records with the id of another one, and with ids that look like numbered ones.
    let ids = ["a", "a#2", "b", "a", "a#3", "a#2#2", "a", "a#2", "c", "b#2", "b"];
    let line = |number: usize| {
        let id = ids[number * number % ids.len()];
        format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", text(number))
    };
    work.write("repeated.jsonl", (0..60).map(line).collect::<String>());
    check_merged(&work, "repeated.jsonl -n 2");
    // Files that are named twice are added once.
    check_merged(&work, "texts/0 texts/1/05.txt ./texts repeated.jsonl texts/0 -n 2");
    // A file that is gone cannot tell whether it was one document.
    run_shards(&work, "ngram_index add texts/0 texts/0/04.txt -n 2 --index merged", 2);
    std::fs::remove_file(work.path("texts/0/04.txt")).unwrap();
    let refused = work.fails("merge_index --index merged merged.1-of-2 merged.2-of-2");
    assert!(refused.contains("texts/0/04.txt' is in the shards twice"), "{refused}");
    assert!(!work.has("merged"));
}

#[test]
fn merged_indexes_list_and_find_the_same() {
    let work = prepared();
    work.ok("ngram_index add docs.jsonl -n 2,3 --index ix");
    merge(&work, "docs.jsonl -n 2,3", 3);
    for line in [
        "ngram_index list --format jsonl",
        "ngram_index stats",
        "ngram_index export",
        "ngram_search texts -a 10 -m 2 --details",
        "ngram_search texts -a 10 -m 2 --format xml",
        "ngram_search texts -a 10 -m 2 --format jsonl",
        "ngram_search texts/0/00.txt -a 10 -m 2 --format pan",
    ] {
        let found = |index: &str| work.ok(&format!("{line} --index {index}")).stdout;
        assert_eq!(found("ix"), found("merged"), "{line}");
        assert!(!found("ix").is_empty(), "{line}");
    }
    work.ok("ngram_index check --index merged");
    // Both go on as the same index.
    for index in ["ix", "merged"] {
        work.ok(&format!("ngram_index add texts -n 2 --index {index}"));
    }
    assert!(files_of(&work, "merged") == files_of(&work, "ix"));
}

#[test]
fn results_of_parts_are_joined_by_cat() {
    let work = prepared();
    work.ok("ngram_index add docs.jsonl -n 2 --index ix");
    for (documents, form) in [("texts", "text"), ("docs.jsonl", "jsonl"), ("records", "jsonl")] {
        let line =
            format!("ngram_search {documents} --index ix -a 5 -m 2 --format {form} --out found.x");
        work.ok(&line);
        for count in COUNTS {
            run_shards(&work, &line, count);
            let part = |index: usize| work.read(format!("found.{index}-of-{count}.x"));
            let joined: String = (1..=count).map(part).collect();
            assert_eq!(joined, work.read("found.x"), "{documents} in {count} shards");
            assert!(!joined.is_empty());
        }
    }
}

#[test]
fn folders_of_parts_have_the_files_of_the_whole_folder() {
    let work = prepared();
    work.ok("ngram_index add docs.jsonl -n 2 --index ix");
    for (documents, form) in [
        // Ids are repeated.
        ("records docs.jsonl", "xml"),
        ("texts texts/1", "pan"),
        ("--input_format text texts", "html"),
        ("--input_format text texts texts/1", "text"),
    ] {
        let line =
            format!("ngram_search {documents} --index ix -a 5 -m 2 --format {form} --out found/");
        work.ok(&line);
        let whole = files_of(&work, "found");
        for count in COUNTS {
            run_shards(&work, &line, count);
            let folders = (1..=count).map(|index| format!("found.{index}-of-{count}"));
            let mut joined: Vec<(String, Vec<u8>)> =
                folders.flat_map(|folder| files_of(&work, &folder)).collect();
            joined.sort();
            assert!(joined == whole, "{documents} in {count} shards");
            remove(&work, &parts("found", count));
        }
        remove(&work, "found");
    }
}

/// Fails unless a command line fails with this message and leaves no merged index.
#[track_caller]
fn refused(work: &Work, line: &str, message: &str) {
    let ran = work.run(line);
    assert!(ran.stderr.contains(message), "{line}\n{}", ran.stderr);
    assert!(matches!(ran.code, Some(1 | 2)), "{line}");
    assert!(!work.has("merged"), "{line}");
}

#[test]
fn parts_of_different_indexes_are_refused_by_name() {
    let work = prepared();
    let add = "ngram_index add docs.jsonl --index merged";
    run_shards(&work, &format!("{add} -n 2"), 3);
    let merge = "merge_index --index merged";
    let all = parts("merged", 3);
    refused(&work, &format!("{merge} merged.1-of-3 merged.3-of-3"), "missing shards: 2/3");
    refused(
        &work,
        &format!("{merge} {all} merged.2-of-3"),
        "merged.2-of-3: shard 2/3 is also merged.2-of-3",
    );
    refused(&work, &format!("{merge} {all} nothing"), "nothing/index.json: cannot read");
    work.ok("ngram_index add texts --index whole -n 2");
    refused(&work, &format!("{merge} whole"), "whole: expected a shard, found a whole index");
    refused(
        &work,
        &format!("merge_index --index whole {all}"),
        "whole: expected no index where the merged index is written, found one",
    );
    work.write("other/file", "");
    refused(
        &work,
        &format!("merge_index --index other {all}"),
        "other: expected an empty folder, found 'file'",
    );
    run_shards(&work, &format!("{add} -n 2"), 2);
    refused(
        &work,
        &format!("{merge} merged.1-of-2 merged.2-of-3 merged.3-of-3"),
        "merged.2-of-3: expected 2 shards as in merged.1-of-2, found 3",
    );
    for (flags, message) in [
        ("-n 3", "expected lengths 2 as in merged.1-of-2, found 3"),
        ("-n 2 --prefix p:", "expected prefix  as in merged.1-of-2, found p:"),
        ("-n 2 --winnow 4", "expected winnow 1 as in merged.1-of-2, found 4"),
        ("-n 2 --no_stems", "expected stems true as in merged.1-of-2, found false"),
        ("-n 2 --preset pekar", "as in merged.1-of-2, found"),
    ] {
        remove(&work, "merged.2-of-2");
        work.ok(&format!("{add} {flags} --shard 2/2"));
        refused(&work, &format!("{merge} {}", parts("merged", 2)), message);
    }
    remove(&work, "merged.2-of-2");
    work.write("docs.jsonl", json_lines(0..61));
    work.ok(&format!("{add} -n 2 --shard 2/2"));
    refused(
        &work,
        &format!("{merge} {}", parts("merged", 2)),
        "merged.2-of-2: expected checksum of the documents' names and sizes",
    );
}

#[test]
fn damaged_parts_are_refused() {
    let work = prepared();
    run_shards(&work, "ngram_index add docs.jsonl --index merged -n 2", 2);
    let merge = format!("merge_index --index merged {}", parts("merged", 2));
    for (name, message) in [
        ("merged.2-of-2/segment-1.bin", "merged.2-of-2/segment-1.bin: "),
        ("merged.1-of-2/index.json", "merged.1-of-2/index.json:"),
    ] {
        let bytes = work.read_bytes(name);
        for at in (0..bytes.len()).step_by(bytes.len() / 7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            work.write(name, &damaged);
            refused(&work, &merge, message);
        }
        work.write(name, &bytes[..bytes.len() - 3]);
        refused(&work, &merge, message);
        work.write(name, &bytes);
    }
    // What a killed merge leaves is no obstacle.
    work.write("merged/segment-1.bin.part", "");
    work.write("merged/lock", "");
    work.ok(&merge);
    work.ok("ngram_index check --index merged");
    assert!(!work.has("merged/segment-1.bin.part"));
    // Neither is the index itself, if it is whole.
    let whole = files_of(&work, "merged");
    work.ok(&merge);
    assert!(files_of(&work, "merged") == whole);
    work.write("merged/segment-1.bin", "");
    let told = work.fails(&merge);
    assert!(told.contains("expected no index where the merged index is written"), "{told}");
}

#[test]
fn shards_are_new_and_do_not_change() {
    let work = prepared();
    let add = "ngram_index add docs.jsonl --index merged -n 2";
    work.ok(&format!("{add} --shard 1/2"));
    let part = "merged.1-of-2";
    refused(
        &work,
        &format!("{add} --shard 1/2"),
        "merged.1-of-2: expected no index where shard 1/2 is written, found one",
    );
    for line in [
        format!("ngram_index add texts --index {part} -n 2"),
        format!("ngram_index remove d1 --index {part}"),
        format!("ngram_index compact --index {part}"),
        format!("ngram_index clear --index {part}"),
    ] {
        refused(&work, &line, "merged.1-of-2: is shard 1/2 of an index, which is merged");
    }
    assert!(work.ok(&format!("ngram_index list --index {part}")).stdout.contains("d1\t"));
    for (line, message) in [
        ("ngram_index list --index ix --shard 1/2", "expected the action add, found list"),
        (
            "ngram_index add texts --store redis://localhost:1/x --shard 1/2",
            "--store excludes --shard",
        ),
        ("ngram_search texts --index ix --shard 1/2", "--out: expected a file with --shard"),
        (
            "ngram_search texts --index ix --shard 1/2 --format xml --out found.xml",
            "expected a folder of results with --format xml, found a file",
        ),
        (
            "ngram_search texts --index ix --shard 1/2 --format html --out found.html",
            "write them with --out FOLDER/",
        ),
        ("ngram_search texts --index ix --shard 1/2 --add --out x", "--add excludes --shard"),
        (
            "ngram_search texts --index ix --shard 1/2 --preset mensik --out x",
            "--preset mensik adds the documents to the index and excludes --shard",
        ),
    ] {
        refused(&work, line, message);
        assert_eq!(work.run(line).code, Some(2), "{line}");
    }
    for line in [
        "ngram_index add - --index merged --shard 1/2",
        "ngram_search - --index ix --shard 1/2 --out x",
    ] {
        let ran = work.run_with_input(line, json_lines(0..5).as_bytes());
        assert!(ran.stderr.contains("-: --shard needs files"), "{}", ran.stderr);
    }
}

#[test]
fn complete_parts_are_kept_and_others_replaced() {
    let work = prepared();
    let add = "ngram_index add docs.jsonl --index merged -n 2 --shard 2/2 --resume -v";
    let runs = |line: &str| {
        let told = work.ok(line).stderr;
        let is_kept = told.contains(": complete: not run again\n");
        assert_eq!(told.contains(": not complete: "), !is_kept, "{told}");
        !is_kept
    };
    assert!(runs(add));
    let segment = work.read_bytes("merged.2-of-2/segment-1.bin");
    assert!(!runs(add) && !runs(add));
    // Other flags, a damaged file, a missing file, other documents.
    assert!(runs(&format!("{add} --winnow 3")) && runs(add) && !runs(add));
    assert!(runs(&format!("{add} --prefix p:")) && runs(add) && !runs(add));
    let names = || files_of(&work, "merged.2-of-2").into_iter().map(|(name, _)| name);
    let name = names().find(|name| name.starts_with("segment")).unwrap();
    assert_eq!((name.as_str(), names().count()), ("segment-5.bin", 3));
    assert!(work.read_bytes(format!("merged.2-of-2/{name}")) == segment);
    work.write(format!("merged.2-of-2/{name}"), &segment[..segment.len() - 1]);
    assert!(runs(add) && !runs(add));
    std::fs::remove_file(work.path("merged.2-of-2/segment-6.bin")).unwrap();
    assert!(runs(add) && !runs(add));
    work.write("docs.jsonl", json_lines(0..61));
    assert!(runs(add) && !runs(add));
    // The merged index does not depend on how often a part was written.
    work.ok("ngram_index add docs.jsonl --index merged -n 2 --shard 1/2");
    work.ok("merge_index --index merged merged.1-of-2 merged.2-of-2");
    work.ok("ngram_index add docs.jsonl --index ix -n 2");
    assert!(files_of(&work, "merged") == files_of(&work, "ix"));
    work.ok("ngram_index add docs.jsonl --index other.1-of-1 -n 2");
    let refused = work.fails("ngram_index add docs.jsonl --index other -n 2 --shard 1/1 --resume");
    assert!(refused.contains("expected no index where shard 1/1 is written"), "{refused}");
}

#[test]
fn more_shards_than_documents_leave_some_empty() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..2));
    work.ok("ngram_index add docs.jsonl --index ix -n 2");
    merge(&work, "docs.jsonl -n 2", 9);
    assert!(files_of(&work, "merged") == files_of(&work, "ix"));
    work.write("blank.jsonl", "\n\n");
    run_shards(&work, "ngram_index add blank.jsonl --index none", 2);
    let refused = work.fails("merge_index --index all none.1-of-2 none.2-of-2");
    assert!(refused.contains("no document in any shard"), "{refused}");
    assert!(!work.has("all"));
}
