//! `experiment.toml`: which configurations an experiment has.
//!
//! ```toml
//! title = "How the length of signatures changes the measures"
//! tables = ["2.17", "2.20"]             # of the thesis
//!
//! [[grid]]                              # every combination of the values is one row; there may be several grids
//! measure = "approximation"             # those of one measure share a table
//! collection = ["reuters", "bible"]     # files NAME.jsonl of the folder of collections; synthetic-N is made with N documents
//! weighting = ["tf", "tf_idf"]
//! min_df = 2                            # one value needs no brackets
//!
//! [small]                               # replaces these keys of every grid in the small version
//! collection = "sample"
//! ```

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::keys::{Configuration, Key};
use super::measure::Measure;
use crate::error::{Error, Result};
use crate::files::input;

/// An experiment: what is measured, in which configurations.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Its name: that of its folder.
    pub name: String,
    /// What it is about, in a line.
    pub title: String,
    /// The tables and figures of the thesis that it repeats.
    pub tables: Vec<String>,
    grids: Vec<Grid>,
    path: PathBuf,
}

/// Lists of values by key; every combination is a configuration.
#[derive(Debug, Clone)]
struct Grid {
    measure: Measure,
    lists: Lists,
}

/// Values by key.
type Lists = Vec<(Key, Vec<Written>)>;

/// A value as it was written, and in which line.
#[derive(Debug, Clone)]
struct Written {
    text: String,
    line: u64,
}

impl Experiment {
    /// Reads an experiment; of its small version if that is wanted.
    pub fn read(path: &Path, small: bool) -> Result<Self> {
        let content = input::read_all(path)?;
        let text = std::str::from_utf8(&content).map_err(|error| Error::Parse {
            path: path.to_path_buf(),
            line: line_of(&content, error.valid_up_to()),
            expected: "UTF-8".into(),
            found: "other bytes".into(),
        })?;
        let file = File { path, text };
        let table = DeTable::parse(text).map_err(|error| file.syntax(&error))?;
        file.experiment(table.get_ref(), small)
    }

    /// What is measured, each once, in the order of the grids.
    pub fn measures(&self) -> Vec<Measure> {
        let mut measures: Vec<Measure> = Vec::new();
        for grid in &self.grids {
            if !measures.contains(&grid.measure) {
                measures.push(grid.measure);
            }
        }
        measures
    }

    /// All configurations of a measure, those of the first grid first; one that stands in two grids once.
    pub fn configurations(&self, measure: Measure) -> Vec<Configuration> {
        let mut all: Vec<Configuration> = Vec::new();
        for grid in self.grids.iter().filter(|grid| grid.measure == measure) {
            for configuration in grid.configurations() {
                if !all.contains(&configuration) {
                    all.push(configuration);
                }
            }
        }
        all
    }

    /// Checks every collection; the first that `exists` denies is an error with its place.
    pub fn check_collections(&self, exists: impl Fn(&str) -> bool, where_: &str) -> Result<()> {
        let values = self.grids.iter().flat_map(|grid| grid.values(Key::Collection));
        for value in values {
            if !exists(&value.text) {
                return Err(Error::Parse {
                    path: self.path.clone(),
                    line: value.line,
                    expected: format!("for collection one that is in {where_}"),
                    found: format!("'{}'", value.text),
                });
            }
        }
        Ok(())
    }
}

impl Grid {
    fn values(&self, key: Key) -> &[Written] {
        values(&self.lists, key)
    }

    /// The combinations of the values, the last key's changing first. A key without values stands with none.
    fn configurations(&self) -> Vec<Configuration> {
        let mut all = vec![Configuration(Vec::new())];
        for key in self.measure.keys() {
            let texts: Vec<&str> = match self.values(*key) {
                [] => vec![""],
                values => values.iter().map(|value| &*value.text).collect(),
            };
            let with = |one: &Configuration, text: &str| {
                let mut more = one.clone();
                more.0.push((*key, text.to_string()));
                more
            };
            all = all
                .iter()
                .flat_map(|one| texts.iter().map(|text| with(one, text)).collect::<Vec<_>>())
                .collect();
        }
        all
    }

    /// Takes other values where there are some for a key that this grid has.
    fn replace_with(&mut self, others: &Lists) {
        for (key, own) in &mut self.lists {
            if let [_, ..] = values(others, *key) {
                *own = values(others, *key).to_vec();
            }
        }
    }
}

/// The values of a key, if there are any.
fn values(lists: &Lists, key: Key) -> &[Written] {
    lists.iter().find(|(of, _)| *of == key).map_or(&[], |(_, values)| values)
}

/// The file while it is read: errors need its name and text.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn experiment(&self, table: &DeTable<'_>, small: bool) -> Result<Experiment> {
        for key in table.keys() {
            if !["title", "tables", "grid", "small"].contains(&&**key.get_ref()) {
                let found = format!("'{}'", key.get_ref());
                return Err(self.wrong(key, "a key: title, tables, grid or small", found));
            }
        }
        let mut grids = self.grids(table)?;
        if let Some(value) = table.get("small") {
            let replacement = self.lists(self.table(value, "small")?)?;
            grids.iter_mut().filter(|_| small).for_each(|grid| grid.replace_with(&replacement));
        }
        grids.iter().try_for_each(|grid| self.check_complete(grid))?;
        let folder = self.path.parent().and_then(Path::file_name);
        Ok(Experiment {
            name: folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            title: self.string(table, "title")?.0,
            tables: self.tables(table)?,
            grids,
            path: self.path.to_path_buf(),
        })
    }

    fn measure(&self, table: &DeTable<'_>) -> Result<Measure> {
        let (name, line) = self.string(table, "measure")?;
        Measure::from_name(&name).ok_or_else(|| Error::Parse {
            path: self.path.to_path_buf(),
            line,
            expected: format!("for measure one of {}", Measure::ALL.map(Measure::name).join(", ")),
            found: format!("'{name}'"),
        })
    }

    fn tables(&self, table: &DeTable<'_>) -> Result<Vec<String>> {
        let Some(value) = table.get("tables") else { return Ok(Vec::new()) };
        let strings = value.get_ref().as_array().and_then(|array| {
            array.iter().map(|one| one.get_ref().as_str().map(String::from)).collect()
        });
        strings.ok_or_else(|| self.wrong(value, "for tables a list of strings", kind(value)))
    }

    fn grids(&self, table: &DeTable<'_>) -> Result<Vec<Grid>> {
        let missing = || self.missing("[[grid]]");
        let value = table.get("grid").ok_or_else(missing)?;
        match value.get_ref() {
            DeValue::Array(grids) => grids.iter().map(|grid| self.grid(grid)).collect(),
            _ => Err(self.wrong(value, "[[grid]], which there may be several of", "[grid]")),
        }
    }

    fn grid(&self, value: &Spanned<DeValue<'_>>) -> Result<Grid> {
        let table = self.table(value, "grid")?;
        Ok(Grid { measure: self.measure(table)?, lists: self.lists(table)? })
    }

    fn table<'a, 'b>(
        &self,
        value: &'a Spanned<DeValue<'b>>,
        name: &str,
    ) -> Result<&'a DeTable<'b>> {
        let wrong = || self.wrong(value, &format!("keys with values below {name}"), kind(value));
        value.get_ref().as_table().ok_or_else(wrong)
    }

    /// The lists of a table; its measure is none.
    fn lists(&self, table: &DeTable<'_>) -> Result<Lists> {
        let mut lists = Lists::new();
        for (name, values) in table.iter().filter(|(name, _)| **name.get_ref() != *"measure") {
            let key = Key::from_name(name.get_ref()).ok_or_else(|| {
                let known = Key::ALL.map(Key::name).join(", ");
                self.wrong(name, &format!("a key: {known}"), format!("'{}'", name.get_ref()))
            })?;
            lists.push((key, self.values(key, values)?));
        }
        lists.sort_by_key(|(key, _)| *key);
        Ok(lists)
    }

    fn values(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Vec<Written>> {
        match value.get_ref() {
            DeValue::Array(values) if values.is_empty() => {
                let expected = format!("for {} at least one value", key.name());
                Err(self.wrong(value, &expected, "an empty list"))
            }
            DeValue::Array(values) => self.list(key, values),
            _ => Ok(vec![self.value(key, value)?]),
        }
    }

    fn list(&self, key: Key, values: &DeArray<'_>) -> Result<Vec<Written>> {
        let mut list: Vec<Written> = Vec::new();
        for value in values {
            let written = self.value(key, value)?;
            if list.iter().any(|before| before.text == written.text) {
                let expected = format!("for {} every value once", key.name());
                return Err(self.wrong(value, &expected, format!("'{}' again", written.text)));
            }
            list.push(written);
        }
        Ok(list)
    }

    fn value(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Written> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().into(),
            DeValue::Float(number) => number.as_str().to_string(),
            _ => kind(value).to_string(),
        };
        if !key.accepts(&text) {
            let expected = format!("for {} {}", key.name(), key.meaning());
            return Err(self.wrong(value, &expected, format!("'{text}'")));
        }
        Ok(Written { text, line: self.line(value) })
    }

    /// A grid must say what the measure needs, and no more: what has no effect is a mistake.
    fn check_complete(&self, grid: &Grid) -> Result<()> {
        let measure = grid.measure;
        for key in measure.keys() {
            let is_searched =
                grid.values(Key::Method).iter().any(|method| method.text == "hamming");
            if grid.values(*key).is_empty() && (is_searched || !measure.may_lack(*key)) {
                return Err(self.missing(key.name()));
            }
        }
        for (key, values) in &grid.lists {
            if !measure.keys().contains(key) {
                return Err(Error::Parse {
                    path: self.path.to_path_buf(),
                    line: values[0].line,
                    expected: format!("what the measure {} needs", measure.name()),
                    found: format!("'{}'", key.name()),
                });
            }
        }
        Ok(())
    }

    fn string(&self, table: &DeTable<'_>, key: &str) -> Result<(String, u64)> {
        let value = table.get(key).ok_or_else(|| self.missing(key))?;
        let text = value.get_ref().as_str();
        let wrong = || self.wrong(value, &format!("for {key} a string"), kind(value));
        Ok((text.ok_or_else(wrong)?.to_string(), self.line(value)))
    }

    fn missing(&self, key: &str) -> Error {
        Error::Parse {
            path: self.path.to_path_buf(),
            line: self.text.lines().count().max(1) as u64,
            expected: format!("{key} somewhere"),
            found: "the end".into(),
        }
    }

    fn wrong<T>(&self, place: &Spanned<T>, expected: &str, found: impl Into<String>) -> Error {
        Error::Parse {
            path: self.path.to_path_buf(),
            line: self.line(place),
            expected: expected.into(),
            found: found.into(),
        }
    }

    fn syntax(&self, error: &toml::de::Error) -> Error {
        let at = error.span().map_or(0, |span| span.start);
        Error::Parse {
            path: self.path.to_path_buf(),
            line: line_of(self.text.as_bytes(), at),
            expected: "TOML".into(),
            found: error.message().lines().collect::<Vec<_>>().join(" "),
        }
    }

    fn line<T>(&self, place: &Spanned<T>) -> u64 {
        line_of(self.text.as_bytes(), place.span().start)
    }
}

/// The line, counted from 1, of a position.
fn line_of(text: &[u8], position: usize) -> u64 {
    1 + text[..position.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u64
}

fn kind(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
