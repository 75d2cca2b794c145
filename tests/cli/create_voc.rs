//! create_voc: usage, flags, errors.

use std::process::Stdio;

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_spellings, check_usage, check_values, truncated_gzip,
};
use crate::common::{Outcome, Work, gzip};

const LINE: &str = "create_voc --bow_paths bow_paths --voc_name voc";
const BOW_PATHS: &str = "VELIKOST_KOLEKCE 3\nbows/1\nbows/2\n";
const BOWS_1: &str = "a:3 x:2 http://y:8:1 ž:1\nb:2 x:3 A\u{a0}b:1\n";
const BOWS_2: &str = "c:2 ž:4 b:1\n";
/// Terms of the most documents first, then in the order of their bytes.
const VOC: &str =
    "VELIKOST_SLOVNIKU 5\nVELIKOST_KOLEKCE 3\nx 5 2\nž 5 2\nA\u{a0}b 1 1\nb 1 1\nhttp://y:8 1 1\n";

/// Writes the bags of three documents.
fn prepare(work: &Work) {
    work.write("bow_paths", BOW_PATHS);
    work.write("bows/1", BOWS_1);
    work.write("bows/2", BOWS_2);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage("create_voc", "Builds the vocabulary of a collection", &["bow_paths", "voc_name"]);
    check_required(LINE, &["bow_paths", "voc_name"]);
    check_values(LINE, &[("threads", "-1", "expected an integer from 0 to 1024")]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(prepare, &format!("{LINE} --threads 2 --verbose"));
}

#[test]
fn terms_are_counted_in_the_collection_and_by_document() {
    let work = prepared();
    work.ok(LINE);
    assert_eq!(work.read("voc"), VOC);
}

#[test]
fn no_documents_have_no_vocabulary() {
    let work = Work::new();
    work.write("bow_paths", "VELIKOST_KOLEKCE 0\n");
    work.ok(LINE);
    assert_eq!(work.read("voc"), "VELIKOST_SLOVNIKU 0\nVELIKOST_KOLEKCE 0\n");
}

#[test]
fn a_name_that_ends_in_gz_is_written_compressed() {
    let work = prepared();
    work.ok("create_voc -bow_paths bow_paths -voc_name voc.gz");
    assert_eq!(std::fs::read(work.path("voc.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(work.read("voc.gz"), VOC);
}

#[test]
fn compressed_input_is_recognized_by_its_content() {
    let work = Work::new();
    work.write("bow_paths", gzip(BOW_PATHS.as_bytes()));
    work.write("bows/1", gzip(BOWS_1.as_bytes()));
    work.write("bows/2", BOWS_2);
    work.ok(LINE);
    assert_eq!(work.read("voc"), VOC);
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    let ran = work.run_with_input("create_voc -bow_paths - -voc_name -", BOW_PATHS.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), VOC), "{}", ran.stderr);
    assert!(!work.has("-"));
}

#[test]
fn a_vocabulary_goes_through_a_pipe_to_reduce_voc() {
    let work = prepared();
    let (reader, writer) = std::io::pipe().unwrap();
    let mut create = work.command("create_voc");
    create.args(["-bow_paths", "bow_paths", "-voc_name", "-"]).stdout(writer).stderr(Stdio::null());
    let mut reduce = work.command("reduce_voc");
    reduce.args("-old_voc_name - -new_voc_name - -min_df 2 -max_df 3".split(' '));
    reduce.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut first = create.spawn().unwrap();
    // The command keeps its end of the pipe open, and with it the other side waiting.
    drop(create);
    let reduced = Outcome::from(reduce.spawn().unwrap().wait_with_output().unwrap());
    assert_eq!((first.wait().unwrap().code(), reduced.code), (Some(0), Some(0)));
    assert_eq!(reduced.stdout, "VELIKOST_SLOVNIKU 2\nVELIKOST_KOLEKCE 3\nx 5 2\nž 5 2\n");
}

#[test]
fn a_closed_pipe_is_success() {
    let work = prepared();
    check_closed_pipe(&work, "create_voc -bow_paths bow_paths -voc_name -");
    let terms: String = (0..100_000).map(|n| format!(" term{n}:1")).collect();
    work.write("bows/1", format!("a:100000{terms}\nb:0\n"));
    check_reader_that_leaves(&work, "create_voc -bow_paths bow_paths -voc_name -");
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    check_manners(&prepared(), LINE, "read 3 bags of words, skipped 0, wrote 5 terms");
}

#[test]
fn errors_in_the_list_are_reported() {
    let header = "error: bow_paths:1: expected 'VELIKOST_KOLEKCE' and a number, found ";
    check_contents(
        &prepared(),
        LINE,
        "bow_paths",
        &[
            (b"", &format!("{header}''")),
            (b"VELIKOST_KOLEKCE many\n", &format!("{header}'VELIKOST_KOLEKCE many'")),
            (b"VELIKOST_KOLEKCE\n", &format!("{header}'VELIKOST_KOLEKCE'")),
            (b"VELIKOST_SLOVNIKU 3\n", &format!("{header}'VELIKOST_SLOVNIKU 3'")),
            (b"VELIKOST_KOLEKCE -3\n", &format!("{header}'VELIKOST_KOLEKCE -3'")),
            (b"VELIKOST_KOLEKCE 3\xff\n", &format!("{header}'bytes that are not UTF-8'")),
            (b"VELIKOST_KOLEKCE 3\nbows/1\nbows/3\n", "error: bow_paths:3: bows/3: cannot open: "),
            (
                b"VELIKOST_KOLEKCE 4\nbows/1\nbows/2\n",
                "error: bow_paths: expected 4 documents as in the header, found 3 (truncated or mixed files?)",
            ),
            (
                b"VELIKOST_KOLEKCE 2\nbows/1\nbows/2\n",
                "error: bow_paths: expected 2 documents as in the header, found 3",
            ),
        ],
    );
}

#[test]
fn a_list_that_is_not_there_is_reported() {
    let work = Work::new();
    let told = work.fails(LINE);
    assert!(told.starts_with("create_voc: error: bow_paths: cannot open: "), "{told}");
    assert_eq!(work.files(), [""; 0]);
}

#[test]
fn errors_in_a_bag_name_the_line() {
    let long = format!("a:1 {}\n", "x".repeat(100));
    let shown = format!("expected term:count, found '{}…'", "x".repeat(60));
    check_contents(
        &prepared(),
        LINE,
        "bows/2",
        &[
            (b"c\n", "error: bows/2:1: expected name:distinct_terms, found 'c'"),
            (b"\n", "bows/2:1: expected name:distinct_terms, found ''"),
            (b"c:one x:1\n", "bows/2:1: expected name:distinct_terms, found 'one'"),
            (b"ok:0\nc%2:0\n", "bows/2:2: expected a name with %XX escapes, found 'c%2'"),
            (b"c:1 x\n", "bows/2:1: expected term:count, found 'x'"),
            (b"c:1 :1\n", "bows/2:1: expected term:count, found ':1'"),
            (b"c:1 x:\n", "bows/2:1: expected term:count, found ''"),
            (b"c:1 x:-1\n", "bows/2:1: expected term:count, found '-1'"),
            (long.as_bytes(), &shown),
            (b"c:2 x:1\n", "bows/2:1: expected 2 terms, found '1'"),
            (b"c:0 x:1\n", "bows/2:1: expected 0 terms, found '1'"),
            (
                b"c:1 x:1",
                "bows/2:1: expected a newline at the end of the line, found the end of the file (truncated?)",
            ),
            (b"c:1 caf\xe9:1\n", "bows/2:1: expected UTF-8, found 'c:1 caf"),
            (&truncated_gzip(b"c:0\n"), "expected readable data, found "),
        ],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_reported() {
    let work = prepared();
    let mut command = std::process::Command::new(crate::common::executable_path("create_voc"));
    command.args(LINE.split(' ').skip(1)).args(["-threads", "3"]).current_dir(work.path(""));
    // No machine has room for a stack of this size, so that already the first thread fails. (A limit on memory instead
    // fails at some thread, and those that run by then may need memory too: sometimes it is the error, sometimes not.)
    command.env("RUST_MIN_STACK", (1_u64 << 60).to_string());
    let ran = Outcome::from(command.output().unwrap());
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = "create_voc: error: cannot start 3 threads: ";
    assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
}

#[test]
fn overflowing_counts_are_an_error() {
    let work = prepared();
    work.write("bows/2", format!("c:1 x:{}\n", u64::MAX));
    let told = work.fails(LINE);
    assert!(told.starts_with("create_voc: error: ") && told.lines().count() == 1, "{told}");
}
