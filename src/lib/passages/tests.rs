//! Properties of alignments, and kernels against slow, obvious re-implementations.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::clusters::clusters;
use super::kept::{KeptPassages, common};
use super::pair::{TextPair, WordRanges};
use super::refine::max_sum_run;
use super::runs::longest_common;
use super::seeds::{Seed, similar_sentences};
use super::sentences::accepted;
use super::*;
use crate::text::{Analyzer, AnalyzerOptions};

fn found(suspicious: &str, source: &str, options: &PassageOptions) -> Vec<AlignedPassage> {
    let [suspicious, source] = [suspicious, source].map(|text| PreparedText::new(text, options));
    align(&suspicious, &source, options)
}

fn ngrams() -> PassageOptions {
    PassageOptions { alignment: Alignment::Ngrams, ..Default::default() }
}

fn unstemmed() -> PassageOptions {
    PassageOptions { stem: PassageStem::Unchanged, ..Default::default() }
}

const ENGLISH: &str = "The miller of the lower village kept an old horse that nobody wanted to buy. One spring morning the horse opened the gate by itself and walked through \
    the orchard. Nobody saw it again, but every autumn somebody finds an apple with the marks of large teeth.";
const CZECH: &str = "Mlynář z dolní vesnice choval starého koně, kterého nikdo nechtěl koupit. Jednoho jarního rána kůň sám otevřel vrata a odešel přes sad. Nikdo ho už \
    neviděl, ale každý podzim někdo najde jablko se stopami velkých zubů.";
const RUSSIAN: &str = "Мельник из нижней деревни держал старую лошадь, которую никто не хотел купить. Однажды весенним утром лошадь сама открыла ворота и ушла через сад. \
    Никто её больше не видел, но каждую осень кто-нибудь находит яблоко со следами больших зубов.";
const CHINESE: &str = "下村的磨坊主养了一匹没有人愿意买的老马。一个春天的早晨，那匹马自己打开了大门，穿过果园走了。从那以后再也没有人见过它，可是每年秋天总有人发现一个留着大牙印的苹果。\
    村里的孩子们说那匹马还住在山里，冬天的时候会回来看看它从前的主人。磨坊主听了只是摇摇头，然后把一篮苹果放在门口，第二天早晨篮子总是空的，雪地上留着马蹄的印子一直通向远处的树林。\
    后来磨坊主老了，不再磨面，可是他每个冬天仍旧把苹果放在门口，直到最后一个冬天过去。";
const OTHER: &str = "Interest rates rose by a quarter of one percent after the central bank published its report. Analysts had expected this decision for several months. \
    Shares of large companies fell slightly, whereas government bonds gained.";

#[test]
fn exact_copies_are_one_passage() {
    for text in [ENGLISH, CZECH, RUSSIAN, CHINESE] {
        for options in [PassageOptions::default(), unstemmed(), ngrams()] {
            let passages = found(text, text, &options);
            assert_eq!(passages.len(), 1, "{text} {options:?}");
            let AlignedPassage { bytes, characters, similarity, run, .. } = &passages[0];
            assert_eq!((bytes, *similarity), (&(0..text.len()), 1.0), "{text}");
            assert_eq!(characters, &(0..text.chars().count()));
            assert_eq!(*run, PreparedText::new(text, &options).word_count());
        }
    }
}

#[test]
fn copies_are_found_within_other_text() {
    for text in [ENGLISH, CZECH, RUSSIAN] {
        let (suspicious, source) =
            (format!("{OTHER} {text}"), format!("Žluťoučký kůň úpěl ďábelské ódy. {text} {OTHER}"));
        let source = source.replace(
            OTHER,
            "Completely different closing words end the source here, and they matter to nobody.",
        );
        for options in [PassageOptions::default(), ngrams()] {
            let passages = found(&suspicious, &source, &options);
            assert_eq!(passages.len(), 1, "{text}");
            assert_eq!(&suspicious[passages[0].bytes.clone()], text);
            assert_eq!(&source[passages[0].source_bytes.clone()], text);
        }
    }
}

#[test]
fn disguised_copies_are_found() {
    let homoglyphs = ENGLISH.replace('o', "о").replace('e', "е").replace("horse", "hоrse");
    let invisible = ENGLISH.replace("or", "o\u{200b}r").replace("a", "\u{ad}a");
    for disguised in [homoglyphs, invisible, ENGLISH.to_uppercase(), ENGLISH.replace(' ', "\n")] {
        let passages = found(&format!("{OTHER} {disguised}"), ENGLISH, &PassageOptions::default());
        assert_eq!((passages.len(), passages[0].similarity), (1, 1.0), "{disguised}");
        assert_eq!(passages[0].source_bytes, 0..ENGLISH.len());
    }
}

#[test]
fn unrelated_and_empty_texts_have_no_passage() {
    for options in [PassageOptions::default(), ngrams()] {
        let texts = ["", " ", "...", "word", OTHER, ENGLISH, CHINESE, "\u{200b}"];
        for (a, b) in texts.iter().flat_map(|a| texts.map(|b| (*a, b))).filter(|(a, b)| *a != *b) {
            assert_eq!(found(a, b, &options), [], "{a} {b}");
        }
    }
}

#[test]
fn paraphrases_are_found_by_sentences() {
    let paraphrase = "A miller in the lower village had an old horse nobody wanted to buy. On a spring morning this horse opened the gate itself, walking through the \
        orchard. Since then nobody has seen it, yet each autumn somebody finds apples with marks of large teeth.";
    let suspicious = format!("{OTHER} {paraphrase}");
    let passages = found(&suspicious, ENGLISH, &PassageOptions::default());
    assert_eq!(passages.len(), 1);
    assert_eq!(&suspicious[passages[0].bytes.clone()], paraphrase);
    assert!(passages[0].similarity < 1.0 && passages[0].run == 4, "{passages:?}");
}

#[test]
fn repetitions_in_the_source_are_trimmed() {
    let source =
        format!("{ENGLISH} {}", "The horse and the gate of the miller in the village. ".repeat(9));
    let passages = found(&format!("{OTHER} {ENGLISH}"), &source, &PassageOptions::default());
    assert_eq!((passages.len(), &passages[0].source_bytes), (1, &(0..ENGLISH.len())));
}

#[test]
fn repetitive_texts_take_linear_time() {
    let sentences = "The same seven words are written again. ".repeat(20_000);
    for text in ["a ".repeat(200_000), "a b c d ".repeat(50_000), sentences] {
        for options in [PassageOptions::default(), ngrams()] {
            let passages = found(&text, &text, &options);
            assert_eq!(passages.len(), 1, "{}", &text[..20]);
            assert_eq!(passages[0].bytes, 0..text.trim_end().len());
        }
    }
}

/// Returns a text of sentences, each a list of word numbers.
fn text_of(sentences: &[Vec<u8>]) -> String {
    let sentence = |words: &Vec<u8>| {
        words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ") + ". "
    };
    sentences.iter().map(sentence).collect()
}

fn sentences() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0u8..25, 3..9), 1..9)
}

/// Returns cosine and Dice coefficient of all pairs of sentences.
fn naive_similarities(texts: [&[Vec<u8>]; 2]) -> BTreeMap<(usize, usize), (f64, f64)> {
    let all: Vec<&Vec<u8>> = texts.into_iter().flatten().collect();
    let weight = |word: &u8| {
        let frequency = all.iter().filter(|sentence| sentence.contains(word)).count();
        (1.0 + all.len().max(50) as f64 / frequency as f64).ln()
    };
    let component = |sentence: &Vec<u8>, word: &u8| {
        weight(word) * sentence.iter().filter(|other| *other == word).count() as f64
    };
    let dot = |a: &Vec<u8>, b: &Vec<u8>| {
        let words: BTreeSet<&u8> = a.iter().collect();
        words.into_iter().map(|word| component(a, word) * component(b, word)).sum::<f64>()
    };
    let mut similarities = BTreeMap::new();
    for (i, a) in texts[0].iter().enumerate() {
        for (j, b) in texts[1].iter().enumerate() {
            let [left, right] = [a, b].map(|words| words.iter().collect::<BTreeSet<_>>());
            let common = left.intersection(&right).count() as f64;
            let dice = 2.0 * common / (left.len() + right.len()) as f64;
            similarities.insert((i, j), (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt(), dice));
        }
    }
    similarities
}

/// Splits seeds at the first gap of either side, and the parts again.
fn naive_clusters(seeds: &[Seed], max_gap: usize) -> Vec<BTreeSet<(u32, u32)>> {
    for side in [|seed: &Seed| seed.suspicious, |seed: &Seed| seed.source] {
        let places: BTreeSet<u32> = seeds.iter().map(side).collect();
        let places: Vec<u32> = places.into_iter().collect();
        let gap = places.windows(2).find(|two| (two[1] - two[0] - 1) as usize > max_gap);
        if let Some(gap) = gap {
            let (low, high): (Vec<Seed>, Vec<Seed>) =
                seeds.iter().partition(|seed| side(seed) <= gap[0]);
            return [low, high].iter().flat_map(|part| naive_clusters(part, max_gap)).collect();
        }
    }
    vec![seeds.iter().map(|seed| (seed.suspicious, seed.source)).collect()]
}

/// Clusters seeds by each gap in turn, and returns the words and cosines of those accepted.
fn plain_accepted(
    pair: &TextPair<'_, '_>,
    seeds: Vec<Seed>,
    max_gap: usize,
    acceptance: f64,
) -> Vec<(WordRanges, f64)> {
    let (mut found, mut open) = (Vec::new(), vec![(seeds, max_gap)]);
    while let Some((seeds, gap)) = open.pop() {
        for cluster in clusters(seeds, gap) {
            let words = WordRanges {
                suspicious: pair.suspicious.words_of(cluster.suspicious.clone()),
                source: pair.source.words_of(cluster.source.clone()),
            };
            let cosine = StemCounts::new(pair).cosine(pair, &words);
            if cosine >= acceptance {
                found.push((words, cosine));
            } else if gap > 0 {
                open.push((cluster.seeds, gap - 1));
            }
        }
    }
    found
}

/// Returns the longest common run by comparing all positions.
fn naive_run<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    let length =
        |i: usize, j: usize| left[i..].iter().zip(&right[j..]).take_while(|(a, b)| a == b).count();
    let all = (0..left.len()).flat_map(|i| (0..right.len()).map(move |j| length(i, j)));
    all.max().unwrap_or(0)
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Analyzer::new(AnalyzerOptions::letters(1))
        .for_each_token(text, |token| words.push(token.term.to_string()));
    words
}

proptest! {
    #[test]
    fn prepared_words_are_those_of_the_analyzer(text in "([a-zA-Z0-9_ .\\n-]{0,40}|é|中文){0,9}") {
        let prepared = PreparedText::new(&text, &unstemmed());
        let mut places = Vec::new();
        Analyzer::new(AnalyzerOptions::letters(1)).for_each_token(&text, |token| places.push((token.range.start, token.range.end)));
        prop_assert_eq!(prepared.places(), places);
    }

    #[test]
    fn seeds_are_those_of_all_pairs_of_sentences(a in sentences(), b in sentences(), min in 0.0f64..0.8) {
        let [left, right] = [&a, &b].map(|sentences| text_of(sentences));
        let options = unstemmed();
        let [left, right] = [&left, &right].map(|text| PreparedText::new(text, &options));
        let pair = TextPair::new(&left, &right, &options.sentences);
        let seeds = similar_sentences(&pair, min, 0.25);
        let seeds: BTreeMap<_, _> = seeds.iter().map(|seed| ((seed.suspicious as usize, seed.source as usize), seed)).collect();
        for (place, (cosine, dice)) in naive_similarities([&a, &b]) {
            match seeds.get(&place) {
                Some(seed) => prop_assert!((f64::from(seed.cosine) - cosine).abs() < 1e-6 && (f64::from(seed.dice) - dice).abs() < 1e-6),
                None => prop_assert!(cosine < min + 1e-6 || dice < 0.25 + 1e-6, "{cosine} {dice}"),
            }
        }
    }

    #[test]
    fn clusters_are_those_of_splitting_at_any_gap(places in prop::collection::btree_set((0u32..40, 0u32..40), 0..40), max_gap in 0usize..6) {
        let seeds: Vec<Seed> = places.iter().map(|(suspicious, source)| Seed { suspicious: *suspicious, source: *source, cosine: 1.0, dice: 1.0 }).collect();
        let mut expected = naive_clusters(&seeds, max_gap);
        expected.retain(|part| !part.is_empty());
        let set = |cluster: &super::clusters::SeedCluster| cluster.seeds.iter().map(|seed| (seed.suspicious, seed.source)).collect();
        let mut found: Vec<BTreeSet<(u32, u32)>> = clusters(seeds, max_gap).iter().map(set).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn accepted_clusters_are_those_of_every_gap(a in sentences(), b in sentences(), max_gap in 0usize..12, acceptance in 0.1f64..1.0) {
        let [left, right] = [&a, &b].map(|sentences| text_of(sentences));
        let options = unstemmed();
        let [left, right] = [&left, &right].map(|text| PreparedText::new(text, &options));
        let pair = TextPair::new(&left, &right, &options.sentences);
        let seeds = similar_sentences(&pair, 0.1, 0.1);
        let fragments = accepted(&pair, seeds.clone(), max_gap, acceptance, &mut StemCounts::new(&pair));
        let found: Vec<_> = fragments.into_iter().map(|fragment| (fragment.words, fragment.cosine)).collect();
        prop_assert_eq!(found, plain_accepted(&pair, seeds, max_gap, acceptance));
    }

    #[test]
    fn the_maximum_sum_run_is_the_best_of_all(values in prop::collection::vec(-4i8..5, 0..30)) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let all = (0..values.len()).flat_map(|start| (start..=values.len()).map(move |end| start..end));
        let best = all.map(|run| values[run].iter().sum::<f64>()).fold(0.0, f64::max);
        match max_sum_run(values.iter().copied()) {
            None => prop_assert_eq!(best, 0.0),
            Some((run, sum)) => prop_assert!(sum == best && values[run].iter().sum::<f64>() == sum),
        }
    }

    #[test]
    fn the_longest_run_is_that_of_all_positions(left in prop::collection::vec(0u64..3, 0..25), right in prop::collection::vec(0u64..3, 0..25)) {
        prop_assert_eq!(longest_common(&left, &right), naive_run(&left, &right));
    }

    #[test]
    fn kept_passages_are_found_by_their_words(ranges in prop::collection::vec((0usize..1900, 1usize..700), 1..30), removed in 0usize..30) {
        let mut kept = KeptPassages::new(2600);
        let ranges: Vec<_> = ranges.into_iter().map(|(start, length)| start..start + length).collect();
        ranges.iter().for_each(|range| kept.add(WordRanges { suspicious: range.clone(), source: 0..1 }));
        if removed < ranges.len() {
            kept.remove(removed);
        }
        for range in &ranges {
            let expected: Vec<usize> = (0..ranges.len()).filter(|at| *at != removed && common(&ranges[*at], range) > 0).collect();
            prop_assert_eq!(kept.overlapping(range), expected);
        }
    }

    #[test]
    fn passages_lie_on_characters_and_have_their_words(
        copied in "([a-zäж中文]{1,6}[ ,.]{1,2}|[a-z]{2,9} ){60,90}", around in prop::collection::vec("([a-zčя中\u{301}\u{200b}😀]{1,7}[ .\n]){0,30}", 3), is_ngrams in any::<bool>(),
    ) {
        let options = if is_ngrams { ngrams() } else { PassageOptions::default() };
        let suspicious = format!("{} {copied} {}", around[0], around[1]);
        let source = format!("{} {copied}", around[2]);
        let passages = found(&suspicious, &source, &options);
        prop_assert!(!passages.is_empty() || copied.chars().count() < 400);
        for AlignedPassage { bytes, source_bytes, characters, source_characters, similarity, run } in passages {
            for (text, bytes, characters) in [(&suspicious, &bytes, &characters), (&source, &source_bytes, &source_characters)] {
                prop_assert_eq!(text[..bytes.start].chars().count(), characters.start);
                prop_assert_eq!(text[bytes.clone()].chars().count(), characters.len());
            }
            let [left, right] = [words(&suspicious[bytes]), words(&source[source_bytes])];
            prop_assert_eq!(naive_run(&left, &right), run);
            prop_assert!(run > 0 && similarity > 0.0 && similarity <= 1.0);
        }
    }
}
