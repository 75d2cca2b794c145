//! One text in all formats of documents, through every executable that reads documents.

use std::io::{Cursor, Write};
use std::path::Path;

use crate::common::Work;

/// Formats of the text, all but PDF with marked headings.
const FORMATS: [&str; 7] = ["docx", "epub", "html", "odt", "pdf", "rtf", "txt"];

/// Returns a folder with the text in all formats, named in upper case: content tells the format, not the name.
fn horses() -> Work {
    let work = Work::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
    for format in FORMATS {
        let content = std::fs::read(samples.join(format!("horse.{format}"))).unwrap();
        work.write(format!("docs/{format}"), content);
    }
    work.write("docs/other", "an entirely different text about boats on a river");
    work
}

#[test]
fn all_formats_have_the_same_words() {
    let work = horses();
    for flags in ["", "--markup strip", "--format text", "--encoding utf-8"] {
        work.ok(&format!("find_near_dups docs --out pairs.tsv --clusters clusters.tsv {flags}"));
        let pairs = work.read("pairs.tsv");
        let pairs: Vec<&str> = pairs.lines().skip(1).collect();
        assert_eq!(pairs.len(), FORMATS.len() * (FORMATS.len() - 1) / 2, "{pairs:#?}");
        assert!(pairs.iter().all(|pair| pair.starts_with("1.0000\t")), "{flags} {pairs:#?}");
        assert!(!pairs.iter().any(|pair| pair.contains("other")));
    }
    // Markup is kept in HTML only: an archive has none.
    work.ok("find_near_dups docs --out pairs.tsv --markup keep --exclude html");
    let pairs = work.read("pairs.tsv");
    assert_eq!(pairs.lines().filter(|pair| pair.starts_with("1.0000\t")).count(), 15);
}

#[test]
fn bags_of_words_are_the_same() {
    let work = horses();
    work.ok("create_bows --words --markup auto docs --bow_paths bow_paths --bow_dir bows");
    let bags = work.read("bows/bow_paths-000001.bow");
    let bag = |name: &str| {
        let line = bags.lines().find(|line| line.contains(&format!("{name}:")));
        let words = line.unwrap_or_else(|| panic!("{name} in {bags}")).split_once(':').unwrap().1;
        let mut words: Vec<&str> = words.split_whitespace().collect();
        words.sort();
        words.join(" ")
    };
    for format in FORMATS {
        assert_eq!(bag(format), bag("txt"), "{format}");
    }
    assert!(bag("txt").contains("žluťoučký") && bag("txt").contains("crooked"));
}

#[test]
fn reports_show_the_text() {
    let work = horses();
    work.ok("find_near_dups docs --out pairs.tsv");
    work.ok("report_pairs docs --pairs pairs.tsv --out page.html");
    let page = work.read("page.html");
    assert!(page.contains("Žluťoučký") && !page.contains("w:document"));
}

#[test]
fn copies_are_the_files_themselves_and_compression_is_none_of_their_business() {
    let work = horses();
    let docx = work.read_bytes("docs/docx");
    work.write("more/a.docx.zst", zstd::encode_all(&*docx, 3).unwrap());
    work.write("more/b.odt", work.read_bytes("docs/odt"));
    work.ok("find_near_dups more --out pairs.tsv --dedup kept/");
    assert!(work.read("pairs.tsv").ends_with("1.0000\ta.docx.zst\tb.odt\n"));
    assert!(work.has("kept/a.docx.zst") != work.has("kept/b.odt"));
    let stdin = work.run_with_input("find_near_dups - more/b.odt --format text --out -", &docx);
    assert_eq!(stdin.code, Some(0), "{}", stdin.stderr);
    assert!(stdin.stdout.contains("1.0000\t"), "{}", stdin.stdout);
}

/// Returns an archive of these members.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let deflated = zip::CompressionMethod::Deflated;
    let options = zip::write::SimpleFileOptions::default().compression_method(deflated);
    for (name, content) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn unreadable_documents_are_named_with_the_reason() {
    let work = horses();
    let cut = |format: &str| {
        let content = work.read_bytes(format!("docs/{format}"));
        content[..content.len() * 2 / 3].to_vec()
    };
    let blank = b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
    let unreadable: [(&str, Vec<u8>, &str); 9] = [
        ("cut.docx", cut("docx"), "damaged or truncated document"),
        ("cut.odt", cut("odt"), "damaged or truncated document"),
        ("cut.epub", cut("epub"), "damaged or truncated document"),
        ("cut.rtf", cut("rtf"), "truncated RTF: a group is not closed"),
        ("cut.pdf", cut("pdf"), "damaged or truncated PDF: expected %%EOF at its end"),
        ("no.pdf", b"%PDF-1.4 not one %%EOF".to_vec(), "damaged PDF: pdftotext cannot read it"),
        ("scan.pdf", blank.to_vec(), "no text layer: OCR it first"),
        (
            "old.doc",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(),
            "an office document in an old or encrypted format, not text",
        ),
        (
            "sheet.xlsx",
            archive(&[("[Content_Types].xml", b"spreadsheetml")]),
            "a ZIP archive or an office document, not text",
        ),
    ];
    for (name, content, why) in unreadable {
        work.write(name, content);
        let ran = work.run(&format!("find_near_dups docs {name} --out pairs.tsv"));
        assert_eq!(ran.code, Some(3), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("{name}: {why}")), "{}", ran.stderr);
        let told =
            work.fails(&format!("create_bows --words docs {name} --bow_paths b --bow_dir d"));
        assert!(told.contains(&format!("{name}: {why}")), "{told}");
    }
}

#[test]
fn without_the_converter_pdf_files_are_unreadable_and_the_others_are_not() {
    let work = horses();
    let mut command = work.command("find_near_dups");
    command.args(["docs", "--out", "pairs.tsv"]).env("PATH", "");
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("docs/pdf: PDF files need pdftotext: install poppler-utils"),
        "{stderr}"
    );
    assert_eq!(work.read("pairs.tsv").lines().count(), 1 + 15);
}

#[test]
fn bytes_are_not_extracted() {
    let work = horses();
    work.ok("create_bows --encoding bytes docs/docx --bow_paths bow_paths --bow_dir bows");
    assert!(work.read("bows/bow_paths-000001.bow").contains("PK"));
}
