//! Wikipedia extracts as JSON Lines: the output of WikiExtractor, `<doc id="12" url="…" title="…">`, paragraphs, `</doc>`.

use std::collections::BTreeMap;
use std::io;

use super::{RecordConverter, malformed, push_escaped, push_string};
use crate::text::markup;

/// The longest `<doc …>` in bytes.
const MAX_TAG: usize = 64 << 10;
const OPENING: &[u8] = b"<doc ";
const CLOSING: &[u8] = b"</doc>";
/// The field with the attributes of `<doc …>`, for copies.
const TAG_FIELD: &str = "<doc";

/// Returns whether a file that begins like this holds extracts.
pub(in super::super) fn is_extract(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |name: &[u8]| memchr::memmem::find(line, name).is_some();
    line.starts_with(OPENING) && (has(b" url=") || has(b" id="))
}

/// Converts extracts to objects of id and text. The id is the URL, else the number. The line of an object is that of `<doc …>`.
pub(in super::super) struct ExtractConverter {
    text_field: String,
    id_field: Option<String>,
    is_inside: bool,
    /// Whether the text has begun.
    has_text: bool,
    /// The beginning of a line that may be a tag.
    tag: Vec<u8>,
    place: Place,
    /// Line breaks since `<doc …>`.
    breaks: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the beginning of a line, or in what may be a tag.
    Start,
    Text,
}

impl ExtractConverter {
    pub fn new(text_field: &str, id_field: Option<&str>) -> Self {
        ExtractConverter {
            text_field: text_field.into(),
            id_field: id_field.map(String::from),
            is_inside: false,
            has_text: false,
            tag: Vec::new(),
            place: Place::Start,
            breaks: 0,
        }
    }

    /// Takes bytes of a line; `is_whole` says that these are its last.
    fn take(&mut self, bytes: &[u8], is_whole: bool, lines: &mut Vec<u8>) -> io::Result<()> {
        if self.place == Place::Text {
            push_escaped(bytes, lines);
            return Ok(());
        }
        self.tag.extend_from_slice(bytes);
        let expected = if self.is_inside { CLOSING } else { OPENING };
        let compared = self.tag.len().min(expected.len());
        let may_be_tag = self.tag[..compared] == expected[..compared];
        if may_be_tag && !is_whole && self.tag.len() <= MAX_TAG {
            return Ok(());
        }
        let line = std::mem::take(&mut self.tag);
        match line.trim_ascii_end() {
            CLOSING if self.is_inside => self.close(lines),
            tag if !self.is_inside => self.open(tag, lines)?,
            _ => {
                if std::mem::replace(&mut self.has_text, true) {
                    push_escaped(b"\n", lines);
                }
                push_escaped(&line, lines);
                self.place = Place::Text;
            }
        }
        Ok(())
    }

    fn open(&mut self, tag: &[u8], lines: &mut Vec<u8>) -> io::Result<()> {
        if tag.is_empty() {
            return Ok(());
        }
        let tag = tag.strip_prefix(OPENING).and_then(|tag| tag.strip_suffix(b">"));
        let tag = tag.ok_or_else(|| malformed("<doc …> in Wikipedia extracts", "another line"))?;
        let id = attribute(tag, b"url").or_else(|| attribute(tag, b"id"));
        lines.push(b'{');
        push_string(TAG_FIELD.as_bytes(), lines);
        lines.push(b':');
        push_string(tag, lines);
        lines.push(b',');
        if let (Some(field), Some(id)) = (&self.id_field, id) {
            push_string(field.as_bytes(), lines);
            lines.push(b':');
            push_string(markup::strip(&String::from_utf8_lossy(id)).as_bytes(), lines);
            lines.push(b',');
        }
        push_string(self.text_field.as_bytes(), lines);
        lines.extend_from_slice(b":\"");
        (self.is_inside, self.has_text) = (true, false);
        Ok(())
    }

    fn close(&mut self, lines: &mut Vec<u8>) {
        lines.extend_from_slice(b"\"}");
        lines.resize(lines.len() + self.breaks, b'\n');
        (self.is_inside, self.breaks) = (false, 0);
    }

    fn end_line(&mut self, lines: &mut Vec<u8>) {
        self.place = Place::Start;
        match self.is_inside {
            true => self.breaks += 1,
            false => lines.push(b'\n'),
        }
    }
}

/// Returns the extract that a line was converted from.
pub(in super::super) fn extract(line: &[u8], text_field: &str) -> Option<Vec<u8>> {
    let fields: BTreeMap<String, String> = serde_json::from_slice(line).ok()?;
    let (tag, text) = (fields.get(TAG_FIELD)?, fields.get(text_field)?);
    Some(format!("<doc {tag}>\n{text}\n</doc>\n").into_bytes())
}

/// Returns the value of an attribute in quotation marks.
fn attribute<'t>(tag: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let opening = [name, b"=\""].concat();
    let mut starts = memchr::memmem::find_iter(tag, &opening);
    let start = starts.find(|at| *at == 0 || tag[at - 1] == b' ')? + opening.len();
    let length = memchr::memchr(b'"', &tag[start..])?;
    Some(&tag[start..start + length]).filter(|value| !value.is_empty())
}

impl RecordConverter for ExtractConverter {
    fn convert(&mut self, bytes: &[u8], lines: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.take(&rest[..end], true, lines)?;
            self.end_line(lines);
            rest = &rest[end + 1..];
        }
        if rest.is_empty() { Ok(()) } else { self.take(rest, false, lines) }
    }

    fn finish(&mut self, lines: &mut Vec<u8>) -> io::Result<()> {
        if !self.tag.is_empty() {
            self.take(b"", true, lines)?;
            self.end_line(lines);
        }
        if self.is_inside {
            return Err(malformed("</doc>", "the end of the file (truncated?)"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::converted;
    use super::*;

    const CONTENT: &str = "\n<doc id=\"7\" url=\"http://x/?a=1&amp;b\" title=\"A\">\nA\n\n<p>one\n</p>\n</doc>\n<doc id=\"8\">\nB \"q\"\n</doc>";

    #[test]
    fn extracts_become_objects_in_their_lines() {
        for size in [1, 2, 9, 1000] {
            let converter = ExtractConverter::new("text", Some("id"));
            let (lines, error) = converted(converter, CONTENT.as_bytes(), size);
            assert_eq!(error, None, "{size}");
            let lines: Vec<&str> = lines.split('\n').collect();
            assert_eq!(
                lines[1],
                r#"{"<doc":"id=\"7\" url=\"http://x/?a=1&amp;b\" title=\"A\"","id":"http://x/?a=1&b","text":"A\n\n<p>one\n</p>"}"#
            );
            assert_eq!(lines[7], r#"{"<doc":"id=\"8\"","id":"8","text":"B \"q\""}"#, "{lines:?}");
            let again = extract(lines[1].as_bytes(), "text").unwrap();
            assert!(CONTENT.contains(str::from_utf8(&again).unwrap()));
            assert!(
                lines.iter().enumerate().all(|(at, line)| line.is_empty() != [1, 7].contains(&at))
            );
        }
        assert!(
            is_extract(CONTENT.as_bytes()) && !is_extract(b"<doc>\n") && !is_extract(b"x <doc id=")
        );
    }

    #[test]
    fn other_content_is_refused() {
        for content in
            ["text\n", "<doc id=\"1\">\nnever closed\n", "<doc id=\"1\"", "<doc x\n</doc>\n"]
        {
            let converter = ExtractConverter::new("text", None);
            assert!(converted(converter, content.as_bytes(), 4).1.is_some(), "{content}");
        }
    }
}
