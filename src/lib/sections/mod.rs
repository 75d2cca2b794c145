//! Comparison of structured documents, such as theses, section by section (Khaliullina 2018, chapter 3): which parts of a document are copied
//! from another one, and where they stand in both.
//!
//! ```text
//! document ─► sections, by headings ─► disjoint blocks of --block words ─► overlapping shingles of --shingle_size words, hashed
//! ```
//!
//! A block is copied if more than 75 % of its distinct shingles stand in one block of the source, a section if more than 75 % of its blocks are, a
//! document if more than 75 % of its sections are. [`compare()`] decides all three, by default with early stopping, and lists the copied passages.
//! [`CompareSections`] does so for documents in files.
//!
//! Choices where the source leaves room:
//!
//! - The percentage of a block is that of its own distinct shingles, so identical blocks reach 100 % and repetitions do not count.
//! - A block is compared with all blocks of the source, whatever their section.
//! - Agreement must exceed the threshold, difference only reach its complement: stopping earlier would change verdicts at the boundary.
//! - Rests of sections and whole sections shorter than a shingle join their neighbours, so that no verdict rests on a few words.
//! - A heading is text of the section that it begins.
//!
//! An inverted index from shingles to blocks replaces the comparison of all blocks with all; tests compare both.

mod compare;
mod document;
mod executable;
mod fragments;
mod headings;
mod judge;
mod layout;
mod lines;
mod options;
mod page;
mod pairs;
mod passages;
mod postings;
mod report;
#[cfg(test)]
mod tests;
mod words;

pub use compare::{PartCount, SectionComparison, SectionVerdict, VerdictCount, compare};
pub use document::SectionText;
pub use executable::CompareSections;
pub(crate) use executable::{StoredDocument, StoredDocuments, input_ids, only_pair};
pub use fragments::Fragments;
pub use options::{BlockRule, SectionOptions, SourcePart};
pub use passages::CopiedPassage;

pub use crate::corpus::Heading;
