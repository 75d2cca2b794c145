//! Character filter that gives equal words equal characters: it drops ignorable characters, composes the others (Unicode's normal form C),
//! and folds them if asked to.
//!
//! Folding maps letters, digits and marks to their compatibility decompositions (NFKC), all cases to one (full case folding, and dotless ı to
//! i), and drops what writers may leave out: vowel marks of Arabic and Hebrew, tatweel, and dots above i. Other characters, such as ™, stay:
//! they separate words.

use std::borrow::Cow;

use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc, is_nfc_quick};

use super::characters::{is_ignorable, is_mark, is_optional};
use super::mapped::{MappedText, TextSink};

/// The dot that remains of İ in lower case.
const DOT_ABOVE: char = '\u{307}';

/// Normal form of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Normalization {
    /// Whether characters are folded.
    pub folds: bool,
}

impl Normalization {
    /// Normalizes a text, with the range of each part.
    pub fn map(self, text: &str) -> MappedText {
        let mut mapped = MappedText::default();
        for (start, segment) in self.segments(text) {
            match self.apply(segment) {
                Cow::Borrowed(same) => mapped.push_copy(same, start),
                Cow::Owned(other) => mapped.push_replacement(&other, start..start + segment.len()),
            }
        }
        mapped
    }

    /// Normalizes a text.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        if text.is_ascii() && !(self.folds && text.bytes().any(|byte| byte.is_ascii_uppercase())) {
            return text.into();
        }
        if self.folds {
            return self::fold(text).into();
        }
        if is_nfc(text) && !text.contains(is_ignorable) {
            return text.into();
        }
        text.chars().filter(|character| !is_ignorable(*character)).nfc().collect::<String>().into()
    }

    /// Yields parts of a text, with their positions, that do not interact in normalization. Characters to drop belong to the part before.
    fn segments(self, text: &str) -> impl Iterator<Item = (usize, &str)> {
        let mut start = 0;
        let ends = text.char_indices().skip(1).filter(move |(_, next)| self.splits_before(*next));
        let ends = ends.map(|(at, _)| at).chain((!text.is_empty()).then_some(text.len()));
        ends.map(move |end| {
            let segment = (start, &text[start..end]);
            start = end;
            segment
        })
    }

    /// Returns whether a character neither composes with nor moves before those in front of it, and is not dropped.
    pub fn splits_before(self, character: char) -> bool {
        if is_ignorable(character) {
            return false;
        }
        let mut first = None;
        self.decompose(character, |part| _ = first.get_or_insert(part));
        first.is_none_or(|first| {
            let is_starter = canonical_combining_class(first) == 0;
            let is_dropped = self.folds && is_optional(first);
            is_starter && !is_dropped && is_nfc_quick([first].into_iter()) != IsNormalized::Maybe
        })
    }

    fn decompose(self, character: char, emit: impl FnMut(char)) {
        match self.folds && is_part_of_words(character) {
            true => decompose_compatible(character, emit),
            false => decompose_canonical(character, emit),
        }
    }
}

fn is_part_of_words(character: char) -> bool {
    character.is_alphanumeric() || is_mark(character)
}

/// Folds a text that is a segment, or consists of whole segments.
fn fold(text: &str) -> String {
    let mut decomposed = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !is_ignorable(*character)) {
        Normalization { folds: true }.decompose(character, |part| decomposed.push(part));
    }
    let mut base = None;
    // In canonical order, so that a mark follows its base.
    let cases = decomposed.nfd().flat_map(fold_case);
    let kept = cases.filter(|character| {
        if is_optional(*character) {
            return false;
        }
        if canonical_combining_class(*character) == 0 {
            base = Some(*character);
        }
        *character != DOT_ABOVE || base != Some('i')
    });
    kept.nfc().collect()
}

/// Returns the form that all cases of a character share. Upper case first would leave ẞ as it is.
fn fold_case(character: char) -> impl Iterator<Item = char> {
    let upper = character.to_lowercase().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMS: [Normalization; 2] =
        [Normalization { folds: false }, Normalization { folds: true }];

    #[test]
    fn every_character_is_normalized_alone_and_after_another() {
        for character in '\0'..=char::MAX {
            for text in [
                character.to_string(),
                format!("a{character}"),
                format!("\u{1100}{character}\u{301}"),
                format!("\u{627}{character}\u{654}i{character}\u{307}"),
            ] {
                for form in FORMS {
                    let whole = form.apply(&text);
                    assert_eq!(form.map(&text).as_str(), whole, "{text:?}");
                    assert_eq!(form.apply(&whole), whole, "{text:?} twice");
                }
                if !text.contains(is_ignorable) {
                    assert_eq!(FORMS[0].apply(&text), text.nfc().collect::<String>(), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn folded_words_are_equal() {
        for (one, other) in [
            ("Straße STRASSE ẞ", "strasse Straße ß"),
            ("ＡＢＣ１２３", "abc123"),
            ("ﬁnﬂuß", "FINFLUSS"),
            ("İstanbul ILIK", "istanbul ılık"),
            ("ΟΔΟΣ ὈΔΌΣ", "οδος ὀδός"),
            ("كَتَبَ مُحَمَّدٌ كتـــاب", "كتب محمد كتاب"),
            ("שָׁלוֹם", "שלום"),
            ("ﾊﾟｿｺﾝ", "パソコン"),
            ("می\u{200c}خواهم", "میخواهم"),
            ("co\u{ad}op", "coop"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ] {
            assert_eq!(FORMS[1].apply(one), FORMS[1].apply(other), "{one} {other}");
        }
        assert_eq!(FORMS[1].apply("x™ 5² ½"), "x™ 52 1\u{2044}2");
        assert_ne!(FORMS[1].apply("é"), FORMS[1].apply("e"), "accents stay");
    }

    proptest! {
        #[test]
        fn segments_are_normalized_as_a_whole(
            text in "\\PC{0,30}|[aeiIİßΣ가각\u{1100}-\u{1112}\u{1161}-\u{1175}\u{11a8}\u{300}-\u{345}\u{2126}\u{958} \u{627}\u{640}\u{64b}-\u{655}\u{200b}-\u{200d}\u{ad}\u{e33}\u{e48}ﾊﾟﹰﹱ½™]{0,30}",
        ) {
            for form in FORMS {
                let mapped = form.map(&text);
                prop_assert_eq!(mapped.as_str(), form.apply(&text));
            }
        }

        #[test]
        fn decomposed_texts_are_equal(text in "\\PC{0,30}") {
            for form in FORMS {
                let other = text.nfd().collect::<String>();
                prop_assert_eq!(form.apply(&text), form.apply(&other));
            }
        }
    }
}
