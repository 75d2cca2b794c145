//! The library's interface: texts to near-duplicates, text to tokens and bags of words.

use std::ops::Range;
use std::sync::Arc;

use clap::Parser;
use nearsig::text::{
    Analyzer, AnalyzerOptions, FilterLists, FilterOptions, StemLanguage, StopLanguage, TermCounter,
    WordFilters, WordRule, WordScanner,
};
use nearsig::{NearDups, Session};
use proptest::prelude::*;

const FOX: &str = "the quick brown fox jumps over the lazy dog while seven geese look on";
const NEAR_FOX: &str = "The quick brown fox jumps over the lazy dog, while seven ducks look on!";

fn documents() -> Vec<(&'static str, &'static str)> {
    vec![("a", FOX), ("b", "something else altogether"), ("c", NEAR_FOX), ("d", FOX), ("e", "")]
}

#[test]
fn texts_give_pairs_clusters_and_documents_to_keep() {
    let found = NearDups::new().find(documents()).unwrap();
    let pairs: Vec<(&str, &str)> = found.pairs().map(|pair| (pair.left, pair.right)).collect();
    assert_eq!(pairs, [("a", "c"), ("a", "d"), ("c", "d")]);
    assert!(found.pairs().all(|pair| pair.similarity >= 0.8));
    let clusters: Vec<Vec<&str>> = found.clusters().collect();
    assert_eq!(clusters, [["a", "c", "d"]]);
    assert_eq!(found.kept().collect::<Vec<_>>(), ["a", "b", "e"]);
    assert_eq!(found.removed().collect::<Vec<_>>(), [("c", "a"), ("d", "a")]);
}

#[test]
fn the_longest_document_can_be_kept() {
    let found = NearDups::new().keep_longest().find(documents()).unwrap();
    assert_eq!(found.kept().collect::<Vec<_>>(), ["b", "c", "e"]);
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let texts: Vec<(String, String)> = (0..600)
        .map(|n: u32| {
            (n.to_string(), (0..30).map(|w| format!("w{} ", (n / 3) * 31 + w + n % 2)).collect())
        })
        .collect();
    let find = |search: NearDups| {
        let found = search.find(texts.iter().map(|(id, text)| (id, text))).unwrap();
        found.pairs().map(|pair| format!("{pair:?}")).collect::<Vec<_>>()
    };
    let expected = find(NearDups::new());
    assert!(expected.len() > 500, "{}", expected.len());
    for threads in [1, 3, 8] {
        let session = Session::silent().with_threads(threads).unwrap();
        assert_eq!(find(NearDups::new().session(session)), expected);
    }
}

#[test]
fn wrong_options_and_ids_are_refused() {
    let message = |search: NearDups| search.find(documents()).unwrap_err().to_string();
    assert_eq!(
        message(NearDups::new().threshold(0.0)),
        "threshold: expected above 0, at most 1, found 0"
    );
    assert_eq!(
        message(NearDups::new().threshold(f64::NAN)),
        "threshold: expected above 0, at most 1, found NaN"
    );
    assert_eq!(
        message(NearDups::new().shingle_size(0)),
        "shingle_size: expected at least 1, found 0"
    );
    let twice = NearDups::new().find([("a", "x"), ("a", "y")]).unwrap_err();
    assert_eq!(twice.to_string(), "duplicate document name 'a'");
    assert!(NearDups::new().find([] as [(&str, &str); 0]).unwrap().pairs().next().is_none());
}

proptest! {
    /// Documents with terms are found as if there were no others; of the others, equal texts that are not blank are pairs.
    #[test]
    fn texts_without_terms_are_duplicates_of_equal_texts(
        texts in prop::collection::vec(prop::collection::vec(
            prop::sample::select(vec!["one", "two", "three", "🎉", "!", " ", "\n"]), 0..4), 0..25),
        shingle_size in 1..4usize,
    ) {
        let texts: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
        let has_terms = |text: &str| text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count() >= shingle_size;
        let search = NearDups::new().shingle_size(shingle_size);
        let pairs = |numbers: Vec<usize>| -> Vec<(usize, usize)> {
            let documents = numbers.into_iter().map(|number| (number.to_string(), &texts[number]));
            let found = search.find(documents).unwrap();
            found.pairs().map(|pair| (pair.left.parse().unwrap(), pair.right.parse().unwrap())).collect()
        };
        let all = 0..texts.len();
        let mut expected = pairs(all.clone().filter(|number| has_terms(&texts[*number])).collect());
        for (low, text) in texts.iter().enumerate().filter(|(_, text)| !has_terms(text) && !text.trim().is_empty()) {
            expected.extend((low + 1..texts.len()).filter(|high| texts[*high] == *text).map(|high| (low, high)));
        }
        expected.sort_unstable();
        prop_assert_eq!(pairs(all.collect()), expected);

        let found = search.find(texts.iter().enumerate().map(|(number, text)| (number.to_string(), text))).unwrap();
        let is_copy = |number: usize| !texts[number].trim().is_empty() && texts[..number].contains(&texts[number]);
        prop_assert_eq!(found.summary().exact_duplicates, (0..texts.len()).filter(|number| is_copy(*number)).count() as u64);
        prop_assert_eq!(found.summary().without_words, texts.iter().filter(|text| !has_terms(text)).count() as u64);
        prop_assert!(found.removed().all(|(removed, _)| !texts[removed.parse::<usize>().unwrap()].trim().is_empty()));
        prop_assert!(found.pairs().all(|pair| has_terms(&texts[pair.left.parse::<usize>().unwrap()]) || pair.similarity == 1.0));
    }
}

fn tokens(analyzer: &Analyzer, text: &str) -> Vec<(String, Range<usize>)> {
    let mut tokens = Vec::new();
    analyzer.for_each_token(text, |token| tokens.push((token.term.into_owned(), token.range)));
    tokens
}

#[test]
fn words_are_split_filtered_and_changed_by_their_options() {
    let default = AnalyzerOptions::default();
    let letters = AnalyzerOptions { words: WordRule::Letters, ..default };
    let folded = AnalyzerOptions { fold: true, ..letters };
    let saved = AnalyzerOptions { save_nums: true, ..default };
    let long = AnalyzerOptions { min_word_len: 2, ..AnalyzerOptions::letters(1) };
    for (options, text, terms) in [
        (default, "The the\u{a0}The, http://x 1984 19a\n\tThe", "The the The, http://x 19a The"),
        (default, "1984 ٣٤ a", "a"),
        (saved, "1984 ٣٤ a", "1984 ٣٤ a"),
        (letters, "Cafe\u{301}—CAFÉ! ΟΔΟΣ İ2 12 x2", "café café οδο\u{3c2} i\u{307}2 x2"),
        (folded, "Cafe\u{301}—CAFÉ! ΟΔΟΣ İ2 12 x2", "café café οδοσ i2 x2"),
        (letters, "Straße ＡＢ ﬁn co\u{ad}op x\u{304}", "straße ａｂ ﬁn coop x\u{304}"),
        (folded, "Straße ＡＢ ﬁn co\u{ad}op x\u{304}", "strasse ab fin coop x\u{304}"),
        (letters, "हिन्दी كَتَب \u{5e9}\u{5c1}", "हिन्दी كَتَب \u{5e9}\u{5c1}"),
        (folded, "हिन्दी كَتَب \u{5e9}\u{5c1}", "हिन्दी كتب \u{5e9}"),
        (folded, "我用Linux系统。ภาษา", "我用 linux 系统 ภา าษ ษา"),
        (long, "a an é éa I 1 22 e\u{301} 中 中文", "an éa 22 中 中文"),
        (AnalyzerOptions { shingle_size: 2, ..default }, "alone", ""),
    ] {
        let found = tokens(&Analyzer::new(options), text);
        assert!(found.iter().map(|(term, _)| &**term).eq(terms.split_terminator(' ')), "{found:?}");
    }
}

/// The script of the report yields the same terms: `tests/browser/diff.test.js` reads the same file.
#[test]
fn terms_are_those_of_the_report() {
    let cases: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("browser/terms.json")).unwrap();
    for case in &cases {
        for (name, fold) in [("folded", true), ("unfolded", false)] {
            let Some(expected) = case[name].as_array() else { continue };
            let options = AnalyzerOptions { fold, ..AnalyzerOptions::letters(1) };
            let found = tokens(&Analyzer::new(options), case["text"].as_str().unwrap());
            assert!(
                found
                    .iter()
                    .map(|(term, _)| &**term)
                    .eq(expected.iter().map(|term| term.as_str().unwrap())),
                "{found:?}"
            );
        }
    }
}

#[test]
fn shingles_skip_dropped_words() {
    let options = AnalyzerOptions { shingle_size: 2, ..Default::default() };
    let found = tokens(&Analyzer::new(options), "a b 7 a b");
    let expected = [("a\u{a0}b", 0..3), ("b\u{a0}a", 2..7), ("a\u{a0}b", 6..9)];
    assert_eq!(found, expected.map(|(term, range)| (term.to_string(), range)));
}

#[test]
fn ranges_cover_the_original_of_each_word_with_references_and_inner_tags() {
    let options = AnalyzerOptions::letters(1);
    let text = "«Cafe\u{301}» İSTANBUL 東京都,Ωmega \u{1112}\u{1161}\u{11ab}!";
    let of_text = [
        ("café", "Cafe\u{301}"),
        ("istanbul", "İSTANBUL"),
        ("東京", "東京"),
        ("京都", "京都"),
        ("ωmega", "Ωmega"),
        ("한", "\u{1112}\u{1161}\u{11ab}"),
    ];
    let page = "<p>t&eacute;&#769; <b>th<i>r</i>e</b>e<br>caf<b>e</b>&#x301;</p><!-- x --> &lt;R&D&gt;<i>中</i>文";
    let of_page = [
        ("té\u{301}", "t&eacute;&#769;"),
        ("three", "th<i>r</i>e</b>e"),
        ("café", "caf<b>e</b>&#x301;"),
        ("r", "R"),
        ("d", "D"),
        ("中文", "中</i>文"),
    ];
    for (analyzer, text, expected) in
        [(Analyzer::new(options), text, of_text), (Analyzer::for_html(options), page, of_page)]
    {
        let found = tokens(&analyzer, text).into_iter().map(|(term, range)| (term, &text[range]));
        let expected = expected.map(|(term, source)| (term.to_string(), source));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

/// Flags of an executable that analyzes texts.
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    options: AnalyzerOptions,
    paths: Vec<String>,
}

fn parse(flags: &[&str]) -> Result<(AnalyzerOptions, Vec<String>), clap::Error> {
    let flags = Flags::try_parse_from(["test"].iter().chain(flags))?;
    Ok((flags.options, flags.paths))
}

#[test]
fn flags_give_options_and_do_not_swallow_paths() {
    let default = AnalyzerOptions::default();
    for (flags, options) in [
        ("docs", default),
        ("--words --fold --save_nums --shingle_size 3 docs", AnalyzerOptions::letters(3)),
        ("--words=letters docs", AnalyzerOptions { words: WordRule::Letters, ..default }),
        ("--words docs", AnalyzerOptions { words: WordRule::Letters, ..default }),
        ("--words=whitespace --min_word_len 1 docs", default),
    ] {
        let flags: Vec<&str> = flags.split(' ').collect();
        assert_eq!(parse(&flags).unwrap(), (options, vec!["docs".to_string()]));
    }
    for flag in ["--shingle_size", "--min_word_len"] {
        assert!(parse(&[flag, "0"]).is_err() && parse(&[flag, "x"]).is_err());
    }
}

#[test]
fn options_are_stored_by_the_names_of_flags() {
    let expected =
        r#"{"words":"letters","fold":true,"save_nums":true,"min_word_len":1,"shingle_size":2}"#;
    assert_eq!(serde_json::to_string(&AnalyzerOptions::letters(2)).unwrap(), expected);
    for (json, options) in
        [(expected, AnalyzerOptions::letters(2)), ("{}", AnalyzerOptions::default())]
    {
        assert_eq!(serde_json::from_str::<AnalyzerOptions>(json).unwrap(), options);
    }
}

/// Returns the bag of words by the analyzer.
fn reference(analyzer: &Analyzer, text: &str) -> Vec<(String, u64)> {
    let mut bag: Vec<(String, u64)> = Vec::new();
    for (term, _) in tokens(analyzer, text) {
        match bag.iter_mut().find(|(known, _)| *known == term) {
            Some((_, count)) => *count += 1,
            None => bag.push((term, 1)),
        }
    }
    bag
}

fn bag(counter: &mut TermCounter, text: &str) -> Vec<(String, u64)> {
    counter.bag(text).map(|term| (term.text.to_string(), term.count)).collect()
}

#[test]
fn words_longer_than_their_keys_are_distinguished() {
    let options = AnalyzerOptions::letters(1);
    let long = "Abcdefghijklmnopqrstuvwxyz".repeat(4);
    let text = format!("{long}1 {long}2 {long}1 {} {}", &long[..16], &long[..17]);
    for text in [text.clone(), format!("{text} é")] {
        let expected = reference(&Analyzer::new(options), &text);
        assert_eq!(bag(&mut TermCounter::new(options), &text), expected);
    }
}

#[test]
fn tables_grow_for_many_terms_and_shrink_again() {
    let mut counter = TermCounter::new(AnalyzerOptions::default());
    let many: Vec<String> = (0..40_000).map(|n| format!("w{}", n % 30_011)).collect();
    for text in [many.join(" ").as_str(), "w1 w2 w1", "", &many[..700].join("\n")] {
        let found = bag(&mut counter, text);
        let mut counts = std::collections::HashMap::new();
        text.split_whitespace().for_each(|word| *counts.entry(word).or_insert(0) += 1);
        assert_eq!(found.len(), counts.len());
        assert!(found.iter().all(|(term, count)| counts[&**term] == *count));
    }
}

/// All combinations of options.
fn options() -> impl Strategy<Value = AnalyzerOptions> {
    let words = prop_oneof![Just(WordRule::WhiteSpace), Just(WordRule::Letters)];
    (words, any::<bool>(), any::<bool>(), 1usize..4, 1usize..4).prop_map(
        |(words, fold, save_nums, min_word_len, shingle_size)| AnalyzerOptions {
            words,
            fold,
            save_nums,
            min_word_len,
            shingle_size,
        },
    )
}

/// Combinations of filters, half of the time none.
fn filters() -> impl Strategy<Value = (FilterOptions, FilterLists)> {
    let languages = vec![StopLanguage::En, StopLanguage::Ru];
    let stop_words = prop::option::of(Just(languages.into_iter().collect()));
    let stem = prop::option::of(prop::sample::select(vec![StemLanguage::En, StemLanguage::Ru]));
    let options = (stop_words, stem, any::<bool>(), any::<bool>()).prop_map(
        |(stop_words, stem, drop_digits, fold_homoglyphs)| FilterOptions {
            stop_words,
            stem,
            drop_digits,
            fold_homoglyphs,
        },
    );
    let words = prop::collection::vec("[a-bé0-1]{1,2}( [a-bé0-1]{1,2}){0,2}", 0..4);
    let lists = (words.clone(), words)
        .prop_map(|(stop_words, templates)| FilterLists { stop_words, templates });
    prop_oneof![Just(Default::default()), (options, lists)]
}

/// Checks that ranges ascend and lie on character boundaries, and that analyzing a range alone yields its token: as the only one, or, where
/// combining characters change places, among others.
fn check(analyzer: &Analyzer, text: &str, is_only_one: bool) -> Result<(), TestCaseError> {
    let found = tokens(analyzer, text);
    let ascends = found.is_sorted_by(|(_, one), (_, next)| {
        let is_next = one.start < next.start && one.end < next.end;
        is_next || !is_only_one && one.start <= next.start && one.end <= next.end
    });
    prop_assert!(ascends, "{:?}", found);
    for (term, range) in found {
        let part = text.get(range.clone());
        prop_assert!(part.is_some(), "{:?} is not on character boundaries", range);
        let again = tokens(analyzer, &text[range]);
        prop_assert!(again.iter().any(|(other, _)| *other == term), "{:?} in {:?}", term, again);
        prop_assert!(!is_only_one || again.len() == 1, "{:?}", again);
    }
    Ok(())
}

proptest! {
    #[test]
    fn bags_are_those_of_the_analyzer(
        texts in prop::collection::vec(
            "([a-bA-BΣσİé0-9٣e\u{301}]{0,3}[ \n,\u{a0}\u{2028}]){0,40}|\\PC{0,60}|([a-cA-C0-1]{0,3}[ -/:-@\\[-`{-~]){0,60}|[ -~]{0,200}\
            |([aBßẞﬁＡÉéžİıiJſΣςΩ½²™ŉΐ\u{345}]{1,3}|[\u{300}-\u{308}\u{30c}\u{ad}\u{200b}-\u{200d}\u{2060}\u{fe0f}]|[ ,]){0,40}\
            |([中文字々かガカー゙ﾊﾟ한글\u{1112}\u{1161}\u{11ab}ㅎ]|[ก-ฮำา\u{e48}\u{e31}กຳ]|[កខ\u{17d2}\u{17b6}]|[a1 ]){0,40}\
            |([हिन्दीक\u{93c}\u{94d}]|[אב\u{5b0}-\u{5c7}]|[ابيأ\u{640}\u{64b}-\u{655}\u{670}ﹰﹱﷺ]|[ a\u{200c}]){0,40}",
            1..4,
        ),
        options in options(),
        filters in filters(),
    ) {
        let filters = Arc::new(WordFilters::new(&filters.0, options, &filters.1));
        let analyzer = Analyzer::new(options).with_filters(filters.clone());
        let mut counter = TermCounter::new(options).with_filters(filters.clone());
        let words = AnalyzerOptions { shingle_size: 1, ..options };
        let word_analyzer = Analyzer::new(words).with_filters(filters.clone());
        let mut scanner = WordScanner::new(words).with_filters(filters);
        for text in &texts {
            prop_assert_eq!(bag(&mut counter, text), reference(&analyzer, text));
            let expected = tokens(&word_analyzer, text).into_iter().map(|(term, _)| term);
            prop_assert!(scanner.words(text).iter().eq(expected));
        }
    }

    #[test]
    fn words_of_sentences_are_those_of_the_analyzer(
        text in "([a-cA-CéЖ中]{0,3}[ .!?\n。]){0,40}", options in options(), filters in filters(),
    ) {
        let options = AnalyzerOptions { shingle_size: 1, words: WordRule::Letters, ..options };
        let filters = Arc::new(WordFilters::new(&filters.0, options, &filters.1));
        let analyzer = Analyzer::new(options).with_filters(filters.clone());
        let mut scanner = WordScanner::new(options).with_filters(filters);
        let found = scanner.sentences(&text);
        let expected = tokens(&analyzer, &text).into_iter().map(|(term, _)| term);
        prop_assert!(found.iter().eq(expected));
        let ends = found.sentences().scan(0, |end, words| {
            let follows = words.start == *end && words.end > words.start;
            *end = words.end;
            Some((follows, words.end))
        });
        let ends: Vec<(bool, usize)> = ends.collect();
        prop_assert!(ends.iter().all(|(follows, _)| *follows));
        prop_assert_eq!(ends.last().map_or(0, |(_, end)| *end), found.len());
    }

    #[test]
    fn ranges_contain_exactly_their_tokens(
        text in "([a-cA-CÉžİΣßＡﬁ東京กา12]|ก\u{e48}|ह\u{93f}|a\u{ad}|ب\u{64e}|[eE]\u{301}|[ ,.\n\u{3000}-]){0,60}", options in options(),
    ) {
        check(&Analyzer::new(options), &text, true)?;
    }

    #[test]
    fn ranges_of_any_text_contain_their_tokens(text in "\\PC{0,60}", options in options()) {
        check(&Analyzer::new(options), &text, false)?;
    }

    #[test]
    fn ranges_of_pages_contain_exactly_their_tokens(
        page in "([a-cA-C1]|&eacute;|e&#769;|&amp;|<b>|</b>|<p>|<br/>|[ ,]){0,40}", options in options(),
    ) {
        check(&Analyzer::for_html(options), &page, true)?;
    }
}
