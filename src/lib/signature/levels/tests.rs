use super::*;
use proptest::prelude::*;

/// Signs by the definition, one component at a time.
fn plain(levels: &Levels, terms: &[u32], weights: &[i16]) -> Vec<bool> {
    let mut sums = vec![0i64; levels.bits];
    for (term, weight) in terms.iter().zip(weights) {
        let row = levels.row(*term);
        sums.iter_mut().zip(row).for_each(|(sum, c)| *sum += i64::from(*weight) * i64::from(c));
    }
    sums.into_iter().map(|sum| sum >= 0).collect()
}

fn check(bits: usize, terms: usize, vectors: &[(Vec<u32>, Vec<f32>)], seed: u64) {
    let mut documents = QuantizedVectors::new(STEPS);
    vectors.iter().for_each(|(indexes, values)| documents.push(indexes, values));
    let words = SignatureSet::words_for(bits);
    for engine in Cpu::available().flat_map(AesEngine::available) {
        let levels = Levels::with_engine(seed, bits, terms, engine);
        let mut signatures = vec![0; words * documents.len()];
        levels.sign(std::slice::from_ref(&documents), &mut [&mut signatures]);
        for (number, signature) in signatures.chunks(words).enumerate() {
            let (terms, weights) = documents.get(number);
            let found = (0..words * 64).map(|bit| signature[bit / 64] >> (63 - bit % 64) & 1 == 1);
            let mut expected = plain(&levels, terms, weights);
            expected.resize(words * 64, false);
            if !terms.is_empty() {
                assert!(found.eq(expected), "{engine:?}, {bits} bits, document {number}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bits_are_the_signs_of_exact_sums(
        bits in prop::sample::select(&[4usize, 60, 64, 68, 128, 200, 256, 260, 512, 1024, 1028][..]),
        terms in prop::sample::select(&[1u32, 2, 900, 100_000, u32::MAX][..]),
        counts in prop::collection::vec(0..200u32, 1..4),
        seed: u64,
    ) {
        let vector = |count: &u32| {
            let mut indexes: Vec<u32> =
                (0..*count).map(|at| at.wrapping_mul(2_654_435_761) % terms).collect();
            indexes.sort_unstable();
            indexes.dedup();
            let values = indexes.iter().map(|at| (*at as f32 * 1.7).sin() + 0.6).collect();
            (indexes, values)
        };
        check(bits, terms as usize, &counts.iter().map(vector).collect::<Vec<_>>(), seed);
    }
}

#[test]
fn long_documents_do_not_overflow() {
    let levels = Levels::new(1, 4, 0, Cpu::SCALAR);
    let terms: Vec<u32> = (0..100_000).collect();
    // Every term has the sign of the first bit: the largest possible sums.
    let values: Vec<f32> =
        terms.iter().map(|term| f32::from(levels.row(*term)[0].signum())).collect();
    check(4, 100_000, &[(terms, values)], 1);
}

#[test]
fn a_shorter_signature_is_a_prefix_of_a_longer_one() {
    let row = |bits| Levels::new(9, bits, 0, Cpu::SCALAR).row(77);
    assert_eq!(row(100), row(1024)[..100]);
}
