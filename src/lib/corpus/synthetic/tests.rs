use std::collections::BTreeSet;

use super::*;
use proptest::prelude::*;

fn parameters() -> CorpusParameters {
    CorpusParameters {
        doc_count: 2000,
        mean_words: 100.0,
        spread: 0.5,
        terms: Some(20_000),
        zipf: 1.02,
        near_dups: 0.25,
        edits: vec![0.0, 0.1, 0.3],
        templates: None,
        fields: None,
        rnd_seed: 7,
    }
}

fn collection(parameters: CorpusParameters) -> Synthetic {
    Synthetic::new(parameters).unwrap()
}

fn planted(collection: &Synthetic) -> Vec<Planted> {
    (0..2000).filter_map(|position| collection.planted(position)).collect()
}

#[test]
fn documents_of_a_template_differ_in_its_fields() {
    let templates = CorpusParameters { templates: Some(5), near_dups: 0.0, ..parameters() };
    let of_fields = |fields| {
        let collection = collection(CorpusParameters { fields: Some(fields), ..templates.clone() });
        let words = |number| collection.written(number);
        assert_ne!(words(0), words(1), "two templates");
        let (one, other) = (words(3), words(8));
        assert_eq!(one.len(), other.len());
        let differing = one.iter().zip(&other).filter(|(one, other)| one != other).count();
        differing as f64 / one.len() as f64
    };
    assert_eq!(of_fields(0.0), 0.0);
    let share = of_fields(0.5);
    assert!((0.2..=0.6).contains(&share), "{share}");
}

#[test]
fn as_many_copies_as_asked_for_stand_anywhere_with_every_share() {
    let planted = planted(&collection(parameters()));
    let count =
        |is_wanted: &dyn Fn(&Planted) -> bool| planted.iter().filter(|c| is_wanted(c)).count();
    assert_eq!(planted.len(), 500);
    for (share, copies) in [(0.0, 167), (0.1, 167), (0.3, 166)] {
        assert_eq!(count(&|copy| copy.edit_share == share), copies);
    }
    let copies: BTreeSet<u64> = planted.iter().map(|copy| copy.copy).collect();
    assert!(planted.iter().all(|copy| !copies.contains(&copy.original)));
    let originals: BTreeSet<u64> = planted.iter().map(|copy| copy.original).collect();
    // 500 draws from 1500 leave 1500 · (1 − e^(−1/3)) = 425 different ones.
    assert!((390..460).contains(&originals.len()), "{}", originals.len());
    let before = count(&|copy| copy.copy < copy.original);
    assert!((190..310).contains(&before), "{before} of 500 copies before their originals");
    let first_half = count(&|copy| copy.copy < 1000);
    assert!((190..310).contains(&first_half), "{first_half} of 500 copies in the first half");
    // Two of 2000 positions are less than 10 apart with probability 0.01.
    let near = count(&|copy| copy.copy.abs_diff(copy.original) < 10);
    assert!(near < 20, "{near}");
}

#[test]
fn words_follow_zipf() {
    let collection =
        collection(CorpusParameters { doc_count: 5000, near_dups: 0.0, ..parameters() });
    let mut counts = vec![0u64; 20_000];
    for position in 0..5000 {
        collection.words(position).into_iter().for_each(|rank| counts[rank as usize] += 1);
    }
    let total: u64 = counts.iter().sum();
    let weights: Vec<f64> = (1..=20_000).map(|rank| f64::from(rank).powf(-1.02)).collect();
    let sum: f64 = weights.iter().sum();
    for range in [0..1, 1..2, 9..10, 99..200, 999..2000, 9999..20_000] {
        let expected = weights[range.clone()].iter().sum::<f64>() / sum * total as f64;
        let found = counts[range.clone()].iter().sum::<u64>() as f64;
        // Five standard deviations.
        assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{range:?} {found} {expected}");
    }
}

#[test]
fn lengths_are_log_normal() {
    let collection =
        collection(CorpusParameters { doc_count: 10_000, near_dups: 0.0, ..parameters() });
    let lengths: Vec<f64> = (0..10_000).map(|at| collection.words(at).len() as f64).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let logarithms: Vec<f64> = lengths.iter().map(|length| length.ln()).collect();
    let centre = mean(&logarithms);
    let squares: Vec<f64> = logarithms.iter().map(|value| (value - centre).powi(2)).collect();
    // The mean's standard error is 100 · sqrt(e^(1/4) − 1) / 100 = 0.53, that of the logarithm's deviation 0.0035.
    assert!((mean(&lengths) - 100.0).abs() < 2.5, "{}", mean(&lengths));
    assert!((mean(&squares).sqrt() - 0.5).abs() < 0.015, "{}", mean(&squares).sqrt());
    let even = CorpusParameters { spread: 0.0, near_dups: 0.0, ..parameters() };
    let even = self::collection(even);
    assert!((0..2000).all(|position| even.words(position).len() == 100));
}

#[test]
fn the_usual_number_of_terms_grows_as_the_thesis_saw() {
    assert_eq!(usual_terms(100_000, 250.0), 500_000);
    let thesis = f64::from(usual_terms(644_566, 250.0));
    assert!((thesis / 1_543_251.0 - 1.0).abs() < 0.02, "{thesis}");
    assert_eq!(usual_terms(1, 1.0), 1000);
    assert_eq!(usual_terms(u64::MAX, 1e7), MOST_TERMS);
}

proptest! {
    #[test]
    fn small_collections_are_whole(
        documents in 1u64..40,
        mean_words in 1.0f64..5.0,
        near_dups in 0.0f64..=1.0,
        edit in 0.0f64..=1.0,
        seed: u64,
    ) {
        let parameters =
            CorpusParameters { doc_count: documents, mean_words, terms: Some(2), near_dups, edits: vec![edit], rnd_seed: seed, ..parameters() };
        let collection = collection(parameters);
        let copies = (0..documents).filter(|at| collection.planted(*at).is_some()).count() as u64;
        let asked = (documents as f64 * near_dups).round() as u64;
        prop_assert_eq!(copies, asked.min(documents - 1));
        for position in 0..documents {
            let words = collection.words(position);
            prop_assert!(!words.is_empty() && words.iter().all(|rank| *rank < 2));
        }
    }
}
