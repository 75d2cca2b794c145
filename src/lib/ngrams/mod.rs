//! The n-gram index: where a text was copied from.
//!
//! ```text
//! document ─► normal words in paragraphs ─► n-grams, hashed ─► store: hash → documents, catalogue
//! suspicious document ─► the same n-grams ─► lookup ─► sources: shares, runs, passages
//! ```
//!
//! After two systems: Pekař 2015 (n-grams of a paragraph in Elasticsearch) and Menšík 2017 (sorted words, servers by hash range). Both are
//! [presets](NgramPreset) of one set of [rules](NgramRules); the store is one [trait](store::NgramStore).
//!
//! Texts are those of the one reader, so all formats and encodings are: offsets are those of the text as it is read, which for plain text is the file.

mod add;
mod config;
mod executable;
mod grams;
mod identity;
mod kinds;
mod listing;
mod merge_index;
mod normalizer;
mod paragraphs;
mod repeats;
mod rewrite;
mod rules;
pub mod search;
mod shards;
mod stems;
pub mod store;
#[cfg(test)]
mod tests;
mod xml;

pub use add::RepeatPolicy;
pub use config::read_config;
pub use executable::{IndexAction, NgramIndex};
pub use grams::{NgramLengths, PlacedNgram, document_hashes, for_each_paragraph};
pub use kinds::NgramKind;
pub use listing::ListForm;
pub use merge_index::MergeIndex;
pub use normalizer::{CompiledRules, NormalText, Normalizer};
pub use rules::{NgramConfig, NgramPreset, NgramRules, ParagraphRule};
pub use stems::StemHasher;
