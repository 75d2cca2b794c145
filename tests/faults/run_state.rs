//! The working folder of `evaluate_methods` as files: whether each run in it is whole, and its content without measured seconds.

use std::collections::BTreeSet;

use super::Files;
use super::state::is_part;

/// The end of the name of a description.
const DESCRIPTION: &str = ".json";

/// Returns whether a file describes a run.
pub fn is_description(name: &str) -> bool {
    name.ends_with(DESCRIPTION)
}

/// Fails unless every described run in a folder is all old or all new.
pub fn described_violation(folder: &str, known: [&Files; 2], state: &Files) -> Result<(), String> {
    let is_described = |run: &&str| state.contains_key(&format!("{run}{DESCRIPTION}"));
    runs(folder, [state, known[0], known[1]])
        .into_iter()
        .filter(is_described)
        .try_for_each(|run| violation(run, known, state))
}

/// Fails unless every run in a folder is all old or all new, described or not.
pub fn all_violation(folder: &str, known: [&Files; 2], state: &Files) -> Result<(), String> {
    let runs = runs(folder, [state, known[0], known[1]]);
    runs.into_iter().try_for_each(|run| violation(run, known, state))
}

/// Returns the names of all runs in a folder, without endings.
fn runs<'a>(folder: &str, states: [&'a Files; 3]) -> BTreeSet<&'a str> {
    let files = states.into_iter().flat_map(Files::keys);
    let files = files.filter(|name| name.starts_with(folder) && !name.ends_with('/'));
    files.map(|name| name.split_once('.').map_or(&**name, |(run, _)| run)).collect()
}

fn violation(run: &str, known: [&Files; 2], state: &Files) -> Result<(), String> {
    let is_of_run = |name: &str| name.split_once('.').is_some_and(|(start, _)| start == run);
    let files = |files: &Files| -> Files {
        let own = files.iter().filter(|(name, _)| is_of_run(name) && !is_part(name));
        own.map(|(name, content)| (name.clone(), content.clone())).collect()
    };
    match known.iter().any(|known| files(known) == files(state)) {
        true => Ok(()),
        false => Err(format!("{run} is neither all old nor all new")),
    }
}

/// Returns files in which descriptions of runs and tables of methods state 0 seconds. Everything else stays, so that incomplete files differ.
pub fn timeless(mut files: Files) -> Files {
    for (name, content) in &mut files {
        let separator = match name.rsplit_once('.') {
            Some((_, "csv")) => ",",
            Some((_, "md")) => " | ",
            Some((_, "json")) => "\n",
            _ => continue,
        };
        let Ok(text) = std::str::from_utf8(content) else { continue };
        *content = match separator {
            "\n" => timeless_description(text),
            _ => timeless_table(text, separator),
        }
        .into_bytes();
    }
    files
}

fn timeless_description(text: &str) -> String {
    let Some((head, rest)) = text.split_once("\"seconds\": ") else { return text.into() };
    let end = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c));
    format!("{head}\"seconds\": 0{end}")
}

fn timeless_table(text: &str, separator: &str) -> String {
    let header = text.lines().next().unwrap_or_default();
    let column = header.split(separator).position(|cell| cell == "seconds");
    let Some(column) = column else { return text.into() };
    let timeless = |line: &str| {
        let mut cells: Vec<&str> = line.split(separator).collect();
        cells.get_mut(column).into_iter().for_each(|cell| *cell = "0");
        cells.join(separator)
    };
    let rows = text.split('\n').skip(1).map(timeless);
    [header.to_string()].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_seconds_are_ignored() {
    let files = |seconds: &str, pairs: &str| -> Files {
        let texts = [
            ("runs/tf.json", format!("{{\n  \"seconds\": {seconds},\n  \"bytes\": {pairs}\n}}\n")),
            ("t.csv", format!("method,seconds,pairs\ntf,{seconds},{pairs}\n")),
            ("t.md", format!("| method | seconds | pairs |\n| tf | {seconds} | {pairs} |\n")),
            ("runs/tf.tsv.zst", pairs.into()),
        ];
        let files = texts.into_iter().map(|(name, text)| (name.into(), text.into_bytes()));
        timeless(files.collect())
    };
    assert_eq!(files("1.25e-5", "7"), files("0.031", "7"));
    let (found, other) = (files("1", "7"), files("1", "8"));
    assert!(found.iter().all(|(name, content)| other[name] != *content));
    let cut: Files = [("t.csv".into(), b"method,seconds,pairs\ntf,0.0".to_vec())].into();
    assert_ne!(timeless(cut)["t.csv"], found["t.csv"]);
}

#[test]
fn a_description_of_other_pairs_is_caught() {
    let files = |description: &str, pairs: &str| -> Files {
        let files = [("runs/tf.json", description), ("runs/tf.tsv.zst", pairs)];
        files.map(|(name, content)| (name.to_string(), content.into())).into()
    };
    let (old, new) = (files("old", "old"), files("new", "new"));
    let mixed = files("old", "new");
    let told = "runs/tf is neither all old nor all new".to_string();
    assert_eq!(described_violation("runs/", [&old, &new], &mixed), Err(told.clone()));
    assert_eq!(described_violation("runs/", [&old, &new], &new), Ok(()));
    let mut undescribed = new.clone();
    undescribed.remove("runs/tf.json");
    assert_eq!(described_violation("runs/", [&old, &new], &undescribed), Ok(()));
    assert_eq!(all_violation("runs/", [&old, &new], &undescribed), Err(told));
}
