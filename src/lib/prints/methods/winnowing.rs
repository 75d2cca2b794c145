//! `winnowing`: the smallest hash of every window of substrings (Schleimer, Wilkerson and Aiken 2003).

use super::MethodEntry;
use super::shingles::fill_characters;
use crate::prints::counting::Scratch;
use crate::prints::rolling::{for_each_substring, mixed};
use crate::prints::{Agreement, PrintMethod, PrintOptions, SetMeasure};
use crate::text::TextWords;

pub(super) const WINNOWING: MethodEntry = MethodEntry {
    name: "winnowing",
    about: "the smallest hash of every 25 substrings of 25 characters",
    flags: &["substring", "window", "measure", "threshold"],
    min_word_len: 1,
    create: |options| Ok(Box::new(Winnowing::new(options))),
};

struct Winnowing {
    substring: usize,
    window: usize,
    measure: SetMeasure,
    threshold: f64,
}

impl Winnowing {
    fn new(options: &PrintOptions) -> Self {
        Winnowing {
            substring: options.substring.unwrap_or(25),
            window: options.window.unwrap_or(25),
            measure: options.measure.unwrap_or(SetMeasure::Share),
            threshold: options.threshold.unwrap_or(0.5),
        }
    }
}

impl PrintMethod for Winnowing {
    /// Two texts with a common run of `substring + window − 1` characters, what separates words left out, share a fingerprint. A text with fewer
    /// substrings than a window has the smallest of all; one shorter than a substring, its only hash.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        let Scratch { hashes, characters, .. } = scratch;
        fill_characters(words, characters);
        let length = self.substring.min(characters.len());
        hashes.clear();
        for_each_substring(characters, length, |_, hash| hashes.push(mixed(hash)));
        let window = self.window.min(hashes.len());
        let start = print.len();
        // The last of the smallest hashes leaves the window as late as possible.
        let smallest = |window: std::ops::Range<usize>| {
            window.rev().min_by_key(|at| hashes[*at]).expect("a window has a substring")
        };
        let mut lowest = smallest(0..window);
        print.push(hashes[lowest]);
        for at in window..hashes.len() {
            if hashes[at] <= hashes[lowest] {
                lowest = at;
            } else if lowest + window <= at {
                lowest = smallest(at + 1 - window..at + 1);
            } else {
                continue;
            }
            print.push(hashes[lowest]);
        }
        print[start..].sort_unstable();
        dedup_from(print, start);
    }

    fn agreement(&self) -> Agreement {
        let Winnowing { measure, threshold, .. } = *self;
        Agreement::Sets { measure, threshold, smallest: None }
    }
}

/// Removes repeated neighbours from a position on.
pub(super) fn dedup_from(values: &mut Vec<u64>, start: usize) {
    let mut kept = start;
    for at in start..values.len() {
        if at == start || values[at] != values[kept - 1] {
            values[kept] = values[at];
            kept += 1;
        }
    }
    values.truncate(kept);
}
