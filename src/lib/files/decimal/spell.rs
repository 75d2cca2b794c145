//! Decimal formatting, exactly as by `{}`.

/// Appends a whole number.
#[inline]
pub fn append_number(text: &mut Vec<u8>, number: u64) {
    // Most counts have one digit.
    if number < 10 {
        text.push(b'0' + number as u8);
    } else {
        text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
}

/// Appends the shortest decimal that parses to the same number, without an exponent.
#[inline]
pub fn append_float(text: &mut Vec<u8>, number: f32) {
    let mut buffer = zmij::Buffer::new();
    let spelled = buffer.format(number).as_bytes();
    let digits = spelled.strip_suffix(b".0").unwrap_or(spelled);
    let is_plain = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
    if is_plain && !is_tie(number, digits) {
        text.extend_from_slice(digits);
    } else {
        // An exponent, a tie between two spellings, or not finite: rare.
        text.extend_from_slice(number.to_string().as_bytes());
    }
}

/// Returns whether two spellings of this length are equally near, so that libraries may choose differently. A number with n binary places,
/// the last of them 1, has n decimal places, the last of them 5: it is a tie at n - 1 places.
fn is_tie(number: f32, digits: &[u8]) -> bool {
    let places = digits.iter().rev().position(|byte| *byte == b'.').unwrap_or(0);
    binary_places(number) == places as i32 + 1
}

/// Returns the number of binary places of a normal number; negative for multiples of a power of two.
fn binary_places(number: f32) -> i32 {
    const FRACTION_BITS: u32 = f32::MANTISSA_DIGITS - 1;
    const BIAS: i32 = f32::MAX_EXP - 1 + FRACTION_BITS as i32;
    let fraction = number.to_bits() | 1 << FRACTION_BITS;
    let exponent = number.to_bits() << 1 >> (FRACTION_BITS + 1);
    BIAS - exponent as i32 - fraction.trailing_zeros() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spelled(number: f32) -> String {
        let mut text = Vec::new();
        append_float(&mut text, number);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn whole_numbers_are_spelled_as_by_the_standard_library() {
        for number in (0..1000).chain([1 << 32, u64::MAX - 1, u64::MAX]) {
            let mut text = Vec::new();
            append_number(&mut text, number);
            assert_eq!(text, number.to_string().into_bytes());
        }
    }

    #[test]
    fn numbers_of_every_size_are_spelled_as_by_the_standard_library() {
        let special = [0.0, -0.0, 1.0, -2.5, f32::MIN_POSITIVE, f32::MAX, 16777216.0, 1e-7, 0.1];
        let not_finite = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let powers = (-149..128).map(|power| 2f64.powi(power) as f32);
        let neighbours = powers.flat_map(|power| {
            [power, f32::from_bits(power.to_bits() - 1), f32::from_bits(power.to_bits() + 1)]
        });
        // Products of small counts and logarithms, the usual components.
        let weights = (1..500).map(|n| (f64::from(n % 7 + 1) * libm::log(f64::from(n))) as f32);
        for number in special.into_iter().chain(not_finite).chain(neighbours).chain(weights) {
            assert_eq!(spelled(number), format!("{number}"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn any_number_is_spelled_as_by_the_standard_library(bits: u32, near_one in 0f32..100.0) {
            let number = f32::from_bits(bits);
            prop_assert_eq!(spelled(number), format!("{number}"));
            prop_assert_eq!(spelled(near_one), format!("{near_one}"));
        }
    }
}
