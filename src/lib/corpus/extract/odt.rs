//! ODT: the text of `content.xml`.

use super::ExtractedText;
use super::package::Package;
use super::paragraphs::Paragraphs;
use super::xml::{Element, XmlEvent, XmlEvents};

/// The member with the text.
const CONTENT: &str = "content.xml";
/// The member that lists all others, and how they are encrypted.
const MANIFEST: &str = "META-INF/manifest.xml";

/// Returns the text of a document.
pub(super) fn extract(mut package: Package<'_>) -> Result<ExtractedText, String> {
    let manifest = package.optional_xml(MANIFEST)?;
    if manifest.is_some_and(|text| text.contains("encryption-data")) {
        return Err("encrypted: save it without a password".into());
    }
    let text = package.xml(CONTENT)?;
    let paragraphs = read(&text).map_err(|why| format!("{CONTENT}: {why}"))?;
    Ok(paragraphs.finish())
}

fn read(text: &str) -> Result<Paragraphs, String> {
    let (mut events, mut paragraphs) = (XmlEvents::new(text), Paragraphs::default());
    while let Some(event) = events.next()? {
        match event {
            XmlEvent::Start(element) if is_skipped(&element) => events.skip()?,
            XmlEvent::Start(element) => begin(&mut paragraphs, &element),
            XmlEvent::End(name) if matches!(&*name, "p" | "h") => paragraphs.end(),
            XmlEvent::End(_) => {}
            XmlEvent::Text(text) => paragraphs.push_flowing(&text),
        }
    }
    Ok(paragraphs)
}

/// Returns whether an element has no text of the document: deleted text, comments, numbers of notes and lists, descriptions of pictures.
fn is_skipped(element: &Element<'_>) -> bool {
    let hidden = [
        "tracked-changes",
        "annotation",
        "note-citation",
        "number",
        "desc",
        "title",
        "automatic-styles",
        "forms",
        "scripts",
    ];
    hidden.contains(&element.name())
}

fn begin(paragraphs: &mut Paragraphs, element: &Element<'_>) {
    match element.name() {
        "p" => paragraphs.begin(None),
        "h" => {
            let level = element.attribute("outline-level").and_then(|level| level.parse().ok());
            paragraphs.begin(Some(level.unwrap_or(1).max(1)));
        }
        // Its count may be billions; one space separates words.
        "s" => paragraphs.push(" "),
        "tab" => paragraphs.push("\t"),
        "line-break" => paragraphs.push("\n"),
        _ => {}
    }
}
