//! report_pairs: usage, content of the report, selection of pairs, errors.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::shared::{check_closed_pipe, check_manners, check_usage, check_values};
use crate::common::{Work, gzip};

const LINE: &str = "report_pairs --pairs pairs.tsv --out page.html documents.jsonl";

const DOCUMENTS: &str = r#"{"id":"a","text":"the quick brown fox jumps over the dog"}
{"id":"b","text":"the quick red fox jumps over the dog"}
{"id":"c","text":"</script><script>window.hacked=1</script>"}
{"id":"d","text":"</script><script>window.hacked=1</script>"}
{"id":"alone","text":"nothing like it"}
"#;
const PAIRS: &str = "similarity\tdocument_1\tdocument_2\n0.88\ta\tb\n1.0000\tc\td\n";

fn prepared() -> Work {
    let work = Work::new();
    work.write("documents.jsonl", DOCUMENTS);
    work.write("pairs.tsv", PAIRS);
    work
}

/// Returns the text between two others.
fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    html.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Returns the content of a data element.
fn element<'a>(html: &'a str, id: &str) -> &'a str {
    between(html, &format!("<script type=\"application/json\" id=\"{id}\">"), "</script>")
}

fn data(html: &str, id: &str) -> Value {
    serde_json::from_str(element(html, id)).unwrap()
}

fn findings(work: &Work) -> Value {
    data(&work.read("page.html"), "findings")
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "report_pairs",
        "Writes pairs of near-duplicates as one self-contained HTML file",
        &[
            "include",
            "exclude",
            "follow",
            "max_archive",
            "format",
            "text_field",
            "id_field",
            "encoding",
            "markup",
            "max_ratio",
            "max_record",
            "against",
            "pairs",
            "id_file",
            "clusters",
            "out",
            "most_pairs",
            "text_limit",
            "title",
            "threshold",
            "shingle_size",
            "no_fold",
        ],
    );
    check_values(
        LINE,
        &[
            ("most_pairs", "0", "at least 1"),
            ("text_limit", "x", "at least 1"),
            ("threshold", "-1", "expected a share"),
        ],
    );
    check_manners(&prepared(), LINE, "read 5 documents, skipped 0, wrote 2 pairs");
    check_closed_pipe(&prepared(), "report_pairs --pairs pairs.tsv --out - documents.jsonl");
    let refusal = Work::new().refuses("report_pairs --pairs - --clusters - --out x y");
    assert!(
        refusal.contains("only one of --pairs and --clusters can be standard input"),
        "{refusal}"
    );
}

#[test]
fn flags_have_three_spellings() {
    let work = prepared();
    work.ok("report_pairs --pairs pairs.tsv --out page.html --most_pairs 1 documents.jsonl");
    let expected = work.read("page.html");
    for flag in ["-most_pairs 1", "--most-pairs 1", "-most-pairs=1", "--most_pairs=1"] {
        work.ok(&format!("report_pairs -pairs pairs.tsv -out page.html {flag} documents.jsonl"));
        assert_eq!(work.read("page.html"), expected, "{flag}");
    }
}

#[test]
fn the_report_holds_findings_and_texts() {
    let work = prepared();
    work.ok(&format!("{LINE} --threshold 80% --title Twins"));
    let html = work.read("page.html");
    let found = data(&html, "findings");
    assert_eq!(found["title"], "Twins");
    assert_eq!(found["threshold"], 0.8);
    for (name, count) in [
        ("documents_total", 5),
        ("copies", 1),
        ("removable", 2),
        ("pairs_total", 2),
        ("pairs_shown", 2),
        ("clusters_total", 2),
    ] {
        assert_eq!(found[name], count, "{name}");
    }
    let made_by = "report_pairs documents.jsonl --pairs pairs.tsv --threshold 0.8 --out page.html --title Twins";
    assert_eq!(found["made_by"], made_by);
    assert_eq!(found["documents"][0], json!(["a", 38, 8, 0, 0]));
    assert_eq!(found["clusters"][1]["pairs"][0][2], 1.0);
    // The top term of the first pair, its share, its counts.
    assert_eq!(
        found["terms"][found["clusters"][0]["pairs"][0][3][0].as_u64().unwrap() as usize],
        "the"
    );
    assert_eq!(found["clusters"][0]["pairs"][0][3].as_array().unwrap()[2..4], [2, 2]);
    let texts = data(&html, "texts-0");
    assert_eq!(texts.as_array().unwrap().len(), 4, "a text that is in no pair is not there");
    assert_eq!(texts[3], "</script><script>window.hacked=1</script>");
    assert!(!html.contains("<script>window.hacked"));
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn findings_have_the_layout_that_the_script_reads() {
    let work = prepared();
    work.ok(&format!("{LINE} --most_pairs 1 --title A&<B>"));
    let made_by = "report_pairs documents.jsonl --pairs pairs.tsv --out page.html --title 'A&<B>' --most_pairs 1";
    // Squared weights of (1 + ln(count))·letters/8, as shares of their sum.
    let terms = [
        [0, 2349, 2, 2],
        [1, 2277, 1, 1],
        [2, 2277, 1, 1],
        [3, 1457, 1, 1],
        [4, 820, 1, 1],
        [5, 820, 1, 1],
    ];
    let expected = json!({
        "title": "A&<B>", "made_by": made_by, "score": "cosine", "threshold": null, "least": 0.88, "documents_total": 5, "copies": 1,
        "removable": 2, "pairs_total": 2, "pairs_shown": 1, "clusters_total": 2, "clusters_shown": 1, "text_limit": 200_000, "is_folded": true,
        "histogram": {"low": 0.88, "step": 0.01, "counts": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
        "terms": ["the", "jumps", "quick", "over", "dog", "fox"],
        "documents": [["a", 38, 8, 0, 0], ["b", 36, 8, 0, 0]],
        "text_parts": [0],
        "clusters": [{"number": 1, "size": 2, "smallest": 0.88, "mean": 0.88, "is_of_all": false, "first": 0,
            "snippet": "the quick brown fox jumps over the dog", "pairs_total": 1, "pairs": [[0, 1, 0.88, terms.concat()]]}],
    });
    assert_eq!(findings(&work), expected);
}

/// Returns the report of documents with these texts, in one cluster.
fn report_of(texts: &[&str]) -> String {
    let work = Work::new();
    let line = |(number, text): (usize, &&str)| {
        format!("{}\n", json!({"id": format!("<b>{number}</b>"), "text": text}))
    };
    let lines: String = texts.iter().enumerate().map(line).collect();
    let pair = |number: usize| format!("0.9\t<b>0</b>\t<b>{number}</b>\n");
    let pairs: String = (1..texts.len()).map(pair).collect();
    work.write("documents.jsonl", lines);
    work.write("pairs.tsv", format!("similarity\tdocument_1\tdocument_2\n{pairs}"));
    work.ok(&format!("{LINE} --title A&<B> --text_limit 1000000"));
    work.read("page.html")
}

#[test]
fn no_text_ends_its_element() {
    let hostile = "a </script><script>window.hacked=1</script> <!-- & \u{2028} \u{0} \"]]>";
    let texts = [hostile, "<img src=x onerror=alert(1)>"];
    let html = report_of(&texts);
    let ends = html.matches("</script").count();
    assert_eq!(ends, html.matches("<script").count());
    assert_eq!(ends, 3, "findings, one part of texts, the script");
    assert_eq!(data(&html, "texts-0"), json!(texts));
    assert!(!element(&html, "findings").contains('<') && !element(&html, "texts-0").contains('<'));
    assert!(html.contains("<title>A&amp;&lt;B&gt;</title>"));
}

#[test]
fn the_policy_names_script_and_style_by_hash() {
    let html = report_of(&["x", "y"]);
    for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let hash = STANDARD.encode(Sha256::digest(between(&html, start, end)));
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
    let long = "word ".repeat(1 << 16);
    let html = report_of(&["a", &long, "b", &long, "c"]);
    assert_eq!(data(&html, "findings")["text_parts"], json!([0, 2, 4]));
    let texts = [0, 1, 2].map(|part| data(&html, &format!("texts-{part}")));
    assert_eq!(texts, [json!(["a", long]), json!(["b", long]), json!(["c"])]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn texts_round_trip(texts in prop::collection::vec("(<|/|script|>|!--|\\PC|\u{2028}|\n|\r|\u{0}){0,30}", 2..5)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let html = report_of(&texts);
        prop_assert_eq!(data(&html, "texts-0"), json!(texts));
        prop_assert_eq!(html.matches("</script").count(), 3);
    }
}

#[test]
fn all_forms_give_the_same_report() {
    let work = prepared();
    work.ok(LINE);
    let expected = findings(&work)["clusters"].clone();
    work.write("pairs.csv", PAIRS.replace('\t', ","));
    let object = |line: &str| {
        let values: Vec<&str> = line.split('\t').collect();
        format!(
            "{{\"similarity\":{},\"document_1\":\"{}\",\"document_2\":\"{}\"}}\n",
            values[0], values[1], values[2]
        )
    };
    let json: String = PAIRS.lines().skip(1).map(object).collect();
    work.write("pairs.jsonl", &json);
    work.write("pairs.jsonl.gz", gzip(json.as_bytes()));
    for name in ["pairs.csv", "pairs.jsonl", "pairs.jsonl.gz"] {
        work.ok(&format!("report_pairs --pairs {name} --out page.html documents.jsonl"));
        assert_eq!(findings(&work)["clusters"], expected, "{name}");
    }
}

/// Returns number, size, smallest and mean similarity of each cluster.
fn clusters(findings: &Value) -> Value {
    let clusters = findings["clusters"].as_array().unwrap().iter();
    clusters.map(|c| json!([c["number"], c["size"], c["smallest"], c["mean"]])).collect()
}

#[test]
fn connected_components_replace_a_cluster_file() {
    let work = prepared();
    work.write("pairs.tsv", format!("{PAIRS}0.9\tb\talone\n"));
    work.ok(LINE);
    assert_eq!(clusters(&findings(&work)), json!([[1, 3, 0.88, 0.89], [2, 2, 1.0, 1.0]]));
}

#[test]
fn clusters_of_a_table_are_kept() {
    let work = prepared();
    let table = "cluster\tsize\tsmallest\tmean\tdocument\n4\t3\t0.1\t0.7\td\n4\t3\t0.1\t0.7\tc\n4\t3\t0.1\t0.7\talone\n";
    work.write("clusters.tsv", table);
    work.ok(&format!("{LINE} --clusters clusters.tsv"));
    let found = findings(&work);
    assert_eq!(clusters(&found), json!([[4, 3, 0.1, 0.7], [null, 2, 0.88, 0.88]]));
    assert_eq!(found["clusters"][0]["is_of_all"], false, "a table without a column of it");
    assert_eq!((&found["clusters_total"], &found["removable"]), (&1.into(), &2.into()));
}

#[test]
fn most_pairs_selects_pairs_of_every_cluster() {
    let work = prepared();
    work.write(
        "pairs.tsv",
        "similarity\tdocument_1\tdocument_2\n0.8\ta\tb\n0.9\ta\talone\n0.7\tc\td\n",
    );
    let ran = work.ok(&format!("{LINE} --most_pairs 2"));
    assert!(
        ran.stderr.contains("skipped 1 pair beyond --most_pairs, wrote 2 pairs"),
        "{}",
        ran.stderr
    );
    let found = findings(&work);
    let similarities: Vec<&Value> = (0..2).map(|n| &found["clusters"][n]["pairs"][0][2]).collect();
    assert_eq!(similarities, [0.9, 0.7]);
    assert_eq!((&found["pairs_total"], &found["pairs_shown"]), (&3.into(), &2.into()));
}

#[test]
fn long_texts_are_truncated_but_their_terms_are_complete() {
    let work = prepared();
    work.ok(LINE);
    let whole = findings(&work);
    work.ok(&format!("{LINE} --text_limit 5"));
    let cut = findings(&work);
    assert_eq!(cut["documents"][0], json!(["a", 38, 8, 1, 0]));
    assert_eq!(cut["clusters"][0]["pairs"], whole["clusters"][0]["pairs"]);
    assert_eq!(data(&work.read("page.html"), "texts-0")[0], "the q");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let work = prepared();
    let pages = [1, 2, 5].map(|threads| {
        work.ok(&format!("{LINE} --threads {threads}"));
        work.read("page.html")
    });
    assert!(pages.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn no_pairs_give_a_report() {
    let work = prepared();
    work.write("pairs.tsv", "similarity\tdocument_1\tdocument_2\n");
    work.ok(LINE);
    assert_eq!(findings(&work)["clusters"], json!([]));
}

#[test]
fn errors_name_the_line_and_leave_no_report() {
    let head = "similarity\tdocument_1\tdocument_2\n";
    let columns = "cluster\tsize\tsmallest\tmean\tdocument\n";
    let wrong: [(&str, String, &str); 8] = [
        (
            "pairs.tsv",
            format!("{head}0.9\ta\tb\n0.8\ta\tnowhere\n"),
            "pairs.tsv:3: expected the id of a document of the input, found 'nowhere'",
        ),
        (
            "pairs.tsv",
            format!("{head}90\ta\tb\n"),
            "pairs.tsv:2: expected a similarity from 0 to 1, found '90'",
        ),
        (
            "clusters.tsv",
            format!("{columns}1\t1\t1\t1\tlost\n"),
            "clusters.tsv:2: expected the id of a document of the input, found 'lost'",
        ),
        (
            "clusters.tsv",
            format!("{columns}1\t2\t1\t1\ta\n"),
            "clusters.tsv:2: expected a cluster of 2 documents, found 1 rows",
        ),
        (
            "clusters.tsv",
            format!("{columns}1\t1\t1\t1\ta\n1\t1\t1\t1\tb\n"),
            "clusters.tsv:2: expected a cluster of 1 documents, found 2 rows",
        ),
        (
            "clusters.tsv",
            format!("{columns}1\t1\t1\t1\ta\n2\t1\t1\t1\ta\n"),
            "clusters.tsv:3: expected every document once, found 'a'",
        ),
        (
            "clusters.tsv",
            format!("{columns}x\t1\t1\t1\ta\n"),
            "clusters.tsv:2: expected a whole number, found 'x'",
        ),
        ("pairs.tsv", "similarity\n".into(), "pairs.tsv:1: expected the columns"),
    ];
    for (name, content, expected) in wrong {
        let work = prepared();
        work.write("clusters.tsv", columns);
        work.write(name, content);
        let message = work.fails(&format!("{LINE} --clusters clusters.tsv"));
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!work.has("page.html") && !work.has("page.html.part"));
    }
    let work = prepared();
    let message = work.fails("report_pairs --pairs missing.tsv --out page.html documents.jsonl");
    assert!(message.contains("missing.tsv: cannot open"), "{message}");
}

#[test]
fn tables_of_find_near_dups_become_a_report() {
    let work = Work::new();
    work.write("texts/a.txt", "the quick brown fox jumps over the dog");
    work.write("texts/b.txt", "the quick red fox jumps over the dog");
    work.write("old/c.txt", "the quick red fox jumps over the dog");
    work.write("old/d.txt", "nothing like it");
    for ending in ["tsv", "csv", "jsonl", "tsv.gz"] {
        let results = format!("--out pairs.{ending} --clusters clusters.{ending}");
        work.ok(&format!("find_near_dups texts --against old {results}"));
        let tables = format!("--pairs pairs.{ending} --clusters clusters.{ending}");
        work.ok(&format!("report_pairs texts --against old {tables} --out page.html"));
        let html = work.read("page.html");
        let found = data(&html, "findings");
        let counts = ["documents_total", "copies", "removable", "pairs_total", "clusters_total"];
        assert_eq!(counts.map(|name| found[name].as_u64().unwrap()), [4, 1, 2, 3, 1], "{ending}");
        let cluster = &found["clusters"][0];
        assert_eq!((&cluster["size"], &cluster["is_of_all"]), (&3.into(), &true.into()));
        let mut old: Vec<(&str, u64)> = found["documents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|document| (document[0].as_str().unwrap(), document[4].as_u64().unwrap()))
            .collect();
        old.sort_unstable();
        assert_eq!(old, [("old/c.txt", 1), ("texts/a.txt", 0), ("texts/b.txt", 0)]);
    }
}

#[test]
fn unreadable_input_is_named_and_the_rest_is_shown() {
    let work = prepared();
    work.write("documents.jsonl", format!("{DOCUMENTS}no object\n"));
    let ran = work.run(LINE);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("documents.jsonl:6: "), "{}", ran.stderr);
    assert_eq!(findings(&work)["pairs_shown"], 2);
}

#[test]
fn shingles_are_terms() {
    let work = prepared();
    work.ok(&format!("{LINE} --shingle_size 2"));
    let found = findings(&work);
    assert_eq!(found["terms"][0], "fox\u{a0}jumps");
    assert_eq!(found["documents"][0], json!(["a", 38, 8, 0, 0]));
}
