//! Panels: where on the canvas they are, and their axes with titles, numbers and a grid.

use super::axis::Axis;
use super::canvas::{Canvas, EDGE, HEADING, LABEL, Letters, NUMBER, Place, WIDTH};
use super::palette::{BLACK, PALE};

/// The part of the canvas that belongs to one panel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

/// Side by side in rows of two (one alone takes the whole width), all of a height; below `top`.
pub(super) fn regions(count: usize, top: i32, height: i32) -> Vec<Region> {
    let columns = count.min(2) as i32;
    let width = (WIDTH - 2 * EDGE) / columns.max(1);
    let region = |number: i32| {
        let (column, row) = (number % columns, number / columns);
        let (left, top) = (EDGE + column * width, top + row * height);
        Region { left, top, right: left + width, bottom: top + height }
    };
    (0..count as i32).map(region).collect()
}

/// How many rows of panels there are.
pub(super) fn rows(count: usize) -> i32 {
    count.div_ceil(2) as i32
}

/// A panel with its axes.
pub(super) struct Frame<'a> {
    x: &'a Axis,
    y: &'a Axis,
    /// The field that the axes enclose.
    pub field: Region,
}

const HEADING_HEIGHT: i32 = 50;
const BELOW: i32 = 104;
const TICK: i32 = 9;

impl<'a> Frame<'a> {
    /// Finds room for the axes within a region.
    pub fn new(
        canvas: &Canvas<'_>,
        region: Region,
        heading: &str,
        x: &'a Axis,
        y: &'a Axis,
    ) -> Self {
        let letters = Letters::of_size(NUMBER);
        let widest = y.ticks.iter().map(|(_, word)| canvas.width_of(word, letters)).max();
        let beside = widest.unwrap_or(0) + LABEL + 40;
        let above = if heading.is_empty() { 16 } else { HEADING_HEIGHT };
        let field = Region {
            left: region.left + beside,
            top: region.top + above,
            right: region.right - 34,
            bottom: region.bottom - BELOW,
        };
        Frame { x, y, field }
    }

    /// Grid and numbers; what is painted later lies above them.
    pub fn paint_grid(&self, canvas: &Canvas<'_>) {
        let Region { left, top, right, bottom } = self.field;
        for (value, word) in &self.x.ticks {
            let across = self.across(*value);
            canvas.line(&[(across, top), (across, bottom)], PALE, 2);
            canvas.line(&[(across, bottom), (across, bottom + TICK)], BLACK, 2);
            canvas.text((across, bottom + TICK + 18), word, Letters::of_size(NUMBER));
        }
        for (value, word) in &self.y.ticks {
            let up = self.up(*value);
            canvas.line(&[(left, up), (right, up)], PALE, 2);
            canvas.line(&[(left - TICK, up), (left, up)], BLACK, 2);
            canvas.text((left - TICK - 8, up), word, Letters::of_size(NUMBER).right_at());
        }
    }

    /// The axes and their titles.
    pub fn paint_axes(&self, canvas: &Canvas<'_>, region: Region, heading: &str) {
        let Region { left, top, right, bottom } = self.field;
        canvas.frame((left, top), (right, bottom), BLACK, 2);
        let middle = ((left + right) / 2, (top + bottom) / 2);
        canvas.text((middle.0, region.bottom - 34), &self.x.title, Letters::of_size(LABEL));
        let upright = Letters::of_size(LABEL).upright();
        canvas.text((region.left + LABEL / 2 + 2, middle.1), &self.y.title, upright);
        let heading_letters = Letters::of_size(HEADING).bold();
        canvas.text((middle.0, region.top + HEADING_HEIGHT / 2), heading, heading_letters);
    }

    fn across(&self, x: f64) -> i32 {
        let width = f64::from(self.field.right - self.field.left);
        self.field.left + (self.x.place(x) * width).round() as i32
    }

    fn up(&self, y: f64) -> i32 {
        let height = f64::from(self.field.bottom - self.field.top);
        self.field.bottom - (self.y.place(y) * height).round() as i32
    }

    /// Where a point is.
    pub fn place(&self, x: f64, y: f64) -> Place {
        (self.across(x), self.up(y))
    }
}
