//! `sif`: hashes of substrings of a fixed length after anchors, or of all (Manber 1994).

use super::MethodEntry;
use super::winnowing::dedup_from;
use crate::prints::counting::Scratch;
use crate::prints::rolling::{for_each_substring, mixed};
use crate::prints::{Agreement, PrintMethod, PrintOptions, SetMeasure};
use crate::text::TextWords;

/// Anchors for texts of any topic: chains of letters that are frequent in English, Czech, Slovak, Russian or Ukrainian.
const ANCHORS: [&str; 12] =
    ["th", "in", "er", "st", "ov", "ně", "ст", "но", "пр", "ен", "на", "ов"];
/// The value of `--anchors` that takes all substrings.
const ALL: &str = "all";

pub(super) const SIF: MethodEntry = MethodEntry {
    name: "sif",
    about: "hashes of the 50 characters after anchors",
    flags: &["anchors", "substring", "modulus", "measure", "threshold"],
    min_word_len: 1,
    create: |options| Ok(Box::new(Substrings::new(options)?)),
};

struct Substrings {
    /// The anchors; none takes all substrings.
    anchors: Vec<String>,
    substring: usize,
    modulus: u64,
    measure: SetMeasure,
    threshold: f64,
}

impl Substrings {
    fn new(options: &PrintOptions) -> Result<Self, String> {
        let takes_all = options.anchors == [ALL];
        if options.anchors.iter().any(String::is_empty) {
            return Err("--anchors: expected words or chains of letters, found an empty one".into());
        }
        let anchors = match options.anchors.is_empty() {
            true => ANCHORS.map(String::from).to_vec(),
            false => options.anchors.iter().map(|anchor| anchor.to_lowercase()).collect(),
        };
        Ok(Substrings {
            anchors: if takes_all { Vec::new() } else { anchors },
            substring: options.substring.unwrap_or(50),
            modulus: options.modulus.unwrap_or(if takes_all { 8 } else { 1 }),
            measure: options.measure.unwrap_or(SetMeasure::Share),
            threshold: options.threshold.unwrap_or(0.5),
        })
    }

    /// Fills `ends` with the positions, in characters, at which anchors end.
    fn anchor_ends(&self, text: &str, ends: &mut Vec<(u64, usize)>) {
        ends.clear();
        for anchor in &self.anchors {
            ends.extend(
                memchr::memmem::find_iter(text.as_bytes(), anchor).map(|at| (0, at + anchor.len())),
            );
        }
        ends.sort_unstable();
        ends.dedup();
        let (mut bytes, mut characters) = (0, 0);
        for (_, end) in ends.iter_mut() {
            characters += text[bytes..*end].chars().count();
            bytes = *end;
            *end = characters;
        }
    }
}

impl PrintMethod for Substrings {
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        let (text, start) = (words.text(), print.len());
        let Scratch { ranked, characters, .. } = scratch;
        self.anchor_ends(text, ranked);
        characters.clear();
        characters.extend(text.chars());
        let mut anchors = ranked.iter().map(|(_, end)| *end).peekable();
        let takes_all = self.anchors.is_empty();
        for_each_substring(characters, self.substring, |at, hash| {
            let is_chosen = takes_all || anchors.next_if_eq(&at).is_some();
            let hash = mixed(hash);
            if is_chosen && hash.is_multiple_of(self.modulus) {
                print.push(hash);
            }
        });
        print[start..].sort_unstable();
        dedup_from(print, start);
    }

    fn agreement(&self) -> Agreement {
        let Substrings { measure, threshold, .. } = *self;
        Agreement::Sets { measure, threshold, smallest: None }
    }
}
