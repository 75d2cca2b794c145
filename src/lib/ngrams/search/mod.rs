//! Search: which documents of an index hold passages of a text.
//!
//! For every paragraph and the whole text, the share of its n-grams that a document of the index holds, repeated ones counted each time, and the longest run of
//! consecutive words in common. A document is a source if a paragraph or the whole reaches the accuracy, or a run the minimum.

mod executable;
mod matches;
mod page;
mod pan;
mod passages;
mod query;
mod report;
mod results;
mod sources;
#[cfg(test)]
mod tests;
mod times;

pub use executable::NgramSearch;
pub use matches::{ParagraphMatch, SearchLimits, SourceMatch, find_sources};
pub use passages::{NgramPassage, exact_passages};
pub use query::NgramQuery;
pub use results::SearchForm;
