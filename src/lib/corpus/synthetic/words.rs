//! Invented words, computed from their rank.

/// Onsets of syllables. None contains a vowel, so a word splits into syllables in one way.
const ONSETS: [&[u8]; 20] = [
    b"t", b"n", b"s", b"d", b"sl", b"l", b"k", b"m", b"vr", b"sp", b"st", b"b", b"f", b"g", b"h",
    b"pr", b"z", b"tr", b"ch", b"kl",
];

/// Nuclei of syllables.
const NUCLEI: [&[u8]; 5] = [b"e", b"a", b"o", b"i", b"ou"];

/// Onsets available at one position of a word. Few, so that running text has about six letters per word, like Czech and English.
const ONSETS_PER_POSITION: usize = 5;

/// Syllables available at one position of a word.
const SYLLABLES: u64 = (ONSETS_PER_POSITION * NUCLEI.len()) as u64;

/// Appends the word of a rank, counted from 0. Different ranks have different words, and no word has fewer syllables than one of a lower rank (Zipf's
/// law of abbreviation). Costs a few divisions and no memory.
///
/// The rank is written in bijective numeration with syllables as digits. A syllable is consonants, then vowels, so words of different syllables
/// differ.
pub fn append_word(text: &mut Vec<u8>, rank: u64) {
    let (mut rest, mut count, mut choices) = (rank, 1, SYLLABLES);
    while rest >= choices {
        rest -= choices;
        choices *= SYLLABLES;
        count += 1;
    }
    for place in 0..count {
        choices /= SYLLABLES;
        append_syllable(text, place, (rest / choices) as usize);
        rest %= choices;
    }
}

/// Appends a syllable available at a position. Neighboring positions have different onsets, so that words look less alike.
fn append_syllable(text: &mut Vec<u8>, place: usize, digit: usize) {
    let onset = place * ONSETS_PER_POSITION + digit / NUCLEI.len();
    text.extend_from_slice(ONSETS[onset % ONSETS.len()]);
    text.extend_from_slice(NUCLEI[digit % NUCLEI.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn word(rank: u64) -> String {
        let mut text = Vec::new();
        append_word(&mut text, rank);
        String::from_utf8(text).unwrap()
    }

    fn is_vowel(letter: char) -> bool {
        "aeiou".contains(letter)
    }

    /// Syllables are counted by their vowels, `ou` being one.
    fn syllables(word: &str) -> usize {
        word.replace("ou", "o").chars().filter(|letter| is_vowel(*letter)).count()
    }

    #[test]
    fn words_are_different_and_grow_with_their_rank() {
        let ranks = SYLLABLES + SYLLABLES.pow(2) + SYLLABLES.pow(3) + 100;
        let words: Vec<String> = (0..ranks).map(word).collect();
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
        assert!(words.is_sorted_by_key(|word| syllables(word)));
        assert_eq!((syllables(&words[0]), syllables(&words[ranks as usize - 1])), (1, 4));
    }

    #[test]
    fn words_can_be_pronounced() {
        for rank in (0..10_000_000).step_by(977) {
            let word = word(rank);
            assert!(word.bytes().all(|letter| letter.is_ascii_lowercase()), "{word}");
            assert!(word.ends_with(is_vowel) && !word.starts_with(is_vowel), "{word}");
            assert!(word.split(is_vowel).all(|consonants| consonants.len() <= 2), "{word}");
        }
        assert!(!word(u64::from(u32::MAX)).is_empty());
        // Keeps collections reproducible.
        let golden = [(0, "te"), (24, "slou"), (25, "tele"), (700_000, "tevrigikloute")];
        assert!(golden.iter().all(|(rank, expected)| word(*rank) == *expected));
    }
}
