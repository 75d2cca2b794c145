//! The vocabulary of a collection.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result, excerpt};

/// A term and how often it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The term.
    pub text: Box<str>,
    /// TC: its occurrences in the collection.
    pub occurrences: u64,
    /// DC: the documents that hold it.
    pub documents: u64,
}

/// The terms of a collection. A term's position is its index in vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// Documents in the collection.
    pub documents: u64,
    /// The terms. [`VocabularyBuilder`] puts those of the most documents first, so that frequent terms have small indexes.
    pub terms: Vec<Term>,
}

impl Vocabulary {
    /// A table from term to index.
    pub fn index(&self) -> FxHashMap<&str, u32> {
        self.terms.iter().zip(0..).map(|(term, index)| (&*term.text, index)).collect()
    }
}

/// A term's occurrences added up; files made by hand may hold more than can be counted.
fn sum(term: &str, left: u64, right: u64) -> Result<u64> {
    let message = || format!("the term {} occurs more often than can be counted", excerpt(term));
    left.checked_add(right).ok_or_else(|| Error::Message(message()))
}

/// Counts the terms of documents, a part of the collection at a time.
#[derive(Debug, Default)]
pub struct VocabularyBuilder {
    documents: u64,
    counts: FxHashMap<Box<str>, (u64, u64)>,
}

impl VocabularyBuilder {
    /// Adds a document: its distinct terms with their counts.
    pub fn add_document<'a>(&mut self, terms: impl Iterator<Item = (&'a str, u64)>) -> Result<()> {
        self.documents += 1;
        for (term, count) in terms {
            if let Some((occurrences, documents)) = self.counts.get_mut(term) {
                *occurrences = sum(term, *occurrences, count)?;
                *documents += 1;
            } else {
                self.counts.insert(term.into(), (count, 1));
            }
        }
        Ok(())
    }

    /// Puts two parts together.
    pub fn merge(self, other: Self) -> Result<Self> {
        let (mut large, small) =
            if self.counts.len() >= other.counts.len() { (self, other) } else { (other, self) };
        large.documents += small.documents;
        for (term, (occurrences, documents)) in small.counts {
            let known = large.counts.get(&term).copied().unwrap_or_default();
            let occurrences = sum(&term, known.0, occurrences)?;
            large.counts.insert(term, (occurrences, known.1 + documents));
        }
        Ok(large)
    }

    /// The vocabulary: terms of more documents first, equals in the order of their bytes.
    pub fn finish(self) -> Vocabulary {
        let mut terms: Vec<Term> = self
            .counts
            .into_iter()
            .map(|(text, (occurrences, documents))| Term { text, occurrences, documents })
            .collect();
        terms.sort_unstable_by(|a, b| {
            b.documents.cmp(&a.documents).then_with(|| a.text.as_bytes().cmp(b.text.as_bytes()))
        });
        Vocabulary { documents: self.documents, terms }
    }
}
