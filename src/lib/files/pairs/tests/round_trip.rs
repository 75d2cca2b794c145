//! Pairs read back as written, in every form and compression.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::super::by_document::PairsByDocument;
use super::super::form::TableForm;
use super::super::read::FileStart;
use super::super::*;
use super::{IDS, pairs};
use crate::files::name::name_of_id;
use crate::files::output::Publisher;
use crate::search::Pair;

/// Returns names of one file per form and compression.
fn names() -> impl Iterator<Item = String> {
    let forms = ["pairs", "p.tsv", "p.csv", "p.jsonl"].into_iter();
    forms.flat_map(|form| ["", ".gz", ".zst"].map(|ending| format!("{form}{ending}")))
}

#[test]
fn truncated_compressed_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in names().filter(|name| name.ends_with("gz") || name.ends_with("zst")) {
        let path = folder.path().join(&name);
        write_form(&path, &pairs(), &IDS.map(String::from));
        let whole = std::fs::read(&path).unwrap();
        for length in [whole.len() - 1, whole.len() - 9, 20] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let outcome =
                PairFile::open(&path).and_then(|file| file.for_each_pair(None, |_| Ok(())));
            let error = outcome.unwrap_err().to_string();
            assert!(error.contains("(damaged or truncated file?)"), "{name}, {length}: {error}");
        }
    }
}

/// Writes pairs in the form and compression of a name: result lines if it has no extension of a table.
fn write_form(path: &Path, pairs: &[Pair], ids: &[String]) {
    let publisher = Publisher::silent();
    let is_table = path.to_string_lossy().contains("p.");
    if is_table {
        let pairs = pairs.iter().copied();
        let file = TableFile::create(&publisher, path).unwrap();
        let part = write_pairs(file, pairs, OriginColumns(0), |id| &ids[id as usize]).unwrap();
        return publisher.publish(vec![vec![part]]).unwrap();
    }
    let names: Vec<String> = ids.iter().map(|id| name_of_id(id)).collect();
    let mut results = ResultWriter::create(&publisher, path).unwrap();
    for (document, name) in (0..).zip(&names) {
        let matches: Vec<(u32, f64)> = pairs
            .iter()
            .filter_map(|pair| match *pair {
                Pair { low, high, similarity } if low == document => Some((high, similarity)),
                Pair { low, high, similarity } if high == document => Some((low, similarity)),
                _ => None,
            })
            .collect();
        let write = |line: &mut String, found: &(u32, f64)| {
            line.push_str(&names[found.0 as usize]);
            append_similarity(line, found.1);
        };
        results.line(name, &matches, write).unwrap();
    }
    results.finish().unwrap();
}

proptest! {
    #[test]
    fn similarities_are_spelled_as_by_the_standard_library(millionths in -200_000_000i64..200_000_000, bits: u64) {
        for number in [millionths as f64 / 1e6, f64::from_bits(bits), -0.0] {
            let mut text = String::new();
            append_similarity(&mut text, number);
            prop_assert_eq!(text, format!(":{number}"));
        }
    }
}

/// Different ids with every awkward character, and similarities of some of their pairs in millionths of a percent.
fn any_pairs() -> impl Strategy<Value = (Vec<String>, Vec<Pair>)> {
    let id = "(\\PC|[\\t\\n\\r\\\\\",:;() %{}]|%FF|[0-9]|\u{feff}|\u{85}){1,8}";
    let ids = prop::collection::btree_set(id, 2..7);
    let similarities = prop::collection::vec(prop::option::of(0u32..=100_000_000), 21);
    (ids, similarities).prop_map(|(ids, similarities)| {
        let ids: Vec<String> = ids.into_iter().collect();
        let all = (0..ids.len() as u32)
            .flat_map(|low| (low + 1..ids.len() as u32).map(move |high| (low, high)));
        let pairs = all.zip(similarities).filter_map(|((low, high), parts)| {
            Some(Pair { low, high, similarity: f64::from(parts?) / 1e6 })
        });
        (ids.clone(), pairs.collect())
    })
}

/// Similarities by unordered pair of ids.
type PairMap = BTreeMap<[String; 2], f64>;

fn sorted(mut ids: [String; 2]) -> [String; 2] {
    ids.sort();
    ids
}

fn read_map(path: &Path) -> PairMap {
    let mut found = PairMap::new();
    let file = PairFile::open(path).unwrap();
    let visit = |pair: &ListedPair| {
        found.insert(sorted(pair.ids.map(str::to_string)), pair.similarity);
        Ok(())
    };
    file.for_each_pair(None, visit).unwrap();
    found
}

/// Every document with its matches, by rows in order and by lookup.
fn read_rows(path: &Path, beside: &Path) -> Vec<(String, Vec<(String, f64)>)> {
    let owned = |row: &ResultRow| {
        let head = row.first().to_string();
        let matches = row.matches_of(&head).map(|(name, value)| (name.to_string(), value));
        (head.clone(), matches.collect())
    };
    let mut rows = PairFile::open(path).unwrap().rows(None, beside).unwrap();
    let mut all: Vec<(String, Vec<(String, f64)>)> = Vec::new();
    while let Some(row) = rows.next_row().unwrap() {
        all.push(owned(&row));
    }
    let (mut index, mut lookup) = PairFile::open(path).unwrap().lookup(None, beside).unwrap();
    for row in all.iter().rev() {
        let line = index.query(&row.0).unwrap().unwrap();
        assert_eq!(&owned(&lookup.row_of(line, &row.0).unwrap()), row);
    }
    assert!(index.remaining_lines().is_empty());
    all
}

proptest! {
    #[test]
    fn pairs_round_trip_in_every_form_and_compression((ids, pairs) in any_pairs()) {
        // A byte order mark at the start of a result is not part of a name; '{}' is an object.
        prop_assume!(!ids[0].starts_with('\u{feff}') && ids[0] != "{}");
        let expected: PairMap = pairs
            .iter()
            .map(|pair| (sorted([pair.low, pair.high].map(|id| ids[id as usize].clone())), pair.similarity))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let mut rows = Vec::new();
        for name in names() {
            let path = folder.path().join(&name);
            write_form(&path, &pairs, &ids);
            prop_assert_eq!(&read_map(&path), &expected, "{}", name);
            let mut of_form = read_rows(&path, &folder.path().join("out"));
            of_form.retain(|(_, matches)| !matches.is_empty());
            of_form.sort_by(|a, b| a.0.cmp(&b.0));
            rows.push(of_form);
        }
        prop_assert!(rows.windows(2).all(|two| two[0] == two[1]), "{:?}", rows);
    }

    #[test]
    fn runs_of_any_length_merge_to_the_same_rows((ids, pairs) in any_pairs(), entries_per_run in 1usize..9) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.tsv");
        write_form(&path, &pairs, &ids);
        let rows = |entries_per_run| {
            let start = FileStart::open(&path).unwrap();
            let mut sorted = PairsByDocument::read(start, TableForm::Tsv, &path, entries_per_run).unwrap();
            let mut rows = Vec::new();
            while let Some(row) = sorted.next_row().unwrap() {
                rows.push(format!("{row:?}"));
            }
            rows
        };
        prop_assert_eq!(rows(entries_per_run), rows(1 << 20));
    }
}
