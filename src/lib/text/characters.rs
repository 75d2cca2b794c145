//! Classes of characters that decide where words begin and end, and what of them is compared.

use unicode_normalization::char::is_combining_mark;

/// Letters that a character of a script without spaces counts as, in the weight of a term: half of a long word. Two such characters are
/// often a word, and as rare as a word of eight letters.
const LETTERS_PER_UNIT: usize = 4;

/// Returns whether a character continues a word: a combining mark, such as an accent or a vowel sign.
pub(super) fn is_mark(character: char) -> bool {
    is_combining_mark(character)
}

/// Returns whether a character has no meaning of its own and no visible form: Unicode's property `Default_Ignorable_Code_Point`. Among them
/// are soft hyphens, joiners and non-joiners, word joiners, marks of direction and variation selectors.
pub(super) fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether writers may leave a character out: vowel marks of Arabic and Hebrew, Hebrew accents, and tatweel, which lengthens a word.
pub(super) fn is_optional(character: char) -> bool {
    matches!(
        character,
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}'
        | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}'
    )
}

/// Returns whether a character belongs to a script that is written without spaces between words, or partly so, such as Hangul. These are the
/// scripts whose lines Unicode breaks between characters or by a dictionary (UAX #14, classes ID, CJ, SA, H2, H3, JL, JV and JT).
pub(super) fn is_spaceless(character: char) -> bool {
    matches!(
        character,
        // Han, kana, Bopomofo, Hangul, Yi.
        '\u{3000}'..='\u{31ff}' | '\u{3400}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{ff66}'..='\u{ffdc}'
        // Thai, Lao, Myanmar, Khmer, Tai scripts, Ahom.
        | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19df}'
        | '\u{1a20}'..='\u{1aaf}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}' | '\u{11700}'..='\u{1174f}'
        // Kana, Tangut and Khitan beyond the first plane, Han.
        | '\u{16fe0}'..='\u{18dff}' | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// Returns the letters that a character adds to the length of its term.
#[inline]
pub(crate) fn letters_of(character: char) -> usize {
    if character >= '\u{e00}' && is_spaceless(character) { LETTERS_PER_UNIT } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_those_written_without_spaces() {
        for character in "漢字かなカナｶﾅ々ㄅ한ᄒㅎภาษາພာသខ្មែ𠀀".chars()
        {
            assert!(is_spaceless(character), "{character:?}");
        }
        for character in "aéßжΩאبहिবাამאั0１Ａ".chars().filter(|c| *c != '\u{e31}')
        {
            assert!(!is_spaceless(character), "{character:?}");
        }
    }

    #[test]
    fn no_ignorable_or_optional_character_is_ascii() {
        assert!((0..128u8).map(char::from).all(|c| !is_ignorable(c) && !is_optional(c)));
    }
}
