//! The plan of an experiment: measurements and their configurations, read from `experiment.toml`.
//!
//! ```toml
//! title = "Measures by signature length"
//! tables = ["2.17", "2.20"]             # of the thesis
//!
//! [[grid]]                              # every combination of the values is one row; there may be several grids
//! measure = "approximation"             # grids of one measure share a table
//! collection = ["reuters", "bible"]     # files NAME.jsonl; synthetic-N is created with N documents
//! weighting = ["tf", "tf_idf"]
//! min_df = 2                            # one value needs no brackets
//!
//! [small]                               # replaces these keys of every grid in the small version
//! collection = "sample"
//! ```
//!
//! Illegal values and keys without effect are errors that name file, line and key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::keys::{Configuration, GridKey};
use super::measure::Measurement;
use crate::error::{Error, Result};
use crate::files::input;

/// The measurements of an experiment and their configurations.
#[derive(Debug, Clone)]
pub struct ExperimentPlan {
    /// The name of the experiment's folder.
    pub name: String,
    grids: Vec<Grid>,
    path: PathBuf,
}

impl ExperimentPlan {
    /// Reads an experiment, or its small version.
    pub fn read(path: &Path, small: bool) -> Result<Self> {
        let content = input::read_all(path)?;
        let text = std::str::from_utf8(&content).map_err(|error| {
            Error::parse(path, line_of(&content, error.valid_up_to()), "UTF-8", "other bytes")
        })?;
        let file: PlanFile = toml::from_str(text).map_err(|error| syntax(path, text, &error))?;
        let reader = PlanReader { path, text };
        let mut grids =
            file.grid.iter().map(|grid| reader.grid(grid)).collect::<Result<Vec<Grid>>>()?;
        let replacement = reader.lists(&file.small)?;
        reader.check_replacement(&replacement, &grids)?;
        if small {
            grids.iter_mut().for_each(|grid| grid.replace_with(&replacement));
        }
        grids.iter().try_for_each(|grid| reader.check(grid))?;
        Ok(ExperimentPlan { name: folder_name(path)?, grids, path: path.to_path_buf() })
    }

    /// Returns the distinct measurements in the order of the grids.
    pub fn measurements(&self) -> Vec<Measurement> {
        distinct(self.grids.iter().map(|grid| grid.measurement))
    }

    /// Returns the distinct configurations of a measurement in the order of the grids.
    pub fn configurations(&self, measurement: Measurement) -> Vec<Configuration> {
        let grids = self.grids.iter().filter(|grid| grid.measurement == measurement);
        distinct(grids.flat_map(Grid::configurations))
    }

    /// Fails at the first collection that does not exist in `folder`.
    pub fn check_collections(&self, exists: impl Fn(&str) -> bool, folder: &str) -> Result<()> {
        for list in self.grids.iter().filter_map(|grid| grid.lists.get(&GridKey::Collection)) {
            if let Some(missing) = list.values.iter().find(|value| !exists(value)) {
                let expected = format!("for collection the name of one in {folder}");
                return Err(Error::parse(&self.path, list.line, expected, format!("'{missing}'")));
            }
        }
        Ok(())
    }
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for one in all {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

/// Returns the name of the folder of a file, also for relative paths.
fn folder_name(path: &Path) -> Result<String> {
    let whole = path.canonicalize().map_err(|e| Error::io("open", path, e))?;
    let folder = whole.parent().and_then(Path::file_name);
    Ok(folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
}

/// Lists of values by key. Every combination is a configuration.
#[derive(Debug, Clone)]
struct Grid {
    measurement: Measurement,
    lists: Lists,
    /// The first line in the file.
    line: u64,
}

/// Values by key.
type Lists = BTreeMap<GridKey, ValueList>;

/// Values as written, and their first line.
#[derive(Debug, Clone)]
struct ValueList {
    values: Vec<String>,
    line: u64,
}

impl Grid {
    fn values(&self, key: GridKey) -> &[String] {
        self.lists.get(&key).map_or(&[], |list| &list.values)
    }

    /// Returns the combinations of the values; the last key changes fastest. A key without values is empty.
    fn configurations(&self) -> Vec<Configuration> {
        let mut all = vec![Vec::new()];
        for key in self.measurement.parts().keys {
            let values = match self.values(*key) {
                [] => &[String::new()],
                values => values,
            };
            let extended = |one: &Vec<(GridKey, String)>| {
                let with = |value: &String| [&one[..], &[(*key, value.clone())]].concat();
                values.iter().map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(extended).collect();
        }
        all.into_iter().map(Configuration).collect()
    }

    /// Replaces the values of this grid's keys by others where there are any.
    fn replace_with(&mut self, others: &Lists) {
        for (key, own) in &mut self.lists {
            if let Some(other) = others.get(key) {
                *own = other.clone();
            }
        }
    }
}

/// The content of `experiment.toml`. Title and tables are for reports.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    #[serde(rename = "title")]
    _title: String,
    #[serde(rename = "tables", default)]
    _tables: Vec<String>,
    grid: Vec<Spanned<RawLists>>,
    #[serde(default)]
    small: RawLists,
}

type RawLists = BTreeMap<GridKey, Spanned<Value>>;

/// Checks the content of a file; errors need its name and text.
struct PlanReader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl PlanReader<'_> {
    fn grid(&self, grid: &Spanned<RawLists>) -> Result<Grid> {
        let (mut lists, line) = (self.lists(grid.get_ref())?, self.line(grid));
        let measure = lists.remove(&GridKey::Measure);
        match measure.as_ref().map(|list| (&list.values[..], list.line)) {
            Some(([name], _)) => {
                let measurement = Measurement::from_str(name, false);
                let measurement = measurement.expect("names are checked when lists are read");
                Ok(Grid { measurement, lists, line })
            }
            Some((_, line)) => Err(self.wrong(line, "one measure", "several")),
            None => Err(self.wrong(line, "measure", "none")),
        }
    }

    fn lists(&self, raw: &RawLists) -> Result<Lists> {
        raw.iter().map(|(key, value)| Ok((*key, self.list(*key, value)?))).collect()
    }

    fn list(&self, key: GridKey, raw: &Spanned<Value>) -> Result<ValueList> {
        let (line, mut values) = (self.line(raw), Vec::new());
        let wrong = |expected: &str, found: &str| {
            Err(self.wrong(line, &format!("for {key} {expected}"), found))
        };
        for value in raw.get_ref().as_array().map_or(std::slice::from_ref(raw.get_ref()), |a| a) {
            let text = text_of(value);
            let (is_legal, legal_values) = key.check(&text);
            if !is_legal {
                return wrong(legal_values, &format!("'{text}'"));
            }
            if values.contains(&text) {
                return wrong("distinct values", &format!("'{text}' twice"));
            }
            values.push(text);
        }
        if values.is_empty() {
            return wrong("at least one value", "an empty list");
        }
        Ok(ValueList { values, line })
    }

    /// Checks that a grid has the keys of its measurement and no others: a key without effect is a mistake.
    fn check(&self, grid: &Grid) -> Result<()> {
        let (measurement, keys) = (grid.measurement, grid.measurement.parts().keys);
        let lacks = |key: &GridKey| !grid.lists.contains_key(key) && !measurement.may_omit(*key);
        if let Some(key) = keys.iter().find(|key| lacks(key)) {
            return Err(self.lacks(grid, *key));
        }
        if let Some((key, list)) = grid.lists.iter().find(|(key, _)| !keys.contains(key)) {
            let expected = format!("a key of the measure {}", measurement.name());
            return Err(self.wrong(list.line, &expected, &format!("'{key}'")));
        }
        self.check_methods(grid)
    }

    /// Checks that settings of PLEB are in a grid of PLEB alone, because other methods would be timed again for each, and that reduce_voc reduces.
    fn check_methods(&self, grid: &Grid) -> Result<()> {
        let Some(methods) = grid.lists.get(&GridKey::Method) else { return Ok(()) };
        let has = |name: &str| methods.values.iter().any(|method| method == name);
        let min_df = &grid.lists[&GridKey::MinDf];
        if has("hamming") && methods.values.len() > 1 {
            let expected = "for method hamming a grid of its own";
            return Err(self.wrong(methods.line, expected, "several methods"));
        }
        for key in GridKey::OF_PLEB {
            match grid.lists.get(&key) {
                None if has("hamming") => return Err(self.lacks(grid, key)),
                Some(list) if !has("hamming") => {
                    let found = format!("'{key}'");
                    return Err(self.wrong(list.line, "a key of the grid's methods", &found));
                }
                _ => {}
            }
        }
        if has("reduce_voc") && min_df.values.iter().any(|value| value == "1") {
            let expected = "for min_df at least 2 with method reduce_voc";
            return Err(self.wrong(min_df.line, expected, "'1'"));
        }
        Ok(())
    }

    /// Checks that each key of the small version replaces something.
    fn check_replacement(&self, replacement: &Lists, grids: &[Grid]) -> Result<()> {
        let is_idle = |key: &GridKey| !grids.iter().any(|grid| grid.lists.contains_key(key));
        match replacement.iter().find(|(key, _)| is_idle(key)) {
            Some((key, list)) => {
                Err(self.wrong(list.line, "below small a key of a grid", &format!("'{key}'")))
            }
            None => Ok(()),
        }
    }

    fn lacks(&self, grid: &Grid, key: GridKey) -> Error {
        let expected = format!("{key}, a key of the measure {}", grid.measurement.name());
        self.wrong(grid.line, &expected, "a grid without it")
    }

    fn wrong(&self, line: u64, expected: &str, found: &str) -> Error {
        Error::parse(self.path, line, expected, found)
    }

    fn line<T>(&self, place: &Spanned<T>) -> u64 {
        line_of(self.text.as_bytes(), place.span().start)
    }
}

/// Returns an error of the parser with the line where it occurred.
fn syntax(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let line = line_of(text.as_bytes(), error.span().map_or(0, |span| span.start));
    let source = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
    let message = error.message().lines().collect::<Vec<_>>().join(" ");
    Error::Message(format!("{}:{line}: {message} at '{source}'", path.display()))
}

/// Returns the line of a position, counted from 1.
fn line_of(text: &[u8], position: usize) -> u64 {
    1 + text[..position.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Returns a number or string as written, and the type of any other value.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        other => other.type_str().to_string(),
    }
}
