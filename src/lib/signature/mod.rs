//! Random-hyperplane signatures: one bit per hyperplane, the side on which a vector lies. Two vectors at angle θ get the same bit from a random
//! hyperplane with probability 1 − θ/π (Charikar 2002), so the Hamming distance of signatures estimates the angle.
//!
//! Two kinds of hyperplanes: [`gauss`] has normal components in a table, as the theory assumes; [`levels`] has small integer components,
//! generated on demand, and is ten times as fast.

pub mod gauss;
mod hyperplanes;
pub mod levels;
pub mod normal;
mod set;
mod tally;
mod vectors;
mod weights;

pub use crate::bits::groups::EqualGroups;
pub use gauss::HyperplaneBlock;
pub use hyperplanes::Hyperplanes;
pub use levels::Levels;
pub use set::{BITS_PER_WORD, MAX_SIGNATURE_BITS, SignatureSet, group_equal};
pub use tally::{ComponentTally, VectorSums};
pub use vectors::{Distribution, RandomVectors};
pub use weights::{QuantizedVectors, effective_terms};
