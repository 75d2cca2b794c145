//! Finding pairs: among signatures all of them ([`full`]) or by sorting and swapping ([`pleb`]), among vectors exactly
//! ([`exact`]) or by their signatures with a stated recall ([`near`]). Knows numbers only; what they stand for is for others.

#![deny(unsafe_code)]

mod buckets;
pub mod exact;
pub mod full;
mod grouped;
mod groups;
pub mod join;
mod method;
pub mod near;
mod pairs;
pub mod pleb;
pub mod scan;
#[cfg(test)]
mod testing;
mod threshold;

pub use grouped::GroupedPairs;
pub use groups::EqualGroups;
pub use method::{AllPairsMethod, SimilarityMeasure};
pub use pairs::{Match, MatchLists, Pair, PairRecord, SignaturePair, similarity};
pub use threshold::Percent;
