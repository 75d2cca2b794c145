//! Search against its definition.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::candidates::{CandidateLimits, MIN_DOCUMENTS, SearchedStore};
use super::matches::{ParagraphMatch, SearchLimits, find_sources};
use super::query::NgramQuery;
use crate::ngrams::grams::{NgramLengths, document_hashes};
use crate::ngrams::normalizer::{CompiledRules, Normalizer};
use crate::ngrams::rules::{NgramConfig, NgramPreset, NgramRules, ParagraphRule};
use crate::ngrams::stems::StemHasher;
use crate::ngrams::store::embedded::{EmbeddedStore, EmbeddedWriter};
use crate::ngrams::store::{
    CatalogueEntry, DocumentKey, IndexParameters, NewDocument, NgramMatch, NgramStore, NgramWriter,
};
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
        writer.set_parameters(IndexParameters::of(NgramPreset::Default)).unwrap();
        for (number, text) in own.iter().enumerate() {
            let entry = CatalogueEntry { id: format!("{part}/{number}"), ..Default::default() };
            let stems = StemHasher::default();
            let hashes = document_hashes(&rules.locate(text), rules, &lengths, 1, Some(&stems));
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
        let limits = SearchLimits { accuracy, min_run, shortfall: 0 };
        let prepared = NgramQuery::new(&query, rules, length, 1, false);
        let mut found = BTreeMap::new();
        let matches = store.lookup(length, &prepared.hashes).unwrap();
        for source in find_sources(&prepared, &matches, limits, &[]) {
            prop_assert!(source.reaches_limits);
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
    fn candidates_are_those_of_the_definition(
        texts in prop::collection::vec(text(), 1..9), query in text(), own in prop::option::of(0usize..9),
        min_score in 0.0f64..40.0, max_frequency in 1usize..6, max_candidates in 0usize..6, has_stems: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let normalizer = normalizer(false);
        let rules = normalizer.of_type("");
        let store = store(&texts, rules, 2, folder.path());
        let mut keys = Vec::new();
        store.for_each_entry(&mut |key, _| { keys.push(key); Ok(()) }).unwrap();
        let own = own.and_then(|own| keys.get(own)).copied();
        let limits = CandidateLimits { min_score, max_frequency, max_candidates };
        let prepared = NgramQuery::new(&query, rules, 2, 1, false).with_stems(&StemHasher::default());
        let index = SearchedStore { store: &store, documents: texts.len() as u64, has_stems };
        let (matches, _) = index.look_up(&prepared, &CatalogueEntry::default(), true, &Session::silent()).unwrap();
        let found: Vec<_> = index.candidates(&prepared, &matches, limits, own).iter().map(|own| own.document).collect();
        // Every n-gram of the text, against every document.
        let others = || keys.iter().zip(&texts).filter(|(key, _)| Some(**key) != own);
        let mut scored = Vec::new();
        for (key, text) in others() {
            let score = match has_stems {
                true => {
                    let held = |text: &str, ngram: &[&str; 3]| sorted_triples(text).contains(ngram);
                    let common = sorted_triples(&query).into_iter().filter(|ngram| held(text, ngram));
                    let documents = others().count().max(MIN_DOCUMENTS as usize) as f64;
                    let df = |ngram: &[&str; 3]| others().filter(|(_, text)| held(text, ngram)).count();
                    let counted = common.map(|ngram| df(&ngram)).filter(|df| *df <= max_frequency);
                    counted.map(|df| (documents / df as f64).ln()).sum::<f64>()
                }
                false => naive(&query, text, 2, false, SearchLimits { accuracy: 0.0, min_run: None, shortfall: 0 }).map_or(0.0, |own| own.0 as f64),
            };
            if if has_stems { score >= min_score && score > 0.0 } else { score > 0.0 } {
                scored.push((score, *key));
            }
        }
        scored.sort_by(|a, b| (b.0 * 1e6).round().total_cmp(&(a.0 * 1e6).round()).then(a.1.cmp(&b.1)));
        scored.truncate(max_candidates);
        let mut expected: Vec<_> = scored.into_iter().map(|(_, key)| key).collect();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}

/// Sets of three consecutive words: those of the test are their own stems, and no stop words.
fn sorted_triples(text: &str) -> BTreeSet<[&str; 3]> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let triples = words.windows(3).map(|three| {
        let mut three = [three[0], three[1], three[2]];
        three.sort_unstable();
        three
    });
    triples.collect()
}

#[test]
fn candidates_come_in_the_order_of_the_store_with_or_without_common_ngrams() {
    let folder = tempfile::tempdir().unwrap();
    let normalizer = normalizer(false);
    let rules = normalizer.of_type("");
    let texts = ["w0 w1 w2", "w3 w3 w3", "w0 w1 w3"].map(String::from);
    let store = store(&texts, rules, 3, folder.path());
    let mut keys = Vec::new();
    let mut add = |key, _| {
        keys.push(key);
        Ok(())
    };
    store.for_each_entry(&mut add).unwrap();
    let query = NgramQuery::new("w0 w1 w2", rules, 3, 1, false);
    let matches = store.lookup(3, &query.hashes).unwrap();
    let limits = SearchLimits { accuracy: 100.0, min_run: None, shortfall: 0 };
    let found = find_sources(&query, &matches, limits, &keys[..2]);
    let found: Vec<_> =
        found.iter().map(|own| (own.document, own.common, own.reaches_limits)).collect();
    assert_eq!(found, [(keys[0], 1, true), (keys[1], 0, false)]);
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
    let stems = |text: &str, ignores: bool| {
        NgramQuery::new(text, rules, 2, 1, ignores).with_stems(&StemHasher::default()).stems
    };
    let text = "alpha beta «gamma delta» epsilon zeta eta";
    assert_eq!(stems(text, false).len(), 5);
    assert_eq!(stems(text, true), stems("epsilon zeta eta", false));
}

#[test]
fn stems_ignore_order_endings_stop_words_and_paragraphs() {
    let normalizer = Normalizer::new(&NgramConfig::default());
    let rules = normalizer.of_type("");
    let hashes = |text: &str| StemHasher::default().hashes(&rules.locate(text));
    let one = hashes("The foxes jumped\n\nover lazy dogs");
    assert_eq!(one.len(), 2);
    assert_eq!(one, hashes("A fox is lazy; jumping dog"));
    // A Cyrillic letter in a Latin word, and a character without width.
    assert_eq!(one, hashes("Th\u{435} f\u{43e}xes jum\u{200b}ped over lazy dogs"));
    assert!(hashes("the fox of dogs").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A source with a common run of enough words is listed, whatever n-grams winnowing has selected.
    #[test]
    fn runs_are_listed_of_selected_ngrams(
        run in prop::collection::vec("[ab]|[c-z]{3}", 1..40), length in 1usize..6, window in 1usize..9,
        around in prop::array::uniform4(0usize..30), more in 0usize..9,
    ) {
        let min_run = length + window - 1 + more;
        prop_assume!(run.len() >= min_run);
        let text = |side: &str, before: usize, after: usize| {
            let own = |number: usize| format!("{side}{number}");
            let words = (0..before).map(own).chain(run.iter().cloned()).chain((100..100 + after).map(own));
            words.collect::<Vec<_>>().join(" ")
        };
        let normalizer = normalizer(false);
        let rules = normalizer.of_type("");
        let query = NgramQuery::new(&text("q", around[0], around[1]), rules, length, window, false);
        let source = NgramQuery::new(&text("s", around[2], around[3]), rules, length, window, false);
        let is_held = |(_, hash): &(u32, &u64)| source.hashes.binary_search(*hash).is_ok();
        let matches: Vec<NgramMatch> = (0..).zip(&query.hashes).filter(is_held)
            .map(|(position, _)| NgramMatch { document: DocumentKey(0), position }).collect();
        let shortfall = SearchLimits::shortfall(window);
        let limits = SearchLimits { accuracy: 100.0, min_run: Some(min_run), shortfall };
        prop_assert_eq!(find_sources(&query, &matches, limits, &[]).len(), 1);
    }
}
