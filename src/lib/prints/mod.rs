//! Fingerprint methods: each turns a document into a print, a short list of numbers, and says when two prints agree.
//!
//! ```text
//! text ─ WordScanner ─ PrintMethod::append ─▶ print ─┐
//!                                                    ├─ matching::pairs ─▶ pairs
//! text ─ WordScanner ─ PrintMethod::append ─▶ print ─┘
//! ```
//!
//! A method ([`PrintMethod`]) is one file of [`methods`] and one line of [`METHODS`]. What it says of agreement is data ([`Agreement`]), so that one
//! matcher ([`matching`]) serves all, also for prints read from files. Matching never compares all pairs: documents with equal prints are one
//! item, and only items that share a fingerprint are compared.
//!
//! Fingerprints are hashes. Two different texts share a 64-bit hash with a probability of 2⁻⁶⁴, a CRC-32 with 2⁻³².

mod agreement;
mod counting;
mod lexicon_text;
pub mod matching;
mod methods;
mod min_wise;
mod options;
mod printer;
mod rolling;
mod statistics;
mod table;

pub use agreement::{Agreement, SequenceRules, SetMeasure};
pub use methods::{METHODS, MethodEntry};
pub use options::{MethodSpec, PrintOptions, ShingleOverlap, ShingleUnit, TermWeight};
pub use printer::{Printer, PrinterScratch};
pub use statistics::{CollectionStatistics, StatisticsCollector};
pub use table::PrintTable;

use std::sync::Arc;

use crate::text::TextWords;
use counting::Scratch;

/// What a method must know of the collection before it prints a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Nothing: a print depends on its document alone.
    Nothing,
    /// The number of documents, their mean length, and document frequencies.
    Frequencies,
    /// Frequencies, and the words of a sample of documents.
    Sample,
}

/// A fingerprint method.
pub trait PrintMethod: Send + Sync {
    /// Returns whether the method looks at sentences; else a text is one sentence.
    fn has_sentences(&self) -> bool {
        false
    }

    /// Returns what the method must know of the collection.
    fn knowledge(&self) -> Knowledge {
        Knowledge::Nothing
    }

    /// Takes what the method must know. Called once, before all documents.
    fn learn(&mut self, _collection: &Arc<CollectionStatistics>) {}

    /// Appends the print of a document. No fingerprint: the document agrees with no other.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>);

    /// Returns when two prints agree.
    fn agreement(&self) -> Agreement;

    /// Describes what the method chose itself, if anything.
    fn notice(&self) -> Option<String> {
        None
    }
}
