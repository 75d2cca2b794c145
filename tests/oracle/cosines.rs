//! Join, scan and the definition find the same pairs.

use clap::ValueEnum;
use proptest::prelude::*;
use proptest::sample::Index;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use sprs::CsMatI;

use nearsig::bits::cpu::Cpu;
use nearsig::search::exact::{self, Comparison, Prepared, SparseMatrix};
use nearsig::search::{AllPairsMethod, Match, Pair, SimilarityMeasure, UnionFind};
use nearsig::session::Session;

/// A vector's components by ascending index.
type Vector = Vec<(u32, f32)>;

/// From below any practical threshold to the highest.
const THRESHOLDS: [f64; 11] =
    [1e-4, 5.0, 10.0, 30.0, 50.0, 70.710678, 80.0, 95.0, 99.9, 99.999999, 100.0];

fn matrix(vectors: &[Vector]) -> SparseMatrix {
    let components = || vectors.iter().flatten();
    let terms = components().map(|(index, _)| *index as usize + 1).max().unwrap_or(0);
    let mut ends = vec![0];
    vectors.iter().for_each(|vector| ends.push(ends[ends.len() - 1] + vector.len()));
    let indexes = components().map(|(index, _)| *index).collect();
    CsMatI::new((vectors.len(), terms), ends, indexes, components().map(|(_, v)| *v).collect())
}

fn dot(left: &Vector, right: &Vector) -> f64 {
    let mut sum = 0.0;
    for (index, value) in left {
        if let Ok(at) = right.binary_search_by_key(index, |(index, _)| *index) {
            sum += f64::from(*value) * f64::from(right[at].1);
        }
    }
    sum
}

/// The cosine in percent, rounded to a millionth.
fn cosine(left: &Vector, right: &Vector) -> f64 {
    let length = |vector: &Vector| dot(vector, vector).sqrt();
    (dot(left, right) / (length(left) * length(right)) * 1e8).round() / 1e6 + 0.0
}

fn by_definition(vectors: &[Vector], threshold: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (low, left) in vectors.iter().enumerate() {
        for (high, right) in vectors.iter().enumerate().skip(low + 1) {
            let similarity = cosine(left, right);
            if !left.is_empty() && !right.is_empty() && similarity >= threshold {
                pairs.push(Pair { low: low as u32, high: high as u32, similarity });
            }
        }
    }
    pairs
}

fn on(cpu: Cpu) -> Session {
    Session::silent().with_cpu(cpu)
}

/// Returns the pairs of the join, the same on every CPU. Its forest connects the same vectors.
fn joined(vectors: &[Vector], threshold: f64, from: usize) -> Vec<Pair> {
    let prepared = Prepared::new(matrix(vectors), &Session::silent());
    let expected = prepared.pairs(threshold, from, &on(Cpu::SCALAR));
    let connected = |pairs: &[Pair]| {
        let sets = UnionFind::new(vectors.len());
        for pair in pairs {
            sets.unite(pair.low, pair.high);
        }
        sets.representatives()
    };
    for cpu in Cpu::available() {
        assert_eq!(prepared.pairs(threshold, from, &on(cpu)), expected, "at {threshold}");
        let forest = prepared.forest(threshold, from, &on(cpu));
        assert_eq!(connected(forest.between()), connected(expected.between()), "at {threshold}");
        assert!(forest.between().iter().all(|pair| expected.between().contains(pair)));
    }
    expected.expand()
}

fn scan_with(cpu: Cpu, block: usize, vectors: &[Vector], threshold: f64) -> Vec<Pair> {
    Comparison::with(block, matrix(vectors), SimilarityMeasure::Cosine, threshold).pairs(&on(cpu))
}

/// Checks that all methods find the pairs of the definition.
#[track_caller]
fn assert_one_answer(vectors: &[Vector], threshold: f64) {
    let expected = by_definition(vectors, threshold);
    for method in AllPairsMethod::value_variants() {
        let (measure, session) = (SimilarityMeasure::Cosine, Session::silent());
        let found = exact::pairs(matrix(vectors), measure, threshold, *method, &session);
        assert_eq!(found, expected, "{method:?} at {threshold}");
    }
    for cpu in Cpu::available() {
        for block in [3, 64] {
            assert_eq!(scan_with(cpu, block, vectors, threshold), expected, "scan at {threshold}");
        }
    }
}

/// Generates numbers within bounds. The float ranges of proptest panic once in some ten million numbers near the lower bound.
fn floats(low: f32, high: f32) -> impl Strategy<Value = f32> {
    (low.to_bits()..high.to_bits()).prop_map(f32::from_bits)
}

/// Generates values of both signs and all magnitudes, many of which make equal or round similarities.
fn value() -> impl Strategy<Value = f32> {
    let size = prop_oneof![
        6 => (1..5u8).prop_map(f32::from),
        4 => floats(0.01, 20.0),
        1 => prop::sample::select(&[f32::MAX, 1e30, f32::MIN_POSITIVE, 1e-45, 1e-30][..]),
    ];
    (size, prop::bool::weighted(0.2))
        .prop_map(|(size, is_negative)| if is_negative { -size } else { size })
}

fn fresh(terms: u32) -> impl Strategy<Value = Vector> {
    let few = prop::collection::btree_map(0..terms, value(), 0..6);
    let many = prop::collection::btree_map(0..terms, value(), 0..terms as usize + 1);
    prop_oneof![few, many].prop_map(|vector| vector.into_iter().collect())
}

/// Generates vectors, many of them copies of others: exact, scaled or edited.
fn vectors() -> impl Strategy<Value = Vec<Vector>> {
    let terms = prop::sample::select(&[1u32, 5, 40, 300][..]);
    let plans = terms.prop_flat_map(|terms| {
        let edits = prop::collection::vec((0..terms, value()), 0..4);
        let factor = prop::sample::select(&[1.0f32, 1.0, 2.0, -1.0][..]);
        let plan = (fresh(terms), any::<Index>(), edits, factor, prop::bool::weighted(0.6));
        prop::collection::vec(plan, 0..40)
    });
    plans.prop_map(|plans| {
        let mut vectors: Vec<Vector> = Vec::new();
        for (fresh, of, edits, factor, is_copy) in plans {
            let vector = if is_copy && !vectors.is_empty() {
                edited(&vectors[of.index(vectors.len())], &edits, factor)
            } else {
                fresh
            };
            vectors.push(vector);
        }
        vectors
    })
}

fn edited(vector: &Vector, edits: &[(u32, f32)], factor: f32) -> Vector {
    let scaled = vector.iter().map(|(index, value)| (*index, value * factor));
    let mut edited: std::collections::BTreeMap<u32, f32> = scaled.collect();
    edited.extend(edits.iter().copied());
    edited.into_iter().filter(|(_, value)| value.is_finite() && *value != 0.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn all_methods_find_the_pairs_of_the_definition(
        vectors in vectors(), threshold in prop::sample::select(&THRESHOLDS[..]),
    ) {
        assert_one_answer(&vectors, threshold);
    }

    #[test]
    fn thresholds_equal_to_a_similarity_include_its_pair(
        vectors in vectors(), pick in any::<Index>(),
    ) {
        let pairs = by_definition(&vectors, 1e-6);
        prop_assume!(!pairs.is_empty());
        let threshold = pairs[pick.index(pairs.len())].similarity;
        assert_one_answer(&vectors, threshold);
        assert_one_answer(&vectors, (threshold * 1e6 + 1.0) / 1e6);
        // Between two steps nothing is decided by the last bits of a sum.
        assert_one_answer(&vectors, threshold + 4e-7);
    }

    #[test]
    fn only_pairs_with_a_new_vector_are_found(
        vectors in vectors(), threshold in prop::sample::select(&THRESHOLDS[..]), split in any::<Index>(),
    ) {
        let from = split.index(vectors.len() + 1);
        let mut expected = by_definition(&vectors, threshold);
        expected.retain(|pair| pair.high as usize >= from);
        prop_assert_eq!(&joined(&vectors, threshold, from), &expected);
        let session = Session::silent();
        let grouped = Prepared::new(matrix(&vectors), &session).pairs(threshold, from, &session);
        prop_assert_eq!(grouped.count(), expected.len() as u64);
        prop_assert_eq!(grouped.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_pairs_of_both_sides_are_found(
        vectors in vectors(), threshold in prop::sample::select(&THRESHOLDS[..]), split in any::<Index>(),
    ) {
        let from = split.index(vectors.len() + 1);
        let mut expected = by_definition(&vectors, threshold);
        expected.retain(|pair| pair.high as usize >= from && (pair.low as usize) < from);
        for cpu in Cpu::available() {
            let prepared = Prepared::new(matrix(&vectors), &on(cpu));
            let grouped = prepared.bipartite_pairs(threshold, from, &on(cpu));
            prop_assert_eq!(grouped.count(), expected.len() as u64);
            prop_assert_eq!(&grouped.iter().collect::<Vec<_>>(), &expected);
        }
    }

    #[test]
    fn the_scan_accepts_thresholds_at_or_below_zero(
        vectors in vectors(), threshold in prop::sample::select(&[-100.0, -30.0, 0.0][..]),
    ) {
        assert_one_answer(&vectors, threshold);
    }

    #[test]
    fn matches_agree_with_pairs(
        vectors in vectors(), threshold in prop::sample::select(&[-5.0, 0.0, 20.0, 80.0][..]),
    ) {
        let pairs = by_definition(&vectors, threshold);
        let queries: Vec<usize> = (0..vectors.len()).rev().collect();
        let comparison = Comparison::with(3, matrix(&vectors), SimilarityMeasure::Cosine, threshold);
        for (query, matches) in queries.iter().zip(comparison.matches(&queries, &Session::silent())) {
            let mut expected: Vec<Match> = Vec::new();
            for Pair { low, high, similarity } in &pairs {
                let other = if *low as usize == *query { *high } else { *low };
                if *low as usize == *query || *high as usize == *query {
                    expected.push(Match { other, similarity: *similarity });
                }
            }
            expected.sort_unstable_by_key(|found| found.other);
            prop_assert_eq!(matches, expected);
        }
    }
}

/// Returns a collection large enough for long lists, many candidates and several blocks: words with a heavy tail, edited copies, and a few dense
/// vectors of both signs.
fn collection(documents: usize, terms: u32, words: usize) -> Vec<Vector> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut texts: Vec<Vec<u32>> = Vec::new();
    for document in 0..documents {
        let is_copy = document > 0 && random.random::<f64>() < 0.3;
        let mut text = if is_copy {
            texts[random.random_range(0..document)].clone()
        } else {
            (0..words).map(|_| word(&mut random, terms)).collect()
        };
        let edits = if is_copy { random.random_range(0..words / 5) } else { 0 };
        for _ in 0..edits {
            let at = random.random_range(0..text.len());
            text[at] = word(&mut random, terms);
        }
        texts.push(text);
    }
    let mut vectors: Vec<Vector> = texts.iter().map(|text| weighted(text)).collect();
    for number in 0..5 {
        let dense = (0..terms).map(|term| (term, random.random::<f32>() - 0.5)).collect();
        vectors.insert(number * documents / 5, dense);
    }
    vectors
}

/// Draws a word with probability inversely proportional to its number.
fn word(random: &mut ChaCha8Rng, terms: u32) -> u32 {
    (f64::from(terms).powf(random.random::<f64>()) as u32 - 1).min(terms - 1)
}

/// Returns word counts, weighted in favor of rare words.
fn weighted(text: &[u32]) -> Vector {
    let mut counts = std::collections::BTreeMap::<u32, f32>::new();
    text.iter().for_each(|word| *counts.entry(*word).or_default() += 1.0);
    counts.into_iter().map(|(word, count)| (word, count * ((word + 2) as f32).ln())).collect()
}

/// Returns the vectors with terms in an order unrelated to their frequency.
fn shuffled(vectors: &[Vector], terms: u32) -> Vec<Vector> {
    const PRIME: u32 = 7919;
    let moved = |vector: &Vector| {
        let mut moved: Vector = vector.iter().map(|(term, v)| (term * PRIME % terms, *v)).collect();
        moved.sort_unstable_by_key(|(term, _)| *term);
        moved
    };
    vectors.iter().map(moved).collect()
}

#[test]
fn all_methods_agree_on_a_collection() {
    const TERMS: u32 = 2_000;
    let vectors = collection(1_200, TERMS, 60);
    for vectors in [shuffled(&vectors, TERMS), vectors] {
        let all = by_definition(&vectors, 20.0);
        for threshold in [20.0, 35.0, 60.0, 80.0, 95.0] {
            let expected: Vec<Pair> =
                all.iter().filter(|pair| pair.similarity >= threshold).copied().collect();
            assert!(expected.len() > 50, "{} pairs at {threshold} test little", expected.len());
            assert_eq!(joined(&vectors, threshold, 0), expected, "join at {threshold}");
            for cpu in Cpu::available() {
                assert_eq!(scan_with(cpu, 500, &vectors, threshold), expected, "at {threshold}");
            }
        }
    }
}

#[test]
fn every_pair_is_found_at_its_own_similarity() {
    let vectors = collection(200, 500, 40);
    let pairs = by_definition(&vectors, 50.0);
    for at in (0..pairs.len()).step_by(pairs.len() / 40) {
        let threshold = pairs[at].similarity;
        let found = joined(&vectors, threshold, 0);
        assert!(found.contains(&pairs[at]), "{:?}", pairs[at]);
        assert_eq!(found, by_definition(&vectors, threshold));
    }
}

#[test]
fn pairs_do_not_depend_on_the_number_of_threads() {
    let vectors = collection(400, 800, 40);
    let on = |threads: usize, threshold: f64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            exact::pairs(
                matrix(&vectors),
                SimilarityMeasure::Cosine,
                threshold,
                AllPairsMethod::Auto,
                &Session::silent(),
            )
        })
    };
    for threshold in [10.0, 80.0] {
        let expected = by_definition(&vectors, threshold);
        for threads in [1, 2, 3, 40] {
            assert_eq!(on(threads, threshold), expected, "{threads} threads at {threshold}");
        }
    }
}

/// Long lists, of which the vectors before a split need only some.
#[test]
fn splits_of_a_collection_find_its_pairs() {
    let vectors = collection(500, 1500, 50);
    let all = by_definition(&vectors, 60.0);
    for from in [0, 1, 250, 495, 505] {
        let expected: Vec<Pair> =
            all.iter().filter(|pair| pair.high as usize >= from).copied().collect();
        assert_eq!(joined(&vectors, 60.0, from), expected, "{from}");
    }
}

#[test]
fn equal_vectors_are_all_paired() {
    let one: Vector = vec![(0, 0.1), (3, 0.7), (9, -0.3)];
    let vectors = vec![one.clone(), vec![], one.clone(), vec![(1, 1.0)], one.clone(), one];
    let equal = [(0, 2), (0, 4), (0, 5), (2, 4), (2, 5), (4, 5)];
    let expected: Vec<Pair> =
        equal.map(|(low, high)| Pair { low, high, similarity: 100.0 }).to_vec();
    assert_eq!(joined(&vectors, 100.0, 0), expected);
}

#[test]
fn empty_collections_have_no_pairs() {
    for vectors in [vec![], vec![vec![]], vec![vec![], vec![(0, 1.0)]]] {
        assert_one_answer(&vectors, 50.0);
    }
}
