//! Words with their bytes in the text: those of [`Analyzer`](super::Analyzer), without a map of all bytes. Only runs with characters beyond ASCII that interact
//! or separate words are mapped, one at a time: normalization does not cross the ASCII characters between them.

use std::borrow::Cow;
use std::ops::Range;

use super::filters::WordFilters;
use super::mapped::TextSink;
use super::normalization::Normalization;
use super::options::{AnalyzerOptions, WordRule};
use super::run::RunSplitter;
use super::split::{for_each_run_of_letters, for_each_word};
use super::words::{WordRange, words};

/// Calls `visit` with every word of a text that passes, and its bytes in the text, in order. The words are those of the analyzer; their ranges
/// are within its own. The filters must have been compiled for the same options; a shingle size has no effect.
pub(crate) fn for_each_located_word(
    text: &str,
    options: AnalyzerOptions,
    filters: &WordFilters,
    mut visit: impl FnMut(&str, Range<usize>),
) {
    if filters.is_empty() {
        return find(text, options, filters, |word, range, is_kept| {
            if is_kept {
                visit(word, range);
            }
        });
    }
    let (mut buffer, mut found) = (String::new(), Vec::new());
    find(text, options, filters, |word, range, is_kept| {
        let start = buffer.len();
        buffer.push_str(filters.folded(word).as_deref().unwrap_or(word));
        found.push((start..buffer.len(), range, is_kept));
    });
    let words = found.iter().map(|(word, _, is_kept)| (&buffer[word.clone()], *is_kept));
    filters.for_each_passing(words, |number, word| visit(word, found[number].1.clone()));
}

/// Calls `visit` with every word before filters, its bytes, and whether its length and digits let it pass.
fn find(
    text: &str,
    options: AnalyzerOptions,
    filters: &WordFilters,
    mut visit: impl FnMut(&str, Range<usize>, bool),
) {
    match options.words {
        WordRule::WhiteSpace => for_each_word(text, |start, end| {
            let word = &text[start..end];
            visit(word, start..end, options.keeps(word, false));
        }),
        WordRule::Letters => filters.splitters[usize::from(options.fold)].with(
            || RunSplitter::new(options.fold),
            |splitter| find_letters(text, options, splitter, visit),
        ),
    }
}

/// Calls `visit` with every word of letters and digits.
fn find_letters(
    text: &str,
    options: AnalyzerOptions,
    splitter: &mut RunSplitter,
    mut visit: impl FnMut(&str, Range<usize>, bool),
) {
    let mut lower = String::new();
    for_each_run_of_letters(text, |start, end| {
        let run = &text[start..end];
        if run.is_ascii() {
            lower.clear();
            lower.push_str(run);
            lower.make_ascii_lowercase();
            return visit(&lower, start..end, options.keeps(run, false));
        }
        match splitter.whole_word(run) {
            Some(word) => visit(word, start..end, options.keeps(word, false)),
            None => find_in_run(run, start, options, &mut visit),
        }
    });
}

/// Calls `visit` with the words of a run that begins at `start`.
fn find_in_run(
    run: &str,
    start: usize,
    options: AnalyzerOptions,
    visit: &mut impl FnMut(&str, Range<usize>, bool),
) {
    let normal = Normalization { folds: options.fold }.map(run);
    for WordRange { range, is_bigram } in words(normal.as_str()) {
        let word = &normal.as_str()[range.clone()];
        let is_kept = options.keeps(word, is_bigram);
        let term = if options.fold { Cow::from(word) } else { word.to_lowercase().into() };
        let range = normal.original_range(range);
        visit(&term, start + range.start..start + range.end, is_kept);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::text::{Analyzer, FilterLists, FilterOptions};

    proptest! {
        #[test]
        fn located_words_are_those_of_the_analyzer(
            text in "([a-cA-C0-9À-ýßа-яА中文ｶ.,、 \\n\u{301}\u{ad}\u{200b}\u{3000}]|ﬁ|=|é|ข้|bаn){0,60}|\\PC{0,60}",
            letters: bool, fold: bool, save_nums: bool, min_word_len in 1usize..4, has_filters: bool,
        ) {
            let words = if letters { WordRule::Letters } else { WordRule::WhiteSpace };
            let options = AnalyzerOptions { words, fold, save_nums, min_word_len, shingle_size: 1 };
            let lists = FilterLists { stop_words: vec!["a".into(), "b c".into()], templates: Vec::new() };
            let filter_options = FilterOptions { fold_homoglyphs: true, ..Default::default() };
            let filters = match has_filters {
                true => Arc::new(WordFilters::new(&filter_options, options, &lists)),
                false => Arc::default(),
            };
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            let analyzer = Analyzer::new(options).with_filters(filters.clone());
            analyzer.for_each_token(&text, |token| expected.push((token.term.to_string(), token.range)));
            for_each_located_word(&text, options, &filters, |word, range| found.push((word.to_string(), range)));
            let words = |located: &[(String, Range<usize>)]| located.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();
            prop_assert_eq!(words(&found), words(&expected));
            // A mark after a separator belongs to a segment with it, which the analyzer maps as a whole.
            for ((_, own), (_, whole)) in found.iter().zip(&expected) {
                prop_assert!(whole.start <= own.start && own.end <= whole.end, "{own:?} {whole:?}");
            }
        }
    }
}
