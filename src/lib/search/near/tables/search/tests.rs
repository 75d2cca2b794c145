//! Tables compared with the definition of the pairs they find.

use super::*;
use crate::search::testing::signatures;
use crate::session::Session;
use crate::session::testing::Recorder;
use proptest::prelude::*;

/// Returns the pairs by definition, comparing each pair in each table.
fn by_definition(
    set: &SignatureSet,
    tables: &SamplingTables,
    seed: u64,
    first_new: usize,
) -> Vec<SignaturePair> {
    let positions = tables.positions(set.bits(), seed);
    let mut found = Vec::new();
    for low in 0..set.len() {
        for high in first_new.max(low + 1)..set.len() {
            let differing: Vec<u64> =
                set.get(low).iter().zip(set.get(high)).map(|(l, r)| l ^ r).collect();
            let count = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
            let differs = |at: &usize| differing[at / 64] >> (63 - at % 64) & 1 == 1;
            let distance = count(&differing);
            if distance <= tables.max_distance
                && count(&differing[..tables.prefix_words]) <= tables.prefix_limit
                && positions.iter().any(|positions| !positions.iter().any(differs))
            {
                found.push(SignaturePair { low: low as u32, high: high as u32, distance });
            }
        }
    }
    found
}

fn tables() -> impl Strategy<Value = SamplingTables> {
    let limits = (0..600u32, 1..=4usize, 0..120u32);
    (limits, 1..=9usize, 0..40usize).prop_map(
        |((max_distance, prefix_words, prefix_limit), key_bits, tables)| SamplingTables {
            max_distance,
            prefix_words,
            prefix_limit,
            key_bits,
            tables,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn tables_find_the_pairs_of_the_definition(
        (set, _) in signatures(), tables in tables(), seed: u64, split in any::<prop::sample::Index>(),
    ) {
        prop_assume!(tables.fit(set.bits()));
        let first_new = split.index(2 * set.len() + 2).saturating_sub(set.len());
        let expected = by_definition(&set, &tables, seed, first_new);
        for cpu in Cpu::available() {
            let session = Session::silent().with_cpu(cpu);
            let found = pairs(&set, &tables, seed, first_new, &session);
            prop_assert_eq!(&found, &expected, "{:?}", cpu);
            let sorted = TableSearch::new(&set, &tables, seed, first_new).pairs(&session);
            prop_assert_eq!(&sorted, &expected, "{:?}", cpu);
        }
        let old = by_definition(&set, &tables, seed, 0);
        let old = old.into_iter().filter(|pair| (pair.high as usize) < first_new);
        let mut all: Vec<SignaturePair> = old.chain(expected).collect();
        all.sort_unstable_by_key(|pair| (pair.low, pair.high));
        let at_once = pairs(&set, &tables, seed, 0, &Session::silent());
        prop_assert_eq!(at_once, all, "old and new pairs are all pairs");
    }
}

/// Returns many signatures, most in a few buckets: more than a step, more columns than a block.
fn skewed() -> SignatureSet {
    let mut set = SignatureSet::new(256);
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    for number in 0..1300u64 {
        // Noise in few bits of three of the four words.
        let noise = |bits: u64| bits & (bits >> 9) & (bits << 7) & (bits >> 5);
        let base = if number % 11 == 0 { number } else { 0 };
        set.push(&[noise(next()) ^ base, noise(next()), noise(next()), next()]);
    }
    set
}

#[test]
fn large_buckets_are_searched_with_any_number_of_threads() {
    let set = skewed();
    let tables = SamplingTables {
        max_distance: 48,
        prefix_words: 1,
        prefix_limit: 9,
        key_bits: 6,
        tables: 9,
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| TableSearch::new(&set, &tables, 5, 100).pairs(&Session::silent()))
    };
    let found = on(1);
    assert!(found.len() > 1000, "{}", found.len());
    assert!(found == on(3));
    assert!(found == by_definition(&set, &tables, 5, 100));
}

/// The details alone report the choice between buckets and a scan.
#[test]
fn full_buckets_are_scanned() {
    let set = skewed();
    let few = SamplingTables {
        max_distance: 48,
        prefix_words: 1,
        prefix_limit: 9,
        key_bits: 9,
        tables: 1,
    };
    for (tables, expected) in [
        (few, "method: tables"),
        (SamplingTables { key_bits: 1, tables: 90, ..few }, "method: tables, by a scan of all"),
    ] {
        let (session, recorder) = Recorder::session();
        let found = pairs(&set, &tables, 1, 0, &session);
        assert_eq!(*recorder.details.lock().unwrap(), [expected]);
        assert!(found == by_definition(&set, &tables, 1, 0));
    }
}
