//! N-grams against their definition.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::grams::{NgramLengths, document_hashes, for_each_paragraph};
use super::normalizer::{NormalText, Normalizer};
use super::rules::{NgramConfig, NgramPreset, NgramRules, ParagraphRule};
use crate::text::WordRule;

fn normalizer(rules: NgramRules) -> Normalizer {
    Normalizer::new(&NgramConfig { rules, ..Default::default() })
}

fn words(text: &NormalText) -> Vec<Vec<&str>> {
    let words = |range: &std::ops::Range<usize>| range.clone().map(|at| text.word(at)).collect();
    text.paragraphs().iter().map(words).collect()
}

/// The four n-grams of Menšík's example, with their XXH64.
#[test]
fn the_example_of_sorted_ngrams() {
    let rules = NgramRules { min_paragraph: 0, ..NgramPreset::Mensik.config().rules };
    let normalizer = normalizer(rules);
    let rules = normalizer.of_type("");
    let text = rules.locate(
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit nulla, est aenean placerat.",
    );
    let mut found = Vec::new();
    for_each_paragraph(&text, &rules.rules, 7, 1, |_, ngrams| {
        let mut scratch = String::new();
        for ngram in ngrams {
            let spelled =
                text.ngram(ngram.word..ngram.word + 7, &rules.rules, &mut scratch).into_owned();
            found.push((spelled, format!("{:016x}", ngram.hash)));
        }
    });
    let expected = [
        ("adipiscing-amet-consectetur-dolor-elit-ipsum-lorem", "29377a14b5f24353"),
        ("adipiscing-amet-consectetur-dolor-elit-ipsum-nulla", "7c27b19f4012bdf7"),
        ("adipiscing-aenean-amet-consectetur-dolor-elit-nulla", "6356b54f4301a192"),
        ("adipiscing-aenean-amet-consectetur-elit-nulla-placerat", "b7ec4906452d6e82"),
    ];
    assert_eq!(found, expected.map(|(spelled, hash)| (spelled.to_string(), hash.to_string())));
}

#[test]
fn pekars_words_keep_their_case_and_lose_punctuation() {
    let normalizer = Normalizer::new(&NgramPreset::Pekar.config());
    let text = normalizer.of_type("").locate("To má-Ema.<p>Ne\tano\n\n(x) {y}");
    assert_eq!(words(&text), [vec!["To", "máEma"], vec!["Ne", "ano"], vec!["x", "y"]]);
}

#[test]
fn short_paragraphs_are_dropped_or_joined() {
    let rules = NgramRules {
        paragraphs: ParagraphRule::Lines,
        min_paragraph: 2,
        join_paragraph: 4,
        ..Default::default()
    };
    let text = normalizer(rules).of_type("").locate("a b\nc\nd e f\ng h i j\nk l\n");
    assert_eq!(
        words(&text),
        [vec!["a", "b", "d", "e", "f"], vec!["g", "h", "i", "j"], vec!["k", "l"]]
    );
}

#[test]
fn disguised_words_are_recognized() {
    let normalizer = Normalizer::new(&NgramPreset::Default.config());
    let rules = normalizer.of_type("");
    // Cyrillic а and е, zero-width spaces, a soft hyphen, full-width letters.
    let text = rules.locate("bаnаnа ze\u{200b}ro hy\u{ad}phen Ｗｉｄｅ thе");
    assert_eq!(words(&text), [["banana", "zero", "hyphen", "wide", "the"]]);
    let original = "x bаnаnа ze\u{200b}ro";
    let text = rules.locate(original);
    assert_eq!(&original[text.bytes(1..3)], "bаnаnа ze\u{200b}ro");
}

#[test]
fn lengths_are_sorted_and_checked() {
    assert_eq!("15,7,7".parse::<NgramLengths>().unwrap().to_string(), "7,15");
    for wrong in ["", "0", "7,", "x", "1001", "-1"] {
        assert!(wrong.parse::<NgramLengths>().is_err(), "{wrong}");
    }
}

/// Any rules.
fn rules() -> impl Strategy<Value = NgramRules> {
    let paragraphs = prop_oneof![
        Just(ParagraphRule::BlankLines),
        Just(ParagraphRule::Lines),
        Just(ParagraphRule::None)
    ];
    let flags = any::<(bool, bool, bool, bool, bool)>();
    (paragraphs, flags, 1usize..4, 0usize..4, 0usize..6, prop::option::of("[ab.<é]{0,3}")).prop_map(
        |(
            paragraphs,
            (letters, fold, homoglyphs, sorted, stops),
            min_word_length,
            min_paragraph,
            join_paragraph,
            deleted,
        )| NgramRules {
            words: if letters { WordRule::Letters } else { WordRule::WhiteSpace },
            fold,
            homoglyphs,
            min_word_length,
            stop_words: if stops { vec!["the".into(), "b".into()] } else { Vec::new() },
            sorted,
            paragraphs,
            min_paragraph,
            join_paragraph,
            new_line_tags: if stops { vec!["<p>".into()] } else { Vec::new() },
            delete_chars: deleted.unwrap_or_default(),
            ..Default::default()
        },
    )
}

const TEXT: &str = "((a|b|the|Ab|é|čau|bаn|中文|7|<p>|x\u{301})[ .\\n]{1,3}){0,40}|\\PC{0,80}";

proptest! {
    #[test]
    fn words_with_and_without_places_are_the_same(text in TEXT, rules in rules()) {
        let normalizer = normalizer(rules);
        let rules = normalizer.of_type("txt");
        let mut fast = NormalText::default();
        rules.normalize(&text, &mut fast);
        let located = rules.locate(&text);
        prop_assert_eq!(words(&fast), words(&located));
        let mut end = 0;
        for word in 0..located.len() {
            let range = located.bytes(word..word + 1);
            prop_assert!(text.get(range.clone()).is_some() && !range.is_empty());
            prop_assert!(range.start >= end || rules.rules.words == WordRule::Letters);
            end = range.start;
        }
    }

    #[test]
    fn hashes_are_those_of_all_ngrams(text in TEXT, rules in rules(), length in 1usize..5) {
        let normalizer = normalizer(rules);
        let rules = normalizer.of_type("");
        let located = rules.locate(&text);
        let mut expected = BTreeSet::new();
        for paragraph in words(&located) {
            for ngram in paragraph.windows(length) {
                let mut ngram = ngram.to_vec();
                if rules.rules.sorted {
                    ngram.sort_unstable();
                }
                expected.insert(twox_hash::XxHash64::oneshot(0, ngram.join(" ").as_bytes()));
            }
        }
        let lengths: NgramLengths = length.to_string().parse().unwrap();
        let found = document_hashes(&located, rules, &lengths, 1, None);
        prop_assert_eq!(&found, &vec![(length, expected.into_iter().collect::<Vec<u64>>())]);
    }

    /// Two texts that share a run of `length + window − 1` words share a selected n-gram of it.
    #[test]
    fn winnowing_finds_every_long_common_run(
        before in prop::collection::vec(0u8..6, 0..20), run in prop::collection::vec(0u8..6, 0..12), after in prop::collection::vec(0u8..6, 0..20),
        other_before in prop::collection::vec(0u8..6, 0..20), other_after in prop::collection::vec(0u8..6, 0..20),
        length in 1usize..5, window in 1usize..7,
    ) {
        let mut run = run;
        while run.len() < length + window - 1 {
            run.push(run.len() as u8 % 5);
        }
        let normalizer = normalizer(NgramRules::default());
        let rules = normalizer.of_type("");
        let selected = |parts: [&[u8]; 3]| {
            let text: Vec<String> = parts.concat().iter().map(|word| format!("w{word}")).collect();
            let (located, mut found) = (rules.locate(&text.join(" ")), Vec::new());
            for_each_paragraph(&located, &rules.rules, length, window, |_, ngrams| found.extend_from_slice(ngrams));
            let (start, end) = (parts[0].len(), parts[0].len() + parts[1].len());
            let inside = found.iter().filter(|ngram| ngram.word >= start && ngram.word + length <= end);
            inside.map(|ngram| ngram.hash).collect::<BTreeSet<u64>>()
        };
        let one = selected([&before, &run, &after]);
        let other = selected([&other_before, &run, &other_after]);
        prop_assert!(one.intersection(&other).next().is_some(), "{one:?} {other:?}");
    }
}
