//! Numbers as the chain's files spell them, read and written in less time than the standard library takes, with the same results.

mod parse;
mod spell;

pub use parse::{decimal, digits};
pub use spell::{append_float, append_number};
