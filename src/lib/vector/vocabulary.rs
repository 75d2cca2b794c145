//! The vocabulary of a collection.

use rustc_hash::FxHashMap;

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

/// Counts the terms of documents, a part of the collection at a time.
#[derive(Debug, Default)]
pub struct VocabularyBuilder {
    documents: u64,
    counts: FxHashMap<Box<str>, Count>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    occurrences: u64,
    documents: u64,
    /// The last document that had the term, counted from 1.
    last: u64,
}

/// A term that a bag cannot have like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadTerm<'a> {
    /// What should be.
    pub expected: &'static str,
    /// The term.
    pub term: &'a str,
}

impl VocabularyBuilder {
    /// Adds a document: its distinct terms with their counts.
    pub fn add_document<'a>(
        &mut self,
        terms: impl Iterator<Item = (&'a str, u64)>,
    ) -> Result<(), BadTerm<'a>> {
        self.documents += 1;
        for (term, count) in terms {
            let Some(known) = self.counts.get_mut(term) else {
                let first = Count { occurrences: count, documents: 1, last: self.documents };
                self.counts.insert(term.into(), first);
                continue;
            };
            if known.last == self.documents {
                return Err(BadTerm { expected: "every term once", term });
            }
            let sum = known.occurrences.checked_add(count);
            known.occurrences =
                sum.ok_or(BadTerm { expected: "occurrences that can be counted", term })?;
            known.documents += 1;
            known.last = self.documents;
        }
        Ok(())
    }

    /// Puts two parts together, or returns a term that has more occurrences than can be counted.
    pub fn merge(self, other: Self) -> Result<Self, Box<str>> {
        let (mut large, small) =
            if self.counts.len() >= other.counts.len() { (self, other) } else { (other, self) };
        large.documents += small.documents;
        for (term, count) in small.counts {
            let known = large.counts.get(&term).copied().unwrap_or_default();
            let Some(occurrences) = known.occurrences.checked_add(count.occurrences) else {
                return Err(term);
            };
            let documents = known.documents + count.documents;
            large.counts.insert(term, Count { occurrences, documents, last: known.last });
        }
        Ok(large)
    }

    /// The vocabulary: terms of more documents first, equals in the order of their bytes.
    pub fn finish(self) -> Vocabulary {
        let mut terms: Vec<Term> = self
            .counts
            .into_iter()
            .map(|(text, count)| Term {
                text,
                occurrences: count.occurrences,
                documents: count.documents,
            })
            .collect();
        terms.sort_unstable_by(|a, b| {
            b.documents.cmp(&a.documents).then_with(|| a.text.as_bytes().cmp(b.text.as_bytes()))
        });
        Vocabulary { documents: self.documents, terms }
    }
}
