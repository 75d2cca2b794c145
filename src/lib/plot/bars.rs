//! Lying bars in groups, one colour a kind, with their values beside them; the axis may be logarithmic.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Canvas, EDGE, Entry, Head, LABEL, Letters, NUMBER, Sample, WIDTH};
use super::palette::{BLACK, GREY, PALE, colour};

/// A bar: its length, what stands beside it, and how far it may be off.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// How long it is.
    pub value: f64,
    /// What is written beside it.
    pub label: String,
    /// Half of the interval around the value, if one is known.
    pub half: Option<f64>,
}

/// Bars that are compared with each other; one a kind, where there is a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What stands at the left.
    pub name: String,
    /// In the order of the kinds.
    pub bars: Vec<Option<Bar>>,
}

/// The picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What stands at its head.
    pub title: String,
    /// The axis of the lengths.
    pub axis: Axis,
    /// What the bars of a group are, for the legend.
    pub kinds: Vec<String>,
    /// From top to bottom.
    pub groups: Vec<Group>,
}

const THICKNESS: i32 = 32;
const GAP: i32 = 22;
const BELOW: i32 = 104;

impl Bars {
    /// Paints it.
    pub fn draw(&self) -> Picture {
        let entry = |(number, name): (usize, &String)| -> Entry {
            (name.clone(), Sample::Patch(colour(number)))
        };
        let entries: Vec<Entry> = self.kinds.iter().enumerate().map(entry).collect();
        let head = Head { title: &self.title, entries: &entries };
        let top = head.height() + 8;
        let bottom = top + self.groups.len() as i32 * self.group_height() + GAP;
        let svg = Canvas::paint(bottom + BELOW, |canvas| {
            head.paint(canvas);
            let (left, right) = self.sides(canvas);
            Field { bars: self, left, right, top, bottom }.paint(canvas);
        });
        Picture { svg }
    }

    fn group_height(&self) -> i32 {
        self.kinds.len() as i32 * THICKNESS + GAP
    }

    /// Room for the names at the left, and for what is written beside the longest bar at the right.
    fn sides(&self, canvas: &Canvas<'_>) -> (i32, i32) {
        let letters = Letters::of_size(NUMBER);
        let names = self.groups.iter().map(|group| canvas.width_of(&group.name, letters));
        let labels = self.groups.iter().flat_map(|group| group.bars.iter().flatten());
        let labels = labels.map(|bar| canvas.width_of(&bar.label, letters));
        let widest = |widths: &mut dyn Iterator<Item = i32>| widths.max().unwrap_or(0);
        let left = EDGE + widest(&mut names.into_iter()) + 20;
        (left, WIDTH - EDGE - widest(&mut labels.into_iter()) - 24)
    }
}

/// The bars and where they are painted.
struct Field<'a> {
    bars: &'a Bars,
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Field<'_> {
    fn paint(&self, canvas: &Canvas<'_>) {
        self.paint_axis(canvas);
        for (number, group) in self.bars.groups.iter().enumerate() {
            let top = self.top + GAP + number as i32 * self.bars.group_height();
            let middle = top + (self.bars.group_height() - GAP) / 2;
            let letters = Letters::of_size(NUMBER).right_at();
            canvas.text((self.left - 14, middle), &group.name, letters);
            // Where a kind has no value, the others move to the middle.
            let there: Vec<(usize, &Bar)> = group
                .bars
                .iter()
                .enumerate()
                .filter_map(|(kind, bar)| Some((kind, bar.as_ref()?)))
                .collect();
            let top = middle - there.len() as i32 * THICKNESS / 2;
            for (place, (kind, bar)) in there.into_iter().enumerate() {
                self.paint_bar(canvas, bar, kind, top + place as i32 * THICKNESS);
            }
        }
        canvas.line(&[(self.left, self.top), (self.left, self.bottom)], BLACK, 3);
    }

    fn across(&self, value: f64) -> i32 {
        let width = f64::from(self.right - self.left);
        self.left + (self.bars.axis.place(value) * width).round() as i32
    }

    fn paint_axis(&self, canvas: &Canvas<'_>) {
        for (value, word) in &self.bars.axis.ticks {
            let across = self.across(*value);
            canvas.line(&[(across, self.top), (across, self.bottom)], PALE, 2);
            canvas.text((across, self.bottom + 26), word, Letters::of_size(NUMBER));
        }
        let middle = ((self.left + self.right) / 2, self.bottom + 70);
        canvas.text(middle, &self.bars.axis.title, Letters::of_size(LABEL));
    }

    fn paint_bar(&self, canvas: &Canvas<'_>, bar: &Bar, kind: usize, top: i32) {
        let end = self.across(bar.value).max(self.left + 3);
        canvas.rectangle((self.left, top + 2), (end, top + THICKNESS - 2), colour(kind));
        let middle = top + THICKNESS / 2;
        let mut beside = end;
        if let Some(half) = bar.half {
            let (low, high) = (self.across(bar.value - half), self.across(bar.value + half));
            canvas.line(&[(low, middle), (high, middle)], BLACK, 3);
            canvas.line(&[(high, middle - 7), (high, middle + 7)], BLACK, 3);
            beside = high;
        }
        let letters = Letters::of_size(NUMBER).in_colour(GREY).left_at();
        canvas.text((beside + 12, middle), &bar.label, letters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::check;

    #[test]
    fn has_names_values_and_kinds() {
        let bar = |value: f64| Some(Bar { value, label: format!("{value} s"), half: None });
        let bars = Bars {
            title: "Time".into(),
            axis: Axis::logarithmic("seconds", &[0.5, 2_175_546.6]),
            kinds: vec!["the thesis".into(), "ours".into()],
            groups: vec![
                Group { name: "similarity".into(), bars: vec![bar(2_175_546.6), bar(300.0)] },
                Group { name: "create_sigs".into(), bars: vec![None, bar(0.5)] },
            ],
        };
        let texts = [
            "Time",
            "seconds",
            "the thesis",
            "ours",
            "similarity",
            "create_sigs",
            "300 s",
            "10,000",
        ];
        check(&bars.draw(), &texts);
    }
}
