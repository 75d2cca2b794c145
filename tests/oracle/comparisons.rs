//! Compares compare_results with the definitions of the measures.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;

use super::cases;
use super::collections::{
    Expected, documents, make_signatures, make_vectors, picks, write, write_sample,
};
use super::measures::{Comparison, ScorePair, Settings, measures, read_result, side_by_side};
use super::signatures::label;
use super::texts::PLAIN;
use super::whole;
use crate::common::{Work, gzip};

fn settings() -> impl Strategy<Value = Settings> {
    let sim = prop::sample::select(&[10.0, 50.0, 62.5, 80.0, 100.0][..]);
    let ham = prop::sample::select(&[0.0, 50.0, 62.5, 79.5, 100.0][..]);
    let bits = prop::sample::select(&[4usize, 64, 256, 1024][..]);
    (sim, ham, bits).prop_map(|(threshold_sim, threshold_ham, bits)| Settings {
        threshold_sim,
        threshold_ham,
        bits,
    })
}

/// Runs compare_results on `sim` and `ham` and checks all output against the oracle.
fn assert_comparison(work: &Work, settings: Settings, all_pairs: bool) {
    let Settings { threshold_sim, threshold_ham, bits } = settings;
    let mode = if all_pairs { "--all_pairs" } else { "" };
    let line = format!(
        "compare_results -sim sim -ham ham -threshold_sim {threshold_sim} -threshold_ham {threshold_ham} -sig_len {bits} {mode}"
    );
    work.ok(&format!("{line} -out out -summary summary.csv"));
    work.ok(&format!("{line} -out out -summary summary.json"));
    let sims = read_result(&work.read("sim"), !all_pairs);
    let hams = read_result(&work.read("ham"), !all_pairs);
    let comparison = side_by_side(&sims, &hams);
    let out = work.read("out");
    let (body, summary) = out.split_once("\nSummary:\n").unwrap();
    assert_eq!(read_comparison(body), comparison);
    if all_pairs {
        assert_eq!(body, whole::compared(&work.read("sim"), &work.read("ham")));
    }
    let expected = measures(&comparison, settings);
    // The readable summary has six decimals.
    assert_measures(&split_lines(summary, ' ', "-"), &expected, 5.1e-7);
    let csv = work.read("summary.csv");
    let rows = split_lines(csv.strip_prefix("measure,value\n").unwrap(), ',', "");
    assert_measures(&rows, &expected, 0.0);
    let json: BTreeMap<String, Option<f64>> =
        serde_json::from_str(&work.read("summary.json")).unwrap();
    assert_measures(&json, &expected, 0.0);
}

/// Returns the lines of compare_results about pairs.
fn read_comparison(text: &str) -> Comparison {
    let mut comparison = Comparison::new();
    let mut document = String::new();
    let value = |text: &str| (text != "-").then(|| text.parse::<f64>().unwrap());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Results for ").and_then(|l| l.strip_suffix(':')) {
            document = name.to_string();
            assert!(comparison.insert(document.clone(), BTreeMap::new()).is_none(), "{name} twice");
        } else {
            let fields: Vec<&str> = line.split(' ').collect();
            let compared = ScorePair { sim: value(fields[1]), ham: value(fields[2]) };
            let others = comparison.get_mut(&document).unwrap();
            assert!(others.insert(fields[0].to_string(), compared).is_none(), "{line} twice");
        }
    }
    comparison
}

/// Returns a table of measures, one row per line.
fn split_lines(text: &str, between: char, no_value: &str) -> BTreeMap<String, Option<f64>> {
    let row = |line: &str| {
        let (name, value) = line.split_once(between).unwrap();
        (name.to_string(), (value != no_value).then(|| value.parse().unwrap()))
    };
    text.lines().map(row).collect()
}

fn assert_measures(
    found: &BTreeMap<String, Option<f64>>,
    expected: &BTreeMap<String, Option<f64>>,
    rounding: f64,
) {
    assert!(found.keys().eq(expected.keys()), "{:?}\n{:?}", found.keys(), expected.keys());
    for (name, value) in expected {
        let is_near = match (value, found[name]) {
            (Some(value), Some(found)) => {
                (value - found).abs() <= rounding + 1e-9 * value.abs().max(1.0)
            }
            (value, found) => value.is_none() && found.is_none(),
        };
        assert!(is_near, "{name}: found {:?}, expected {value:?}", found[name]);
    }
}

/// Generated similarities of a few documents.
#[derive(Debug, Clone)]
struct GeneratedResults {
    names: Vec<String>,
    /// For each pair of documents, the reference in quarters of a percent.
    sims: Vec<Vec<Option<i32>>>,
    /// The signature of each document, as a number.
    groups: Vec<usize>,
    /// For each pair of signatures, in how many of 64 bits they agree.
    hams: Vec<Vec<Option<u32>>>,
}

const MOST_DOCUMENTS: usize = 9;
const GROUPS: usize = 6;

fn generated_results() -> impl Strategy<Value = GeneratedResults> {
    // Many equal and integral values, so that bins fill up and values fall on their borders.
    let sim = prop_oneof![
        3 => Just(None),
        2 => (-400..=400).prop_map(Some),
        4 => (200..=208).prop_map(Some),
        2 => (310..=325).prop_map(Some),
        1 => Just(Some(400)),
        1 => Just(Some(0)),
    ];
    let ham = prop_oneof![2 => Just(None), 5 => (0..64u32).prop_map(Some)];
    let groups = prop::collection::vec(0..GROUPS, 2..=MOST_DOCUMENTS);
    (square_of(sim, MOST_DOCUMENTS), groups, square_of(ham, GROUPS)).prop_map(
        |(sims, groups, hams)| {
            let names = (0..groups.len()).map(|number| format!("d%20{number}")).collect();
            GeneratedResults { names, sims, groups, hams }
        },
    )
}

fn square_of<S: Strategy + Clone>(
    cell: S,
    size: usize,
) -> impl Strategy<Value = Vec<Vec<S::Value>>> {
    prop::collection::vec(prop::collection::vec(cell, size), size)
}

impl GeneratedResults {
    /// Returns a document's line in the reference.
    fn sim_line(&self, document: usize) -> Option<String> {
        let mut line = String::new();
        for other in (0..self.names.len()).filter(|other| *other != document) {
            if let Some(quarters) = self.sims[document.min(other)][document.max(other)] {
                line += &format!(":{}:{}", self.names[other], f64::from(quarters) / 4.0);
            }
        }
        (!line.is_empty()).then(|| format!("{}{line}\n", self.names[document]))
    }

    fn members(&self, group: usize) -> Vec<usize> {
        (0..self.names.len()).filter(|document| self.groups[*document] == group).collect()
    }

    fn label(&self, documents: &[usize]) -> String {
        label(&documents.iter().map(|d| self.names[*d].clone()).collect::<Vec<_>>())
    }

    /// Returns the line of the approximation after its head.
    fn ham_matches(&self, group: usize) -> String {
        let mut line = String::new();
        for other in (0..GROUPS).filter(|other| *other != group) {
            let members = self.members(other);
            if let (Some(bits), false) =
                (self.hams[group.min(other)][group.max(other)], members.is_empty())
            {
                line += &format!(":{}:{}", self.label(&members), f64::from(100 * bits) / 64.0);
            }
        }
        line
    }

    /// Returns a document's line in the approximation for a sample: the document is first in its group.
    fn ham_line(&self, document: usize) -> String {
        let group = self.groups[document];
        let mut members = self.members(group);
        members.retain(|other| *other != document);
        members.insert(0, document);
        format!("{}{}\n", self.label(&members), self.ham_matches(group))
    }

    fn write_sample(&self, work: &Work, documents: &[usize]) {
        let bare = |document: usize| format!("{}\n", self.names[document]);
        let sims = documents.iter().map(|d| self.sim_line(*d).unwrap_or_else(|| bare(*d)));
        work.write("sim", sims.collect::<String>());
        work.write("ham", documents.iter().map(|d| self.ham_line(*d)).collect::<String>());
    }

    fn write_all(&self, work: &Work) {
        let sims = (0..self.names.len()).filter_map(|document| self.sim_line(document));
        work.write("sim", sims.collect::<String>());
        let line = |group: usize| {
            let (members, matches) = (self.members(group), self.ham_matches(group));
            let has_line = members.len() > 1 || (members.len() == 1 && !matches.is_empty());
            has_line.then(|| format!("{}{matches}\n", self.label(&members)))
        };
        work.write("ham", (0..GROUPS).filter_map(line).collect::<String>());
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn results_of_a_sample_are_compared_line_by_line(
        invented in generated_results(),
        picks in prop::collection::vec(any::<Index>(), 1..9),
        settings in settings(),
    ) {
        let work = Work::new();
        let mut sample: Vec<usize> = Vec::new();
        for pick in picks {
            let document = pick.index(invented.names.len());
            if !sample.contains(&document) {
                sample.push(document);
            }
        }
        invented.write_sample(&work, &sample);
        assert_comparison(&work, settings, false);
    }

    #[test]
    fn results_of_whole_collections_are_compared_by_document(
        invented in generated_results(), settings in settings(),
    ) {
        let work = Work::new();
        invented.write_all(&work);
        assert_comparison(&work, settings, true);
    }

    #[test]
    fn lines_of_whole_collections_come_in_any_order(
        invented in generated_results(), settings in settings(),
        turns in (0..MOST_DOCUMENTS, 0..GROUPS), methods in 0..3,
    ) {
        let work = Work::new();
        invented.write_all(&work);
        let (sims, hams) = (rotated(&work.read("sim"), turns.0), rotated(&work.read("ham"), turns.1));
        let (sim, ham) = match methods {
            0 => (sims, hams),
            1 => (rotated(&sims, turns.1), sims),
            _ => (rotated(&hams, turns.0), hams),
        };
        work.write("sim", &sim);
        work.write("ham", &ham);
        assert_comparison(&work, settings, true);
        let expected = work.read("out");
        let flags = format!(
            "-threshold_sim {} -threshold_ham {} -sig_len {} --all_pairs",
            settings.threshold_sim, settings.threshold_ham, settings.bits
        );
        work.write("ham.gz", gzip(ham.as_bytes()));
        work.ok(&format!("compare_results -sim sim -ham ham.gz -out zipped {flags}"));
        prop_assert_eq!(work.read("zipped"), expected.clone());
        let line = format!("compare_results -sim sim -ham - -out - {flags}");
        let streamed = work.run_with_input(&line, ham.as_bytes());
        prop_assert_eq!(streamed.stdout, expected);
        let files = ["ham", "ham.gz", "out", "sim", "summary.csv", "summary.json", "zipped"];
        prop_assert_eq!(work.files(), files);
    }
}

/// Returns the lines from number `by` on, then those before in reverse order.
fn rotated(text: &str, by: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, after) = lines.split_at(by.min(lines.len()));
    after.iter().chain(before.iter().rev()).copied().collect()
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn measures_of_the_pipeline_equal_their_definitions(
        documents in documents(), picks in picks(), settings in settings(), tf_only: bool,
        least in prop::sample::select(&["0", "40", "75"][..]),
    ) {
        let work = Work::new();
        write(&work, &documents);
        make_vectors(&work, PLAIN, tf_only, 100);
        make_signatures(&work, settings.bits, "");
        let vectors = Expected::new(&documents, PLAIN, tf_only).vectors;
        let numbers = write_sample(&work, &documents, &vectors, &picks);
        let similarity = format!("similarity -vec_paths vec_paths -out sim -threshold {least}");
        let hamming = format!("hamming_full -sig_paths sig_paths -out ham -threshold {least}");
        work.ok(&similarity);
        work.ok(&hamming);
        assert_comparison(&work, settings, true);
        let sample = "-sample_list sample_list --lines";
        work.ok(&format!("{similarity} {sample}"));
        let some = work.run(&format!("{hamming} {sample}"));
        if numbers.iter().any(|number| !vectors[*number].is_empty()) {
            prop_assert_eq!(some.code, Some(0), "{}", some.stderr);
            assert_comparison(&work, settings, false);
        } else {
            prop_assert_eq!(some.code, Some(1), "a sample without any signature passed");
        }
    }
}
