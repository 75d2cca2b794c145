//! Parsers of flag values: numbers are checked once, when the arguments are read.

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
}
