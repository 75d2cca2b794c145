//! Look-alike letters of Latin, Greek and Cyrillic in words that mix these scripts.
//!
//! The pairs are those of Unicode's `confusables.txt` (UTS #39, version 17) between letters of the three alphabets, in lower or upper case,
//! because words are in lower case here: В and B look alike, so в stands for b. The skeletons of UTS #39 would also change words of one
//! script (м to rn), and lead to Latin only.

/// A script with look-alikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
}

const SCRIPTS: [Script; 3] = [Script::Latin, Script::Greek, Script::Cyrillic];

/// Look-alikes, one per script in the order of [`SCRIPTS`]; a space where the script has none. The first row with a letter counts.
const LOOK_ALIKES: [[char; 3]; 31] = [
    ['a', 'α', 'а'],
    ['b', 'β', 'в'],
    ['c', 'ϲ', 'с'],
    ['d', ' ', 'ԁ'],
    ['e', 'ε', 'е'],
    ['h', 'η', 'н'],
    ['h', ' ', 'һ'],
    ['i', 'ι', 'і'],
    ['j', 'ϳ', 'ј'],
    ['k', 'κ', 'к'],
    ['l', ' ', 'ӏ'],
    ['m', 'μ', 'м'],
    [' ', 'π', 'п'],
    ['o', 'ο', 'о'],
    ['p', 'ρ', 'р'],
    ['q', ' ', 'ԛ'],
    ['r', ' ', 'г'],
    ['s', ' ', 'ѕ'],
    ['t', 'τ', 'т'],
    ['u', 'υ', ' '],
    ['v', 'ν', 'ѵ'],
    ['w', ' ', 'ԝ'],
    ['x', 'χ', 'х'],
    ['y', 'γ', 'у'],
    ['z', 'ζ', ' '],
    ['ë', ' ', 'ё'],
    ['ï', 'ϊ', 'ї'],
    ['ă', ' ', 'ӑ'],
    ['ä', ' ', 'ӓ'],
    ['ö', ' ', 'ӧ'],
    ['þ', 'ϸ', ' '],
];

/// Returns a word in lower case with the look-alikes of its main script, or `None` if it is unchanged, as every word of one script is.
///
/// The main script is the one with most letters; of equals, the one with most letters that have no look-alike, then the first in the word.
pub(super) fn fold(word: &str) -> Option<String> {
    let is_cyrillic = |character| matches!(character, '\u{400}'..='\u{52f}');
    if word.is_ascii() || word.chars().all(is_cyrillic) {
        return None;
    }
    let main = main_script(word)?;
    let folded: String = word.chars().map(|character| in_script(character, main)).collect();
    (folded != word).then_some(folded)
}

/// Returns the main script of a word of several scripts.
fn main_script(word: &str) -> Option<Script> {
    let mut counts = [(0, 0); SCRIPTS.len()];
    let mut first = None;
    for character in word.chars() {
        let Some(script) = script_of(character) else { continue };
        first.get_or_insert(script);
        let (letters, unique) = &mut counts[script as usize];
        *letters += 1;
        *unique += usize::from(row_of(character, script).is_none());
    }
    if counts.iter().filter(|(letters, _)| *letters > 0).count() < 2 {
        return None;
    }
    let rank = |script: &Script| (counts[*script as usize], first == Some(*script));
    SCRIPTS.into_iter().max_by_key(rank)
}

fn script_of(character: char) -> Option<Script> {
    if !character.is_alphabetic() {
        return None;
    }
    match character {
        'a'..='z' | 'A'..='Z' | '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
            Some(Script::Latin)
        }
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Script::Greek),
        '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
        _ => None,
    }
}

fn row_of(character: char, script: Script) -> Option<&'static [char; 3]> {
    LOOK_ALIKES.iter().find(|row| row[script as usize] == character)
}

/// Returns the look-alike of a character in a script, or the character if it has none.
fn in_script(character: char, script: Script) -> char {
    let row = script_of(character).and_then(|own| row_of(character, own));
    row.map(|row| row[script as usize]).filter(|other| *other != ' ').unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mixed_words_become_words_of_one_script() {
        for (word, expected) in [
            // Cyrillic а and о in a Latin word, Latin e, o and p in Cyrillic ones.
            ("bаnаnа", "banana"),
            ("hellо", "hello"),
            ("молoко", "молоко"),
            ("пpимep", "пример"),
            ("вank", "bank"),
            ("tекст", "текст"),
            ("gοοgle", "google"),
            ("αβγδaе", "αβγδαε"),
            // Equal numbers: the script with more letters of its own.
            ("жa", "жа"),
            ("gа", "ga"),
        ] {
            assert_eq!(fold(word).as_deref(), Some(expected), "{word}");
        }
        // One script, digits, letters without look-alike, other scripts.
        for word in ["banana", "čeština", "молоко", "ελλαδα", "10кг", "ωmlf", "中a", ""]
        {
            assert_eq!(fold(word), None, "{word}");
        }
    }

    #[test]
    fn rows_are_letters_of_their_scripts_in_lower_case() {
        for row in LOOK_ALIKES {
            for (script, character) in SCRIPTS.into_iter().zip(row).filter(|(_, c)| *c != ' ') {
                assert_eq!(script_of(character), Some(script), "{character}");
                assert!(character.is_lowercase(), "{character}");
            }
        }
    }

    proptest! {
        #[test]
        fn words_of_one_script_never_change(word in "\\p{Latin}{0,12}|\\p{Greek}{0,12}|\\p{Cyrillic}{0,12}|[a-z0-9中\u{301}]{0,9}") {
            prop_assert_eq!(fold(&word), None);
        }

        #[test]
        fn folding_twice_changes_nothing_more(word in "[a-zа-яёα-ωёї0-9]{0,12}") {
            let once = fold(&word).unwrap_or(word);
            let twice = fold(&once).unwrap_or_else(|| once.clone());
            prop_assert_eq!(twice, once);
        }
    }
}
