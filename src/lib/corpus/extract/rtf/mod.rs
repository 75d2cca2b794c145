//! RTF. The crates that decode its code pages are large libraries for many formats, and replace undecodable bytes by U+FFFD.
//!
//! Source: Microsoft, Rich Text Format (RTF) Specification, version 1.9.1.

#[cfg(test)]
mod tests;
mod words;

use std::mem;

use rustc_hash::FxHashMap;

use self::words::{SKIPPED, TEXT_STARS, character, number};
use super::ExtractedText;
use super::code_pages::CodePage;
use super::paragraphs::Paragraphs;

/// The deepest nesting of groups. Real documents have a few levels; this bounds the memory of open groups.
const MAX_DEPTH: usize = 1 << 20;
/// The longest control word.
const MAX_WORD: usize = 32;
/// The deepest level of a heading. Outline level 9, counted from 0, is that of text.
const MAX_LEVEL: i32 = 9;

/// The message of a surrogate without its other half.
const HALF_CHARACTER: &str = "damaged RTF: half of a Unicode character";

/// Returns the text of a document.
pub(super) fn extract(content: &[u8]) -> Result<ExtractedText, String> {
    let mut parser = Parser::new();
    parser.paragraphs.begin(None);
    parser.read(content)?;
    Ok(parser.paragraphs.finish())
}

/// What the text of a group belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    Text,
    /// The table of fonts.
    Fonts,
    /// Nothing.
    Skipped,
}

/// Properties of text that end with their group.
#[derive(Debug, Clone, Copy)]
struct GroupState {
    destination: Destination,
    /// Whether the group is a note or a text box, which ends a paragraph.
    is_nested: bool,
    /// Characters after `\u` for programs without Unicode.
    substitutes: u32,
    /// The code page of the font, if it has one.
    page: Option<CodePage>,
    /// The level of the paragraph, if it is a heading.
    level: Option<u8>,
    is_hidden: bool,
    is_deleted: bool,
}

struct Parser {
    paragraphs: Paragraphs,
    state: GroupState,
    /// States of the groups around the current one.
    outer: Vec<GroupState>,
    /// The code page of the document.
    page: CodePage,
    /// Code pages of fonts by number.
    fonts: FxHashMap<i32, CodePage>,
    /// The font being defined.
    font: i32,
    /// Bytes of characters that are not decoded yet: some have two bytes.
    bytes: Vec<u8>,
    /// The first half of a character beyond 16 bits.
    surrogate: Option<u16>,
    /// Characters to skip: substitutes of the last Unicode character.
    skips: u32,
    /// Whether the group may be ignored: after `\*`.
    is_starred: bool,
    /// Whether nothing but `\*` was in the group yet.
    is_start: bool,
}

impl Parser {
    fn new() -> Self {
        let state = GroupState {
            destination: Destination::Text,
            is_nested: false,
            substitutes: 1,
            page: None,
            level: None,
            is_hidden: false,
            is_deleted: false,
        };
        Parser {
            paragraphs: Paragraphs::default(),
            state,
            outer: Vec::new(),
            page: CodePage::WESTERN,
            fonts: FxHashMap::default(),
            font: 0,
            bytes: Vec::new(),
            surrogate: None,
            skips: 0,
            is_starred: false,
            is_start: false,
        }
    }

    /// Reads a document up to the end of its outermost group.
    fn read(&mut self, content: &[u8]) -> Result<(), String> {
        let mut at = 0;
        while let Some(byte) = content.get(at) {
            at += 1;
            match byte {
                b'{' => self.open_group()?,
                b'}' => {
                    self.close_group()?;
                    if self.outer.is_empty() {
                        return Ok(());
                    }
                }
                b'\\' => at += self.control(&content[at..])?,
                b'\r' | b'\n' => {}
                byte => self.push_byte(*byte),
            }
        }
        Err("truncated RTF: a group is not closed".into())
    }

    fn open_group(&mut self) -> Result<(), String> {
        self.flush()?;
        if self.outer.len() >= MAX_DEPTH {
            return Err(format!("expected at most {MAX_DEPTH} nested groups, found more"));
        }
        self.outer.push(self.state);
        self.state.is_nested = false;
        (self.skips, self.is_starred, self.is_start) = (0, false, true);
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), String> {
        self.flush()?;
        if self.state.is_nested {
            self.end_paragraph();
        }
        self.state = self.outer.pop().unwrap_or(self.state);
        (self.skips, self.is_starred, self.is_start) = (0, false, false);
        Ok(())
    }

    /// Handles what follows a backslash, and returns its length.
    fn control(&mut self, rest: &[u8]) -> Result<usize, String> {
        let letters = rest.iter().take(MAX_WORD).take_while(|b| b.is_ascii_alphabetic()).count();
        if letters == 0 {
            return self.symbol(rest);
        }
        let word = str::from_utf8(&rest[..letters]).unwrap_or_default();
        let (value, digits) = number(&rest[letters..]);
        let end = letters + digits;
        let end = end + usize::from(rest.get(end) == Some(&b' '));
        if word == "bin" {
            // Raw bytes, which may be braces.
            return Ok(end.saturating_add(value.unwrap_or(0).max(0) as usize));
        }
        if self.skips > 0 {
            self.skips -= 1;
        } else {
            self.word(word, value)?;
        }
        self.is_start = false;
        Ok(end)
    }

    /// Handles a control symbol, and returns its length.
    fn symbol(&mut self, rest: &[u8]) -> Result<usize, String> {
        let Some(symbol) = rest.first() else { return Ok(0) };
        if *symbol == b'*' {
            self.is_starred = true;
            return Ok(1);
        }
        self.is_start = false;
        if *symbol == b'\'' {
            let digits = rest.get(1..3).and_then(|digits| str::from_utf8(digits).ok());
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let byte = byte.ok_or("damaged RTF: expected two hexadecimal digits after \\'")?;
            self.push_byte(byte);
            return Ok(3);
        }
        if self.skips > 0 {
            self.skips -= 1;
            return Ok(1);
        }
        match symbol {
            b'\\' | b'{' | b'}' => self.push_byte(*symbol),
            b'~' => self.push("\u{a0}")?,
            b'_' => self.push("-")?,
            b'\r' | b'\n' => self.paragraph()?,
            b'\t' => self.push("\t")?,
            _ => {}
        }
        Ok(1)
    }

    /// Handles a control word.
    fn word(&mut self, word: &str, value: Option<i32>) -> Result<(), String> {
        if self.is_start && self.begin_destination(word)? {
            return Ok(());
        }
        if self.state.destination == Destination::Fonts {
            self.define_font(word, value);
            return Ok(());
        }
        match word {
            "u" => return self.push_unicode(value.unwrap_or(0)),
            "uc" => self.state.substitutes = value.unwrap_or(1).max(0) as u32,
            "par" | "cell" | "row" | "nestcell" | "nestrow" | "sect" => return self.paragraph(),
            "pard" => self.state.level = None,
            "outlinelevel" => {
                let level = value.filter(|level| (0..MAX_LEVEL).contains(level));
                self.state.level = level.map(|level| level as u8 + 1);
            }
            "v" => self.state.is_hidden = value != Some(0),
            "deleted" => self.state.is_deleted = value != Some(0),
            "ansi" | "mac" | "pc" | "pca" | "ansicpg" => self.set_page(word, value)?,
            "f" | "plain" => self.set_font(word, value)?,
            _ => return self.push(character(word)),
        }
        Ok(())
    }

    /// Begins a group by its first word. Returns whether the word is the name of a destination.
    fn begin_destination(&mut self, word: &str) -> Result<bool, String> {
        let is_starred = mem::take(&mut self.is_starred);
        let is_text = self.state.destination == Destination::Text;
        let is_skipped = SKIPPED.binary_search(&word).is_ok();
        match word {
            _ if !is_text => return Ok(false),
            "fonttbl" => self.state.destination = Destination::Fonts,
            "footnote" | "shptxt" => {
                self.paragraphs.begin(None);
                self.state.is_nested = true;
                self.state.level = None;
            }
            _ if is_skipped || (is_starred && !TEXT_STARS.contains(&word)) => {
                self.state.destination = Destination::Skipped;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn define_font(&mut self, word: &str, value: Option<i32>) {
        let value = value.unwrap_or(0);
        let page = match word {
            "f" => {
                self.font = value;
                None
            }
            "fcharset" => CodePage::of_charset(value),
            "cpg" => Some(CodePage::numbered(value)),
            _ => None,
        };
        self.fonts.extend(page.map(|page| (self.font, page)));
    }

    fn set_page(&mut self, word: &str, value: Option<i32>) -> Result<(), String> {
        self.flush()?;
        self.page = match (word, value) {
            ("ansicpg", Some(number)) => CodePage::numbered(number),
            ("mac", _) => CodePage::MACINTOSH,
            ("pc", _) => CodePage::PC,
            ("pca", _) => CodePage::numbered(850),
            _ => CodePage::WESTERN,
        };
        Ok(())
    }

    fn set_font(&mut self, word: &str, value: Option<i32>) -> Result<(), String> {
        self.flush()?;
        if word == "plain" {
            (self.state.is_hidden, self.state.is_deleted) = (false, false);
        }
        self.state.page = value.and_then(|number| self.fonts.get(&number).copied());
        Ok(())
    }

    fn is_visible(&self) -> bool {
        let GroupState { destination, is_hidden, is_deleted, .. } = self.state;
        destination == Destination::Text && !is_hidden && !is_deleted
    }

    /// Adds a byte of the text.
    fn push_byte(&mut self, byte: u8) {
        self.is_start = false;
        if self.skips > 0 {
            self.skips -= 1;
        } else if self.is_visible() {
            self.bytes.push(byte);
        }
    }

    /// Adds characters.
    fn push(&mut self, text: &str) -> Result<(), String> {
        self.flush()?;
        if self.is_visible() {
            self.paragraphs.push(text);
        }
        Ok(())
    }

    /// Adds a UTF-16 code unit, written as a signed number.
    fn push_unicode(&mut self, value: i32) -> Result<(), String> {
        let unit = value as u16;
        let units: Vec<u16> = self.surrogate.take().into_iter().chain([unit]).collect();
        match String::from_utf16(&units) {
            Ok(text) => self.push(&text)?,
            // Its second half is the next character.
            Err(_) if units.len() == 1 && (0xd800..0xdc00).contains(&unit) => {
                self.flush()?;
                self.surrogate = Some(unit);
            }
            Err(_) => return Err(HALF_CHARACTER.into()),
        }
        self.skips = self.state.substitutes;
        Ok(())
    }

    /// Decodes the bytes before another kind of text.
    fn flush(&mut self) -> Result<(), String> {
        if self.surrogate.is_some() {
            return Err(HALF_CHARACTER.into());
        }
        if self.bytes.is_empty() {
            return Ok(());
        }
        let bytes = mem::take(&mut self.bytes);
        let text = self.state.page.unwrap_or(self.page).decode(&bytes)?;
        // Control characters are no text.
        let is_kept = |c: &char| !c.is_control() || c.is_whitespace();
        if text.chars().all(|c| is_kept(&c)) {
            self.paragraphs.push(&text);
        } else {
            self.paragraphs.push(&text.chars().filter(is_kept).collect::<String>());
        }
        // Keeps its memory.
        self.bytes = bytes;
        self.bytes.clear();
        Ok(())
    }

    /// Ends the paragraph, and begins the next one.
    fn paragraph(&mut self) -> Result<(), String> {
        self.flush()?;
        if self.state.destination == Destination::Text {
            self.end_paragraph();
            self.paragraphs.begin(None);
        }
        Ok(())
    }

    fn end_paragraph(&mut self) {
        self.paragraphs.set_level(self.state.level);
        self.paragraphs.end();
    }
}
