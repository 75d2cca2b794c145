//! The pipeline and find_near_dups agree: the same documents, pairs and cosines.

use std::collections::BTreeMap;

use crate::common::Work;

/// Words of the generated pages, with letters outside ASCII.
const WORDS: [&str; 16] = [
    "souř",
    "souš",
    "žluťoučký",
    "kůň",
    "úpěl",
    "ďábelské",
    "ódy",
    "nechť",
    "již",
    "hříšné",
    "saxofony",
    "ďáblů",
    "rozezvučí",
    "síň",
    "tóny",
    "1984",
];

/// Returns a page of some words in an encoding; every fourth page is a changed copy of the one before.
fn page(number: usize, encoding: &'static encoding_rs::Encoding, states_it: bool) -> Vec<u8> {
    let base = number - usize::from(number % 4 == 3);
    let word = |at: usize| WORDS[(base * 7 + at * at + at * base) % WORDS.len()];
    let mut body: Vec<&str> = (0..30).map(word).collect();
    if base != number {
        body[3] = "changed";
    }
    let head = if states_it { format!("<meta charset='{}'>", encoding.name()) } else { "".into() };
    let text = body.join(if number.is_multiple_of(2) { " " } else { "</p>\n<p>" });
    let page = format!(
        "<html><head>{head}<script>var hidden = 1;</script></head><body><p>{text}</p> &amp; &eacute;t&#233;</body></html>"
    );
    encoding.encode(&page).0.into_owned()
}

/// Pairs of document names in order, with their similarities in percent.
type Pairs = BTreeMap<(String, String), f64>;

/// Reads the pairs of `similarity`: in each line a name, then names and similarities.
fn result_lines(text: &str) -> Pairs {
    let mut pairs = Pairs::new();
    for line in text.lines() {
        let mut fields = line.split(':');
        let first = fields.next().unwrap();
        while let (Some(second), Some(similarity)) = (fields.next(), fields.next()) {
            let (low, high) = if first < second { (first, second) } else { (second, first) };
            pairs.insert((low.into(), high.into()), similarity.parse().unwrap());
        }
    }
    pairs
}

/// Reads the pairs of `find_near_dups` as TSV: similarity with four decimals, document_1, document_2.
fn table(text: &str) -> Pairs {
    let mut pairs = Pairs::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (first, second) = (fields[1].to_string(), fields[2].to_string());
        let names = if first < second { (first, second) } else { (second, first) };
        pairs.insert(names, fields[0].parse::<f64>().unwrap() * 100.0);
    }
    pairs
}

/// Runs both on the folder `in` and returns the pairs of the pipeline, after comparing them.
#[track_caller]
fn agree(work: &Work, flags: &str) -> Pairs {
    work.ok(&format!(
        "create_bows in --markup auto --words --save_nums --bow_paths bow_paths --bow_dir bows {flags}"
    ));
    work.ok("create_voc --bow_paths bow_paths --voc_name voc");
    work.ok("create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths --word_weights");
    work.ok("similarity --vec_paths vec_paths --threshold 50 --out similarity");
    work.ok(&format!("find_near_dups in --threshold 0.5 --out pairs.tsv {flags}"));
    let (pipeline, near_dups) =
        (result_lines(&work.read("similarity")), table(&work.read("pairs.tsv")));
    assert_eq!(pipeline.keys().collect::<Vec<_>>(), near_dups.keys().collect::<Vec<_>>());
    for (pair, similarity) in &pipeline {
        let other = near_dups[pair];
        assert!((similarity - other).abs() < 0.0051, "{pair:?}: {similarity} {other}");
    }
    pipeline
}

#[test]
fn pages_in_legacy_encodings_have_the_same_pairs_and_cosines() {
    let work = Work::new();
    for number in 0..40 {
        let encoding = [encoding_rs::WINDOWS_1250, encoding_rs::ISO_8859_2][number % 2];
        work.write(format!("in/{number}.html"), page(number, encoding, true));
    }
    let detected = agree(&work, "");
    assert!(detected.len() >= 10, "{}", detected.len());
    // The same pages in UTF-8 have the same words.
    for number in 0..40 {
        work.write(format!("in/{number}.html"), page(number, encoding_rs::UTF_8, false));
    }
    assert_eq!(agree(&work, ""), detected);
    assert!(work.read("voc").contains("souř") && work.read("voc").contains("souš"));
    assert!(!work.read("voc").contains("hidden"));
}

#[test]
fn a_named_encoding_is_used_by_both() {
    let work = Work::new();
    for number in 0..20 {
        work.write(format!("in/{number}.html"), page(number, encoding_rs::ISO_8859_2, false));
    }
    let named = agree(&work, "--encoding iso-8859-2");
    assert!(work.read("voc").contains("souř") && work.read("voc").contains("souš"));
    for number in 0..20 {
        work.write(format!("in/{number}.html"), page(number, encoding_rs::UTF_8, false));
    }
    assert_eq!(agree(&work, "--encoding utf-8"), named);
}

#[test]
fn damage_ends_the_pipeline_and_is_skipped_by_find_near_dups() {
    let work = Work::new();
    let lines = String::from("{\"text\":\"a b c\",\"id\":1}\n")
        + "{\"text\":\"a b c\",\"id\":2}\n{\"text\":\"cut off in the middle\",\"id\":3}\n";
    let whole = crate::common::gzip(lines.as_bytes());
    work.write("in.jsonl", &whole[..whole.len() - 12]);
    let line = "create_bows in.jsonl --bow_paths bow_paths --bow_dir bows";
    let told = work.fails(line);
    assert!(told.contains("error: in.jsonl:"), "{told}");
    assert!(told.contains("expected readable data"), "{told}");
    assert!(!work.has("bow_paths"));
    let ran = work.run("find_near_dups in.jsonl --out pairs.tsv");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped in.jsonl:"), "{}", ran.stderr);
    work.write("empty/.keep", "");
    std::fs::remove_file(work.path("empty/.keep")).unwrap();
    for line in [&line.replace("in.jsonl", "empty"), "find_near_dups empty"] {
        let told = work.fails(line);
        assert!(told.contains("error: empty: no document"), "{told}");
    }
}
