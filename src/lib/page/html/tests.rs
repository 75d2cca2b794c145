use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::page::{PageCluster, PageDocument, PagePair, SharedTerm, SimilarityHistogram};

const HOSTILE: &str = "a </script><script>window.hacked=1</script> <!-- & \u{2028} \u{0} \"]]>";

fn page(texts: &[&str]) -> PairPage {
    let document = |text: &&str| PageDocument {
        id: format!("<b>{}</b>", text.len()),
        text: text.to_string(),
        is_cut: false,
        is_old: false,
        characters: text.chars().count() as u64,
        words: 3,
    };
    let terms = vec![SharedTerm { term: 0, share: 5000, counts: (1, 2) }];
    let cluster = PageCluster {
        number: Some(1),
        size: 2,
        smallest: 0.9,
        mean: 0.95,
        is_of_all: true,
        first: 0,
        snippet: "x".into(),
        pairs_total: 1,
        pairs: vec![PagePair { left: 0, right: 1, similarity: 0.9375, terms }],
    };
    let documents: Vec<PageDocument> = texts.iter().map(document).collect();
    PairPage {
        title: "A & <B>".into(),
        made_by: "report_pairs </script>".into(),
        score: "cosine",
        threshold: Some(0.8),
        least: Some(0.9375),
        documents_total: texts.len() as u64,
        copies: 0,
        removable: 1,
        pairs_total: 1,
        pairs_shown: 1,
        clusters_total: 1,
        clusters_shown: 1,
        histogram: SimilarityHistogram { low: 0.8, step: 0.01, counts: vec![0, 1] },
        text_limit: 100,
        clusters: vec![cluster],
        text_parts: text_parts(&documents),
        documents,
        terms: vec!["<i>".into()],
    }
}

fn written(page: &PairPage) -> String {
    let mut out = Vec::new();
    write(page, |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
    .unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the content of a data element.
fn data<'a>(html: &'a str, id: &str) -> &'a str {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    html.split_once(&start).unwrap().1.split_once("</script>").unwrap().0
}

#[test]
fn no_text_ends_its_element() {
    let html = written(&page(&[HOSTILE, "<img src=x onerror=alert(1)>"]));
    let ends = html.matches("</script").count();
    assert_eq!(ends, html.matches("<script").count());
    assert_eq!(ends, 3, "findings, one part of texts, the script");
    let texts: Value = serde_json::from_str(data(&html, "texts-0")).unwrap();
    assert_eq!(texts, serde_json::json!([HOSTILE, "<img src=x onerror=alert(1)>"]));
    assert!(!data(&html, "findings").contains('<') && !data(&html, "texts-0").contains('<'));
    assert!(html.contains("<title>A &amp; &lt;B&gt;</title>"));
}

#[test]
fn findings_have_the_layout_that_the_script_reads() {
    let html = written(&page(&["x", "y"]));
    let findings: Value = serde_json::from_str(data(&html, "findings")).unwrap();
    let expected = serde_json::json!({
        "title": "A & <B>", "made_by": "report_pairs </script>", "score": "cosine", "threshold": 0.8, "least": 0.9375, "documents_total": 2, "copies": 0,
        "removable": 1, "pairs_total": 1, "pairs_shown": 1, "clusters_total": 1, "clusters_shown": 1, "text_limit": 100,
        "histogram": {"low": 0.8, "step": 0.01, "counts": [0, 1]},
        "terms": ["<i>"],
        "documents": [["<b>1</b>", 1, 3, 0, 0], ["<b>1</b>", 1, 3, 0, 0]],
        "text_parts": [0],
        "clusters": [{"number": 1, "size": 2, "smallest": 0.9, "mean": 0.95, "is_of_all": true, "first": 0, "snippet": "x", "pairs_total": 1,
            "pairs": [[0, 1, 0.9375, [0, 5000, 1, 2]]]}],
    });
    assert_eq!(findings, expected);
}

#[test]
fn the_policy_names_script_and_style_by_hash() {
    let html = written(&page(&["x", "y"]));
    let between = |start: &str, end: &str| {
        html.split_once(start).unwrap().1.split_once(end).unwrap().0.to_string()
    };
    for content in [between("<style>", "</style>"), between("<script>", "</script>")] {
        let hash = STANDARD.encode(Sha256::digest(&content));
        assert!(html.contains(&format!("'sha256-{hash}'")));
    }
    assert!(html.contains("content=\"default-src 'none';"));
    assert!(!html.contains("{{") && !html.contains("http://www.w3.org/1999"));
    // The SVG namespace is a name, not an address.
    let without_names = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_names.contains("http:") && !without_names.contains("https:"));
}

#[test]
fn long_texts_have_their_own_parts() {
    let long = "word ".repeat(BYTES_PER_PART / 4);
    let html = written(&page(&["a", &long, "b", &long, "c"]));
    let findings: Value = serde_json::from_str(data(&html, "findings")).unwrap();
    assert_eq!(findings["text_parts"], serde_json::json!([0, 2, 4]));
    let texts: Vec<Vec<String>> = (0..3)
        .map(|part| serde_json::from_str(data(&html, &format!("texts-{part}"))).unwrap())
        .collect();
    assert_eq!(texts.concat(), ["a", &long, "b", &long, "c"]);
}

proptest! {
    #[test]
    fn texts_round_trip(texts in prop::collection::vec("(<|/|script|>|!--|\\PC|\u{2028}|\n|\r|\u{0}){0,30}", 2..5)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let html = written(&page(&texts));
        prop_assert!(html == written(&page(&texts)));
        let back: Vec<String> = serde_json::from_str(data(&html, "texts-0")).unwrap();
        prop_assert_eq!(back, texts);
        prop_assert_eq!(html.matches("</script").count(), 3);
    }
}
