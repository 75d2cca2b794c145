//! Random-hyperplane signatures: where a document's vector lies, told in bits. Two vectors at angle θ get the same bit from a random
//! hyperplane with probability 1 − θ/π (Charikar 2002), so the Hamming distance of signatures estimates the angle.
//!
//! Two kinds of random vectors: [`gauss`], whose components are normal numbers in a table, as theory wants them, and [`levels`], whose
//! components are small whole numbers that are made again whenever they are needed, ten times as fast.

#![deny(unsafe_code)]

pub mod gauss;
mod groups;
mod hyperplanes;
pub mod levels;
mod matrix;
pub mod normal;
mod set;
mod tally;
mod vectors;
mod weights;

pub use gauss::HyperplaneBlock;
pub use groups::Groups;
pub use hyperplanes::Hyperplanes;
pub use levels::Levels;
pub use matrix::{SignedRows, short_rows, sign_matrix};
pub use set::{BITS_PER_WORD, MAX_SIGNATURE_BITS, SignatureSet};
pub use tally::{ComponentTally, VectorSums};
pub use vectors::{Components, Distribution, RandomSource, RandomVectors};
pub use weights::{QuantizedVectors, effective_terms};
