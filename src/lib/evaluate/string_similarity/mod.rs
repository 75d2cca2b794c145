//! Similarity of two texts by their characters, as Perl's String::Similarity computes it.
//!
//! The similarity of texts of n and m characters is 2·c/(n + m), where c is the number of characters that a minimal edit script of insertions and
//! deletions keeps: the length of their longest common subsequence. Two empty texts have similarity 1. White space is no content: runs of it
//! count as one space, and the ends of a text are trimmed.
//!
//! [`is_similar`] decides whether a pair reaches a threshold, exactly, in steps from cheap to dear:
//!
//! 1. The lengths, and the characters that the texts have in common in any order, bound c from above. A common prefix and suffix belong to some
//!    longest common subsequence.
//! 2. The greedy algorithm of Myers (1986) finds a minimal edit script of D edits in expected time n + D²: close pairs end here (`edits`).
//! 3. The bit-parallel algorithm of Crochemore et al. (2001) takes n·m/64 word operations (`strips`). A similarity of 0.8 permits few
//!    deletions, so only a band around the diagonal is computed (Ukkonen 1985), and it ends as soon as the threshold is out of reach.
//!
//! A pair that would take more than [`MAX_WORDS`] word operations, about half a minute, ends after step 2: undecided, unless it is close. That are
//! texts of more than about 2.4 million characters each with more than 46,000 edits.

mod edits;
mod strips;

use rustc_hash::FxHashMap;

use self::edits::reaches_within;
use self::strips::reaches;

/// Maximum number of word operations of a comparison.
pub const MAX_WORDS: u64 = 1 << 35;

/// Returns whether the similarity of two texts is at least `threshold`; `None` if that takes too long to know ([`MAX_WORDS`]).
///
/// Memory: 12 bytes per character.
pub fn is_similar(left: &str, right: &str, threshold: f64) -> Option<bool> {
    let (left, right): (Vec<u32>, Vec<u32>) = (characters(left), characters(right));
    if left == right {
        return Some(threshold <= 1.0);
    }
    let needed = needed(left.len() + right.len(), threshold);
    if left.len().min(right.len()) < needed {
        return Some(false);
    }
    reaches_common(&left, &right, needed, MAX_WORDS)
}

/// Returns the characters of a text: runs of white space as one space, none at the ends.
fn characters(text: &str) -> Vec<u32> {
    let mut found = Vec::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !found.is_empty() {
            found.push(u32::from(' '));
        }
        found.extend(word.chars().map(u32::from));
    }
    found
}

/// Returns the smallest number of common characters that makes two texts of `total` characters similar.
fn needed(total: usize, threshold: f64) -> usize {
    let is_enough = |common: usize| total == 0 || (2 * common) as f64 / total as f64 >= threshold;
    let mut common = ((threshold * total as f64 / 2.0).ceil().max(0.0) as usize).saturating_sub(1);
    while !is_enough(common) && common <= total {
        common += 1;
    }
    common
}

/// Returns whether the longest common subsequence has at least `needed` characters; `None` if `max_words` word operations do not suffice.
fn reaches_common(left: &[u32], right: &[u32], needed: usize, max_words: u64) -> Option<bool> {
    let (left, right, trimmed) = without_common_ends(left, right);
    let needed = needed.saturating_sub(trimmed);
    if needed == 0 {
        return Some(true);
    }
    let codes = Codes::new(left, right);
    if codes.common() < needed {
        return Some(false);
    }
    let max_edits = left.len() + right.len() - 2 * needed;
    let words = strips::words(left.len(), right.len(), needed);
    // Four times fewer edits than the root of the word operations: close pairs are decided for a small part of the cost of all others.
    let budget = (words.min(max_words).isqrt() / 4) as usize;
    if reaches_within(left, right, budget.min(max_edits)) {
        Some(true)
    } else if budget >= max_edits {
        Some(false)
    } else {
        (words <= max_words).then(|| reaches(&codes, needed))
    }
}

/// Removes the common prefix, then the common suffix. Returns their total length too.
fn without_common_ends<'a>(left: &'a [u32], right: &'a [u32]) -> (&'a [u32], &'a [u32], usize) {
    let start = left.iter().zip(right).take_while(|(one, other)| one == other).count();
    let (left, right) = (&left[start..], &right[start..]);
    let ends = left.iter().rev().zip(right.iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    (&left[..left.len() - end], &right[..right.len() - end], start + end)
}

/// Two texts as dense codes: characters of the left one numbered from 0 on, all others of the right one as one more code.
struct Codes {
    left: Vec<u32>,
    right: Vec<u32>,
    /// Number of codes of the left text.
    count: usize,
}

impl Codes {
    fn new(left: &[u32], right: &[u32]) -> Self {
        let mut numbers = FxHashMap::default();
        let number = |character: &u32| {
            let next = numbers.len() as u32;
            *numbers.entry(*character).or_insert(next)
        };
        let left: Vec<u32> = left.iter().map(number).collect();
        let count = numbers.len();
        let code = |character: &u32| numbers.get(character).copied().unwrap_or(count as u32);
        let right = right.iter().map(code).collect();
        Codes { left, right, count }
    }

    /// Counts the characters that both texts have, in any order.
    fn common(&self) -> usize {
        let counts = |codes: &[u32]| {
            let mut counts = vec![0usize; self.count + 1];
            codes.iter().for_each(|code| counts[*code as usize] += 1);
            counts
        };
        let (left, right) = (counts(&self.left), counts(&self.right));
        left.iter().zip(&right).map(|(one, other)| one.min(other)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the length of the longest common subsequence, by the quadratic dynamic program.
    fn longest_common(left: &[u32], right: &[u32]) -> usize {
        let mut row = vec![0; right.len() + 1];
        for one in left {
            let mut diagonal = 0;
            for (at, other) in right.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if one == other { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        row[right.len()]
    }

    fn similarity(left: &str, right: &str) -> f64 {
        let (left, right) = (characters(left), characters(right));
        let total = left.len() + right.len();
        if total == 0 { 1.0 } else { 2.0 * longest_common(&left, &right) as f64 / total as f64 }
    }

    /// Draws a text, and a copy of it with edits.
    fn edited_texts(letters: &'static str, size: usize) -> impl Strategy<Value = (String, String)> {
        let letter = || prop::sample::select(letters.chars().collect::<Vec<char>>());
        let text = prop::collection::vec(letter(), 0..size);
        let edits = prop::collection::vec((any::<prop::sample::Index>(), letter(), 0..3), 0..40);
        (text, edits).prop_map(|(text, edits)| {
            let mut copy = text.clone();
            for (place, letter, kind) in edits {
                let at = place.index(copy.len() + 1);
                match kind {
                    0 => copy.insert(at, letter),
                    1 if at < copy.len() => drop(copy.remove(at)),
                    _ if at < copy.len() => copy[at] = letter,
                    _ => {}
                }
            }
            (text.into_iter().collect(), copy.into_iter().collect())
        })
    }

    /// Checks every number of common characters next to the true one, by all steps and by the last alone.
    fn check(left: &str, right: &str) -> Result<(), TestCaseError> {
        let (left, right) = (characters(left), characters(right));
        let common = longest_common(&left, &right);
        let shorter = left.len().min(right.len());
        for needed in [0, 1, common / 2, common.saturating_sub(1), common, common + 1, shorter] {
            if needed > shorter {
                continue;
            }
            let expected = common >= needed;
            prop_assert_eq!(reaches_common(&left, &right, needed, MAX_WORDS), Some(expected));
            let max_edits = left.len() + right.len() - 2 * needed;
            prop_assert_eq!(reaches_within(&left, &right, max_edits), expected);
            prop_assert_eq!(needed == 0 || reaches(&Codes::new(&left, &right), needed), expected);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn long_texts_of_many_characters_are_compared_strip_by_strip(
            (left, right) in edited_texts("abcdefgčřжи漢字🎉\0", 4000),
        ) {
            check(&left, &right)?;
            check(&left, &right.chars().rev().collect::<String>())?;
        }
    }

    proptest! {
        #[test]
        fn decisions_are_those_of_the_dynamic_program(
            (left, right) in edited_texts("ab c", 300), other in "[abc ]{0,300}",
        ) {
            check(&left, &right)?;
            check(&left, &other)?;
        }

        #[test]
        fn thresholds_are_reached_exactly((left, right) in edited_texts("abcd ", 60)) {
            let similarity = similarity(&left, &right);
            let decide = |threshold| is_similar(&left, &right, threshold);
            prop_assert_eq!(decide(similarity), Some(true));
            prop_assert_eq!(decide(similarity.next_up()), Some(false));
            prop_assert_eq!(decide(0.8), Some(similarity >= 0.8));
        }
    }

    #[test]
    fn white_space_and_empty_texts() {
        assert_eq!(is_similar("", "", 1.0), Some(true));
        assert_eq!(is_similar(" \n", "", 1.0), Some(true));
        assert_eq!(is_similar(" ", "", 1.0f64.next_up()), Some(false));
        assert_eq!(is_similar("a", "", 0.1), Some(false));
        assert_eq!(is_similar(" a\n\tb ", "a b", 1.0), Some(true));
        assert_eq!(is_similar("ab", "a b", 0.8), Some(true));
        assert_eq!(is_similar("ab", "a b", 0.81), Some(false));
    }

    #[test]
    fn long_texts_are_decided_if_they_are_close() {
        let left = "abcdefghi ".repeat(100_000);
        let mut right = left.clone();
        for at in (0..left.len()).step_by(10_000) {
            right.replace_range(at..at + 1, "x");
        }
        let decide = |other: &str| {
            let (left, other) = (characters(&left), characters(other));
            reaches_common(&left, &other, needed(left.len() + other.len(), 0.8), 1 << 24)
        };
        assert_eq!(decide(&right), Some(true));
        assert_eq!(decide(&"ihgfedcba ".repeat(100_000)), None);
    }
}
