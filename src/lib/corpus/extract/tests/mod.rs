//! Office documents made for the tests.

mod archives;
mod hostile;

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

/// Returns an archive of these members.
fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const CONTENT_TYPES: &str = r#"<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
const ROOT: &str = r#"<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;

/// Returns a DOCX file with this body and these other members.
fn docx(body: &str, others: &[(&str, &str)]) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let mut members = vec![
        ("[Content_Types].xml", CONTENT_TYPES),
        ("_rels/.rels", ROOT),
        ("word/document.xml", &*document),
    ];
    members.extend(others);
    archive(&members)
}

/// Returns an ODT file with this text.
fn odt(text: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:text>{text}</office:text></office:body></office:document-content>"
    );
    archive(&[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", &content)])
}

/// Returns an EPUB file whose description is at `OPS/book.opf`, with these members.
fn epub(items: &str, spine: &str, others: &[(&str, &str)]) -> Vec<u8> {
    let description =
        format!("<package><manifest>{items}</manifest><spine>{spine}</spine></package>");
    let container =
        "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
    let mut members = vec![
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OPS/book.opf", &*description),
    ];
    members.extend(others);
    archive(&members)
}

fn extract(content: &[u8], extension: &str) -> Result<ExtractedText, String> {
    let format = DocumentFormat::detect(content, extension).ok_or("no document")?;
    let extracted = format.extract(content, &InputArgs::default())?;
    for heading in &extracted.headings {
        let line = &extracted.text[heading.range.clone()];
        assert!(!line.trim().is_empty() && heading.level > 0);
    }
    Ok(extracted)
}

/// Returns the text of a document of any name.
#[track_caller]
fn text(content: &[u8]) -> String {
    extract(content, "").unwrap().text
}

/// Returns the headings of a document with their levels.
fn headings(content: &[u8]) -> Vec<(String, u8)> {
    let ExtractedText { text, headings } = extract(content, "").unwrap();
    headings.into_iter().map(|heading| (text[heading.range].to_string(), heading.level)).collect()
}

fn error(content: &[u8], extension: &str) -> String {
    extract(content, extension).unwrap_err()
}

#[test]
fn formats_are_detected_by_content() {
    let book = epub("", "", &[]);
    for (content, format) in [
        (docx("", &[]), Some(DocumentFormat::Docx)),
        (odt(""), Some(DocumentFormat::Odt)),
        (book.clone(), Some(DocumentFormat::Epub)),
        (b"{\\rtf1 x}".to_vec(), Some(DocumentFormat::Rtf)),
        (b"%PDF-1.4".to_vec(), Some(DocumentFormat::Pdf)),
        (archive(&[("a.txt", "text")]), None),
        (archive(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet")]), None),
        (archive(&[("[Content_Types].xml", "spreadsheetml")]), None),
        (b"PK\x03\x04 damaged".to_vec(), None),
        (b"text %PDF-".to_vec(), None),
        (b"".to_vec(), None),
    ] {
        for extension in ["", "txt", "doc"] {
            assert_eq!(DocumentFormat::detect(&content, extension), format, "{format:?}");
        }
    }
    // Extensions count only where the content does not tell.
    assert_eq!(DocumentFormat::detect(&book, "docx"), Some(DocumentFormat::Epub));
    assert_eq!(DocumentFormat::detect(b"PK\x03\x04", "docx"), Some(DocumentFormat::Docx));
    assert_eq!(DocumentFormat::detect(b"\n%PDF-1.4", "pdf"), Some(DocumentFormat::Pdf));
    assert_eq!(DocumentFormat::detect(b"text", "docx"), None);
    assert_eq!(DocumentFormat::of(&book, "epub", TextEncoding::Bytes), Ok(None));
    assert_eq!(DocumentFormat::of(&book, "", TextEncoding::Utf8), Ok(Some(DocumentFormat::Epub)));
}
