//! EPUB: the pages of the spine, in its order.

use rustc_hash::{FxHashMap, FxHashSet};

use super::package::{Package, resolve};
use super::xml::{XmlEvent, XmlEvents};
use super::{ExtractedText, Heading};
use crate::text::markup;

/// The member that names the description of the book.
const CONTAINER: &str = "META-INF/container.xml";
/// The member that names encrypted ones.
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Returns the text of a book.
pub(super) fn extract(mut package: Package<'_>) -> Result<ExtractedText, String> {
    let container = package.xml(CONTAINER)?;
    let description = attributes(&container, "rootfile", "full-path")
        .map_err(|why| format!("{CONTAINER}: {why}"))?;
    let description = description.first().ok_or("expected a rootfile, found none")?;
    let description = resolve("", description);
    let text = package.xml(&description)?;
    let pages = spine(&text, &description).map_err(|why| format!("{description}: {why}"))?;
    let encrypted = encrypted(&mut package)?;
    let mut book = ExtractedText::default();
    for page in pages {
        if encrypted.contains(&page) {
            return Err(format!("encrypted: {page} cannot be read"));
        }
        add_page(&mut book, &package.xml(&page)?);
    }
    Ok(book)
}

/// Returns the values of an attribute of all elements with a name.
fn attributes(text: &str, name: &str, attribute: &str) -> Result<Vec<String>, String> {
    let (mut events, mut values) = (XmlEvents::new(text), Vec::new());
    while let Some(event) = events.next()? {
        if let XmlEvent::Start(element) = event
            && element.name() == name
        {
            values.extend(element.attribute(attribute));
        }
    }
    Ok(values)
}

/// Returns the members of the spine, in order.
fn spine(text: &str, description: &str) -> Result<Vec<String>, String> {
    let (mut events, mut items, mut ids) = (XmlEvents::new(text), FxHashMap::default(), Vec::new());
    while let Some(event) = events.next()? {
        let XmlEvent::Start(element) = event else { continue };
        match element.name() {
            "item" => {
                let href = element.attribute("href").unwrap_or_default();
                let media_type = element.attribute("media-type").unwrap_or_default();
                let member = resolve(description, &decode_percents(&href));
                items.insert(element.attribute("id"), (member, media_type));
            }
            "itemref" => ids.push(element.attribute("idref")),
            _ => {}
        }
    }
    let mut pages = Vec::new();
    for id in ids {
        let unknown = || format!("expected the item {:?} of the spine, found none", id);
        let (member, media_type) = items.get(&id).ok_or_else(unknown)?;
        // Pictures may be pages.
        if media_type.contains("html") {
            pages.push(member.clone());
        }
    }
    Ok(pages)
}

/// Returns the members that are encrypted, among them fonts.
fn encrypted(package: &mut Package<'_>) -> Result<FxHashSet<String>, String> {
    let Some(text) = package.optional_xml(ENCRYPTION)? else { return Ok(FxHashSet::default()) };
    let names = attributes(&text, "CipherReference", "URI")?;
    Ok(names.iter().map(|name| resolve("", &decode_percents(name))).collect())
}

/// Decodes `%XX` in a link, and drops the part after `#`.
fn decode_percents(link: &str) -> String {
    let link = link.split('#').next().unwrap_or_default().as_bytes();
    let (mut bytes, mut at) = (Vec::with_capacity(link.len()), 0);
    while let Some(byte) = link.get(at) {
        let digits = link.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let decoded = decoded.filter(|_| *byte == b'%');
        bytes.push(decoded.unwrap_or(*byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Adds the text of a page and its headings.
fn add_page(book: &mut ExtractedText, page: &str) {
    let mut at = 0;
    for Section { start, end, level } in sections(page) {
        add_text(book, &page[at..start], None);
        if level > 0 {
            add_text(book, &page[start..end], Some(level));
        }
        at = end;
    }
    add_text(book, &page[at..], None);
}

/// Adds the text of a part of a page, one line per line.
fn add_text(book: &mut ExtractedText, part: &str, level: Option<u8>) {
    let stripped = markup::strip(part);
    let start = book.text.len();
    match level {
        // A heading is one line.
        Some(_) => {
            let words: Vec<&str> = stripped.split_whitespace().collect();
            book.text.push_str(&words.join(" "));
        }
        None => {
            let lines: Vec<&str> =
                stripped.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
            book.text.push_str(&lines.join("\n"));
        }
    }
    if book.text.len() > start {
        book.headings.extend(level.map(|level| Heading { range: start..book.text.len(), level }));
        book.text.push('\n');
    }
}

/// A heading of a page, or its head, which is not shown: that has level 0.
struct Section {
    start: usize,
    end: usize,
    level: u8,
}

/// Returns the outermost headings of a page and its head. After malformed XML there are none: its text is read, but not its structure.
fn sections(page: &str) -> Vec<Section> {
    let (mut events, mut found) = (XmlEvents::new(page), Vec::new());
    loop {
        let start = events.position();
        let Ok(Some(event)) = events.next() else { return found };
        let XmlEvent::Start(element) = event else { continue };
        let level = match element.name().to_ascii_lowercase().as_bytes() {
            b"head" => 0,
            [b'h', digit @ b'1'..=b'6'] => digit - b'0',
            _ => continue,
        };
        if events.skip().is_err() {
            return found;
        }
        found.push(Section { start, end: events.position(), level });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(page: &str) -> (String, Vec<(String, u8)>) {
        let mut book = ExtractedText::default();
        add_page(&mut book, page);
        let heading = |h: &Heading| (book.text[h.range.clone()].to_string(), h.level);
        let headings = book.headings.iter().map(heading).collect();
        (book.text, headings)
    }

    #[test]
    fn pages_have_headings_and_no_head() {
        let page = "<html><head><title>no</title></head><body><h1>A <b>b</b>\nc</h1><p>d&eacute;</p><h2/><h3>e</h3>f</body></html>";
        let (read, headings) = text(page);
        assert_eq!(read, "A b c\ndé\ne\nf\n");
        assert_eq!(headings, [("A b c".to_string(), 1), ("e".to_string(), 3)]);
    }

    #[test]
    fn malformed_pages_keep_their_words() {
        let (read, headings) = text("<html><h1>a</h1><p>b<br>c</p><h1>d</h1>");
        assert_eq!(read, "a\nb\nc\nd\n");
        assert_eq!(headings.len(), 1);
        assert_eq!(text("a & b <h1>c").0, "a & b\nc\n");
    }

    #[test]
    fn links_are_decoded() {
        assert_eq!(decode_percents("a%20b%C4%8D%zz%.xhtml#top"), "a bč%zz%.xhtml");
    }
}
