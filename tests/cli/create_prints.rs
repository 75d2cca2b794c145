//! create_prints: usage, methods, flags, errors.

use super::shared::{
    check_manners, check_required, check_spellings, check_usage, check_values, counts,
    truncated_gzip,
};
use crate::common::Work;

const LINE: &str = "create_prints --doc_list doc_list --lines --method tf --print_paths print_paths --print_dir prints";
const PRINTS: &str = "prints/print_paths-000001.print";

/// The names of the methods, as scripts know them.
pub const METHODS: [&str; 19] = [
    "md5",
    "sif",
    "koala",
    "shingles",
    "supershingles",
    "megashingles",
    "long_sent",
    "heavy_sent",
    "tf",
    "tf_idf",
    "imatch",
    "imatch_random",
    "descr_words",
    "a1",
    "a2",
    "sent_words",
    "minhash",
    "simhash",
    "winnowing",
];

fn prepare(work: &Work) {
    work.write("a b", "Three words here. Four words are here!");
    work.write("b", "four words are HERE; three words here");
    work.write("c", "");
    work.write("doc_list", "a b\nb\nc\n");
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "create_prints",
        "Makes fingerprints of every document by one of the classic methods",
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
            "doc_list",
            "lines",
            "json_lines",
            "text_lines",
            "doc_count",
            "method",
            "min_word_len",
            "no_fold",
            "shingle_size",
            "unit",
            "overlap",
            "modulus",
            "smallest",
            "log_sample",
            "measure",
            "threshold",
            "hashes",
            "groups",
            "min_equal",
            "recall",
            "distance",
            "substring",
            "substrings",
            "window",
            "anchors",
            "words_per_print",
            "sentences_per_print",
            "weight",
            "k1",
            "b",
            "idf_floor",
            "min_idf",
            "max_idf",
            "min_terms",
            "lexicons",
            "dropped",
            "descriptive_words",
            "cover",
            "delta",
            "length_similarity",
            "sentence_ratio",
            "common_words",
            "all_sentences",
            "rnd_seed",
            "stop_words",
            "stem",
            "drop_digits",
            "fold_homoglyphs",
            "stop_word_file",
            "templates",
            "print_paths",
            "print_dir",
            "compress_prints",
            "prints_per_file",
            "shard",
        ],
    );
    check_required(LINE, &["method", "print_paths", "print_dir"]);
    let help = Work::new().ok("create_prints --help").stdout;
    for method in METHODS {
        assert!(help.contains(&format!("\n  {method} ")), "{method}: {help}");
    }
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(prepare, &format!("{LINE} --words_per_print 2 --threads 2 --quiet"));
}

#[test]
fn values_are_checked() {
    check_values(
        LINE,
        &[
            ("words_per_print", "0", "at least 1"),
            ("threshold", "1.5", "from 0 to 1"),
            ("distance", "64", "64 is not in 0..=63"),
            ("k1", "-1", "at least 0"),
            ("unit", "lines", "invalid value"),
            ("prints_per_file", "0", "at least 1"),
        ],
    );
    let work = prepared();
    let refusal = work.refuses(&format!("{LINE} --smallest 3"));
    assert!(refusal.contains("--smallest has no effect on tf"), "{refusal}");
    let refusal = work.refuses(&LINE.replace("tf", "sha"));
    assert!(refusal.contains("unknown method 'sha'; expected one of md5, sif"), "{refusal}");
}

#[test]
fn prints_name_their_documents() {
    let work = prepared();
    let ran = work.ok(&LINE.replace("--method tf", "--method long_sent"));
    assert_eq!(counts(&ran), "read 3 documents, skipped 0, wrote 3 prints");
    assert!(ran.stderr.contains("1 document without fingerprints"), "{}", ran.stderr);
    let header = "VELIKOST_KOLEKCE 3\nMETODA long_sent\nSHODA equal\n";
    assert_eq!(work.read("print_paths"), format!("{header}{PRINTS}\n"));
    let joined = |sentences: [&str; 2]| {
        let text: String =
            sentences.map(|sentence| sentence.replace(' ', "\u{a0}") + "\n").concat();
        format!("{:x}", crc32fast::hash(text.as_bytes()))
    };
    let first = joined(["four words are here", "three words here"]);
    let second = format!(
        "{:x}",
        crc32fast::hash(
            "four\u{a0}words\u{a0}are\u{a0}here\u{a0}three\u{a0}words\u{a0}here\n".as_bytes()
        )
    );
    assert_eq!(work.read(PRINTS), format!("a%20b:1 {first}\nb:1 {second}\nc:0\n"));
    check_manners(&prepared(), LINE, "read 3 documents, skipped 0, wrote 3 prints");
}

#[test]
fn every_method_prints_every_form_of_input() {
    let work = Work::new();
    // Words without digits, which some methods drop.
    let word = |number: usize| {
        let letter = |digit: usize| char::from(b'a' + digit as u8);
        format!("winter{}{}", letter(number / 10), letter(number % 10))
    };
    // Two copies of ten texts; words stand in some texts each, once to three times.
    let line = |id: usize| {
        let topic = id / 2;
        let repeated = |at: usize| vec![word((7 * topic + at) % 100); 1 + at * topic % 3];
        let words: Vec<String> = (0..30).flat_map(repeated).collect();
        format!("{{\"id\":\"{id}\",\"text\":\"{}. The end.\"}}\n", words.join(" "))
    };
    let content: String = (0..20).map(line).collect();
    work.write("docs.jsonl", &content);
    for method in METHODS {
        let flags = format!("--method {method} --print_paths {method} --print_dir prints -q");
        work.ok(&format!("create_prints --json_lines docs.jsonl {flags}"));
        let expected = work.read(format!("prints/{method}-000001.print"));
        assert_eq!(expected.lines().count(), 20, "{method}");
        // Methods that count words read standard input twice.
        let ran = work
            .run_with_input(&format!("create_prints - --format json {flags}"), content.as_bytes());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(work.read(format!("prints/{method}-000001.print")), expected, "{method}");
        work.ok(&format!("match_prints --print_paths {method} --out {method}.tsv"));
        let copies = (0..10).filter(|pair| {
            let row = format!("\t{}\t{}\n", 2 * pair, 2 * pair + 1);
            work.read(format!("{method}.tsv")).contains(&row)
        });
        assert_eq!(copies.count(), 10, "{method}: {}", work.read(format!("{method}.tsv")));
    }
}

#[test]
fn several_json_files_are_one_collection() {
    let work = Work::new();
    work.write("1.jsonl", "{\"id\":\"a\",\"text\":\"one text\"}\n");
    work.write("2.jsonl", "{\"id\":\"b\",\"text\":\"one text\"}\n");
    work.ok(
        "create_prints --json_lines 1.jsonl 2.jsonl --method md5 --print_paths p --print_dir d",
    );
    assert_eq!(work.read("d/p-000001.print").lines().count(), 2);
}

#[test]
fn filters_shape_the_words() {
    let work = Work::new();
    work.collection(&[("a", "the running dogs"), ("b", "running dogs of the")]);
    work.write("phrases", "running dogs\n");
    let prints = |flags: &str| {
        work.ok(&format!("{} {flags}", LINE.replace("tf", "md5")));
        let text = work.read(PRINTS);
        text.lines().map(|line| line.split_once(':').unwrap().1.to_string()).collect::<Vec<_>>()
    };
    let plain = prints("");
    assert_ne!(plain[0], plain[1]);
    let filtered = prints("--stop_words en");
    assert_eq!(filtered[0], filtered[1]);
    assert_ne!(filtered[0], prints("--stop_words en --stem en")[0]);
    assert_eq!(prints("--templates phrases --stop_words en"), ["0", "0"]);
    let manifest = work.read("print_paths.manifest.json");
    assert!(
        manifest.contains("\"stop_words\"") && manifest.contains("\"templates\""),
        "{manifest}"
    );
}

#[test]
fn unreadable_documents_are_errors() {
    let work = prepared();
    work.write("a b", truncated_gzip(b"some text"));
    let error = work.fails(LINE);
    assert!(error.contains("doc_list:1: a b: "), "{error}");
    assert!(!work.has("print_paths") && !work.has(PRINTS));
}
