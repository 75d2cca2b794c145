//! Numbers and tables as Markdown.

use super::statistics::Estimate;

/// What stands where there is no value.
pub const NOTHING: &str = "—";

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What stands above it; may be empty.
    pub caption: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows; each as long as the head.
    pub rows: Vec<Vec<String>>,
    /// How many columns from the left are words; the others are numbers, on the right of their column.
    pub words: usize,
}

impl Grid {
    /// Its Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.caption.is_empty() {
            text += &format!("**{}**\n\n", self.caption);
        }
        text += &line(&self.head);
        let rule = |column| if column < self.words { "---" } else { "---:" };
        text +=
            &format!("| {} |\n", (0..self.head.len()).map(rule).collect::<Vec<_>>().join(" | "));
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A number with as many places as its size asks for.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    let places = match magnitude {
        0.0 => 0,
        _ if magnitude >= 10.0 && value.fract() == 0.0 => 0,
        1000.0.. => 1,
        10.0.. => 2,
        0.1.. => 3,
        _ => 4,
    };
    with_places(value, places)
}

/// With so many places behind the point, thousands apart.
pub fn with_places(value: f64, places: usize) -> String {
    let text = format!("{:.places$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut apart = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    let is_zero = text.bytes().all(|byte| !(b'1'..=b'9').contains(&byte));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{apart}{point}{rest}")
}

/// A mean with half of its interval: two digits of the half that count, and as many places of the mean.
pub fn estimate(value: &Estimate) -> String {
    let Some(half) = value.half else { return number(value.mean) };
    // Too small to be shown.
    if half < 0.00005 {
        return number(value.mean);
    }
    let places = (1.0 - half.log10().floor()).clamp(0.0, 4.0) as usize;
    format!("{} ± {}", with_places(value.mean, places), with_places(half, places))
}

/// The same where there may be none.
pub fn maybe(value: Option<Estimate>) -> String {
    value.as_ref().map_or_else(|| NOTHING.to_string(), estimate)
}

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    match seconds {
        86_400.0.. => format!("{} d", with_places(seconds / 86_400.0, 1)),
        3_600.0.. => format!("{} h", with_places(seconds / 3_600.0, 1)),
        60.0.. => format!("{} min", with_places(seconds / 60.0, 1)),
        1.0.. => format!("{} s", with_places(seconds, 1)),
        _ => format!("{} s", with_places(seconds, 3)),
    }
}

/// What a heading is linked by.
pub fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_places_as_they_need() {
        let found =
            [0.0, 100.0, 2439.508, 49.356, 1.9144, 0.0321, 97359.0, -0.5, 1_234_567.0].map(number);
        assert_eq!(
            found,
            ["0", "100", "2,439.5", "49.36", "1.914", "0.0321", "97,359", "−0.500", "1,234,567"]
        );
    }

    #[test]
    fn means_stand_with_their_intervals() {
        let text = |mean, half| estimate(&Estimate { mean, half, count: 5 });
        assert_eq!(text(35.14159, Some(0.2117)), "35.14 ± 0.21");
        assert_eq!(text(1275.5, Some(23.4)), "1,276 ± 23");
        assert_eq!(text(99.99, Some(0.000004)), "99.99");
        assert_eq!(text(61565.0, Some(0.0)), "61,565");
        assert_eq!(text(49.356, None), "49.36");
        assert_eq!(maybe(None), "—");
    }

    #[test]
    fn a_grid_is_a_table() {
        let grid = Grid {
            caption: "Table 2.1".into(),
            head: vec!["beam".into(), "thesis".into()],
            rows: vec![vec!["a|b".into(), "69.8".into()]],
            words: 1,
        };
        let expected = "**Table 2.1**\n\n| beam | thesis |\n| --- | ---: |\n| a\\|b | 69.8 |\n";
        assert_eq!(grid.markdown(), expected);
    }

    #[test]
    fn times_and_anchors() {
        assert_eq!(
            [0.0843, 12.34, 754.0, 54748.2, 2175546.6].map(duration),
            ["0.084 s", "12.3 s", "12.6 min", "15.2 h", "25.2 d"]
        );
        assert_eq!(anchor("The share of pairs: PLEB's own"), "the-share-of-pairs-plebs-own");
    }
}
