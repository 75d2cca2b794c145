//! create_bows: collections in one file.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_spellings, truncated_gzip,
};
use crate::common::{Work, gzip};

const JSON: &str = "create_bows --json_lines docs --bow_paths bow_paths --bow_dir bows";
const TEXT: &str = "create_bows --text_lines docs --bow_paths bow_paths --bow_dir bows";
const BOWS: &str = "bows/bow_paths-000001.bow";
const DOCS: &str = "{\"id\":\"a b\",\"text\":\"x y\\nx\"}\n\n{\"n\":{\"id\":1},\"text\":\"7 \u{17e}\",\"id\":12}\n";

fn with_docs(content: impl AsRef<[u8]>) -> Work {
    let work = Work::new();
    work.write("docs", content);
    work
}

#[test]
fn exactly_one_source_is_needed() {
    let work = with_docs(DOCS);
    let refusal = work.refuses("create_bows --bow_paths p --bow_dir d");
    assert!(
        refusal.contains("<INPUT|--doc_list <FILE>|--json_lines <FILE>...|--text_lines <FILE>>"),
        "{refusal}"
    );
    for more in ["--text_lines docs", "--doc_list docs"] {
        let refusal = work.refuses(&format!("{JSON} {more}"));
        assert!(refusal.contains("cannot be used with"), "{refusal}");
    }
    for flag in ["--text_field t", "--id_field i", "docs", "--format json"] {
        let refusal = work.refuses(&format!("{TEXT} {flag}"));
        assert!(refusal.contains("cannot be used with"), "{flag}: {refusal}");
    }
    let refusal = work.refuses(&format!("{JSON} --lines"));
    assert!(refusal.contains("cannot be used with"), "{refusal}");
    assert_eq!(work.files(), ["docs"]);
}

#[test]
fn a_line_of_json_is_a_document() {
    let work = with_docs(DOCS);
    work.ok(JSON);
    assert_eq!(work.read(BOWS), "a%20b:2 x:2 y:1\n12:1 \u{17e}:1\n");
    assert_eq!(work.read("bow_paths"), format!("VELIKOST_KOLEKCE 2\n{BOWS}\n"));
    work.ok(&format!("{JSON} --save_nums --shingle_size 2 --id_file ids"));
    assert_eq!(work.read(BOWS), "1:2 x\u{a0}y:1 y\u{a0}x:1\n2:1 7\u{a0}\u{17e}:1\n");
    assert_eq!(work.read("ids"), "1 a%20b\n2 12\n");
}

#[test]
fn the_fields_can_be_named() {
    let work = with_docs("{\"url\":\"http://x\",\"body\":\"t\"}\n{\"body\":\"u\",\"url\":\"-\"}");
    work.ok(&format!("{JSON} --text_field body --id_field url"));
    assert_eq!(work.read(BOWS), "http%3A//x:1 t:1\n-:1 u:1\n");
    work.ok(&format!("{JSON} --text_field body --id_field="));
    assert_eq!(work.read(BOWS), "1:1 t:1\n2:1 u:1\n", "called by their lines");
}

#[test]
fn a_line_of_text_is_a_document_called_by_its_number() {
    let work = with_docs("\u{feff}x y\r\n\n1 x");
    work.ok(TEXT);
    assert_eq!(work.read(BOWS), "1:2 x:1 y:1\n2:0\n3:1 x:1\n");
    work.ok(&format!("{TEXT} --id_file ids"));
    assert_eq!(work.read("ids"), "1 1\n2 2\n3 3\n");
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    let flags = "--doc_count 2 --bows_per_file 1 --threads 2 --verbose";
    check_spellings(
        |work| work.write("docs", DOCS),
        &format!("{JSON} --id_field id --text_field text {flags}"),
    );
    check_spellings(|work| work.write("docs", DOCS), &format!("{TEXT} {flags}"));
}

#[test]
fn compressed_files_and_standard_input_give_the_same() {
    let work = with_docs(DOCS);
    work.ok(JSON);
    let expected = work.read(BOWS);
    work.write("docs", gzip(DOCS.as_bytes()));
    work.ok(JSON);
    assert_eq!(work.read(BOWS), expected);
    for content in [DOCS.as_bytes().to_vec(), gzip(DOCS.as_bytes())] {
        let ran = work.run_with_input(&JSON.replace("docs", "-"), &content);
        assert_eq!((ran.code, work.read(BOWS)), (Some(0), expected.clone()), "{}", ran.stderr);
    }
    check_closed_pipe(&work, "create_bows --json_lines docs --bow_paths - --bow_dir bows");
}

#[test]
fn files_are_cut_as_a_list_would_be_and_the_same_for_any_threads() {
    let work = Work::new();
    let texts: Vec<String> = (0..50).map(|n| format!("w{n} x w{}", n % 7)).collect();
    work.write("docs", texts.join("\n"));
    texts.iter().zip(1..).for_each(|(text, n)| work.write(n.to_string(), text));
    work.write("doc_list", (1..=50).map(|n| format!("{n}\n")).collect::<String>());
    for flags in ["--bows_per_file 7", "--bows_per_file 10 --doc_count 33", "--bows_per_file 1000"]
    {
        let contents = |line: &str| {
            work.ok(&format!("{line} {flags}"));
            let list = work.read("bow_paths");
            let bags: Vec<String> = list.lines().skip(1).map(|path| work.read(path)).collect();
            (list, bags)
        };
        let expected =
            contents("create_bows --doc_list doc_list --bow_paths bow_paths --bow_dir bows");
        assert_eq!(contents(&format!("{TEXT} --threads 1")), expected, "{flags}");
        assert_eq!(contents(&format!("{TEXT} --threads 3")), expected, "{flags}");
    }
}

#[test]
fn lines_that_are_not_utf8_are_decoded_or_kept_as_bytes() {
    let work = with_docs(b"{\"id\":1,\"text\":\"caf\xe9 \\u0025E9\"}\n{\"id\":2,\"text\":\"\"}\n");
    let ran = work.ok(&format!("{JSON} -v"));
    assert_eq!(work.read(BOWS), "1:2 caf\u{e9}:1 %E9:1\n2:0\n");
    let guessed = "create_bows: 1 document not UTF-8; the encoding was guessed\n";
    assert!(ran.stderr.contains(guessed), "{}", ran.stderr);
    assert!(ran.stderr.contains("create_bows: 2: no terms\n"), "{}", ran.stderr);
    work.ok(&format!("{JSON} --encoding bytes"));
    assert_eq!(work.read(BOWS), "1:2 caf%E9:1 %25E9:1\n2:0\n");
    let told = work.fails(&format!("{JSON} --encoding utf-8"));
    assert!(told.contains("docs:1: expected UTF-8, found byte 0xE9 at byte 19"), "{told}");
    work.write("docs", b"sou\xf8\nsou\xb9\n");
    work.ok(&format!("{TEXT} --encoding iso-8859-2"));
    assert_eq!(work.read(BOWS), "1:1 sou\u{159}:1\n2:1 sou\u{161}:1\n");
}

#[test]
fn a_line_of_three_megabytes_is_one_document() {
    let text = "word ".repeat(3 << 18);
    let work = with_docs(format!("{{\"id\":1,\"text\":\"{text}\"}}\n{{\"id\":2,\"text\":\"x\"}}"));
    work.ok(JSON);
    assert_eq!(work.read(BOWS), format!("1:1 word:{}\n2:1 x:1\n", 3 << 18));
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    check_manners(&with_docs(DOCS), JSON, "read 2 documents, skipped 0, wrote 2 bags of words");
}

#[test]
fn doc_count_does_not_read_what_follows() {
    let work = with_docs(format!("{DOCS}not JSON\n"));
    work.ok(&format!("{JSON} --doc_count 2"));
    assert_eq!(work.read("bow_paths"), format!("VELIKOST_KOLEKCE 2\n{BOWS}\n"));
}

#[test]
fn what_is_wrong_with_a_line_is_told_with_its_number() {
    let good = "{\"id\":\"1\",\"text\":\"x\"}\n";
    let twice = format!("{good}\n{{\"text\":\"y\",\"id\":1}}\nnot JSON\n");
    let many = format!("{}broken\n{}", "\n".repeat(3), good.repeat(2));
    check_contents(
        &Work::new(),
        JSON,
        "docs",
        &[
            (b"", "error: docs: no document"),
            (b"\n \n", "error: docs: no document"),
            (b"[1]\n", "error: docs:1: expected a JSON object, found '1'"),
            (b"1\n", "error: docs:1: expected a JSON object, found '1'"),
            (many.as_bytes(), "error: docs:4: expected a JSON object, found 'broken'"),
            (b"{\"id\":1}\n", "docs:1: expected the field 'text' (--text_field), found 'id'"),
            (b"{\"text\":\"\"}\n", "docs:1: expected the field 'id' (--id_field), found 'text'"),
            (b"{\"text\":\"\",\"id\":1.5}\n", "expected a string or a whole number"),
            (twice.as_bytes(), "docs:3: duplicate document name '1' (first at docs:1)"),
            (&truncated_gzip(good.as_bytes()), "docs:1: expected readable data, found "),
        ],
    );
    let told = Work::new().fails(TEXT);
    assert!(told.starts_with("create_bows: error: docs: cannot open: "), "{told}");
}
