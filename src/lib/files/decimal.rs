//! Decimal numbers, parsed and formatted with the results of the standard library in less time.
//!
//! Only the plain spellings that the pipeline writes are parsed (`1234`, `-0.5`, `17.25`), eight digits at a time; callers pass any other to
//! the standard library. Results are rounded exactly as by [`str::parse`], and formatted exactly as by `{}`.

/// Digits converted together: the bytes of a 64-bit word.
const DIGITS_PER_WORD: usize = 8;
/// Eight characters `0`.
const ZEROS: u64 = 0x3030_3030_3030_3030;
/// The upper half of each byte.
const HIGH_HALVES: u64 = 0xF0F0_F0F0_F0F0_F0F0;
/// Six in each byte: added to a byte below 16, it carries into the upper half from 10 on.
const SIX_EACH: u64 = 0x0606_0606_0606_0606;

/// Maximum number of digits after the point: two words.
const MAX_FRACTION: usize = 2 * DIGITS_PER_WORD;
/// Powers of ten by the number of digits after the point; all are exact in `f64`.
const POWERS: [u64; MAX_FRACTION + 1] = {
    let mut powers = [1; MAX_FRACTION + 1];
    let mut at = 1;
    while at <= MAX_FRACTION {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Parses an integer of at most eight digits at the start of `text`. Returns it with its number of digits, 0 if there is none or more than
/// eight.
#[inline(always)]
pub fn digits(text: &[u8]) -> (u64, usize) {
    match first_digits(text) {
        (_, DIGITS_PER_WORD) if text.get(DIGITS_PER_WORD).is_some_and(u8::is_ascii_digit) => (0, 0),
        found => found,
    }
}

/// Parses the first digits of `text`, at most eight. Returns their value and number.
#[inline(always)]
fn first_digits(text: &[u8]) -> (u64, usize) {
    let word = match text.first_chunk::<DIGITS_PER_WORD>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => {
            let mut bytes = [0; DIGITS_PER_WORD];
            bytes[..text.len()].copy_from_slice(text);
            u64::from_le_bytes(bytes)
        }
    };
    let values = word ^ ZEROS;
    // Only a byte that is no digit can carry, into the bytes after it, which do not count.
    let others = (values | values.wrapping_add(SIX_EACH)) & HIGH_HALVES;
    let count = (others.trailing_zeros() / u8::BITS) as usize;
    match count {
        0 => (0, 0),
        // Shifts the digits to the end of the word, behind zeros.
        _ => (joined(values << (u64::BITS as usize - count * u8::BITS as usize)), count),
    }
}

/// Like [`digits`], for up to sixteen digits.
#[inline(always)]
fn fraction_digits(text: &[u8]) -> (u64, usize) {
    match first_digits(text) {
        (high, DIGITS_PER_WORD) => match digits(&text[DIGITS_PER_WORD..]) {
            (_, 0) if text.get(DIGITS_PER_WORD).is_some_and(u8::is_ascii_digit) => (0, 0),
            (low, count) => (high * POWERS[count] + low, DIGITS_PER_WORD + count),
        },
        found => found,
    }
}

/// Combines the digits in a word's bytes, the first in the lowest byte: by pairs, fours, then all eight.
#[inline(always)]
fn joined(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xFFFF_FFFF
}

/// Parses an `f32` at the start of `text`: an optional minus, one to eight digits, optionally a point and one to sixteen digits. Returns it
/// with its length, or `None` for any other spelling and for numbers that only [`str::parse`] can round.
///
/// If all digits together are below 2^53, the one division in `f64` has two exact operands, so its result is the `f64` nearest to the true
/// value. Rounding that to `f32` errs only if it lies exactly half-way between two `f32`, or below the smallest normal one: those return
/// `None`.
#[inline(always)]
pub fn decimal(text: &[u8]) -> Option<(f32, usize)> {
    let is_negative = text.first() == Some(&b'-');
    let mut at = usize::from(is_negative);
    let (whole, count) = digits(&text[at..]);
    if count == 0 {
        return None;
    }
    at += count;
    let mut value = whole as f64;
    if text.get(at) == Some(&b'.') {
        let (fraction, count) = fraction_digits(&text[at + 1..]);
        let mantissa = whole.checked_mul(POWERS[count])?.checked_add(fraction)?;
        if count == 0 || mantissa >= 1 << f64::MANTISSA_DIGITS {
            return None;
        }
        at += 1 + count;
        value = mantissa as f64 / POWERS[count] as f64;
    }
    let rounded = rounded(value)?;
    Some((if is_negative { -rounded } else { rounded }, at))
}

/// Rounds a non-negative number to `f32`, unless rounding twice may differ from rounding once.
#[inline(always)]
fn rounded(value: f64) -> Option<f32> {
    /// Fraction bits of an `f64` that an `f32` lacks.
    const DROPPED: u32 = f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS;
    const HALF_WAY: u64 = 1 << (DROPPED - 1);
    let is_half_way = value.to_bits() & ((1 << DROPPED) - 1) == HALF_WAY;
    let is_small = value < f64::from(f32::MIN_POSITIVE) && value != 0.0;
    (!is_half_way && !is_small).then_some(value as f32)
}

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

/// Digits of [`decimals`].
pub const MAX_DECIMALS: usize = 8;

/// Returns the decimals of a number of hundred-millionths below 1, and how many are left without trailing zeros, at least `min`.
#[inline]
pub fn decimals(hundred_millionths: u64, min: usize) -> ([u8; MAX_DECIMALS], usize) {
    let (mut digits, mut rest) = ([b'0'; MAX_DECIMALS], hundred_millionths);
    for digit in digits.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    let last = digits.iter().rposition(|digit| *digit != b'0');
    (digits, last.map_or(0, |last| last + 1).max(min))
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

    /// Compares a parsed number with the standard library's.
    fn check(text: &str) -> bool {
        let (number, count) = digits(text.as_bytes());
        if count > 0 {
            assert_eq!(text[..count].parse(), Ok(number), "{text}");
            assert!(!text[count..].starts_with(|c: char| c.is_ascii_digit()), "{text}");
        }
        let Some((value, length)) = decimal(text.as_bytes()) else { return false };
        let parsed: f32 = text[..length].parse().unwrap();
        assert_eq!(value.to_bits(), parsed.to_bits(), "{text}");
        true
    }

    #[test]
    fn only_plain_spellings_are_parsed() {
        let plain = "0 7 -0 12345678 0.5 -17.25 99999999.9999999 1.5: 3:";
        assert!(plain.split(' ').all(check));
        let others = " - .5 x +1 123456789 1. 1.12345678901234567 -: /1 :1";
        assert!(!others.split(' ').any(check));
        // The caller sees that something follows the number.
        assert_eq!(decimal(b"1e5"), Some((1.0, 1)));
    }

    #[test]
    fn a_number_half_way_between_two_is_not_parsed() {
        // 2^24 + 1 and 1 + 2^-24 are half-way; the second has too many digits anyway.
        assert_eq!(decimal(b"16777217"), None);
        assert_eq!(decimal(b"8388608.5"), None);
        assert!(check("16777216") && check("16777218") && check("8388609"));
        // Next to half-way, where rounding to 64 bits could land on it.
        for text in ["8388608.50000001", "8388608.49999999", "16777216.9999999", "16777217.0000001"]
        {
            check(text);
        }
    }

    /// Shortest decimals, any digits, arbitrary text, and numbers near half-way between two.
    fn texts() -> impl Strategy<Value = String> {
        let near_half_way = (0u32..1 << 27, "[0-9]{0,4}")
            .prop_map(|(eighths, tail)| format!("{:.3}{tail}", f64::from(eighths) / 8.0));
        prop_oneof![
            any::<f32>().prop_map(|value| value.to_string()),
            "-?[0-9]{1,10}(\\.[0-9]{0,18})?[ :e]?[0-9]{0,3}",
            "[-+.:0-9eE ]{0,20}|.{0,12}",
            near_half_way,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_number_is_spelled_as_by_the_standard_library(bits: u32, near_one in 0f32..100.0) {
            let number = f32::from_bits(bits);
            prop_assert_eq!(spelled(number), format!("{number}"));
            prop_assert_eq!(spelled(near_one), format!("{near_one}"));
        }

        #[test]
        fn any_text_is_parsed_as_by_the_standard_library(text in texts(), weight in 0.00001f32..9999.0) {
            check(&text);
            prop_assert!(check(&weight.to_string()), "{}", weight);
        }
    }
}
