//! What is said of each experiment: its tables beside the thesis', its pictures, its claims. One module an experiment.

mod calibration;
mod compared;
mod length;
mod pleb;
mod ranges;
mod recall;
mod scatter;
mod theory;
mod thresholds;
mod timing;
mod vocabulary;

use super::markdown::Grid;
use super::source::Source;
use super::table::Rows;
use super::verdict::Claim;
use crate::plot::Picture;

/// A piece of a chapter.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A table.
    Table(Grid),
    /// A picture.
    Picture(Drawn),
}

/// A picture with its name and what it shows in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// Its name, without folder or ending.
    pub name: String,
    /// What it shows.
    pub shows: String,
    /// The picture.
    pub picture: Picture,
}

/// What a chapter says.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// Text, tables and pictures in order.
    pub blocks: Vec<Block>,
    /// The claims that are judged.
    pub claims: Vec<Claim>,
}

impl Body {
    fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a table that has rows.
    fn table(&mut self, grid: Grid) {
        if !grid.rows.is_empty() {
            self.blocks.push(Block::Table(grid));
        }
    }

    fn picture(&mut self, name: String, shows: &str, picture: Picture) {
        self.blocks.push(Block::Picture(Drawn { name, shows: shows.to_string(), picture }));
    }

    fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }
}

/// Writes the chapter of an experiment.
pub fn write(name: &str, source: &Source) -> Body {
    let mut body = Body::default();
    match name {
        "pleb_parameters" => pleb::write(source, &mut body),
        "vocabulary_reduction" => vocabulary::write(source, &mut body),
        "signature_length" => length::write(source, &mut body),
        "thresholds" => thresholds::write(source, &mut body),
        "ranges" => ranges::write(source, &mut body),
        "timing" => timing::write(source, &mut body),
        "calibration" => calibration::write(source, &mut body),
        "theory" => theory::write(source, &mut body),
        "recall_estimate" => recall::write(source, &mut body),
        _ => {}
    }
    body
}

/// The cases of an experiment: collection and weighting, and the vocabulary where there are several. `("debian, tf", rows)`.
fn cases<'a>(rows: &Rows<'a>) -> Vec<(String, Rows<'a>)> {
    let mut cases = Vec::new();
    for (collection, weighting, part) in rows.by("collection", "weighting") {
        let vocabularies = part.distinct("min_df");
        for min_df in &vocabularies {
            let several = vocabularies.len() > 1;
            let vocabulary = if several { format!(", DC ≥ {min_df}") } else { String::new() };
            cases.push((
                format!("{collection}, {weighting}{vocabulary}"),
                part.with("min_df", min_df),
            ));
        }
    }
    cases
}
