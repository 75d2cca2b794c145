//! What cannot be a shard, and parts that do not belong together.

use super::{json_lines, parts, run_shards};
use crate::common::Work;

const LINE: &str = "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows";

fn prepared(count: usize) -> Work {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..30));
    run_shards(&work, LINE, count);
    work
}

/// Fails unless a command line fails with this message, without an output.
#[track_caller]
fn refused(work: &Work, line: &str, message: &str) {
    let ran = work.run(line);
    assert!(ran.stderr.contains(message), "{line}\n{}", ran.stderr);
    assert!(matches!(ran.code, Some(1 | 2)), "{line}");
    assert!(!work.has("bow_paths"), "{line}");
}

#[test]
fn gaps_repeats_and_strangers_are_refused_by_name() {
    let work = prepared(3);
    let merge = "merge_paths --out bow_paths";
    refused(&work, &format!("{merge} bow_paths.1-of-3 bow_paths.3-of-3"), "missing shards: 2/3");
    refused(&work, &format!("{merge} bow_paths.2-of-3"), "missing shards: 1/3, 3/3");
    let all = parts("bow_paths", 3);
    refused(
        &work,
        &format!("{merge} {all} bow_paths.2-of-3"),
        "shard 2/3 is also bow_paths.2-of-3",
    );
    refused(&work, &format!("{merge} {all} nothing"), "nothing: cannot open");
    refused(&work, &format!("merge_voc --voc_name bow_paths {all}"), "merge it with merge_paths");
    work.write("plain", "VELIKOST_KOLEKCE 0\n");
    refused(&work, &format!("{merge} plain"), "expected a shard with a manifest");
    run_shards(&work, LINE, 2);
    let mixed = "bow_paths.1-of-2 bow_paths.2-of-3 bow_paths.3-of-3";
    refused(
        &work,
        &format!("{merge} {mixed}"),
        "bow_paths.2-of-3: expected 2 shards as in bow_paths.1-of-2, found 3",
    );
    work.ok("create_bows docs.jsonl --bow_paths whole --bow_dir bows");
    refused(
        &work,
        &format!("{merge} whole"),
        "whole: expected a shard, found the output of a whole stage",
    );
}

#[test]
fn other_parameters_and_other_documents_are_refused_by_name() {
    let work = prepared(2);
    let merge = format!("merge_paths --out bow_paths {}", parts("bow_paths", 2));
    work.ok(&format!("{LINE} --shingle_size 2 --shard 2/2"));
    refused(
        &work,
        &merge,
        "bow_paths.2-of-2: expected shingle_size 1 as in bow_paths.1-of-2, found 2",
    );
    work.ok(&format!("{LINE} --bows_per_file 5 --shard 2/2"));
    refused(
        &work,
        &merge,
        "expected number of records per file 1000 as in bow_paths.1-of-2, found 5",
    );
    work.write("docs.jsonl", json_lines(0..31));
    work.ok(&format!("{LINE} --shard 2/2"));
    refused(&work, &merge, "bow_paths.2-of-2: expected checksum of the documents' names and sizes");
    work.ok(&format!("{LINE} --shard 1/2"));
    work.ok(&merge);
}

#[test]
fn damaged_parts_are_refused() {
    let work = prepared(2);
    let merge = format!("merge_paths --out bow_paths {}", parts("bow_paths", 2));
    let data = "bows/bow_paths.2-of-2-000001.bow";
    let bytes = work.read_bytes(data);
    work.write(data, &bytes[..bytes.len() - 3]);
    refused(&work, &merge, data);
    let flipped: Vec<u8> =
        bytes.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == 9)).collect();
    work.write(data, flipped);
    refused(&work, &merge, "checksum");
    work.write(data, &bytes);
    work.ok(&merge);
}

#[test]
fn streams_and_counted_documents_have_no_shards() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..5));
    let ran = work.run_with_input(
        "create_bows - --bow_paths bow_paths --bow_dir bows --shard 1/2",
        json_lines(0..5).as_bytes(),
    );
    assert!(ran.stderr.contains("-: --shard needs files"), "{}", ran.stderr);
    for (flags, message) in [
        (
            "--bow_paths - --bow_dir b --shard 1/2",
            "--bow_paths: expected a file with --shard, found '-'",
        ),
        ("--bow_paths p --bow_dir b --doc_count 3 --shard 1/2", "--doc_count excludes --shard"),
        ("--bow_paths p --bow_dir b --shard 3/2", "expected I/N with 1 <= I <= N"),
        ("--bow_paths p --bow_dir b --shard 0/2", "such as 2/8"),
    ] {
        let ran = work.run(&format!("create_bows docs.jsonl {flags}"));
        assert_eq!(ran.code, Some(2), "{flags}");
        assert!(ran.stderr.contains(message), "{flags}\n{}", ran.stderr);
    }
}
