//! DOCX, ODT and EPUB: what is text and what is not.

use super::*;

fn relationship(kind: &str, target: &str) -> String {
    format!(
        r#"<Relationship Type="http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}" Target="{target}"/>"#
    )
}

/// Returns the text of a DOCX body.
#[track_caller]
fn body(body: &str) -> String {
    text(&docx(body, &[]))
}

#[test]
fn runs_are_joined_and_paragraphs_are_lines() {
    for (xml, expected) in [
        (
            "<w:p><w:r><w:t>mis</w:t></w:r><w:proofErr/><w:r><w:t>spelled wo</w:t></w:r><w:r><w:t xml:space='preserve'>rd </w:t></w:r></w:p><w:p/><w:p><w:r><w:t>two</w:t></w:r></w:p>",
            "misspelled word\ntwo\n",
        ),
        (
            "<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e</w:t></w:r></w:p>",
            "a\tb\nc-de\n",
        ),
        (
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
            "1\n2\n",
        ),
        (
            "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>no</w:delText><w:tab/></w:r></w:del><w:moveFrom><w:r><w:t>no</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>er</w:t></w:r></w:moveTo></w:p>",
            "newer\n",
        ),
        ("<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>kept</w:t></w:r></w:p>", "kept\n"),
        (
            "<w:p><w:r><w:fldChar/><w:instrText>PAGE no</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>",
            "7\n",
        ),
        (
            "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>yes</w:t></w:r></w:p>",
            "yes\n",
        ),
        (
            "<w:p><w:r><w:t>one</w:t></w:r><w:r><w:rPr><w:color w:val='FFFFFF'/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>two</w:t></w:r></w:p>",
            "one two\n",
        ),
        (
            "<w:p><w:r><w:rPr><w:color w:val='ffffff'/><w:shd w:fill='000000'/></w:rPr><w:t>on</w:t></w:r><w:r><w:rPr><w:color w:val='ffffff'/></w:rPr><w:t>dark</w:t></w:r></w:p>",
            "ondark\n",
        ),
        (
            "<w:p><w:r><w:t>be</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Choice><w:t>no</w:t></mc:Choice><mc:Fallback><w:p><w:r><w:t>no</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>fore</w:t></w:r></w:p>",
            "before\nbox\n",
        ),
        (
            "<w:p><w:r><w:t>a &amp; b&#233; &unknown;\nc</w:t></w:r></w:p>text outside of runs",
            "a & bé &unknown; c\n",
        ),
        ("", ""),
    ] {
        assert_eq!(body(xml), expected, "{xml}");
    }
}

#[test]
fn notes_follow_the_text_of_the_parts_that_are_named() {
    let related =
        [relationship("footnotes", "notes/foot.xml"), relationship("endnotes", "/end.xml")];
    let related = format!("<Relationships>{}</Relationships>", related.concat());
    let note = |text: &str| {
        format!(
            "<w:footnotes><w:footnote w:type='separator'><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote><w:p><w:r><w:footnoteRef/><w:t>{text}</w:t></w:r></w:p></w:footnote></w:footnotes>"
        )
    };
    let file = docx(
        "<w:p><w:r><w:t>main</w:t><w:footnoteReference/></w:r></w:p>",
        &[
            ("word/_rels/document.xml.rels", &related),
            ("end.xml", &note("end")),
            ("word/notes/foot.xml", &note("foot")),
            ("word/comments.xml", &note("no")),
            ("word/header1.xml", &note("no")),
        ],
    );
    assert_eq!(text(&file), "main\nfoot\nend\n");
}

#[test]
fn headings_have_the_levels_of_their_styles() {
    let styles = "<w:styles>
        <w:style w:styleId='Nadpis1'><w:name w:val='heading 1'/></w:style>
        <w:style w:styleId='Own'><w:name w:val='Own'/><w:pPr><w:outlineLvl w:val='2'/></w:pPr></w:style>
        <w:style w:styleId='Derived'><w:name w:val='x'/><w:basedOn w:val='Own'/></w:style>
        <w:style w:styleId='Contents'><w:name w:val='TOC Heading'/><w:basedOn w:val='Nadpis1'/><w:pPr><w:outlineLvl w:val='9'/></w:pPr></w:style>
        <w:style w:styleId='Loop'><w:name w:val='y'/><w:basedOn w:val='Loop'/></w:style></w:styles>";
    let related =
        format!("<Relationships>{}</Relationships>", relationship("styles", "styles.xml"));
    let paragraph = |style: &str, more: &str| {
        format!(
            "<w:p><w:pPr><w:pStyle w:val='{style}'/>{more}</w:pPr><w:r><w:t>{style}</w:t></w:r></w:p>"
        )
    };
    let names = ["Nadpis1", "Own", "Derived", "Contents", "Loop", "Heading1", "None"];
    let text: String = names.map(|name| paragraph(name, "")).concat();
    let text = text
        + &paragraph("Text", "<w:outlineLvl w:val='4'/>")
        + &paragraph("Own", "<w:outlineLvl w:val='9'/>");
    let named = [("word/_rels/document.xml.rels", &*related), ("word/styles.xml", styles)];
    let expected = [("Nadpis1", 1), ("Own", 3), ("Derived", 3), ("Text", 5)];
    assert_eq!(
        headings(&docx(&text, &named)),
        expected.map(|(name, level)| (name.to_string(), level))
    );
    // Without styles, names tell.
    assert_eq!(headings(&docx(&text, &[])), [("Heading1".to_string(), 1), ("Text".to_string(), 5)]);
}

#[test]
fn odt_has_paragraphs_headings_and_notes() {
    let file = odt("<text:tracked-changes><text:deletion><text:p>no</text:p></text:deletion></text:tracked-changes>
        <text:h text:outline-level='2'>A <text:span>head</text:span>ing</text:h>
        <text:p>wo<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note>rd<text:s text:c='4000000000'/>two<text:tab/>three<text:line-break/>fo<text:change/>ur
        five<office:annotation><text:p>no</text:p></office:annotation></text:p>
        <table:table><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table>
        <text:p><draw:frame><svg:title>no</svg:title><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>around</text:p>");
    let read = text(&file);
    let lines: Vec<String> = read
        .lines()
        .map(|l| l.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        ["A heading", "word two\tthree", "four five", "a note", "1", "2", "around", "box"]
    );
    assert_eq!(headings(&file), [("A heading".to_string(), 2)]);
}

#[test]
fn books_are_read_in_the_order_of_the_spine() {
    let items = "<item id='b' href='b%20b.xhtml' media-type='application/xhtml+xml'/><item id='a' href='../a.xhtml' media-type='application/xhtml+xml'/><item id='n' href='nav.xhtml' media-type='application/xhtml+xml'/><item id='i' href='i.png' media-type='image/png'/>";
    let page = |n: u8| {
        format!(
            "<?xml version='1.0'?><html><head><title>no</title></head><body><h{n}>Heading {n}</h{n}><p>pa<i>ge</i>&nbsp;{n}</p><script>no</script></body></html>"
        )
    };
    let pages = [("a.xhtml", &*page(1)), ("OPS/b b.xhtml", &*page(2)), ("OPS/nav.xhtml", "no")];
    let file = epub(items, "<itemref idref='a'/><itemref idref='i'/><itemref idref='b'/>", &pages);
    assert_eq!(text(&file), "Heading 1\npage\u{a0}1\nHeading 2\npage\u{a0}2\n");
    assert_eq!(headings(&file), [("Heading 1".to_string(), 1), ("Heading 2".to_string(), 2)]);
    let missing = epub(items, "<itemref idref='x'/>", &pages);
    assert!(error(&missing, "").contains("of the spine, found none"));
    let locked =
        ("META-INF/encryption.xml", "<encryption><CipherReference URI='a.xhtml'/></encryption>");
    let locked = epub(items, "<itemref idref='a'/>", &[pages[0], locked]);
    assert_eq!(error(&locked, ""), "encrypted: a.xhtml cannot be read");
}
