//! Numbers that compare exactly, whatever their size: as decimal digits.

use std::cmp::Ordering;
use std::str::FromStr;

/// The largest exponent; a number with more compares as if it had this one.
const MAX_EXPONENT: i64 = 1 << 60;

/// A decimal number: 0.d₁d₂d₃… · 10^exponent. Equal numbers are equal however they are spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactNumber {
    is_negative: bool,
    exponent: i64,
    /// Digits without leading and trailing zeros; none for 0.
    digits: Box<[u8]>,
}

impl FromStr for ExactNumber {
    type Err = ();

    /// Parses what the standard library parses as a finite `f64`, without rounding.
    fn from_str(text: &str) -> Result<Self, ()> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent).ok_or(())?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole.as_bytes(), fraction.as_bytes()].concat();
        if all.is_empty() || !all.iter().all(u8::is_ascii_digit) {
            return Err(());
        }
        let zeros = all.iter().take_while(|digit| **digit == b'0').count();
        let end = all.iter().rposition(|digit| *digit != b'0').map_or(zeros, |last| last + 1);
        let digits: Box<[u8]> = all[zeros..end].into();
        if digits.is_empty() {
            return Ok(ExactNumber { is_negative: false, exponent: 0, digits });
        }
        let exponent = exponent + whole.len() as i64 - zeros as i64;
        Ok(ExactNumber { is_negative: text.starts_with('-'), exponent, digits })
    }
}

/// Parses an exponent, limited to [`MAX_EXPONENT`].
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(MAX_EXPONENT).min(MAX_EXPONENT);
    Some(if text.starts_with('-') { -size } else { size })
}

impl ExactNumber {
    fn sign(&self) -> i8 {
        match self.digits.is_empty() {
            true => 0,
            false if self.is_negative => -1,
            false => 1,
        }
    }
}

impl Ord for ExactNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = || (self.exponent, &self.digits).cmp(&(other.exponent, &other.digits));
        let by_size = || if self.is_negative { size().reverse() } else { size() };
        self.sign().cmp(&other.sign()).then_with(by_size)
    }
}

impl PartialOrd for ExactNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> ExactNumber {
        text.parse().unwrap_or_else(|()| panic!("{text}"))
    }

    #[test]
    fn spellings_of_a_number_are_equal() {
        for equal in [
            vec!["0", "-0", "0.000", "0e999", "+0", "-.0"],
            vec!["1", "1.0", "10e-1", "+1", "0.1e1", "0001", "1E+0", "1."],
            vec!["-12.5", "-125e-1", "-0.0125e3", "-12.500"],
        ] {
            assert!(equal.iter().all(|text| number(text) == number(equal[0])), "{equal:?}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "0x1", "1_0", "inf", "nan", "1 ", "--1"] {
            assert!(text.parse::<ExactNumber>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_beyond_floats_compare_by_size() {
        let ascending = [
            "-1e99999999999999999999",
            "-123456789012345678901234567891",
            "-123456789012345678901234567890",
            "-1e-400",
            "0",
            "1e-99999999999999999999",
            "1e-401",
            "1e-400",
            "9007199254740992",
            "9007199254740992.5",
            "9007199254740993",
            "123456789012345678901234567890",
            "123456789012345678901234567891",
            "1e400",
        ];
        assert!(ascending.map(number).is_sorted_by(|left, right| left < right));
    }

    proptest! {
        #[test]
        fn integers_compare_as_integers(left: i128, right: i128, shift in 0u32..120) {
            for (left, right) in [(left, right), (left >> shift, right >> shift), (left, left ^ 1)] {
                let found = number(&left.to_string()).cmp(&number(&right.to_string()));
                prop_assert_eq!(found, left.cmp(&right));
            }
        }

        #[test]
        fn floats_compare_as_floats(left: f64, right: f64, near in 0u64..3) {
            for right in [right, f64::from_bits(left.to_bits() ^ near)] {
                prop_assume!(left.is_finite() && right.is_finite());
                let found = number(&format!("{left:e}")).cmp(&number(&right.to_string()));
                prop_assert_eq!(Some(found), left.partial_cmp(&right));
            }
        }

        #[test]
        fn all_and_only_finite_floats_are_parsed(text in "[-+]?[0-9.]{0,4}(e[-+]?[0-9]{0,2})?") {
            prop_assert_eq!(text.parse::<ExactNumber>().is_ok(), text.parse::<f64>().is_ok(), "{}", text);
        }
    }
}
