//! The matrix of all documents.

use rayon::prelude::*;

use super::rows::{Sorter, Weights};
use super::{Gathered, Gatherer, Vectors};
use crate::random::stable_hash;
use crate::vector::builder::{ranked, vocabulary};
use crate::vector::counts::CountTable;
use crate::vector::pages::in_large_pages;
use crate::vector::{Vocabulary, letters};

/// A collection: its documents' vectors and their terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// A row a document. Weights are those of [`word_weight`](crate::vector::word_weight).
    pub vectors: Vectors,
    /// The terms by their indexes in the rows: those of more documents first, equals in the order of their bytes.
    pub terms: Vocabulary,
    /// For each term the [`stable_hash`] of its text: the number of its row of random components.
    pub row_numbers: Vec<u32>,
}

impl Matrix {
    /// A matrix whose terms are in the right order, as one that was kept is.
    pub fn new(vectors: Vectors, terms: Vocabulary) -> Self {
        assert_eq!(vectors.cols(), terms.len(), "a column a term");
        let hash = |index| stable_hash(terms.term(index).text.as_bytes());
        let row_numbers = (0..terms.len()).into_par_iter().map(hash).collect();
        Matrix { vectors, terms, row_numbers }
    }
}

/// The matrix of all batches, in their order; `gatherers` are those that counted them. Memory: 8 bytes a document's term beside the batches, which
/// are given back one by one as they are put in; and for each term of each gatherer 4 bytes.
pub fn matrix(gatherers: Vec<Gatherer>, batches: Vec<Gathered>) -> Matrix {
    let documents = batches.iter().map(Gathered::len).sum();
    let (terms, ranks) = numbered(gatherers, documents as u64);
    let ends = row_ends(&batches, documents);
    let size = ends.last().copied().unwrap_or(0);
    let (mut indexes, mut values) = (zeros(size), zeros(size));
    let weights = Weights::new();
    let letters = |index| letters(terms.term(index).text);
    let letters: Vec<u8> = (0..terms.len()).into_par_iter().map(letters).collect();
    let pieces: Vec<_> = pieces(batches, &mut indexes, &mut values).collect();
    pieces.into_par_iter().for_each_init(Sorter::default, |sorter, (batch, indexes, values)| {
        sorter.fill(&batch, &ranks[batch.gatherer], &letters, &weights, indexes, values);
    });
    Matrix::new(Vectors::new((documents, terms.len()), ends, indexes, values), terms)
}

/// The terms of all gatherers, and for each gatherer, by its number, the indexes of its own.
fn numbered(mut gatherers: Vec<Gatherer>, documents: u64) -> (Vocabulary, Vec<Vec<u32>>) {
    let mut ranks = Vec::new();
    ranks.resize_with(gatherers.iter().map(|g| g.number + 1).max().unwrap_or(0), Vec::new);
    // The others are put into the largest table, whose terms have their places already.
    gatherers.sort_by_key(|gatherer| gatherer.table.len());
    let Some(Gatherer { number, table: mut all, .. }) = gatherers.pop() else {
        return (Vocabulary::new(documents), ranks);
    };
    let own = all.len();
    for gatherer in &gatherers {
        all.absorb(&gatherer.table).expect("no more occurrences than bytes of text");
    }
    let terms;
    (terms, ranks[number]) = in_order(&mut all, documents, own);
    let others = |gatherer: Gatherer| (gatherer.number, all.marks_by_number(&gatherer.table));
    let others: Vec<_> = gatherers.into_par_iter().map(others).collect();
    others.into_iter().for_each(|(number, own)| ranks[number] = own);
    (terms, ranks)
}

/// The vocabulary of a table, whose terms are marked with their indexes then; and the indexes of those that were marked with the numbers up to `numbers`.
pub(super) fn in_order(
    table: &mut CountTable,
    documents: u64,
    numbers: usize,
) -> (Vocabulary, Vec<u32>) {
    let ranked = ranked(table);
    let ranks = table.rank(&ranked, numbers);
    (vocabulary(documents, table, &ranked), ranks)
}

/// Where rows begin, and where the last one ends.
fn row_ends(batches: &[Gathered], documents: usize) -> Vec<usize> {
    let mut ends = Vec::with_capacity(documents + 1);
    ends.push(0);
    let lengths = batches.iter().flat_map(|batch| &batch.lengths);
    ends.extend(lengths.scan(0, |end, length| {
        *end += *length as usize;
        Some(*end)
    }));
    ends
}

/// Memory that is taken when it is filled.
fn zeros<T: bytemuck::Zeroable + Clone>(size: usize) -> Vec<T> {
    let zeros = vec![T::zeroed(); size];
    in_large_pages(&zeros);
    zeros
}

/// The batches, each with its places.
fn pieces<'a>(
    batches: Vec<Gathered>,
    mut indexes: &'a mut [u32],
    mut values: &'a mut [f32],
) -> impl Iterator<Item = (Gathered, &'a mut [u32], &'a mut [f32])> {
    batches.into_iter().map(move |batch| {
        let size = batch.numbers.len();
        let (these, rest) = std::mem::take(&mut indexes).split_at_mut(size);
        indexes = rest;
        let (those, rest) = std::mem::take(&mut values).split_at_mut(size);
        values = rest;
        (batch, these, those)
    })
}
