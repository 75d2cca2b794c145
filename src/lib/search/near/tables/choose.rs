//! The cheapest tables for a recall.

use super::super::costs;
use super::super::guarantee::Distances;
use super::chance::Passing;
use super::{MOST_KEY_BITS, MOST_PREFIX_WORDS, SamplingTables};
use crate::signature::BITS_PER_WORD;

/// What a collection makes tables do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search::near) struct Work {
    /// Signatures.
    pub(in crate::search::near) rows: f64,
    /// Pairs that are wanted to be looked at.
    pub(in crate::search::near) pairs: f64,
    /// The probability that a bit of two unrelated signatures differs.
    pub(in crate::search::near) unrelated: f64,
}

/// Tables with what they promise and cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search::near) struct Choice {
    pub(in crate::search::near) tables: SamplingTables,
    pub(in crate::search::near) recall: f64,
    pub(in crate::search::near) cycles: f64,
}

/// More tables than this are never the cheapest way.
const MOST_TABLES: usize = 2048;
/// The share of what may be missed that is given to the distance; what lies beyond is as good as free, because few unrelated pairs come so far.
const DISTANCE_SHARE: f64 = 0.25;
/// Beyond this share of what may be missed the prefix test is not worth its many tables.
const MOST_PREFIX_SHARE: f64 = 0.9;
/// Below this share a laxer prefix test gives nothing more.
const LEAST_PREFIX_SHARE: f64 = 0.02;
/// Fewer bits hardly sort at all.
const FEWEST_KEY_BITS: usize = 4;

/// The cheapest tables that find a pair at this distribution of distances with probability `recall`, counting all that they lose; `None` where there are none.
pub(in crate::search::near) fn cheapest(
    distances: &Distances,
    recall: f64,
    work: &Work,
) -> Option<Choice> {
    let words = 1..=MOST_PREFIX_WORDS.min(distances.bits() / BITS_PER_WORD);
    let choices = words.flat_map(|words| of_prefix(distances, recall, work, words));
    choices.min_by(|one, other| one.cycles.total_cmp(&other.cycles))
}

/// The cheapest tables for each limit of a prefix of so many words.
fn of_prefix(distances: &Distances, recall: f64, work: &Work, words: usize) -> Vec<Choice> {
    let miss = 1.0 - recall;
    let max_distance = distances.quantile(miss * DISTANCE_SHARE);
    let prefix_bits = words * BITS_PER_WORD;
    let near_enough = 1.0 - distances.beyond(max_distance);
    let mut passing = Passing::new(distances, max_distance, prefix_bits);
    let mut choices = Vec::new();
    for limit in 0..=prefix_bits {
        passing.admit(limit);
        let lost = near_enough - passing.total();
        if lost < miss * LEAST_PREFIX_SHARE {
            break;
        }
        if lost < miss * MOST_PREFIX_SHARE {
            let tables = SamplingTables {
                max_distance,
                prefix_words: words,
                prefix_limit: limit as u32,
                key_bits: 0,
                tables: 0,
            };
            choices.extend(of_limit(&passing, recall, work, tables));
        }
    }
    choices
}

/// The cheapest number of bits and tables for a limit.
fn of_limit(passing: &Passing, recall: f64, work: &Work, tables: SamplingTables) -> Option<Choice> {
    let longest = MOST_KEY_BITS.min(passing.free_bits());
    let choices = (FEWEST_KEY_BITS..=longest).filter_map(|key_bits| {
        let chances = passing.tables(key_bits);
        let count = chances.fewest(recall, MOST_TABLES)?;
        let tables = SamplingTables { key_bits, tables: count, ..tables };
        Some(Choice { tables, recall: chances.recall(count), cycles: cycles(&tables, work) })
    });
    choices.min_by(|one, other| one.cycles.total_cmp(&other.cycles))
}

/// What tables cost.
pub(in crate::search::near) fn cycles(tables: &SamplingTables, work: &Work) -> f64 {
    let agreeing = libm::pow(1.0 - work.unrelated, tables.key_bits as f64);
    let prefix = Distances::new(tables.prefix_bits(), work.unrelated, 1.0);
    let unsettled = 1.0 - prefix.beyond(tables.prefix_limit);
    let met = work.pairs * agreeing;
    tables.tables as f64 * costs::table_cycles(work.rows, met, unsettled, tables.prefix_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_fits_and_keeps_its_promise() {
        for cosine in [0.5, 0.7, 0.8, 0.9, 0.95] {
            for rows in [1e3, 1e5, 1e6] {
                let distances = Distances::at(1024, cosine);
                let work = Work { rows, pairs: rows * rows / 2.0, unrelated: 0.45 };
                let Choice { tables, recall, .. } = cheapest(&distances, 0.999, &work).unwrap();
                assert!(tables.fit(1024) && recall >= 0.999);
                let mut passing =
                    Passing::new(&distances, tables.max_distance, tables.prefix_bits());
                (0..=tables.prefix_limit as usize).for_each(|inside| passing.admit(inside));
                assert_eq!(passing.tables(tables.key_bits).recall(tables.tables), recall);
            }
        }
    }

    #[test]
    fn nothing_is_chosen_where_nothing_may_be_missed_or_signatures_are_short() {
        let work = Work { rows: 1e5, pairs: 5e9, unrelated: 0.5 };
        assert_eq!(cheapest(&Distances::at(1024, 0.8), 1.0, &work), None);
        assert_eq!(cheapest(&Distances::at(60, 0.8), 0.999, &work), None);
    }

    #[test]
    fn more_documents_are_sorted_by_more_bits() {
        let distances = Distances::at(1024, 0.8);
        let key_bits = |rows: f64| {
            let work = Work { rows, pairs: rows * rows / 2.0, unrelated: 0.5 };
            cheapest(&distances, 0.999, &work).unwrap().tables.key_bits
        };
        assert!(key_bits(1e4) < key_bits(1e6));
    }
}
