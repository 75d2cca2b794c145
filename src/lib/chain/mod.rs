//! The stages of the chain: each reads the files of the one before, calls the rooms that know how, and writes its own. One module an
//! executable (the two halves of a pair that share their reading share one); a program that drives the chain without a shell calls these.

pub mod bows;
pub mod compare;
pub mod corpus;
pub mod extract;
pub mod flags;
pub mod hamming;
pub mod implant;
mod planes;
mod pool;
pub mod quality;
mod results;
pub mod sigs;
pub mod similarity;
pub mod vecs;
pub mod voc;

pub use crate::executable::Counts;
pub use results::Search;
