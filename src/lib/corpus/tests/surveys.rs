//! How much there is to read.

use super::*;

fn survey(inputs: &Inputs) -> crate::error::Result<Survey> {
    crate::corpus::survey(inputs, &mut |_| ())
}

#[test]
fn little_is_counted() {
    let work = Work::new();
    work.write("in/a.txt", "12345");
    work.write("in/b.bin", b"\0\0");
    let json = work.write("in/c.jsonl.gz", "{\"text\":\"123\"}\nwrong\n{\"text\":\"1\"}");
    let bytes = 5 + 2 + json.metadata().unwrap().len();
    let survey = survey(&work.inputs(&["in"])).unwrap();
    let expected = Survey { files: 3, bytes, documents: 3, mean_text_bytes: 3.0, exact: true };
    assert_eq!(survey, expected);
    assert_eq!(survey.documents, read_silently(&work.inputs(&["in"])).ids.len() as u64);
}

#[test]
fn much_is_estimated() {
    let work = Work::new();
    let line =
        |number: usize| format!("{{\"text\":\"{}\"}}\n", "word ".repeat(number * 7919 % 200));
    let content: String = (0..24_000).map(line).collect();
    for name in ["a.jsonl", "a.jsonl.gz"] {
        work.write(name, &content);
        let survey = survey(&work.inputs(&[name])).unwrap();
        assert!(!survey.exact);
        let is_near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.15;
        assert!(is_near(survey.documents as f64, 24_000.0), "{survey:?}");
        assert!(is_near(survey.mean_text_bytes, 5.0 * 99.5), "{survey:?}");
    }
    (0..1100).for_each(|number| drop(work.write(format!("in/{number}"), "x".repeat(100))));
    let many = survey(&work.inputs(&["in"])).unwrap();
    assert_eq!((many.files, many.documents, many.mean_text_bytes), (1100, 1100, 100.0));
    assert!(!many.exact);
}

#[test]
fn what_is_too_long_to_look_at_is_one_document_and_nothing_is_nothing() {
    let work = Work::new();
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(5 << 20));
    let text = "x".repeat(5 << 20);
    for (name, content, documents, bytes, exact) in [
        ("long.jsonl", &*line, 1, text.len(), false),
        ("long.txt", &text, 1, text.len(), false),
        ("empty.jsonl", "", 0, 0, true),
        ("empty.txt", "", 1, 0, true),
    ] {
        work.write(name, content);
        let survey = survey(&work.inputs(&[name])).unwrap();
        let found = (survey.documents, survey.mean_text_bytes, survey.exact);
        assert_eq!(found, (documents, bytes as f64, exact), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_must_be_readable_again() {
    let work = Work::new();
    work.pipe("pipe", b"12\n4567\n");
    let inputs = work.inputs(&["pipe"]);
    assert_eq!(survey(&inputs).unwrap_err().exit_code(), 2);
    let inputs = Inputs { streams: Streams::spooled(), ..inputs };
    let survey = survey(&inputs).unwrap();
    assert_eq!((survey.bytes, survey.documents, survey.mean_text_bytes), (8, 2, 3.0));
    assert_eq!(read_silently(&inputs).ids.len(), 2);
}
