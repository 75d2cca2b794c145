//! The fast tokenizers against the slow one.

use std::collections::BTreeMap;

use nearsig::text::{Analyzer, AnalyzerOptions, TermCounter, WordRule};
use nearsig::vector::gather::{MatrixBuilder, merge};
use nearsig::vector::sparse::SparseRows;
use nearsig::vector::{letters, word_weight};

use super::content::Choices;

/// Separates documents.
const SEPARATOR: char = '\u{1}';

/// Terms with their counts, in the order of their first occurrences.
type TermCounts = Vec<(String, u64)>;

/// Counts the terms of texts with options chosen by the first bytes.
///
/// [`TermCounter`] and [`MatrixBuilder`] find the terms of [`Analyzer`]; the matrix does not depend on the division into batches.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let chosen = choices.byte();
    let words = if chosen.is_multiple_of(2) { WordRule::Letters } else { WordRule::WhiteSpace };
    let options = AnalyzerOptions {
        words,
        fold: chosen / 2 % 2 == 1,
        save_nums: choices.byte().is_multiple_of(2),
        min_word_len: usize::from(choices.byte() % 4) + 1,
        shingle_size: usize::from(choices.byte() % 4) + 1,
    };
    let text = String::from_utf8_lossy(choices.rest);
    let documents: Vec<&str> = text.split(SEPARATOR).collect();
    let mut counter = TermCounter::new(options);
    let mut bags = Vec::new();
    for document in &documents {
        let bag = bag(options, document);
        let found: TermCounts =
            counter.bag(document).map(|term| (term.text.to_string(), term.count)).collect();
        assert_eq!(found, bag, "{document:?}");
        bags.push(bag);
    }
    check_matrix(options, &documents, &bags);
}

fn bag(options: AnalyzerOptions, document: &str) -> TermCounts {
    let mut bag = TermCounts::new();
    let mut end = 0;
    Analyzer::new(options).for_each_token(document, |token| {
        assert!(document.get(token.range.clone()).is_some(), "{token:?}");
        assert!(token.range.start >= end, "{token:?} begins before {end}");
        end = token.range.start;
        match bag.iter_mut().find(|(known, _)| *known == token.term) {
            Some((_, count)) => *count += 1,
            None => bag.push((token.term.to_string(), 1)),
        }
    });
    bag
}

fn check_matrix(options: AnalyzerOptions, documents: &[&str], bags: &[TermCounts]) {
    let builder = MatrixBuilder::new(options);
    let batches: Vec<_> = documents.iter().map(|document| builder.add([document])).collect();
    let matrix = builder.finish(&batches);
    let builder = MatrixBuilder::new(options);
    let batch = builder.add(documents);
    assert_eq!(builder.finish(&[batch]), matrix, "batches differ");
    let (old, new) = documents.split_at(documents.len() / 2);
    let [old, new] = [old, new].map(|documents| {
        let builder = MatrixBuilder::new(options);
        let batch = builder.add(documents);
        builder.finish(&[batch])
    });
    assert_eq!(merge(old, new), matrix, "merged halves differ");
    let mut frequencies = BTreeMap::new();
    bags.iter().flatten().for_each(|(term, _)| *frequencies.entry(term).or_insert(0u32) += 1);
    let mut terms: Vec<(&String, u32)> = frequencies.into_iter().collect();
    terms.sort_by_key(|(_, documents)| std::cmp::Reverse(*documents));
    assert!(matrix.terms.texts().eq(terms.iter().map(|(term, _)| &***term)));
    for (index, (term, documents)) in terms.iter().enumerate() {
        assert_eq!(matrix.terms.documents(index), *documents);
        assert_eq!(matrix.terms.index_of(term), Some(index as u32));
    }
    for (row, bag) in bags.iter().enumerate() {
        let weight = |(term, count): &(String, u64)| {
            let index = matrix.terms.index_of(term).expect("the term is known");
            (index, word_weight(*count, letters(term)))
        };
        let mut expected: Vec<(u32, f32)> = bag.iter().map(weight).collect();
        expected.sort_by_key(|(index, _)| *index);
        let (indexes, weights) = matrix.vectors.row(row);
        let found = indexes.iter().zip(weights).map(|(index, w)| (*index, f32::from(*w) / 1024.0));
        assert_eq!(found.collect::<Vec<_>>(), expected, "row {row}");
    }
}
