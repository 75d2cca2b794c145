//! `find_near_dups`: from whatever holds documents to pairs, clusters and a copy without duplicates, in one process.
//!
//! Documents are read once and become vectors of their words; the weight of a word comes of its count and its length ([`word_weight`](crate::vector::word_weight)), and depends on no other document. So a
//! pair's similarity is the same in every collection that has both, and pairs of new documents with old ones and with each other, found today, and
//! those of the old ones, found yesterday, are together the pairs of all: exactly so where the exact way was taken, or the same way by signatures each time; where
//! ways differ, which depends on the sizes of collections, up to what each may miss.
//!
//! Pairs are found by the cheapest of the ways that [`near`] knows and verified by their exact cosine. What
//! is told about recall is a guarantee over the random vectors for every single pair at or above the threshold, whatever the collection.

mod collection;
mod index;
mod outputs;
mod plan;
mod summary;

use std::path::PathBuf;

use self::collection::Collection;
use self::outputs::Found;
pub use self::plan::plan;
pub use self::summary::Summary;
use crate::chain::Counts;
use crate::corpus::Inputs;
use crate::error::Result;
use crate::search::exact::Prepared;
use crate::search::near::{self, SearchRequest, SearchStrategy};
use crate::session::Session;
use crate::text::AnalyzerOptions;

/// What to read, how to compare, and what to write.
#[derive(Debug, Clone)]
pub struct NearDups {
    /// The documents; those of its old paths are known already, and pairs among them are not asked for.
    pub inputs: Inputs,
    /// An index of documents that are known already.
    pub index: Option<PathBuf>,
    /// The cosine from which on documents are near-duplicates, in per cent.
    pub threshold: f64,
    /// The least probability with which a pair at the threshold is found.
    pub recall: f64,
    /// How to search; `None` for the cheapest way.
    pub method: Option<Method>,
    /// How texts and signatures are made.
    pub recipe: Recipe,
    /// What to write.
    pub wanted: Wanted,
}

/// How texts become vectors and these signatures. An index can be used only by those who do it the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// How texts become terms.
    pub rules: AnalyzerOptions,
    /// The length of signatures.
    pub bits: usize,
    /// The seed of their random vectors.
    pub seed: u64,
}

/// A way to search that the user insists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The exact cosines.
    Exact,
    /// Every pair of signatures.
    Scan,
    /// Pairs of signatures that agree in some part.
    Join,
    /// Tables of sampled bits.
    Tables,
}

impl Method {
    fn is(self, way: &SearchStrategy) -> bool {
        match way {
            SearchStrategy::Exact => self == Method::Exact,
            SearchStrategy::Scan { .. } => self == Method::Scan,
            SearchStrategy::Join { .. } => self == Method::Join,
            SearchStrategy::Tables(_) => self == Method::Tables,
        }
    }
}

/// How pairs become clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterBy {
    /// What is connected by pairs.
    Connected,
    /// Only what is similar to all others of the cluster.
    Complete,
}

/// Which document of a cluster stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepRule {
    /// The first.
    First,
    /// The one with the longest text.
    Longest,
    /// The one with the largest value of a field.
    Largest(String),
    /// The one with the smallest value of a field.
    Smallest(String),
}

impl KeepRule {
    /// The field that it needs.
    pub fn field(&self) -> Option<&str> {
        match self {
            KeepRule::First | KeepRule::Longest => None,
            KeepRule::Largest(field) | KeepRule::Smallest(field) => Some(field),
        }
    }
}

/// What to write.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The pairs.
    pub pairs: Option<PathBuf>,
    /// The clusters.
    pub clusters: Option<PathBuf>,
    /// How pairs become clusters.
    pub cluster_by: ClusterBy,
    /// The copy of the input without duplicates.
    pub dedup: Option<PathBuf>,
    /// What is missing in that copy, and what was kept instead.
    pub removed: Option<PathBuf>,
    /// Which document of a cluster is kept.
    pub keep: KeepRule,
    /// An index of all documents, old and new.
    pub index: Option<PathBuf>,
}

/// Finds near-duplicates and writes what is wanted. Memory: the vectors (6 bytes for each distinct word of each document), what the search needs beside
/// them, and the pairs of different vectors; texts are not kept.
pub fn find(task: &NearDups, session: &Session) -> Result<Counts> {
    let mut collection = Collection::read(task, session)?;
    let plan = plan::chosen(task, &collection.shape());
    let mut short = Vec::new();
    if plan.way.needs_signatures() || task.wanted.index.is_some() {
        short = collection.sign(&task.recipe, session);
    }
    if let Some(folder) = &task.wanted.index {
        index::write(folder, &task.recipe, &collection, session)?;
    }
    let vectors = Prepared::new(collection.take_vectors(), session);
    let request = SearchRequest {
        threshold: task.threshold,
        way: plan.way,
        seed: task.recipe.seed,
        first_new: collection.first_new,
    };
    let pairs = near::pairs(&vectors, &collection.signatures, &short, &request, session);
    let found = Found::new(task, &collection, &vectors, &pairs);
    found.write(session)?;
    let summary = found.summary(&plan);
    session.info(&summary.to_string());
    Ok(counted(&collection, &summary))
}

fn counted(collection: &Collection, summary: &Summary) -> Counts {
    let unreadable = collection.source.skipped;
    Counts {
        read: (summary.documents, "documents"),
        skipped: (unreadable, "files or records that could not be read"),
        written: (summary.pairs, "pairs"),
        unreadable,
    }
}
