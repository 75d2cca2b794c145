//! Report of near-duplicate pairs: one self-contained HTML file with figures, a histogram, a table of clusters, and for every pair both texts
//! with their differences and the terms that contribute most to their cosine.
//!
//! [`ReportPairs`] reads pairs and documents, selects the pairs to show, and writes a page.
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
pub(crate) mod html;
mod positions;
mod report;
mod selection;
mod top_terms;

use serde::ser::{Serialize, Serializer};

pub(crate) use positions::Utf16Positions;
pub use report::ReportPairs;

/// Content of the report, in the layout that its script reads.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
struct PairPage {
    title: String,
    /// The command that wrote it.
    made_by: String,
    /// The similarity measure: `cosine`, or `similarity` if unknown.
    score: &'static str,
    threshold: Option<f64>,
    /// The smallest similarity of a pair.
    least: Option<f64>,
    /// The number of documents, with those in no pair.
    documents_total: u64,
    /// The number of documents with the same text as an earlier one.
    copies: u64,
    /// The number of documents to remove if one per cluster is kept.
    removable: u64,
    pairs_total: u64,
    pairs_shown: u64,
    clusters_total: u64,
    /// The number of clusters with a pair shown.
    clusters_shown: u64,
    /// The length in bytes to which texts are truncated.
    text_limit: u64,
    /// Whether words are compared in folded form.
    is_folded: bool,
    histogram: SimilarityHistogram,
    /// The terms of [`SharedTerm::term`].
    terms: Vec<String>,
    /// The documents of the pairs shown.
    documents: Vec<PageDocument>,
    /// The first document of each part of the texts.
    text_parts: Vec<usize>,
    clusters: Vec<PageCluster>,
}

/// Number of similarities in bins of equal width up to 1; the last bin includes 1.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
struct SimilarityHistogram {
    /// The lower edge of the first bin.
    low: f64,
    step: f64,
    /// The counts; empty without pairs.
    counts: Vec<u64>,
}

/// Cluster with the pairs shown.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
struct PageCluster {
    /// The number; none for the pairs outside of clusters.
    number: Option<u64>,
    size: u64,
    /// The smallest similarity of two members.
    smallest: f64,
    /// The mean similarity of two members.
    mean: f64,
    /// Whether both cover all pairs of members, not only those found.
    is_of_all: bool,
    /// The first document, a position in [`PairPage::documents`].
    first: u32,
    /// The beginning of its text.
    snippet: String,
    pairs_total: u64,
    pairs: Vec<PagePair>,
}

/// Pair with its top terms. Serialized as a list, because there are many.
#[derive(Debug, Clone, PartialEq)]
struct PagePair {
    /// One document, a position in [`PairPage::documents`].
    left: u32,
    right: u32,
    /// Their similarity, 0 to 1.
    similarity: f64,
    /// The top contributing terms, by descending share.
    terms: Vec<SharedTerm>,
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
struct SharedTerm {
    /// A position in [`PairPage::terms`].
    term: u32,
    /// Its share of the cosine, in 1/10,000.
    share: u32,
    /// Its counts in the left and the right document.
    counts: (u64, u64),
}

/// Document of a pair. Serialized as a list without the text, because there are many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PageDocument {
    pub id: String,
    /// The text, possibly truncated.
    pub text: String,
    pub is_cut: bool,
    /// Whether it is an existing document that new ones were compared with.
    pub is_old: bool,
    /// The length of the whole text in characters.
    pub characters: u64,
    /// The length of the whole text in words.
    pub words: u64,
}

impl PageDocument {
    /// Creates a new document, with a text of at most `text_limit` bytes.
    pub fn new(id: &str, text: &str, words: u64, text_limit: usize) -> Self {
        let shown = documents::truncated(text, text_limit);
        PageDocument {
            id: id.to_string(),
            text: shown.to_string(),
            is_cut: shown.len() < text.len(),
            is_old: false,
            characters: text.chars().count() as u64,
            words,
        }
    }
}

impl Serialize for PageDocument {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let (is_cut, is_old) = (u8::from(self.is_cut), u8::from(self.is_old));
        (&self.id, self.characters, self.words, is_cut, is_old).serialize(json)
    }
}
