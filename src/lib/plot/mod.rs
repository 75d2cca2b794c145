//! Pictures of numbers: one module a kind of picture. Sees only numbers and names, and gives SVG and PNG; knows nothing of files, tables or claims.
//!
//! Every picture is 1600 pixels wide, to be shown at half of that. The font is part of the program, so that a picture is the same on every machine.
//! Series differ in colour (those of Okabe and Ito), marker and line, so that they can be told apart without colours.

mod axis;
pub mod bars;
mod canvas;
pub mod curves;
pub mod density;
mod font;
mod frame;
pub mod histogram;
mod palette;

pub use axis::Axis;
pub use palette::Look;

use crate::error::Result;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    svg: String,
}

impl Picture {
    /// Its SVG.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// Its PNG, of the same size.
    pub fn png(&self) -> Result<Vec<u8>> {
        font::png(&self.svg)
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    /// Checks that a picture is valid SVG of the usual width with these texts in it, and valid PNG of the same size.
    #[track_caller]
    pub fn check(picture: &Picture, texts: &[&str]) {
        let svg = picture.svg();
        let document = resvg::usvg::roxmltree::Document::parse(svg).unwrap();
        let root = document.root_element();
        let number = |name: &str| root.attribute(name).unwrap().parse::<u32>().unwrap();
        let (width, height) = (number("width"), number("height"));
        assert_eq!(width, 1600);
        let written: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(|node| node.text().unwrap_or_default().trim())
            .collect();
        for text in texts {
            assert!(written.contains(text), "no '{text}' in {written:?}");
        }
        let png = picture.png().unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((size(16), size(20)), (width, height));
    }
}
