//! Headings of plain text and Markdown.
//!
//! | form | example | level |
//! |---|---|---|
//! | Markdown | `## Method`, also underlined with `===` or `---` | number of `#`; 1 or 2 |
//! | numbered, alone on a line | `1.2 Method`; `1 Method` only between blank lines, because lists look alike | number of parts |
//! | with a word | `Chapter 3`, `Глава 2. Метод`, `Kapitola 4`, `Розділ 1` | 1 |
//!
//! Lines of a table of contents (`1.2 Method … 7`) and lines inside of fenced code are no headings.

use std::ops::Range;

use crate::corpus::Heading;

/// Characters of a numbered heading; longer lines are text.
const MAX_CHARACTERS: usize = 120;
/// Levels of headings.
const MAX_LEVEL: usize = 6;
/// Words before the number of a heading, in lower case: English, Russian, Ukrainian, Czech, Slovak.
const KEYWORDS: [&str; 17] = [
    "chapter",
    "section",
    "part",
    "appendix",
    "глава",
    "раздел",
    "часть",
    "приложение",
    "розділ",
    "частина",
    "додаток",
    "kapitola",
    "část",
    "oddíl",
    "příloha",
    "časť",
    "príloha",
];

/// Returns the headings of a text, in order.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut scan = Scan { fence: None, before: LineKind::Blank };
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().map_or("", |next| &text[next.clone()]);
        if let Some(level) = scan.level(&text[line.clone()], next) {
            found.push(Heading { range: trimmed(text, line), level });
        }
    }
    found
}

/// Returns the range of a heading without the marks of Markdown.
pub(super) fn title(text: &str, heading: Range<usize>) -> Range<usize> {
    let Some(content) = text[heading.clone()].strip_prefix('#') else { return heading };
    let content = content.trim_start_matches('#').trim_start();
    let start = heading.end - content.len();
    let marks = content.trim_end_matches('#');
    let is_closed = marks.is_empty() || marks.ends_with([' ', '\t']);
    let end = if is_closed { marks.trim_end() } else { content };
    start..start + end.len()
}

/// Returns the ranges of all lines, without their ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}

/// Returns the range of a line without the white space around it.
fn trimmed(text: &str, line: Range<usize>) -> Range<usize> {
    let content = text[line.clone()].trim_start();
    let start = line.end - content.len();
    start..start + content.trim_end().len()
}

/// Kind of the line before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Blank,
    Heading,
    Text,
}

/// State between lines.
struct Scan {
    /// The fence of the code around, and its length.
    fence: Option<(u8, usize)>,
    before: LineKind,
}

impl Scan {
    /// Returns the level of the next line if it is a heading.
    fn level(&mut self, line: &str, next: &str) -> Option<u8> {
        let content = line.trim();
        let before = self.before;
        self.before = if content.is_empty() { LineKind::Blank } else { LineKind::Text };
        if self.is_code(line) || content.is_empty() {
            return None;
        }
        let is_first = before != LineKind::Text;
        let is_titled = is_first && content.contains(char::is_alphanumeric);
        let level = marked(line)
            .or_else(|| if is_titled { underlined(next) } else { None })
            .or_else(|| keyword(content))
            .or_else(|| numbered(content, is_first && next.trim().is_empty()));
        if level.is_some() {
            self.before = LineKind::Heading;
        }
        level.map(|level| level.min(MAX_LEVEL) as u8)
    }

    /// Returns whether a line belongs to fenced code.
    fn is_code(&mut self, line: &str) -> bool {
        let run = fence(line);
        match (self.fence, run) {
            (None, Some(_)) => self.fence = run,
            (None, None) => return false,
            (Some((mark, length)), Some((other, run))) if mark == other && run >= length => {
                self.fence = None;
            }
            _ => {}
        }
        true
    }
}

/// Returns the mark and length of a fence: at least three backticks or tildes.
fn fence(line: &str) -> Option<(u8, usize)> {
    let line = unindented(line)?.as_bytes();
    let mark = *line.first().filter(|mark| b"`~".contains(mark))?;
    let length = line.iter().take_while(|byte| **byte == mark).count();
    (length >= 3).then_some((mark, length))
}

/// Returns a line without its indentation, unless it is indented like code.
fn unindented(line: &str) -> Option<&str> {
    let content = line.trim_start_matches(' ');
    (line.len() - content.len() <= 3).then_some(content)
}

/// Returns the level of a Markdown heading.
fn marked(line: &str) -> Option<usize> {
    let content = unindented(line)?;
    let title = content.trim_start_matches('#');
    let level = content.len() - title.len();
    let is_separate = title.is_empty() || title.starts_with([' ', '\t', '\r']);
    ((1..=MAX_LEVEL).contains(&level) && is_separate).then_some(level)
}

/// Returns the level of a Markdown heading with this line below it.
fn underlined(next: &str) -> Option<usize> {
    let line = unindented(next)?.trim_end();
    let is_line_of = |mark: char| line.len() >= 3 && line.chars().all(|c| c == mark);
    match () {
        () if is_line_of('=') => Some(1),
        () if is_line_of('-') => Some(2),
        () => None,
    }
}

/// Returns the level of a heading such as `Chapter 3` or `Глава 2. Метод`.
fn keyword(content: &str) -> Option<usize> {
    let (word, rest) = content.split_once(' ')?;
    // The longest keyword has ten letters of at most two bytes.
    if word.len() > 24 || !is_title_line(content) {
        return None;
    }
    let word = word.to_lowercase();
    if !KEYWORDS.contains(&&*word) {
        return None;
    }
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (number, title) = rest.split_at(end);
    (is_number(number) && begins_title(title)).then_some(1)
}

/// Returns whether a word numbers a chapter: digits, a Roman number, or one capital letter.
fn is_number(word: &str) -> bool {
    let is_letter = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let is_roman = !word.is_empty() && word.bytes().all(|byte| b"IVXLC".contains(&byte));
    let is_digits = (1..=3).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
    is_letter || is_roman || is_digits
}

/// Returns whether the rest of a line after a number is a title: nothing, or words that begin with a capital letter or follow a mark.
fn begins_title(rest: &str) -> bool {
    let words = rest.trim_start();
    words.trim_matches('.').is_empty()
        || words.starts_with(['.', ':', '–', '—', '-'])
        || words.chars().next().is_some_and(|first| !first.is_lowercase() && first.is_alphabetic())
}

/// Returns the level of a heading that begins with its number, such as `1.2 Method`. A number without parts needs blank lines around.
fn numbered(content: &str, is_alone: bool) -> Option<usize> {
    let (number, title) = content.split_once([' ', '\t'])?;
    let has_point = number.ends_with('.');
    let mut level = 0;
    for part in number.strip_suffix('.').unwrap_or(number).split('.') {
        level += 1;
        let is_part = (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if !is_part || level > MAX_LEVEL {
            return None;
        }
    }
    let first = title.trim_start().chars().next()?;
    let is_title = first.is_alphabetic() && !first.is_lowercase() && is_title_line(content);
    let is_heading = level > 1 || (is_alone && (has_point || first.is_uppercase()));
    (is_title && is_heading).then_some(level)
}

/// Returns whether a line may be a title: short, not the end of a sentence, not of a table of contents.
fn is_title_line(content: &str) -> bool {
    let is_sentence = content.ends_with([',', ';', '!'])
        || (content.ends_with('.') && content.matches(' ').count() > 1);
    let is_listed = content.contains("...") || content.contains('…') || content.contains(". . .");
    content.chars().nth(MAX_CHARACTERS).is_none() && !is_sentence && !is_listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(&str, u8)> {
        headings(text).into_iter().map(|heading| (&text[heading.range], heading.level)).collect()
    }

    #[test]
    fn markdown_has_marked_and_underlined_headings() {
        let text = "# One\ntext\n### Three ###\n#tag\n    # code\n\nTwo\n---\n\nUp\n====\r\n\n---\n---\nno\n---";
        assert_eq!(found(text), [("# One", 1), ("### Three ###", 3), ("Two", 2), ("Up", 1)]);
        assert_eq!(found("Two\n---\ntext"), [("Two", 2)]);
        assert_eq!(found("#\n###### six\n####### seven"), [("#", 1), ("###### six", 6)]);
    }

    #[test]
    fn titles_have_no_marks() {
        for (heading, expected) in [
            ("## A b", "A b"),
            ("# A ##", "A"),
            ("# C#", "C#"),
            ("#", ""),
            ("# ##", ""),
            ("1.2 A", "1.2 A"),
            ("C #", "C #"),
        ] {
            assert_eq!(&heading[title(heading, 0..heading.len())], expected, "{heading}");
        }
    }

    #[test]
    fn code_has_no_headings() {
        let text =
            "```sh\n# comment\n~~~\n# comment\n```\n# Title\n~~~~\n# a\n~~~\n# b\n~~~~~\n## End";
        assert_eq!(found(text), [("# Title", 1), ("## End", 2)]);
    }

    #[test]
    fn numbers_and_words_begin_headings() {
        for (line, level) in [
            ("1.2 Method", Some(2)),
            ("1.2. Методы поиска", Some(2)),
            ("3.1.4\tÚvod", Some(3)),
            ("1 Introduction", Some(1)),
            ("1. Introduction", Some(1)),
            ("Chapter 3", Some(1)),
            ("CHAPTER IV: The end", Some(1)),
            ("Глава 2. Метод", Some(1)),
            ("ГЛАВА 2", Some(1)),
            ("Kapitola 4", Some(1)),
            ("Розділ 1. Огляд", Some(1)),
            ("Příloha A", Some(1)),
            ("Chapter 3 describes the method", None),
            ("Chapter three", None),
            ("1.2 lower case", None),
            ("1.2 A sentence that ends here.", None),
            ("1984 George", None),
            ("1.2 Method ........ 7", None),
            ("Глава 3. Модифицированный метод .....\t20", None),
            ("1.2", None),
            ("1,5 Metres", None),
            ("12.5% Growth", None),
        ] {
            let text = format!("text\n\n{line}\n\ntext");
            assert_eq!(found(&text), Vec::from_iter(level.map(|level| (line, level))), "{line}");
        }
        assert_eq!(found("a\n1.2 Method\nb"), [("1.2 Method", 2)]);
        assert!(found("Buy:\n1. Milk\n2. Eggs\n").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_has_headings_in_order(text in "([#=~`.:1-3IV -]|Chapter|Глава|A|b|é|\\r|\\n|\u{0}){0,80}", other: String) {
            for text in [text, other] {
                let mut end = 0;
                for heading in headings(&text) {
                    prop_assert!(heading.range.start >= end && heading.range.start < heading.range.end);
                    prop_assert!(!text[heading.range.clone()].contains('\n') && (1..=6).contains(&heading.level));
                    end = heading.range.end;
                }
            }
        }
    }
}
