use std::collections::BTreeMap;

use proptest::prelude::*;
use rayon::prelude::*;

use super::*;
use crate::vector::sparse::SparseRows;

const OPTIONS: AnalyzerOptions = AnalyzerOptions::letters(1);

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn bag(text: &str) -> BTreeMap<String, u64> {
    let mut bag = BTreeMap::new();
    words(text).into_iter().for_each(|word| *bag.entry(word).or_default() += 1);
    bag
}

/// The matrix by definition.
fn reference(texts: &[String]) -> TermMatrix {
    let bags: Vec<_> = texts.iter().map(|text| bag(text)).collect();
    let mut documents: BTreeMap<&str, u32> = BTreeMap::new();
    for (term, _) in bags.iter().flatten() {
        *documents.entry(term).or_default() += 1;
    }
    let mut ranked: Vec<_> = documents.into_iter().collect();
    ranked.sort_by_key(|(term, documents)| (std::cmp::Reverse(*documents), *term));
    let terms = CollectionTerms::new(ranked.iter().rev().copied());
    assert!(terms.texts().eq(ranked.iter().map(|(term, _)| *term)));
    let (mut ends, mut indexes, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for bag in &bags {
        for (index, (term, _)) in ranked.iter().enumerate() {
            if let Some(count) = bag.get(*term) {
                indexes.push(index as u32);
                let length = term.chars().count().min(8) as f64 / 8.0;
                values.push(((1.0 + (*count as f64).ln()) * length * 1024.0).round() as u16);
            }
        }
        ends.push(indexes.len() as u64);
    }
    TermMatrix { vectors: WordVectors::new(ranked.len(), &ends, indexes, values).unwrap(), terms }
}

/// The matrix of batches of these lengths, cyclically, each counted by the builder of its turn.
fn in_batches(texts: &[String], lengths: &[usize], turns: &[usize]) -> TermMatrix {
    let mut builders: Vec<_> =
        (0..3).rev().map(|number| RowBuilder::new(number, OPTIONS)).collect();
    let (mut rest, mut batches) = (texts, Vec::new());
    for (length, turn) in lengths.iter().cycle().zip(turns.iter().cycle()) {
        if rest.is_empty() {
            break;
        }
        let (these, others) = rest.split_at((*length).min(rest.len()));
        batches.push(builders[*turn].add(these));
        rest = others;
    }
    matrix::matrix(builders, &batches)
}

#[test]
fn documents_without_terms_have_empty_rows() {
    for count in 0..3 {
        let texts = vec![" -".to_string(); count];
        let made = in_batches(&texts, &[1], &[0, 1]);
        assert_eq!(made, reference(&texts));
        assert_eq!((made.vectors.rows(), made.vectors.cols()), (count, 0));
    }
}

#[test]
fn large_counts_have_their_weights() {
    let texts = [254, 255, 256, 70_000].map(|count| "a ".repeat(count) + &"b ".repeat(300) + "c");
    assert_eq!(in_batches(&texts, &[3], &[1, 0]), reference(&texts));
}

#[test]
fn the_matrix_does_not_depend_on_threads() {
    let texts: Vec<String> = (0..900u32)
        .map(|n| (0..n % 50).map(|k| format!("w{} ", n.wrapping_mul(k * k + 7) % 997)).collect())
        .collect();
    let expected = reference(&texts);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let builder = MatrixBuilder::new(OPTIONS);
        let batches = pool
            .install(|| texts.par_chunks(7).map(|batch| builder.add(batch)).collect::<Vec<_>>());
        assert_eq!(pool.install(|| builder.finish(&batches)), expected);
    }
}

/// Frequent words, long ones, and some beyond ASCII.
const TEXTS: &str = "([a-c]{1,2}[ ,]|[ab]{15,18} |[A-Cé9]{1,3} |x ){0,30}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_matrix_does_not_depend_on_batches(
        texts in prop::collection::vec(TEXTS, 0..40),
        lengths in prop::collection::vec(1usize..9, 1..6),
        turns in prop::collection::vec(0usize..3, 1..6),
    ) {
        prop_assert_eq!(in_batches(&texts, &lengths, &turns), reference(&texts));
    }

    #[test]
    fn merged_matrices_are_those_of_all_documents(
        texts in prop::collection::vec(TEXTS, 0..40), cut in 0usize..40, again in 0usize..40,
    ) {
        let cut = cut.min(texts.len());
        let again = cut + again.min(texts.len() - cut);
        let all = in_batches(&texts, &[4], &[0, 1]);
        let made = |texts: &[String]| in_batches(texts, &[3], &[1, 2]);
        let first = merge(made(&texts[..cut]), made(&texts[cut..again]));
        prop_assert_eq!(merge(first, made(&texts[again..])), all);
    }
}

#[test]
fn frequencies_of_a_repeated_term_are_added_without_overflow() {
    let terms = CollectionTerms::new([("a", u32::MAX), ("b", 2), ("b", 3), ("a", 1)]);
    assert!(terms.texts().eq(["a", "b"]));
    assert_eq!([terms.documents(0), terms.documents(1)], [u32::MAX, 5]);
}
