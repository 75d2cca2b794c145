//! The text of a document, paragraph by paragraph.

use super::{ExtractedText, Heading};

/// Collects paragraphs as lines. A paragraph inside another one, of a note or a text box, follows it: it must not split a word.
#[derive(Default)]
pub(super) struct Paragraphs {
    lines: Lines,
    /// Complete paragraphs inside an open one.
    inner: Lines,
    /// Open paragraphs, the innermost last.
    open: Vec<Paragraph>,
}

/// An open paragraph.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// The level from 1, if it is a heading.
    level: Option<u8>,
}

/// Lines, and which of them are headings.
#[derive(Default)]
struct Lines(ExtractedText);

impl Lines {
    /// Adds a line. White space around it and blank lines go.
    fn push(&mut self, paragraph: &Paragraph) {
        let ExtractedText { text, headings } = &mut self.0;
        let line = paragraph.text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if line.is_empty() {
            return;
        }
        let start = text.len();
        text.push_str(line);
        headings.extend(paragraph.level.map(|level| Heading { range: start..text.len(), level }));
        text.push('\n');
    }

    /// Moves all lines of `others` behind the own ones.
    fn append(&mut self, others: &mut Lines) {
        let start = self.0.text.len();
        self.0.text.push_str(&others.0.text);
        self.0.headings.extend(others.0.headings.drain(..).map(|heading| Heading {
            range: start + heading.range.start..start + heading.range.end,
            ..heading
        }));
        others.0.text.clear();
    }
}

impl Paragraphs {
    /// Begins a paragraph, or a heading of a level from 1.
    pub fn begin(&mut self, level: Option<u8>) {
        self.open.push(Paragraph { level, ..Paragraph::default() });
    }

    /// Makes the innermost paragraph a heading, or none.
    pub fn set_level(&mut self, level: Option<u8>) {
        if let Some(paragraph) = self.open.last_mut() {
            paragraph.level = level;
        }
    }

    /// Returns whether a paragraph is open.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Adds text to the innermost paragraph. Text outside of paragraphs is none.
    pub fn push(&mut self, text: &str) {
        if let Some(paragraph) = self.open.last_mut() {
            paragraph.text.push_str(text);
        }
    }

    /// Adds text in which line ends are spaces.
    pub fn push_flowing(&mut self, text: &str) {
        for (number, line) in text.split(['\n', '\r']).enumerate() {
            if number > 0 {
                self.push(" ");
            }
            self.push(line);
        }
    }

    /// Ends the innermost paragraph.
    pub fn end(&mut self) {
        let Some(paragraph) = self.open.pop() else { return };
        if self.is_open() {
            return self.inner.push(&paragraph);
        }
        self.lines.push(&paragraph);
        self.lines.append(&mut self.inner);
    }

    /// Returns the text. Open paragraphs end.
    pub fn finish(mut self) -> ExtractedText {
        while self.is_open() {
            self.end();
        }
        self.lines.0
    }
}
