//! Series of points over an axis, with error bars, in one panel or several.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Canvas, Entry, Head, Place, Sample, note};
use super::frame::{Frame, Region, regions, rows};
use super::palette::{GREY, Look, VERMILION};

/// A point and how far its y may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along the axis.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Half of the interval around y, if one is known.
    pub half: Option<f64>,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// For the legend; the same name looks the same in every panel.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// The points, by ascending x where they are joined.
    pub points: Vec<Point>,
}

/// A line across a panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// From bottom to top at an x.
    Upright(f64, String),
    /// Where x and y are equal.
    Diagonal(String),
}

impl Mark {
    fn name(&self) -> &str {
        match self {
            Mark::Upright(_, name) | Mark::Diagonal(name) => name,
        }
    }
}

/// One pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What stands above it; may be empty.
    pub heading: String,
    /// The axis along.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// What is painted.
    pub series: Vec<Series>,
    /// Lines that help to judge.
    pub marks: Vec<Mark>,
}

/// The picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// What stands at its head.
    pub title: String,
    /// Its panels.
    pub panels: Vec<Panel>,
}

const ONE_PANEL: i32 = 760;
const SEVERAL_PANELS: i32 = 720;

impl Curves {
    /// Paints it.
    pub fn draw(&self) -> Picture {
        let entries = self.entries();
        let head = Head { title: &self.title, entries: &entries };
        let top = head.height();
        let height = if self.panels.len() > 1 { SEVERAL_PANELS } else { ONE_PANEL };
        let regions = regions(self.panels.len(), top, height);
        let svg = Canvas::paint(top + height * rows(self.panels.len()), |canvas| {
            head.paint(canvas);
            for (panel, region) in self.panels.iter().zip(&regions) {
                panel.paint(canvas, *region);
            }
        });
        Picture { svg }
    }

    /// Every name once.
    fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut add = |name: &str, sample: Sample| {
            if !entries.iter().any(|(known, _)| known == name) {
                entries.push((name.to_string(), sample));
            }
        };
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            add(&series.name, Sample::Series(series.look));
        }
        for mark in self.panels.iter().flat_map(|panel| &panel.marks) {
            add(mark.name(), Sample::Mark(mark_colour(mark)));
        }
        entries
    }
}

fn mark_colour(mark: &Mark) -> plotters::style::RGBColor {
    match mark {
        Mark::Upright(..) => VERMILION,
        Mark::Diagonal(_) => GREY,
    }
}

impl Panel {
    fn paint(&self, canvas: &Canvas<'_>, region: Region) {
        let frame = Frame::new(canvas, region, &self.heading, &self.x, &self.y);
        frame.paint_grid(canvas);
        frame.paint_axes(canvas, region, &self.heading);
        self.marks.iter().for_each(|mark| self.paint_mark(canvas, &frame, mark));
        for series in &self.series {
            let points: Vec<&Point> =
                series.points.iter().filter(|point| self.x.holds(point.x)).collect();
            let places: Vec<Place> =
                points.iter().map(|point| frame.place(point.x, point.y)).collect();
            canvas.joined(&places, series.look);
            for (point, at) in points.iter().zip(&places) {
                paint_bar(canvas, &frame, point, series.look);
                canvas.marker(*at, series.look, radius(points.len()));
            }
        }
        if self.series.iter().all(|series| series.points.is_empty()) {
            note(canvas, (frame.field.left + 30, frame.field.top + 40), "no values");
        }
    }

    fn paint_mark(&self, canvas: &Canvas<'_>, frame: &Frame<'_>, mark: &Mark) {
        let ends = match mark {
            Mark::Upright(x, _) if self.x.holds(*x) => {
                let (low, high) = self.y.ends();
                [frame.place(*x, low), frame.place(*x, high)]
            }
            Mark::Upright(..) => return,
            Mark::Diagonal(_) => {
                let ((x_low, x_high), (y_low, y_high)) = (self.x.ends(), self.y.ends());
                let (low, high) = (x_low.max(y_low), x_high.min(y_high));
                [frame.place(low, low), frame.place(high, high)]
            }
        };
        canvas.broken_line(&ends, mark_colour(mark), 3, (12, 8));
    }
}

/// Many markers are small, so that they stay apart.
fn radius(points: usize) -> i32 {
    if points > 12 { 7 } else { 10 }
}

/// The interval around a point, as a bar with ends.
fn paint_bar(canvas: &Canvas<'_>, frame: &Frame<'_>, point: &Point, look: Look) {
    const END: i32 = 9;
    let Some(half) = point.half else { return };
    let low = frame.place(point.x, point.y - half);
    let high = frame.place(point.x, point.y + half);
    canvas.line(&[low, high], look.colour, 3);
    for (across, up) in [low, high] {
        canvas.line(&[(across - END, up), (across + END, up)], look.colour, 3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::check;

    fn point(x: f64, y: f64) -> Point {
        Point { x, y, half: Some(2.0) }
    }

    fn panel(heading: &str) -> Panel {
        let ours = Series {
            name: "debian (ours)".into(),
            look: Look::measured(0),
            points: vec![point(60.0, 71.0), point(70.0, 75.0)],
        };
        let thesis = Series {
            name: "the thesis".into(),
            look: Look::published(0),
            points: vec![point(60.0, 69.8)],
        };
        Panel {
            heading: heading.into(),
            x: Axis::linear("beam", 60.0, 90.0),
            y: Axis::linear("pairs found (%)", 60.0, 80.0),
            series: vec![ours, thesis],
            marks: vec![Mark::Upright(65.0, "calibrated".into()), Mark::Diagonal("equal".into())],
        }
    }

    #[test]
    fn has_title_legend_axes_and_numbers() {
        let curves =
            Curves { title: "PLEB & <beam>".into(), panels: vec![panel("tf"), panel("tf_idf")] };
        let texts = [
            "PLEB & <beam>",
            "debian (ours)",
            "the thesis",
            "calibrated",
            "equal",
            "beam",
            "pairs found (%)",
            "tf",
            "tf_idf",
            "60",
            "75",
        ];
        let picture = curves.draw();
        check(&picture, &texts);
        assert_eq!(picture.svg().matches("debian (ours)").count(), 1, "named once for both panels");
    }

    #[test]
    fn a_panel_without_values_says_so() {
        let mut empty = panel("");
        empty.series.iter_mut().for_each(|series| series.points.clear());
        check(&Curves { title: "t".into(), panels: vec![empty] }.draw(), &["no values"]);
    }
}
