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

/// Formats a number of things: `1 pair`, `2,000 pairs`.
pub fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number))
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
    fn durations_have_a_unit_that_fits() {
        let seconds = [0.4, 119.0, 120.0, 7199.0, 10_800.0, 200_000.0, 1e11];
        let texts = ["0 s", "119 s", "2 min", "120 min", "3 h", "2 days", "3,169 years"];
        assert_eq!(seconds.map(duration), texts);
    }
}
