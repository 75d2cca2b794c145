//! Documents of the report: texts, truncated if they are long, and the bags of all their terms.

use super::PageDocument;
use super::top_terms::{NumberedBag, TermNumbers};

/// Characters of a snippet.
const SNIPPET: usize = 140;

/// Documents of the report, in fixed positions.
pub(super) struct DocumentTable {
    text_limit: usize,
    shingle_size: usize,
    /// The documents with their bags; empty until they are set.
    pub documents: Vec<(PageDocument, NumberedBag)>,
    /// Terms of all documents.
    pub terms: TermNumbers,
}

impl DocumentTable {
    /// Creates a table of `count` documents, with texts of at most `text_limit` bytes and terms of `shingle_size` words.
    pub fn new(count: usize, text_limit: usize, shingle_size: usize) -> Self {
        let empty = PageDocument {
            id: String::new(),
            text: String::new(),
            is_cut: false,
            is_old: false,
            characters: 0,
            words: 0,
        };
        let documents = vec![(empty, NumberedBag::default()); count];
        DocumentTable { text_limit, shingle_size, documents, terms: TermNumbers::new(shingle_size) }
    }

    /// Sets the document at a position.
    pub fn set(&mut self, position: usize, id: &str, text: &str, is_old: bool) {
        let bag = self.terms.bag(text);
        let shown = truncated(text, self.text_limit);
        let document = PageDocument {
            id: id.to_string(),
            text: shown.to_string(),
            is_cut: shown.len() < text.len(),
            is_old,
            characters: text.chars().count() as u64,
            words: self.words(&bag),
        };
        self.documents[position] = (document, bag);
    }

    /// Returns the number of words: one per shingle, plus those that the last shingle has besides its first.
    fn words(&self, bag: &NumberedBag) -> u64 {
        match bag.len() {
            0 => 0,
            shingles => shingles + self.shingle_size as u64 - 1,
        }
    }
}

/// Returns the longest prefix of a text with at most `limit` bytes.
fn truncated(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.expect("0 is a boundary")]
}

/// Returns the beginning of a text as one line.
pub(super) fn snippet(text: &str) -> String {
    let mut line = String::new();
    let mut remaining = SNIPPET;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(remaining));
        remaining = remaining.saturating_sub(word.chars().take(remaining).count() + 1);
        if remaining == 0 {
            line.push('…');
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_truncated_between_characters() {
        assert_eq!(truncated("aé", 3), "aé");
        assert_eq!(truncated("aé", 2), "a");
        assert_eq!(truncated("aé", 1), "a");
        assert_eq!(truncated("é", 1), "");
    }

    #[test]
    fn lengths_are_those_of_the_whole_text() {
        for shingle_size in [1, 2] {
            let mut table = DocumentTable::new(2, 3, shingle_size);
            table.set(1, "name", "one fine day", true);
            let document = &table.documents[1].0;
            assert_eq!((&*document.text, document.characters, document.words), ("one", 12, 3));
            assert!(document.is_cut && document.is_old);
        }
    }

    #[test]
    fn snippets_are_one_short_line() {
        assert_eq!(snippet(" a\n\tb  c "), "a b c");
        assert_eq!(snippet(""), "");
        let long = snippet(&"é".repeat(1000));
        assert_eq!(long, "é".repeat(SNIPPET) + "…");
        let words = snippet(&"word ".repeat(1000));
        assert!(words.ends_with('…') && words.chars().count() <= SNIPPET + 1, "{words}");
    }
}
