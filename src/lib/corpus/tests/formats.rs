//! Containers of records, archives, and files of other kinds in folders.

use std::io::Write;

use super::copies::copied;
use super::*;
use crate::session::testing::Recorder;

const RECORDS: [(&str, &str); 2] = [("1", "one \"two\",\nthree"), ("x y", "řeka")];

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn records_of_every_container_are_documents() {
    let work = Work::new();
    let csv = "id,text\r\n1,\"one \"\"two\"\",\nthree\"\r\nx y,řeka\r\n";
    work.write("a.csv", csv);
    work.write(
        "semicolons.csv.gz",
        csv.replace("id,", "id;").replace("1,", "1;").replace("y,", "y;"),
    );
    work.write("a.tsv", csv.replace("id,", "id\t").replace("1,", "1\t").replace("y,", "y\t"));
    let json = r#"[ {"id":1, "text":"one \"two\",\nthree"},
        {"text":"řeka", "id":"x y"} ]"#;
    work.write("a.json", json);
    let latin2 = encoding_rs::ISO_8859_2.encode(csv).0.into_owned();
    work.write("latin2.csv", latin2);
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(csv.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    work.write("utf16.csv", utf16);
    for name in ["a.csv", "semicolons.csv.gz", "a.tsv", "a.json", "utf16.csv"] {
        assert_eq!(work.texts(&work.inputs(&[name])), expected(&RECORDS), "{name}");
    }
    let mut inputs = work.inputs(&["latin2.csv"]);
    inputs.args.encoding = "latin2".parse().unwrap();
    assert_eq!(work.texts(&inputs), expected(&RECORDS));
    let records = work.texts(&work.formatted(InputFormat::Csv, &["a.csv"]));
    assert_eq!(records, expected(&RECORDS));
}

#[test]
fn an_array_may_hold_the_texts() {
    let work = Work::new();
    work.write("a.json", "[\"one\\n\", \"two\",\n3]");
    let read = read_silently(&work.inputs(&["a.json"]));
    assert_eq!(
        read.batches.concat(),
        work_texts(&work, &[("a.json:1", "one\n"), ("a.json:2", "two")])
    );
    assert_eq!(read.skipped.records, 1);
    assert_eq!(copied(&work, &work.inputs(&["a.json"]), |at| at == 1, "b.json").unwrap(), 1);
    assert_eq!(work.read("b.json"), "[\n\"two\"\n]\n");
}

/// Returns ids, prefixed with the folder, and texts.
fn work_texts(work: &Work, documents: &[(&str, &str)]) -> Texts {
    let id = |id: &str| work.path(id).display().to_string();
    documents.iter().map(|(name, text)| (id(name), text.to_string())).collect()
}

#[test]
fn fields_inside_objects_are_named_by_paths() {
    let work = Work::new();
    work.write("a.jsonl", r#"{"meta":{"id":7,"x":{"body":"deep"}},"text":"top"}"#);
    let mut inputs = with_text_field("meta.x.body", work.inputs(&["a.jsonl"]));
    inputs.args.id_field = "meta.id".into();
    assert_eq!(work.texts(&inputs), expected(&[("7", "deep")]));
    work.write("b.jsonl", r#"{"meta.id":"flat","meta":{"x":{"body":"b"}}}"#);
    inputs.args.inputs = vec![work.path("b.jsonl").into()];
    assert_eq!(work.texts(&inputs), expected(&[("flat", "b")]));
    work.write("c.jsonl", "{\"meta\":null}\n{\"meta\":{\"x\":[]}}\n");
    inputs.args.inputs = vec![work.path("c.jsonl").into()];
    assert!(
        work.error(&inputs)
            .contains("expected the field 'meta.x.body' (--text_field), found 'meta'")
    );
}

#[test]
fn a_file_without_the_text_field_is_a_document_in_a_folder_and_an_error_by_name() {
    let work = Work::new();
    work.write("in/package.json", "{\n  \"name\": \"x\"\n}\n");
    work.write("in/list.json", "[1, 2]");
    work.write("in/objects.json", "[{\"name\": \"y\"}]");
    work.write("in/lines.json", "{\"name\":1}\n{\"name\":2}\n");
    work.write("in/table.csv", "a,b\n1,2\n");
    work.write("in/records.json", "{\"text\":\"r\"}\n");
    work.write("in/long.json", format!("{{\"text\":\"{}\"}}\n", "x".repeat(100_000)));
    let names =
        "lines.json,list.json,long.json:1,objects.json,package.json,records.json:1,table.csv";
    assert_eq!(work.ids(&work.inputs(&["in"])), names);
    for (name, found) in
        [("in/table.csv", "'a', 'b'"), ("in/lines.json", "'name'"), ("in/objects.json", "'name'")]
    {
        let error = work.error(&work.inputs(&[name]));
        let expected = format!("expected the field 'text' (--text_field), found {found}");
        assert!(error.ends_with(&expected), "{error}");
    }
    assert_eq!(work.ids(&work.inputs(&["in/package.json"])), "in/package.json");
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_unreadable() {
    let work = Work::new();
    work.write("in/error.pdf", "<html><p>404 not found</p></html>");
    work.write("in/empty.docx", "");
    work.write("in/good.txt", "x");
    let read = read_silently(&work.inputs(&["in"]));
    let skips: Vec<String> = read.skipped.first.iter().map(|skip| work.relative(skip)).collect();
    let told = |name: &str, format: &str| {
        format!("in/{name}: expected a document in the format {format}, found other content")
    };
    assert_eq!(skips, [told("empty.docx", "DOCX"), told("error.pdf", "PDF")]);
}

#[test]
fn members_of_archives_are_documents() {
    let work = Work::new();
    let long = format!("{}/long.txt", "d".repeat(120));
    let members: [(&str, &[u8]); 5] = [
        ("a.txt", b"a"),
        ("../../b: 1.html", b"<p>b</p>"),
        ("c.jsonl", b"{\"text\":\"c\",\"id\":\"c1\"}\n{\"text\":\"d\"}\n"),
        (&long, b"long"),
        ("inner.zip", b"PK"),
    ];
    let tar_members: Vec<_> =
        members.iter().filter(|(name, _)| !name.starts_with("..")).copied().collect();
    work.write("in/x.zip", zip(&members));
    work.write("in/y.tar", tar(&tar_members));
    work.write("in/z.tar.gz", tar(&tar_members));
    std::fs::write(work.path("in/w.tgz"), gzip(&tar(&tar_members))).unwrap();
    let read = read_silently(&work.inputs(&["in"]));
    let ids: Vec<&str> = read.ids.iter().collect();
    let of = |archive: &str| {
        [format!("{archive}!a.txt"), format!("{archive}!c.jsonl:2"), format!("{archive}!{long}")]
    };
    for id in ["w.tgz", "y.tar", "z.tar.gz"].iter().flat_map(|name| of(name)) {
        assert!(ids.contains(&&*id), "{id}: {ids:?}");
    }
    assert!(ids.contains(&"x.zip!../../b: 1.html") && ids.contains(&"c1#4"), "{ids:?}");
    assert_eq!((read.skipped.files, read.skipped.records), (4, 0));
    assert!(read.skipped.first.iter().all(|skip| skip.why == "an archive in an archive"));
    let mut inputs = work.inputs(&["in"]);
    inputs.args.include = vec!["*.txt".into()];
    inputs.args.exclude = vec!["*long*".into()];
    assert_eq!(work.ids(&inputs), "w.tgz!a.txt,x.zip!a.txt,y.tar!a.txt,z.tar.gz!a.txt");
    let error = copied(&work, &work.inputs(&["in"]), |_| true, "out/").unwrap_err();
    assert!(
        error.to_string().contains("a member of an archive") && error.exit_code() == 2,
        "{error}"
    );
    assert_eq!(copied(&work, &inputs, |document| document == 2, "out.jsonl").unwrap(), 1);
    let files = find(&inputs).unwrap();
    let paths: Vec<String> = files.paths().map(|path| work.relative(path.display())).collect();
    assert_eq!(paths, ["in/w.tgz", "in/x.zip", "in/y.tar", "in/z.tar.gz"]);
    assert_eq!(work.read("out.jsonl"), "{\"id\":\"y.tar!a.txt\",\"text\":\"a\"}\n");
}

#[test]
fn damaged_archives_lose_only_what_is_damaged() {
    let work = Work::new();
    let content = b"some text that is long enough to be deflated, deflated, deflated".repeat(20);
    let mut damaged = zip(&[("a.txt", &content), ("b.txt", b"b")]);
    let at = memchr::memmem::find(&damaged, b"a.txt").unwrap() + 12;
    damaged[at] ^= 0x55;
    work.write("a.zip", &damaged);
    let read = read_silently(&work.inputs(&["a.zip"]));
    assert_eq!((read.ids.iter().collect::<Vec<_>>().len(), read.skipped.files), (1, 1));
    let whole = tar(&[("a.txt", b"a"), ("b.txt", &content)]);
    work.write("b.tar", &whole[..whole.len() - 2000]);
    let read = read_silently(&work.inputs(&["b.tar"]));
    assert_eq!((read.ids.len(), read.skipped.files), (1, 1));
    assert!(read.skipped.first[0].why.contains("truncated"), "{:?}", read.skipped);
    for (name, content) in
        [("c.zip", &b"no archive"[..]), ("c.tar", &[7; 2000][..]), ("c.tar.gz", b"no")]
    {
        work.write(name, content);
        assert!(work.error(&work.inputs(&[name])).contains("archive"), "{name}");
    }
}

#[test]
fn wikipedia_extracts_are_recognized_in_files_of_any_name() {
    let work = Work::new();
    let one = "<doc id=\"1\" url=\"http://w/1\" title=\"A\">\nA\n\n<p>one &amp; two</p>\n</doc>\n";
    let two = "<doc id=\"2\" url=\"http://w/2\" title=\"B\">\nB\n</doc>\n";
    work.write("in/AA/wiki_00", [one, two].concat());
    work.write("in/AA/wiki_01.bz", "<doc> is a tag");
    let inputs = work.inputs(&["in"]);
    let texts = work.texts(&inputs);
    assert_eq!(texts[0].0, "http://w/1");
    assert_eq!(texts[0].1.split_whitespace().collect::<Vec<_>>(), ["A", "one", "&", "two"]);
    assert_eq!((&*texts[1].0, texts.len()), ("http://w/2", 3));
    assert_eq!(copied(&work, &inputs, |document| document != 1, "out/").unwrap(), 2);
    assert_eq!(work.read("out/AA/wiki_00"), one);
    assert_eq!(copied(&work, &inputs, |document| document == 1, "out.jsonl").unwrap(), 1);
    assert_eq!(work.read("out.jsonl"), "{\"id\":\"http://w/2\",\"text\":\"B\"}\n");
}

#[test]
fn copies_have_the_form_of_their_inputs() {
    let work = Work::new();
    work.write("in/a.csv", "id,text,n\n1,\"a, b\",x\n2,c,y\n");
    work.write("in/sub/b.jsonl.gz", "{\"text\":\"d\"}\n {\"text\":\"e\"}\n");
    work.write("in/c.json", "[{\"text\":\"f\"},\n{\"text\":\"g\"}]");
    work.write("in/d.txt", "h");
    let inputs = work.inputs(&["in"]);
    assert_eq!(copied(&work, &inputs, |document| document % 2 == 0, "out/").unwrap(), 4);
    assert_eq!(work.read("out/a.csv"), "id,text,n\n1,\"a, b\",x\n");
    assert_eq!(work.read("out/c.json"), "[\n{\"text\":\"f\"}\n]\n");
    assert!(!work.path("out/d.txt").exists() || work.read("out/d.txt") == "h");
    assert_eq!(work.read("out/sub/b.jsonl.gz"), " {\"text\":\"e\"}\n");
    assert_eq!(copied(&work, &inputs, |_| false, "none/").unwrap(), 0);
    assert_eq!(work.read("none/a.csv") + &work.read("none/c.json"), "id,text,n\n[]\n");
    for (name, out, content) in [
        ("in/a.csv", "b.csv", "id,text,n\n2,c,y\n"),
        ("in/a.csv", "b.jsonl", "{\"id\":\"2\",\"text\":\"c\"}\n"),
        ("in/c.json", "b.json", "[\n{\"text\":\"g\"}\n]\n"),
        ("in/c.json", "c.jsonl", "{\"text\":\"g\"}\n"),
    ] {
        assert_eq!(copied(&work, &work.inputs(&[name]), |document| document == 1, out).unwrap(), 1);
        assert_eq!(work.read(out), content);
    }
}

#[test]
fn targets_that_cannot_hold_the_inputs_are_refused() {
    let work = Work::new();
    work.write("a.jsonl", "{\"text\":\"a\"}\n");
    work.write("a.csv", "text\na\n");
    work.write("b.csv", "text;x\na;b\n");
    for (names, out) in [
        (&["a.jsonl"][..], "x.csv"),
        (&["a.jsonl"], "x.parquet"),
        (&["a.csv"], "x.zip"),
        (&["a.csv", "a.jsonl"], "x.tsv.gz"),
        (&["a.csv", "b.csv"], "x.csv"),
    ] {
        let error = copied(&work, &work.inputs(names), |_| true, out).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(out), "{error}");
        assert!(!work.path(out).exists() && !work.path(format!("{out}.part")).exists());
    }
    work.write("c.csv", "text,n\na,1\n");
    work.write("d.csv", "text,m\na,1\n");
    let error = copied(&work, &work.inputs(&["c.csv", "d.csv"]), |_| true, "x.csv").unwrap_err();
    assert!(error.to_string().contains("different columns"), "{error}");
}

#[test]
fn links_are_counted_and_not_followed() {
    let work = Work::new();
    work.write("in/a.txt", "a");
    std::os::unix::fs::symlink("a.txt", work.path("in/b.txt")).unwrap();
    std::os::unix::fs::symlink(".", work.path("in/c")).unwrap();
    let (session, heard) = Recorder::session();
    let mut inputs = work.inputs(&["in"]);
    assert_eq!(read_all(&inputs, &session).unwrap().ids.len(), 1);
    assert_eq!(heard.infos.lock().unwrap()[..], ["2 symbolic links not followed (see --follow)"]);
    assert_eq!(work.ids(&work.inputs(&["in/b.txt"])), "in/b.txt");
    inputs.args.follow = true;
    assert_eq!(work.ids(&inputs), "a.txt,b.txt");
}

#[test]
fn repeated_ids_are_numbered_and_reported_once() {
    let work = Work::new();
    work.write("a.jsonl", "{\"text\":\"1\",\"id\":\"a\"}\n{\"text\":\"2\",\"id\":\"a#2\"}\n{\"text\":\"3\",\"id\":\"a\"}\n{\"text\":\"4\",\"id\":\"a\"}\n");
    let (session, heard) = Recorder::session();
    let inputs = work.inputs(&["a.jsonl"]);
    let read = read(&inputs, find(&inputs).unwrap(), &session, |_| ()).unwrap();
    assert_eq!(read.ids.iter().collect::<Vec<_>>(), ["a", "a#2", "a#3", "a#4"]);
    let told = heard.infos.lock().unwrap().clone();
    assert_eq!(told.len(), 1, "{told:?}");
    let told = work.relative(&told[0]);
    assert!(
        told.starts_with("2 repeated ids: a.jsonl:3 has the id 'a' again (first at a.jsonl:1)"),
        "{told}"
    );
    let strict = Inputs { policy: ReadPolicy::Strict, ..inputs };
    assert!(work.error(&strict).contains("duplicate document name 'a'"));
}

#[test]
fn skips_are_reported_once_per_reason() {
    let work = Work::new();
    let lines: String = (0..50).map(|n| format!("not json {n}\n")).collect();
    work.write("in/a.jsonl", format!("{lines}{{\"text\":\"x\"}}\n{{\"body\":1}}\n"));
    work.write("in/b.png", b"\x89PNG\r\n\x1a\n");
    let (session, heard) = Recorder::session();
    let read = read_all(&work.inputs(&["in"]), &session).unwrap();
    assert_eq!((read.skipped.files, read.skipped.records), (1, 51));
    let told: Vec<String> =
        heard.infos.lock().unwrap().iter().map(|line| work.relative(line)).collect();
    assert!(
        told[0].starts_with("skipped 50 records, the first in/a.jsonl:1: expected a JSON object"),
        "{told:?}"
    );
    assert!(told[1].starts_with("skipped in/a.jsonl:52: expected the field 'text'"), "{told:?}");
    assert_eq!(
        told[2..],
        ["skipped in/b.png: a PNG picture, not text", "--verbose names all that was skipped"]
    );
    assert_eq!(
        heard.details.lock().unwrap().iter().filter(|line| line.starts_with("skipped")).count(),
        52
    );
}
