//! The result of a search: pairs, clusters, and the documents to keep.

use std::collections::HashSet;
use std::fmt;

use super::collection::Collection;
use super::summary::{Summary, grouped};
use super::{ClusterBy, KeepRule};
use crate::clusters::{self, Clusters, Cohesion, Keep, Removal};
use crate::corpus::SortKey;
use crate::executable::counted;
use crate::prints::{Agreement, PrintTable};
use crate::search::exact::Prepared;
use crate::search::{EqualGroups, GroupedPairs, PairListing};
use crate::session::Session;
use crate::vector::gather::WordVectors;

/// Maximum number of documents with the same vector of which every pair is listed. A thousand are half a million lines; the largest groups of
/// real collections have about a hundred.
const MAX_LISTED_COPIES: usize = 1000;

/// Near-duplicate pairs of a collection, their clusters, and the documents to keep.
pub struct Duplicates {
    pub(super) collection: Collection,
    likeness: Likeness,
    /// All pairs, or some that make up the same clusters.
    pub(super) pairs: GroupedPairs,
    has_all_pairs: bool,
    /// Number of documents without terms.
    without_words: u64,
    /// For each document the first document with the same vector, or without terms and with the same text.
    original_of: Vec<u32>,
    pub(super) clusters: Clusters,
    pub(super) removals: Vec<Removal>,
}

/// What documents are compared by.
pub(super) enum Likeness {
    /// Cosines of word vectors, at least a threshold.
    Vectors { vectors: Prepared<WordVectors>, threshold: f64 },
    /// Fingerprints of a method.
    Prints { table: PrintTable, agreement: Agreement, method: String },
}

impl Likeness {
    /// Returns the similarity of two documents in percent.
    fn similarity(&self, one: u32, other: u32) -> f64 {
        let (one, other) = (one as usize, other as usize);
        match self {
            Likeness::Vectors { vectors, .. } => vectors.similarity(one, other),
            Likeness::Prints { table, agreement, .. } => {
                agreement.similarity(table.get(one), table.get(other))
            }
        }
    }
}

impl fmt::Debug for Duplicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Duplicates").field(&self.summary()).finish()
    }
}

/// Two near-duplicate documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearDupPair<'a> {
    /// The id of the document that was read first.
    pub left: &'a str,
    /// The id of the other document.
    pub right: &'a str,
    /// Their cosine, from 0 to 1.
    pub similarity: f64,
}

impl Duplicates {
    /// Finds the pairs of a collection, all or those that its clusters need, clusters them and chooses the documents to keep.
    pub(super) fn find(
        mut collection: Collection,
        threshold: f64,
        cluster_by: ClusterBy,
        keep: &KeepRule,
        needs_pairs: bool,
        session: &Session,
    ) -> Self {
        let vectors = Prepared::new(collection.take_vectors(), session);
        let has_all_pairs = needs_pairs || cluster_by == ClusterBy::Complete;
        let (percent, first_new) = (threshold * 100.0, collection.first_new);
        let pairs = match has_all_pairs {
            true => vectors.pairs(percent, first_new, session),
            false => vectors.forest(percent, first_new, session),
        };
        Self::of_pairs(collection, pairs, Likeness::Vectors { vectors, threshold }, has_all_pairs)
            .clustered(cluster_by, keep)
    }

    /// Returns the duplicates of a collection, given its pairs, without clusters.
    pub(super) fn of_pairs(
        collection: Collection,
        pairs: GroupedPairs,
        likeness: Likeness,
        has_all_pairs: bool,
    ) -> Self {
        let wordless = wordless(&pairs, &collection);
        let pairs = with_equal_texts(pairs, &wordless, &collection);
        let groups = pairs.groups();
        let original = |document: usize| match groups.group_of(document) {
            Some(group) => groups.first(group) as u32,
            None => document as u32,
        };
        let original_of = (0..collection.len()).map(original).collect();
        Duplicates {
            collection,
            likeness,
            pairs,
            has_all_pairs,
            without_words: wordless.len() as u64,
            original_of,
            clusters: Clusters::default(),
            removals: Vec::new(),
        }
    }

    /// Clusters the pairs and chooses the documents to keep.
    pub(super) fn clustered(mut self, cluster_by: ClusterBy, keep: &KeepRule) -> Self {
        let (documents, pairs) = (self.collection.len(), self.pairs.between());
        let clusters = match cluster_by {
            ClusterBy::Connected => clusters::components(documents, pairs.iter().copied()),
            ClusterBy::Complete => clusters::complete(documents, pairs),
        };
        let first_new = self.collection.first_new as u32;
        self.clusters = clusters.with_duplicates(&self.original_of);
        // Duplicates among existing documents are already known.
        self.clusters.retain(|members| members.last().is_some_and(|last| *last >= first_new));
        self.removals = removals(keep, &self.collection, &self.clusters);
        self
    }

    /// Returns the pairs, ordered by first and second document.
    pub fn pairs(&self) -> impl Iterator<Item = NearDupPair<'_>> {
        self.pairs.iter().map(|pair| NearDupPair {
            left: self.id(pair.low),
            right: self.id(pair.high),
            similarity: pair.similarity / 100.0,
        })
    }

    /// Returns the pairs of documents by number.
    pub(crate) fn grouped_pairs(&self) -> &GroupedPairs {
        &self.pairs
    }

    /// Returns the size of what documents are compared by: six bytes per distinct word of each, or eight per fingerprint.
    pub(crate) fn compared_bytes(&self) -> u64 {
        match &self.likeness {
            Likeness::Vectors { vectors, .. } => 6 * vectors.components() as u64,
            Likeness::Prints { table, .. } => 8 * table.fingerprints() as u64,
        }
    }

    /// Returns the ids of the members of each cluster of at least two documents.
    pub fn clusters(&self) -> impl Iterator<Item = Vec<&str>> {
        self.clusters.iter().map(|members| members.iter().map(|member| self.id(*member)).collect())
    }

    /// Returns the ids of the documents to keep: one of each cluster, and all singletons.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        let mut removed = self.removals.iter().map(|removal| removal.document).peekable();
        let is_kept = move |document: &u32| removed.next_if_eq(document).is_none();
        (0..self.collection.len() as u32).filter(is_kept).map(|document| self.id(document))
    }

    /// Returns the id of each removed document with that of the document kept for it.
    pub fn removed(&self) -> impl Iterator<Item = (&str, &str)> {
        let ids = |removal: &Removal| (self.id(removal.document), self.id(removal.kept));
        self.removals.iter().map(ids)
    }

    /// Returns the counts of the search.
    pub fn summary(&self) -> Summary {
        Summary {
            documents: self.collection.len() as u64,
            existing: self.collection.first_new as u64,
            without_words: self.without_words,
            exact_duplicates: self.exact_duplicates(),
            pairs: self.has_all_pairs.then(|| self.pairs.count()),
            clusters: self.clusters.len() as u64,
            removed: self.removals.len() as u64,
            criterion: match &self.likeness {
                Likeness::Vectors { threshold, .. } => format!("cosine >= {threshold}"),
                Likeness::Prints { method, .. } => format!("equal prints ({method})"),
            },
        }
    }

    /// Returns the pairs to list: all, or those of more than [`MAX_LISTED_COPIES`] copies in short.
    pub(super) fn listing(&self, all_copies: bool) -> PairListing<'_> {
        self.pairs.listing(if all_copies { usize::MAX } else { MAX_LISTED_COPIES })
    }

    /// Describes the pairs that a listing leaves out, if any.
    pub(super) fn left_out(&self, listing: PairListing) -> Option<String> {
        let (listed, all) = (listing.count(), self.pairs.count());
        let (groups, limit) = (listing.short_groups() as u64, MAX_LISTED_COPIES as u64);
        let verb = if groups == 1 { "is" } else { "are" };
        (listed < all).then(|| {
            let groups = counted(groups, "groups of copies");
            let [limit, listed, all] = [limit, listed, all].map(grouped);
            format!(
                "{groups} with more than {limit} documents {verb} listed in short: \
                {listed} of {all} pairs; --all_copies lists all"
            )
        })
    }

    /// Counts the new documents whose text equals that of an earlier document.
    fn exact_duplicates(&self) -> u64 {
        let groups = self.pairs.groups();
        let mut texts = HashSet::new();
        let mut count = 0;
        for members in (0..groups.len()).map(|group| groups.members(group)) {
            if members.len() < 2 {
                continue;
            }
            texts.clear();
            for member in members {
                let is_first = texts.insert(self.collection.text_hashes[*member as usize]);
                count += u64::from(!is_first && *member as usize >= self.collection.first_new);
            }
        }
        count
    }

    pub(super) fn id(&self, document: u32) -> &str {
        self.collection.ids.get(document as usize)
    }

    pub(super) fn cohesion(&self) -> Vec<Cohesion> {
        let similarity = |one: u32, other: u32| self.likeness.similarity(one, other);
        clusters::cohesion(&self.clusters, &self.original_of, self.pairs.between(), similarity)
    }
}

/// Returns the documents without terms: those in no group of equal vectors.
fn wordless(pairs: &GroupedPairs, collection: &Collection) -> Vec<u32> {
    let is_wordless = |document: &u32| pairs.groups().group_of(*document as usize).is_none();
    (0..collection.len() as u32).filter(is_wordless).collect()
}

/// Adds groups of equal texts without terms, which are copies of each other as equal vectors are. Blank texts are copies of nothing.
fn with_equal_texts(
    pairs: GroupedPairs,
    wordless: &[u32],
    collection: &Collection,
) -> GroupedPairs {
    if wordless.is_empty() {
        return pairs;
    }
    let document = |at: usize| wordless[at] as usize;
    let hash = |at: usize| {
        let is_text = !collection.is_blank(document(at));
        is_text.then(|| collection.text_hashes[document(at)])
    };
    let are_equal = |one: usize, other: usize| collection.are_equal(document(one), document(other));
    pairs.with_groups_of(wordless, &EqualGroups::find(wordless.len(), hash, are_equal))
}

fn removals(keep: &KeepRule, collection: &Collection, clusters: &Clusters) -> Vec<Removal> {
    let first_new = collection.first_new as u32;
    let ranks = || clusters::ranks(&collection.ranks, SortKey::cmp);
    let removals = |keep: Keep| clusters::removals(clusters, keep, first_new);
    match keep {
        KeepRule::First => removals(Keep::First),
        KeepRule::Longest => removals(Keep::Longest(&collection.lengths)),
        KeepRule::Largest(_) => removals(Keep::Largest(&ranks())),
        KeepRule::Smallest(_) => removals(Keep::Smallest(&ranks())),
    }
}
