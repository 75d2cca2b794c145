//! Decimal numbers, parsed and formatted with the results of the standard library in less time.

mod parse;
mod spell;

pub use parse::{decimal, digits};
pub use spell::{append_float, append_number};
