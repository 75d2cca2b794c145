//! Words of a normalized text.
//!
//! A word begins with a letter or digit and continues with letters, digits and marks. Where scripts written without spaces begin or end, a
//! word ends too. A run of such scripts is cut into units, each a character with its marks, and every two neighbouring units are a word, which
//! overlaps the next: the bigrams of the run. A single unit is a word of its own.
//!
//! Bigrams find more edited copies than the words of a dictionary (`res/languages`): an edit changes the bigrams around it alone, whereas a
//! dictionary may cut the rest of the sentence differently.

use std::ops::Range;

use super::characters::{is_mark, is_spaceless};

/// A word of a normalized text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordRange {
    pub range: Range<usize>,
    /// Whether the word is a bigram, or a single unit, of a script without spaces.
    pub is_bigram: bool,
}

/// Returns the words of a normalized text.
pub(super) fn words(text: &str) -> Vec<WordRange> {
    let mut words = Vec::new();
    let mut units: Vec<Unit> = Vec::new();
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        match units.last_mut() {
            Some(last) if is_mark(character) => last.range.end = end,
            _ if !character.is_alphanumeric() => append_words(&mut words, &mut units),
            last => {
                let is_spaceless = is_spaceless(character);
                if last.is_some_and(|last| last.is_spaceless != is_spaceless) {
                    append_words(&mut words, &mut units);
                }
                units.push(Unit { range: start..end, is_spaceless });
            }
        }
    }
    append_words(&mut words, &mut units);
    words
}

/// A character with its marks.
struct Unit {
    range: Range<usize>,
    is_spaceless: bool,
}

/// Appends the words of a run of units of one kind, and clears it.
fn append_words(words: &mut Vec<WordRange>, units: &mut Vec<Unit>) {
    let joined = |units: &[Unit]| WordRange {
        range: units[0].range.start..units[units.len() - 1].range.end,
        is_bigram: units[0].is_spaceless,
    };
    match units.as_slice() {
        [] => {}
        [unit, _, ..] if unit.is_spaceless => words.extend(units.windows(2).map(joined)),
        run => words.push(joined(run)),
    }
    units.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_with_their_script_and_keep_their_marks() {
        for (text, expected) in [
            ("the end", "the|end"),
            ("中文字", "中文|文字"),
            ("我 用Debian系统2024年", "我|用|debian|系统|2024|年"),
            ("ひらがなと漢", "ひら|らが|がな|なと|と漢"),
            ("हिन्दी में", "हिन्दी|में"),
            ("น้ำใจ", "น้ำ|ำใ|ใจ"),
            ("ก็", "ก็"),
            ("\u{301}a x\u{304}", "a|x\u{304}"),
            ("한글 쓰", "한글|쓰"),
        ] {
            let lower = text.to_lowercase();
            let found: Vec<&str> =
                words(&lower).into_iter().map(|word| &lower[word.range]).collect();
            assert_eq!(found.join("|"), expected);
        }
    }
}
