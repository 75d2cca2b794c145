//! Character filter that composes characters: Unicode's normal form C.

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc, is_nfc_quick};

use super::mapped::{MappedText, TextSink};

/// Composes characters, so that `e` with a combining accent and `é` are the same.
pub(super) fn compose(text: &str) -> MappedText {
    let mut composed = MappedText::default();
    for (start, segment) in segments(text) {
        match is_nfc(segment) {
            true => composed.push_copy(segment, start),
            false => {
                let replacement = segment.nfc().collect::<String>();
                composed.push_replacement(&replacement, start..start + segment.len());
            }
        }
    }
    composed
}

/// Parts of a text, with their positions, that do not interact in normalization.
fn segments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let ends = text.char_indices().skip(1).filter(|(_, next)| has_boundary_before(*next));
    let ends = ends.map(|(at, _)| at).chain((!text.is_empty()).then_some(text.len()));
    ends.map(move |end| {
        let segment = (start, &text[start..end]);
        start = end;
        segment
    })
}

/// Whether a character neither composes with nor moves before those in front of it.
fn has_boundary_before(character: char) -> bool {
    let mut first = None;
    decompose_canonical(character, |part| _ = first.get_or_insert(part));
    first.is_none_or(|first| {
        let is_starter = canonical_combining_class(first) == 0;
        is_starter && is_nfc_quick([first].into_iter()) != IsNormalized::Maybe
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_character_is_composed_alone_and_after_another() {
        for character in '\0'..=char::MAX {
            for text in [
                character.to_string(),
                format!("a{character}"),
                format!("\u{1100}{character}\u{301}"),
            ] {
                assert_eq!(compose(&text).as_str(), text.nfc().collect::<String>(), "{text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn texts_are_composed_as_a_whole(
            text in "\\PC{0,30}|[ae가각\u{1100}-\u{1112}\u{1161}-\u{1175}\u{11a8}\u{300}-\u{345}\u{2126}\u{958} ]{0,30}",
        ) {
            let composed = compose(&text);
            prop_assert_eq!(composed.as_str(), text.nfc().collect::<String>());
        }
    }
}
