//! Axes: from where to where, and which numbers stand beside them.

/// One axis of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub(super) title: String,
    low: f64,
    high: f64,
    is_logarithmic: bool,
    pub(super) ticks: Vec<(f64, String)>,
}

/// About how many numbers stand beside an axis.
const TICKS: f64 = 6.0;

impl Axis {
    /// From exactly `low` to exactly `high`, with round numbers beside it.
    pub fn linear(title: impl Into<String>, low: f64, high: f64) -> Self {
        Axis::with_step(title, low, high, round_step((high - low) / TICKS))
    }

    fn with_step(title: impl Into<String>, low: f64, high: f64, step: f64) -> Self {
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|number| number as f64 * step);
        Axis { title: title.into(), low, high, is_logarithmic: false, ticks: vec![] }
            .with_ticks(ticks)
    }

    /// From a round number below the least to one above the greatest, all within `limits`.
    pub fn around(title: impl Into<String>, values: &[f64], limits: (f64, f64)) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least > greatest {
            return Axis::linear(title, limits.0, limits.1);
        }
        let step = round_step((greatest - least).max(1e-3 * greatest.abs().max(1.0)) / TICKS);
        let low = ((least / step - 0.05).floor() * step).max(limits.0);
        let high = ((greatest / step + 0.05).ceil() * step).min(limits.1);
        Axis::with_step(title, low, high, step)
    }

    /// Equal ratios are equally far apart; a little further than the values, of which none is 0 or less. Numbers stand at powers of ten and, if these are few, between.
    pub fn logarithmic(title: impl Into<String>, values: &[f64]) -> Self {
        let positive = values.iter().copied().filter(|value| *value > 0.0);
        let least = positive.clone().fold(f64::INFINITY, f64::min);
        let greatest = positive.fold(0.0, f64::max);
        let (least, greatest) = if least > greatest { (1.0, 10.0) } else { (least, greatest) };
        let room = (greatest / least).powf(0.04).max(1.05);
        let (low, high) = (least / room, greatest * room);
        let between: &[f64] = if high / low < 300.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let ticks =
            decades.flat_map(|decade| between.iter().map(move |one| one * 10f64.powi(decade)));
        let ticks: Vec<f64> = ticks.filter(|tick| (low..=high).contains(tick)).collect();
        Axis { title: title.into(), low, high, is_logarithmic: true, ticks: vec![] }
            .with_ticks(ticks)
    }

    /// With numbers at these places instead.
    pub fn with_ticks(mut self, ticks: impl IntoIterator<Item = f64>) -> Self {
        self.ticks = ticks.into_iter().map(|tick| (tick, spelled(tick))).collect();
        self
    }

    /// With these words at these places instead of numbers.
    pub fn with_words(mut self, ticks: Vec<(f64, String)>) -> Self {
        self.ticks = ticks;
        self
    }

    /// How far along the axis a value is: 0 at its beginning, 1 at its end. What is beyond either end stays there.
    pub(super) fn place(&self, value: f64) -> f64 {
        let scaled = |value: f64| if self.is_logarithmic { value.ln() } else { value };
        let value = if self.is_logarithmic { value.max(f64::MIN_POSITIVE) } else { value };
        let share = (scaled(value) - scaled(self.low)) / (scaled(self.high) - scaled(self.low));
        share.clamp(0.0, 1.0)
    }

    /// Whether a value is on it.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Its ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// The next of …, 0.1, 0.2, 0.5, 1, 2, 5, 10, …
fn round_step(step: f64) -> f64 {
    let decade = 10f64.powf(step.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|one| one * decade >= step * (1.0 - 1e-9));
    round.unwrap_or(10.0) * decade
}

/// A number as it stands beside an axis: as short as it can be, thousands apart.
pub(super) fn spelled(value: f64) -> String {
    let magnitude = value.abs();
    let text = if magnitude >= 1.0 || value == 0.0 {
        format!("{value:.3}")
    } else {
        // Three digits that count.
        format!("{value:.*}", (2.0 - magnitude.log10().floor()).max(0.0) as usize)
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let point = if rest.is_empty() { "" } else { "." };
    format!("{}{point}{rest}", apart(whole)).replace('-', "−")
}

fn apart(whole: &str) -> String {
    let digits = whole.trim_start_matches('-').len();
    let sign = whole.len() - digits;
    let mut text = String::new();
    for (place, character) in whole.chars().enumerate() {
        let is_start = place <= sign;
        if !is_start && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, word)| &**word).collect()
    }

    #[test]
    fn round_numbers_stand_beside_a_linear_axis() {
        assert_eq!(words(&Axis::linear("", 0.0, 100.0)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            words(&Axis::linear("", 70.0, 71.0)),
            ["70", "70.2", "70.4", "70.6", "70.8", "71"]
        );
    }

    #[test]
    fn an_axis_goes_round_its_values_but_not_beyond_its_limits() {
        let axis = Axis::around("", &[61.0, 99.0], (0.0, 100.0));
        assert_eq!(axis.ends(), (60.0, 100.0));
        assert_eq!(Axis::around("", &[], (0.0, 1.0)).ends(), (0.0, 1.0));
        let axis = Axis::around("", &[5.0], (0.0, 100.0));
        assert!(axis.holds(5.0) && axis.place(5.0).is_finite());
    }

    #[test]
    fn equal_ratios_are_equally_far_apart_on_a_logarithmic_axis() {
        let axis = Axis::logarithmic("", &[1.0, 100_000.0]);
        let step = axis.place(100.0) - axis.place(10.0);
        assert!((axis.place(1000.0) - axis.place(100.0) - step).abs() < 1e-9);
        assert_eq!(words(&axis), ["1", "10", "100", "1,000", "10,000", "100,000"]);
        assert_eq!(words(&Axis::logarithmic("", &[1.0, 6.0])), ["1", "2", "5"]);
    }

    #[test]
    fn numbers_are_spelled_short() {
        let spellings = [0.0, 0.5, 0.001, 1234567.0, -20.0, 79.516, 99.99, -1000.0].map(spelled);
        let expected = ["0", "0.5", "0.001", "1,234,567", "−20", "79.516", "99.99", "−1,000"];
        assert_eq!(spellings, expected);
    }
}
