//! Everything that can be read.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::copies::copied_of;
use super::*;
use crate::session::testing::Recorder;

#[test]
fn a_folder_is_read_by_names_and_its_records_one_by_one() {
    let work = Work::new();
    work.write("in/b.txt", "bee");
    work.write("in/a/z.md.gz", "zed");
    work.write("in/a/y: 1.html", "<p>why</p><script>no</script>");
    work.write("in/c.jsonl.zst", "{\"text\":\"one\",\"id\":7}\n\n{\"text\":\"two\"}\n");
    work.write("in/a.txt", "");
    let (session, heard) = Recorder::session();
    let read = read_all(&work.inputs(&["in"]), &session).unwrap();
    let all = [
        ("a/y: 1.html", "\nwhy\n"),
        ("a/z.md.gz", "zed"),
        ("a.txt", ""),
        ("b.txt", "bee"),
        ("7", "one"),
        ("c.jsonl.zst:3", "two"),
    ];
    assert_eq!(read.batches.concat(), expected(&all));
    assert_eq!(read.skipped, skip::SkipLog::default());
    assert_eq!(work.relative(read.places.get(5)), "in/c.jsonl.zst:3");
    assert_eq!(read.places.get(3).line, None);
    let (steps, done) = *heard.steps.lock().unwrap();
    assert_eq!(steps, Some(done));
}

#[test]
fn a_line_with_nothing_but_a_byte_order_mark_is_blank() {
    let work = Work::new();
    work.write("a", "x\n\u{feff}\n\u{feff} \n\u{feff}y\n");
    let inputs = work.formatted(InputFormat::Lines, &["a"]);
    assert_eq!(work.texts(&inputs), expected(&[("1", "x"), ("4", "y")]));
    work.write("b", "\u{feff}ď»ż\n");
    let inputs = work.formatted(InputFormat::Lines, &["b"]);
    assert_eq!(work.texts(&inputs), expected(&[("1", "ď»ż")]));
}

#[test]
fn several_inputs_stand_before_their_documents() {
    let work = Work::new();
    work.write("old/a.txt", "1");
    work.write("new/a.txt", "2");
    work.write("x", "3\n\n4\r\n");
    let inputs = Inputs { existing: vec![work.path("old").into()], ..work.inputs(&["new"]) };
    assert_eq!(work.ids(&inputs), "old/a.txt,new/a.txt");
    assert_eq!(read_silently(&inputs).first_new, 1);
    let inputs = work.formatted(InputFormat::Lines, &["old/a.txt", "x"]);
    assert_eq!(work.ids(&inputs), "old/a.txt:1,x:1,x:3");
    let inputs = work.formatted(InputFormat::Lines, &["x"]);
    assert_eq!(work.texts(&inputs), expected(&[("1", "3"), ("3", "4")]));
    assert_eq!(read_silently(&inputs).first_new, 0);
}

#[test]
fn globs_choose_files_and_folders() {
    let work = Work::new();
    for name in ["a.txt", "b.md", "sub/c.txt", "sub/deep/d.txt", "drafts/e.txt"] {
        work.write(Path::new("in").join(name), name);
    }
    let chosen = |include: &[&str], exclude: &[&str]| {
        let owned = |globs: &[&str]| globs.iter().map(|glob| glob.to_string()).collect();
        let mut inputs = work.inputs(&["in"]);
        (inputs.args.include, inputs.args.exclude) = (owned(include), owned(exclude));
        inputs
    };
    for (include, exclude, ids) in [
        (&["*.txt"][..], &["drafts"][..], "a.txt,sub/c.txt,sub/deep/d.txt"),
        (&["*.md", "sub/c*"], &[], "b.md,sub/c.txt"),
        (&[], &["**/deep/**", "*.md"], "a.txt,drafts/e.txt,sub/c.txt"),
    ] {
        assert_eq!(work.ids(&chosen(include, exclude)), ids);
    }
    let invalid = read_all(&chosen(&["["], &[]), &Session::silent());
    assert_eq!(invalid.unwrap_err().exit_code(), 2);
}

#[test]
fn a_list_names_files_and_text_makes_one_document_of_all() {
    let work = Work::new();
    let (a, b) = (work.write("a b.txt", "1"), work.write("c.jsonl", "{\"text\":\"2\"}\n"));
    work.write("list", format!("{}\r\n\n{}\n", a.display(), b.display()));
    assert_eq!(work.ids(&work.formatted(InputFormat::List, &["list"])), "a b.txt,c.jsonl:1");
    let whole = work.texts(&work.formatted(InputFormat::Text, &["c.jsonl"]));
    assert_eq!(whole, expected(&[("c.jsonl", "{\"text\":\"2\"}\n")]));
}

#[cfg(unix)]
#[test]
fn pipes_are_what_they_begin_with_and_can_be_read_again() {
    let work = Work::new();
    let json = b"\xef\xbb\xbf \n{\"text\":\"x\",\"id\":1}\n{\"text\":\"y\"}";
    for (name, content, all) in [
        ("a", &json[..], [("1", "x"), ("a:3", "y")]),
        ("b", b"x\n{y}\n", [("1", "x"), ("2", "{y}")]),
        ("c", &gzip(b"x\r\n\ny"), [("1", "x"), ("3", "y")]),
    ] {
        work.pipe(name, content);
        let inputs = Inputs { streams: Streams::spooled(), ..work.inputs(&[name]) };
        for _ in 0..2 {
            assert_eq!(work.texts(&inputs), expected(&all), "{name}");
        }
    }
    work.pipe("once", b"x\n");
    assert_eq!(work.texts(&work.inputs(&["once"])), expected(&[("1", "x")]));
    work.pipe("whole", b"x\ny");
    let whole = work.texts(&work.formatted(InputFormat::Text, &["whole"]));
    assert_eq!(whole, expected(&[("whole", "x\ny")]));
}

#[test]
fn batches_are_the_same_for_any_number_of_threads_and_long_lines_are_read() {
    let work = Work::new();
    let mut content = String::new();
    for number in 0..30_000u32 {
        let words = "word ".repeat((number % 97) as usize * 4);
        content.push_str(&format!("{{\"id\":{number},\"text\":\"{words}\"}}\n"));
        if number == 20_000 {
            content.push_str(&format!("{{\"text\":\"{}\"}}\n", "x".repeat(20 << 20)));
        }
    }
    work.write("in/a.jsonl.zst", &content);
    (0..1500).for_each(|number| drop(work.write(format!("in/b/{number:04}.txt"), "a b c")));
    (0..1500).for_each(|n| drop(work.write(format!("in/c/{n:04}.jsonl"), "{\"text\":\"a\"}\n")));
    let inputs = work.inputs(&["in"]);
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read_silently(&inputs))
    });
    assert!(one.batches == three.batches);
    assert_eq!(one.ids.len(), 33_001);
    assert_eq!(one.lengths[20_001], 20 << 20);
    let documents = one.batches.iter().map(Vec::len);
    assert!(documents.clone().all(|count| count <= 128) && documents.max() > Some(60));
    assert!(one.batches.len() < 1000, "{}", one.batches.len());
}

/// What a line of JSON lines holds, the slow way: id and text, or nothing.
fn naive(line: &str, place: &str) -> Option<(String, String)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = value.get("text")?.as_str()?.to_string();
    match value.get("id") {
        None | Some(Value::Null) => Some((place.to_string(), text)),
        Some(Value::String(id)) => {
            Some((if id.is_empty() { place.to_string() } else { id.clone() }, text))
        }
        Some(Value::Number(id)) => Some((id.to_string(), text)),
        Some(_) => None,
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => ("\\PC{0,20}", any::<u32>()).prop_map(|(text, id)| json!({"id": id, "text": text}).to_string()),
        3 => "[a-z\"\\\\\n]{0,9}".prop_map(|text| json!({"text": text, "x": {"text": 1}}).to_string()),
        1 => Just(String::new()),
        1 => Just(" \t".to_string()),
        1 => Just("{\"text\": 5}".to_string()),
        1 => Just("{\"id\": [1], \"text\": \"\"}".to_string()),
        1 => Just("{\"id\": null, \"text\": \"\"} ".to_string()),
        1 => Just("{\"text\": \"cut".to_string()),
        1 => Just("[1]".to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn json_lines_are_read_as_a_slow_reader_would(
        files in prop::collection::vec(prop::collection::vec(line(), 0..12), 1..4), ends_with_newline: bool,
    ) {
        let work = Work::new();
        let (mut all, mut skips, mut places) = (Texts::new(), Vec::new(), Vec::new());
        for (number, lines) in files.iter().enumerate() {
            let name = format!("{number}.jsonl{}", ["", ".gz", ".zst"][number % 3]);
            let mut content = lines.join("\n");
            if ends_with_newline { content.push('\n') }
            work.write(format!("in/{name}"), content);
            for (at, line) in (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
                let place = format!("{name}:{at}");
                match naive(line, &place) {
                    Some(document) => { all.push(document); places.push(place) }
                    None => skips.push(place),
                }
            }
        }
        let mut ids: Vec<&String> = all.iter().map(|(id, _)| id).collect();
        ids.sort_unstable();
        prop_assume!(ids.windows(2).all(|pair| pair[0] != pair[1]) && !all.is_empty());
        let read = read_silently(&work.inputs(&["in"]));
        prop_assert_eq!(read.batches.concat(), all);
        prop_assert_eq!(read.skipped.records, skips.len() as u64);
        let place = |path: &Path, line: Option<u64>| {
            format!("{}:{}", path.file_name().unwrap().display(), line.unwrap())
        };
        let named: Vec<String> = read.skipped.first.iter().map(|s| place(&s.path, s.line)).collect();
        prop_assert_eq!(named, skips);
        let found: Vec<String> = (0..read.ids.len()).map(|d| read.places.get(d)).map(|p| place(p.path, p.line)).collect();
        prop_assert_eq!(found, places);
    }
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_are_read_and_stay_different() {
    use std::os::unix::ffi::OsStrExt;
    let work = Work::new();
    std::fs::create_dir(work.path("in")).unwrap();
    for name in [&b"a\xff.txt"[..], b"a\xfe.txt", b"tab\tand: colon"] {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        if std::fs::write(work.path("in").join(name), "x").is_err() {
            return; // a file system that has no such names
        }
    }
    let inputs = work.inputs(&["in"]);
    assert_eq!(work.ids(&inputs), "a%FE.txt,a%FF.txt,tab\tand: colon");
    let Documents { places, text_hashes, .. } = read_silently(&inputs);
    let copied = copied_of(&work, &inputs, &places, &text_hashes, |d| d == 1, "out/");
    assert_eq!(copied.unwrap(), 1);
    assert!(work.path("out").join(std::ffi::OsStr::from_bytes(b"a\xff.txt")).exists());
    let lines = work.formatted(InputFormat::Lines, &["in"]);
    assert_eq!(work.ids(&lines), "a%FE.txt:1,a%FF.txt:1,tab\tand: colon:1");
}
