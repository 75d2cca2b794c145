//! Words of a text with their places: the one place where words are made.

use std::ops::Range;
use std::sync::Arc;

use super::options::SectionOptions;
use crate::text::quotes::quoted;
use crate::text::{WordFilters, for_each_located_word};

/// Calls `visit` with every word of a text that is compared, and its bytes in the text.
pub(super) fn for_each_word(
    text: &str,
    options: &SectionOptions,
    filters: &Arc<WordFilters>,
    mut visit: impl FnMut(&str, Range<usize>),
) {
    let quoted = if options.ignore_quoted { quoted(text) } else { Vec::new() };
    let mut quoted = quoted.into_iter().peekable();
    for_each_located_word(text, options.analyzer(), filters, |word, range| {
        while quoted.next_if(|quote| quote.end <= range.start).is_some() {}
        if quoted.peek().is_none_or(|quote| range.end <= quote.start) {
            visit(word, range);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_left_out() {
        let options = SectionOptions { ignore_quoted: true, ..Default::default() };
        let mut found = Vec::new();
        let text = "One «two three» FOUR\n> five\nsix 7";
        for_each_word(text, &options, &Arc::default(), |word, range| {
            found.push((word.to_string(), range));
        });
        let terms: Vec<&str> = found.iter().map(|(term, _)| &**term).collect();
        assert_eq!(terms, ["one", "four", "six"]);
        assert_eq!(found[1].1, 18..22);
    }
}
