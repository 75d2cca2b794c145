//! Complete runs of methods in the working folder of `evaluate_methods`: `NAME.tsv.zst`, the pairs, and `NAME.json`, a description of the run.
//!
//! An older description goes before the pairs change, and the new one is published last: where it is, the pairs are its own and complete.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::Digest;
use super::output::{Publisher, remove_leftovers, with_suffix};
use super::pairs::{OriginColumns, PairFile, TableFile, write_pairs};
use crate::error::{Error, INFALLIBLE, Result};
use crate::search::Pair;

/// What a run depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunKey {
    /// The version of this crate.
    pub version: String,
    /// The name of the method.
    pub method: String,
    /// The parameters of the method.
    pub parameters: Value,
    /// The number of documents.
    pub documents: u64,
    /// The digest of their ids and texts.
    pub digest: Digest,
}

/// Description of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What it depends on.
    pub key: RunKey,
    /// The number of pairs.
    pub pairs: u64,
    /// The time it took.
    pub seconds: f64,
    /// Bytes of fingerprints of all documents.
    pub bytes: u64,
}

/// Writes a run to a folder, which is created where it is missing. `id` returns the id of a document.
pub fn write_run<'a>(
    publisher: &Publisher<'_>,
    folder: &Path,
    record: &RunRecord,
    pairs: &[Pair],
    id: impl Fn(u32) -> &'a str + Sync,
) -> Result<()> {
    publisher.create_folders(folder)?;
    let base = folder.join(&record.key.method);
    let file = TableFile::create(publisher, &with_suffix(&base, PAIRS))?;
    let mut description = publisher.create(&with_suffix(&base, DESCRIPTION))?;
    let mut text = serde_json::to_vec_pretty(record).expect(INFALLIBLE);
    text.push(b'\n');
    description.write(&text)?;
    let pairs = write_pairs(file, pairs.iter().copied(), OriginColumns(0), id)?;
    // An older description must not stay next to new pairs, even if the run is killed between them.
    publisher.publish(vec![vec![pairs], vec![description.close()?.parked()]])
}

/// Reads the description of a method's run from a folder; `None` if there is none.
pub fn read_record(folder: &Path, method: &str) -> Result<Option<RunRecord>> {
    let path = with_suffix(&folder.join(method), DESCRIPTION);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", &path, error)),
    };
    let wrong =
        |error| Error::in_file(&path, format!("expected the description of a run: {error}"));
    serde_json::from_slice(&text).map(Some).map_err(wrong)
}

/// Reads the pairs of a run, and removes what a killed run has left beside them. `number` returns the number of a document.
///
/// # Errors
/// Another number of pairs than the description says, or an unknown document.
pub fn read_run(
    folder: &Path,
    record: &RunRecord,
    number: impl Fn(&str) -> Option<u32>,
) -> Result<Vec<Pair>> {
    let base = folder.join(&record.key.method);
    let path = with_suffix(&base, PAIRS);
    let mut pairs = Vec::new();
    PairFile::open(&path)?.for_each_pair(None, |pair| {
        let unknown =
            |id: &str| Error::parse(&path, pair.line, "a document of the input", format!("'{id}'"));
        let document = |id: &str| number(id).ok_or_else(|| unknown(id));
        let (low, high) = (document(pair.ids[0])?, document(pair.ids[1])?);
        pairs.push(Pair { low, high, similarity: pair.similarity });
        Ok(())
    })?;
    crate::error::check_count(&path, "pairs", record.pairs, pairs.len() as u64)?;
    [PAIRS, DESCRIPTION].iter().for_each(|suffix| remove_leftovers(&with_suffix(&base, suffix)));
    Ok(pairs)
}

/// End of the name of a file of pairs.
const PAIRS: &str = ".tsv.zst";
/// End of the name of a description.
const DESCRIPTION: &str = ".json";

#[cfg(test)]
mod tests {
    use super::*;

    fn record(pairs: u64) -> RunRecord {
        let key = RunKey {
            version: "1".into(),
            method: "tf".into(),
            parameters: serde_json::json!({"k": 6}),
            documents: 3,
            digest: Digest::of(b"abc"),
        };
        RunRecord { key, pairs, seconds: 0.5, bytes: 24 }
    }

    #[test]
    fn runs_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        let pairs = [
            Pair { low: 0, high: 2, similarity: 87.5 },
            Pair { low: 1, high: 2, similarity: 100.0 },
        ];
        let ids = ["a", "b\t", "c"];
        assert_eq!(read_record(&folder, "tf").unwrap(), None);
        write_run(&Publisher::silent(), &folder, &record(2), &pairs, |n| ids[n as usize]).unwrap();
        let read = read_record(&folder, "tf").unwrap().unwrap();
        assert_eq!(read, record(2));
        let number = |id: &str| ids.iter().position(|other| *other == id).map(|at| at as u32);
        assert_eq!(read_run(&folder, &read, number).unwrap(), pairs);
        let error = read_run(&folder, &record(3), number).unwrap_err().to_string();
        assert!(error.contains("expected 3 pairs as in the header, found 2"), "{error}");
        let error = read_run(&folder, &read, |_| None).unwrap_err().to_string();
        assert!(
            error.ends_with("tf.tsv.zst:2: expected a document of the input, found 'a'"),
            "{error}"
        );
    }

    #[test]
    fn a_damaged_description_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tf.json"), "{").unwrap();
        let error = read_record(folder.path(), "tf").unwrap_err().to_string();
        assert!(error.contains("tf.json: expected the description of a run"), "{error}");
    }
}
