//! The documents of the page as they come: their texts, cut where they are too long, and bags of all of their terms.

use super::Document;
use super::heaviest::{Bag, Terms};

/// Places for documents, filled one after the other.
pub(super) struct Shelf {
    text_limit: usize,
    shingle_size: usize,
    /// The documents with their bags; empty until they come.
    pub documents: Vec<(Document, Bag)>,
    /// All their terms.
    pub terms: Terms,
}

impl Shelf {
    /// An empty shelf with so many places, for texts of at most so many bytes and terms of so many words.
    pub fn new(places: usize, text_limit: usize, shingle_size: usize) -> Self {
        let empty = Document {
            id: String::new(),
            text: String::new(),
            is_cut: false,
            is_old: false,
            characters: 0,
            words: 0,
        };
        let documents = vec![(empty, Bag::default()); places];
        Shelf { text_limit, shingle_size, documents, terms: Terms::new(shingle_size) }
    }

    /// Puts a document into its place.
    pub fn put(&mut self, place: usize, id: &str, text: &str, is_old: bool) {
        let bag = self.terms.bag(text);
        let shown = beginning(text, self.text_limit);
        let document = Document {
            id: id.to_string(),
            text: shown.to_string(),
            is_cut: shown.len() < text.len(),
            is_old,
            characters: text.chars().count() as u64,
            words: self.words(&bag),
        };
        self.documents[place] = (document, bag);
    }

    /// How many words a text has: one for each run, and those that the last run has beside its first.
    fn words(&self, bag: &Bag) -> u64 {
        match bag.len() {
            0 => 0,
            runs => runs + self.shingle_size as u64 - 1,
        }
    }
}

/// The beginning of a text with at most so many bytes.
fn beginning(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.expect("0 is a boundary")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(beginning("aé", 3), "aé");
        assert_eq!(beginning("aé", 2), "a");
        assert_eq!(beginning("aé", 1), "a");
        assert_eq!(beginning("é", 1), "");
    }

    #[test]
    fn sizes_are_those_of_the_whole_text() {
        for shingle_size in [1, 2] {
            let mut shelf = Shelf::new(2, 3, shingle_size);
            shelf.put(1, "name", "one fine day", true);
            let document = &shelf.documents[1].0;
            assert_eq!((&*document.text, document.characters, document.words), ("one", 12, 3));
            assert!(document.is_cut && document.is_old);
        }
    }
}
