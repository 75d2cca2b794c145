//! Random kills, and writers and readers of one index at the same time.
//!
//! The tests are short. `scripts/dev/soak.sh` makes them long by variables of the environment and collects their counts:
//!
//! - `NEARSIG_SOAK_KILLS`: the number of random kills
//! - `NEARSIG_SOAK_ROUNDS`: the number of updates per writer of the shared index
//! - `NEARSIG_SOAK_SEED`: the seed of the random kills
//! - `NEARSIG_SOAK_DOCUMENTS`: the number of documents of all other collections
//! - `NEARSIG_SOAK_CSV`: a table that gets one line per check; if set, every call also fails by a full disk

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::scenario::Scenario;
use super::scenarios;
use crate::common::{Work, setting};

/// Returns whether the long tests are running.
pub fn is_soak() -> bool {
    std::env::var_os("NEARSIG_SOAK_CSV").is_some()
}

/// Appends the counts of a check to the table of the long tests, if there is one.
pub fn report(check: &str, line: &str, runs: usize, violations: usize) {
    let Some(table) = std::env::var_os("NEARSIG_SOAK_CSV") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(table).unwrap();
    // One call, so that tests that run at the same time do not mix their lines.
    file.write_all(format!("{check},\"{line}\",{runs},{violations}\n").as_bytes()).unwrap();
}

/// A small random generator (SplitMix64).
pub struct Dice(u64);

impl Dice {
    /// Returns the generator with a seed.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// Returns a number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

#[test]
fn runs_killed_at_random_complete_when_repeated() {
    let kills = setting("NEARSIG_SOAK_KILLS", 60);
    let mut dice = Dice(setting("NEARSIG_SOAK_SEED", 1) as u64);
    let groups = [
        scenarios::stages,
        scenarios::repeated_stages,
        scenarios::compressed_stages,
        scenarios::tools,
        scenarios::searches,
        scenarios::index_updates,
        scenarios::ngram_updates,
        scenarios::experiments,
    ];
    let scenarios: Vec<Scenario> = groups.iter().flat_map(|group| group()).collect();
    let mut kill = |_| {
        let scenario = &scenarios[dice.below(scenarios.len() as u64) as usize];
        scenario.random_kill(&mut dice).err()
    };
    let violations: Vec<String> = (0..kills).filter_map(&mut kill).collect();
    report("random kills", "all", kills, violations.len());
    assert!(violations.is_empty(), "{} violations\n{}", violations.len(), violations.join("\n"));
}

/// The number of processes that update the index at the same time.
const WRITERS: usize = 2;
/// The number of processes that search it.
const READERS: usize = 5;
/// The number of documents per update; all have the same text.
const COPIES: usize = 3;

/// Returns the text that all documents of an update have, and no other document.
fn text_of(writer: usize, round: usize) -> String {
    let word = |place: usize| format!("w{writer}r{round}p{place}");
    (0..8).map(word).collect::<Vec<_>>().join(" ")
}

fn record(id: &str, text: &str) -> String {
    format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n")
}

/// The shared index and the counts of its users.
struct SharedIndex {
    work: Work,
    rounds: usize,
    /// Readers stop when the writers have ended.
    is_over: AtomicBool,
    searches: AtomicUsize,
}

impl SharedIndex {
    /// Makes an index of one document, the updates of all writers, and the queries: the texts of all updates.
    fn new(rounds: usize) -> Self {
        let work = Work::new();
        work.write("first.jsonl", record("first", "a document of its own"));
        work.ok("find_near_dups first.jsonl --save_index ix");
        let mut queries = String::new();
        for (writer, round) in (0..WRITERS).flat_map(|w| (0..rounds).map(move |r| (w, r))) {
            let text = text_of(writer, round);
            let copy = |copy| record(&format!("{writer}-{round}-{copy}"), &text);
            let update: String = (0..COPIES).map(copy).collect();
            work.write(format!("new-{writer}-{round}.jsonl"), update);
            queries += &record(&format!("q-{writer}-{round}"), &text);
        }
        work.write("q.jsonl", queries);
        let (is_over, searches) = Default::default();
        SharedIndex { work, rounds, is_over, searches }
    }

    /// Adds the updates of a writer, one after the other. Each waits until no other run writes the index.
    fn update(&self, writer: usize) {
        for round in 0..self.rounds {
            self.work.ok(&format!(
                "find_near_dups new-{writer}-{round}.jsonl --index ix --save_index ix --out w{writer}.tsv --threads 1"
            ));
        }
    }

    /// Searches the index until the writers have ended.
    fn search(&self, reader: usize) {
        let line = format!("find_near_dups q.jsonl --index ix --out r{reader}.tsv --threads 1");
        let mut seen = [0; WRITERS];
        while !self.is_over.load(Ordering::Relaxed) {
            self.work.ok(&line);
            let found = self.rounds_found(&self.work.read(format!("r{reader}.tsv")));
            assert!(
                found.iter().zip(&seen).all(|(now, before)| now >= before),
                "{seen:?} {found:?}"
            );
            seen = found;
            self.searches.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of updates of each writer that a search has found: the first ones, each with all its copies.
    fn rounds_found(&self, pairs: &str) -> [usize; WRITERS] {
        let mut copies: BTreeMap<String, usize> = BTreeMap::new();
        for line in pairs.lines().skip(1) {
            let ids = line.split('\t').filter_map(|column| column.strip_prefix("q-"));
            ids.for_each(|id| *copies.entry(id.to_string()).or_default() += 1);
        }
        std::array::from_fn(|writer| {
            let count = |round: usize| copies.get(&format!("{writer}-{round}")).copied();
            let found: Vec<usize> = (0..self.rounds).map_while(count).collect();
            assert!(found.iter().all(|copies| *copies == COPIES), "{writer}: {found:?}\n{pairs}");
            assert!((found.len()..self.rounds).all(|round| count(round).is_none()), "{pairs}");
            found.len()
        })
    }

    /// Returns how often the index has each document.
    fn documents(&self) -> BTreeMap<String, usize> {
        let head: serde_json::Value =
            serde_json::from_str(&self.work.read("ix/index.json")).unwrap();
        let names =
            head["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap());
        let documents = names.clone().find(|name| name.starts_with("documents")).unwrap();
        let mut counts = BTreeMap::new();
        for line in self.work.read(format!("ix/{documents}")).lines() {
            *counts.entry(line.split('\t').next().unwrap().to_string()).or_default() += 1;
        }
        counts
    }
}

#[test]
fn writers_and_readers_of_one_index_do_not_disturb_each_other() {
    let index = SharedIndex::new(setting("NEARSIG_SOAK_ROUNDS", 4));
    std::thread::scope(|scope| {
        let index = &index;
        let readers: Vec<_> =
            (0..READERS).map(|reader| scope.spawn(move || index.search(reader))).collect();
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || index.update(writer))).collect();
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        index.is_over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok), "a writer failed");
        assert!(readers.into_iter().all(|reader| reader.join().is_ok()), "a reader failed");
    });
    let documents = index.documents();
    let twice = documents.iter().find(|(_, count)| **count > 1);
    let expected = 1 + WRITERS * index.rounds * COPIES;
    let searches = index.searches.load(Ordering::Relaxed);
    report("index updates", "two writers", WRITERS * index.rounds, 0);
    report("index searches", "five readers", searches, 0);
    assert_eq!((documents.len(), twice), (expected, None));
}
