//! XML of office documents as a stream of events. No entity of a DTD is expanded: unknown references are kept as they are written.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

/// The deepest nesting of elements. Real documents have less than a hundred levels; this bounds the memory of open elements.
const MAX_DEPTH: usize = 1 << 20;
/// A declaration names the encoding within this many bytes.
const DECLARATION_BYTES: usize = 200;

/// Decodes XML by its byte order mark or its declaration, else as UTF-8.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let encoding = Encoding::for_bom(&bytes).map(|(encoding, _)| encoding);
    let encoding = encoding.or_else(|| declared(&bytes)).unwrap_or(UTF_8);
    let undecodable = || format!("expected {}, found undecodable bytes", encoding.name());
    if encoding == UTF_8 {
        return String::from_utf8(bytes).map_err(|_| undecodable());
    }
    let decoded = encoding.decode_without_bom_handling_and_without_replacement(&bytes);
    decoded.map(Cow::into_owned).ok_or_else(undecodable)
}

/// Returns the encoding that a declaration names.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let declaration = &start[..memchr::memmem::find(start, b"?>")?];
    let label = &declaration[memchr::memmem::find(declaration, b"encoding")?..];
    let label = label.split(|byte| matches!(byte, b'"' | b'\'')).nth(1)?;
    // The declaration was read as ASCII: it is not UTF-16.
    Encoding::for_label(label).filter(|encoding| encoding.is_ascii_compatible())
}

/// An event of a document. An empty element begins and ends.
pub(super) enum XmlEvent<'a> {
    /// A start tag.
    Start(Element<'a>),
    /// The end of the element with this local name.
    End(String),
    /// Characters.
    Text(Cow<'a, str>),
}

/// A start tag.
pub(super) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Returns the name without its prefix.
    pub fn name(&self) -> &str {
        self.0.name().0.rsplit(':').next().unwrap_or_default()
    }

    /// Returns the value of an attribute by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        // Duplicates would be searched in quadratic time.
        let mut attributes = attributes.with_checks(false).flatten();
        let attribute = attributes.find(|a| a.key.local_name().as_ref() == name)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        Some(value.map_or_else(|_| attribute.value.to_string(), Cow::into_owned))
    }
}

/// The events of a document.
pub(super) struct XmlEvents<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    has_element: bool,
}

impl<'a> XmlEvents<'a> {
    /// Reads decoded XML.
    pub fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        XmlEvents { reader, depth: 0, has_element: false }
    }

    /// Returns the byte position after the last event.
    pub fn position(&self) -> usize {
        self.reader.buffer_position() as usize
    }

    /// Returns the next event, or `None` at the end.
    ///
    /// # Errors
    /// Malformed or truncated XML, and nesting beyond [`MAX_DEPTH`].
    pub fn next(&mut self) -> Result<Option<XmlEvent<'a>>, String> {
        loop {
            let event = self.reader.read_event();
            match event.map_err(|error| format!("damaged XML: {error}"))? {
                Event::Start(start) => {
                    self.begin_element()?;
                    return Ok(Some(XmlEvent::Start(Element(start))));
                }
                Event::End(end) => {
                    self.depth -= 1;
                    return Ok(Some(XmlEvent::End(end.local_name().as_ref().to_string())));
                }
                Event::Text(text) => return Ok(Some(XmlEvent::Text(text.into_inner()))),
                Event::CData(text) => return Ok(Some(XmlEvent::Text(text.into_inner()))),
                Event::GeneralRef(name) => return Ok(Some(XmlEvent::Text(resolve(&name)))),
                Event::Eof if self.depth > 0 || !self.has_element => {
                    return Err("truncated XML: an element is not closed".into());
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    fn begin_element(&mut self) -> Result<(), String> {
        self.depth += 1;
        self.has_element = true;
        match self.depth > MAX_DEPTH {
            true => Err(format!("expected at most {MAX_DEPTH} nested elements, found more")),
            false => Ok(()),
        }
    }

    /// Skips to the end of the element that has just begun.
    pub fn skip(&mut self) -> Result<(), String> {
        let outside = self.depth - 1;
        while self.depth > outside {
            if self.next()?.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// Returns the text of a reference: a character by number, one of XML's five names, else itself.
fn resolve(reference: &BytesRef<'_>) -> Cow<'static, str> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Cow::Owned(character.to_string());
    }
    match &**reference {
        "amp" => Cow::Borrowed("&"),
        "lt" => Cow::Borrowed("<"),
        "gt" => Cow::Borrowed(">"),
        "quot" => Cow::Borrowed("\""),
        "apos" => Cow::Borrowed("'"),
        name => Cow::Owned(format!("&{name};")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all events as one line.
    fn events(text: &str) -> Result<String, String> {
        let (mut events, mut line) = (XmlEvents::new(text), String::new());
        while let Some(event) = events.next()? {
            match event {
                XmlEvent::Start(element) if element.name() == "skip" => events.skip()?,
                XmlEvent::Start(element) => {
                    let value = element.attribute("a").map(|value| format!(" {value}"));
                    line += &format!("<{}{}>", element.name(), value.unwrap_or_default());
                }
                XmlEvent::End(name) => line += &format!("</{name}>"),
                XmlEvent::Text(text) => line += &text,
            }
        }
        Ok(line)
    }

    #[test]
    fn events_have_local_names_and_resolved_text() {
        for (text, expected) in [
            ("<?xml version='1.0'?><w:p w:a='1&lt;2'/>", "<p 1<2></p>"),
            ("<p>a&amp;&#x10d;<![CDATA[<b>]]></p>", "<p>a&č<b></p>"),
            ("<p><skip><p/>no<skip>no</skip></skip>yes</p>", "<p>yes</p>"),
            ("<p a='&unknown;'>&unknown;</p>", "<p &unknown;>&unknown;</p>"),
        ] {
            assert_eq!(events(text).unwrap(), expected);
        }
    }

    #[test]
    fn entities_are_not_expanded() {
        let laughs = "<!DOCTYPE p [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]><p>&b;&f;</p>";
        assert_eq!(events(laughs).unwrap(), "<p>&b;&f;</p>");
    }

    #[test]
    fn damage_is_an_error() {
        for text in ["", "text", "<p>", "<p></q>", "<p><q></p></q>", "<p", "<p>&amp</p>"] {
            assert!(events(text).is_err(), "{text}");
        }
        let deep = |depth: usize| "<p>".repeat(depth) + &"</p>".repeat(depth);
        assert!(events(&deep(100_000)).is_ok());
        assert!(events(&deep(MAX_DEPTH + 1)).unwrap_err().contains("nested"));
    }

    #[test]
    fn encodings_are_those_of_mark_and_declaration() {
        let declared = "<?xml version='1.0' encoding='windows-1250'?><p>";
        let legacy = [declared.as_bytes(), b"\xe8</p>"].concat();
        assert_eq!(events(&decode(legacy).unwrap()).unwrap(), "<p>č</p>");
        let wide: Vec<u8> = "\u{feff}<p>č</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(events(&decode(wide).unwrap()).unwrap(), "<p>č</p>");
        assert!(decode(b"<p>\xe8</p>".to_vec()).is_err());
    }
}
