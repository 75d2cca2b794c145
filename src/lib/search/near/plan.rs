//! Search strategies with their recall and cost estimates, before a run.

use super::costs;
use super::guarantee::{DistanceDistribution, disagreement};
use super::tables::{self, SamplingTables, TableChoice, Workload};

/// Strategy of a search for similar documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchStrategy {
    /// Exact join of the vectors.
    Exact,
    /// Comparison of all signatures.
    Scan {
        /// Maximum distance of a candidate.
        max_distance: u32,
    },
    /// Chunk join: comparison of signatures that agree in one of `max_distance + 1` chunks.
    Join {
        /// Maximum distance of a candidate.
        max_distance: u32,
    },
    /// Bit-sampling tables: comparison of signatures that agree in the bits of a table.
    Tables(SamplingTables),
}

impl SearchStrategy {
    /// Returns whether it uses signatures.
    pub fn needs_signatures(&self) -> bool {
        *self != SearchStrategy::Exact
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self {
            SearchStrategy::Exact => "exact",
            SearchStrategy::Scan { .. } => "scan",
            SearchStrategy::Join { .. } => "join",
            SearchStrategy::Tables(_) => "tables",
        }
    }
}

/// Strategy with its recall and cost estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchPlan {
    /// Strategy of the search.
    pub strategy: SearchStrategy,
    /// Probability of finding a pair at the threshold; that of any other pair is higher. Documents with less accurate signatures are compared exactly.
    pub recall: f64,
    /// Estimated seconds from vectors to verified pairs, signing included.
    pub seconds: f64,
    /// Estimated bytes of memory, including the vectors, excluding the pairs found.
    pub bytes: u64,
}

/// Size of a collection, for cost estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollectionShape {
    /// Number of documents, old and new.
    pub documents: u64,
    /// Number of new documents, the last ones, whose pairs are wanted.
    pub new_documents: u64,
    /// Number of documents that have signatures already.
    pub signed_documents: u64,
    /// Mean number of distinct terms per document.
    pub terms_per_document: f64,
    /// Mean cosine of unrelated documents ([`background`](super::background())); [`BACKGROUND`] if unknown.
    pub background: f64,
    /// Number of threads.
    pub threads: usize,
}

/// Typical cosine of unrelated documents of one language: 0.10 for Reuters, 0.11 for Debian descriptions, 0.25 for Bible chapters.
pub const BACKGROUND: f64 = 0.12;

/// Workload that tables are chosen for, whatever the collection: whether a pair is found then depends on its two documents alone, and adding
/// documents step by step finds the same pairs as searching at once. Smaller collections are fast anyway.
const NOMINAL: Workload = Workload { rows: 3e5, pairs: 4.5e10, unrelated: 0.4 };

/// The exact join counts components in 32 bits.
const MAX_COMPONENTS: f64 = (1u64 << 32) as f64;

impl CollectionShape {
    fn pairs(&self) -> f64 {
        let pairs = |count: u64| count as f64 * (count as f64 - 1.0).max(0.0) / 2.0;
        pairs(self.documents) - pairs(self.documents.saturating_sub(self.new_documents))
    }

    fn components(&self) -> f64 {
        self.documents as f64 * self.terms_per_document
    }

    fn seconds(&self, cycles: f64) -> f64 {
        let prepare = costs::prepare_cycles(self.documents as f64, self.terms_per_document);
        (prepare + cycles) / costs::CYCLES_PER_SECOND / self.threads.max(1) as f64
    }

    /// Returns the cycles of signing the remaining documents and of searching.
    fn signed(&self, cycles: f64) -> f64 {
        let unsigned = self.documents.saturating_sub(self.signed_documents) as f64;
        costs::sign_cycles(unsigned, self.terms_per_document) + cycles
    }

    /// Returns the bytes of the vectors, plus `more` bytes per document.
    fn bytes(&self, more: f64) -> u64 {
        (self.components() * costs::COMPONENT_BYTES
            + self.documents as f64 * (costs::DOCUMENT_BYTES + more)) as u64
    }
}

/// Returns all strategies that reach a recall for pairs with at least this cosine, from 0 to 1, with signatures of `bits` bits, the cheapest first.
/// There is always one.
pub fn plans(shape: &CollectionShape, cosine: f64, recall: f64, bits: usize) -> Vec<SearchPlan> {
    let distances = DistanceDistribution::at(bits, cosine);
    let mut plans = vec![exact(shape, cosine)];
    plans.extend(by_all_signatures(shape, &distances, recall));
    plans.extend(by_tables(shape, &distances, recall));
    plans.retain(|plan| plan.strategy == SearchStrategy::Exact || plan.seconds.is_finite());
    plans.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    plans
}

/// Returns the plan of the exact strategy, which has recall 1.
pub fn exact(shape: &CollectionShape, cosine: f64) -> SearchPlan {
    let terms = shape.terms_per_document;
    let documents = shape.documents as f64;
    let cycles = costs::exact_cycles(documents, terms, shape.pairs(), cosine, shape.background);
    let is_countable = shape.components() < MAX_COMPONENTS;
    let seconds = if is_countable { shape.seconds(cycles) } else { f64::INFINITY };
    let indexed = (1.0 - cosine * cosine).clamp(0.0, 1.0) * terms;
    SearchPlan {
        strategy: SearchStrategy::Exact,
        recall: 1.0,
        seconds,
        bytes: shape.bytes(costs::exact_bytes(indexed)),
    }
}

/// Returns the minimum of the estimated seconds of every other strategy.
pub fn signing_seconds(shape: &CollectionShape) -> f64 {
    shape.seconds(shape.signed(0.0))
}

fn by_all_signatures(
    shape: &CollectionShape,
    distances: &DistanceDistribution,
    recall: f64,
) -> [SearchPlan; 2] {
    let (bits, unrelated) = (distances.bits(), disagreement(shape.background));
    let max_distance = distances.quantile(1.0 - recall);
    let (rows, pairs) = (shape.documents as f64, shape.pairs());
    let scan = costs::scan_cycles(bits, max_distance, unrelated) * pairs;
    let join = costs::join_cycles(bits, max_distance, unrelated, rows, pairs);
    let plan = |strategy: SearchStrategy, cycles: f64, bytes: f64| SearchPlan {
        strategy,
        recall: 1.0 - distances.beyond(max_distance),
        seconds: shape.seconds(shape.signed(cycles)),
        bytes: shape.bytes(bytes),
    };
    [
        plan(SearchStrategy::Scan { max_distance }, scan, costs::scan_bytes(bits)),
        plan(SearchStrategy::Join { max_distance }, join, costs::join_bytes(bits, shape.threads)),
    ]
}

fn by_tables(
    shape: &CollectionShape,
    distances: &DistanceDistribution,
    recall: f64,
) -> Option<SearchPlan> {
    let (rows, pairs) = (shape.documents as f64, shape.pairs());
    let work = Workload { rows, pairs, unrelated: disagreement(shape.background) };
    let TableChoice { tables, recall, .. } = tables::cheapest(distances, recall, &NOMINAL)?;
    let cycles = tables::cycles(&tables, &work);
    let bytes = costs::tables_bytes(distances.bits(), tables.prefix_words, shape.threads);
    let seconds = shape.seconds(shape.signed(cycles));
    Some(SearchPlan {
        strategy: SearchStrategy::Tables(tables),
        recall,
        seconds,
        bytes: shape.bytes(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(documents: u64) -> CollectionShape {
        CollectionShape {
            documents,
            new_documents: documents,
            signed_documents: 0,
            terms_per_document: 184.0,
            background: BACKGROUND,
            threads: 2,
        }
    }

    #[test]
    fn every_strategy_reaches_the_recall_and_the_cheapest_is_first() {
        for documents in [0, 1, 1000, 100_000, 10_000_000] {
            for cosine in [0.3, 0.5, 0.7, 0.8, 0.95, 1.0] {
                for recall in [0.9, 0.999, 1.0] {
                    let plans = plans(&shape(documents), cosine, recall, 1024);
                    assert!(plans.iter().any(|plan| plan.strategy == SearchStrategy::Exact));
                    assert!(plans.iter().all(|plan| plan.recall >= recall - 1e-12));
                    assert!(plans.is_sorted_by_key(|plan| plan.seconds));
                    let min = signing_seconds(&shape(documents));
                    let is_exact = |plan: &SearchPlan| *plan == exact(&shape(documents), cosine);
                    assert!(plans.iter().all(|plan| is_exact(plan) || plan.seconds >= min));
                }
            }
        }
    }

    #[test]
    fn recall_1_compares_everything() {
        let plans = plans(&shape(1000), 0.8, 1.0, 1024);
        assert!(
            plans.iter().any(|plan| plan.strategy == SearchStrategy::Scan { max_distance: 1024 })
        );
        assert!(!plans.iter().any(|plan| matches!(plan.strategy, SearchStrategy::Tables(_))));
    }

    #[test]
    fn known_documents_and_signatures_cost_less() {
        let seconds = |shape: &CollectionShape, name: &str| {
            let plans = plans(shape, 0.8, 0.999, 1024);
            plans.iter().find(|plan| plan.strategy.name() == name).unwrap().seconds
        };
        let all = shape(100_000);
        for name in ["exact", "scan", "tables"] {
            let few = CollectionShape { new_documents: 100, ..all };
            assert!(seconds(&few, name) < seconds(&all, name), "{name}");
            let more_threads = CollectionShape { threads: 4, ..all };
            assert!(seconds(&more_threads, name) < seconds(&all, name), "{name}");
        }
        let signed = CollectionShape { signed_documents: 90_000, ..all };
        assert!(seconds(&signed, "scan") < seconds(&all, "scan"));
        assert_eq!(seconds(&signed, "exact"), seconds(&all, "exact"));
    }
}
