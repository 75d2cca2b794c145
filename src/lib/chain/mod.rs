//! The stages of the chain: each reads the files of the one before, calls the rooms that know how, and writes its own. One module an
//! executable (the two halves of a pair that share their reading share one); a program that drives the chain without a shell calls these.

pub mod bows;
pub mod compare;
pub mod corpus;
pub mod extract;
pub mod hamming;
pub mod implant;
mod planes;
pub mod quality;
mod results;
pub mod sigs;
pub mod similarity;
mod spare;
pub mod vecs;
pub mod voc;

pub use results::Search;

/// What a stage has done, for its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// How many of what were read.
    pub read: (u64, &'static str),
    /// How many of these were left out, and why.
    pub skipped: (u64, &'static str),
    /// How many of what were written.
    pub written: (u64, &'static str),
    /// How much of what was asked for could not be read, although the rest was. An executable then ends with exit code 3.
    pub unreadable: u64,
}
