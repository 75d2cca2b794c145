//! find_near_dups --prints: the pairs of match_prints, filters of words, refusals.

use crate::common::Work;

const LINE: &str = "find_near_dups docs.jsonl --out pairs.tsv --prints md5";

/// Returns a folder with two texts that differ in stop words and endings, a copy of the first, and another text.
fn prepared() -> Work {
    let work = Work::new();
    let texts = [
        ("a", "The running dogs bark"),
        ("b", "of running dogs the bark"),
        ("c", "The running dogs bark"),
        ("d", "quite another story"),
    ];
    let line = |(id, text): &(&str, &str)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    work.write("docs.jsonl", texts.iter().map(line).collect::<String>());
    work
}

#[track_caller]
fn pairs(work: &Work, flags: &str) -> Vec<String> {
    work.ok(&format!("{LINE} {flags}"));
    let found = work.read("pairs.tsv");
    found.lines().skip(1).map(|line| line.split_once('\t').unwrap().1.replace('\t', "-")).collect()
}

#[test]
fn pairs_are_those_of_match_prints() {
    let work = prepared();
    for method in ["md5", "shingles:threshold=0.1,shingle_size=2", "tf:words_per_print=1"] {
        work.ok(&format!("find_near_dups docs.jsonl --out pairs.tsv --prints {method}"));
        let (name, parameters) = method.split_once(':').unwrap_or((method, ""));
        let flags = parameters.split(',').filter(|flag| !flag.is_empty());
        let flags: String = flags.map(|flag| format!(" --{flag}")).collect();
        work.ok(&format!(
            "create_prints docs.jsonl --method {name}{flags} --print_dir prints --print_paths print_paths"
        ));
        work.ok("match_prints --print_paths print_paths --out matched.tsv");
        assert_eq!(work.read("pairs.tsv"), work.read("matched.tsv"), "{method}");
    }
}

#[test]
fn clusters_and_copies_follow_the_prints() {
    let work = prepared();
    let ran = work.ok(&format!("{LINE} --clusters clusters.tsv --dedup kept.jsonl"));
    assert!(ran.stderr.contains("1 pair with equal prints (md5) in 1 cluster"), "{}", ran.stderr);
    assert_eq!(work.read("kept.jsonl").lines().count(), 3);
    work.write("new.jsonl", "{\"id\":\"e\",\"text\":\"quite another story!\"}\n");
    work.ok("find_near_dups new.jsonl --against docs.jsonl --prints md5 --out pairs.tsv");
    assert_eq!(
        work.read("pairs.tsv").lines().skip(1).collect::<Vec<_>>(),
        ["1.0000\td\te\told\tnew"]
    );
}

#[test]
fn filters_shape_the_words() {
    let work = prepared();
    assert_eq!(pairs(&work, ""), ["a-c"]);
    assert_eq!(pairs(&work, "--stop_words en"), ["a-b", "a-c", "b-c"]);
    work.write("words", "the\nof\n");
    assert_eq!(pairs(&work, "--stop_word_file words"), ["a-b", "a-c", "b-c"]);
    work.write("phrases", "running dogs\n");
    assert_eq!(pairs(&work, "--templates phrases --stop_word_file words"), ["a-b", "a-c", "b-c"]);
    // Without words, equal texts are copies all the same.
    work.write("words", "the\nof\nbark\n");
    assert_eq!(pairs(&work, "--templates phrases --stop_word_file words"), ["a-c"]);
}

#[test]
fn filters_need_prints() {
    let work = prepared();
    for (flag, name) in [("--stop_words en", "--stop_words"), ("--drop_digits", "--drop_digits")] {
        let told = work.refuses(&format!("find_near_dups docs.jsonl --out pairs.tsv {flag}"));
        assert!(told.contains(&format!("{name} needs --prints")), "{told}");
    }
    let told = work.refuses(&format!("{LINE} --stop_word_file - --templates -"));
    assert!(told.contains("only one input can be standard input"), "{told}");
    let told = work.fails(&format!("{LINE} --templates none"));
    assert!(told.contains("none: "), "{told}");
    work.write("phrases", "text\n---\n");
    let told = work.fails(&format!("{LINE} --templates phrases"));
    assert!(told.contains("phrases:2: expected a word, found '---'"), "{told}");
    let told = work
        .fails("find_near_dups docs.jsonl --prints md5 --stop_word_file words.tsv --out words.tsv");
    assert!(told.contains("words.tsv"), "{told}");
}

#[test]
fn options_of_the_other_search_are_refused() {
    let work = prepared();
    for flag in ["--threshold 0.5", "--shingle_size 2", "--no_fold", "--plan", "--save_index ix"] {
        let told = work.refuses(&format!("{LINE} {flag}"));
        assert!(told.contains("cannot be used with"), "{told}");
    }
    let told = work.refuses("find_near_dups docs.jsonl --out pairs.tsv --prints md6");
    assert!(told.contains("unknown method 'md6'"), "{told}");
}
