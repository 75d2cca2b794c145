//! ngram_search: usage, forms, limits, errors.

use super::shared::{check_required, check_usage, check_values};
use crate::common::Work;

const SOURCE: &str = "The quick brown fox jumps over the lazy dog.\n\nAll mimsy were the borogoves, and the mome raths outgrabe.\n";
const SUSPECT: &str = "Žluť: the Quick brown fox jumps over a fence.\n\nNothing of this was ever copied.\n\nAll mimsy were the borogoves and the mome raths.";

fn prepared() -> Work {
    let work = Work::new();
    work.write("docs/source.txt", SOURCE);
    work.write("docs/other.txt", "Something else altogether, without any common words at all.");
    work.write("suspect.txt", SUSPECT);
    work.ok("ngram_index add docs --index ix -n 3,5");
    work
}

/// Returns an output without the folder of the test.
fn found(work: &Work, line: &str) -> String {
    let root = std::fs::canonicalize(work.path("")).unwrap().display().to_string();
    work.ok(line).stdout.replace(&root, "")
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "ngram_search",
        "Finds the documents of an n-gram index that a text was copied from",
        &[
            "index",
            "store",
            "include",
            "exclude",
            "follow",
            "input_format",
            "text_field",
            "id_field",
            "encoding",
            "markup",
            "max_record",
            "max_ratio",
            "max_archive",
            "prefix",
            "add",
            "length",
            "preset",
            "accuracy",
            "min_run",
            "align",
            "min_score",
            "max_df",
            "max_candidates",
            "ignore_quoted",
            "format",
            "details",
            "title",
            "most_sources",
            "text_limit",
            "out",
            "shard",
        ],
    );
    check_required("ngram_search suspect.txt --index ix", &["index"]);
    check_values(
        "ngram_search suspect.txt --index ix",
        &[
            ("accuracy", "101", "from 0 to 100"),
            ("length", "0", "at least 1"),
            ("format", "csv", "possible values"),
        ],
    );
}

#[test]
fn text_has_copied_words_in_capitals() {
    let text = found(&prepared(), "ngram_search suspect.txt --index ix -a 50");
    let expected = "/suspect.txt
  24 words, 18 n-grams, 1 source
   61.11 %  run    9  /docs/source.txt

  paragraph 1:
   57.14 %  run    6  /docs/source.txt
    Žluť: THE QUICK BROWN FOX JUMPS OVER a fence

  paragraph 3:
  100.00 %  run    9  /docs/source.txt
    ALL MIMSY WERE THE BOROGOVES AND THE MOME RATHS

  passages:
  100.00 %  run    6  characters 6-36 from /docs/source.txt 0-30
  100.00 %  run    9  characters 81-129 from /docs/source.txt 46-94

";
    assert_eq!(text, expected);
}

#[test]
fn json_lines_have_characters_of_both_texts() {
    let work = prepared();
    let lines = found(&work, "ngram_search suspect.txt --index ix -n 5 --format jsonl");
    let expected = [
        r#"{"suspicious":"/suspect.txt","offset":6,"length":30,"source":"/docs/source.txt","source_offset":0,"source_length":30,"similarity":1.0,"run":6}"#,
        r#"{"suspicious":"/suspect.txt","offset":81,"length":48,"source":"/docs/source.txt","source_offset":46,"source_length":48,"similarity":1.0,"run":9}"#,
    ];
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    let detailed = found(&work, "ngram_search suspect.txt --index ix -n 5 --format jsonl -w");
    assert!(
        detailed.contains(
            r#""bytes":[8,30],"source_bytes":[0,30],"text":"the Quick brown fox jumps over"}"#
        ),
        "{detailed}"
    );
    let from_pipe =
        work.run_with_input("ngram_search - --index ix -n 5 --format jsonl", SUSPECT.as_bytes());
    assert_eq!(from_pipe.stdout.lines().count(), 2, "{}", from_pipe.stderr);
    assert!(
        from_pipe.stdout.starts_with(r#"{"suspicious":"-","offset":6,"#),
        "{}",
        from_pipe.stdout
    );
    // A changed source has no places.
    work.write("docs/source.txt", "changed");
    let changed = work.run("ngram_search suspect.txt --index ix -n 5 --format jsonl");
    assert_eq!(changed.code, Some(3), "{}", changed.stderr);
    assert!(
        changed.stdout.contains(r#""source_offset":null,"source_length":null"#),
        "{}",
        changed.stdout
    );
}

#[test]
fn xml_has_paragraphs_and_sources() {
    let work = prepared();
    let xml = found(&work, "ngram_search suspect.txt --index ix -n 5 -a 50 --format xml");
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<search>
  <document id="/suspect.txt" words="24" ngrams="12" sources="1">
    <source id="/docs/source.txt" similarity="0.5833" ngrams="7" run="9" by="ngrams">
      <passage offset="6" length="30" source_offset="0" source_length="30" similarity="1.0000" run="6"/>
      <passage offset="81" length="48" source_offset="46" source_length="48" similarity="1.0000" run="9"/>
    </source>
    <paragraph number="3" offset="81" length="47" ngrams="5">
      <source id="/docs/source.txt" similarity="1.0000" ngrams="5" run="9"/>
    </paragraph>
  </document>
</search>
"#;
    assert_eq!(xml, expected);
    let detailed = found(&work, "ngram_search suspect.txt --index ix -n 5 -a 50 --format xml -w");
    assert!(detailed.contains(r#"line="0" words="19" score=""#), "{detailed}");
    assert!(
        detailed.contains("<text>All mimsy were the borogoves and the mome raths</text>"),
        "{detailed}"
    );
}

#[test]
fn limits_decide_what_is_listed() {
    let work = prepared();
    let sources = |flags: &str| {
        let xml =
            found(&work, &format!("ngram_search suspect.txt --index ix --format xml {flags}"));
        (xml.matches("<paragraph ").count(), xml.contains("/docs/source.txt"))
    };
    assert_eq!(sources("-n 5 -a 60 -m 0"), (1, true));
    assert_eq!(sources("-n 5 -a 100 -m 6"), (2, true));
    assert_eq!(sources("-n 5 -a 100 -m 7"), (1, true));
    assert_eq!(sources("-n 3 -a 0 -m 0"), (2, true));
    work.write("suspect.txt", "over the lazy dog we go, and the quick brown cat too");
    assert_eq!(sources("-n 3 -a 60 -m 0"), (0, false));
    assert_eq!(sources("-n 3 -a 60 -m 4"), (1, true));
    assert_eq!(sources("-n 3 -a 100 -m 2"), (1, true), "at least the length of n-grams");
    let told = work.ok("ngram_search suspect.txt --index ix -n 3 -m 2").stderr;
    assert!(told.contains("runs of at least 3 words, the length of n-grams"), "{told}");
    let refused = work.refuses("ngram_search suspect.txt --index ix -n 4");
    assert!(
        refused.contains("--length: expected a length of the index (3, 5), found 4"),
        "{refused}"
    );
}

#[test]
fn quoted_passages_can_be_ignored() {
    let work = prepared();
    work.write("suspect.txt", "He wrote: \"The quick brown fox jumps over the lazy dog.\" And all mimsy were the borogoves.");
    let lines = |flags: &str| {
        found(&work, &format!("ngram_search suspect.txt --index ix -a 1 --format jsonl {flags}"))
    };
    assert!(lines("").contains(r#""offset":10,"length":80,"#), "{}", lines(""));
    let others = lines("--ignore_quoted");
    assert!(others.contains(r#""offset":61,"length":29,"#), "{others}");
    assert_eq!(others.lines().count(), 1);
}

#[test]
fn a_document_is_no_source_of_itself() {
    let work = prepared();
    assert!(
        !found(&work, "ngram_search docs --index ix -a 1 --format jsonl").contains("suspicious")
    );
    // A copy is a source, before and after it joins the index.
    work.write("copy.txt", SOURCE);
    for _ in 0..2 {
        let lines = found(&work, "ngram_search copy.txt --index ix --format jsonl --add");
        assert!(
            lines.lines().all(|line| line.contains(r#""source":"/docs/source.txt""#)),
            "{lines}"
        );
        assert_eq!(lines.lines().count(), 1);
    }
    assert!(found(&work, "ngram_index list --index ix").contains("/copy.txt\t"));
    let lines = found(&work, "ngram_search docs/source.txt --index ix --format jsonl");
    assert!(lines.contains(r#""source":"/copy.txt""#), "{lines}");
}

/// Every text on standard input is another document.
#[test]
fn texts_on_standard_input_are_sources_of_others() {
    let work = prepared();
    let other = SOURCE.split(' ').rev().collect::<Vec<_>>().join(" ");
    let search = "ngram_search - --index ix --format jsonl --align none --add -m 7";
    // A passage per paragraph.
    let counts = [(&*other, 0), (SOURCE, 2), (&*other, 0), (&format!("{other} more words"), 2)];
    for (text, passages) in counts {
        let ran = work.run_with_input(search, text.as_bytes());
        assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), passages), "{}", ran.stderr);
    }
    // The same text is added once.
    let list = found(&work, "ngram_index list --index ix");
    assert_eq!(list.lines().filter(|line| line.starts_with("-:")).count(), 3, "{list}");
}

#[test]
fn records_with_one_id_are_no_sources_of_themselves() {
    let work = Work::new();
    let texts = [SOURCE.to_string(), SOURCE.split(' ').rev().collect::<Vec<_>>().join(" ")];
    let line = |text: &String| format!("{}\n", serde_json::json!({"id": "a", "text": text}));
    work.write("twice.jsonl", texts.iter().map(line).collect::<String>());
    work.ok("ngram_index add twice.jsonl --index ix");
    assert_eq!(found(&work, "ngram_search twice.jsonl --index ix --format jsonl -m 7"), "");
    // Elsewhere the second text is a copy of the second record, not of itself.
    work.write("other.jsonl", line(&texts[1]));
    let lines = found(&work, "ngram_search other.jsonl --index ix --format jsonl -m 7");
    assert!(lines.contains(r#""source":"a#2""#), "{lines}");
}

#[test]
fn the_preset_of_mensik_adds_what_it_searches() {
    let work = Work::new();
    let text = "Completely different sentences contain seventeen interesting words which nobody would ever expect together within such short paragraphs about nothing";
    work.write("docs/a.txt", text);
    work.ok("ngram_index add docs --index ix --preset mensik");
    // Words in another order.
    work.write("b.txt", text.replace("different sentences", "sentences different"));
    let told = work.ok("ngram_search b.txt --index ix --preset mensik");
    assert!(
        told.stdout.contains("docs/a.txt") && told.stderr.contains("1 document added to the index"),
        "{}{}",
        told.stdout,
        told.stderr
    );
    assert_eq!(work.ok("ngram_index list --index ix").stdout.lines().count(), 3);
}

#[test]
fn folders_have_one_file_per_document() {
    let work = prepared();
    work.write("many/a/x.txt", SUSPECT);
    work.write("many/x.txt", "no source");
    work.ok("ngram_search many --index ix --format xml --out results/");
    let files: Vec<String> =
        work.files().into_iter().filter(|name| name.starts_with("results")).collect();
    assert_eq!(files, ["results/a/x.txt.out.xml", "results/x.txt.out.xml"]);
    assert!(work.read("results/a/x.txt.out.xml").contains("<paragraph "));
    assert!(
        work.read("results/x.txt.out.xml").ends_with("sources=\"0\">\n  </document>\n</search>\n")
    );
    work.ok("ngram_search many --index ix --format jsonl --out all.jsonl.gz");
    assert_eq!(work.read("all.jsonl.gz").lines().count(), 2);
    let refused = work.fails("ngram_search many --index ix --out many/x.txt");
    assert!(refused.contains("is a file that this run reads"), "{refused}");
}

#[test]
fn sources_are_records_members_and_pages_too() {
    let work = Work::new();
    let record =
        format!("{{\"id\": \"r\", \"text\": {}}}\n", serde_json::to_string(SOURCE).unwrap());
    work.write("r.jsonl", format!("{{\"id\": \"q\", \"text\": \"x\"}}\n{record}"));
    work.write("page.html", "<html><body><p>The quick brown fox</p><p>jumps over <b>the lazy</b> dog and more</body></html>");
    work.write(
        "suspect.txt",
        "We saw that all mimsy were the borogoves. The dog jumps over the lazy dog and more",
    );
    work.ok("ngram_index add r.jsonl page.html --index ix -n 3");
    let lines = found(&work, "ngram_search suspect.txt --index ix -a 1 --format jsonl -w");
    assert!(lines.contains(r#""source":"r","source_offset":20,"source_length":55"#), "{lines}");
    assert!(
        lines.contains(r#""source":"/page.html","source_offset":"#) && !lines.contains("null"),
        "{lines}"
    );
}

#[test]
fn an_empty_index_has_no_sources() {
    let work = prepared();
    work.ok("ngram_index clear --index ix");
    let ran = work.ok("ngram_search suspect.txt --index ix --format jsonl");
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("read 1 document, skipped 0, wrote 0 sources"), "{}", ran.stderr);
    work.write("empty.txt", "");
    work.ok("ngram_index add docs --index ix");
    assert!(
        found(&work, "ngram_search empty.txt --index ix").contains("0 words, 0 n-grams, 0 sources")
    );
}
