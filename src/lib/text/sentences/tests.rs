//! Sentences against the crate `unicode-segmentation`, on texts whose single line breaks are spaces.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::abbreviations::is_abbreviated;
use super::class::{SentenceClass, class_at, class_of, is_candidate};
use super::for_each_sentence;
use crate::text::characters::is_mark;

fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut end = 0;
    for_each_sentence(text, |range| {
        assert_eq!(range.start, end, "{text:?}");
        assert!(range.end > range.start, "{text:?}");
        end = range.end;
        found.push(&text[range]);
    });
    assert_eq!(end, text.len(), "{text:?}");
    found
}

fn is_break(character: char) -> bool {
    class_of(character) == SentenceClass::LineBreak
}

/// Returns the ends of paragraphs: of white space with a paragraph separator or two line breaks from its first line break on.
fn paragraph_ends(text: &str) -> Vec<usize> {
    let is_white =
        |character: char| is_break(character) || class_of(character) == SentenceClass::Sp;
    let mut ends = Vec::new();
    let (mut white, mut at) = (String::new(), 0);
    for character in text.chars().chain(['x']) {
        if is_white(character) {
            white.push(character);
        } else {
            let breaks = white.replace("\r\n", "\n").chars().filter(|c| is_break(*c)).count();
            if breaks > 1 || white.contains('\u{2029}') {
                ends.push(at);
            }
            white.clear();
        }
        at += character.len_utf8();
    }
    ends
}

/// Returns the text with spaces of equal length for line breaks.
fn unwrapped(text: &str) -> String {
    let space = |character: char| match character.len_utf8() {
        _ if !is_break(character) => character,
        1 => ' ',
        2 => '\u{a0}',
        _ => '\u{2000}',
    };
    text.chars().map(space).collect()
}

/// Returns the sentences by the crate: paragraph by paragraph, without the ends that follow an abbreviation.
fn reference(text: &str) -> Vec<&str> {
    let plain = unwrapped(text);
    let (mut found, mut start, mut paragraph) = (Vec::new(), 0, 0);
    for end in paragraph_ends(text).into_iter().chain([text.len()]) {
        for (at, part) in plain[paragraph..end].split_sentence_bound_indices() {
            let next = paragraph + at + part.len();
            if next == end || !follows_abbreviation(&plain[start..next], &plain[next..end]) {
                found.push(&text[start..next]);
                start = next;
            }
        }
        paragraph = end;
    }
    found
}

fn follows_abbreviation(sentence: &str, rest: &str) -> bool {
    let ignored = |c: char| matches!(class_of(c), SentenceClass::Sp | SentenceClass::Ignored);
    let trimmed = sentence.trim_end_matches(ignored);
    let Some(stop) = trimmed.chars().next_back() else { return false };
    let (class, _) = class_at(rest, 0).unwrap();
    class_of(stop) == SentenceClass::ATerm
        && is_abbreviated(&trimmed[..trimmed.len() - stop.len_utf8()], class.into())
}

#[test]
fn sentences_of_five_languages() {
    for text in [
        "It is 3.14, e.g. Pi. |Mr. and Mrs. J. K. Smith (b. 1950) left! |\"Really?\" |He asked. |Yes.",
        "The hard-wrapped\nline goes on. |It ends\nhere.\n\n|A title without a mark\n\n|1. The first item. |2. The second.",
        "See fig. 5. |Ten people said no. |Then they left etc. |The end... |He came.",
        "Narodil se 5. května 1950 v Praze, např. Karel. |Dne 10. 5. 2020 přišel Ing. Novák, tj. Petr. |Konec atd. |Dr. Malá.",
        "Napr. Jano, t. j. Ján. |Č. 5 je tu. |Prišli, t.j. Eva a doc. Kováč. |Koniec.",
        "В г. Москве, т. е. Иван и А. С. Пушкин. |В 1999 г. |Он умер. |См. Рис. 5. |Книги и т. д. |Конец.",
        "Див. Рис. 2, напр. Київ, вул. Шевченка. |У м. Києві жив Т. Г. Шевченко. |У 1861 р. |Він помер.",
        "这是。|第二句！|हिन्दी। |अंत",
        "He said. |(Then he left.) |She said «No.» |And left; ",
    ] {
        let marked: Vec<&str> = text.split('|').filter(|part| !part.is_empty()).collect();
        assert_eq!(sentences(&marked.concat()), marked);
    }
}

#[test]
fn texts_without_words_or_marks_are_covered() {
    for (text, count) in
        [("", 0), (" ", 1), ("\n\n", 1), ("word", 1), ("...", 1), ("\0.\0", 2), ("\r\n \r\nA", 2)]
    {
        assert_eq!(sentences(text).len(), count, "{text:?}");
    }
}

#[test]
fn large_texts_without_ends_take_linear_time() {
    const LENGTH: usize = 5 << 20;
    for part in [
        "a", " ", ".", "\n", "1 ", ". 1", "\u{301}", ".\u{301}", "\" ", "no. 5 ", "A. ", "a.\u{a0}",
    ] {
        let text = format!("A.{}", part.repeat(LENGTH / part.len()));
        sentences(&text);
    }
}

/// The crate and the standard library know the same characters.
fn has_same_version() -> bool {
    let (major, minor, update) = char::UNICODE_VERSION;
    unicode_segmentation::UNICODE_VERSION == (major.into(), minor.into(), update.into())
}

#[test]
fn all_characters_that_may_end_sentences_are_candidates() {
    use SentenceClass::{ATerm, LineBreak, STerm};
    for character in '\0'..=char::MAX {
        let may_end = matches!(class_of(character), ATerm | STerm | LineBreak);
        let first = character.encode_utf8(&mut [0; 4]).as_bytes()[0];
        assert!(!may_end || is_candidate(first), "{character:?}");
    }
}

#[test]
fn all_characters_have_their_classes() {
    // Marks that only a newer version of Unicode has.
    let mut new_marks = 0;
    for character in ('\0'..=char::MAX).filter(|_| has_same_version()) {
        for text in [
            format!("qq.{character}"),
            format!("qq.{character}Q"),
            format!("qq. {character}q"),
            format!("qq! {character}Q"),
            format!("qq!\"{character} Q"),
            format!("qq{character} Q"),
            format!("qq{character} q"),
            format!("1{character}.Q"),
        ] {
            let is_equal = sentences(&text) == reference(&text);
            assert!(is_equal || is_mark(character), "{text:?}");
            new_marks += usize::from(!is_equal);
        }
    }
    assert!(new_marks < 400, "{new_marks}");
}

proptest! {
    #[test]
    fn sentences_are_those_of_the_crate(
        text in "([a-cA-C1 .!?,)\"\n\r\u{301}]|\\. [A-C]|[а-вА-В]|[中。「」]|\u{2029}|\u{2028}|\u{85}|\u{a0}|\u{ad}|\u{200b}|\u{345}){0,60}\
            |((Dr|např|т|е|A|5|12|g|e|см|no)[. ]{1,2}){0,20}|\\PC{0,60}",
    ) {
        prop_assert_eq!(sentences(&text), reference(&text));
    }
}
