//! What cannot be read.

use super::*;
use crate::session::Session;
use crate::session::testing::Recorder;

/// Reads a folder with one good document beside what is bad; what is said, with the folder's name away.
fn said(work: &Work) -> (Documents<Texts>, Vec<String>) {
    work.write("in/zz good.txt", "good");
    let (session, heard) = Recorder::session();
    let read = read_all(&Inputs::of_paths(vec![work.path("in")]), &session).unwrap();
    let said = heard.infos.lock().unwrap().iter().map(|message| work.relative(message)).collect();
    (read, said)
}

#[test]
fn damaged_files_are_named_and_what_can_be_read_of_records_is() {
    let work = Work::new();
    let whole = gzip("some text that is not all there".as_bytes());
    std::fs::create_dir(work.path("in")).unwrap();
    std::fs::write(work.path("in/a.txt"), &whole[..whole.len() - 5]).unwrap();
    let lines = gzip(b"{\"text\":\"1\"}\n{\"text\":\"2\"}\n");
    std::fs::write(work.path("in/b.jsonl"), &lines[..lines.len() - 3]).unwrap();
    let frame = zstd::encode_all(&b"{\"text\":\"1\"}\n"[..], 1).unwrap();
    std::fs::write(work.path("in/c.jsonl"), &frame[..frame.len() - 2]).unwrap();
    let (read, said) = said(&work);
    assert_eq!((read.skipped.files, read.skipped.records), (3, 0));
    assert!(said[0].starts_with("skipped in/a.txt: cannot read: "), "{said:?}");
    assert!(
        said[1].starts_with("skipped in/b.jsonl:2: expected readable data, found "),
        "{said:?}"
    );
    assert!(
        said[2].starts_with("skipped in/c.jsonl:1: expected readable data, found "),
        "{said:?}"
    );
    let ids: Vec<&str> = read.ids.iter().collect();
    assert_eq!(ids, ["b.jsonl:1", "b.jsonl:2", "zz good.txt"]);
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
    pipe(&work, "in/pipe", Vec::new());
    let (read, said) = said(&work);
    assert!(said[0].starts_with("skipped in/broken: cannot open: "), "{said:?}");
    assert_eq!(said[1], "skipped in/pipe: neither a file nor a folder");
    assert!(said[2].starts_with("skipped in/sub/up: leads back to "), "{said:?}");
    assert!(said[3].starts_with("skipped in/twin/up: leads back to "), "{said:?}");
    assert_eq!(read.ids.iter().collect::<Vec<_>>(), ["sub/a.txt", "twin/a.txt", "zz good.txt"]);
}

#[test]
fn what_is_no_text_is_named() {
    let work = Work::new();
    work.write("in/a.bin", b"abc\0\0def\x01");
    work.write("in/b", b"\x89PNG\r\n\x1a\nxyz");
    work.write("in/c.jsonl", b"%PDF-1.5 {");
    work.write("in/d.parquet", b"PAR1");
    let (read, said) = said(&work);
    assert_eq!(said[0], "skipped in/a.bin: binary data, not text");
    assert_eq!(said[1], "skipped in/b: a PNG picture, not text");
    assert_eq!(said[2], "skipped in/c.jsonl: a PDF file, not text");
    assert!(said[3].starts_with("skipped in/d.parquet: "), "{said:?}");
    assert_eq!((read.ids.len(), read.skipped.files), (1, 4));
    let lines = work.write("lines", b"a\nb\0\n");
    let inputs = formatted(InputFormat::Lines, vec![lines]);
    let error = read_all(&inputs, &Session::silent()).unwrap_err().to_string();
    assert!(error.ends_with("binary data, not text"), "{error}");
}

#[test]
fn wrong_records_are_named_with_their_lines() {
    let work = Work::new();
    work.write(
        "in/a.jsonl",
        "{\"text\":\"1\"}\n\n{\"text\":\n{\"id\":3}\nnull\n{\"text\":\"6\"}\n",
    );
    let (read, said) = said(&work);
    assert!(
        said[0].starts_with("skipped in/a.jsonl:3: expected a JSON object, found "),
        "{said:?}"
    );
    assert_eq!(
        said[1],
        "skipped in/a.jsonl:4: expected the field 'text', found an object without it"
    );
    assert!(
        said[2].starts_with("skipped in/a.jsonl:5: expected a JSON object, found 'null'"),
        "{said:?}"
    );
    assert_eq!((read.skipped.files, read.skipped.records, said.len()), (0, 3, 3));
    assert_eq!(read.ids.iter().collect::<Vec<_>>(), ["a.jsonl:1", "a.jsonl:6", "zz good.txt"]);
}

#[test]
fn only_the_first_twenty_are_told_to_everybody() {
    let work = Work::new();
    let path = work.write("a.jsonl", format!("{}{{\"text\":\"\"}}\n", "x\n".repeat(1100)));
    let (session, heard) = Recorder::session();
    let read = read_all(&Inputs::of_paths(vec![path]), &session).unwrap();
    let said = heard.infos.lock().unwrap();
    assert_eq!((said.len(), heard.details.lock().unwrap().len()), (21, 1080));
    assert_eq!(said[20], "skipped 1080 more; --verbose names them all");
    assert_eq!((read.skipped.count(), read.skipped.first.len()), (1100, 1000));
}

#[test]
fn json_that_was_asked_for_must_have_its_ids() {
    let work = Work::new();
    let path = work.write("a.txt", "{\"text\":\"1\"}\n{\"text\":\"2\",\"id\":\"x\"}\n");
    let inputs = formatted(InputFormat::Json, vec![path]);
    let read = read_all(&inputs, &Session::silent()).unwrap();
    assert_eq!(texts(&read), expected(&[("x", "2")]));
    assert!(read.skipped.first[0].why.contains("expected the field 'id'"));
    let inputs = without_ids(inputs);
    assert_eq!(read_all(&inputs, &Session::silent()).unwrap().ids.len(), 2);
}

#[test]
fn no_document_at_all_is_an_error_that_says_why() {
    let work = Work::new();
    std::fs::create_dir(work.path("empty")).unwrap();
    let told = |inputs: &Inputs| {
        work.relative(&read_all(inputs, &Session::silent()).unwrap_err().to_string())
    };
    assert_eq!(
        told(&Inputs::of_paths(vec![work.path("empty")])).rsplit('/').next(),
        Some("empty: no document")
    );
    let wrong = Inputs::of_paths(vec![work.write("a.jsonl", "{\"body\":\"x\"}\n")]);
    let why = "no document that can be read: a.jsonl:1: expected the field 'text', found an object without it";
    assert_eq!(told(&wrong), format!("a.jsonl: {why}"));
    let read = read_all(&with_text_field("body", wrong), &Session::silent()).unwrap();
    assert_eq!(texts(&read)[0].1, "x");
    let missing = told(&Inputs::of_paths(vec![work.path("a.jsonl"), work.path("nowhere")]));
    assert!(missing.starts_with("nowhere: cannot open: "), "{missing}");
}

#[test]
fn the_same_id_twice_is_an_error_that_names_both_places() {
    let work = Work::new();
    work.write("in/a.jsonl", "{\"text\":\"1\",\"id\":\"x\"}\n{\"text\":\"2\",\"id\":5}\n");
    work.write("in/b.jsonl", "\n{\"text\":\"3\",\"id\":\"5\"}\n");
    let inputs = Inputs::of_paths(vec![work.path("in")]);
    let error = work.relative(&read_all(&inputs, &Session::silent()).unwrap_err().to_string());
    let told = "in/b.jsonl:2: duplicate document name '5' (first at in/a.jsonl:2)";
    assert!(error.starts_with(told), "{error}");
    let inputs = without_ids(inputs);
    assert_eq!(read_all(&inputs, &Session::silent()).unwrap().ids.iter().last(), Some("b.jsonl:2"));
}

#[test]
fn a_list_may_name_what_is_not_there() {
    let work = Work::new();
    let good = work.write("good", "x");
    let list = format!(
        "{}\n{}\n{}\n",
        work.path("nowhere").display(),
        good.display(),
        work.path("").display()
    );
    let list = work.write("list", list);
    let inputs = formatted(InputFormat::List, vec![list]);
    let read = read_all(&inputs, &Session::silent()).unwrap();
    assert_eq!((read.ids.len(), read.skipped.files), (1, 2));
    let skip = work.relative(&read.skipped.first[0].to_string());
    assert!(skip.starts_with("list:1: nowhere: cannot open: "), "{skip}");
}
