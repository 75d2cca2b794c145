//! Result files read naively, and the measures computed from all their pairs at once by their definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

/// A result: for each document with a line, its similarities to others.
pub type ResultMap = BTreeMap<String, BTreeMap<String, f64>>;

/// Reads a result. Each document of a group has the similarities of the group's line, and 100 to the rest of the group.
/// With a sample a line is about its first document alone.
pub fn read_result(text: &str, of_sample: bool) -> ResultMap {
    let mut said = ResultMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let head = members(fields[0]);
        let about = if of_sample { &head[..1] } else { &head[..] };
        for document in about {
            let mates = head.iter().filter(|mate| *mate != document);
            let mut others: BTreeMap<String, f64> =
                mates.map(|mate| (mate.clone(), 100.0)).collect();
            for found in fields[1..].chunks(2) {
                let similarity: f64 = found[1].parse().unwrap();
                others.extend(members(found[0]).into_iter().map(|other| (other, similarity)));
            }
            assert!(said.insert(document.clone(), others).is_none(), "{document} has two lines");
        }
    }
    said
}

/// Returns the documents of `a` or `a(b c)`.
fn members(group: &str) -> Vec<String> {
    let flat = group.replace('(', " ").replace(')', "");
    flat.split(' ').map(str::to_string).collect()
}

/// The similarities of one document to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScorePair {
    pub sim: Option<f64>,
    pub ham: Option<f64>,
}

/// Both results by document and other document.
pub type Comparison = BTreeMap<String, BTreeMap<String, ScorePair>>;

/// Aligns two results.
pub fn side_by_side(sims: &ResultMap, hams: &ResultMap) -> Comparison {
    let nothing = BTreeMap::new();
    let documents: BTreeSet<&String> = sims.keys().chain(hams.keys()).collect();
    let compared = |document: &String| {
        let sim = sims.get(document).unwrap_or(&nothing);
        let ham = hams.get(document).unwrap_or(&nothing);
        let others: BTreeSet<&String> = sim.keys().chain(ham.keys()).collect();
        let values = |other: &String| ScorePair {
            sim: sim.get(other).copied(),
            ham: ham.get(other).copied(),
        };
        others.into_iter().map(|other| (other.clone(), values(other))).collect()
    };
    documents.into_iter().map(|document| (document.clone(), compared(document))).collect()
}

/// Parameters of compare_results besides its files.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub threshold_sim: f64,
    pub threshold_ham: f64,
    pub bits: usize,
}

/// Returns all measures by name; `None` where nothing defines a value.
pub fn measures(comparison: &Comparison, settings: Settings) -> BTreeMap<String, Option<f64>> {
    let pairs: Vec<ScorePair> = comparison.values().flat_map(|o| o.values().copied()).collect();
    let count = |has: fn(&ScorePair) -> bool| Some(pairs.iter().filter(|p| has(p)).count() as f64);
    let raw: Vec<(f64, f64)> = pairs.iter().filter_map(|p| p.sim.zip(p.ham)).collect();
    let calibrated: Vec<(f64, f64)> = raw.iter().map(|(c, h)| (*c, calibrated(*h))).collect();
    let mut all: BTreeMap<String, Option<f64>> = BTreeMap::new();
    let mut put = |name: &str, value: Option<f64>| {
        assert!(all.insert(name.to_string(), value).is_none());
    };
    put("documents", Some(comparison.len() as f64));
    put("pairs_both", count(|p| p.sim.is_some() && p.ham.is_some()));
    put("pairs_sim_only", count(|p| p.sim.is_some() && p.ham.is_none()));
    put("pairs_ham_only", count(|p| p.sim.is_none() && p.ham.is_some()));
    differences(&raw, "", &mut put);
    differences(&calibrated, "_calibrated", &mut put);
    theory(&raw, settings.bits, &mut put);
    let is_relevant = |pair: &ScorePair| pair.sim.is_some_and(|c| c >= settings.threshold_sim);
    let is_near = |pair: &ScorePair| pair.ham.is_some_and(|h| h >= settings.threshold_ham);
    let is_calibrated_near =
        |pair: &ScorePair| pair.ham.is_some_and(|h| self::calibrated(h) >= settings.threshold_sim);
    retrieval(comparison, is_relevant, is_near, "", &mut put);
    retrieval(comparison, is_relevant, is_calibrated_near, "_calibrated", &mut put);
    all
}

/// Returns the cosine that a Hamming similarity stands for.
fn calibrated(hamming: f64) -> f64 {
    100.0 * (PI * (1.0 - hamming / 100.0)).cos()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the unbiased variance of at least two values.
fn variance(values: &[f64]) -> f64 {
    let centre = mean(values).unwrap();
    values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Returns the pairs whose reference lies in (i, i + 1], for i from 0 to 99, for bins of at least two pairs.
fn bins(pairs: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let bin = |low: i32| {
        let (low, high) = (f64::from(low), f64::from(low + 1));
        pairs.iter().filter(|(c, _)| *c > low && *c <= high).copied().collect::<Vec<_>>()
    };
    (0..100).map(bin).filter(|bin| bin.len() >= 2).collect()
}

fn differences(pairs: &[(f64, f64)], suffix: &str, put: &mut impl FnMut(&str, Option<f64>)) {
    let absolute: Vec<f64> = pairs.iter().map(|(c, h)| (c - h).abs()).collect();
    let squares: Vec<f64> = absolute.iter().map(|difference| difference.powi(2)).collect();
    let estimates = |bin: &Vec<(f64, f64)>| bin.iter().map(|(_, h)| *h).collect::<Vec<f64>>();
    let scatter: Vec<f64> = bins(pairs).iter().map(|bin| variance(&estimates(bin))).collect();
    put(&format!("L1{suffix}"), mean(&absolute));
    put(&format!("L2{suffix}"), mean(&squares));
    put(&format!("largest_difference{suffix}"), absolute.iter().copied().reduce(f64::max));
    put(&format!("S{suffix}"), mean(&scatter));
}

/// Adds the predicted S, from sampling alone and with the spread of p within bins, and the predicted calibrated L1: √(2/π) times the deviation
/// of a share of bits, times the slope of the map to cosines.
fn theory(pairs: &[(f64, f64)], bits: usize, put: &mut impl FnMut(&str, Option<f64>)) {
    let probability = |c: f64| 1.0 - (c / 100.0).acos() / PI;
    let (mut alone, mut with_width) = (Vec::new(), Vec::new());
    for bin in bins(pairs) {
        let p: Vec<f64> = bin.iter().map(|(c, _)| probability(*c)).collect();
        let sampling: Vec<f64> = p.iter().map(|p| 1e4 * p * (1.0 - p) / bits as f64).collect();
        let percentages: Vec<f64> = p.iter().map(|p| 100.0 * p).collect();
        alone.push(mean(&sampling).unwrap());
        with_width.push(mean(&sampling).unwrap() + variance(&percentages));
    }
    let expected_difference = |(c, _): &(f64, f64)| {
        let (p, angle) = (probability(*c), (c / 100.0).acos());
        100.0 * (2.0 / PI).sqrt() * (p * (1.0 - p) / bits as f64).sqrt() * PI * angle.sin()
    };
    let all: Vec<f64> = pairs.iter().map(expected_difference).collect();
    put("L1_calibrated_theory", mean(&all));
    put("S_bins", Some(alone.len() as f64));
    put("S_theory", mean(&alone));
    put("S_theory_with_bin_width", mean(&with_width));
}

fn retrieval(
    comparison: &Comparison,
    is_relevant: impl Fn(&ScorePair) -> bool,
    is_found: impl Fn(&ScorePair) -> bool,
    suffix: &str,
    put: &mut impl FnMut(&str, Option<f64>),
) {
    let ratio = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
    let (mut precisions, mut recalls, mut sums) = (Vec::new(), Vec::new(), (0, 0, 0));
    for others in comparison.values() {
        let relevant = others.values().filter(|pair| is_relevant(pair)).count();
        let found = others.values().filter(|pair| is_found(pair)).count();
        let both = others.values().filter(|pair| is_relevant(pair) && is_found(pair)).count();
        precisions.extend(ratio(both, found));
        recalls.extend(ratio(both, relevant));
        sums = (sums.0 + both, sums.1 + found, sums.2 + relevant);
    }
    let means = (mean(&precisions), mean(&recalls));
    let pooled = (ratio(sums.0, sums.1), ratio(sums.0, sums.2));
    for ((precision, recall), kind) in [(means, ""), (pooled, "_pairs")] {
        put(&format!("P{kind}{suffix}"), precision);
        put(&format!("R{kind}{suffix}"), recall);
        put(&format!("F1{kind}{suffix}"), precision.zip(recall).map(|(p, r)| f1(p, r)));
    }
}

fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}
