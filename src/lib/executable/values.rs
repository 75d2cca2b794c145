//! Parsers of flag values: numbers are checked once, when the arguments are read.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::signature::MAX_SIGNATURE_BITS;

/// The largest number of threads. More would take longer to start than the work takes.
const MAX_THREADS: usize = 1024;

/// Parses a number of threads, 0 for one per core.
pub fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| *threads <= MAX_THREADS);
    threads.ok_or_else(|| format!("expected an integer from 0 to {MAX_THREADS}"))
}

/// Parses an integer of at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected an integer of at least 1".into())
}

/// Parses an integer of at least 1.
pub fn at_least_one_u64(text: &str) -> Result<u64, String> {
    at_least_one(text).map(|number| number as u64)
}

/// Parses any number, infinite ones included.
pub fn limit(text: &str) -> Result<f64, String> {
    let limit = text.parse().ok().filter(|limit: &f64| !limit.is_nan());
    limit.ok_or_else(|| "expected a number".into())
}

/// Parses a number from `min` to `max`.
pub fn within(text: &str, min: f64, max: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("expected a number from {min} to {max}"))
}

/// Parses a share from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1.0)
}

/// Parses a signature length: a positive multiple of 4, because a hexadecimal digit holds four bits.
pub fn signature_bits(text: &str) -> Result<usize, String> {
    let bits = at_least_one(text)?;
    if !bits.is_multiple_of(4) || bits > MAX_SIGNATURE_BITS {
        return Err(format!("expected a multiple of 4 of at most {MAX_SIGNATURE_BITS}"));
    }
    Ok(bits)
}

/// Parses a percentage that two disjoint parts of a whole can both exceed.
pub fn below_half(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..50.0).contains(percent));
    percent.ok_or_else(|| "expected a percentage of at least 0 and below 50".into())
}

/// Parses a share from 0 to 1, or a percentage of at least 10, or any that ends in `%`.
pub fn share_or_percent(text: &str) -> Result<f64, String> {
    parse_share(text, "a share such as 0.99, or a percentage such as 99.4 or 99.4%")
}

/// Parses a share as [`share_or_percent`] does; `expected` describes it. A number above 1 and below 10 is refused: 1.5 may be 1.5 percent, or a share
/// with a misplaced point.
pub fn parse_share(text: &str, expected: &str) -> Result<f64, String> {
    let number = |text: &str| text.parse().ok().filter(|number: &f64| *number >= 0.0);
    let share = match (text.strip_suffix('%'), number(text)) {
        (Some(percent), _) => number(percent).map(|percent| percent / 100.0),
        (None, Some(number)) if number > 1.0 && number < 10.0 => {
            return Err(format!("expected {expected}; write {text}% for {text} percent"));
        }
        (None, number) => number.map(|number| if number > 1.0 { number / 100.0 } else { number }),
    };
    share.filter(|share| *share <= 1.0).ok_or_else(|| format!("expected {expected}"))
}

/// A number of bytes of at least 1, spelled with K, M or G for powers of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub struct ByteSize(pub u64);

/// Suffixes and the power of two that each stands for, the largest first.
const BYTE_UNITS: [(char, u32); 3] = [('G', 30), ('M', 20), ('K', 10)];

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unit = BYTE_UNITS
            .iter()
            .find(|(suffix, _)| text.ends_with([*suffix, suffix.to_ascii_lowercase()]));
        let (digits, shift) =
            unit.map_or((text, 0), |(_, shift)| (&text[..text.len() - 1], *shift));
        let bytes = digits.parse().ok().and_then(|number: u64| number.checked_mul(1 << shift));
        let bytes = bytes.filter(|bytes| *bytes > 0).map(ByteSize);
        bytes.ok_or_else(|| {
            "expected a number of bytes of at least 1, such as 1000, 64K, 256M or 2G".into()
        })
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_whole = |(_, shift): &&(char, u32)| self.0.is_multiple_of(1 << shift);
        match BYTE_UNITS.iter().find(is_whole).filter(|_| self.0 > 0) {
            Some((suffix, shift)) => write!(f, "{}{suffix}", self.0 >> shift),
            None => write!(f, "{}", self.0),
        }
    }
}

impl From<ByteSize> for String {
    fn from(size: ByteSize) -> String {
        size.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_up_to_one_or_a_percentage() {
        let shares = [("0", 0.0), ("0.015", 0.015), ("1", 1.0), ("1.5%", 0.015), ("1%", 0.01)];
        let percentages = [("10", 0.1), ("99.5", 0.995), ("100", 1.0), ("99.5%", 0.995)];
        for (text, share) in shares.into_iter().chain(percentages) {
            assert_eq!(share_or_percent(text), Ok(share), "{text}");
        }
        for wrong in ["", "%", "x", "-1", "100.1", "101%", "nan", "inf"] {
            assert!(share_or_percent(wrong).is_err(), "{wrong}");
        }
        for ambiguous in ["1.0001", "1.5", "2", "8", "9.999"] {
            let message = share_or_percent(ambiguous).unwrap_err();
            let hint = format!("; write {ambiguous}% for {ambiguous} percent");
            assert!(message.ends_with(&hint) && message.contains("0.99"), "{message}");
        }
    }

    #[test]
    fn byte_sizes_have_suffixes() {
        for (text, bytes, spelled) in [
            ("1", 1, "1"),
            ("1000", 1000, "1000"),
            ("2048", 2048, "2K"),
            ("3k", 3 << 10, "3K"),
            ("1024K", 1 << 20, "1M"),
            ("256M", 256 << 20, "256M"),
            ("17179869183G", 17_179_869_183 << 30, "17179869183G"),
        ] {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
            assert_eq!(ByteSize(bytes).to_string(), spelled);
            assert_eq!(spelled.parse(), Ok(ByteSize(bytes)));
        }
        for text in ["", "0", "0K", "K", "-1", "1.5M", "1T", "1KB", "1 K", "17179869184G", "ž"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }
}
