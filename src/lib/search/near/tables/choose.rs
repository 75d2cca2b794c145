//! Choice of the cheapest tables for a recall.

use super::super::costs;
use super::super::guarantee::DistanceDistribution;
use super::chance::PassDistribution;
use super::{MAX_KEY_BITS, MAX_PREFIX_WORDS, SamplingTables};
use crate::signature::BITS_PER_WORD;

/// Work of tables on a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search::near) struct Workload {
    /// Number of signatures.
    pub(in crate::search::near) rows: f64,
    /// Number of pairs to search.
    pub(in crate::search::near) pairs: f64,
    /// Probability that a bit of two unrelated signatures differs.
    pub(in crate::search::near) unrelated: f64,
}

/// Tables with their recall and cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search::near) struct TableChoice {
    pub(in crate::search::near) tables: SamplingTables,
    pub(in crate::search::near) recall: f64,
    pub(in crate::search::near) cycles: f64,
}

/// More tables than this are never the cheapest method.
const MAX_TABLES: usize = 2048;
/// Share of the allowed misses spent on the maximum distance; a larger distance costs next to nothing, because few unrelated pairs are so near.
const DISTANCE_SHARE: f64 = 0.25;
/// Above this share of the allowed misses, the prefix test is not worth its many tables.
const MAX_PREFIX_SHARE: f64 = 0.9;
/// Below this share, a laxer prefix test gains nothing.
const MIN_PREFIX_SHARE: f64 = 0.02;
/// Fewer bits hardly separate signatures.
const MIN_KEY_BITS: usize = 4;

/// Returns the cheapest tables that find a pair with this distribution of distances with probability `recall`, all losses included; `None` if
/// there are none.
pub(in crate::search::near) fn cheapest(
    distances: &DistanceDistribution,
    recall: f64,
    work: &Workload,
) -> Option<TableChoice> {
    let words = 1..=MAX_PREFIX_WORDS.min(distances.bits() / BITS_PER_WORD);
    let choices = words.flat_map(|words| for_prefix(distances, recall, work, words));
    choices.min_by(|one, other| one.cycles.total_cmp(&other.cycles))
}

/// Returns the cheapest tables for each limit of a prefix of `words` words.
fn for_prefix(
    distances: &DistanceDistribution,
    recall: f64,
    work: &Workload,
    words: usize,
) -> Vec<TableChoice> {
    let miss = 1.0 - recall;
    let max_distance = distances.quantile(miss * DISTANCE_SHARE);
    let prefix_bits = words * BITS_PER_WORD;
    let near_enough = 1.0 - distances.beyond(max_distance);
    let mut passing = PassDistribution::new(distances, max_distance, prefix_bits);
    let mut choices = Vec::new();
    for limit in 0..=prefix_bits {
        passing.admit(limit);
        let lost = near_enough - passing.total();
        if lost < miss * MIN_PREFIX_SHARE {
            break;
        }
        if lost < miss * MAX_PREFIX_SHARE {
            let tables = SamplingTables {
                max_distance,
                prefix_words: words,
                prefix_limit: limit as u32,
                key_bits: 0,
                tables: 0,
            };
            choices.extend(for_limit(&passing, recall, work, tables));
        }
    }
    choices
}

/// Returns the cheapest key length and number of tables for a limit.
fn for_limit(
    passing: &PassDistribution,
    recall: f64,
    work: &Workload,
    tables: SamplingTables,
) -> Option<TableChoice> {
    let longest = MAX_KEY_BITS.min(passing.free_bits());
    let choices = (MIN_KEY_BITS..=longest).filter_map(|key_bits| {
        let chances = passing.tables(key_bits);
        let count = chances.min_tables(recall, MAX_TABLES)?;
        let tables = SamplingTables { key_bits, tables: count, ..tables };
        Some(TableChoice { tables, recall: chances.recall(count), cycles: cycles(&tables, work) })
    });
    choices.min_by(|one, other| one.cycles.total_cmp(&other.cycles))
}

/// Estimates the cycles of tables.
pub(in crate::search::near) fn cycles(tables: &SamplingTables, work: &Workload) -> f64 {
    let agreeing = libm::pow(1.0 - work.unrelated, tables.key_bits as f64);
    let prefix = DistanceDistribution::new(tables.prefix_bits(), work.unrelated, 1.0);
    let remaining = 1.0 - prefix.beyond(tables.prefix_limit);
    let colliding = work.pairs * agreeing;
    tables.tables as f64 * costs::table_cycles(work.rows, colliding, remaining, tables.prefix_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_tables_fit_and_reach_the_recall() {
        for cosine in [0.5, 0.7, 0.8, 0.9, 0.95] {
            for rows in [1e3, 1e5, 1e6] {
                let distances = DistanceDistribution::at(1024, cosine);
                let work = Workload { rows, pairs: rows * rows / 2.0, unrelated: 0.45 };
                let TableChoice { tables, recall, .. } =
                    cheapest(&distances, 0.999, &work).unwrap();
                assert!(tables.fit(1024) && recall >= 0.999);
                let mut passing =
                    PassDistribution::new(&distances, tables.max_distance, tables.prefix_bits());
                (0..=tables.prefix_limit as usize).for_each(|inside| passing.admit(inside));
                assert_eq!(passing.tables(tables.key_bits).recall(tables.tables), recall);
            }
        }
    }

    #[test]
    fn nothing_is_chosen_for_recall_1_or_short_signatures() {
        let work = Workload { rows: 1e5, pairs: 5e9, unrelated: 0.5 };
        assert_eq!(cheapest(&DistanceDistribution::at(1024, 0.8), 1.0, &work), None);
        assert_eq!(cheapest(&DistanceDistribution::at(60, 0.8), 0.999, &work), None);
    }

    #[test]
    fn more_documents_get_longer_keys() {
        let distances = DistanceDistribution::at(1024, 0.8);
        let key_bits = |rows: f64| {
            let work = Workload { rows, pairs: rows * rows / 2.0, unrelated: 0.5 };
            cheapest(&distances, 0.999, &work).unwrap().tables.key_bits
        };
        assert!(key_bits(1e4) < key_bits(1e6));
    }
}
