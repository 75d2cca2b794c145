//! Word filters against a plain re-implementation.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::text::{Analyzer, TermCounter};

fn filters(options: &FilterOptions, lists: &FilterLists) -> Arc<WordFilters> {
    Arc::new(WordFilters::new(options, AnalyzerOptions::letters(1), lists))
}

fn words(filters: Arc<WordFilters>, text: &str) -> String {
    let mut scanner = WordScanner::new(AnalyzerOptions::letters(1)).with_filters(filters);
    scanner.words(text).iter().collect::<Vec<_>>().join(" ")
}

fn lists(stop_words: &[&str], templates: &[&str]) -> FilterLists {
    let owned = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
    FilterLists { stop_words: owned(stop_words), templates: owned(templates) }
}

#[test]
fn stop_words_are_compared_in_normal_form() {
    for (languages, text, expected) in [
        ("en", "The cat don't Sit on THE mat", "cat sit mat"),
        ("en", "we shan't swim, shan", "swim shan"),
        ("cs", "Protože kočka ješte\u{30c} sedí", "kočka sedí"),
        ("sk", "Pretože mačka sedí", "mačka sedí"),
        ("ru", "Который кот сидит", "кот сидит"),
        ("uk", "Якого кота п’ять", "кота"),
        ("en,ru", "the кот и cat", "кот cat"),
        ("all", "the и protože cat", "cat"),
    ] {
        let options =
            FilterOptions { stop_words: Some(languages.parse().unwrap()), ..Default::default() };
        assert_eq!(words(filters(&options, &FilterLists::default()), text), expected, "{text}");
    }
    let own = lists(&["STRASSE", "new york"], &[]);
    let found = words(filters(&FilterOptions::default(), &own), "Straße york new new york");
    assert_eq!(found, "york new");
}

#[test]
fn the_longest_template_at_a_word_is_dropped() {
    let templates = lists(&[], &["as a", "As, a Result!", "result b", "", "b b"]);
    let filters = filters(&FilterOptions::default(), &templates);
    for (text, expected) in [
        ("x as a result b y", "x b y"),
        ("as a b", "b"),
        ("as b a", "as b a"),
        ("b b b", "b"),
        ("as a", ""),
        ("result. B", ""),
    ] {
        assert_eq!(words(filters.clone(), text), expected, "{text}");
    }
}

#[test]
fn templates_are_found_before_words_are_dropped() {
    let analyzer = AnalyzerOptions { min_word_len: 4, ..AnalyzerOptions::letters(1) };
    let options = FilterOptions { stop_words: Some("en".parse().unwrap()), ..Default::default() };
    let filters =
        Arc::new(WordFilters::new(&options, analyzer, &lists(&[], &["it is clear that"])));
    let mut scanner = WordScanner::new(analyzer).with_filters(filters);
    let found = scanner.words("It is clear that glass remains clear; that too");
    assert!(found.iter().eq(["glass", "remains"]), "{}", found.text());
}

#[test]
fn words_become_stems() {
    for (language, text, expected) in [
        ("en", "Foxes jumping 2nd straße", "fox jump 2nd strass"),
        ("cs", "městech hrady", "měst hrad"),
        ("ru", "книгами книга", "книг книг"),
        ("uk", "книгами книга", "книг книг"),
    ] {
        let options = FilterOptions { stem: Some(language.parse().unwrap()), ..Default::default() };
        assert_eq!(words(filters(&options, &FilterLists::default()), text), expected);
    }
    assert!("sk".parse::<StemLanguage>().unwrap_err().contains("Slovak"));
    assert!("en,xx".parse::<StopLanguages>().unwrap_err().ends_with("found 'xx'"));
}

#[test]
fn digits_and_homoglyphs_are_filtered_and_compared() {
    let options = FilterOptions { drop_digits: true, fold_homoglyphs: true, ..Default::default() };
    // Cyrillic letters in Latin words and the other way round.
    let own = lists(&["bаnk"], &["молoко and"]);
    let filters = filters(&options, &own);
    assert_eq!(words(filters.clone(), "Banк рayment A4 x² молоко and 24"), "payment");
    assert_eq!(words(filters, "молоко bank платёж"), "молоко платёж");
}

#[test]
fn long_words_and_texts_take_linear_time() {
    let options = FilterOptions { stem: Some(StemLanguage::En), ..Default::default() };
    let filters = filters(&options, &lists(&["y"], &["a a b", "a b"]));
    let long = "ay".repeat(5 << 20);
    assert_eq!(words(filters.clone(), &long), long);
    let many = "a ".repeat(1 << 20);
    assert_eq!(words(filters, &many).len(), many.len() - 1);
}

#[test]
fn sentences_lose_their_dropped_words() {
    let filters = filters(&FilterOptions::default(), &lists(&["b"], &["e f"]));
    let mut scanner = WordScanner::new(AnalyzerOptions::letters(1)).with_filters(filters);
    let found = scanner.sentences("A b. B! C d? E.\n\nF. G h");
    assert!(found.iter().eq(["a", "c", "d", "g", "h"]), "{}", found.text());
    assert_eq!(found.sentences().collect::<Vec<_>>(), [0..1, 1..3, 3..5]);
}

/// Filters some words step by step.
fn reference(words: &[String], stops: &[String], phrases: &[Vec<String>]) -> Vec<String> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let starts = |phrase: &&Vec<String>| words[at..].starts_with(phrase);
        let longest = phrases.iter().filter(starts).map(Vec::len).max().unwrap_or(0);
        if longest == 0 && !stops.contains(&words[at]) && !words[at].contains(['1', '2']) {
            kept.push(words[at].clone());
        }
        at += longest.max(1);
    }
    kept
}

proptest! {
    #[test]
    fn filters_are_those_of_the_reference(
        words_of_text in prop::collection::vec("[a-c1]{1,2}", 0..40),
        stops in prop::collection::vec("[a-c1]{1,2}", 0..4),
        phrases in prop::collection::vec(prop::collection::vec("[a-c1]{1,2}", 1..4), 0..5),
    ) {
        let options = FilterOptions { drop_digits: true, ..Default::default() };
        let templates = phrases.iter().map(|phrase| phrase.join(" ")).collect();
        let filters = filters(&options, &FilterLists { stop_words: stops.clone(), templates });
        let expected = reference(&words_of_text, &stops, &phrases).join(" ");
        prop_assert_eq!(words(filters, &words_of_text.join(" ")), expected);
    }

    #[test]
    fn any_word_has_a_stem(word in "\\PC{1,30}|[а-яёіїєґ]{1,20}|[a-zá-žě]{1,20}|[aeiouyYb']{1,20}") {
        for stem in [StemLanguage::En, StemLanguage::Cs, StemLanguage::Ru, StemLanguage::Uk] {
            let options = FilterOptions { stem: Some(stem), ..Default::default() };
            let filters = filters(&options, &FilterLists::default());
            prop_assert!(!filters.stem(&word).is_empty());
        }
    }

    #[test]
    fn scanner_counter_and_analyzer_agree(
        text in "((the|don't|Cats|řeky|кошками|bаnк|24|it follows|A4|中文)[ ,.\n]{1,2}){0,30}|\\PC{0,40}",
        min_word_len in 1usize..4, fold in any::<bool>(), save_nums in any::<bool>(),
        stem in prop::option::of(prop::sample::select(vec![StemLanguage::En, StemLanguage::Cs, StemLanguage::Ru])),
        drop_digits in any::<bool>(), fold_homoglyphs in any::<bool>(), has_stops in any::<bool>(),
    ) {
        let analyzer = AnalyzerOptions { min_word_len, fold, save_nums, ..AnalyzerOptions::letters(1) };
        let stop_words = has_stops.then(|| "en,ru".parse().unwrap());
        let options = FilterOptions { stop_words, stem, drop_digits, fold_homoglyphs };
        let filters = Arc::new(WordFilters::new(&options, analyzer, &lists(&[], &["it follows", "bank a4"])));
        let mut expected = Vec::new();
        Analyzer::new(analyzer).with_filters(filters.clone()).for_each_token(&text, |token| {
            expected.push(token.term.to_string());
        });
        let mut scanner = WordScanner::new(analyzer).with_filters(filters.clone());
        prop_assert!(scanner.words(&text).iter().eq(expected.iter()));
        let mut counter = TermCounter::new(analyzer).with_filters(filters);
        let total: u64 = counter.bag(&text).map(|term| term.count).sum();
        prop_assert_eq!(total, expected.len() as u64);
    }
}
