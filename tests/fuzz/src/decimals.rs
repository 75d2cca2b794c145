//! Numbers, against the standard library.

use nearsig::fuzzing::decimal::{append_float, append_number, decimal, decimals, digits};
use nearsig::search::Percent;

use super::content::Choices;

/// Takes the input as the text of a number, and its first bytes as numbers.
///
/// Numbers are parsed and formatted as by the standard library; formatted numbers parse to the same bits.
pub fn check(data: &[u8]) {
    check_parsed(data);
    let mut choices = Choices::of(data);
    let word = choices.word();
    check_whole(word);
    check_float(f32::from_bits(word as u32));
    check_float((word >> 32) as f32 / f32::from(choices.byte().max(1)));
    check_fraction(word % 100_000_000, usize::from(choices.byte()) % 9);
    check_percent(data);
}

fn check_parsed(text: &[u8]) {
    let (number, count) = digits(text);
    if count > 0 {
        let spelled = str::from_utf8(&text[..count]).expect("digits are UTF-8");
        assert_eq!(spelled.parse(), Ok(number));
        assert!(!text.get(count).is_some_and(u8::is_ascii_digit), "more digits follow");
    }
    if let Some((value, length)) = decimal(text) {
        let spelled = str::from_utf8(&text[..length]).expect("digits are UTF-8");
        let parsed: f32 = spelled.parse().expect("the standard library parses what we do");
        assert_eq!(value.to_bits(), parsed.to_bits(), "{spelled}");
    }
}

fn check_whole(number: u64) {
    let mut text = Vec::new();
    append_number(&mut text, number);
    assert_eq!(text, number.to_string().into_bytes());
}

fn check_float(number: f32) {
    let mut text = Vec::new();
    append_float(&mut text, number);
    assert_eq!(text, format!("{number}").into_bytes());
    let parsed: f32 = String::from_utf8_lossy(&text).parse().expect("a number was written");
    assert!(parsed.to_bits() == number.to_bits() || number.is_nan());
}

fn check_fraction(hundred_millionths: u64, min: usize) {
    let (digits, count) = decimals(hundred_millionths, min);
    let text = format!("{hundred_millionths:08}");
    assert_eq!(digits, text.as_bytes());
    assert!(count >= min && text[count..].bytes().all(|digit| digit == b'0'));
}

/// Checks that a percentage is the number written, and prints as one that parses to the same.
fn check_percent(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(percent) = text.parse::<Percent>() else { return };
    let value: f64 = text.parse().expect("a percentage is a number");
    assert_eq!(percent.value(), value, "{text}");
    let printed = percent.to_string();
    assert_eq!(printed.parse::<Percent>().map(Percent::value), Ok(value), "{printed}");
    for bits in [4usize, 64, 100, 1024, 4096] {
        let max = percent.max_distance(bits);
        // Rounded numbers decide all but the closest cases.
        let agreeing = 100.0 * (bits as f64 - f64::from(max)) / bits as f64;
        assert!(agreeing >= value - 1e-9 || max == 0, "{text}: {max} of {bits}");
        if (max as usize) < bits {
            let next = 100.0 * (bits as f64 - f64::from(max) - 1.0) / bits as f64;
            assert!(next < value + 1e-9, "{text}: {max} of {bits}");
        }
    }
}
