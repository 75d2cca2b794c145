//! Searches for similar pairs: among signatures exhaustively ([`full`]) or by PLEB ([`pleb`]) and among vectors ([`exact`]).
//! Items are numbers; the module knows nothing of documents or text.

mod buckets;
pub mod exact;
pub mod full;
mod grouped;
pub mod join;
mod listing;
mod method;
mod pairs;
pub mod pleb;
pub mod scan;
#[cfg(test)]
mod testing;
mod threshold;
mod union_find;

pub use crate::bits::groups::EqualGroups;
pub use grouped::GroupedPairs;
pub use listing::PairListing;
pub use method::{AllPairsMethod, SimilarityMeasure};
pub use pairs::{Match, MatchLists, Pair, PairRecord, SignaturePair, similarity};
pub use threshold::Percent;
pub use union_find::UnionFind;
