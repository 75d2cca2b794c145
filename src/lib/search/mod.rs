//! Finding pairs: among signatures all of them ([`full`]) or by sorting and swapping ([`pleb`]), among vectors exactly
//! ([`exact`]). Knows numbers only; what they stand for is for others.

pub mod exact;
pub mod full;
mod pairs;
pub mod pleb;
mod threshold;

pub use pairs::{Match, Pair, Rows};
pub use threshold::Percent;
