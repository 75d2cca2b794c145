//! How much there is to read.

use super::*;
use crate::session::Session;

#[test]
fn little_is_counted() {
    let work = Work::new();
    work.write("in/a.txt", "12345");
    work.write("in/b.bin", b"\0\0");
    let json = work.write("in/c.jsonl.gz", "{\"text\":\"123\"}\nwrong\n{\"text\":\"1\"}");
    let inputs = Inputs::of_paths(vec![work.path("in")]);
    let bytes = 5 + 2 + json.metadata().unwrap().len();
    let survey = survey(&inputs).unwrap();
    let expected = Survey { files: 3, bytes, documents: 3, mean_text_bytes: 3.0, exact: true };
    assert_eq!(survey, expected);
    let documents = read_all(&inputs, &Session::silent()).unwrap().ids.len();
    assert_eq!(survey.documents, documents as u64);
}

#[test]
fn much_is_estimated() {
    let work = Work::new();
    let line =
        |number: usize| format!("{{\"text\":\"{}\"}}\n", "word ".repeat(number * 7919 % 200));
    let content: String = (0..24_000).map(line).collect();
    for name in ["a.jsonl", "a.jsonl.gz"] {
        let path = work.write(name, &content);
        let survey = survey(&Inputs::of_paths(vec![path])).unwrap();
        assert!(!survey.exact);
        let is_near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.15;
        assert!(is_near(survey.documents as f64, 24_000.0), "{survey:?}");
        assert!(is_near(survey.mean_text_bytes, 5.0 * 99.5), "{survey:?}");
    }
    (0..200).for_each(|number| drop(work.write(format!("in/{number}"), "x".repeat(100))));
    let many = survey(&Inputs::of_paths(vec![work.path("in")])).unwrap();
    assert_eq!((many.files, many.documents, many.mean_text_bytes), (200, 200, 100.0));
    assert!(!many.exact);
}

#[test]
fn what_is_too_long_to_look_at_is_one_document() {
    let work = Work::new();
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(5 << 20));
    let long = survey(&Inputs::of_paths(vec![work.write("a.jsonl", line)])).unwrap();
    assert_eq!((long.documents, long.mean_text_bytes, long.exact), (1, long.bytes as f64, false));
    let large = survey(&Inputs::of_paths(vec![work.write("a.txt", vec![b'x'; 5 << 20])])).unwrap();
    assert_eq!((large.documents, large.mean_text_bytes, large.exact), (1, (5 << 20) as f64, false));
}

#[test]
fn nothing_is_nothing() {
    let work = Work::new();
    let empty = survey(&Inputs::of_paths(vec![work.write("a.jsonl", "")])).unwrap();
    assert_eq!((empty.documents, empty.mean_text_bytes, empty.exact), (0, 0.0, true));
    let file = survey(&Inputs::of_paths(vec![work.write("a.txt", "")])).unwrap();
    assert_eq!((file.documents, file.mean_text_bytes), (1, 0.0));
}

#[cfg(unix)]
#[test]
fn pipes_must_be_readable_again() {
    let work = Work::new();
    let path = pipe(&work, "pipe", b"12\n4567\n".to_vec());
    assert_eq!(survey(&Inputs::of_paths(vec![path.clone()])).unwrap_err().exit_code(), 2);
    let inputs = Inputs { streams: Streams::spooled(), ..Inputs::of_paths(vec![path]) };
    let survey = survey(&inputs).unwrap();
    assert_eq!((survey.bytes, survey.documents, survey.mean_text_bytes), (8, 2, 3.0));
    assert_eq!(read_all(&inputs, &Session::silent()).unwrap().ids.len(), 2);
}
