//! The n-gram index under random kills, and with several writers and readers.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::shim::run_for;
use super::soak::{Dice, report};
use crate::common::{Work, setting};

/// Returns the ids of an index, after a check of all its files.
fn checked_ids(work: &Work) -> BTreeSet<String> {
    work.ok("ngram_index check --index ix -q");
    let list = work.ok("ngram_index list --index ix -q").stdout;
    list.lines().skip(1).map(|line| line.split('\t').next().unwrap().to_string()).collect()
}

/// Returns ten documents.
fn records(group: u64) -> (BTreeSet<String>, String) {
    let ids: BTreeSet<String> = (0..10).map(|number| format!("g{group}-{number}")).collect();
    let text = |id: &str| {
        (0..60).map(|word| format!("{id}w{word} common{word}")).collect::<Vec<_>>().join(" ")
    };
    let lines =
        ids.iter().map(|id| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", text(id))).collect();
    (ids, lines)
}

/// Every change is there as a whole or not at all, whenever the run is killed, and what was acknowledged stays.
#[test]
fn a_killed_change_counts_as_a_whole_or_not_at_all() {
    let kills = setting("NEARSIG_SOAK_KILLS", 40) as u64;
    let mut dice = Dice::new(setting("NEARSIG_SOAK_SEED", 1) as u64);
    let work = Work::new();
    let (ids, lines) = records(0);
    work.write("0.jsonl", lines);
    work.ok("ngram_index add 0.jsonl --index ix -n 2,3 -q");
    let mut expected = ids;
    let (mut cut, mut complete) = (0, 0);
    for round in 1..=kills {
        let mut after = expected.clone();
        let line = match dice.below(4) {
            0 | 1 => {
                let (ids, lines) = records(round);
                work.write(format!("{round}.jsonl"), lines);
                after.extend(ids);
                format!("ngram_index add {round}.jsonl --index ix -n 2,3 --buffer 500 -q")
            }
            2 => {
                let wanted = |_: &&String| dice.below(3) == 0;
                let removed: Vec<String> = expected.iter().filter(wanted).cloned().collect();
                after.retain(|id| !removed.contains(id));
                let removed = if removed.is_empty() { "none".into() } else { removed.join(" ") };
                format!("ngram_index remove {removed} --index ix -q")
            }
            _ => "ngram_index compact --index ix -q".to_string(),
        };
        run_for(&work, &line, Duration::from_micros(dice.below(20_000)));
        let found = checked_ids(&work);
        assert!(found == expected || found == after, "{line}: {found:?}");
        *if found == after { &mut complete } else { &mut cut } += 1;
        expected = found;
    }
    let line = format!("add, remove, compact: {cut} had no effect, {complete} were complete");
    report("kills of ngram_index", &line, kills as usize, 0);
    assert_eq!(cut + complete, kills);
}

/// Writers wait for each other; readers see whole states, one after the other.
#[test]
fn writers_and_readers_of_one_ngram_index_do_not_disturb_each_other() {
    let rounds = setting("NEARSIG_SOAK_ROUNDS", 4) as u64;
    let work = Work::new();
    for group in 0..=2 * rounds {
        work.write(format!("{group}.jsonl"), records(group).1);
    }
    work.ok("ngram_index add 0.jsonl --index ix -n 2 -q");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (work, is_over) = (&work, &is_over);
        let write = move |writer: u64| {
            for group in 0..rounds {
                let group = 1 + 2 * group + writer;
                work.ok(&format!("ngram_index add {group}.jsonl --index ix -n 2 -q"));
                work.ok(&format!("ngram_index remove g{group}-0 --index ix -q"));
            }
            work.ok("ngram_index compact --index ix -q");
        };
        let read = move || {
            let mut seen = 0;
            while !is_over.load(Ordering::Relaxed) {
                let found = checked_ids(work).iter().filter(|id| !id.ends_with("-0")).count();
                assert!(found >= seen && found % 9 == 0, "{found} after {seen}");
                seen = found;
                work.ok("ngram_search 0.jsonl --index ix --format jsonl -q");
            }
        };
        let readers = [scope.spawn(read), scope.spawn(read)];
        let writers = [0, 1].map(|writer| scope.spawn(move || write(writer)));
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok), "a writer failed");
        assert!(readers.into_iter().all(|reader| reader.join().is_ok()), "a reader failed");
    });
    let mut expected: BTreeSet<String> =
        (0..=2 * rounds).flat_map(|group| records(group).0).collect();
    expected.retain(|id| !id.ends_with("-0") || id == "g0-0");
    assert_eq!(checked_ids(&work), expected);
}
