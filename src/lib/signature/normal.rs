//! N(0,1) in 16 bits.
//!
//! A component is made of sixteen random bits: the highest is its sign, the other fifteen choose one of 32,768 equally probable parts of the
//! half-normal distribution, and the component is the middle quantile of that part, rounded to 1/4096 (and never to 0, which has no side). The
//! distribution function of what comes out is nowhere further than 2·10⁻⁴ from the normal one; its largest value is 4.32.

use std::f64::consts::SQRT_2;
use std::sync::LazyLock;

/// What a component of 1.0 is stored as.
pub const ONE: f64 = 4096.0;
/// No component is further from 0; the test of the table proves it.
pub const LARGEST: i64 = 17_715;
/// Equally probable parts of the positive half.
const PARTS: usize = 1 << 15;

static QUANTILES: LazyLock<Vec<i16>> = LazyLock::new(quantiles);

/// The parts' middle quantiles, the largest first. All of the arithmetic is in software or exact, so it gives the same on every machine.
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

/// The values that a component can have, ascending, with their probabilities: multiples of 2⁻¹⁶.
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

/// Turns random bits, sixteen little-endian ones in each place, into components.
pub fn from_bits(places: &mut [i16]) {
    let quantiles: &[i16; PARTS] = QUANTILES[..].try_into().expect("the table has all parts");
    for place in places {
        let bits = i16::from_le(*place);
        let sign = bits >> 15;
        // Minus a number is its complement and one more.
        *place = (quantiles[bits as u16 as usize % PARTS] ^ sign) - sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_descends_to_one_and_keeps_its_bound() {
        assert!(QUANTILES.is_sorted_by(|left, right| left >= right));
        assert_eq!(i64::from(QUANTILES[0]), LARGEST);
        assert_eq!(QUANTILES[PARTS - 1], 1);
    }

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        for (part, quantile) in QUANTILES.iter().enumerate() {
            let probability = (part as f64 + 0.5) / (2 * PARTS) as f64;
            let tail = |component: f64| 0.5 * libm::erfc(component / ONE / SQRT_2);
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
