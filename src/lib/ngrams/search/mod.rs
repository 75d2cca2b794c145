//! Search: which documents of an index hold passages of a text.
//!
//! For every paragraph and the whole text, the share of its n-grams that a document of the index holds, repeated ones counted each time, and the longest run of
//! consecutive words in common. A document is a source if a paragraph or the whole reaches the accuracy, or a run the minimum.
//!
//! These sources, and documents that share rare n-grams of stems, are candidates: their texts are read again and aligned with the text. A candidate with an
//! aligned passage is a source, too.

mod aligned;
mod batch;
mod candidates;
mod characters;
mod executable;
mod matches;
mod output;
mod page;
mod pan;
mod query;
mod report;
mod results;
mod shards;
#[cfg(test)]
mod tests;
mod times;

pub use aligned::{LocatedPassage, SearchAlignment};
pub use candidates::{Candidate, CandidateLimits, MIN_DOCUMENTS, SearchedStore};
pub use executable::NgramSearch;
pub use matches::{ParagraphMatch, SearchLimits, SourceMatch, find_sources};
pub use query::NgramQuery;
pub use results::SearchForm;
