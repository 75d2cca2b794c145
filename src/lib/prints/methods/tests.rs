//! Every method against its definition, computed without any shortcut.

use std::collections::{BTreeMap, BTreeSet};

use md5::{Digest, Md5};
use proptest::prelude::*;
use sha1::Sha1;
use twox_hash::XxHash3_64;

use crate::prints::{PrintOptions, PrintTable, Printer};
use crate::random::{DEFAULT_SEED, Purpose, stream};
use crate::session::Session;
use crate::text::sentences::for_each_sentence;
use crate::text::{Analyzer, AnalyzerOptions};

/// The print of a document by definition: a function of all documents and its number.
type Oracle = fn(&[String], usize) -> Vec<u64>;

fn words(text: &str, min_len: usize) -> Vec<String> {
    let options = AnalyzerOptions { min_word_len: min_len, ..AnalyzerOptions::letters(1) };
    let mut words = Vec::new();
    Analyzer::new(options).for_each_token(text, |token| words.push(token.term.to_string()));
    words
}

fn sentences(text: &str, min_len: usize) -> Vec<Vec<String>> {
    let mut sentences = Vec::new();
    for_each_sentence(text, |range| sentences.push(words(&text[range], min_len)));
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn joined(words: &[String]) -> String {
    words.join("\u{a0}")
}

fn xxh3(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

fn checksum(texts: &[String]) -> Vec<u64> {
    let text: String = texts.iter().map(|text| format!("{text}\n")).collect();
    if texts.is_empty() { vec![] } else { vec![u64::from(crc32fast::hash(text.as_bytes()))] }
}

fn is_term(word: &str) -> bool {
    !word.chars().any(char::is_numeric)
}

fn counts(words: &[String]) -> BTreeMap<String, usize> {
    words.iter().fold(BTreeMap::new(), |mut counts, word| {
        *counts.entry(word.clone()).or_default() += 1;
        counts
    })
}

/// Returns the first `limit` words by descending weight, in alphabetical order.
fn heaviest(weights: Vec<(String, f64)>, limit: usize) -> Vec<String> {
    let mut weights = weights;
    // A stable sort leaves ties in alphabetical order.
    weights.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut chosen: Vec<String> = weights.into_iter().take(limit).map(|(word, _)| word).collect();
    chosen.sort();
    chosen
}

fn longest_sentences(text: &str) -> Vec<Vec<String>> {
    let mut all = sentences(text, 1);
    all.sort_by_key(|sentence| joined_key(sentence));
    all
}

fn joined_key(sentence: &[String]) -> (std::cmp::Reverse<usize>, String) {
    (std::cmp::Reverse(sentence.len()), joined(sentence))
}

fn document_frequency(texts: &[String], word: &str, min_len: usize) -> f64 {
    texts.iter().filter(|text| words(text, min_len).iter().any(|w| w == word)).count() as f64
}

fn documents(texts: &[String], min_len: usize) -> f64 {
    texts.iter().filter(|text| !words(text, min_len).is_empty()).count() as f64
}

fn tf_idf_weights(texts: &[String], number: usize) -> Vec<(String, f64)> {
    let all = words(&texts[number], 4);
    let terms: Vec<String> = all.iter().filter(|word| is_term(word)).cloned().collect();
    let weight = |(word, count): (String, usize)| {
        let idf = libm::log(documents(texts, 4) / document_frequency(texts, &word, 4));
        (word, count as f64 / all.len() as f64 * idf)
    };
    counts(&terms).into_iter().map(weight).collect()
}

fn bm25_weights(texts: &[String], number: usize) -> Vec<(String, f64)> {
    let all = words(&texts[number], 4);
    let terms: Vec<String> = all.iter().filter(|word| is_term(word)).cloned().collect();
    let total: usize = texts.iter().map(|text| words(text, 4).len()).sum();
    let mean = (total as f64 / documents(texts, 4)).max(1.0);
    let weight = |(word, count): (String, usize)| {
        let (tf, df) = (count as f64, document_frequency(texts, &word, 4));
        let idf = libm::log((documents(texts, 4) - df + 0.5) / (df + 0.5));
        let length = all.len() as f64 / mean;
        (idf >= 0.0).then(|| (word, tf / (2.0 * ((1.0 - 0.75) + 0.75 * length) + tf) * idf))
    };
    counts(&terms).into_iter().filter_map(weight).collect()
}

fn shingles(text: &str, size: usize) -> BTreeSet<u64> {
    let words = words(text, 1);
    if words.is_empty() {
        return BTreeSet::new();
    }
    words.windows(size.min(words.len())).map(|words| xxh3(&joined(words))).collect()
}

fn minima(text: &str, functions: usize) -> Vec<u32> {
    let elements: Vec<u32> = shingles(text, 5).into_iter().map(|hash| hash as u32).collect();
    let mut generator = stream(DEFAULT_SEED, Purpose::MinWiseHashes, 0, 0);
    let mut draw = || rand::RngExt::random::<u32>(&mut generator);
    let functions: Vec<(u32, u32)> = (0..functions).map(|_| (draw() | 1, draw())).collect();
    let lowest =
        |(a, b): &(u32, u32)| elements.iter().map(|x| a.wrapping_mul(*x).wrapping_add(*b)).min();
    functions.iter().filter_map(lowest).collect()
}

fn supershingles(text: &str) -> Vec<u64> {
    let hash = |group: &[u32]| {
        XxHash3_64::oneshot(&group.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
    };
    minima(text, 84).chunks(14).map(hash).collect()
}

/// Polynomial hashes of all substrings of a text.
fn substring_hashes(text: &[char], length: usize) -> Vec<u64> {
    let hash = |window: &[char]| {
        let mut found = 0;
        crate::prints::rolling::for_each_substring(window, window.len(), |_, hash| {
            found = crate::prints::rolling::mixed(hash);
        });
        found
    };
    if text.is_empty() { vec![] } else { text.windows(length.min(text.len())).map(hash).collect() }
}

fn sorted(hashes: impl IntoIterator<Item = u64>) -> Vec<u64> {
    hashes.into_iter().collect::<BTreeSet<u64>>().into_iter().collect()
}

fn lexicon_words(texts: &[String], number: usize) -> Vec<String> {
    let all = documents(texts, 1);
    let distinct: BTreeSet<String> = words(&texts[number], 1).into_iter().collect();
    let bounds = [libm::pow(all, 1.0 - 0.9), libm::pow(all, 1.0 - 0.1)];
    let is_medium = |word: &String| {
        let df = document_frequency(texts, word, 1);
        is_term(word) && (bounds[0]..=bounds[1]).contains(&df)
    };
    distinct.into_iter().filter(is_medium).collect()
}

fn sha1_of(words: &[String]) -> u64 {
    let text: String = words.iter().map(|word| format!("{word}\n")).collect();
    let digest = Sha1::digest(text.as_bytes());
    u64::from_be_bytes(digest[..8].try_into().unwrap())
}

fn longest_words(text: &str) -> Vec<String> {
    let mut distinct: Vec<String> = counts(&words(text, 1)).into_keys().collect();
    distinct.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    distinct.truncate(5);
    distinct
}

fn consonants(text: &str) -> Vec<char> {
    text.chars().filter(|c| c.is_alphabetic() && !"aeiouyаеиоу".contains(*c)).collect()
}

const ORACLES: &[(&str, Oracle)] = &[
    ("md5", |texts, number| {
        let all = words(&texts[number], 1);
        let digest = Md5::digest(joined(&all).as_bytes());
        let halves = digest.chunks(8).map(|half| u64::from_be_bytes(half.try_into().unwrap()));
        if all.is_empty() { vec![] } else { halves.collect() }
    }),
    ("long_sent", |texts, number| {
        let two: Vec<String> =
            longest_sentences(&texts[number]).iter().take(2).map(|s| joined(s)).collect();
        checksum(&two)
    }),
    ("a2:sentences_per_print=1", |texts, number| {
        let one: Vec<String> =
            longest_sentences(&texts[number]).iter().take(1).map(|s| joined(s)).collect();
        checksum(&one)
    }),
    ("heavy_sent", |texts, number| {
        let weights: BTreeMap<String, f64> = tf_idf_weights(texts, number).into_iter().collect();
        let weight = |sentence: &Vec<String>| {
            sentence.iter().map(|word| weights.get(word).copied().unwrap_or(0.0)).sum::<f64>()
        };
        let mut all = sentences(&texts[number], 4);
        all.sort_by_key(|sentence| joined(sentence));
        checksum(&heaviest(all.iter().map(|s| (joined(s), weight(s))).collect(), 2))
    }),
    ("tf:words_per_print=3", |texts, number| {
        let mut terms = words(&texts[number], 4);
        terms.retain(|word| is_term(word));
        let weights = counts(&terms).into_iter().map(|(word, count)| (word, count as f64));
        checksum(&heaviest(weights.collect(), 3))
    }),
    ("a1", |texts, number| {
        let all = counts(&words(&texts[number], 1));
        checksum(&heaviest(all.into_iter().map(|(word, count)| (word, count as f64)).collect(), 6))
    }),
    ("tf_idf:words_per_print=2", |texts, number| {
        checksum(&heaviest(tf_idf_weights(texts, number), 2))
    }),
    ("tf_idf:weight=bm25,words_per_print=3", |texts, number| {
        checksum(&heaviest(bm25_weights(texts, number), 3))
    }),
    ("imatch:min_idf=0.1,max_idf=0.9,min_terms=1", |texts, number| {
        let words = lexicon_words(texts, number);
        if words.len() > 1 { vec![sha1_of(&words)] } else { vec![] }
    }),
    ("shingles:shingle_size=2,smallest=5", |texts, number| {
        shingles(&texts[number], 2).into_iter().take(5).collect()
    }),
    ("shingles:shingle_size=3,modulus=2", |texts, number| {
        shingles(&texts[number], 3).into_iter().filter(|hash| hash % 2 == 0).collect()
    }),
    ("shingles:shingle_size=2,overlap=none,modulus=1", |texts, number| {
        let all = words(&texts[number], 1);
        match all.len() {
            0 => vec![],
            1 => vec![xxh3(&joined(&all))],
            _ => sorted(all.chunks_exact(2).map(|words| xxh3(&joined(words)))),
        }
    }),
    ("shingles:unit=characters,shingle_size=4,modulus=1", |texts, number| {
        let text: Vec<char> = words(&texts[number], 1).concat().chars().collect();
        sorted(substring_hashes(&text, 4))
    }),
    ("supershingles", |texts, number| supershingles(&texts[number])),
    ("megashingles", |texts, number| {
        let groups = supershingles(&texts[number]);
        let mut pairs = Vec::new();
        for one in 0..groups.len() {
            for other in one + 1..groups.len() {
                let bytes = [groups[one].to_le_bytes(), groups[other].to_le_bytes()].concat();
                pairs.push(XxHash3_64::oneshot(&bytes));
            }
        }
        pairs
    }),
    ("minhash:groups=4,hashes=10", |texts, number| {
        minima(&texts[number], 8).into_iter().map(u64::from).collect()
    }),
    ("simhash", |texts, number| {
        let all = words(&texts[number], 1);
        let sum = |bit: usize| {
            let sign = |word: &String| if xxh3(word) >> bit & 1 == 1 { 1 } else { -1 };
            all.iter().map(sign).sum::<i32>()
        };
        let bits = (0..64).filter(|bit| sum(*bit) >= 0).map(|bit| 1u64 << bit);
        if all.is_empty() { vec![] } else { vec![bits.sum()] }
    }),
    ("winnowing:substring=3,window=4", |texts, number| {
        let text: Vec<char> = words(&texts[number], 1).concat().chars().collect();
        let hashes = substring_hashes(&text, 3);
        if hashes.is_empty() {
            return vec![];
        }
        let windows = hashes.windows(4.min(hashes.len()));
        sorted(windows.map(|window| *window.iter().min().unwrap()))
    }),
    ("sif:anchors=ab,anchors=b,substring=4", |texts, number| {
        let text: Vec<char> = joined(&words(&texts[number], 1)).chars().collect();
        let follows_anchor = |at: usize| {
            let before: String = text[..at].iter().collect();
            before.ends_with("ab") || before.ends_with('b')
        };
        let starts = (0..(text.len() + 1).saturating_sub(4)).filter(|at| follows_anchor(*at));
        sorted(starts.map(|at| substring_hashes(&text[at..at + 4], 4)[0]))
    }),
    ("sif:anchors=all,substring=3,modulus=2", |texts, number| {
        let text: Vec<char> = joined(&words(&texts[number], 1)).chars().collect();
        let all = if text.len() < 3 { vec![] } else { substring_hashes(&text, 3) };
        sorted(all.into_iter().filter(|hash| hash % 2 == 0))
    }),
    ("koala:substring=6,substrings=4", |texts, number| {
        let letters = consonants(&words(&texts[number], 1).concat());
        if letters.len() < 5 {
            return vec![];
        }
        let length = letters.len().min(6);
        let firsts = substring_hashes(&letters, 5);
        let count = |hash: u64| firsts.iter().filter(|other| **other == hash).count();
        let mut starts: Vec<(usize, u64, usize)> = (0..=letters.len() - length)
            .filter(|at| !firsts[..*at].contains(&firsts[*at]))
            .map(|at| (count(firsts[at]), firsts[at], at))
            .collect();
        starts.sort();
        let chosen = starts.into_iter().take(4);
        sorted(chosen.map(|(.., at)| substring_hashes(&letters[at..at + length], length)[0]))
    }),
    ("sent_words", |texts, number| {
        let all = longest_sentences(&texts[number]);
        if all.is_empty() {
            return vec![];
        }
        let mut signs: Vec<u64> = Vec::new();
        for sentence in &all {
            let sign = xxh3(&joined(sentence));
            if !signs.contains(&sign) {
                signs.push(sign);
            }
        }
        signs.resize(3.max(signs.len()), 0);
        let mut longest: Vec<u64> = longest_words(&texts[number]).iter().map(|w| xxh3(w)).collect();
        longest.resize(5, 0);
        let length = words(&texts[number], 1).len() as u64;
        [&[length, all.len() as u64], &signs[..3], &longest[..]].concat()
    }),
];

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[ab]{1,3}",
        prop::sample::select(vec![
            "alpha",
            "beta",
            "gamma",
            "delta",
            "bab42",
            "Straße",
            "привет",
            "2024"
        ])
        .prop_map(String::from),
    ];
    let end = prop::sample::select(vec![" ", " ", " ", " ", ". ", "! ", ".\n\n"]);
    prop::collection::vec((word, end), 0..30)
        .prop_map(|parts| parts.into_iter().map(|(word, end)| format!("{word}{end}")).collect())
}

fn prints(spec: &str, texts: &[String]) -> PrintTable {
    let mut printer = spec.parse::<crate::prints::MethodSpec>().unwrap().printer().unwrap();
    printer.print_all(texts, &Session::silent())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn prints_are_those_of_the_definitions(texts in prop::collection::vec(text(), 1..6)) {
        for (spec, oracle) in ORACLES {
            let found = prints(spec, &texts);
            for number in 0..texts.len() {
                prop_assert_eq!(found.get(number), oracle(&texts, number), "{} of {:?} in {:?}", spec, &texts[number], &texts);
            }
        }
    }
}

#[test]
fn every_method_prints_texts_without_words_sentences_or_letters() {
    let long = "word ".repeat(3000);
    let texts =
        ["", "...", "one", "1 2 3", "no marks at all here", &long, "漢字かな交じり文。次の文。"];
    let texts = texts.map(String::from);
    for entry in crate::prints::METHODS {
        let table = Printer::new(entry.name, &PrintOptions::default())
            .unwrap()
            .print_all(&texts, &Session::silent());
        assert_eq!(table.len(), texts.len(), "{}", entry.name);
        assert!(table.get(0).is_empty() && table.get(1).is_empty(), "{}", entry.name);
    }
}

#[test]
fn random_lexicons_survive_a_changed_word() {
    // Words of medium document frequency stand in three of thirty documents; a word of one document is in no lexicon.
    let letters = |number: usize| -> String {
        number.to_string().bytes().map(|digit| (b'a' + digit - b'0') as char).collect()
    };
    let topic = |topic: usize, change: Option<String>| {
        let mut words: Vec<String> =
            (0..30).map(|word| format!("w{}{}", letters(topic), letters(word + 10))).collect();
        if let Some(change) = change {
            words[7] = change;
        }
        words.join(" ")
    };
    let texts: Vec<String> = (0..30)
        .map(|number| match number % 3 {
            0 => topic(number / 3, None),
            1 => topic(number / 3, Some(format!("unique{}", letters(number)))),
            _ => topic(number / 3, None),
        })
        .collect();
    let plain = prints("imatch:min_idf=0.1,max_idf=0.9", &texts);
    let random = prints("imatch_random:min_idf=0.1,max_idf=0.9", &texts);
    let agree = |one: &[u64], other: &[u64]| one.iter().zip(other).any(|(a, b)| a == b && *a != 0);
    let share = |table: &PrintTable| {
        (0..10).filter(|topic| agree(table.get(3 * topic), table.get(3 * topic + 1))).count()
    };
    assert_eq!(share(&plain), 0);
    assert!(share(&random) >= 9, "{}", share(&random));
}

#[test]
fn foreign_options_and_names_are_refused() {
    let refusal = |text: &str| text.parse::<crate::prints::MethodSpec>().unwrap_err();
    assert_eq!(refusal("md5:smallest=3"), "--smallest has no effect on md5");
    assert!(refusal("sha").starts_with("unknown method 'sha'; expected one of md5, sif"));
    assert!(refusal("shingles:smallest=0").contains("at least 1"));
    assert!(refusal("shingles:small=1").contains("--small"));
    assert!(refusal("tf_idf:k1=1").contains("--weight bm25"));
}
