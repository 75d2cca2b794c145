//! A scatter of millions of points: how many fall into each bin, as a colour on a logarithmic scale, with a curve drawn through them.

use super::Picture;
use super::axis::{Axis, spelled};
use super::canvas::{Canvas, EDGE, Entry, Head, LABEL, Letters, NUMBER, Place, Sample, WIDTH};
use super::frame::{Frame, Region};
use super::palette::{BLACK, Line, Look, VERMILION, WHITE, ramp};

/// A bin, by its lower ends, and the points in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Along.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// How many points it holds.
    pub count: u64,
}

/// The picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// What stands at its head.
    pub title: String,
    /// The axis along.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// How wide and high a bin is.
    pub side: f64,
    /// The bins that hold points.
    pub bins: Vec<Bin>,
    /// The points of the curve, joined by straight lines.
    pub curve: Vec<(f64, f64)>,
    /// What the curve is.
    pub curve_name: String,
    /// What is counted.
    pub counted: String,
}

const HEIGHT: i32 = 860;
/// Room for the scale of colours.
const SCALE: i32 = 190;

impl Density {
    /// Paints it.
    pub fn draw(&self) -> Picture {
        let look = Look { colour: VERMILION, marker: None, line: Line::Solid, is_hollow: false };
        let entries: [Entry; 1] = [(self.curve_name.clone(), Sample::Series(look))];
        let head = Head { title: &self.title, entries: &entries };
        let top = head.height();
        let region = Region { left: EDGE, top, right: WIDTH - SCALE, bottom: top + HEIGHT };
        let svg = Canvas::paint(top + HEIGHT, |canvas| {
            head.paint(canvas);
            let frame = Frame::new(canvas, region, "", &self.x, &self.y);
            frame.paint_grid(canvas);
            self.bins.iter().for_each(|bin| self.paint_bin(canvas, &frame, bin));
            self.paint_curve(canvas, &frame);
            frame.paint_axes(canvas, region, "");
            self.paint_scale(canvas, frame.field);
        });
        Picture { svg }
    }

    fn most(&self) -> u64 {
        self.bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(2)
    }

    fn paint_bin(&self, canvas: &Canvas<'_>, frame: &Frame<'_>, bin: &Bin) {
        if bin.count == 0 {
            return;
        }
        let shade = (bin.count as f64).ln() / (self.most() as f64).ln();
        let corner = frame.place(bin.x, bin.y + self.side);
        let other = frame.place(bin.x + self.side, bin.y);
        canvas.rectangle(corner, other, ramp(shade));
    }

    /// With a pale rim, so that it stands out from dark bins too.
    fn paint_curve(&self, canvas: &Canvas<'_>, frame: &Frame<'_>) {
        let inside = self.curve.iter().filter(|(x, y)| self.x.holds(*x) && self.y.holds(*y));
        let places: Vec<Place> = inside.map(|(x, y)| frame.place(*x, *y)).collect();
        if places.len() > 1 {
            canvas.line(&places, WHITE, 9);
            canvas.line(&places, VERMILION, 4);
        }
    }

    /// The colours and how many points they mean.
    fn paint_scale(&self, canvas: &Canvas<'_>, field: Region) {
        const STEPS: i32 = 100;
        let (left, right) = (WIDTH - SCALE + 44, WIDTH - SCALE + 80);
        let height = field.bottom - field.top;
        let up = |share: f64| field.bottom - (share * f64::from(height)).round() as i32;
        for step in 0..STEPS {
            let share = |step: i32| f64::from(step) / f64::from(STEPS);
            let shade = ramp(share(step) + 0.5 / f64::from(STEPS));
            canvas.rectangle((left, up(share(step + 1))), (right, up(share(step))), shade);
        }
        canvas.frame((left, field.top), (right, field.bottom), BLACK, 2);
        for (count, word) in counts(self.most()) {
            let at = up((count as f64).ln() / (self.most() as f64).ln());
            canvas.line(&[(right, at), (right + 8, at)], BLACK, 2);
            canvas.text((right + 14, at), &word, Letters::of_size(NUMBER).left_at());
        }
        let middle = (left - 22, (field.top + field.bottom) / 2);
        canvas.text(middle, &self.counted, Letters::of_size(LABEL).upright());
    }
}

/// The powers of ten up to a count, as they stand beside the scale; without one above 1, the count itself.
fn counts(most: u64) -> Vec<(u64, String)> {
    let mut counts: Vec<u64> = std::iter::successors(Some(1u64), |count| count.checked_mul(10))
        .take_while(|count| *count <= most)
        .collect();
    if counts.len() == 1 {
        counts.push(most);
    }
    let short = |count: u64| match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", spelled(count as f64 / 1e3)),
        _ => format!("{}M", spelled(count as f64 / 1e6)),
    };
    counts.into_iter().map(|count| (count, short(count))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::check;

    #[test]
    fn has_a_rectangle_for_every_bin_a_curve_and_a_scale() {
        let bin = |x, y, count| Bin { x, y, count };
        let density = Density {
            title: "debian, tf".into(),
            x: Axis::linear("cosine (%)", 0.0, 100.0),
            y: Axis::linear("Hamming similarity (%)", 40.0, 100.0),
            side: 1.0,
            bins: vec![bin(0.0, 50.0, 2_000_000), bin(80.0, 79.0, 1), bin(99.0, 99.0, 0)],
            curve: vec![(0.0, 50.0), (80.0, 79.5), (100.0, 100.0)],
            curve_name: "1 − arccos(c)/π".into(),
            counted: "pairs".into(),
        };
        let picture = density.draw();
        let texts = [
            "debian, tf",
            "cosine (%)",
            "Hamming similarity (%)",
            "pairs",
            "1 − arccos(c)/π",
            "1",
            "10k",
            "1M",
        ];
        check(&picture, &texts);
        assert_eq!(picture.svg().matches("fill=\"#440154\"").count(), 1, "the fullest bin");
    }

    #[test]
    fn powers_of_ten_stand_beside_the_scale() {
        let words = |most| counts(most).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(words(12_345), ["1", "10", "100", "1k", "10k"]);
        assert_eq!(words(7), ["1", "7"]);
        assert_eq!(words(1), ["1", "1"]);
    }
}
