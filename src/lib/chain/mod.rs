//! The stages of the pipeline: each reads the files of the previous one and writes its own. One module per executable; pairs of executables
//! that read the same files share one. Programs call the stages through [`crate::executable::Executable::run`].

pub mod bows;
pub mod compare;
pub mod corpus;
mod data_files;
pub mod documents;
pub mod extract;
pub mod flags;
pub mod hamming;
pub mod implant;
pub mod merge;
mod planes;
pub mod prints;
pub mod quality;
mod shards;
pub mod sigs;
pub mod similarity;
pub mod vecs;
pub mod voc;

pub use crate::executable::Counts;
