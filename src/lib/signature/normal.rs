//! Standard normal components in 16 bits.
//!
//! A component is computed from sixteen random bits: the highest is its sign, the other fifteen select one of 32,768 equally probable parts of the
//! half-normal distribution, and the component is the median of that part, rounded to 1/4096 (and never to 0, which has no sign). The distribution
//! function differs from the normal one by at most 2·10⁻⁴; the largest component is 4.32.

use std::f64::consts::SQRT_2;
use std::sync::LazyLock;

/// Stored value of a component of 1.0.
pub const ONE: f64 = 4096.0;
/// Largest absolute value of a stored component.
pub const LARGEST: i64 = 17_715;
/// Equally probable parts of the positive half.
const PARTS: usize = 1 << 15;

static QUANTILES: LazyLock<Vec<i16>> = LazyLock::new(quantiles);

/// Returns the medians of the parts, the largest first. All arithmetic is in software or exact, so it is deterministic on every machine.
fn quantiles() -> Vec<i16> {
    let tail = |component: f64| 0.5 * libm::erfc(component / ONE / SQRT_2);
    let mut table = vec![0; PARTS];
    let mut component = 1i16;
    let mut next_tail = tail(1.5);
    for (part, quantile) in table.iter_mut().enumerate().rev() {
        let probability = (part as f64 + 0.5) / (2 * PARTS) as f64;
        while next_tail >= probability {
            component += 1;
            next_tail = tail(f64::from(component) + 0.5);
        }
        *quantile = component;
    }
    table
}

/// Returns the values of a component, ascending, with their probabilities: multiples of 2⁻¹⁶.
pub fn distribution() -> Vec<(i16, f64)> {
    let share = 1.0 / (2 * PARTS) as f64;
    let positive = QUANTILES.iter().rev().copied();
    let all = QUANTILES.iter().map(|quantile| -quantile).chain(positive);
    let mut values: Vec<(i16, f64)> = Vec::new();
    for value in all {
        match values.last_mut() {
            Some((last, probability)) if *last == value => *probability += share,
            _ => values.push((value, share)),
        }
    }
    values
}

/// Replaces sixteen little-endian random bits by a component, in every entry.
pub fn from_bits(places: &mut [i16]) {
    let quantiles: &[i16; PARTS] = QUANTILES[..].try_into().expect("the table has all parts");
    for place in places {
        let bits = i16::from_le(*place);
        let sign = bits >> 15;
        // Negation is the complement plus one.
        *place = (quantiles[bits as u16 as usize % PARTS] ^ sign) - sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_descend_and_match_the_normal_distribution() {
        assert!(QUANTILES.is_sorted_by(|left, right| left >= right));
        assert_eq!((i64::from(QUANTILES[0]), QUANTILES[PARTS - 1]), (LARGEST, 1));
        let tail = |component: f64| 0.5 * libm::erfc(component / ONE / SQRT_2);
        for (part, quantile) in QUANTILES.iter().enumerate() {
            let probability = (part as f64 + 0.5) / (2 * PARTS) as f64;
            let middle = f64::from(*quantile);
            assert!(tail(middle + 0.5) <= probability, "{part}");
            assert!(tail(middle - 0.5) >= probability || *quantile == 1, "{part}");
        }
    }

    #[test]
    fn the_highest_bit_is_the_sign() {
        let mut components = [0x7FFF, -1, 0, i16::MIN].map(i16::to_le);
        from_bits(&mut components);
        assert_eq!(components, [1, -1, LARGEST as i16, -LARGEST as i16]);
    }
}
