use std::collections::BTreeMap;

use proptest::prelude::*;
use rayon::prelude::*;

use super::*;
use crate::random::DEFAULT_SEED;
use crate::session::Session;
use crate::signature::sign_matrix;
use crate::vector::sparse::SparseRows;

const RULES: AnalyzerOptions = AnalyzerOptions::letters(1);

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn bag(text: &str) -> BTreeMap<String, u64> {
    let mut bag = BTreeMap::new();
    words(text).into_iter().for_each(|word| *bag.entry(word).or_default() += 1);
    bag
}

/// The same by the book.
fn slow(texts: &[String]) -> Matrix {
    let bags: Vec<_> = texts.iter().map(|text| bag(text)).collect();
    let mut documents: BTreeMap<&str, u32> = BTreeMap::new();
    for (term, _) in bags.iter().flatten() {
        *documents.entry(term).or_default() += 1;
    }
    let mut ranked: Vec<_> = documents.into_iter().collect();
    ranked.sort_by_key(|(term, documents)| (std::cmp::Reverse(*documents), *term));
    let terms = Terms::new(ranked.iter().rev().copied());
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
    Matrix { vectors: WordVectors::new(ranked.len(), &ends, indexes, values).unwrap(), terms }
}

/// The texts cut into batches of these lengths again and again, each counted by the gatherer of its turn.
fn in_batches(texts: &[String], lengths: &[usize], turns: &[usize]) -> Matrix {
    let mut gatherers: Vec<_> = (0..3).rev().map(|number| Gatherer::new(number, RULES)).collect();
    let (mut rest, mut batches) = (texts, Vec::new());
    for (length, turn) in lengths.iter().cycle().zip(turns.iter().cycle()) {
        if rest.is_empty() {
            break;
        }
        let (these, others) = rest.split_at((*length).min(rest.len()));
        batches.push(gatherers[*turn].add(these));
        rest = others;
    }
    matrix(gatherers, &batches)
}

#[test]
fn no_documents_and_documents_without_terms_have_their_matrix() {
    for count in 0..3 {
        let texts = vec![" -".to_string(); count];
        let made = in_batches(&texts, &[1], &[0, 1]);
        assert_eq!(made, slow(&texts));
        assert_eq!((made.vectors.rows(), made.vectors.cols()), (count, 0));
    }
}

#[test]
fn counts_of_any_size_have_their_weights() {
    let texts = [254, 255, 256, 70_000].map(|count| "a ".repeat(count) + &"b ".repeat(300) + "c");
    assert_eq!(in_batches(&texts, &[3], &[1, 0]), slow(&texts));
}

#[test]
fn threads_and_the_pool_do_not_matter() {
    let texts: Vec<String> = (0..900u32)
        .map(|n| (0..n % 50).map(|k| format!("w{} ", n.wrapping_mul(k * k + 7) % 997)).collect())
        .collect();
    let expected = slow(&texts);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let gatherers = Gatherers::new(RULES);
        let batches =
            pool.install(|| texts.par_chunks(7).map(|batch| gatherers.add(batch)).collect());
        assert_eq!(pool.install(|| gatherers.matrix(batches)), expected);
    }
}

#[test]
fn an_error_among_the_documents_is_told() {
    let gatherers = Gatherers::new(RULES);
    let told = gatherers.try_add([Ok("a b"), Err("gone"), Ok("c")]);
    assert_eq!(told, Err("gone"));
    let right: Result<Gathered, &str> = gatherers.try_add([Ok("a b")]);
    let right = right.unwrap();
    assert_eq!((right.len(), right.is_empty()), (1, false));
}

/// Few words that many texts have, long ones, some beyond ASCII.
const TEXTS: &str = "([a-c]{1,2}[ ,]|[ab]{15,18} |[A-Cé9]{1,3} |x ){0,30}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_batches_by_anybody_give_the_matrix_of_the_book(
        texts in prop::collection::vec(TEXTS, 0..40),
        lengths in prop::collection::vec(1usize..9, 1..6),
        turns in prop::collection::vec(0usize..3, 1..6),
    ) {
        prop_assert_eq!(in_batches(&texts, &lengths, &turns), slow(&texts));
    }

    #[test]
    fn two_collections_merged_are_all_documents_at_once(
        texts in prop::collection::vec(TEXTS, 0..40), cut in 0usize..40, again in 0usize..40,
    ) {
        let cut = cut.min(texts.len());
        let again = cut + again.min(texts.len() - cut);
        let all = in_batches(&texts, &[4], &[0, 1]);
        let made = |texts: &[String]| in_batches(texts, &[3], &[1, 2]);
        let first = merged(made(&texts[..cut]), made(&texts[cut..again]));
        prop_assert_eq!(merged(first, made(&texts[again..])), all);
    }

    #[test]
    fn signatures_depend_on_the_text_alone(texts in prop::collection::vec(TEXTS, 1..20), others in prop::collection::vec(TEXTS, 0..20)) {
        let sign = |texts: &[String]| {
            let made = in_batches(texts, &[2], &[0]);
            sign_matrix(&made.vectors, &made.terms.row_numbers(), 128, DEFAULT_SEED, 0, &Session::silent()).signatures
        };
        let (alone, before) = (sign(&texts), others.len());
        let together = sign(&[others, texts].concat());
        for number in 0..alone.len() {
            prop_assert_eq!(alone.get(number), together.get(before + number));
        }
    }
}
