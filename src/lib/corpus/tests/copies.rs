//! Copies without some documents.

use proptest::prelude::*;

use super::*;
use crate::files::output::Publisher;

/// Reads the inputs, then copies what is kept to a path of the folder.
pub fn copied(
    work: &Work,
    inputs: &Inputs,
    kept: impl Fn(usize) -> bool + Sync,
    out: &str,
) -> crate::Result<u64> {
    let session = Session::silent();
    let Documents { places, text_hashes, .. } = read_all(inputs, &session)?;
    copied_of(work, inputs, &places, &text_hashes, kept, out)
}

/// Copies what is kept of documents that were read before.
pub fn copied_of(
    work: &Work,
    inputs: &Inputs,
    places: &Places,
    text_hashes: &[u64],
    kept: impl Fn(usize) -> bool + Sync,
    out: &str,
) -> crate::Result<u64> {
    let session = Session::silent();
    let publisher = Publisher::of_no_input(&session);
    let target = CopyTarget::create(&publisher, &work.path(out), inputs, &find(inputs)?)?;
    let (written, part) =
        DocumentCopy { inputs, places, text_hashes }.write(kept, target, &session)?;
    publisher.publish(vec![vec![part]])?;
    Ok(written)
}

#[test]
fn lines_are_copied_byte_for_byte() {
    let work = Work::new();
    work.write(
        "a.jsonl.gz",
        "{\"text\": \"1\", \"x\": [1.0]}\r\nwrong\n\n {\"text\":\"2\"}\n{\"text\":\"3\"}",
    );
    work.write("b.jsonl", "{\"text\":\"4\"}\n{\"text\":\"\\u0035\"}\n");
    let inputs = work.inputs(&["a.jsonl.gz", "b.jsonl"]);
    assert_eq!(copied(&work, &inputs, |d| d != 2, "out.jsonl.zst").unwrap(), 4);
    let all = "{\"text\": \"1\", \"x\": [1.0]}\r\n {\"text\":\"2\"}\n{\"text\":\"4\"}\n{\"text\":\"\\u0035\"}\n";
    assert_eq!(work.read("out.jsonl.zst"), all);
    assert_eq!(copied(&work, &inputs, |_| false, "none").unwrap(), 0);
    assert_eq!(work.read("none"), "");
    let inputs =
        Inputs { existing: vec![work.path("a.jsonl.gz").into()], ..work.inputs(&["b.jsonl"]) };
    assert_eq!(copied(&work, &inputs, |d| d != 3, "new.gz").unwrap(), 1);
    assert_eq!(work.read("new.gz"), "{\"text\":\"\\u0035\"}\n");
}

#[test]
fn files_are_copied_to_a_folder_as_they_are() {
    let work = Work::new();
    for (name, content) in [("a b.txt", "1"), ("sub/c.txt.gz", "2"), ("sub/d.txt", "3")] {
        work.write(format!("in/{name}"), content);
    }
    let inputs = work.inputs(&["in"]);
    assert_eq!(copied(&work, &inputs, |d| d != 2, "deep/out/").unwrap(), 2);
    for name in ["a b.txt", "sub/c.txt.gz"] {
        let stored = |folder: &str| std::fs::read(work.path(folder).join(name)).unwrap();
        assert_eq!(stored("deep/out"), stored("in"));
    }
    assert!(!work.path("deep/out/sub/d.txt").exists() && !work.path("deep/out.part").exists());
    let full = copied(&work, &inputs, |_| true, "deep/out/").unwrap_err().to_string();
    assert!(full.contains("not empty"), "{full}");
    std::fs::create_dir(work.path("empty")).unwrap();
    assert_eq!(copied(&work, &inputs, |_| true, "empty").unwrap(), 3);
    assert_eq!(work.read("empty/sub/d.txt"), "3");
}

#[test]
fn files_of_several_folders_do_not_leave_the_copy_or_meet_in_it() {
    let work = Work::new();
    work.write("x/a.txt", "1");
    work.write("y/a.txt", "2");
    assert_eq!(copied(&work, &work.inputs(&["x/../x", "y"]), |_| true, "out/").unwrap(), 2);
    let root = work.path("").canonicalize().unwrap();
    let below = root.strip_prefix("/").unwrap();
    assert_eq!(work.read(Path::new("out").join(below).join("y/a.txt")), "2");
    let inputs = work.inputs(&["x", "./x/../x/./a.txt", "x/."]);
    let error = copied(&work, &inputs, |_| true, "other/").unwrap_err().to_string();
    assert!(error.contains("another input"), "{error}");
    assert!(!work.path("other").exists() && !work.path("other.part").exists());
}

#[test]
fn what_is_mixed_becomes_json_lines() {
    let work = Work::new();
    work.write("in/a.txt", "one \"two\"\n");
    work.write("in/b.jsonl", "{\"t\":\"x\",\"n\":1}\n{\"t\":\"y\",\"id\":4}\n");
    work.write("in/c.html", "<p>&lt;b&gt;</p>");
    let inputs = with_text_field("t", work.inputs(&["in"]));
    assert_eq!(copied(&work, &inputs, |d| d != 2, "out.jsonl").unwrap(), 3);
    let all = "{\"id\":\"a.txt\",\"t\":\"one \\\"two\\\"\\n\"}\n{\"t\":\"x\",\"n\":1}\n{\"id\":\"c.html\",\"t\":\"\\n<b>\\n\"}\n";
    assert_eq!(work.read("out.jsonl"), all);
    assert_eq!(copied(&work, &inputs, |_| true, "folder/").unwrap(), 4);
    let again = with_text_field("t", work.inputs(&["out.jsonl"]));
    assert_eq!(work.ids(&again), "a.txt,out.jsonl:2,c.html");
}

#[test]
fn what_changed_since_is_an_error_and_leaves_nothing() {
    let work = Work::new();
    for changed in [
        "{\"text\":\"1\"}\n",
        "\n{\"text\":\"1\"}\n{\"text\":\"2\"}\n",
        "{\"text\":\"1\"}\n{\"text\":\"2\"}\n{\"text\":\"3\"}\n",
        // The places are the same.
        "{\"text\":\"1\"}\n{\"text\":\"3\"}\n",
    ] {
        work.write("a.jsonl", "{\"text\":\"1\"}\n{\"text\":\"2\"}\n");
        let inputs = work.inputs(&["a.jsonl"]);
        let Documents { places, text_hashes, .. } = read_silently(&inputs);
        work.write("a.jsonl", changed);
        let copy = copied_of(&work, &inputs, &places, &text_hashes, |_| true, "out");
        let error = copy.unwrap_err().to_string();
        assert!(
            error.contains("a.jsonl") && error.ends_with(": changed while it was read"),
            "{error}"
        );
        assert!(!work.path("out").exists() && !work.path("out.part").exists());
    }
}

#[test]
fn a_file_that_changed_since_is_not_copied_to_a_folder() {
    let work = Work::new();
    work.write("in/a.txt", "one");
    work.write("in/b.txt", "two");
    let inputs = work.inputs(&["in"]);
    let Documents { places, text_hashes, .. } = read_silently(&inputs);
    work.write("in/b.txt", "other");
    let copy =
        |kept: fn(usize) -> bool| copied_of(&work, &inputs, &places, &text_hashes, kept, "out/");
    let error = copy(|_| true).unwrap_err().to_string();
    assert!(error.ends_with("in/b.txt: changed while it was read"), "{error}");
    assert!(!work.path("out").exists() && !work.path("out.part").exists());
    assert!(!work.path("out.lock.part").exists());
    assert_eq!(copy(|document| document == 0).unwrap(), 1);
    assert!(!work.path("out.lock.part").exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn kept_lines_stay_in_order(
        files in prop::collection::vec("([ab]{0,3}\r?\n){0,9}[ab]{0,2}", 1..4), kept in prop::collection::vec(any::<bool>(), 40),
    ) {
        let work = Work::new();
        for (number, content) in files.iter().enumerate() {
            work.write(format!("in/{number}"), content);
        }
        let lines = files.iter().flat_map(|content| content.split('\n'));
        let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        prop_assume!(!lines.is_empty());
        let expected = lines.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| format!("{line}\n"));
        let inputs = work.formatted(InputFormat::Lines, &["in"]);
        let written = copied(&work, &inputs, |d| kept[d], "out").unwrap();
        prop_assert_eq!(written as usize, expected.clone().count());
        prop_assert_eq!(work.read("out"), expected.collect::<String>());
    }
}
