//! Random-hyperplane signatures: where a document's vector lies, told in bits. Two vectors at angle θ get the same bit from a random
//! hyperplane with probability 1 − θ/π (Charikar 2002), so the Hamming distance of signatures estimates the angle.

mod hyperplanes;
mod set;
mod sign;

pub use hyperplanes::Hyperplanes;
pub use set::{BITS_IN_WORD, MOST_BITS, SignatureSet};
pub use sign::{Block, sign};
