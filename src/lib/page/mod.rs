//! Pairs of near-duplicates as one HTML file that needs nothing else: what was found in all, a table of clusters, and for every pair the two texts with what they
//! have in common side by side and the terms that weigh most in their cosine.
//!
//! [`make()`] reads what `find_near_dups` found and the documents, chooses the pairs to show, and writes; [`write()`] alone makes bytes of a [`Page`].
//!
//! What the page promises:
//!
//! - It opens from disk, without a server. Its policy (Content-Security-Policy) lets it fetch nothing and run nothing but its own script, which it names by its hash.
//! - Text is data. Findings and texts stand in the file as JSON in which no `<` occurs, so that no document can end the element it stands in, and the script puts them into the page as
//!   text only.
//! - The same findings and documents give the same bytes.
//! - Texts stand there once each, in parts that the script reads when a pair is opened: opening the page costs what its findings cost, not what its texts do.
//!
//! Styles and scripts are files of their own in `assets/`.

mod choose;
mod findings;
mod heaviest;
mod html;
mod json;
mod making;
mod shelf;

pub use html::write;
pub use making::{Request, make};

/// All that the page shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// What stands above it.
    pub title: String,
    /// The command that made it.
    pub made_by: String,
    /// Name of the similarity: `cosine`, or `similarity` where results do not tell.
    pub score: &'static str,
    /// The least similarity that was searched for, where that is known.
    pub threshold: Option<f64>,
    /// How many documents there are, with those that are like no other.
    pub documents_total: u64,
    /// How many of these have the text of an earlier one.
    pub copies: u64,
    /// How many would go if one document of every cluster stayed.
    pub removable: u64,
    /// How many pairs were found; the page may show fewer.
    pub pairs_total: u64,
    /// How many clusters were found; the page shows those of which it shows a pair.
    pub clusters_total: u64,
    /// The similarities of all pairs.
    pub histogram: Histogram,
    /// Bytes after which a text is cut off.
    pub text_limit: u64,
    /// What is shown.
    pub clusters: Vec<Cluster>,
    /// The documents of the clusters' pairs.
    pub documents: Vec<Document>,
    /// The terms that pairs name by their positions here.
    pub terms: Vec<String>,
}

/// How many similarities lie in bins of equal width up to 1; the last bin holds 1 as well.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// Where the first bin begins.
    pub low: f64,
    /// How wide a bin is.
    pub step: f64,
    /// The bins' counts; none where there are no pairs.
    pub counts: Vec<u64>,
    /// The least similarity.
    pub least: Option<f64>,
}

/// Documents that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Its name; none for the pairs that are in no cluster.
    pub number: Option<u64>,
    /// How many documents it has.
    pub size: u64,
    /// The smallest similarity inside.
    pub smallest: f64,
    /// The mean similarity inside.
    pub mean: f64,
    /// Whether these two tell of all pairs of its documents, not only of those that were found.
    pub is_of_all: bool,
    /// Its first document, a position in [`Page::documents`].
    pub first: u32,
    /// How many pairs it has; the page may show fewer.
    pub pairs_total: u64,
    /// The pairs that are shown, the most similar first.
    pub pairs: Vec<ReportPair>,
}

/// Two documents and what makes them similar.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportPair {
    /// One document, a position in [`Page::documents`].
    pub left: u32,
    /// The other.
    pub right: u32,
    /// Their cosine, from 0 to 1.
    pub similarity: f64,
    /// The terms that weigh most, the heaviest first.
    pub terms: Vec<SharedTerm>,
}

/// A term that two documents share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedTerm {
    /// A position in [`Page::terms`].
    pub term: u32,
    /// Its part of the cosine, in ten-thousandths.
    pub share: u32,
    /// How often it stands in the left document and in the right one.
    pub counts: (u64, u64),
}

/// A document that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub id: String,
    /// Its text, or the beginning of it.
    pub text: String,
    /// Whether the text goes on.
    pub is_cut: bool,
    /// Whether it is one of the old documents that new ones were compared with.
    pub is_old: bool,
    /// The length of the whole text in characters.
    pub characters: u64,
    /// The length of the whole text in words.
    pub words: u64,
}
