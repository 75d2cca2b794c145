//! Search against its definition.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::matches::{ParagraphMatch, SearchLimits, find_sources};
use super::passages::{LocatedSource, exact_passages};
use super::query::NgramQuery;
use crate::ngrams::grams::{NgramLengths, document_hashes};
use crate::ngrams::normalizer::{CompiledRules, Normalizer};
use crate::ngrams::rules::{NgramConfig, NgramRules, ParagraphRule};
use crate::ngrams::store::embedded::{EmbeddedStore, EmbeddedWriter};
use crate::ngrams::store::{CatalogueEntry, IndexParameters, NewDocument, NgramStore, NgramWriter};
use crate::session::Session;

/// Texts of few words in few lines, which are paragraphs.
fn text() -> impl Strategy<Value = String> {
    let word = (0u8..4).prop_map(|word| format!("w{word}"));
    let line = prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 0..4).prop_map(|lines| lines.join("\n"))
}

fn normalizer(sorted: bool) -> Normalizer {
    let rules = NgramRules { paragraphs: ParagraphRule::Lines, sorted, ..Default::default() };
    Normalizer::new(&NgramConfig { rules, ..Default::default() })
}

/// Returns a store of some texts, in two commits.
fn store(
    texts: &[String],
    rules: &CompiledRules,
    length: usize,
    folder: &std::path::Path,
) -> EmbeddedStore {
    let session = Session::silent();
    let lengths: NgramLengths = length.to_string().parse().unwrap();
    for (part, own) in texts.chunks(texts.len().div_ceil(2).max(1)).enumerate() {
        let mut writer = EmbeddedWriter::open(folder, &session).unwrap();
        writer
            .set_parameters(IndexParameters { config: NgramConfig::default(), winnow: 1 })
            .unwrap();
        for (number, text) in own.iter().enumerate() {
            let entry = CatalogueEntry { id: format!("{part}/{number}"), ..Default::default() };
            let hashes = document_hashes(&rules.locate(text), rules, &lengths, 1);
            let work = writer.add(vec![NewDocument { entry, hashes }]).unwrap();
            assert!(work.is_none());
        }
        Box::new(writer).commit().unwrap();
    }
    EmbeddedStore::open(folder, &session).unwrap()
}

/// N-grams of each line, as words.
fn ngrams(text: &str, length: usize, sorted: bool) -> Vec<Vec<Vec<&str>>> {
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
            let mut all: Vec<Vec<&str>> = words.windows(length).map(<[&str]>::to_vec).collect();
            if sorted {
                all.iter_mut().for_each(|ngram| ngram.sort_unstable());
            }
            all
        })
        .filter(|all| !all.is_empty())
        .collect()
}

/// Common n-grams, longest run, and those of each listed paragraph.
type Expected = (usize, usize, Vec<ParagraphMatch>);

/// Compares every paragraph with every text.
fn naive(
    query: &str,
    source: &str,
    length: usize,
    sorted: bool,
    limits: SearchLimits,
) -> Option<Expected> {
    let held: BTreeSet<Vec<&str>> = ngrams(source, length, sorted).concat().into_iter().collect();
    let (mut common, mut all, mut longest, mut listed) = (0, 0, 0, Vec::new());
    let admits = |common: usize, all: usize, run: usize| {
        common > 0 && common as f64 * 100.0 >= limits.accuracy * all as f64
            || limits.min_run.is_some_and(|min| run >= min)
    };
    for (paragraph, own) in ngrams(query, length, sorted).into_iter().enumerate() {
        let (mut here, mut run, mut best) = (0, 0, 0);
        for ngram in &own {
            run = if held.contains(ngram) { run + 1 } else { 0 };
            here += usize::from(run > 0);
            best = best.max(if run > 0 { run + length - 1 } else { 0 });
        }
        if admits(here, own.len(), best) {
            listed.push(ParagraphMatch { paragraph, common: here, run: best });
        }
        (common, all, longest) = (common + here, all + own.len(), longest.max(best));
    }
    let is_source = admits(common, all, longest) || !listed.is_empty();
    (is_source && common > 0).then_some((common, longest, listed))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sources_are_those_of_the_definition(
        texts in prop::collection::vec(text(), 0..7), query in text(), length in 1usize..5, sorted: bool,
        accuracy in prop_oneof![Just(0.0), Just(20.0), Just(50.0), Just(100.0)], min_run in prop::option::of(1usize..12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let normalizer = normalizer(sorted);
        let rules = normalizer.of_type("");
        if texts.is_empty() {
            return Ok(());
        }
        let store = store(&texts, rules, length, folder.path());
        let limits = SearchLimits { accuracy, min_run };
        let prepared = NgramQuery::new(&query, rules, length, 1, false);
        let mut found = BTreeMap::new();
        for source in find_sources(&prepared, &store, limits).unwrap() {
            let id = store.entry(source.document).unwrap().id;
            found.insert(id, (source.common, source.run, source.paragraphs));
        }
        let half = texts.len().div_ceil(2);
        let expected: BTreeMap<String, Expected> = texts
            .iter()
            .enumerate()
            .filter_map(|(at, text)| Some((format!("{}/{}", at / half, at % half), naive(&query, text, length, sorted, limits)?)))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn passages_have_the_same_words_on_both_sides(query in text(), source in text(), length in 1usize..5, window in 1usize..4) {
        let normalizer = normalizer(false);
        let rules = normalizer.of_type("");
        let prepared = NgramQuery::new(&query, rules, length, window, false);
        let located = LocatedSource::new(&source, rules, length, window);
        let held: BTreeSet<u64> = document_hashes(&located.normal, rules, &length.to_string().parse().unwrap(), window)[0].1.iter().copied().collect();
        let is_common = |at: usize| held.contains(&prepared.ngrams[at].hash);
        let mut runs = Vec::new();
        for (_, range) in &prepared.paragraphs {
            let common: Vec<usize> = range.clone().filter(|at| is_common(*at)).collect();
            runs.extend(common.chunk_by(|left, right| left + 1 == *right).map(|run| run[0]..run[run.len() - 1] + 1));
        }
        let mut covered = BTreeSet::new();
        for passage in exact_passages(&prepared, &runs, Some(&located)) {
            let words = passage.source.clone().unwrap();
            let left: Vec<&str> = passage.words.clone().map(|at| prepared.normal.word(at)).collect();
            let right: Vec<&str> = words.clone().map(|at| located.normal.word(at)).collect();
            prop_assert_eq!(passage.run, left.len());
            prop_assert!(left == right || window > 1);
            covered.extend(passage.words);
        }
        let expected: BTreeSet<usize> = runs.iter().flat_map(|run| prepared.words(run.clone())).collect();
        // Winnowing leaves words between selected n-grams out.
        let is_right = if window == 1 { covered == expected } else { covered.is_subset(&expected) };
        prop_assert!(is_right);
        let unread = exact_passages(&prepared, &runs, None);
        prop_assert!(unread.iter().all(|passage| passage.source.is_none()));
        prop_assert_eq!(unread.len(), runs.len());
    }
}

#[test]
fn quoted_words_do_not_count() {
    let normalizer = normalizer(false);
    let rules = normalizer.of_type("");
    let text = "a b «c d» e f g";
    let all = NgramQuery::new(text, rules, 2, 1, false);
    let without = NgramQuery::new(text, rules, 2, 1, true);
    assert_eq!(all.ngrams.len(), 6);
    let words: Vec<usize> = without.ngrams.iter().map(|ngram| ngram.word).collect();
    assert_eq!(words, [0, 4, 5]);
}
