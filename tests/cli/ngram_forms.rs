//! Forms of ngram_search that other programs and readers open: PAN's XML and the HTML page; the example.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::shared::check_values;
use crate::common::Work;

const SOURCE: &str = "The quick brown fox jumps over the lazy dog.\n\nAll mimsy were the borogoves, and the mome raths outgrabe.\n";
const SUSPECT: &str = "Žluť 𝄞: the Quick brown fox jumps over a fence.\n\nAll mimsy were the borogoves and the mome raths.";

fn prepared() -> Work {
    let work = Work::new();
    work.write("docs/source.txt", SOURCE);
    work.write("docs/second.txt", "He said: the quick brown fox jumps high.");
    work.write("suspicious/suspect.txt", SUSPECT);
    work.ok("ngram_index add docs --index ix -n 3");
    work
}

const LINE: &str = "ngram_search suspicious --index ix -m 3 --format";

#[test]
fn flags_of_the_page_are_checked() {
    let values = [
        ("text_limit", "0", "at least 1"),
        ("most_sources", "0", "at least 1"),
        ("format", "pdf", "html"),
    ];
    check_values("ngram_search suspect.txt --index ix", &values);
}

#[test]
fn pan_has_one_document_per_file() {
    let work = prepared();
    let xml = work.ok(&format!("{LINE} pan")).stdout;
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<document reference="suspect.txt">
  <feature name="detected-plagiarism" this_offset="8" this_length="89" source_reference="source.txt" source_offset="0" source_length="94"/>
  <feature name="detected-plagiarism" this_offset="8" this_length="25" source_reference="second.txt" source_offset="9" source_length="25"/>
</document>
"#;
    assert_eq!(xml, expected);
    work.write("suspicious/deep/er/own & co.txt", "Nothing of this was copied from anywhere.");
    let refused = work.refuses(&format!("{LINE} pan --out found.xml"));
    assert!(refused.contains("--format pan: expected one document per file, found several: write them to a folder with --out FOLDER/"), "{refused}");
    assert!(!work.has("found.xml"));
    work.ok(&format!("{LINE} pan --out found/"));
    assert_eq!(work.read("found/suspect.xml"), expected);
    assert!(
        work.read("found/own & co.xml")
            .contains("<document reference=\"own &amp; co.txt\">\n</document>")
    );
    // A changed source has no places.
    work.write("docs/source.txt", "changed");
    assert_eq!(work.run(&format!("{LINE} pan --out changed/")).code, Some(3));
    assert!(work.read("changed/suspect.xml").contains(r#"source_reference="source.txt"/>"#));
}

fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    html.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Returns the findings of a page, and its texts.
fn data(html: &str) -> (Value, Value) {
    let read = |id: &str| {
        let start = format!("<script type=\"application/json\" id=\"{id}\">");
        serde_json::from_str(between(html, &start, "</script>")).unwrap()
    };
    (read("findings"), read("texts-0"))
}

#[test]
fn the_page_holds_texts_sources_and_passages() {
    let work = prepared();
    work.ok(&format!("{LINE} html --out page.html --title Foxes"));
    let html = work.read("page.html");
    let (findings, texts) = data(&html);
    assert_eq!(findings["title"], "Foxes");
    assert_eq!(texts[0], SUSPECT);
    assert_eq!(texts[1], SOURCE);
    let search = &findings["searches"][0];
    // In UTF-16 code units: one more than characters, for the clef.
    assert_eq!(
        search["passages"],
        json!([[9, 98, 0, 94, 0, 9, 0.862929], [9, 34, 9, 34, 1, 5, 1.0]])
    );
    assert_eq!((&search["copied_words"], &search["source_count"]), (&json!(17), &json!(2)));
    let sources = search["sources"].as_array().unwrap();
    let counts: Vec<(&Value, &Value)> =
        sources.iter().map(|source| (&source["passage_count"], &source["run"])).collect();
    assert_eq!(counts, [(&json!(1), &json!(9)), (&json!(1), &json!(5))]);
    for (name, start, end) in
        [("script-src", "<script>", "</script>"), ("style-src", "<style>", "</style>")]
    {
        let hash = STANDARD.encode(Sha256::digest(between(&html, start, end)));
        assert!(html.contains(&format!("{name} 'sha256-{hash}'")), "{name}");
    }
    // The same bytes again, for any number of threads.
    work.ok(&format!("{LINE} html --out page.html --title Foxes --threads 1"));
    let again = work.read("page.html");
    assert_eq!(data(&again).1, texts);
    assert_eq!(data(&again).0["searches"], findings["searches"]);
}

#[test]
fn the_page_can_be_limited() {
    let work = prepared();
    work.ok(&format!("{LINE} html --out page.html --text_limit 45 --most_sources 1"));
    let (findings, texts) = data(&work.read("page.html"));
    assert_eq!(texts[0], SUSPECT[..45]);
    assert_eq!(texts[1], SOURCE[..45]);
    let search = &findings["searches"][0];
    assert_eq!((&search["source_count"], &search["passage_count"]), (&json!(2), &json!(1)));
    // It ends behind the text that is shown.
    assert_eq!(search["passages"], json!([]));
}

#[test]
fn unreadable_sources_are_marked_and_shared_ones_kept_once() {
    let work = prepared();
    work.write("suspicious/twin.txt", SUSPECT);
    std::fs::remove_file(work.path("docs/second.txt")).unwrap();
    let outcome = work.run(&format!("{LINE} html --out page.html --verbose"));
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("/docs/second.txt: cannot be read as it was indexed"));
    assert!(
        outcome
            .stderr
            .contains("cannot read 1 source as indexed: passages from there have no places")
    );
    let (findings, texts) = data(&work.read("page.html"));
    assert_eq!(texts, json!([SUSPECT, SOURCE, "", SUSPECT]));
    for search in findings["searches"].as_array().unwrap() {
        let readable: Vec<&Value> = search["sources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|source| &source["is_readable"])
            .collect();
        assert_eq!(readable, [&json!(true), &json!(false)]);
        assert_eq!(search["passages"][1], json!([9, 34, null, null, 1, 5, 1.0]));
    }
    assert_eq!(work.run(&format!("{LINE} html --out pages/")).code, Some(3));
    let files: Vec<String> =
        work.files().into_iter().filter(|name| name.starts_with("pages/")).collect();
    assert_eq!(files, ["pages/suspect.txt.out.html", "pages/twin.txt.out.html"]);
    let (findings, _) = data(&work.read("pages/twin.txt.out.html"));
    assert_eq!(findings["searches"].as_array().unwrap().len(), 1);
}

#[test]
fn texts_cannot_end_their_element() {
    let work = prepared();
    let hostile = "</script><script>alert(1)</script> the quick brown fox jumps";
    work.write("suspicious/suspect.txt", hostile);
    work.ok(&format!("{LINE} html --out page.html --title <b>&</b>"));
    let html = work.read("page.html");
    assert_eq!(data(&html).1[0], hostile);
    assert!(!html.contains("<script>alert") && !html.contains("<b>"));
}

/// The commands of the example's description, each with the output that follows it.
fn commands(readme: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for one in block.split("$ ").skip(1) {
            let (line, output) = one.split_once('\n').unwrap();
            found.push((line.to_string(), output.to_string()));
        }
    }
    found
}

#[test]
fn the_example_prints_what_its_description_says() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("exp/ngram_example");
    let work = Work::new();
    for name in ["source.txt", "diary.txt", "suspect.txt"] {
        work.write(name, std::fs::read(folder.join(name)).unwrap());
    }
    let root = std::fs::canonicalize(work.path("")).unwrap().display().to_string();
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let renews = std::env::var_os("NEARSIG_RENEW_GOLDEN").is_some();
    let mut renewed = readme.clone();
    let commands = commands(&readme);
    assert_eq!(commands.len(), 6);
    for (line, output) in commands {
        let found = work.ok(&format!("{line} -q")).stdout.replace(&root, "/home/ada");
        if renews {
            renewed =
                renewed.replace(&format!("$ {line}\n{output}"), &format!("$ {line}\n{found}"));
        } else {
            assert_eq!(found, output, "{line}");
        }
    }
    assert!(work.has("suspect.html"));
    if renews {
        std::fs::write(folder.join("README.md"), renewed).unwrap();
    }
}
