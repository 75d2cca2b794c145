//! Exact percentages, for thresholds.

use std::fmt;
use std::str::FromStr;

/// Percentage exactly as written: `mantissa / 10^decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Percent {
    mantissa: i64,
    decimals: u32,
}

/// Maximum number of decimals: with three digits before the point they fit an `i64`.
const MAX_DECIMALS: usize = 15;

impl Percent {
    /// Returns the nearest floating-point number.
    pub fn value(self) -> f64 {
        self.to_string().parse().expect("digits, a point and a sign are a number")
    }

    /// Returns the largest Hamming distance d at which the similarity 100·(bits − d)/bits of signatures is at least this, computed in integers.
    pub fn max_distance(self, bits: usize) -> u32 {
        let whole = 100 * 10i128.pow(self.decimals);
        let wanted = i128::from(self.mantissa) * bits as i128;
        let agreeing = wanted.div_euclid(whole) + i128::from(wanted.rem_euclid(whole) != 0);
        let distance = (bits as i128 - agreeing).min(bits as i128);
        u32::try_from(distance).expect("a percentage is at most 100, and bits are fewer than 2^32")
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a percentage such as 95 or 79.5");
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = format!("{whole}{fraction}");
        if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        if fraction.len() > MAX_DECIMALS {
            return Err(format!("'{text}' has more than {MAX_DECIMALS} decimals"));
        }
        let magnitude: i64 = digits.parse().map_err(|_| wrong())?;
        let decimals = fraction.len() as u32;
        if i128::from(magnitude) > 100 * 10i128.pow(decimals) {
            return Err(format!("{text} is beyond 100 percent"));
        }
        let mantissa = if text.starts_with('-') { -magnitude } else { magnitude };
        Ok(Percent { mantissa, decimals })
    }
}

impl serde::Serialize for Percent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let unit = 10u64.pow(self.decimals);
        let magnitude = self.mantissa.unsigned_abs();
        write!(f, "{sign}{}", magnitude / unit)?;
        if self.decimals > 0 {
            write!(f, ".{:0width$}", magnitude % unit, width = self.decimals as usize)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(text: &str, bits: usize) -> u32 {
        text.parse::<Percent>().unwrap().max_distance(bits)
    }

    #[test]
    fn the_maximum_distance_is_exact() {
        assert_eq!(distance("95", 1024), 51);
        assert_eq!(distance("0", 1024), 1024);
        assert_eq!(distance("-5", 64), 64);
        assert_eq!(distance("100", 1024), 0);
        assert_eq!(distance("99.90234375", 1024), 1, "exactly one bit");
        assert_eq!(distance("99.90234376", 1024), 0, "a little more than one bit");
        assert_eq!(distance("79.1", 1000), 209);
        assert_eq!(distance("79.1", 2000), 418);
    }

    #[test]
    fn agrees_with_the_definition_at_every_threshold() {
        for tenths in 0..=1000i64 {
            let percent: Percent = format!("{}.{}", tenths / 10, tenths % 10).parse().unwrap();
            for bits in [4i64, 60, 64, 1000, 1024] {
                let slow = (0..=bits).rev().find(|d| 1000 * (bits - d) >= tenths * bits).unwrap();
                assert_eq!(percent.max_distance(bits as usize), slow as u32, "{percent} {bits}");
            }
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for wrong in
            ["", "-", "abc", "1e2", "100.1", "-101", "9.", ".5", "+5", "1.1234567890123456", "nan"]
        {
            assert_eq!(wrong.parse::<Percent>().is_ok(), wrong == "9.", "{wrong}");
        }
    }

    #[test]
    fn percentages_print_as_written() {
        for text in ["95", "79.5", "-0.05", "100.000"] {
            assert_eq!(text.parse::<Percent>().unwrap().to_string(), text);
        }
        assert_eq!("79.5".parse::<Percent>().unwrap().value(), 79.5);
    }
}
