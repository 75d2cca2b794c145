//! The stores against sorted maps, through any sequence of changes.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::embedded::{EmbeddedStore, EmbeddedWriter};
use super::redis::{RedisStore, RedisUrl, RedisWriter};
use super::testing::MapStore;
use super::{CatalogueEntry, IndexParameters, NewDocument, NgramStore, NgramWriter};
use crate::ngrams::rules::NgramPreset;
use crate::session::Session;

/// A commit.
#[derive(Debug, Clone)]
enum Change {
    /// Adds documents, or replaces them: id, hashes of two lengths.
    Add(Vec<(u8, Vec<u64>, Option<Vec<u64>>)>),
    Remove(Vec<u8>),
    Compact,
    Clear,
}

/// Hashes that repeat often, and lie in few and in many blocks.
fn hashes() -> impl Strategy<Value = Vec<u64>> {
    let hash = prop_oneof![0u64..9, any::<u64>(), (0u64..300).prop_map(|n| n << 56)];
    prop::collection::vec(hash, 0..60)
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let document = (0u8..12, hashes(), prop::option::of(hashes()));
    let change = prop_oneof![
        6 => prop::collection::vec(document, 1..9).prop_map(Change::Add),
        3 => prop::collection::vec(0u8..14, 1..5).prop_map(Change::Remove),
        1 => Just(Change::Compact),
        1 => Just(Change::Clear),
    ];
    prop::collection::vec(change, 1..9)
}

fn document(id: u8, seven: &[u64], fifteen: Option<&Vec<u64>>) -> NewDocument {
    let sorted =
        |hashes: &[u64]| hashes.iter().copied().collect::<BTreeSet<u64>>().into_iter().collect();
    let mut hashes = vec![(7, sorted(seven))];
    hashes.extend(fifteen.map(|fifteen| (15, sorted(fifteen))));
    let entry = CatalogueEntry {
        id: format!("/texts/{id}.txt"),
        path: if id.is_multiple_of(2) { format!("/texts/{id}.txt") } else { "/all.jsonl".into() }
            .into(),
        line: u64::from(id % 2),
        words: seven.len() as u64,
        ..CatalogueEntry::default()
    };
    NewDocument { entry, hashes }
}

/// Applies a change to an embedded store and to the maps.
fn apply(folder: &Path, change: &Change, per_run: u64, expected: &mut MapStore) {
    let writer = EmbeddedWriter::open(folder, &Session::silent()).unwrap();
    apply_to(Box::new(writer.with_postings_per_run(per_run)), change, expected);
}

/// Applies a change to a writer's store and to the maps.
fn apply_to(mut writer: Box<dyn NgramWriter>, change: &Change, expected: &mut MapStore) {
    let find = |writer: &dyn NgramWriter, id: &str| {
        writer.store().and_then(|store| store.find(id).unwrap())
    };
    match change {
        Change::Add(documents) => {
            writer.set_parameters(IndexParameters::of(NgramPreset::Default)).unwrap();
            let mut seen = BTreeSet::new();
            for (id, seven, fifteen) in documents.iter().filter(|(id, ..)| seen.insert(*id)) {
                let document = document(*id, seven, fifteen.as_ref());
                if let Some(old) = find(&*writer, &document.entry.id) {
                    writer.remove(old).unwrap();
                }
                expected.add(document.clone());
                if let Some(work) = writer.add(vec![document]).unwrap() {
                    work().unwrap();
                }
            }
            writer.commit().unwrap();
        }
        Change::Remove(ids) => {
            for id in ids.iter().map(|id| format!("/texts/{id}.txt")) {
                if let Some(old) = find(&*writer, &id) {
                    writer.remove(old).unwrap();
                }
                expected.documents.remove(&id);
            }
            writer.commit().unwrap();
        }
        Change::Compact => writer.compact().unwrap(),
        Change::Clear => {
            writer.clear().unwrap();
            expected.documents.clear();
        }
    }
}

/// Compares everything that a store can tell.
fn assert_same(store: &dyn NgramStore, expected: &MapStore) {
    let mut entries = Vec::new();
    store
        .for_each_entry(&mut |key, entry| {
            assert_eq!(store.find(&entry.id).unwrap(), Some(key));
            assert_eq!(store.entry(key).unwrap(), entry);
            entries.push(entry);
            Ok(())
        })
        .unwrap();
    entries.sort_by(|left, right| left.id.cmp(&right.id));
    let all: Vec<CatalogueEntry> =
        expected.documents.values().map(|(entry, _)| entry.clone()).collect();
    assert_eq!(entries, all);
    assert_eq!(store.find("another").unwrap(), None);
    let mut asked: BTreeSet<u64> = (0..10).chain([u64::MAX, 1 << 63]).collect();
    let mut exported = MapStore::default();
    store
        .for_each_hash_list(&mut |entry, length, hashes| {
            asked.extend(hashes);
            let own = exported
                .documents
                .entry(entry.id.clone())
                .or_insert_with(|| (entry.clone(), Default::default()));
            own.1.insert(length, hashes.iter().copied().collect());
            Ok(())
        })
        .unwrap();
    assert_eq!(&exported, expected);
    let asked: Vec<u64> = asked.into_iter().collect();
    for length in [7, 15, 3] {
        let found = store.lookup(length, &asked).unwrap();
        assert!(found.is_sorted_by(|left, right| left < right));
        let found = found
            .into_iter()
            .map(|found| (store.entry(found.document).unwrap().id, found.position));
        assert_eq!(found.collect::<BTreeSet<_>>(), expected.lookup(length, &asked));
    }
    store.check().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_embedded_store_equals_sorted_maps(changes in changes(), per_run in prop_oneof![Just(1u64), Just(40), Just(1_000_000)]) {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let mut expected = MapStore::default();
        for change in &changes {
            apply(&index, change, per_run, &mut expected);
            if index.exists() {
                let store = EmbeddedStore::open(&index, &Session::silent()).unwrap();
                assert_same(&store, &expected);
            }
        }
    }
}

#[test]
#[ignore = "needs the address of a cluster in NEARSIG_REDIS: scripts/dev/redis_tests.sh"]
fn the_redis_store_equals_sorted_maps() {
    let address = std::env::var("NEARSIG_REDIS").expect("the address of a cluster");
    let config =
        ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() };
    let per_batch = prop_oneof![Just(1u64), Just(40), Just(1_000_000)];
    let (case, session) = (std::cell::Cell::new(0), Session::silent());
    let outcome = TestRunner::new(config).run(&(changes(), per_batch), |(changes, per_batch)| {
        case.set(case.get() + 1);
        let url: RedisUrl = format!("{address}/maps-{}", case.get()).parse().unwrap();
        let mut expected = MapStore::default();
        for change in &changes {
            let writer = RedisWriter::open(&url, &session).unwrap();
            apply_to(Box::new(writer.with_postings_per_batch(per_batch)), change, &mut expected);
            if let Ok(store) = RedisStore::open(&url, &session) {
                assert_same(&store, &expected);
            }
        }
        Box::new(RedisWriter::open(&url, &session).unwrap()).clear().unwrap();
        Ok(())
    });
    outcome.unwrap();
}

/// Small segments before a large one are not merged with those after it: results of equal rank come in the order of documents.
#[test]
fn documents_stay_in_the_order_of_their_addition() {
    let folder = tempfile::tempdir().unwrap();
    let mut added = Vec::new();
    for id in 0..12u8 {
        let count = if id == 1 { 600_000 } else { 10 };
        let hashes =
            (0..count).map(|number: u64| number.wrapping_mul(0x0123_4567_89ab_cdef)).collect();
        apply(
            folder.path(),
            &Change::Add(vec![(id, hashes, None)]),
            1_000_000,
            &mut MapStore::default(),
        );
        added.push(format!("/texts/{id}.txt"));
        let store = EmbeddedStore::open(folder.path(), &Session::silent()).unwrap();
        let mut ids = Vec::new();
        store
            .for_each_entry(&mut |_, entry| {
                ids.push(entry.id);
                Ok(())
            })
            .unwrap();
        assert_eq!(ids, added);
    }
}

/// Returns the files of an index.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_size_of_runs_does_not_change_the_bytes() {
    let documents: Vec<_> = (0..12u8)
        .map(|id| {
            (id, (0..50).map(|n| n * 0x0123_4567_89ab_cdef % (u64::from(id) + 9)).collect(), None)
        })
        .collect();
    let of_size = |per_run| {
        let folder = tempfile::tempdir().unwrap();
        apply(folder.path(), &Change::Add(documents.clone()), per_run, &mut MapStore::default());
        files(folder.path())
    };
    assert_eq!(of_size(1), of_size(1_000_000));
}

#[test]
fn every_damaged_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let documents = vec![(1, (0..40).collect(), None), (2, vec![5, 1 << 60], Some(vec![9]))];
    apply(folder.path(), &Change::Add(documents), 1_000, &mut MapStore::default());
    apply(folder.path(), &Change::Remove(vec![1]), 1_000, &mut MapStore::default());
    for (name, content) in
        files(folder.path()).into_iter().filter(|(name, _)| name.ends_with(".bin"))
    {
        let path = folder.path().join(&name);
        let is_refused = || {
            let store = EmbeddedStore::open(folder.path(), &Session::silent());
            let error = store.and_then(|store| store.check()).err();
            error.is_some_and(|error| error.to_string().contains(&name))
        };
        for at in 0..content.len() {
            let mut damaged = content.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&path, damaged).unwrap();
            assert!(is_refused(), "{name} byte {at}");
        }
        for length in [0, 1, 16, content.len() - 1] {
            std::fs::write(&path, &content[..length.min(content.len() - 1)]).unwrap();
            assert!(is_refused(), "{name} of {length} bytes");
        }
        std::fs::write(&path, &content).unwrap();
    }
}
