//! Copies without some documents.

use proptest::prelude::*;

use super::*;
use crate::session::Session;

/// Reads the inputs, then copies what is kept.
fn copied(inputs: &Inputs, kept: impl Fn(usize) -> bool + Sync, out: &Path) -> crate::Result<u64> {
    let read = read_all(inputs, &Session::silent())?;
    copy(inputs, &read.places, kept, out, &Session::silent())
}

#[test]
fn lines_are_copied_byte_for_byte() {
    let work = Work::new();
    let a = work.write(
        "a.jsonl.gz",
        "{\"text\": \"1\", \"x\": [1.0]}\r\nwrong\n\n {\"text\":\"2\"}\n{\"text\":\"3\"}",
    );
    let b = work.write("b.jsonl", "{\"text\":\"4\"}\n{\"text\":\"\\u0035\"}\n");
    let mut inputs = Inputs::of_paths(vec![a, b]);
    assert_eq!(copied(&inputs, |d| d != 2, &work.path("out.jsonl.zst")).unwrap(), 4);
    let all = "{\"text\": \"1\", \"x\": [1.0]}\r\n {\"text\":\"2\"}\n{\"text\":\"4\"}\n{\"text\":\"\\u0035\"}\n";
    assert_eq!(work.read("out.jsonl.zst"), all);
    assert_eq!(copied(&inputs, |_| false, &work.path("none")).unwrap(), 0);
    assert_eq!(work.read("none"), "");
    let new = inputs.args.inputs.split_off(1);
    let existing = std::mem::replace(&mut inputs.args.inputs, new);
    let inputs = Inputs { existing, ..inputs };
    assert_eq!(copied(&inputs, |d| d != 3, &work.path("new.gz")).unwrap(), 1);
    assert_eq!(work.read("new.gz"), "{\"text\":\"\\u0035\"}\n");
}

#[test]
fn files_are_copied_to_a_folder_as_they_are() {
    let work = Work::new();
    work.write("in/a b.txt", "1");
    work.write("in/sub/c.txt.gz", "2");
    work.write("in/sub/d.txt", "3");
    let inputs = Inputs::of_paths(vec![work.path("in")]);
    let out = PathBuf::from(format!("{}/", work.path("deep/out").display()));
    assert_eq!(copied(&inputs, |d| d != 2, &out).unwrap(), 2);
    assert_eq!(
        (work.read("deep/out/a b.txt"), work.read("deep/out/sub/c.txt.gz")),
        ("1".into(), "2".into())
    );
    let stored = |name: &str| std::fs::read(work.path(name)).unwrap();
    assert_eq!(stored("deep/out/sub/c.txt.gz"), stored("in/sub/c.txt.gz"));
    assert!(!work.path("deep/out/sub/d.txt").exists() && !work.path("deep/out.part").exists());
    let full = copied(&inputs, |_| true, &out).unwrap_err().to_string();
    assert!(full.contains("not empty"), "{full}");
    std::fs::create_dir(work.path("empty")).unwrap();
    assert_eq!(copied(&inputs, |_| true, &work.path("empty")).unwrap(), 3);
    assert_eq!(work.read("empty/sub/d.txt"), "3");
}

#[test]
fn files_of_several_folders_do_not_leave_the_copy_or_meet_in_it() {
    let work = Work::new();
    work.write("x/a.txt", "1");
    work.write("y/a.txt", "2");
    let inputs = Inputs::of_paths(vec![work.path("x/../x"), work.path("y")]);
    assert_eq!(copied(&inputs, |_| true, &work.path("out/")).unwrap(), 2);
    let root = work.path("").canonicalize().unwrap();
    let below = root.strip_prefix("/").unwrap();
    let copy = work.path("out").join(below).join("y/a.txt");
    assert_eq!(std::fs::read(copy).unwrap(), b"2");
    let inputs =
        Inputs::of_paths(vec![work.path("x"), work.path("./x/../x/./a.txt"), work.path("x/.")]);
    let error = copied(&inputs, |_| true, &work.path("other/")).unwrap_err().to_string();
    assert!(error.contains("another input"), "{error}");
    assert!(!work.path("other").exists() && !work.path("other.part").exists());
}

#[test]
fn what_is_mixed_becomes_json_lines() {
    let work = Work::new();
    work.write("in/a.txt", "one \"two\"\n");
    work.write("in/b.jsonl", "{\"t\":\"x\",\"n\":1}\n{\"t\":\"y\",\"id\":4}\n");
    work.write("in/c.html", "<p>&lt;b&gt;</p>");
    let inputs = with_text_field("t", Inputs::of_paths(vec![work.path("in")]));
    assert_eq!(copied(&inputs, |d| d != 2, &work.path("out.jsonl")).unwrap(), 3);
    let all = "{\"id\":\"a.txt\",\"t\":\"one \\\"two\\\"\\n\"}\n{\"t\":\"x\",\"n\":1}\n{\"id\":\"c.html\",\"t\":\"\\n<b>\\n\"}\n";
    assert_eq!(work.read("out.jsonl"), all);
    let error = copied(&inputs, |_| true, &work.path("folder/")).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let again = with_text_field("t", Inputs::of_paths(vec![work.path("out.jsonl")]));
    assert_eq!(read_all(&again, &Session::silent()).unwrap().ids.get(0), "a.txt");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_copied_from_its_copy() {
    let work = Work::new();
    let path = pipe(&work, "in", b"a\nb\r\n\nc".to_vec());
    let inputs = Inputs { streams: Streams::spooled(), ..Inputs::of_paths(vec![path]) };
    assert_eq!(copied(&inputs, |d| d > 0, &work.path("out")).unwrap(), 2);
    assert_eq!(work.read("out"), "b\r\nc\n");
}

#[test]
fn what_changed_since_is_an_error_and_leaves_nothing() {
    let work = Work::new();
    for changed in [
        "{\"text\":\"1\"}\n",
        "\n{\"text\":\"1\"}\n{\"text\":\"2\"}\n",
        "{\"text\":\"1\"}\n{\"text\":\"2\"}\n{\"text\":\"3\"}\n",
    ] {
        let path = work.write("a.jsonl", "{\"text\":\"1\"}\n{\"text\":\"2\"}\n");
        let inputs = Inputs::of_paths(vec![path]);
        let read = read_all(&inputs, &Session::silent()).unwrap();
        work.write("a.jsonl", changed);
        let error = copy(&inputs, &read.places, |_| true, &work.path("out"), &Session::silent())
            .unwrap_err();
        assert!(error.to_string().ends_with("a.jsonl: changed while it was read"), "{error}");
        assert!(!work.path("out").exists() && !work.path("out.part").exists());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn kept_lines_stay_in_order(
        files in prop::collection::vec("([ab]{0,3}\r?\n){0,9}[ab]{0,2}", 1..4), kept in prop::collection::vec(any::<bool>(), 40),
    ) {
        let work = Work::new();
        let mut expected = String::new();
        let mut document = 0;
        for (number, content) in files.iter().enumerate() {
            work.write(format!("in/{number}"), content);
            for line in content.split('\n').filter(|line| !line.trim().is_empty()) {
                if kept[document] { expected.push_str(line); expected.push('\n') }
                document += 1;
            }
        }
        prop_assume!(document > 0);
        let inputs = formatted(InputFormat::Lines, vec![work.path("in")]);
        let written = copied(&inputs, |d| kept[d], &work.path("out")).unwrap();
        prop_assert_eq!(written as usize, kept[..document].iter().filter(|kept| **kept).count());
        prop_assert_eq!(work.read("out"), expected);
    }
}
