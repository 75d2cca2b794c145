//! Full stops that do not end a sentence: of abbreviations, initials and ordinals in English, Czech, Slovak, Russian and Ukrainian.
//!
//! Before a lower-case letter no full stop ends a sentence anyway. The lists therefore leave out abbreviations that often end one, such as
//! "etc.", "atd." and "и т. д.": before a capital they do.

/// The character after a full stop and spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follower {
    /// An upper-case letter.
    Capital,
    /// A digit.
    Digit,
    /// Any other character.
    Other,
}

/// Letters of the longest abbreviation, and more.
const MAX_LETTERS: usize = 12;
/// Parts of the longest abbreviation with inner full stops.
const MAX_PARTS: usize = 3;
/// Digits of the longest day, month or item of a list.
const MAX_ORDINAL: usize = 2;

/// Abbreviations that are followed by a name or an explanation. Single letters are units after a number: "1999 г."
#[rustfmt::skip]
const ALWAYS: &[&str] = &[
    "angl", "approx", "arch", "bc", "ca", "capt", "cf", "cmdr", "col", "doc", "dr", "e.g", "esp",
    "franc", "gen", "gov", "gréc", "hon", "i.e", "ing", "judr", "kpt", "kupř", "lat", "lt", "m.i",
    "maj", "messrs", "mgr", "mj", "mjr", "mlle", "mme", "mr", "mrs", "ms", "mt", "mudr", "mvdr",
    "napr", "např", "nar", "nem", "npor", "nám", "něm", "p", "paeddr", "phdr", "plk", "popr",
    "popř", "porov", "pres", "prof", "príp", "příp", "rep", "resp", "rev", "rndr", "rus", "sen",
    "sgt", "slov", "srov", "st", "supt", "sv", "t.j", "t.zn", "thdr", "tj", "tzn", "tzv", "ul",
    "viz", "vs", "zemř", "zvl", "čes", "адм", "акад", "бул", "вул", "г", "ген", "гр", "д", "дж",
    "див", "доц", "изд", "им", "инж", "канд", "лейт", "м", "наб", "напр", "о", "обл", "п", "пер",
    "пл", "полк", "пор", "пос", "пров", "просп", "проф", "ред", "с", "св", "см", "сост", "ср",
    "т.е", "т.з", "т.зв", "т.к", "т.н", "т.о", "т.ч", "тзв", "тов", "укл", "ул", "ім", "інж",
];

/// Abbreviations only before a number: "no. 5", "str. 7".
#[rustfmt::skip]
const BEFORE_NUMBERS: &[&str] = &[
    "apr", "art", "aug", "cca", "ch", "chap", "chaps", "dec", "ed", "eq", "eqs", "feb", "fig",
    "figs", "hod", "jan", "jul", "jun", "kap", "mar", "max", "min", "no", "nos", "nov", "obr",
    "oct", "odd", "ods", "odst", "p", "par", "pp", "príl", "pt", "písm", "roč", "s", "sec", "sect",
    "sep", "sept", "str", "sv", "tab", "tř", "vol", "vols", "č", "čl", "čís", "вип", "вып", "гл",
    "кн", "п", "пп", "разд", "рис", "розд", "с", "ст", "стор", "стр", "т", "табл", "ч",
];

/// Returns whether the full stop after `before`, which begins with the sentence, belongs to an abbreviation, an initial or an ordinal.
pub(super) fn is_abbreviated(before: &str, follower: Follower) -> bool {
    let word = last_run(before, char::is_alphabetic);
    let rest = &before[..before.len() - word.len()];
    match letter_count(word) {
        0 => is_ordinal(before, follower),
        1 if !word.starts_with(char::is_lowercase) => {
            follower == Follower::Capital && !rest.ends_with(char::is_numeric)
        }
        1..=MAX_LETTERS => is_listed(word, rest, follower),
        _ => false,
    }
}

/// Returns whether a number is the day or month before another number, or the number of an item: all that its sentence has so far.
fn is_ordinal(before: &str, follower: Follower) -> bool {
    let digits = last_run(before, |character| character.is_ascii_digit());
    let rest = &before[..before.len() - digits.len()];
    let is_item = || rest.chars().rev().all(char::is_whitespace);
    (1..=MAX_ORDINAL).contains(&digits.len()) && (follower == Follower::Digit || is_item())
}

fn is_listed(word: &str, rest: &str, follower: Follower) -> bool {
    let is_unit = letter_count(word) == 1 && rest.trim_end().ends_with(char::is_numeric);
    let has = |list: &[&str], word: &str| list.binary_search(&word).is_ok();
    let is_known = |word: &str| {
        has(ALWAYS, word) && !is_unit || follower == Follower::Digit && has(BEFORE_NUMBERS, word)
    };
    is_known(&with_parts_before(word.to_lowercase(), rest))
}

/// Joins a word with the single letters and full stops before it: "т. е" is "т.е".
fn with_parts_before(mut word: String, mut rest: &str) -> String {
    for _ in 1..MAX_PARTS {
        let Some(before) = rest.trim_end().strip_suffix('.') else { break };
        let part = last_run(before, char::is_alphabetic);
        if letter_count(part) != 1 {
            break;
        }
        word = format!("{}.{word}", part.to_lowercase());
        rest = &before[..before.len() - part.len()];
    }
    word
}

/// Returns the characters at the end of a text for which `is_part` holds, or a bit more than the longest abbreviation of them.
fn last_run(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    let run = text.char_indices().rev().take(MAX_LETTERS + 1);
    let start = run.take_while(|(_, character)| is_part(*character)).last();
    &text[start.map_or(text.len(), |(at, _)| at)..]
}

fn letter_count(word: &str) -> usize {
    word.chars().take(MAX_LETTERS + 1).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_short_enough() {
        for list in [ALWAYS, BEFORE_NUMBERS] {
            assert!(list.is_sorted_by(|one, next| one < next), "{list:?}");
            assert!(list.iter().all(|word| letter_count(word) <= MAX_LETTERS));
            assert!(list.iter().all(|word| word.to_lowercase() == *word));
        }
    }
}
