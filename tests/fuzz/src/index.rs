//! The index of `find_near_dups`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use flate2::Crc;
use nearsig::fuzzing::pairs::PairFile;
use nearsig::near_dups::FindNearDups;
use nearsig::{Executable, Result};
use serde_json::{Map, Value, json};

use super::scratch;

/// Separates the documents, the terms, the vectors and the entries of `index.json` in the input.
const SEPARATOR: &[u8] = b"\n====\n";

/// Reads an index whose checksums are right, whatever it holds, and compares a document with it.
///
/// Readable indexes are written again together with the document; that index is readable, and finds the same document in it.
pub fn check(data: &[u8]) {
    let mut parts = split(data).into_iter();
    let mut part = || parts.next().unwrap_or_default();
    let (documents, terms, vectors, entries) = (part(), part(), part(), part());
    let folder = scratch::folder("index");
    write_index(&folder, &[documents, terms, vectors], entries);
    let input = scratch::write("new.jsonl", b"{\"id\":\"new\",\"text\":\"one two three\"}\n");
    let next = scratch::folder("next");
    let Ok(pairs) = find(&input, &folder, Some(&next)) else { return };
    assert!(pairs.iter().all(|(_, similarity)| (0.0..=100.0).contains(similarity)), "{pairs:?}");
    let input = scratch::write("newer.jsonl", b"{\"id\":\"newer\",\"text\":\"Two one, three\"}\n");
    let found = find(&input, &next, None).expect("an index that was written can be read");
    let is_same = |(ids, similarity): &([String; 2], f64)| {
        ids.contains(&"new".to_string()) && *similarity == 100.0
    };
    assert!(found.iter().any(is_same), "{found:?}");
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

/// Writes the files of an index. Lines of documents and terms get their last newline; `entries` replace those of `index.json`, or it, where
/// it is no object.
fn write_index(folder: &Path, contents: &[&[u8]; 3], entries: &[u8]) {
    let names = ["documents-1.tsv", "terms-1.txt", "vectors-1.bin"];
    let mut files = Vec::new();
    let mut counts = Vec::new();
    for (name, content) in names.iter().zip(contents) {
        let is_text = !name.ends_with(".bin");
        let end: &[u8] = if is_text && !content.is_empty() { b"\n" } else { b"" };
        let content = [content, end].concat();
        counts.push(content.iter().filter(|byte| **byte == b'\n').count());
        let mut crc = Crc::new();
        crc.update(&content);
        files.push(json!({"name": name, "bytes": content.len(), "crc32": crc.sum()}));
        std::fs::write(folder.join(name), &content).expect("a temporary file can be written");
    }
    let components = contents[2].len().saturating_sub(8 * counts[0]) / 6;
    let parameters = json!({
        "keep_numbers": true,
        "shingle_size": 1,
        "fold": true,
        "weights": "(1 + ln(count)) * letters / 8, to 1/1024; 4 letters per unit of a bigram",
        "words": "letters, digits and marks; bigrams of scripts without spaces",
    });
    let counts = json!({"documents": counts[0], "terms": counts[1], "components": components});
    let mut head = Map::from_iter([
        ("format".into(), json!("nearsig index 3")),
        ("generation".into(), json!(1)),
        ("parameters".into(), parameters),
        ("counts".into(), counts),
        ("files".into(), Value::Array(files)),
    ]);
    let text = match serde_json::from_slice(entries) {
        Ok(Value::Object(entries)) => {
            head.extend(entries);
            serde_json::to_vec(&head).expect("JSON can be written")
        }
        _ if entries.is_empty() => serde_json::to_vec(&head).expect("JSON can be written"),
        _ => entries.to_vec(),
    };
    std::fs::write(folder.join("index.json"), text).expect("a temporary file can be written");
}

/// Pairs of ids and similarities in percent.
type Found = Vec<([String; 2], f64)>;

/// Compares documents with an index. Returns the pairs, and saves an index of all documents.
fn find(input: &Path, index: &Path, save: Option<&PathBuf>) -> Result<Found> {
    static DEFAULT: LazyLock<FindNearDups> =
        LazyLock::new(|| FindNearDups::parse_from(["find_near_dups", "input"]));
    let out = scratch::path("out.tsv");
    let mut command = DEFAULT.clone();
    command.inputs.inputs = vec![input.into()];
    command.existing.index = Some(index.into());
    command.existing.save_index = save.map(|folder| folder.clone().into());
    command.outputs.out = Some(out.clone().into());
    let session = scratch::session();
    session.install(|| command.run(session))?;
    let mut pairs = Vec::new();
    PairFile::open(&out)?.for_each_pair(None, |pair| {
        pairs.push((pair.ids.map(String::from), pair.similarity));
        Ok(())
    })?;
    Ok(pairs)
}
