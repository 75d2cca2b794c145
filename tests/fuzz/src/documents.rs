//! The reader of documents: all formats, encodings and compressions.

use std::collections::HashSet;
use std::path::Path;

use clap::ValueEnum;
use nearsig::Result;
use nearsig::fuzzing::{
    CopyTarget, DocumentCopy, Documents, InputArgs, InputFormat, Inputs, ReadPolicy, TextEncoding,
    find, read,
};
use serde_json::Value;

use super::content::{Choices, Storage, lines_of};
use super::scratch;

/// Names whose extensions select a format.
const NAMES: [&str; 6] = ["a.jsonl", "a.txt", "a.html", "a.ndjson.gz", "a", "a.zst"];
const ENCODINGS: [&str; 10] = [
    "auto",
    "utf-8",
    "bytes",
    "windows-1250",
    "utf-16le",
    "utf-16be",
    "shift_jis",
    "gb18030",
    "iso-2022-jp",
    "euc-kr",
];
const FORMATS: [InputFormat; 5] = [
    InputFormat::Auto,
    InputFormat::Json,
    InputFormat::Lines,
    InputFormat::Text,
    InputFormat::Auto,
];

/// Ids and texts.
pub(super) type Texts = Vec<(String, String)>;

/// Reads documents with options chosen by the first bytes.
///
/// Strict and skipping readers agree; skipped records and documents have lines of the file; ids are unique; a copy of all documents reads
/// back with the same texts; JSON Lines hold what a slow reader finds.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let name = choices.pick(&NAMES);
    let storage = choices.pick(&Storage::ALL);
    let mut inputs = inputs(&mut choices);
    let stored = storage.store(choices.rest);
    let path = scratch::write(name, &stored);
    inputs.args.inputs = vec![path.clone().into()];
    if inputs.check().is_err() {
        return;
    }
    let skipping = read_all(&inputs);
    let strict = read_all(&Inputs { policy: ReadPolicy::Strict, ..inputs.clone() });
    check_policies(&skipping, &strict);
    if let Ok(documents) = &skipping {
        check_places(documents, &path);
        check_copy(&inputs, documents);
        check_json(&inputs, documents, storage, choices.rest);
    }
}

fn inputs(choices: &mut Choices) -> Inputs {
    let format = choices.pick(&FORMATS);
    let encoding: TextEncoding = choices.pick(&ENCODINGS).parse().expect("the encoding is known");
    let options = choices.byte();
    let has = |bit: u8| options & 1 << bit != 0;
    let markup = ["auto", "strip", "keep", "auto"][usize::from(options >> 6)];
    let markup = ValueEnum::from_str(markup, false).expect("the mode is known");
    let id_field = if has(0) { "" } else { "id" }.to_string();
    let args = InputArgs { format, encoding, markup, id_field, ..InputArgs::default() };
    Inputs {
        keeps_blank_lines: has(1),
        names_by_line: has(2),
        sort_field: has(3).then(|| "key".to_string()),
        ..Inputs::new(args)
    }
}

pub(super) fn read_all(inputs: &Inputs) -> Result<Documents<Texts>> {
    let work = || {
        read(inputs, find(inputs)?, scratch::session(), |documents| {
            documents.iter().map(|d| (d.id.to_string(), d.text.to_string())).collect::<Texts>()
        })
    };
    scratch::session().install(work)
}

/// Checks that a strict reader succeeds if and only if the other skips nothing.
pub(super) fn check_policies(
    skipping: &Result<Documents<Texts>>,
    strict: &Result<Documents<Texts>>,
) {
    match (skipping, strict) {
        (Ok(all), Ok(same)) => {
            assert_eq!(all.batches, same.batches);
            assert_eq!(all.skipped.count(), 0, "{:?}", all.skipped);
        }
        (Ok(some), Err(_)) => {
            let is_complete = some.skipped.count() == 0 && !has_repeated_ids(some);
            assert!(!is_complete, "strict reading fails only");
        }
        (Err(error), Ok(_)) => panic!("skipping fails, strict reading does not: {error}"),
        (Err(error), Err(_)) => assert!(!error.to_string().is_empty()),
    }
}

/// Returns whether ids were numbered because they repeat.
pub(super) fn has_repeated_ids(read: &Documents<Texts>) -> bool {
    read.ids.iter().zip(read.batches.iter().flatten()).any(|(id, (raw, _))| id != raw)
}

fn check_places(read: &Documents<Texts>, path: &Path) {
    let all = read.batches.concat();
    assert_eq!(all.len(), read.ids.len());
    let is_numbered =
        |id: &str, raw: &str| id.strip_prefix(raw).is_some_and(|n| n.starts_with('#'));
    assert!(read.ids.iter().zip(&all).all(|(id, (raw, _))| id == raw || is_numbered(id, raw)));
    let distinct: HashSet<&str> = read.ids.iter().collect();
    assert_eq!(distinct.len(), all.len(), "ids repeat");
    // Elements of an array are numbered, wherever they are.
    let lines = lines_of(path).max(all.len() as u64 + read.skipped.count());
    let places: Vec<Option<u64>> = (0..all.len()).map(|d| read.places.get(d).line).collect();
    assert!(places.is_sorted());
    let skipped = read.skipped.first.iter().map(|skip| skip.line);
    for line in places.into_iter().chain(skipped).flatten() {
        assert!((1..=lines).contains(&line), "line {line} of {lines}");
    }
}

/// Checks that a copy of all documents reads back with the same texts. With other encodings than UTF-8, lines may begin like a file of
/// another kind, and do so in the copy's first line.
fn check_copy(inputs: &Inputs, read: &Documents<Texts>) {
    let out = scratch::path("copy.jsonl");
    let publisher = scratch::publisher();
    let files = find(inputs).expect("inputs were found before");
    let target =
        CopyTarget::create(&publisher, &out, inputs, &files).expect("a file can be created");
    let copy = DocumentCopy { inputs, places: &read.places, text_hashes: &read.text_hashes };
    let written = copy.write(|_| true, target, scratch::session());
    let (written, part) = written.expect("readable documents can be copied");
    assert_eq!(written, read.ids.len() as u64);
    publisher.publish(vec![vec![part]]).expect("a copy can be published");
    if inputs.args.encoding != TextEncoding::Utf8 {
        return;
    }
    let has_lines = read.places.get(0).line.is_some();
    let mut copied = inputs.clone();
    copied.args.inputs = vec![out.into()];
    if !has_lines {
        copied.args.markup = ValueEnum::from_str("keep", false).expect("the mode is known");
    }
    if inputs.args.format != InputFormat::Lines {
        copied.args.format = InputFormat::Json;
        // Optional ids, as in the inputs.
        copied.args.id_field = String::new();
    }
    let again = read_all(&Inputs { policy: ReadPolicy::Strict, ..copied });
    let again = again.expect("a copy can be read").batches.concat();
    let texts = |all: &Texts| -> Vec<String> {
        // A page may begin with the reference of a byte order mark, which a record loses.
        all.iter().map(|(_, text)| text.trim_start_matches('\u{feff}').to_string()).collect()
    };
    assert_eq!(texts(&again), texts(&read.batches.concat()));
}

/// Checks that all records that a slow reader finds were read, with their ids.
fn check_json(inputs: &Inputs, read: &Documents<Texts>, storage: Storage, content: &[u8]) {
    let is_plain = matches!(storage, Storage::Gzip | Storage::Zstandard);
    let Ok(text) = str::from_utf8(content) else { return };
    let is_json = inputs.args.format == InputFormat::Json;
    let is_utf8 = inputs.args.encoding == TextEncoding::Utf8;
    if !(is_json && is_utf8 && is_plain && inputs.args.id_field.is_empty()) {
        return;
    }
    let text = text.trim_start_matches('\u{feff}');
    let found = read.batches.concat();
    for (number, line) in (1..).zip(text.split('\n')) {
        let Some(expected) = record(line) else { continue };
        let at = (0..found.len()).find(|at| read.places.get(*at).line == Some(number));
        let at = at.unwrap_or_else(|| panic!("line {number} is missing: {line}"));
        let kept = ValueEnum::from_str("keep", false).expect("the mode is known");
        if inputs.args.markup == kept {
            assert_eq!(found[at].1, expected.trim_start_matches('\u{feff}'), "line {number}");
        }
    }
}

/// Returns the text of a record, the slow way. A field that is there twice is an error of the reader, which this one cannot see.
fn record(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let is_simple = !line.contains('\\') && line.matches("\"text\"").count() == 1;
    let is_keyless = !line.contains("\"key\"");
    (is_simple && is_keyless).then(|| value.get("text")?.as_str().map(String::from))?
}
