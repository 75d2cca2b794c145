//! The n-gram index: segments, manifests, configuration files.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use flate2::Crc;
use nearsig::ngrams::search::NgramSearch;
use nearsig::ngrams::{NgramIndex, read_config};
use nearsig::{Executable, Result};
use serde_json::{Value, json};
use twox_hash::XxHash3_64;

use super::content::check_error;
use super::scratch;

/// Separates edits of the segment, entries of its footer, entries of `index.json` and a configuration file in the input.
const SEPARATOR: &[u8] = b"\n====\n";
/// Bytes of an edit: a position (u16) and a value.
const EDIT: usize = 3;
/// Bytes after the footer.
const TRAILER: usize = 16;
const SEGMENT: &str = "segment-1.bin";

/// Reads an index whose checksums are right, whatever it holds.
///
/// If `check` accepts it, then all other commands do, and `compact` keeps documents, hashes and results.
pub fn check(data: &[u8]) {
    let mut parts = split(data).into_iter();
    let mut part = || parts.next().unwrap_or_default();
    let (edits, footer, entries, config) = (part(), part(), part(), part());
    let path = scratch::write("rules", config);
    if let Err(error) = read_config(&path) {
        check_error(&error, &path);
    }
    let folder = scratch::folder("ngrams");
    write_index(&folder, edits, footer, entries);
    if index("check", &folder).is_err() {
        // Nothing is promised but errors in place of panics and endless memory.
        let _ = (index("list", &folder), index("export", &folder), search(&folder));
        return;
    }
    let before = results(&folder);
    index("compact", &folder).expect("an index that was checked can be compacted");
    index("check", &folder).expect("a compacted index is whole");
    assert_eq!(results(&folder), before, "compact changes nothing");
}

fn results(folder: &Path) -> [Vec<u8>; 3] {
    let outputs = [index("list", folder), index("export", folder), search(folder)];
    outputs.map(|output| output.expect("an index that was checked can be read"))
}

fn split(data: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|bytes| bytes == SEPARATOR) {
        parts.push(&rest[..at]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    parts.push(rest);
    parts
}

/// The files of a sound index of three documents, one of them removed.
struct SoundIndex {
    segment: Vec<u8>,
    removed: (String, Vec<u8>),
    manifest: Value,
}

fn sound() -> &'static SoundIndex {
    static SOUND: LazyLock<SoundIndex> = LazyLock::new(|| {
        let folder = scratch::folder("sound");
        let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
        let lines = [
            line("a", "one two three four five"),
            line("b", "two three four six"),
            line("c", "seven"),
        ];
        let input = scratch::write("sound.jsonl", lines.concat().as_bytes());
        let input = input.to_str().expect("a name in UTF-8").to_string();
        run(&folder, "add", &["-n", "2,3", &input]).expect("an index can be built");
        run(&folder, "remove", &["b"]).expect("a document can be removed");
        let read = |name: &str| std::fs::read(folder.join(name)).expect("a file of the index");
        let manifest: Value = serde_json::from_slice(&read("index.json")).expect("JSON");
        let removed = manifest["segments"][0]["removed"].as_str().expect("a name").to_string();
        let content = read(&removed);
        SoundIndex { segment: read(SEGMENT), removed: (removed, content), manifest }
    });
    &SOUND
}

/// Writes the sound index with changes, and all checksums as they must be then.
fn write_index(folder: &Path, edits: &[u8], footer: &[u8], entries: &[u8]) {
    let SoundIndex { segment, removed: (name, removed), manifest } = sound();
    let segment = edited(segment, edits, footer);
    let mut manifest = manifest.clone();
    for file in manifest["files"].as_array_mut().expect("a list") {
        if file["name"] == SEGMENT {
            let mut crc = Crc::new();
            crc.update(&segment);
            file["bytes"] = json!(segment.len());
            file["crc32"] = json!(crc.sum());
        }
    }
    let text = match serde_json::from_slice(entries) {
        Ok(Value::Object(entries)) => {
            manifest.as_object_mut().expect("an object").extend(entries);
            serde_json::to_vec(&manifest).expect("JSON can be written")
        }
        _ if entries.is_empty() => serde_json::to_vec(&manifest).expect("JSON can be written"),
        _ => entries.to_vec(),
    };
    for (name, content) in [(SEGMENT, &segment), (name, removed), ("index.json", &text)] {
        std::fs::write(folder.join(name), content).expect("a temporary file can be written");
    }
}

/// Returns a segment with other bytes and other entries of its footer.
fn edited(segment: &[u8], edits: &[u8], entries: &[u8]) -> Vec<u8> {
    let end = segment.len() - TRAILER;
    let length = u64::from_le_bytes(segment[end..end + 8].try_into().expect("eight bytes"));
    let (body, footer) = segment[..end].split_at(end - length as usize);
    let mut body = body.to_vec();
    let sound: Value = serde_json::from_slice(footer).expect("JSON");
    for edit in edits.as_chunks::<EDIT>().0 {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % body.len();
        body[at] = edit[2];
    }
    let mut footer = sound;
    if let Ok(Value::Object(entries)) = serde_json::from_slice(entries) {
        footer.as_object_mut().expect("an object").extend(entries);
    }
    seal(&mut body, &mut footer);
    let footer = serde_json::to_vec(&footer).expect("JSON can be written");
    let trailer = [(footer.len() as u64).to_le_bytes(), XxHash3_64::oneshot(&footer).to_le_bytes()];
    [&body[..], &footer, trailer.as_flattened()].concat()
}

/// Renews the checksums of blocks, records and tables where the footer says that they are.
fn seal(body: &mut [u8], footer: &mut Value) {
    let sections = footer["sections"].as_array().cloned().unwrap_or_default();
    for section in &sections {
        let starts = block_starts(body, &section["directory"], &section["bucket_bits"]);
        seal_parts(body, &starts, &section["blocks"]);
    }
    let starts = range(body, &footer["record_starts"]).map(|starts| numbers(&body[starts]));
    seal_parts(body, &starts.unwrap_or_default(), &footer["records"]);
    for table in ["record_starts", "ids", "paths"] {
        renew(body, &mut footer[table]);
    }
    for section in footer["sections"].as_array_mut().into_iter().flatten() {
        if section.is_object() {
            renew(body, &mut section["directory"]);
        }
    }
}

fn range(body: &[u8], place: &Value) -> Option<std::ops::Range<usize>> {
    let number = |name: &str| place.get(name)?.as_u64().and_then(|n| usize::try_from(n).ok());
    let (start, bytes) = (number("start")?, number("bytes")?);
    let end = start.checked_add(bytes).filter(|end| *end <= body.len())?;
    Some(start..end)
}

fn renew(body: &[u8], place: &mut Value) {
    if let Some(range) = range(body, place) {
        place["xxh3"] = json!(XxHash3_64::oneshot(&body[range]));
    }
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
}

/// Returns the starts of the blocks of a section, and the end of the last, as far as they can be read.
fn block_starts(body: &[u8], directory: &Value, bits: &Value) -> Vec<u64> {
    let (Some(place), Some(bits @ 0..=20)) = (range(body, directory), bits.as_u64()) else {
        return Vec::new();
    };
    let groups = (1usize << bits).div_ceil(64);
    let Some((starts, ends)) = body[place].split_at_checked(8 * groups) else { return Vec::new() };
    let starts = numbers(starts);
    let mut all = vec![starts[0]];
    for (block, end) in ends.as_chunks::<4>().0.iter().enumerate().take(1 << bits) {
        all.push(starts[block / 64].saturating_add(u32::from_le_bytes(*end).into()));
    }
    all
}

/// Renews the last four bytes of each part.
fn seal_parts(body: &mut [u8], starts: &[u64], parts: &Value) {
    let Some(parts) = range(body, parts) else { return };
    for pair in starts.windows(2) {
        let (Ok(start), Ok(end)) = (usize::try_from(pair[0]), usize::try_from(pair[1])) else {
            continue;
        };
        if start.checked_add(4).is_none_or(|least| least > end) || end > parts.len() {
            continue;
        }
        let own = &mut body[parts.start + start..parts.start + end];
        let (content, checksum) = own.split_at_mut(end - start - 4);
        checksum.copy_from_slice(&(XxHash3_64::oneshot(content) as u32).to_le_bytes());
    }
}

fn run(folder: &Path, action: &str, arguments: &[&str]) -> Result<()> {
    let folder = folder.to_str().expect("a name in UTF-8");
    let line = ["ngram_index", action, "--index", folder];
    let command = NgramIndex::parse_from(line.iter().chain(arguments));
    let session = scratch::session().clone().with_durability(false);
    session.install(|| command.run(&session)).map(drop)
}

/// Runs an action on an index and returns its output.
fn index(action: &str, folder: &Path) -> Result<Vec<u8>> {
    let out = out();
    match action {
        "list" | "export" => run(folder, action, &["--out", out.to_str().expect("UTF-8")])?,
        _ => run(folder, action, &[])?,
    }
    Ok(std::fs::read(&out).unwrap_or_default())
}

/// Searches a text of the index and returns the results.
fn search(folder: &Path) -> Result<Vec<u8>> {
    let input = scratch::write("query.jsonl", b"{\"id\":\"q\",\"text\":\"two three four five\"}\n");
    let out = out();
    let [folder, input, name] = [folder, &input, &out].map(|path| path.to_str().expect("UTF-8"));
    let line = ["ngram_search", input, "--index", folder, "-a", "1", "--format", "jsonl"];
    let command = NgramSearch::parse_from(line.iter().chain(&["--out", name]));
    let session = scratch::session();
    session.install(|| command.run(session))?;
    Ok(std::fs::read(&out).unwrap_or_default())
}

/// Returns the path of an output that does not exist.
fn out() -> PathBuf {
    let out = scratch::path("ngrams.out");
    let _ = std::fs::remove_file(&out);
    out
}
