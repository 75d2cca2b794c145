//! `koala`: hashes of a fixed number of substrings of consonants whose first letters are rare in the text (Heintze 1996).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::MethodEntry;
use super::winnowing::dedup_from;
use crate::prints::counting::{Scratch, WordCount, keep_first};
use crate::prints::rolling::{for_each_substring, mixed};
use crate::prints::{Agreement, PrintMethod, PrintOptions, SetMeasure};
use crate::text::TextWords;

/// Letters of a substring whose frequency in the text decides.
const FIRST_LETTERS: usize = 5;
/// Vowels of the Latin, Cyrillic and Greek alphabets, without marks, and the signs of Cyrillic.
const VOWELS: &str = "aeiouyæœøıаеиоуыэюяєіѣѵъьαεηιουω";

pub(super) const KOALA: MethodEntry = MethodEntry {
    name: "koala",
    about: "hashes of the 30 substrings of 20 consonants that begin with the rarest 5",
    flags: &["substring", "substrings", "measure", "threshold"],
    min_word_len: 1,
    create: |options| Ok(Box::new(Consonants::new(options)?)),
};

struct Consonants {
    substring: usize,
    substrings: usize,
    measure: SetMeasure,
    threshold: f64,
}

impl Consonants {
    fn new(options: &PrintOptions) -> Result<Self, String> {
        let substring = options.substring.unwrap_or(20);
        if substring < FIRST_LETTERS {
            return Err(format!(
                "--substring: expected at least {FIRST_LETTERS} characters, found {substring}"
            ));
        }
        Ok(Consonants {
            substring,
            substrings: options.substrings.unwrap_or(30),
            measure: options.measure.unwrap_or(SetMeasure::Share),
            threshold: options.threshold.unwrap_or(0.5),
        })
    }
}

/// Fills `consonants` with the letters of words that are no vowels. Marks decide nothing: `й` and `ё` lose theirs.
fn keep_consonants(words: TextWords<'_>, consonants: &mut Vec<char>) {
    consonants.clear();
    for word in words.iter() {
        if word.is_ascii() {
            let letters = word.bytes().filter(|byte| ASCII_CONSONANTS[usize::from(*byte)]);
            consonants.extend(letters.map(char::from));
        } else {
            let letters = word.nfd().filter(|c| c.is_alphabetic() && !is_combining_mark(*c));
            consonants.extend(letters.filter(|letter| !VOWELS.contains(*letter)));
        }
    }
}

/// Which ASCII characters are consonants in lower case.
const ASCII_CONSONANTS: [bool; 128] = {
    let mut consonants = [false; 128];
    let mut letter = b'a';
    while letter <= b'z' {
        consonants[letter as usize] = !matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
        letter += 1;
    }
    consonants
};

impl PrintMethod for Consonants {
    /// Ties between equally rare beginnings are broken by their hashes, so that an edit elsewhere does not change the choice.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        let Scratch { characters, counts, .. } = scratch;
        keep_consonants(words, characters);
        let length = self.substring.min(characters.len());
        if length < FIRST_LETTERS {
            return;
        }
        counts.clear();
        for_each_substring(characters, FIRST_LETTERS, |at, hash| {
            counts.add(mixed(hash), at);
        });
        // Letters at the end begin no substring, but count for rarity.
        let begins = |item: &&WordCount| item.first + length <= characters.len();
        let mut rarest: Vec<WordCount> = counts.items.iter().filter(begins).copied().collect();
        keep_first(&mut rarest, self.substrings, |one, other| {
            (one.count, one.hash).cmp(&(other.count, other.hash))
        });
        let start = print.len();
        for item in &rarest {
            let substring = &characters[item.first..item.first + length];
            for_each_substring(substring, length, |_, hash| print.push(mixed(hash)));
        }
        print[start..].sort_unstable();
        dedup_from(print, start);
    }

    fn agreement(&self) -> Agreement {
        let Consonants { measure, threshold, .. } = *self;
        Agreement::Sets { measure, threshold, smallest: None }
    }
}
