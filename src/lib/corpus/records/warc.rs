//! Records of web archives (WARC) as JSON Lines: pages of responses and resources, and texts of conversions.

use std::io::{self, Cursor, Read};

use encoding_rs::Encoding;

use super::{RecordConverter, malformed, push_string, reject};
use crate::corpus::TextEncoding;
use crate::corpus::decode::{DecodedText, decode_strictly};
use crate::corpus::inputs::{InputArgs, MarkupMode};
use crate::files::decompress::decompressed;
use crate::text::markup;

/// The largest head of a record or of an HTTP response, in bytes.
const MAX_HEAD: usize = 64 << 10;
/// Read buffer of a compressed page.
const BUFFER: usize = 16 << 10;
const HEAD_END: &[u8] = b"\r\n\r\n";

/// Returns whether a file that begins like this is a web archive.
pub(in super::super) fn is_warc(start: &[u8]) -> bool {
    start.starts_with(b"WARC/")
}

/// Converts records to objects of id (the address) and text. The line of an object is the number of its record. Other records than pages and
/// texts are blank lines.
pub(in super::super) struct WarcConverter {
    args: InputArgs,
    /// The head of the record, or its beginning.
    head: Vec<u8>,
    body: Vec<u8>,
    /// Bytes of the record that are not read yet; none inside a head.
    missing: Option<u64>,
}

/// Lines `name: value` of a head.
struct Head(Vec<(String, String)>);

impl Head {
    fn parse(head: &[u8]) -> Self {
        let text = String::from_utf8_lossy(head);
        let field = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_string()))
        };
        Head(text.split("\r\n").skip(1).filter_map(field).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// Returns the media type, in lower case.
    fn media_type(&self) -> String {
        let value = self.get("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns the stated encoding.
    fn charset(&self) -> Option<&'static Encoding> {
        let value = self.get("content-type")?.to_ascii_lowercase();
        let label = value.split("charset=").nth(1)?;
        let label = label.trim_matches(['"', '\'', ' ']).split([';', '"', ' ']).next()?;
        Encoding::for_label_no_replacement(label.as_bytes())
    }
}

impl WarcConverter {
    pub fn new(args: &InputArgs) -> Self {
        let (args, head, body) = (args.clone(), Vec::new(), Vec::new());
        WarcConverter { args, head, body, missing: None }
    }

    /// Takes bytes of a head, and returns how many.
    fn take_head(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Two line breaks stand behind every record; more do no harm.
        let breaks = if self.head.is_empty() { count_breaks(bytes) } else { 0 };
        let before = self.head.len();
        self.head.extend_from_slice(&bytes[breaks..]);
        let from = before.saturating_sub(HEAD_END.len() - 1);
        let end = memchr::memmem::find(&self.head[from..], HEAD_END);
        let Some(end) = end.map(|at| from + at + HEAD_END.len()) else {
            if self.head.len() > MAX_HEAD {
                let expected = format!("a WARC head of at most {MAX_HEAD} bytes");
                return Err(malformed(expected, "a longer one"));
            }
            return Ok(bytes.len());
        };
        let taken = breaks + end - before;
        self.head.truncate(end);
        if !is_warc(&self.head) {
            return Err(malformed("a WARC record", "another line"));
        }
        let length = Head::parse(&self.head).get("content-length").and_then(|n| n.parse().ok());
        let length = length.ok_or_else(|| malformed("Content-Length in a WARC head", "none"))?;
        self.missing = Some(length);
        Ok(taken)
    }

    /// Takes bytes of a body, of which no more are stored than a record may have; returns how many.
    fn take_body(&mut self, bytes: &[u8], missing: u64) -> usize {
        let count = missing.min(bytes.len() as u64) as usize;
        let room = self.args.max_record.0.saturating_add(1).saturating_sub(self.body.len() as u64);
        self.body.extend_from_slice(&bytes[..count.min(room as usize)]);
        self.missing = Some(missing - count as u64);
        count
    }

    /// Writes the line of a complete record.
    fn end_record(&mut self, lines: &mut Vec<u8>) {
        let (head, body) = (Head::parse(&self.head), std::mem::take(&mut self.body));
        self.head.clear();
        self.missing = None;
        match self.text(&head, &body) {
            Ok(None) => lines.push(b'\n'),
            Ok(Some(text)) => {
                lines.push(b'{');
                if let (Some(id), false) =
                    (head.get("warc-target-uri"), self.args.id_field.is_empty())
                {
                    push_string(self.args.id_field.as_bytes(), lines);
                    lines.push(b':');
                    push_string(id.trim_matches(['<', '>']).as_bytes(), lines);
                    lines.push(b',');
                }
                push_string(self.args.text_field.as_bytes(), lines);
                lines.push(b':');
                push_string(text.as_bytes(), lines);
                lines.extend_from_slice(b"}\n");
            }
            Err(why) => reject(&why, lines),
        }
    }

    /// Returns the text of a record, if it is a page or text.
    fn text(&self, head: &Head, body: &[u8]) -> Result<Option<String>, String> {
        let is_page = match head.get("warc-type") {
            Some("response") => true,
            Some("resource" | "conversion") => false,
            _ => return Ok(None),
        };
        if body.len() as u64 > self.args.max_record.0 {
            return Err(self.args.too_long());
        }
        match is_page && body.starts_with(b"HTTP/") {
            true => self.text_of_response(body),
            false => self.decoded(head, body).map(Some),
        }
    }

    /// Returns the text of an HTTP response; none if it has no body.
    fn text_of_response(&self, response: &[u8]) -> Result<Option<String>, String> {
        let end = memchr::memmem::find(response, HEAD_END).unwrap_or(response.len());
        let (head, body) = (Head::parse(&response[..end]), &response[end..]);
        let body = body.strip_prefix(HEAD_END).unwrap_or_default();
        if body.is_empty() {
            return Ok(None);
        }
        let is_chunked = head.get("transfer-encoding").is_some_and(|value| value == "chunked");
        let joined = if is_chunked { joined_chunks(body) } else { None };
        let body = joined.as_deref().unwrap_or(body);
        match head.get("content-encoding").unwrap_or("identity") {
            "identity" | "" => self.decoded(&head, body).map(Some),
            "gzip" | "x-gzip" | "zstd" => {
                let reader = decompressed(
                    Box::new(Cursor::new(body.to_vec())),
                    BUFFER,
                    Some(self.args.max_ratio),
                );
                let mut page = Vec::new();
                let max = self.args.max_record.0;
                reader
                    .and_then(|reader| reader.take(max.saturating_add(1)).read_to_end(&mut page))
                    .map_err(|error| format!("cannot decompress the page: {error}"))?;
                if page.len() as u64 > max {
                    return Err(self.args.too_long());
                }
                self.decoded(&head, &page).map(Some)
            }
            other => Err(format!("a page compressed as {other}")),
        }
    }

    /// Returns the text of a body of the given type.
    fn decoded(&self, head: &Head, body: &[u8]) -> Result<String, String> {
        let media_type = head.media_type();
        let is_html = matches!(&*media_type, "text/html" | "application/xhtml+xml");
        let is_text = media_type.starts_with("text/")
            || ["", "application/json", "application/xml"].contains(&&*media_type)
            || is_html;
        if !is_text {
            return Err(format!("{media_type}, not text"));
        }
        let stated = head.charset().filter(|_| self.args.encoding == TextEncoding::Auto);
        let stated = stated.and_then(|encoding| decode_strictly(encoding, body).ok());
        let decoded =
            stated.map_or_else(|| self.args.encoding.decode_file(body.to_vec(), true), Ok);
        let DecodedText { text, .. } = decoded?;
        let is_stripped = match self.args.markup {
            MarkupMode::Keep => false,
            MarkupMode::Strip => true,
            MarkupMode::Auto => is_html || (media_type.is_empty() && markup::is_html("", &text)),
        };
        Ok(if is_stripped { markup::strip(&text) } else { text.into_owned() })
    }
}

/// Returns the number of line breaks at the beginning.
fn count_breaks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// Returns a body in chunks as one; none if these are malformed: crawlers may have joined them.
fn joined_chunks(body: &[u8]) -> Option<Vec<u8>> {
    let (mut joined, mut rest) = (Vec::new(), body);
    loop {
        let end = memchr::memchr(b'\n', rest)?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).ok()?;
        rest = &rest[end + 1..];
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(rest.get(..size)?);
        rest = rest[size..].strip_prefix(b"\r\n")?;
    }
}

impl RecordConverter for WarcConverter {
    fn convert(&mut self, bytes: &[u8], lines: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = match self.missing {
                None => self.take_head(rest)?,
                Some(missing) => self.take_body(rest, missing),
            };
            rest = &rest[taken..];
            if self.missing == Some(0) {
                self.end_record(lines);
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        if self.head.is_empty() {
            return Ok(());
        }
        Err(malformed("a whole WARC record", "the end of the file (truncated?)"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rejection;
    use super::super::testing::converted;
    use super::*;

    fn record(kind: &str, uri: &str, fields: &str, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\n{fields}Content-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body, b"\r\n\r\n"].concat()
    }

    fn response(head: &str, body: &[u8]) -> Vec<u8> {
        [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n", body].concat()
    }

    #[test]
    fn pages_and_texts_become_objects() {
        let html = "Content-Type: text/html; charset=iso-8859-2\r\n";
        let gzipped = crate::corpus::tests::gzip(b"zipped");
        let content = [
            record("warcinfo", "", "", b"software: x"),
            record("response", "http://a/", "", &response(html, b"<p>\xf8eka</p>")),
            record("conversion", "http://b/", "Content-Type: text/plain\r\n", b"plain <b>"),
            record("response", "http://c/", "", &response("Content-Type: image/png\r\n", b"x")),
            record(
                "response",
                "http://d/",
                "",
                &response("Transfer-Encoding: chunked\r\n", b"2\r\nab\r\n1;x\r\nc\r\n0\r\n\r\n"),
            ),
            record("response", "http://e/", "", &response("Content-Encoding: gzip\r\n", &gzipped)),
            record("response", "http://f/", "", &response("", b"")),
        ]
        .concat();
        for size in [1, 7, 100_000] {
            let converter = WarcConverter::new(&InputArgs::default());
            let (lines, error) = converted(converter, &content, size);
            assert_eq!(error, None);
            let lines: Vec<&str> = lines.split('\n').collect();
            assert_eq!(lines[0], "");
            assert_eq!(lines[1], r#"{"id":"http://a/","text":"\nřeka\n"}"#);
            assert_eq!(lines[2], r#"{"id":"http://b/","text":"plain <b>"}"#);
            assert_eq!(rejection(lines[3].as_bytes()).unwrap(), "image/png, not text");
            assert_eq!(lines[4], r#"{"id":"http://d/","text":"abc"}"#);
            assert_eq!(lines[5], r#"{"id":"http://e/","text":"zipped"}"#);
            assert_eq!(lines[6..], ["", ""]);
        }
        for end in [3, 40, content.len() - 5] {
            let converter = WarcConverter::new(&InputArgs::default());
            assert!(converted(converter, &content[..end], 64).1.is_some());
        }
    }

    #[test]
    fn other_content_is_refused() {
        for content in ["x\r\n\r\n", "WARC/1.0\r\nContent-Length: x\r\n\r\n"] {
            let converter = WarcConverter::new(&InputArgs::default());
            assert!(converted(converter, content.as_bytes(), 4).1.is_some(), "{content}");
        }
    }
}
