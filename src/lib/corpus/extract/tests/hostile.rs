//! Damaged and hostile documents.

use super::*;
use crate::executable::values::ByteSize;

/// Returns the error of a document with other limits.
fn limited(content: &[u8], max_record: u64, max_ratio: u64) -> String {
    let args = InputArgs { max_record: ByteSize(max_record), max_ratio, ..InputArgs::default() };
    DocumentFormat::detect(content, "docx").unwrap().extract(content, &args).unwrap_err()
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

#[test]
fn truncated_archives_are_damaged_at_every_byte() {
    let file = docx(&paragraph("some words"), &[]);
    for length in 4..file.len() {
        let why = error(&file[..length], "docx");
        assert!(why.starts_with("damaged or truncated document"), "{length}: {why}");
        assert!(extract(&file[..length], "").is_err());
    }
    let mut flipped = file.clone();
    let at = memchr::memmem::find(&file, b"word/document.xml").unwrap() + 25;
    flipped[at] ^= 0x55;
    assert!(error(&flipped, "").contains("damaged"));
}

#[test]
fn members_that_are_missing_or_malformed_are_named() {
    let types = ("[Content_Types].xml", CONTENT_TYPES);
    let missing = archive(&[types, ("_rels/.rels", ROOT)]);
    assert_eq!(
        error(&missing, ""),
        "expected the member word/document.xml, found none (damaged document?)"
    );
    let malformed = archive(&[types, ("word/document.xml", "<w:p>")]);
    assert_eq!(error(&malformed, ""), "word/document.xml: truncated XML: an element is not closed");
    let locked = archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", "<m><encryption-data/></m>"),
        ("content.xml", "garbage"),
    ]);
    assert_eq!(error(&locked, ""), "encrypted: save it without a password");
}

#[test]
fn bombs_end_within_the_limits() {
    let bomb = docx(&paragraph(&"a ".repeat(40 << 20)), &[]);
    assert!(bomb.len() < 600_000, "{}", bomb.len());
    let told = "expected a record of at most 1048576 bytes (--max_record), found a longer one";
    assert_eq!(limited(&bomb, 1 << 20, 20_000), told);
    let told = "expected at most 100 bytes per compressed byte (--max_ratio), found more: a decompression bomb?";
    assert_eq!(limited(&bomb, 1 << 30, 100), told);
    assert_eq!(text(&bomb).len(), (80 << 20));
    let names: Vec<String> = (0..3000).map(|number| number.to_string()).collect();
    let others: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "")).collect();
    let many = docx("", &others);
    let told = "expected at most 257 members (--max_record), found more";
    assert_eq!(limited(&many, 1 << 20, 100), told);
    assert_eq!(text(&many), "");
}

#[test]
fn members_are_no_files_and_entities_are_not_expanded() {
    let outside = ROOT.replace("word/document.xml", "../../../../etc/passwd");
    let types = ("[Content_Types].xml", CONTENT_TYPES);
    let file = archive(&[types, ("_rels/.rels", &outside), ("../../../../etc/passwd", "<p/>")]);
    assert!(error(&file, "").contains("expected the member etc/passwd, found none"));
    let laughs: String = (1..30).map(|n| format!("<!ENTITY l{n} '&l{0};&l{0};'>", n - 1)).collect();
    let document = format!(
        "<!DOCTYPE x [<!ENTITY l0 'ha'>{laughs}<!ENTITY f SYSTEM 'file:///etc/passwd'>]><x>{}</x>",
        paragraph("&l29; &f;")
    );
    let file = archive(&[types, ("word/document.xml", &document)]);
    assert_eq!(text(&file), "&l29; &f;\n");
}

#[test]
fn deep_nesting_takes_no_stack() {
    let deep =
        |open: &str, close: &str| [&open.repeat(100_000), "x", &close.repeat(100_000)].concat();
    assert_eq!(text(&docx(&deep("<w:p><w:r><w:t>", "</w:t></w:r></w:p>"), &[])), "x\n");
    assert_eq!(
        text(&docx(
            &deep("<mc:AlternateContent><mc:Choice>", "</mc:Choice></mc:AlternateContent>"),
            &[]
        )),
        ""
    );
    assert_eq!(text(&odt(&deep("<text:p>", "</text:p>"))), "x\n");
    let page = format!("<html>{}</html>", deep("<h1><div>", "</div></h1>"));
    let item = "<item id='a' href='a' media-type='application/xhtml+xml'/>";
    assert_eq!(text(&epub(item, "<itemref idref='a'/>", &[("OPS/a", &page)])), "x\n");
    let rtf = deep("{\\b{\\footnote ", "}}");
    assert_eq!(text(format!("{{\\rtf1 {rtf}}}").as_bytes()), "x\n");
}
