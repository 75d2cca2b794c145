//! Strategies compared with each other, and guaranteed with measured recall.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use sprs::CsMatI;

use super::*;
use crate::bits::cpu::Cpu;
use crate::search::exact::{SparseMatrix, join};
use crate::session::Session;
use crate::signature::{Levels, QuantizedVectors, levels};

const BITS: usize = 256;

/// A vector's components by ascending index.
type Vector = Vec<(u32, f32)>;

fn matrix(vectors: &[Vector]) -> SparseMatrix {
    let components = || vectors.iter().flatten();
    let terms = components().map(|(index, _)| *index as usize + 1).max().unwrap_or(0);
    let mut ends = vec![0];
    vectors.iter().for_each(|vector| ends.push(ends[ends.len() - 1] + vector.len()));
    let indexes = components().map(|(index, _)| *index).collect();
    CsMatI::new((vectors.len(), terms), ends, indexes, components().map(|(_, v)| *v).collect())
}

fn signed(vectors: &[Vector], bits: usize, seed: u64) -> SignatureSet {
    let mut documents = QuantizedVectors::new(levels::STEPS);
    for vector in vectors {
        let (indexes, values): (Vec<u32>, Vec<f32>) = vector.iter().copied().unzip();
        documents.push(&indexes, &values);
    }
    let words = SignatureSet::words_for(bits);
    let mut signatures = vec![0; words * vectors.len()];
    let levels = Levels::new(seed, bits, 0, Cpu::best());
    levels.sign(std::slice::from_ref(&documents), &mut [&mut signatures]);
    let mut set = SignatureSet::new(bits);
    signatures.chunks(words).for_each(|signature| set.push(signature));
    set
}

fn by_definition(vectors: &[Vector], threshold: f64, first_new: usize) -> Vec<Pair> {
    let dot = |left: &Vector, right: &Vector| {
        let mut sum = 0.0;
        for (index, value) in left {
            if let Ok(at) = right.binary_search_by_key(index, |(index, _)| *index) {
                sum += f64::from(*value) * f64::from(right[at].1);
            }
        }
        sum
    };
    let length = |vector: &Vector| dot(vector, vector).sqrt();
    let mut pairs = Vec::new();
    for (low, left) in vectors.iter().enumerate() {
        for (high, right) in vectors.iter().enumerate().skip(first_new.max(low + 1)) {
            let cosine = dot(left, right) / (length(left) * length(right));
            let similarity = (cosine * 1e8).round() / 1e6;
            if !left.is_empty() && !right.is_empty() && similarity >= threshold {
                pairs.push(Pair { low: low as u32, high: high as u32, similarity });
            }
        }
    }
    pairs
}

/// Generates small collections: many equal and similar vectors, some without components.
fn vectors() -> impl Strategy<Value = Vec<Vector>> {
    let fresh = prop::collection::btree_map(0..40u32, 1..5u8, 0..14);
    let edits = prop::collection::vec((0..40u32, 0..3u8), 0..3);
    let plan = (fresh, any::<prop::sample::Index>(), edits, prop::bool::weighted(0.6));
    prop::collection::vec(plan, 0..30).prop_map(|plans| {
        let mut all: Vec<BTreeMap<u32, u8>> = Vec::new();
        for (fresh, of, edits, is_copy) in plans {
            let mut vector = fresh;
            if is_copy && !all.is_empty() {
                vector = all[of.index(all.len())].clone();
                vector.extend(edits);
                vector.retain(|_, count| *count > 0);
            }
            all.push(vector);
        }
        let vector = |counts: &BTreeMap<u32, u8>| -> Vector {
            counts.iter().map(|(term, count)| (*term, f32::from(*count))).collect()
        };
        all.iter().map(vector).collect()
    })
}

fn request(strategy: SearchStrategy, threshold: f64, first_new: usize) -> SearchRequest {
    SearchRequest { threshold, strategy, seed: 3, first_new }
}

fn found(
    vectors: &[Vector],
    set: &SignatureSet,
    short: &[u32],
    request: &SearchRequest,
) -> Vec<Pair> {
    let prepared = Prepared::new(matrix(vectors), &Session::silent());
    let grouped = pairs(&prepared, set, short, request, &Session::silent());
    assert_eq!(grouped.count(), grouped.iter().count() as u64);
    grouped.expand()
}

const TABLES: SamplingTables =
    SamplingTables { max_distance: 90, prefix_words: 1, prefix_limit: 24, key_bits: 5, tables: 12 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn pairs_are_exact_and_candidates_are_not_lost(
        vectors in vectors(), split in any::<prop::sample::Index>(), seed: u64,
        threshold in prop::sample::select(&[1.0, 40.0, 70.710678, 80.0, 95.0, 100.0][..]),
        short in prop::collection::btree_set(0..30u32, 0..12),
    ) {
        let first_new = split.index(2 * vectors.len() + 2).saturating_sub(vectors.len());
        let short: Vec<u32> = short.into_iter().filter(|row| (*row as usize) < vectors.len()).collect();
        let set = signed(&vectors, BITS, seed);
        let all = by_definition(&vectors, threshold, first_new);
        let most = BITS as u32;
        for strategy in [SearchStrategy::Exact, SearchStrategy::Scan { max_distance: most }, SearchStrategy::Join { max_distance: most }] {
            prop_assert_eq!(&found(&vectors, &set, &short, &request(strategy, threshold, first_new)), &all, "{:?}", strategy);
        }
        for strategy in [SearchStrategy::Scan { max_distance: 60 }, SearchStrategy::Join { max_distance: 60 }, SearchStrategy::Tables(TABLES)] {
            let some = found(&vectors, &set, &short, &request(strategy, threshold, first_new));
            prop_assert!(some.iter().all(|pair| all.contains(pair)), "precision is 1");
            for pair in &all {
                let (low, high) = (pair.low as usize, pair.high as usize);
                let is_short = |row: usize| short.iter().any(|short| vectors[*short as usize] == vectors[row]);
                let distance = crate::bits::distance(set.get(low), set.get(high));
                let is_near = matches!(strategy, SearchStrategy::Scan { .. } | SearchStrategy::Join { .. }) && distance <= 60;
                if is_short(low) || is_short(high) || is_near || vectors[low] == vectors[high] {
                    prop_assert!(some.contains(pair), "{:?}", pair);
                }
            }
            // Old and new pairs are the pairs found at once.
            let at_once = found(&vectors, &set, &short, &request(strategy, threshold, 0));
            let new: Vec<Pair> = at_once.into_iter().filter(|pair| pair.high as usize >= first_new).collect();
            prop_assert_eq!(some, new);
        }
    }

    #[test]
    fn candidates_are_verified_by_the_definition(
        vectors in vectors(), threshold in prop::sample::select(&[1.0, 50.0, 80.0, 100.0][..]),
    ) {
        let count = vectors.len() as u32;
        let all = (0..count).flat_map(|low| (low + 1..count).map(move |high| SignaturePair { low, high, distance: 0 }));
        let prepared = Prepared::new(matrix(&vectors), &Session::silent());
        let found = verified(&prepared, &all.collect::<Vec<_>>(), threshold, &Session::silent());
        prop_assert_eq!(&found, &by_definition(&vectors, threshold, 0));
        prop_assert_eq!(found, join::pairs(matrix(&vectors), threshold, &Session::silent()));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let vectors = pairs_at(0.8, 300, 60, 5);
    let set = signed(&vectors, 1024, 5);
    let plans = plans(&shape(vectors.len()), 0.79, 0.99, 1024);
    for plan in plans {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| found(&vectors, &set, &[7, 100], &request(plan.strategy, 79.0, 50)))
        };
        assert!(on(1) == on(3), "{plan:?}");
    }
}

fn shape(documents: usize) -> CollectionShape {
    CollectionShape {
        documents: documents as u64,
        new_documents: documents as u64,
        signed_documents: 0,
        terms_per_document: 60.0,
        background: 0.0,
        threads: 1,
    }
}

/// Returns pairs of consecutive documents with a cosine of exactly `cosine`: they share that proportion of their `terms` terms and no other term
/// with any document. Weights are 1 + ln(count), and those of the other terms are equal on both sides.
fn pairs_at(cosine: f64, pairs: usize, terms: usize, seed: u64) -> Vec<Vector> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let shared = (cosine * terms as f64).round() as usize;
    let mut next_term = 0;
    let mut fresh = |count: usize| {
        next_term += count as u32;
        next_term - count as u32..next_term
    };
    let mut vectors = Vec::new();
    for _ in 0..pairs {
        let mut weight = || 1.0 + f64::from(random.random_range(1..4u32)).ln() as f32;
        // Equal weights within a run of terms that is shared in the same proportion as the whole preserve the cosine.
        let runs: Vec<f32> = (0..terms / RUN).map(|_| weight()).collect();
        let common = fresh(shared);
        for _ in 0..2 {
            let own = fresh(terms - shared);
            let weight_of = |at: usize| runs[at % (terms / RUN)];
            let shared = common.clone().enumerate().map(|(at, term)| (term, weight_of(at)));
            let own = own.enumerate().map(|(at, term)| (term, weight_of(at)));
            vectors.push(shared.chain(own).collect());
        }
    }
    vectors
}

/// Terms per run: cosines are multiples of 1/20.
const RUN: usize = 20;

#[test]
fn planted_pairs_have_the_cosine() {
    for cosine in [0.7, 0.8, 0.9, 0.95] {
        let vectors = pairs_at(cosine, 3, 60, 1);
        let pairs = by_definition(&vectors, 1.0, 0);
        assert_eq!(pairs.len(), 3);
        assert!(pairs.iter().all(|pair| (pair.similarity - 100.0 * cosine).abs() < 1e-4));
    }
}

/// Pairs at the threshold, with enough terms for the guarantee, are found as often as guaranteed. Fixed seeds make the test deterministic.
#[test]
fn measured_recall_reaches_the_guarantee() {
    const PAIRS: usize = 150;
    const SEEDS: u64 = 4;
    for cosine in [0.7, 0.8, 0.9, 0.95] {
        for recall in [0.95, 0.99] {
            // Slightly below, so that the threshold includes the cosine.
            let threshold = 100.0 * cosine - 1e-3;
            let mut found_by = BTreeMap::<&str, usize>::new();
            for seed in 0..SEEDS {
                let vectors = pairs_at(cosine, PAIRS, 60, seed);
                let set = signed(&vectors, 1024, seed);
                let plans = plans(&shape(vectors.len()), cosine, recall, 1024);
                for plan in plans.iter().filter(|plan| plan.strategy.needs_signatures()) {
                    let request = SearchRequest { seed, ..request(plan.strategy, threshold, 0) };
                    let pairs = found(&vectors, &set, &[], &request);
                    *found_by.entry(plan.strategy.name()).or_default() += pairs.len();
                }
            }
            let all = (PAIRS as u64 * SEEDS) as f64;
            let error = (recall * (1.0 - recall) / all).sqrt();
            assert!(found_by.contains_key("scan") && found_by.contains_key("tables"));
            for (strategy, found) in found_by {
                let measured = found as f64 / all;
                assert!(
                    measured >= recall - 3.0 * error,
                    "{strategy} at {cosine}: {measured}, not {recall}"
                );
            }
        }
    }
}
