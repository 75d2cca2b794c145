//! Exact near-duplicate detection for collections of millions of documents.
//!
//! ```
//! let documents = [
//!     ("a.txt", "The quick brown fox jumps over the lazy dog."),
//!     ("b.txt", "Nothing in this text resembles the others."),
//!     ("c.txt", "A quick brown fox jumped over the lazy dog!"),
//! ];
//! let found = nearsig::NearDups::new().threshold(0.7).find(documents)?;
//! let pair = found.pairs().next().expect("two documents are near-duplicates");
//! assert_eq!((pair.left, pair.right), ("a.txt", "c.txt"));
//! assert_eq!(found.kept().collect::<Vec<_>>(), ["a.txt", "b.txt"]);
//! # Ok::<(), nearsig::Error>(())
//! ```
//!
//! [`NearDups`] goes from texts in memory to pairs, clusters and documents to keep. [`near_dups::FindNearDups`] does the same for folders,
//! files and JSON Lines. The pipeline of the thesis is one struct per stage in [`chain`], each both the arguments of an executable and a
//! call of this library:
//!
//! ```text
//!  documents ─► create_bows ─► BOW ─► create_voc ─► VOC ─► reduce_voc ─► VOC
//!                               │                                         │
//!                               └────────────► create_vecs ◄──────────────┘
//!                                                  │
//!                                                 VEC ───────────► similarity ──► pairs ─┐
//!                                                  │             (exact cosine)          ├─► compare_results
//!                                             create_sigs ─► SIG ─► hamming (PLEB)       │
//!                                                                └► hamming_full ► pairs ┘
//! ```
//!
//! # Glossary
//!
//! - **term**: a word of a document, or a *shingle*: a number of consecutive words.
//! - **bag of words**: the terms of a document with their counts.
//! - **vocabulary**: the terms of a collection with their collection frequency (TC) and document frequency (DC).
//! - **vector**: the weights of a document's terms, such as tf or tf·idf, by position in the vocabulary.
//! - **signature**: one bit per random hyperplane: the side on which a vector lies.
//! - **sample**: the documents that are compared with the collection, if not all are.
//!
//! # Modules
//!
//! Data flows one way: `corpus` → [`text`] → `vector` → `signature` → `search` → `clusters` or `evaluate`. Only `files` knows
//! bytes on disk, only `cli` touches arguments, environment and exit codes, and only `bits` holds SIMD kernels. [`chain`],
//! [`near_dups`], [`ngrams`], [`page`], [`sections`] and [`experiment`] combine them into executables. `ARCHITECTURE.md` has the rules and their reasons.

#![deny(missing_docs, unsafe_code)]
// Documentation is built with private items; hidden modules make some of them public.
#![allow(rustdoc::private_intra_doc_links)]

// Kernels and algorithms: public for the benchmarks and integration tests of this crate, without any promise of stability.
#[doc(hidden)]
pub mod bits;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod signature;
#[doc(hidden)]
pub mod vector;

#[doc(hidden)]
pub mod cli;

/// Parsers, writers and readers that the fuzz targets of this crate run, without any promise of stability.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::clusters::{Clusters, complete, components};
    pub use crate::corpus::{
        CopyTarget, DocumentCopy, DocumentFormat, Documents, ExtractedText, Heading, InputArgs,
        InputFormat, Inputs, ReadPolicy, TextEncoding, find, read,
    };
    pub use crate::files::{
        bow, decimal, ids, input, list, manifest, name, output, pairs, paths, print, sig, vec, voc,
    };
    pub use crate::text::markup::strip;
}

mod clusters;
mod corpus;
mod error;
mod evaluate;
mod executable;
mod files;

pub mod alignment;
pub mod chain;
pub mod experiment;
pub mod methods;
pub mod near_dups;
pub mod ngrams;
pub mod page;
pub mod passages;
mod pool;
pub mod prints;
pub mod sections;
pub mod session;
mod shard;
pub mod text;

pub use error::{Error, Result};
pub use executable::{Counts, Executable};
pub use near_dups::NearDups;
pub use session::{Progress, Session};
