//! What documents are put in order by.

use std::cmp::Ordering;

/// The value of a field. Numbers come before texts, numbers by size, texts by their bytes.
#[derive(Debug, Clone)]
pub enum Rank {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Rank {
    /// A number if the text is one, else the text.
    pub fn of_text(text: &str) -> Self {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Rank::Number(number),
            _ => Rank::Text(text.to_string()),
        }
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Rank::Number(left), Rank::Number(right)) => left.total_cmp(right),
            (Rank::Text(left), Rank::Text(right)) => left.cmp(right),
            (Rank::Number(_), Rank::Text(_)) => Ordering::Less,
            (Rank::Text(_), Rank::Number(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_texts() {
        let ranks = ["-3", "0", "2", "10", "1e3", "", "2007-01-01", "a", "nan"].map(Rank::of_text);
        assert!(ranks.is_sorted_by(|left, right| left < right), "{ranks:?}");
        assert_eq!(Rank::of_text("inf"), Rank::Text("inf".into()));
    }
}
