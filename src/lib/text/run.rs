//! Words of runs with characters beyond ASCII, normalized by table where characters do not depend on each other.

use unicode_normalization::is_nfc;

use super::char_table::{CharEntry, CharTable};
use super::normalization::Normalization;

/// Case of a word that was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordCase {
    /// The case it is compared in, except for ASCII letters.
    Final,
    /// Letters of any case.
    Any,
}

/// Splits runs, which end at ASCII characters other than letters and digits: normalization does not cross them.
pub(super) struct RunSplitter {
    normalization: Normalization,
    table: CharTable,
    /// The normalized run.
    buffer: String,
}

impl RunSplitter {
    /// Creates a splitter; `folds` tells whether it folds words.
    pub fn new(folds: bool) -> Self {
        let normalization = Normalization { folds };
        RunSplitter { normalization, table: CharTable::new(normalization), buffer: String::new() }
    }

    /// Calls `visit` with every word of a run, its case, and whether it is a bigram.
    #[inline]
    pub fn split(&mut self, run: &str, mut visit: impl FnMut(&str, WordCase, bool)) {
        let flags = self.normalize_by_table(run);
        if is_one_word(flags) {
            return visit(&self.buffer, WordCase::Final, false);
        }
        let case = if self.is_normal(run, flags) { WordCase::Final } else { self.normalize(run) };
        self.split_normal(case, visit);
    }

    /// Returns the normalized form of a run that is one word, in lower case, or `None` if it takes more than a table to tell.
    #[inline]
    pub fn whole_word(&mut self, run: &str) -> Option<&str> {
        let flags = self.normalize_by_table(run);
        is_one_word(flags).then_some(&*self.buffer)
    }

    /// Fills the buffer with the normalized characters of a run, and returns the flags of all. [`CharEntry::EXPANDED`] is not among them.
    #[inline]
    fn normalize_by_table(&mut self, run: &str) -> u32 {
        let RunSplitter { table, buffer, .. } = self;
        buffer.clear();
        let mut flags = 0;
        for character in run.chars() {
            let entry = table.entry(character);
            flags |= entry.flags();
            table.append(buffer, entry);
        }
        flags & !CharEntry::EXPANDED
    }

    /// Returns whether the buffer holds the normalized form of a run with these flags. Marks may compose with the characters before them, also
    /// after these changed.
    fn is_normal(&self, run: &str, flags: u32) -> bool {
        let has_context = flags & CharEntry::CONTEXT != 0;
        let has_marks = flags & CharEntry::MARK != 0;
        !has_context && (!has_marks || flags & CharEntry::CHANGED == 0 && is_nfc(run))
    }

    #[inline(never)]
    fn normalize(&mut self, run: &str) -> WordCase {
        self.buffer.clear();
        self.buffer.push_str(&self.normalization.apply(run));
        if self.normalization.folds { WordCase::Final } else { WordCase::Any }
    }

    /// Splits the buffer.
    fn split_normal(&mut self, case: WordCase, mut visit: impl FnMut(&str, WordCase, bool)) {
        let RunSplitter { table, buffer, .. } = self;
        let mut word = OpenWord::default();
        for (at, character) in buffer.char_indices() {
            let entry = table.entry(character);
            if word.is_open && entry.has(CharEntry::MARK) {
                continue;
            }
            let is_spaceless = entry.has(CharEntry::SPACELESS);
            let is_letter = entry.has(CharEntry::LETTER);
            if word.is_open && !(is_letter && word.is_spaceless == is_spaceless) {
                visit(&buffer[word.start..at], case, word.is_spaceless);
                word.is_open = false;
            }
            if !is_letter {
                continue;
            }
            if !word.is_open {
                word =
                    OpenWord { is_open: true, is_spaceless, start: at, last: at, has_two: false };
            } else if is_spaceless {
                // The third unit ends the bigram of the two before it.
                if word.has_two {
                    visit(&buffer[word.start..at], case, true);
                    word.start = word.last;
                }
                (word.last, word.has_two) = (at, true);
            }
        }
        if word.is_open {
            visit(&buffer[word.start..], case, word.is_spaceless);
        }
    }
}

/// Returns whether characters with these flags are letters alone, of a script with spaces, and independent of each other.
#[inline]
fn is_one_word(flags: u32) -> bool {
    flags == CharEntry::LETTER || flags == CharEntry::LETTER | CharEntry::CHANGED
}

/// The word, or the last two units of a run of bigrams, that is not complete yet.
#[derive(Default)]
struct OpenWord {
    is_open: bool,
    is_spaceless: bool,
    start: usize,
    /// Start of the last unit.
    last: usize,
    /// Whether there are two units from `start` on.
    has_two: bool,
}
