//! compare_sections: usage, verdicts and passages, fragments, quotations, pairs, the page, errors.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::shared::{check_closed_pipe, check_manners, check_usage, check_values};
use crate::common::Work;

const LINE: &str = "compare_sections --out report.txt copy.md source.md";

const FIRST: &str = "The miller of the lower village kept an old horse that nobody wanted to buy";
const SECOND: &str =
    "One spring morning the horse opened the gate by itself and walked through the orchard";
const OTHER: &str =
    "Nothing in this paragraph stands anywhere else because its author wrote every word alone";

fn source() -> String {
    format!("# Miller\n\n{FIRST}.\n\n# Horse\n\n{SECOND}.\n")
}

fn prepared() -> Work {
    let work = Work::new();
    work.write("source.md", source());
    work.write("copy.md", format!("Own\n===\n\n{OTHER}.\n\n1.1 Copied\n\n{SECOND}!\n"));
    work
}

fn json(work: &Work, line: &str) -> Value {
    let ran = work.ok(&format!("compare_sections --format json {line}"));
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "compare_sections",
        "Finds the sections and passages of a document that are copied from another one",
        &[
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
            "pairs",
            "id_file",
            "only",
            "block",
            "shingle_size",
            "threshold",
            "blocks_by",
            "heavy_words",
            "look_in",
            "no_early_stop",
            "heading_level",
            "ignore_quoted",
            "min_word_len",
            "save_nums",
            "stop_words",
            "stem",
            "drop_digits",
            "fold_homoglyphs",
            "stop_word_file",
            "templates",
            "format",
            "out",
            "page",
            "title",
            "most_passages",
            "most_pairs",
            "text_limit",
        ],
    );
    check_values(
        LINE,
        &[
            ("block", "0", "at least 1"),
            ("threshold", "1", "expected a share below 1"),
            ("threshold", "100%", "expected a share below 1"),
            ("only", "5-3", "expected sections such as 3 or 3-5,8"),
            ("format", "xml", "possible values: text, json"),
            ("blocks_by", "letters", "possible values: shingles, heavy_words"),
        ],
    );
    check_manners(&prepared(), LINE, "read 2 documents, skipped 0, wrote 1 comparison");
    check_closed_pipe(&prepared(), "compare_sections copy.md source.md");
    let refusal = prepared().refuses(&format!("{LINE} --block 3"));
    let told = "expected a --block of at least 5 words (--shingle_size), found 3";
    assert!(refusal.contains(told), "{refusal}");
    let refusal = prepared().refuses(&format!("{LINE} --pairs p --only 1"));
    assert!(refusal.contains("cannot be used with"), "{refusal}");
    let refusal = prepared().refuses("compare_sections copy.md source.md --page -");
    assert!(refusal.contains("only one of --out and --page can be standard output"), "{refusal}");
}

#[test]
fn flags_have_three_spellings() {
    let work = prepared();
    work.ok(&format!("{LINE} --no_early_stop"));
    let expected = work.read("report.txt");
    for flags in ["-no_early_stop -out", "--no-early-stop -o", "-no-early-stop --out"] {
        work.ok(&format!("compare_sections {flags} report.txt copy.md source.md"));
        assert_eq!(work.read("report.txt"), expected, "{flags}");
    }
}

#[test]
fn the_report_says_what_is_copied_and_where() {
    let report = prepared().ok("compare_sections copy.md source.md --no_early_stop").stdout;
    let expected = "\
copy.md, compared with source.md: not copied
  sections  50.0 % (1 of 2)
  blocks    50.0 % (1 of 2)
  words     48.4 % (15 of 31) in copied passages
  shingles  40.7 % (11 of 27) anywhere in the source
  threshold 75 %; compared 1 of 4 block pairs

Sections
  section  verdict     blocks            words              lines  source  heading
  1        not copied  0.0 % (0 of 1)    0.0 % (0 of 15)    1-5    -       Own
  2        copied      100.0 % (1 of 1)  93.8 % (15 of 16)  6-8    2       1.1 Copied

Passages: 1
  1. 15 words, line 8 (bytes 112-197); source line 7 (bytes 97-182)
     One spring morning the horse opened the gate by itself and walked through the orchard
";
    assert_eq!(report, expected);
    let early = prepared().ok("compare_sections copy.md source.md").stdout;
    // One of two sections differs, more than a quarter.
    assert!(early.contains("sections  >= 0.0 % (0 of 2), 1 judged"), "{early}");
    assert!(early.contains("  2        not judged"), "{early}");
    assert!(early.contains("0 of 4 block pairs; --no_early_stop judges all\n"), "{early}");
    assert!(early.contains("words     48.4 % (15 of 31) in copied passages"), "{early}");
}

#[test]
fn json_has_places_in_both_documents() {
    let work = prepared();
    let found = json(&work, "copy.md source.md --no_early_stop");
    assert_eq!((&found["document_1"], &found["copied"]), (&json!("copy.md"), &json!(false)));
    assert_eq!(found["sections"], json!({"total": 2, "compared": 2, "copied": 1}));
    assert_eq!(found["words"], json!({"total": 31, "common": 15}));
    assert_eq!(found["options"]["threshold"], 0.75);
    let section = &found["section_list"][1];
    assert_eq!((&section["number"], &section["heading"]), (&json!(2), &json!("1.1 Copied")));
    assert_eq!((&section["source_section"], &section["copied"]), (&json!(2), &json!(true)));
    let passage = &found["passages"][0];
    assert_eq!(passage["text"], SECOND);
    for (name, file) in [("document_1", "copy.md"), ("document_2", "source.md")] {
        let place = &passage[name];
        let bytes = place["bytes"][0].as_u64().unwrap() as usize
            ..place["bytes"][1].as_u64().unwrap() as usize;
        let text = work.read(file);
        assert_eq!(&text[bytes], SECOND);
        let line = place["lines"][0].as_u64().unwrap() as usize;
        assert!(text.lines().nth(line - 1).unwrap().contains(SECOND), "{name}");
    }
}

#[test]
fn filters_shape_the_words() {
    let work = prepared();
    let with = SECOND.replace(' ', " 2nd ").replace("morning", "mornings");
    work.write("copy.md", format!("{with} as has been said above\n"));
    work.write("phrases", "As has been said\n");
    let words = |flags: &str| json(&work, &format!("copy.md source.md {flags}"))["words"].clone();
    assert_eq!(words("")["common"], 0);
    assert_eq!(words("--drop_digits")["common"], 12);
    assert_eq!(words("--drop_digits --stem en")["common"], 15);
    let all = words("--drop_digits --stem en --templates phrases");
    assert_eq!(all, json!({"total": 16, "common": 15}));
    let told = work.refuses("compare_sections copy.md - --templates -");
    assert!(told.contains("only one input can be standard input"), "{told}");
}

/// Texts are analyzed in pieces of 64 kB, which must not cut phrases.
#[test]
fn phrases_are_found_everywhere() {
    let work = Work::new();
    let text = |separator: &str| {
        let word = |n: usize| format!("w{n}");
        (0..30_000).map(word).collect::<Vec<_>>().join(separator)
    };
    work.write("source.md", text(" "));
    work.write("copy.md", text(" as has been said "));
    work.write("phrases", "as has been said\n");
    let found = json(&work, "copy.md source.md --templates phrases");
    assert_eq!(found["words"], json!({"total": 30_000, "common": 30_000}));
}

#[test]
fn fragments_and_quotations_are_left_out() {
    let work = prepared();
    let copied = |flags: &str| json(&work, &format!("copy.md source.md {flags}"))["copied"].clone();
    assert_eq!(copied(""), false);
    assert_eq!(copied("--only 2"), true);
    assert_eq!(copied("--only lines:8"), true);
    assert_eq!(copied("--only 1"), false);
    let told = work.fails(&format!("{LINE} --only 3"));
    assert!(told.contains("--only: expected at most section 2, the last one, found 3"), "{told}");
    for quoted in [format!("«{FIRST}»"), format!("> {FIRST}\n"), format!("„{FIRST}“")] {
        work.write("copy.md", &quoted);
        assert_eq!(copied(""), true, "{quoted}");
        assert_eq!(copied("--ignore_quoted"), false, "{quoted}");
    }
    work.write("copy.md", format!("«{FIRST}\n\n{SECOND}"));
    assert_eq!(json(&work, "copy.md source.md --ignore_quoted")["words"]["common"], 30);
}

#[test]
fn sections_follow_the_headings_of_every_format() {
    let work = Work::new();
    let formats = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/formats");
    let page = format!("<h1>Miller</h1><p>{FIRST}.</p><h2>Horse</h2><p>{SECOND}.</p>");
    work.write("page.html", page);
    work.write("source.md", source());
    let headings = |line: &str| {
        let found = json(&work, line);
        let section = |section: &Value| section["heading"].as_str().unwrap_or("-").to_string();
        found["section_list"].as_array().unwrap().iter().map(section).collect::<Vec<_>>()
    };
    assert_eq!(headings("page.html source.md"), ["Miller", "Horse"]);
    assert_eq!(headings("source.md page.html"), ["Miller", "Horse"]);
    assert_eq!(headings("source.md page.html --heading_level 1").len(), 2);
    assert_eq!(headings("page.html source.md --heading_level 1"), ["Miller"]);
    for format in ["docx", "odt", "epub", "rtf", "html"] {
        let found = headings(&format!("{formats}/horse.{format} source.md"));
        assert_eq!(found, ["Žluťoučký kůň v řepě", "Čtyři otázky"], "{format}");
    }
    let own = json(&work, &format!("{formats}/horse.docx {formats}/horse.html"));
    assert_eq!(
        (&own["copied"], own["words"]["total"].as_u64()),
        (&json!(true), own["words"]["common"].as_u64())
    );
}

#[test]
fn heavy_words_compare_checksums() {
    let work = Work::new();
    let words = "horse horse horse gate gate beet beet miller";
    work.write("a.txt", format!("{words} orchard valley field"));
    work.write("b.txt", format!("{words} spring latch village"));
    let copied = |flags: &str| json(&work, &format!("a.txt b.txt {flags}"))["copied"].clone();
    assert_eq!(copied(""), false);
    assert_eq!(copied("--blocks_by heavy_words --heavy_words 3"), true);
    assert_eq!(copied("--blocks_by heavy_words --heavy_words 6"), false);
}

#[test]
fn pairs_are_compared_in_their_order() {
    let work = Work::new();
    let line = |id: &str, text: &str| json!({"id": id, "text": text}).to_string() + "\n";
    let documents = [line("a", FIRST), line("b", SECOND), line("c", FIRST), line("d", OTHER)];
    work.write("documents.jsonl", documents.concat());
    work.write("pairs.tsv", "similarity\tdocument_1\tdocument_2\n0.9\tc\ta\n0.8\tb\td\n");
    work.write("result", "a:c:90\nb:d:80\nc:a:90\nd:b:80\n");
    for (pairs, ids) in [("pairs.tsv", "c a"), ("result", "a c")] {
        let line = format!("compare_sections documents.jsonl --pairs {pairs} --format json");
        let ran = work.ok(&format!("{line} --threads 1"));
        assert_eq!(work.ok(&format!("{line} --threads 2")).stdout, ran.stdout);
        let found: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let told = |found: &Value| {
            let id = |name: &str| found[name].as_str().unwrap().to_string();
            (format!("{} {}", id("document_1"), id("document_2")), found["copied"] == true)
        };
        let told: Vec<_> = found.iter().map(told).collect();
        assert_eq!(told, [(ids.to_string(), true), ("b d".to_string(), false)]);
    }
    let text = work.ok("compare_sections documents.jsonl --pairs pairs.tsv").stdout;
    assert!(text.contains("\n\nb, compared with d: not copied\n"), "{text}");
    work.write("pairs.tsv", "similarity\tdocument_1\tdocument_2\n0.9\tc\tx\n");
    let told = work.fails("compare_sections documents.jsonl --pairs pairs.tsv");
    let expected = "pairs.tsv:2: expected the id of a document of the input, found 'x'";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn two_documents_are_needed() {
    let work = prepared();
    let told = work.fails("compare_sections copy.md");
    assert!(told.contains("expected two documents, found 1 (--pairs compares pairs"), "{told}");
    work.write("binary.md", b"a\0\xff\xfe\x80\0b");
    let told = work.fails("compare_sections copy.md binary.md source.md");
    assert!(told.contains("binary.md: "), "{told}");
    let told = work.fails("compare_sections copy.md missing.md");
    assert!(told.contains("missing.md"), "{told}");
    work.write("empty.md", "");
    assert_eq!(json(&work, "empty.md source.md")["copied"], false);
    assert_eq!(json(&work, "copy.md empty.md")["words"]["common"], 0);
    let own = json(&work, "copy.md copy.md");
    assert_eq!((&own["copied"], &own["document_2"]), (&json!(true), &json!("copy.md#2")));
}

#[test]
fn passages_beyond_the_limit_are_counted() {
    let work = prepared();
    work.write("copy.md", format!("{FIRST} {OTHER} {SECOND} {OTHER} {FIRST}"));
    let found = json(&work, "copy.md source.md --most_passages 1");
    assert_eq!(
        (&found["passage_count"], found["passages"].as_array().unwrap().len()),
        (&json!(3), 1)
    );
    assert_eq!(found["passages"][0]["words"], 15);
    let text = work.ok("compare_sections copy.md source.md --most_passages 1").stdout;
    assert!(text.contains("Passages: 3, the 1 longest"), "{text}");
}

fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    html.split_once(start).unwrap().1.split_once(end).unwrap().0
}

#[test]
fn the_page_holds_texts_and_passages() {
    let work = prepared();
    work.write("source.md", format!("é𝄞 </script><b>\n{SECOND}"));
    work.ok(&format!("{LINE} --page page.html --title Twins"));
    let html = work.read("page.html");
    assert_eq!(between(&html, "<title>", "</title>"), "Twins");
    let data = |id: &str| -> Value {
        let start = format!("<script type=\"application/json\" id=\"{id}\">");
        serde_json::from_str(between(&html, &start, "</script>")).unwrap()
    };
    let (findings, texts) = (data("findings"), data("texts-0"));
    let units: Vec<u16> = texts[1].as_str().unwrap().encode_utf16().collect();
    let passage: Vec<usize> =
        serde_json::from_value(findings["pairs"][0]["passages"][0].clone()).unwrap();
    assert_eq!(String::from_utf16(&units[passage[2]..passage[3]]).unwrap(), SECOND);
    assert_eq!(passage[4], 15);
    let policy = between(&html, "Content-Security-Policy\" content=\"", "\"");
    for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let hash = STANDARD.encode(Sha256::digest(between(&html, start, end)));
        assert!(policy.contains(&format!("'sha256-{hash}'")), "{policy}");
    }
    work.ok(&format!("{LINE} --page page.html --text_limit 20"));
    let findings = work.read("page.html");
    assert!(findings.contains("\"passage_count\":1,\"passages\":[]"), "{findings}");
}

#[test]
fn reports_do_not_depend_on_threads() {
    let work = prepared();
    for format in ["text", "json"] {
        let line = format!("{LINE} --format {format} --page page.html");
        let written = |threads: usize| {
            work.ok(&format!("{line} --threads {threads}"));
            (work.read("report.txt"), work.read("page.html"))
        };
        assert!(written(1) == written(3));
    }
}
