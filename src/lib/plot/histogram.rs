//! How often values fall into classes, in one panel or several, with error bars.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Canvas, Head, note};
use super::frame::{Frame, Region, regions, rows};
use super::palette::{BLACK, colour};

/// A class and what falls into it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How much falls into it.
    pub value: f64,
    /// Half of the interval around this, if one is known.
    pub half: Option<f64>,
}

/// One pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What stands above it; may be empty.
    pub heading: String,
    /// The axis of the classes.
    pub x: Axis,
    /// The axis of what falls into them.
    pub y: Axis,
    /// The classes.
    pub classes: Vec<Class>,
}

/// The picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// What stands at its head.
    pub title: String,
    /// Its panels.
    pub panels: Vec<Panel>,
}

const HEIGHT: i32 = 680;

impl Histogram {
    /// Paints it.
    pub fn draw(&self) -> Picture {
        let head = Head { title: &self.title, entries: &[] };
        let top = head.height();
        let regions = regions(self.panels.len(), top, HEIGHT);
        let svg = Canvas::paint(top + HEIGHT * rows(self.panels.len()), |canvas| {
            head.paint(canvas);
            for (panel, region) in self.panels.iter().zip(&regions) {
                panel.paint(canvas, *region);
            }
        });
        Picture { svg }
    }
}

impl Panel {
    fn paint(&self, canvas: &Canvas<'_>, region: Region) {
        let frame = Frame::new(canvas, region, &self.heading, &self.x, &self.y);
        frame.paint_grid(canvas);
        let foot = self.y.ends().0;
        for class in self.classes.iter().filter(|class| class.value > 0.0) {
            let corner = frame.place(class.from, class.value);
            let other = frame.place(class.to, foot);
            canvas.rectangle((corner.0 + 2, corner.1), (other.0 - 2, other.1), colour(0));
            let middle = (class.from + class.to) / 2.0;
            if let Some(half) = class.half {
                let low = frame.place(middle, class.value - half);
                let high = frame.place(middle, class.value + half);
                canvas.line(&[low, high], BLACK, 3);
            }
        }
        frame.paint_axes(canvas, region, &self.heading);
        if self.classes.is_empty() {
            note(canvas, (frame.field.left + 30, frame.field.top + 40), "no values");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::check;

    #[test]
    fn has_a_bar_for_every_class_that_is_not_empty() {
        let class = |from: f64, value| Class { from, to: from + 5.0, value, half: Some(1.0) };
        let panel = Panel {
            heading: "tf".into(),
            x: Axis::linear("documents on the positive side (%)", 0.0, 100.0),
            y: Axis::linear("hyperplanes (%)", 0.0, 40.0),
            classes: vec![class(45.0, 30.0), class(50.0, 35.0), class(55.0, 0.0)],
        };
        let picture = Histogram { title: "Shares".into(), panels: vec![panel] }.draw();
        check(
            &picture,
            &["Shares", "tf", "documents on the positive side (%)", "hyperplanes (%)", "40"],
        );
        assert_eq!(picture.svg().matches("fill=\"#0072B2\"").count(), 2);
    }
}
