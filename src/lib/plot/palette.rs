//! Colours that people with any kind of colour vision tell apart and that differ in print, with markers and lines that differ too.

use plotters::style::RGBColor;

/// The colours of Okabe and Ito that stand out from white, so ordered that neighbours differ in lightness too.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
];

/// For what runs over colours of any kind.
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);
pub(super) const BLACK: RGBColor = RGBColor(0, 0, 0);
pub(super) const WHITE: RGBColor = RGBColor(255, 255, 255);
/// Text that stands back.
pub(super) const GREY: RGBColor = RGBColor(90, 90, 90);
/// Lines that help the eye.
pub(super) const PALE: RGBColor = RGBColor(222, 222, 222);

/// The colour of this number; they come again.
pub(super) fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Triangle,
    Square,
    Diamond,
    TurnedTriangle,
}

const MARKERS: [Marker; 5] =
    [Marker::Circle, Marker::Triangle, Marker::Square, Marker::Diamond, Marker::TurnedTriangle];

/// How points are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    None,
    Solid,
    Dashed,
    Dotted,
}

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub(super) colour: RGBColor,
    pub(super) marker: Option<Marker>,
    pub(super) line: Line,
    pub(super) is_hollow: bool,
}

impl Look {
    /// A measured series; different numbers look different.
    pub fn measured(number: usize) -> Self {
        let line = [Line::Solid, Line::Dashed][number / COLOURS.len() % 2];
        let marker = Some(MARKERS[number % MARKERS.len()]);
        Look { colour: colour(number), marker, line, is_hollow: false }
    }

    /// The same without lines between the points.
    pub fn scattered(number: usize) -> Self {
        Look { line: Line::None, ..Look::measured(number) }
    }

    /// What was published; different numbers have different markers.
    pub fn published(number: usize) -> Self {
        let marker = Some(MARKERS[number % MARKERS.len()]);
        Look { colour: BLACK, marker, line: Line::Dotted, is_hollow: true }
    }

    /// What theory says.
    pub fn theory() -> Self {
        Look { colour: BLACK, marker: None, line: Line::Dashed, is_hollow: false }
    }
}

/// From few (pale yellow) to many (dark violet): lightness falls all the way, so that the order survives print.
const RAMP: [(u8, u8, u8); 6] =
    [(253, 231, 120), (160, 218, 57), (53, 183, 121), (33, 145, 140), (54, 92, 141), (68, 1, 84)];

/// The colour of a share from 0 (few) to 1 (many).
pub(super) fn ramp(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let low = (place as usize).min(RAMP.len() - 2);
    let (from, to, part) = (RAMP[low], RAMP[low + 1], place - low as f64);
    let mix = |from: u8, to: u8| (f64::from(from) * (1.0 - part) + f64::from(to) * part) as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(RGBColor(red, green, blue): RGBColor) -> f64 {
        0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)
    }

    #[test]
    fn the_ramp_darkens_all_the_way() {
        let shades: Vec<f64> =
            (0..=50).map(|step| lightness(ramp(f64::from(step) / 50.0))).collect();
        assert!(shades.windows(2).all(|pair| pair[1] < pair[0]), "{shades:?}");
    }

    #[test]
    fn looks_differ() {
        let looks: Vec<Look> = (0..12).map(Look::measured).collect();
        for (number, look) in looks.iter().enumerate() {
            assert!(!looks[..number].contains(look), "{number}");
        }
    }
}
