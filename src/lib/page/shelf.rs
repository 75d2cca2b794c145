//! Documents as they are read: all are counted, those of the page are kept.

use std::hash::{DefaultHasher, Hasher};

use rustc_hash::FxHashSet;

use super::Document;
use super::findings::Ids;
use super::heaviest::{Bag, Terms};
use crate::error::{Error, Result, excerpt};

/// What is kept of the documents.
pub(super) struct Shelf<'a> {
    ids: &'a Ids,
    text_limit: usize,
    /// For every document that the findings name, whether it has come, and its place on the page if it has one.
    known: Vec<(bool, Option<u32>)>,
    /// The documents of the page with their bags; empty until they come.
    pub documents: Vec<(Document, Bag)>,
    /// All their terms.
    pub terms: Terms,
    /// How many documents there are in all.
    pub total: u64,
    /// How many of them have the text of an earlier one.
    pub copies: u64,
    texts: FxHashSet<(u64, u64)>,
}

impl<'a> Shelf<'a> {
    /// An empty shelf for these documents, numbers of the findings.
    pub fn new(ids: &'a Ids, wanted: &[u32], text_limit: usize) -> Self {
        let mut known = vec![(false, None); ids.len()];
        for (place, number) in (0..).zip(wanted) {
            known[*number as usize].1 = Some(place);
        }
        let empty = Document {
            id: String::new(),
            text: String::new(),
            is_cut: false,
            characters: 0,
            words: 0,
        };
        let documents = vec![(empty, Bag::default()); wanted.len()];
        let (terms, texts) = (Terms::new(), FxHashSet::default());
        Shelf { ids, text_limit, known, documents, terms, total: 0, copies: 0, texts }
    }

    /// Takes the next document.
    pub fn put(&mut self, id: &str, text: &str) -> Result<()> {
        self.total += 1;
        if !self.texts.insert(fingerprint(text)) {
            self.copies += 1;
        }
        let Some(number) = self.ids.get(id) else { return Ok(()) };
        let (has_come, place) = &mut self.known[number as usize];
        if std::mem::replace(has_come, true) {
            let message = format!("two documents of the input have the id {}", excerpt(id));
            return Err(Error::Message(message));
        }
        if let Some(place) = *place {
            self.documents[place as usize] = self.shelved(id, text);
        }
        Ok(())
    }

    fn shelved(&mut self, id: &str, text: &str) -> (Document, Bag) {
        let bag = self.terms.bag(text);
        let shown = beginning(text, self.text_limit);
        let document = Document {
            id: id.to_string(),
            text: shown.to_string(),
            is_cut: shown.len() < text.len(),
            characters: text.chars().count() as u64,
            words: bag.words(),
        };
        (document, bag)
    }

    /// The first document that the findings name and that has not come.
    pub fn missing(&self) -> Option<u32> {
        self.known.iter().position(|(has_come, _)| !has_come).map(|number| number as u32)
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

/// 128 bits that are the same where texts are; that they are the same for two of a thousand million other texts has a chance of 1 in 10²⁰.
fn fingerprint(text: &str) -> (u64, u64) {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(text.as_bytes());
        hasher.finish()
    };
    (half(0), half(1))
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
    fn fingerprints_tell_texts_apart() {
        assert_eq!(fingerprint("a b"), fingerprint("a b"));
        let texts = ["", "a", "b", "ab", "a b", "a\0", "\0a"];
        let distinct: FxHashSet<_> = texts.iter().map(|text| fingerprint(text)).collect();
        assert_eq!(distinct.len(), texts.len());
    }
}
