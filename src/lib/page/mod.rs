//! Report of near-duplicate pairs: one self-contained HTML file with figures, a histogram, a table of clusters, and for every pair both texts
//! with their differences and the terms that contribute most to their cosine.
//!
//! [`ReportPairs`] reads pairs and documents, selects the pairs to show, and writes the file; [`write()`] writes a [`PairPage`].
//!
//! Guarantees:
//!
//! - The report opens from disk, without a server. Its Content-Security-Policy permits no request and no script or style but its own, which
//!   it names by hash.
//! - Text is data. Findings and texts are embedded as JSON without `<`, so no document can end its element, and the script inserts them as
//!   text only.
//! - The same pairs and documents give the same bytes.
//! - Texts are embedded once each, in parts that the script parses on demand: the report opens in time proportional to its findings, not to
//!   its texts.
//!
//! Styles and scripts are in `assets/`.

mod documents;
mod findings;
mod html;
mod report;
mod selection;
mod top_terms;

use serde::ser::{Serialize, Serializer};

pub use html::write;
pub use report::ReportPairs;

/// Content of the report, in the layout that its script reads.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PairPage {
    /// The title.
    pub title: String,
    /// The command that wrote it.
    pub made_by: String,
    /// The similarity measure: `cosine`, or `similarity` if unknown.
    pub score: &'static str,
    /// The threshold of the search, if known.
    pub threshold: Option<f64>,
    /// The smallest similarity of a pair.
    pub least: Option<f64>,
    /// The number of documents, with those in no pair.
    pub documents_total: u64,
    /// The number of documents with the same text as an earlier one.
    pub copies: u64,
    /// The number of documents to remove if one per cluster is kept.
    pub removable: u64,
    /// The number of pairs found.
    pub pairs_total: u64,
    /// The number of pairs shown.
    pub pairs_shown: u64,
    /// The number of clusters found.
    pub clusters_total: u64,
    /// The number of clusters with a pair shown.
    pub clusters_shown: u64,
    /// The length in bytes to which texts are truncated.
    pub text_limit: u64,
    /// The similarities of all pairs found.
    pub histogram: SimilarityHistogram,
    /// The terms of [`SharedTerm::term`].
    pub terms: Vec<String>,
    /// The documents of the pairs shown.
    pub documents: Vec<PageDocument>,
    /// The first document of each part of the texts.
    pub text_parts: Vec<usize>,
    /// The clusters shown.
    pub clusters: Vec<PageCluster>,
}

/// Number of similarities in bins of equal width up to 1; the last bin includes 1.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct SimilarityHistogram {
    /// The lower edge of the first bin.
    pub low: f64,
    /// The width of a bin.
    pub step: f64,
    /// The counts; empty without pairs.
    pub counts: Vec<u64>,
}

/// Cluster with the pairs shown.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PageCluster {
    /// The number; none for the pairs outside of clusters.
    pub number: Option<u64>,
    /// The number of documents.
    pub size: u64,
    /// The smallest similarity of two members.
    pub smallest: f64,
    /// The mean similarity of two members.
    pub mean: f64,
    /// Whether both cover all pairs of members, not only those found.
    pub is_of_all: bool,
    /// The first document, a position in [`PairPage::documents`].
    pub first: u32,
    /// The beginning of its text.
    pub snippet: String,
    /// The number of pairs found.
    pub pairs_total: u64,
    /// The pairs shown, by descending similarity.
    pub pairs: Vec<PagePair>,
}

/// Pair with its top terms. Serialized as a list, because there are many.
#[derive(Debug, Clone, PartialEq)]
pub struct PagePair {
    /// One document, a position in [`PairPage::documents`].
    pub left: u32,
    /// The other document.
    pub right: u32,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The top contributing terms, by descending share.
    pub terms: Vec<SharedTerm>,
}

impl Serialize for PagePair {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let flat = |shared: &SharedTerm| {
            let SharedTerm { term, share, counts } = *shared;
            [term.into(), share.into(), counts.0, counts.1]
        };
        let terms: Vec<u64> = self.terms.iter().flat_map(flat).collect();
        (self.left, self.right, self.similarity, terms).serialize(json)
    }
}

/// Term of both documents of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedTerm {
    /// A position in [`PairPage::terms`].
    pub term: u32,
    /// Its share of the cosine, in 1/10,000.
    pub share: u32,
    /// Its counts in the left and the right document.
    pub counts: (u64, u64),
}

/// Document of a pair. Serialized as a list without the text, because there are many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageDocument {
    /// The id.
    pub id: String,
    /// The text, possibly truncated.
    pub text: String,
    /// Whether the text is truncated.
    pub is_cut: bool,
    /// Whether it is an existing document that new ones were compared with.
    pub is_old: bool,
    /// The length of the whole text in characters.
    pub characters: u64,
    /// The length of the whole text in words.
    pub words: u64,
}

impl Serialize for PageDocument {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let (is_cut, is_old) = (u8::from(self.is_cut), u8::from(self.is_old));
        (&self.id, self.characters, self.words, is_cut, is_old).serialize(json)
    }
}
