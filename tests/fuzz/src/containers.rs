//! Containers of records and archives: tables, JSON arrays, web archives, Wikipedia extracts, Parquet, ZIP and tar.

use clap::ValueEnum;
use nearsig::fuzzing::{
    CopyTarget, DocumentCopy, Documents, InputArgs, InputFormat, Inputs, ReadPolicy, find,
};

use super::content::Choices;
use super::documents::{Texts, check_policies, read_all};
use super::scratch;

/// Names whose extensions select a form, and the names of copies in that form.
const NAMES: [(&str, &str); 9] = [
    ("a.csv", "copy.csv"),
    ("a.tsv", "copy.tsv"),
    ("a.json", "copy.json"),
    ("a.warc", "copy.jsonl"),
    ("a", "copy.jsonl"),
    ("a.zip", "copy.jsonl"),
    ("a.tar", "copy.jsonl"),
    ("a.parquet", "copy.jsonl"),
    ("a.csv", "copy.jsonl"),
];
const ENCODINGS: [&str; 5] = ["auto", "utf-8", "bytes", "windows-1250", "shift_jis"];

/// Reads a container with options chosen by the first bytes.
///
/// Strict and skipping readers agree, reading is repeatable, and a copy of all documents reads back with the same texts.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let (name, copy) = choices.pick(&NAMES);
    let encoding = choices.pick(&ENCODINGS).parse().expect("the encoding is known");
    let path = scratch::write(name, choices.rest);
    let args = InputArgs { inputs: vec![path.into()], encoding, ..InputArgs::default() };
    let inputs = Inputs::new(args);
    let read = read_all(&inputs);
    let strict = read_all(&Inputs { policy: ReadPolicy::Strict, ..inputs.clone() });
    check_policies(&read, &strict);
    if let Ok(documents) = &read {
        let again = read_all(&inputs).expect("readable once, readable twice");
        assert_eq!(again.batches, documents.batches);
        check_copy(&inputs, documents, copy);
    }
}

fn check_copy(inputs: &Inputs, read: &Documents<Texts>, name: &str) {
    let out = scratch::path(name);
    let (publisher, files) = (scratch::publisher(), find(inputs).expect("found before"));
    // A name may promise another form than the content has.
    let Ok(target) = CopyTarget::create(&publisher, &out, inputs, &files) else { return };
    let copy = DocumentCopy { inputs, places: &read.places, text_hashes: &read.text_hashes };
    let Ok((written, part)) = copy.write(|_| true, target, scratch::session()) else { return };
    assert_eq!(written, read.ids.len() as u64);
    publisher.publish(vec![vec![part]]).expect("a copy can be published");
    // Tables keep their bytes; records in a legacy encoding are guessed anew.
    let is_table = name.ends_with(".csv") || name.ends_with(".tsv");
    if is_table && std::fs::read_to_string(&out).is_err() {
        return;
    }
    let mut copied = inputs.clone();
    copied.args.inputs = vec![out.into()];
    copied.args.encoding = "utf-8".parse().expect("the encoding is known");
    copied.args.markup = ValueEnum::from_str("keep", false).expect("the mode is known");
    if name.ends_with(".jsonl") {
        (copied.args.format, copied.args.id_field) = (InputFormat::Json, String::new());
    }
    let again = read_all(&copied).expect("a copy can be read").batches.concat();
    let texts = |all: &Texts| -> Vec<String> {
        all.iter().map(|(_, text)| text.trim_start_matches('\u{feff}').to_string()).collect()
    };
    let expected = texts(&read.batches.concat());
    // A table written without quoting may look like one with quotes once rows are gone.
    if !is_table || !expected.iter().any(|text| text.contains('"')) {
        assert_eq!(texts(&again), expected);
    }
}
