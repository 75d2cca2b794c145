//! `compare_results` against naive counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use nearsig::Executable;
use nearsig::chain::compare::CompareResults;

use super::content::Choices;
use super::scratch;

/// Number of documents.
const DOCUMENTS: u8 = 16;

/// Pairs of documents and their similarities in percent.
type Similarities = BTreeMap<(u8, u8), u8>;

/// Compares two tables that the input spells, or, if its first byte is odd, the two halves of the rest whatever they are.
///
/// The numbers of documents and pairs, and their differences, are those of a naive count; any two files are compared or refused.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let kind = choices.byte();
    if kind % 2 == 1 {
        let (sim, ham) = choices.rest.split_at(choices.rest.len() / 2);
        let all_pairs = kind & 2 != 0;
        compare(&scratch::write("sim", sim), &scratch::write("ham", ham), all_pairs);
        return;
    }
    let (sims, hams) = (similarities(&mut choices), similarities(&mut choices));
    let sim = scratch::write("sim", table(&sims).as_bytes());
    let ham = scratch::write("ham", table(&hams).as_bytes());
    let measures = compare(&sim, &ham, false).expect("two tables can be compared");
    check_measures(&measures, &sims, &hams);
}

fn similarities(choices: &mut Choices) -> Similarities {
    let mut all = Similarities::new();
    for _ in 0..choices.byte() % 64 {
        let (one, other) = (choices.byte() % DOCUMENTS, choices.byte() % DOCUMENTS);
        if one != other {
            all.insert((one.min(other), one.max(other)), choices.byte() % 101);
        }
    }
    all
}

fn table(pairs: &Similarities) -> String {
    let mut text = "similarity\tdocument_1\tdocument_2\n".to_string();
    for ((low, high), percent) in pairs {
        let (ones, rest) = (percent / 100, percent % 100);
        writeln!(text, "{ones}.{rest:02}\td {low}\td {high}").expect("memory can be written");
    }
    text
}

/// Measures by name.
type MeasureTable = BTreeMap<String, Option<f64>>;

/// Returns the measures, if the files can be compared.
fn compare(sim: &Path, ham: &Path, all_pairs: bool) -> Option<MeasureTable> {
    let summary = scratch::path("summary.json");
    let command = CompareResults {
        sim: sim.into(),
        ham: ham.into(),
        all_pairs,
        out: scratch::path("comparison").into(),
        summary: Some(summary.clone().into()),
        threshold_sim: Some("80".parse().expect("a percentage")),
        threshold_ham: Some("79.5".parse().expect("a percentage")),
        sig_len: Some(64),
        ..CompareResults::default()
    };
    let outcome = scratch::session().install(|| command.run(scratch::session()));
    outcome.map_err(|error| assert!(!error.to_string().is_empty())).ok()?;
    let text = std::fs::read(summary).expect("the summary was written");
    Some(serde_json::from_slice(&text).expect("the summary is JSON"))
}

fn check_measures(measures: &MeasureTable, sims: &Similarities, hams: &Similarities) {
    let of = |name: &str| measures[name].unwrap_or(0.0);
    let documents: BTreeSet<u8> =
        sims.keys().chain(hams.keys()).flat_map(|(low, high)| [*low, *high]).collect();
    assert_eq!(of("documents"), documents.len() as f64);
    let common: Vec<f64> = sims
        .iter()
        .filter_map(|(pair, sim)| Some((f64::from(*sim) - f64::from(*hams.get(pair)?)).abs()))
        .collect();
    // Every pair is listed under both of its documents.
    assert_eq!(of("pairs_both"), 2.0 * common.len() as f64);
    assert_eq!(of("pairs_sim_only"), 2.0 * (sims.len() - common.len()) as f64);
    assert_eq!(of("pairs_ham_only"), 2.0 * (hams.len() - common.len()) as f64);
    let largest = common.iter().copied().fold(0.0, f64::max);
    assert!((of("largest_difference") - largest).abs() < 1e-9);
    let mean = common.iter().sum::<f64>() / common.len().max(1) as f64;
    assert!((of("L1") - mean).abs() < 1e-9, "{}, {mean}", of("L1"));
    check_retrieval(of("R_pairs"), of("P_pairs"), sims, hams);
}

/// Checks precision and recall of pairs, in either order: the thesis exchanges their names.
fn check_retrieval(one: f64, other: f64, sims: &Similarities, hams: &Similarities) {
    let relevant: BTreeSet<_> = sims.iter().filter(|(_, s)| **s >= 80).map(|(p, _)| p).collect();
    let retrieved: BTreeSet<_> = hams.iter().filter(|(_, h)| **h >= 80).map(|(p, _)| p).collect();
    let both = relevant.intersection(&retrieved).count() as f64;
    let share = |all: usize| if all == 0 { 0.0 } else { both / all as f64 };
    let mut expected = [share(relevant.len()), share(retrieved.len())];
    let mut found = [one, other];
    expected.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    let is_near = |(left, right): (&f64, &f64)| (left - right).abs() < 1e-9;
    assert!(found.iter().zip(&expected).all(is_near), "{found:?}, expected {expected:?}");
}
