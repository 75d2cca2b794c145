//! Numbers and durations for people.

/// Formats a number with thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number and the noun it counts, given as plural: `1 pair`, `2 pairs`, `1,234 bags of words`.
pub fn counted(number: u64, plural: &str) -> String {
    format!("{} {}", grouped(number), noun(number, plural))
}

/// Returns the form of a noun after a number. Of a phrase such as `unreadable files or records beyond a limit`, the words before the first
/// preposition change.
pub fn noun(number: u64, plural: &str) -> String {
    if number != 1 {
        return plural.to_string();
    }
    let mut is_head = true;
    let words = plural.split(' ').map(|word| {
        is_head &= !PREPOSITIONS.contains(&word) && !word.starts_with(['(', '-']);
        if is_head { singular(word) } else { word.to_string() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Words that end the part of a phrase which says what is counted.
const PREPOSITIONS: [&str; 9] =
    ["of", "in", "with", "without", "beyond", "outside", "before", "by", "than"];

/// Returns the singular of a regular plural; other words stay.
fn singular(word: &str) -> String {
    let is_sibilant =
        |stem: &&str| stem.ends_with("ch") || stem.ends_with("sh") || stem.ends_with('x');
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    if let Some(stem) = word.strip_suffix("es").filter(is_sibilant) {
        return stem.to_string();
    }
    word.strip_suffix('s').unwrap_or(word).to_string()
}

/// Formats a duration in the largest unit of which it has at least two.
pub fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3600.0, "h"), (60.0, "min")];
    match UNITS.iter().find(|(unit, _)| seconds >= 2.0 * unit) {
        Some((unit, name)) => format!("{} {name}", grouped((seconds / unit).round() as u64)),
        None => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 7, 999, 1000, 12_345, 123_456, 1_234_567];
        let texts = ["0", "7", "999", "1,000", "12,345", "123,456", "1,234,567"];
        assert_eq!(numbers.map(grouped), texts);
    }

    #[test]
    fn nouns_agree_with_their_numbers() {
        for (plural, one) in [
            ("documents", "1 document"),
            ("bags of words", "1 bag of words"),
            ("matches of the sample", "1 match of the sample"),
            ("similarities", "1 similarity"),
            ("distinct signatures", "1 distinct signature"),
            ("hyperplanes", "1 hyperplane"),
            ("unreadable files or records", "1 unreadable file or record"),
            ("pairs beyond --most_pairs", "1 pair beyond --most_pairs"),
            ("pairs (plan only)", "1 pair (plan only)"),
            ("files in part", "1 file in part"),
            ("measured before", "1 measured before"),
            ("of the sample without a signature", "1 of the sample without a signature"),
            ("outside the limits", "1 outside the limits"),
            ("without components", "1 without components"),
        ] {
            assert_eq!(counted(1, plural), one);
            assert_eq!(counted(0, plural), format!("0 {plural}"));
            assert_eq!(counted(1000, plural), format!("1,000 {plural}"));
        }
    }

    #[test]
    fn durations_have_a_unit_that_fits() {
        let seconds = [0.4, 119.0, 120.0, 7199.0, 10_800.0, 200_000.0, 1e11];
        let texts = ["0 s", "119 s", "2 min", "120 min", "3 h", "2 days", "3,169 years"];
        assert_eq!(seconds.map(duration), texts);
    }
}
