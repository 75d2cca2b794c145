//! Parser of `experiment.toml`.
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

use std::path::Path;

use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::keys::{GridKey, name_of};
use super::measure::Measurement;
use super::plan::{ExperimentPlan, Grid, GridValue, Lists};
use crate::error::{Error, Result};
use crate::files::input;

impl ExperimentPlan {
    /// Reads an experiment, or its small version.
    pub fn read(path: &Path, small: bool) -> Result<Self> {
        let content = input::read_all(path)?;
        let text = std::str::from_utf8(&content).map_err(|error| Error::Parse {
            path: path.to_path_buf(),
            line: line_of(&content, error.valid_up_to()),
            expected: "UTF-8".into(),
            found: "other bytes".into(),
        })?;
        let file = PlanFile { path, text };
        let table = DeTable::parse(text).map_err(|error| file.syntax(&error))?;
        file.experiment(table.get_ref(), small)
    }
}

/// Returns the name of the folder of a file, also for relative paths.
fn folder_name(path: &Path) -> Result<String> {
    let whole = path.canonicalize().map_err(|e| Error::io("open", path, e))?;
    let folder = whole.parent().and_then(Path::file_name);
    Ok(folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
}

/// The file being parsed; errors need its name and text.
struct PlanFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl PlanFile<'_> {
    fn experiment(&self, table: &DeTable<'_>, small: bool) -> Result<ExperimentPlan> {
        for key in table.keys() {
            if !["title", "tables", "grid", "small"].contains(&&**key.get_ref()) {
                let found = format!("'{}'", key.get_ref());
                return Err(self.wrong(key, "a key: title, tables, grid or small", found));
            }
        }
        let mut grids = self.grids(table)?;
        let replacement = match table.get("small") {
            Some(value) => self.lists(self.table(value, "small")?)?,
            None => Lists::new(),
        };
        self.check_replacement(&replacement, &grids)?;
        if small {
            grids.iter_mut().for_each(|grid| grid.replace_with(&replacement));
        }
        grids.iter().try_for_each(|grid| self.check(grid))?;
        self.string(table, "title", 1)?;
        self.check_tables(table)?;
        Ok(ExperimentPlan { name: folder_name(self.path)?, grids, path: self.path.to_path_buf() })
    }

    /// Checks the list of the thesis' tables, which only reports use.
    fn check_tables(&self, table: &DeTable<'_>) -> Result<()> {
        let Some(value) = table.get("tables") else { return Ok(()) };
        match value.get_ref().as_array() {
            Some(array) if array.iter().all(|one| one.get_ref().is_str()) => Ok(()),
            _ => Err(self.wrong(value, "for tables a list of strings", kind(value))),
        }
    }

    fn grids(&self, table: &DeTable<'_>) -> Result<Vec<Grid>> {
        let missing = || self.wrong_at(self.last_line(), "[[grid]]", "the end");
        let value = table.get("grid").ok_or_else(missing)?;
        match value.get_ref() {
            DeValue::Array(grids) => grids.iter().map(|grid| self.grid(grid)).collect(),
            _ => Err(self.wrong(value, "one or several [[grid]]", "[grid]")),
        }
    }

    fn grid(&self, value: &Spanned<DeValue<'_>>) -> Result<Grid> {
        let (table, line) = (self.table(value, "grid")?, self.line(value));
        let (name, place) = self.string(table, "measure", line)?;
        let measurement = Measurement::from_name(&name).ok_or_else(|| {
            let known = names::<Measurement>();
            self.wrong_at(place, &format!("for measure one of {known}"), &format!("'{name}'"))
        })?;
        let mut table = table.clone();
        table.remove("measure");
        Ok(Grid { measurement, lists: self.lists(&table)?, line })
    }

    fn table<'a, 'b>(
        &self,
        value: &'a Spanned<DeValue<'b>>,
        name: &str,
    ) -> Result<&'a DeTable<'b>> {
        let wrong = || self.wrong(value, &format!("keys with values below {name}"), kind(value));
        value.get_ref().as_table().ok_or_else(wrong)
    }

    fn lists(&self, table: &DeTable<'_>) -> Result<Lists> {
        let mut lists = Lists::new();
        for (name, values) in table.iter() {
            let key = GridKey::from_str(name.get_ref(), false).map_err(|_| {
                let known = names::<GridKey>();
                self.wrong(name, &format!("a key: {known}"), format!("'{}'", name.get_ref()))
            })?;
            lists.push((key, self.values(key, values)?));
        }
        lists.sort_by_key(|(key, _)| *key);
        Ok(lists)
    }

    fn values(&self, key: GridKey, value: &Spanned<DeValue<'_>>) -> Result<Vec<GridValue>> {
        match value.get_ref() {
            DeValue::Array(values) if values.is_empty() => {
                let expected = format!("for {} at least one value", key.name());
                Err(self.wrong(value, &expected, "an empty list"))
            }
            DeValue::Array(values) => self.list(key, values),
            _ => Ok(vec![self.value(key, value)?]),
        }
    }

    fn list(&self, key: GridKey, values: &DeArray<'_>) -> Result<Vec<GridValue>> {
        let mut list: Vec<GridValue> = Vec::new();
        for value in values {
            let read = self.value(key, value)?;
            if list.iter().any(|before| before.text == read.text) {
                let expected = format!("for {} distinct values", key.name());
                return Err(self.wrong(value, &expected, format!("'{}' twice", read.text)));
            }
            list.push(read);
        }
        Ok(list)
    }

    fn value(&self, key: GridKey, value: &Spanned<DeValue<'_>>) -> Result<GridValue> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().into(),
            DeValue::Float(number) => number.as_str().to_string(),
            _ => kind(value).to_string(),
        };
        if !key.accepts(&text) {
            let expected = format!("for {} {}", key.name(), key.legal_values());
            return Err(self.wrong(value, &expected, format!("'{text}'")));
        }
        Ok(GridValue { text, line: self.line(value) })
    }

    /// Checks that a grid has the keys of its measurement and no others: a key without effect is a mistake.
    fn check(&self, grid: &Grid) -> Result<()> {
        let measurement = grid.measurement;
        for key in measurement.keys() {
            if grid.values(*key).is_empty() && !measurement.may_omit(*key) {
                return Err(self.lacks(grid, *key));
            }
        }
        for (key, values) in &grid.lists {
            if !measurement.keys().contains(key) {
                let expected = format!("a key of the measure {}", measurement.name());
                return Err(self.wrong_at(values[0].line, &expected, &quoted(*key)));
            }
        }
        self.check_methods(grid)
    }

    /// Checks that settings of PLEB are in a grid of PLEB alone, because other methods would be timed again for each, and that reduce_voc reduces.
    fn check_methods(&self, grid: &Grid) -> Result<()> {
        let methods = grid.values(GridKey::Method);
        let Some(pleb) = methods.iter().find(|method| method.text == "hamming") else {
            return self.check_without_pleb(grid);
        };
        if methods.len() > 1 {
            let expected = "for method hamming a grid of its own";
            return Err(self.wrong_at(pleb.line, expected, "several methods"));
        }
        let lacking = GridKey::OF_PLEB.into_iter().find(|key| grid.values(*key).is_empty());
        lacking.map_or(Ok(()), |key| Err(self.lacks(grid, key)))
    }

    fn check_without_pleb(&self, grid: &Grid) -> Result<()> {
        let methods = grid.values(GridKey::Method);
        let needless = GridKey::OF_PLEB.into_iter().find(|key| !grid.values(*key).is_empty());
        if let (Some(key), [_, ..]) = (needless, methods) {
            let line = grid.values(key)[0].line;
            return Err(self.wrong_at(line, "a key of the grid's methods", &quoted(key)));
        }
        let whole = grid.values(GridKey::MinDf).iter().find(|value| value.text == "1");
        match (whole, methods.iter().any(|method| method.text == "reduce_voc")) {
            (Some(whole), true) => {
                let expected = "for min_df at least 2 with method reduce_voc";
                Err(self.wrong_at(whole.line, expected, "'1'"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that each key of the small version replaces something.
    fn check_replacement(&self, replacement: &Lists, grids: &[Grid]) -> Result<()> {
        let is_idle = |key: GridKey| grids.iter().all(|grid| grid.values(key).is_empty());
        match replacement.iter().find(|(key, _)| is_idle(*key)) {
            Some((key, values)) => {
                let expected = "below small a key of a grid";
                Err(self.wrong_at(values[0].line, expected, &quoted(*key)))
            }
            None => Ok(()),
        }
    }

    fn lacks(&self, grid: &Grid, key: GridKey) -> Error {
        let expected = format!("{}, a key of the measure {}", key.name(), grid.measurement.name());
        self.wrong_at(grid.line, &expected, "a grid without it")
    }

    /// Returns a string and its line. `line` is for the error if it is missing.
    fn string(&self, table: &DeTable<'_>, key: &str, line: u64) -> Result<(String, u64)> {
        let value = table.get(key).ok_or_else(|| self.wrong_at(line, key, "none"))?;
        let text = value.get_ref().as_str();
        let wrong = || self.wrong(value, &format!("for {key} a string"), kind(value));
        Ok((text.ok_or_else(wrong)?.to_string(), self.line(value)))
    }

    fn wrong<T>(&self, place: &Spanned<T>, expected: &str, found: impl AsRef<str>) -> Error {
        self.wrong_at(self.line(place), expected, found.as_ref())
    }

    fn wrong_at(&self, line: u64, expected: &str, found: &str) -> Error {
        let path = self.path.to_path_buf();
        Error::Parse { path, line, expected: expected.into(), found: found.into() }
    }

    fn syntax(&self, error: &toml::de::Error) -> Error {
        let at = error.span().map_or(0, |span| span.start);
        let found = error.message().lines().collect::<Vec<_>>().join(" ");
        self.wrong_at(line_of(self.text.as_bytes(), at), "TOML", &found)
    }

    fn line<T>(&self, place: &Spanned<T>) -> u64 {
        line_of(self.text.as_bytes(), place.span().start)
    }

    fn last_line(&self) -> u64 {
        self.text.lines().count().max(1) as u64
    }
}

/// Returns the names of all values of an enum.
fn names<T: ValueEnum>() -> String {
    T::value_variants().iter().map(name_of).collect::<Vec<_>>().join(", ")
}

fn quoted(key: GridKey) -> String {
    format!("'{}'", key.name())
}

/// Returns the line of a position, counted from 1.
fn line_of(text: &[u8], position: usize) -> u64 {
    1 + text[..position.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u64
}

fn kind(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
