//! What the ways to find pairs promise and cost, before anything runs.

use super::costs;
use super::guarantee::{Distances, disagreement};
use super::tables::{self, Choice, SamplingTables, Work};

/// How pairs of similar documents are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchStrategy {
    /// By the vectors themselves: all of them.
    Exact,
    /// By comparing all signatures.
    Scan {
        /// Signatures further apart are no candidates.
        max_distance: u32,
    },
    /// By comparing signatures that agree on one of `max_distance + 1` chunks.
    Join {
        /// Signatures further apart are no candidates.
        max_distance: u32,
    },
    /// By comparing signatures that agree on the bits of a table.
    Tables(SamplingTables),
}

impl SearchStrategy {
    /// Whether it looks at signatures.
    pub fn needs_signatures(&self) -> bool {
        *self != SearchStrategy::Exact
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            SearchStrategy::Exact => "exact",
            SearchStrategy::Scan { .. } => "scan",
            SearchStrategy::Join { .. } => "join",
            SearchStrategy::Tables(_) => "tables",
        }
    }
}

/// A way with what it promises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchPlan {
    /// How pairs are found.
    pub way: SearchStrategy,
    /// The probability that a pair at the threshold is found; that of any other pair is higher. For documents whose signatures are as accurate as promised; the others are
    /// compared exactly.
    pub recall: f64,
    /// Seconds from vectors to verified pairs, signing included.
    pub seconds: f64,
    /// Bytes of memory, the vectors included, the found pairs not.
    pub bytes: u64,
}

/// What is known of a collection before it is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollectionShape {
    /// Documents, old and new.
    pub documents: u64,
    /// Those of them whose pairs are wanted, with all others and each other; the last ones.
    pub new_documents: u64,
    /// Those of them that have signatures already.
    pub signed_documents: u64,
    /// Different terms of a document, on average.
    pub terms_per_document: f64,
    /// The cosine of two unrelated documents ([`background`](super::background())); where it is not known, [`BACKGROUND`].
    pub background: f64,
    /// Threads.
    pub threads: usize,
}

/// The usual cosine of two unrelated documents of one language: 0.10 in Reuters, 0.11 of Debian's descriptions, 0.25 of the Bible's chapters.
pub const BACKGROUND: f64 = 0.12;

/// The work that tables are chosen for, whatever the collection: then it depends on two documents alone whether they are found, and pairs that are found when documents
/// come bit by bit are those that are found at once. Smaller collections are done soon anyway.
const NOMINAL: Work = Work { rows: 3e5, pairs: 4.5e10, unrelated: 0.4 };

/// The join of vectors counts components in 32 bits.
const MOST_COMPONENTS: f64 = (1u64 << 32) as f64;

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
        (prepare + cycles) / costs::CYCLES_A_SECOND / self.threads.max(1) as f64
    }

    /// Cycles of signing what has no signature, and of searching.
    fn signed(&self, cycles: f64) -> f64 {
        let unsigned = self.documents.saturating_sub(self.signed_documents) as f64;
        costs::sign_cycles(unsigned, self.terms_per_document) + cycles
    }

    /// Bytes of the vectors with what is kept for each, and so many more a document.
    fn bytes(&self, more: f64) -> u64 {
        (self.components() * costs::COMPONENT_BYTES
            + self.documents as f64 * (costs::DOCUMENT_BYTES + more)) as u64
    }
}

/// All ways that keep a recall at a cosine of at least `cosine` (from 0 to 1), with signatures of `bits` bits, the cheapest first. There is always one.
pub fn plans(shape: &CollectionShape, cosine: f64, recall: f64, bits: usize) -> Vec<SearchPlan> {
    let distances = Distances::at(bits, cosine);
    let mut plans = vec![exact(shape, cosine)];
    plans.extend(by_all_signatures(shape, &distances, recall));
    plans.extend(by_tables(shape, &distances, recall));
    plans.retain(|plan| plan.way == SearchStrategy::Exact || plan.seconds.is_finite());
    plans.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    plans
}

/// The exact way, which keeps every recall.
pub fn exact(shape: &CollectionShape, cosine: f64) -> SearchPlan {
    let terms = shape.terms_per_document;
    let documents = shape.documents as f64;
    let cycles = costs::exact_cycles(documents, terms, shape.pairs(), cosine, shape.background);
    let is_countable = shape.components() < MOST_COMPONENTS;
    let seconds = if is_countable { shape.seconds(cycles) } else { f64::INFINITY };
    let indexed = (1.0 - cosine * cosine).clamp(0.0, 1.0) * terms;
    SearchPlan {
        way: SearchStrategy::Exact,
        recall: 1.0,
        seconds,
        bytes: shape.bytes(costs::exact_bytes(indexed)),
    }
}

/// Seconds that every other way takes at least.
pub fn signing_seconds(shape: &CollectionShape) -> f64 {
    shape.seconds(shape.signed(0.0))
}

fn by_all_signatures(
    shape: &CollectionShape,
    distances: &Distances,
    recall: f64,
) -> [SearchPlan; 2] {
    let (bits, unrelated) = (distances.bits(), disagreement(shape.background));
    let max_distance = distances.quantile(1.0 - recall);
    let (rows, pairs) = (shape.documents as f64, shape.pairs());
    let scan = costs::scan_cycles(bits, max_distance, unrelated) * pairs;
    let join = costs::join_cycles(bits, max_distance, unrelated, rows, pairs);
    let plan = |way: SearchStrategy, cycles: f64, bytes: f64| SearchPlan {
        way,
        recall: 1.0 - distances.beyond(max_distance),
        seconds: shape.seconds(shape.signed(cycles)),
        bytes: shape.bytes(bytes),
    };
    [
        plan(SearchStrategy::Scan { max_distance }, scan, costs::scan_bytes(bits)),
        plan(SearchStrategy::Join { max_distance }, join, costs::join_bytes(bits, shape.threads)),
    ]
}

fn by_tables(shape: &CollectionShape, distances: &Distances, recall: f64) -> Option<SearchPlan> {
    let (rows, pairs) = (shape.documents as f64, shape.pairs());
    let work = Work { rows, pairs, unrelated: disagreement(shape.background) };
    let Choice { tables, recall, .. } = tables::cheapest(distances, recall, &NOMINAL)?;
    let cycles = tables::cycles(&tables, &work);
    let bytes = costs::tables_bytes(distances.bits(), tables.prefix_words, shape.threads);
    let seconds = shape.seconds(shape.signed(cycles));
    Some(SearchPlan {
        way: SearchStrategy::Tables(tables),
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
    fn every_way_keeps_the_recall_and_the_cheapest_is_first() {
        for documents in [0, 1, 1000, 100_000, 10_000_000] {
            for cosine in [0.3, 0.5, 0.7, 0.8, 0.95, 1.0] {
                for recall in [0.9, 0.999, 1.0] {
                    let plans = plans(&shape(documents), cosine, recall, 1024);
                    assert!(plans.iter().any(|plan| plan.way == SearchStrategy::Exact));
                    assert!(plans.iter().all(|plan| plan.recall >= recall - 1e-12));
                    assert!(plans.is_sorted_by_key(|plan| plan.seconds));
                    let least = signing_seconds(&shape(documents));
                    let is_exact = |plan: &SearchPlan| *plan == exact(&shape(documents), cosine);
                    assert!(plans.iter().all(|plan| is_exact(plan) || plan.seconds >= least));
                }
            }
        }
    }

    #[test]
    fn where_nothing_may_be_missed_everything_is_looked_at() {
        let plans = plans(&shape(1000), 0.8, 1.0, 1024);
        assert!(plans.iter().any(|plan| plan.way == SearchStrategy::Scan { max_distance: 1024 }));
        assert!(!plans.iter().any(|plan| matches!(plan.way, SearchStrategy::Tables(_))));
    }

    #[test]
    fn what_is_known_already_costs_less() {
        let seconds = |shape: &CollectionShape, name: &str| {
            let plans = plans(shape, 0.8, 0.999, 1024);
            plans.iter().find(|plan| plan.way.name() == name).unwrap().seconds
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
