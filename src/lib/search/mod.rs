//! Finding pairs: among signatures all of them ([`full`]) or by sorting and swapping ([`pleb`]), among vectors exactly
//! ([`exact`]). Knows numbers only; what they stand for is for others.

pub mod exact;
pub mod full;
pub mod join;
mod pairs;
pub mod pleb;
pub mod scan;
#[cfg(test)]
mod testing;
mod threshold;

pub use pairs::{Close, Joins, Match, Pair, Rows, similarity};
pub use threshold::Percent;
