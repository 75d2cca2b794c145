//! What cannot be read.

use super::*;
use crate::session::testing::Recorder;

/// Reads a folder with one good document beside what is bad. Checks the start of every message, the ids, and the numbers of skipped files and
/// records.
fn check(work: &Work, messages: &[&str], ids: &str, skipped: (u64, u64)) {
    work.write("in/zz good.txt", "good");
    let (session, heard) = Recorder::session();
    let mut inputs = work.inputs(&["in"]);
    inputs.args.follow = true;
    let read = read_all(&inputs, &session).unwrap();
    let details = heard.details.lock().unwrap();
    let said = details.iter().filter(|message| message.starts_with("skipped"));
    let said: Vec<String> = said.map(|message| work.relative(message)).collect();
    assert_eq!(said.len(), messages.len(), "{said:?}");
    for (said, message) in said.iter().zip(messages) {
        assert!(said.starts_with(&format!("skipped in/{message}")), "{said}");
    }
    assert_eq!(read.ids.iter().collect::<Vec<_>>().join(","), ids);
    assert_eq!((read.skipped.files, read.skipped.records), skipped);
}

#[test]
fn damaged_files_are_named_and_what_can_be_read_of_records_is() {
    let work = Work::new();
    let cut = |content: Vec<u8>, by: usize| content[..content.len() - by].to_vec();
    work.write("in/a.txt", cut(gzip(b"some text that is not all there"), 5));
    work.write("in/b.jsonl", cut(gzip(b"{\"text\":\"1\"}\n{\"text\":\"2\"}\n"), 3));
    let frame = zstd::encode_all(&b"{\"text\":\"1\"}\n"[..], 1).unwrap();
    work.write("in/c.jsonl", cut(frame, 2));
    let messages = [
        "a.txt: cannot read: ",
        "b.jsonl:2: expected readable data, found ",
        "c.jsonl:1: expected readable data, found ",
    ];
    check(&work, &messages, "b.jsonl:1,b.jsonl:2,zz good.txt", (3, 0));
}

#[cfg(unix)]
#[test]
fn links_to_nowhere_and_in_circles_are_named() {
    use std::os::unix::fs::symlink;
    let work = Work::new();
    work.write("in/sub/a.txt", "a");
    symlink("nowhere", work.path("in/broken")).unwrap();
    symlink("..", work.path("in/sub/up")).unwrap();
    symlink("sub", work.path("in/twin")).unwrap();
    work.pipe("in/pipe", b"");
    let messages = [
        "broken: cannot open: ",
        "pipe: neither a file nor a folder",
        "sub/up: leads back to ",
        "twin/up: leads back to ",
    ];
    check(&work, &messages, "sub/a.txt,twin/a.txt,zz good.txt", (4, 0));
}

#[test]
fn what_is_no_text_is_named() {
    let work = Work::new();
    work.write("in/a.bin", b"abc\0\0def\x01");
    work.write("in/b", b"\x89PNG\r\n\x1a\nxyz");
    work.write("in/c.jsonl", b"%PDF-1.5 {");
    work.write("in/d.parquet", b"PAR1");
    let messages = [
        "a.bin: binary data, not text",
        "b: a PNG picture, not text",
        "c.jsonl: a PDF file, not text",
        "d.parquet: ",
    ];
    check(&work, &messages, "zz good.txt", (4, 0));
    work.write("lines", b"a\nb\0\n");
    let error = work.error(&work.formatted(InputFormat::Lines, &["lines"]));
    assert!(error.ends_with("binary data, not text"), "{error}");
}

#[test]
fn every_skip_is_a_detail_and_the_first_thousand_are_kept() {
    let work = Work::new();
    work.write("a.jsonl", format!("{}{{\"text\":\"\"}}\n", "x\n".repeat(1100)));
    let (session, heard) = Recorder::session();
    let read = read_all(&work.inputs(&["a.jsonl"]), &session).unwrap();
    assert_eq!(heard.infos.lock().unwrap().len(), 2);
    assert_eq!(heard.details.lock().unwrap().len(), 1101);
    assert_eq!((read.skipped.count(), read.skipped.first.len()), (1100, 1000));
}

#[test]
fn json_that_was_asked_for_must_have_its_ids() {
    let work = Work::new();
    work.write("a.txt", "{\"text\":\"1\"}\n{\"text\":\"2\",\"id\":\"x\"}\n");
    let inputs = work.formatted(InputFormat::Json, &["a.txt"]);
    assert_eq!(work.texts(&inputs), expected(&[("x", "2")]));
    assert!(read_silently(&inputs).skipped.first[0].why.contains("expected the field 'id'"));
    assert_eq!(work.ids(&without_ids(inputs)), "a.txt:1,a.txt:2");
}

#[test]
fn no_document_at_all_is_an_error_that_says_why() {
    let work = Work::new();
    std::fs::create_dir(work.path("empty")).unwrap();
    work.write("a.jsonl", "{\"body\":\"x\"}\n");
    assert!(work.error(&work.inputs(&["empty"])).ends_with("empty: no document"));
    let wrong = work.inputs(&["a.jsonl"]);
    let why = "no document that can be read: a.jsonl:1: expected the field 'text' (--text_field), found 'body'";
    assert_eq!(work.error(&wrong), format!("a.jsonl: {why}"));
    assert_eq!(work.texts(&with_text_field("body", wrong)), expected(&[("a.jsonl:1", "x")]));
    let missing = work.error(&work.inputs(&["a.jsonl", "nowhere"]));
    assert!(missing.starts_with("nowhere: cannot open: "), "{missing}");
}

#[test]
fn a_list_may_name_what_is_not_there() {
    let work = Work::new();
    work.write("good", "x");
    let paths = ["nowhere", "good", ""].map(|name| work.path(name).display().to_string());
    work.write("list", paths.join("\n"));
    let read = read_silently(&work.formatted(InputFormat::List, &["list"]));
    assert_eq!((read.ids.len(), read.skipped.files), (1, 2));
    let skip = work.relative(&read.skipped.first[0]);
    assert!(skip.starts_with("list:1: nowhere: cannot open: "), "{skip}");
}
