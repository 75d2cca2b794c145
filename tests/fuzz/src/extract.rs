//! Text of office documents.

use std::io::{Cursor, Write};

use nearsig::fuzzing::{DocumentFormat, ExtractedText, InputArgs};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Extracts the text of a document, whose first byte says what the others are: a whole file, or the part with the text of a DOCX, ODT or EPUB file.
///
/// The result is the same again, and bounded. Headings are lines of the text, in its order.
pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let content = match kind % 5 {
        0 => rest.to_vec(),
        1 => archive(&[("[Content_Types].xml", b"wordprocessingml"), ("word/document.xml", rest)]),
        2 => {
            let media_type = b"application/vnd.oasis.opendocument.text";
            archive(&[("mimetype", media_type), ("content.xml", rest)])
        }
        3 => archive(&[
            ("META-INF/container.xml", b"<c><rootfile full-path='p'/></c>"),
            ("p", b"<p><item id='a' href='a' media-type='html'/><itemref idref='a'/></p>"),
            ("a", rest),
        ]),
        _ => [b"{\\rtf1", rest].concat(),
    };
    match DocumentFormat::detect(&content, "docx") {
        // Another program does the work.
        None | Some(DocumentFormat::Pdf) => {}
        Some(format) => check_document(format, &content),
    }
}

fn check_document(format: DocumentFormat, content: &[u8]) {
    let args = InputArgs::default();
    let extracted = format.extract(content, &args);
    assert_eq!(extracted, format.extract(content, &args), "extracting twice differs");
    let Ok(ExtractedText { text, headings }) = extracted else { return };
    assert!(text.is_empty() || text.ends_with('\n'));
    let mut end = 0;
    for heading in headings {
        let line = text.get(heading.range.clone()).expect("a heading on character boundaries");
        assert!(heading.range.start >= end && !line.trim().is_empty() && heading.level > 0);
        assert!(
            text[..heading.range.start].is_empty() || text[..heading.range.start].ends_with('\n')
        );
        end = heading.range.end;
    }
}

/// Returns an archive of stored members.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
