//! Near-duplicate documents in collections of millions: bags of words, sparse vectors, random-hyperplane signatures, and the searches
//! that find what is similar, with measures that say how good the answer is.
//!
//! ```text
//!  documents ─► create_bows ─► BOW ─► create_voc ─► VOC ─► reduce_voc ─► VOC
//!                               │                                         │
//!                               └────────────► create_vecs ◄──────────────┘
//!                                                  │
//!                                                 VEC ───────────► similarity ──► result ─┐
//!                                                  │             (exact cosine)           ├─► compare_results
//!                                             create_sigs ─► SIG ─► hamming (PLEB)        │
//!                                                                └► hamming_full ► result ┘
//! ```
//!
//! In one process, from whatever holds documents to pairs, clusters and a copy without duplicates: `find_near_dups`; its pairs as a page: `report_pairs`.
//!
//! Beside the chain: `create_corpus` makes synthetic collections, `analyze_rnd_vecs_quality` tests the random vectors of signatures,
//! `implant_rnd_vecs` makes documents of them, `extract_similarities` takes plain numbers out of results.
//!
//! # Words used here
//!
//! - **term**: a word, or a run of words (a *shingle*), of a document.
//! - **bag of words**: a document's terms with their counts.
//! - **vocabulary**: the collection's terms; TC counts a term's occurrences, DC the documents that hold it.
//! - **vector**: a document's weights (tf or tf·idf) by the terms' positions in the vocabulary.
//! - **signature**: bits that say on which side of random hyperplanes a vector lies.
//! - **sample**: the documents against which similarities are computed, where not all are wanted.
//!
//! # Rooms
//!
//! Data flows one way: [`corpus`] → [`text`] → [`vector`] → [`signature`] → [`search`] → [`evaluate`] or [`clusters`]. [`files`] alone knows bytes on
//! disk, [`cli`] alone touches arguments, the terminal and exit codes, [`bits`] holds the innermost loops. [`chain`] puts them together, one
//! module a stage; [`experiment`] runs the chain over lists of settings and writes tables, which
//! `scripts/report` describes. [`page`] makes the HTML file that shows found pairs.
//!
//! # Example
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

pub mod bits;
pub mod chain;
pub mod cli;
pub mod clusters;
pub mod corpus;
pub mod error;
pub mod evaluate;
pub mod executable;
pub mod experiment;
pub mod files;
pub mod near_dups;
pub mod page;
pub mod random;
pub mod search;
pub mod session;
pub mod signature;
pub mod text;
pub mod vector;

pub use error::{Error, Result};
pub use near_dups::NearDups;
pub use session::{Progress, Session};
