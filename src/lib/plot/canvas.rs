//! What all pictures are painted with: text, lines, markers, in pixels.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::font;
use super::palette::{BLACK, GREY, Line, Look, Marker, WHITE};

/// A place in the picture.
pub(super) type Place = (i32, i32);

const IN_MEMORY: &str =
    "painting into memory with a font that is part of the program does not fail";

/// How wide every picture is: twice what it is shown at, so that screens with fine pixels show it well.
pub(super) const WIDTH: i32 = 1600;

/// Heights of letters.
pub(super) const TITLE: i32 = 34;
pub(super) const HEADING: i32 = 29;
pub(super) const LABEL: i32 = 27;
pub(super) const NUMBER: i32 = 25;

/// plotters means something else by the size of a font than SVG does.
const SIZE_OF_PLOTTERS: f64 = 1.24;
/// Text may be a little wider than plotters thinks, in the font of whoever looks at it too.
const WIDER: f64 = 1.12;

/// How a text is written.
#[derive(Clone, Copy)]
pub(super) struct Letters {
    pub size: i32,
    pub is_bold: bool,
    pub is_upright: bool,
    pub colour: RGBColor,
    pub anchor: Pos,
}

impl Letters {
    /// Black, on its line, its middle at the given place.
    pub fn of_size(size: i32) -> Self {
        let anchor = Pos::new(HPos::Center, VPos::Center);
        Letters { size, is_bold: false, is_upright: false, colour: BLACK, anchor }
    }

    pub fn bold(self) -> Self {
        Letters { is_bold: true, ..self }
    }

    /// From bottom to top.
    pub fn upright(self) -> Self {
        Letters { is_upright: true, ..self }
    }

    pub fn in_colour(self, colour: RGBColor) -> Self {
        Letters { colour, ..self }
    }

    /// Begins at the given place.
    pub fn left_at(self) -> Self {
        Letters { anchor: Pos::new(HPos::Left, VPos::Center), ..self }
    }

    /// Ends at the given place.
    pub fn right_at(self) -> Self {
        Letters { anchor: Pos::new(HPos::Right, VPos::Center), ..self }
    }

    fn style(&self) -> TextStyle<'_> {
        let style = if self.is_bold { FontStyle::Bold } else { FontStyle::Normal };
        let size = f64::from(self.size) * SIZE_OF_PLOTTERS;
        let font = FontDesc::new(FontFamily::SansSerif, size, style);
        let turned = FontTransform::Rotate270;
        let font = if self.is_upright { font.transform(turned) } else { font };
        TextStyle::from(font).color(&self.colour).pos(self.anchor)
    }
}

/// The picture while it is painted.
pub(super) struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

impl Canvas<'_> {
    /// Paints a picture of a height and returns its SVG.
    pub fn paint(height: i32, paint: impl FnOnce(&Canvas<'_>)) -> String {
        font::register();
        let mut svg = String::new();
        {
            let size = (WIDTH as u32, height.max(1) as u32);
            let canvas = Canvas(SVGBackend::with_string(&mut svg, size).into_drawing_area());
            canvas.0.fill(&WHITE).expect(IN_MEMORY);
            paint(&canvas);
            canvas.0.present().expect(IN_MEMORY);
        }
        svg
    }

    pub fn text(&self, at: Place, text: &str, letters: Letters) {
        self.0.draw_text(text, &letters.style(), at).expect(IN_MEMORY);
    }

    pub fn line(&self, points: &[Place], colour: RGBColor, width: u32) {
        let style = colour.stroke_width(width);
        self.0.draw(&PathElement::new(points.to_vec(), style)).expect(IN_MEMORY);
    }

    /// A line of pieces with gaps between them.
    pub fn broken_line(
        &self,
        points: &[Place],
        colour: RGBColor,
        width: u32,
        (on, off): (i32, i32),
    ) {
        let style = colour.stroke_width(width);
        let element = DashedPathElement::new(points.to_vec(), on, off, style);
        self.0.draw(&element).expect(IN_MEMORY);
    }

    pub fn rectangle(&self, corner: Place, other: Place, colour: RGBColor) {
        self.0.draw(&Rectangle::new([corner, other], colour.filled())).expect(IN_MEMORY);
    }

    /// The outline of a rectangle.
    pub fn frame(&self, corner: Place, other: Place, colour: RGBColor, width: u32) {
        let style = colour.stroke_width(width);
        self.0.draw(&Rectangle::new([corner, other], style)).expect(IN_MEMORY);
    }

    /// Points joined as a look has it.
    pub fn joined(&self, points: &[Place], look: Look) {
        match look.line {
            _ if points.len() < 2 => {}
            Line::None => {}
            Line::Solid => self.line(points, look.colour, 4),
            Line::Dashed => self.broken_line(points, look.colour, 4, (18, 10)),
            Line::Dotted => self.broken_line(points, look.colour, 3, (4, 8)),
        }
    }

    /// A point as a look has it.
    pub fn marker(&self, at: Place, look: Look, radius: i32) {
        let Some(marker) = look.marker else { return };
        let fill = if look.is_hollow { WHITE } else { look.colour };
        if marker == Marker::Circle {
            self.0.draw(&Circle::new(at, radius, fill.filled())).expect(IN_MEMORY);
            let rim = look.colour.stroke_width(3);
            self.0.draw(&Circle::new(at, radius, rim)).expect(IN_MEMORY);
            return;
        }
        let mut corners: Vec<Place> =
            corners(marker, radius).iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
        self.0.draw(&Polygon::new(corners.clone(), fill.filled())).expect(IN_MEMORY);
        corners.push(corners[0]);
        self.line(&corners, look.colour, 3);
    }

    /// About how wide a text is, rather more than less.
    pub fn width_of(&self, text: &str, letters: Letters) -> i32 {
        let (width, _) = self.0.estimate_text_size(text, &letters.style()).expect(IN_MEMORY);
        (f64::from(width) * WIDER) as i32
    }
}

fn corners(marker: Marker, radius: i32) -> Vec<Place> {
    let wide = radius + 2;
    match marker {
        Marker::Circle => vec![],
        Marker::Triangle => vec![(0, -wide), (wide, radius), (-wide, radius)],
        Marker::TurnedTriangle => vec![(0, wide), (wide, -radius), (-wide, -radius)],
        Marker::Square => {
            let side = radius - 1;
            vec![(-side, -side), (side, -side), (side, side), (-side, side)]
        }
        Marker::Diamond => vec![(0, -wide), (wide, 0), (0, wide), (-wide, 0)],
    }
}

/// What a legend shows beside a name.
#[derive(Clone, Copy)]
pub(super) enum Sample {
    /// A line with its marker.
    Series(Look),
    /// A filled patch.
    Patch(RGBColor),
    /// A line across the picture.
    Mark(RGBColor),
}

/// A name and what it looks like.
pub(super) type Entry = (String, Sample);

const SAMPLE_WIDTH: i32 = 70;
const ENTRY_GAP: i32 = 44;
const LEGEND_LINE: i32 = 42;
/// From the edge of a picture to what is painted.
pub(super) const EDGE: i32 = 24;

/// The entries of a legend on as many lines as they need.
fn lines_of<'a>(canvas: &Canvas<'_>, entries: &'a [Entry]) -> Vec<Vec<&'a Entry>> {
    let mut lines: Vec<Vec<&Entry>> = vec![vec![]];
    let mut right = EDGE;
    for entry in entries {
        let width = SAMPLE_WIDTH + canvas.width_of(&entry.0, Letters::of_size(NUMBER)) + ENTRY_GAP;
        let full = right + width - ENTRY_GAP > WIDTH - EDGE;
        if full && !lines[lines.len() - 1].is_empty() {
            lines.push(vec![]);
            right = EDGE;
        }
        right += width;
        let last = lines.len() - 1;
        lines[last].push(entry);
    }
    lines
}

/// Title and legend; how high they are is known before.
pub(super) struct Head<'a> {
    pub title: &'a str,
    pub entries: &'a [Entry],
}

impl Head<'_> {
    const TITLE_HEIGHT: i32 = 68;

    /// How high it will be.
    pub fn height(&self) -> i32 {
        let mut lines = 0;
        // Widths of text are known on a canvas only.
        Canvas::paint(1, |canvas| lines = lines_of(canvas, self.entries).len() as i32);
        let lines = if self.entries.is_empty() { 0 } else { lines };
        Head::TITLE_HEIGHT + lines * LEGEND_LINE + 8
    }

    pub fn paint(&self, canvas: &Canvas<'_>) {
        let title = Letters::of_size(TITLE).bold().left_at();
        canvas.text((EDGE, Head::TITLE_HEIGHT / 2 + 4), self.title, title);
        for (number, line) in lines_of(canvas, self.entries).into_iter().enumerate() {
            let middle = Head::TITLE_HEIGHT + number as i32 * LEGEND_LINE + LEGEND_LINE / 2;
            let mut left = EDGE;
            for (name, sample) in line {
                paint_sample(canvas, (left, middle), *sample);
                let letters = Letters::of_size(NUMBER).left_at();
                canvas.text((left + SAMPLE_WIDTH, middle), name, letters);
                left += SAMPLE_WIDTH + canvas.width_of(name, letters) + ENTRY_GAP;
            }
        }
    }
}

fn paint_sample(canvas: &Canvas<'_>, (left, middle): Place, sample: Sample) {
    let right = left + SAMPLE_WIDTH - 14;
    match sample {
        Sample::Series(look) => {
            canvas.joined(&[(left, middle), (right, middle)], look);
            canvas.marker(((left + right) / 2, middle), look, 10);
        }
        Sample::Patch(colour) => {
            canvas.rectangle((left + 14, middle - 13), (right, middle + 13), colour);
        }
        Sample::Mark(colour) => {
            canvas.broken_line(&[(left, middle), (right, middle)], colour, 3, (12, 8));
        }
    }
}

/// Text of little weight at the foot of a panel.
pub(super) fn note(canvas: &Canvas<'_>, at: Place, text: &str) {
    canvas.text(at, text, Letters::of_size(NUMBER).in_colour(GREY).left_at());
}
