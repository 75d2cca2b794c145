//! `experiment.toml`: how an experiment is written down.
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
//!
//! What cannot be, and what would have no effect, is an error that names file, line and key.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::keys::Key;
use super::measure::Measure;
use super::plan::{Experiment, Grid, Lists, Written};
use crate::error::{Error, Result};
use crate::files::input;

impl Experiment {
    /// Reads an experiment; its small version if that is wanted.
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
}

/// The name of the folder that a file is in, also where the path does not spell it.
fn folder_name(path: &Path) -> Result<String> {
    let whole = path.canonicalize().map_err(|e| Error::io("open", path, e))?;
    let folder = whole.parent().and_then(Path::file_name);
    Ok(folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
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
        let replacement = match table.get("small") {
            Some(value) => self.lists(self.table(value, "small")?)?,
            None => Lists::new(),
        };
        self.check_replacement(&replacement, &grids)?;
        if small {
            grids.iter_mut().for_each(|grid| grid.replace_with(&replacement));
        }
        grids.iter().try_for_each(|grid| self.check(grid))?;
        Ok(Experiment {
            name: folder_name(self.path)?,
            title: self.string(table, "title", 1)?.0,
            tables: self.tables(table)?,
            grids,
            path: self.path.to_path_buf(),
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
        let missing = || self.wrong_at(self.last_line(), "[[grid]]", "the end");
        let value = table.get("grid").ok_or_else(missing)?;
        match value.get_ref() {
            DeValue::Array(grids) => grids.iter().map(|grid| self.grid(grid)).collect(),
            _ => Err(self.wrong(value, "[[grid]], which there may be several of", "[grid]")),
        }
    }

    fn grid(&self, value: &Spanned<DeValue<'_>>) -> Result<Grid> {
        let (table, line) = (self.table(value, "grid")?, self.line(value));
        let (name, place) = self.string(table, "measure", line)?;
        let measure = Measure::from_name(&name).ok_or_else(|| {
            let known = Measure::ALL.map(Measure::name).join(", ");
            self.wrong_at(place, &format!("for measure one of {known}"), &format!("'{name}'"))
        })?;
        let mut table = table.clone();
        table.remove("measure");
        Ok(Grid { measure, lists: self.lists(&table)?, line })
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

    /// A grid must say what its measure needs, and no more: what has no effect is a mistake.
    fn check(&self, grid: &Grid) -> Result<()> {
        let measure = grid.measure;
        for key in measure.keys() {
            if grid.values(*key).is_empty() && !measure.may_lack(*key) {
                return Err(self.lacks(grid, *key));
            }
        }
        for (key, values) in &grid.lists {
            if !measure.keys().contains(key) {
                let expected = format!("what the measure {} needs", measure.name());
                return Err(self.wrong_at(values[0].line, &expected, &quoted(*key)));
            }
        }
        self.check_methods(grid)
    }

    /// PLEB's settings stand with PLEB, alone: other methods would be timed again for each of them. The whole vocabulary is not reduced.
    fn check_methods(&self, grid: &Grid) -> Result<()> {
        let methods = grid.values(Key::Method);
        let Some(pleb) = methods.iter().find(|method| method.text == "hamming") else {
            return self.check_without_pleb(grid);
        };
        if methods.len() > 1 {
            let expected = "for method hamming in a grid of its own";
            return Err(self.wrong_at(pleb.line, expected, "it beside others"));
        }
        let lacking = Key::OF_PLEB.into_iter().find(|key| grid.values(*key).is_empty());
        lacking.map_or(Ok(()), |key| Err(self.lacks(grid, key)))
    }

    fn check_without_pleb(&self, grid: &Grid) -> Result<()> {
        let methods = grid.values(Key::Method);
        let needless = Key::OF_PLEB.into_iter().find(|key| !grid.values(*key).is_empty());
        if let (Some(key), [_, ..]) = (needless, methods) {
            let line = grid.values(key)[0].line;
            return Err(self.wrong_at(line, "what a method of the grid needs", &quoted(key)));
        }
        let whole = grid.values(Key::MinDf).iter().find(|value| value.text == "1");
        match (whole, methods.iter().any(|method| method.text == "reduce_voc")) {
            (Some(whole), true) => {
                let expected = "for min_df at least 2 where the method is reduce_voc";
                Err(self.wrong_at(whole.line, expected, "'1'"))
            }
            _ => Ok(()),
        }
    }

    /// A key of the small version must replace something.
    fn check_replacement(&self, replacement: &Lists, grids: &[Grid]) -> Result<()> {
        let is_idle = |key: Key| grids.iter().all(|grid| grid.values(key).is_empty());
        match replacement.iter().find(|(key, _)| is_idle(*key)) {
            Some((key, values)) => {
                let expected = "below small a key that a grid has";
                Err(self.wrong_at(values[0].line, expected, &quoted(*key)))
            }
            None => Ok(()),
        }
    }

    fn lacks(&self, grid: &Grid, key: Key) -> Error {
        let expected = format!("{}, which the measure {} needs", key.name(), grid.measure.name());
        self.wrong_at(grid.line, &expected, "a grid without it")
    }

    /// A string and its line; one that is missing is told with the line where it should be.
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

fn quoted(key: Key) -> String {
    format!("'{}'", key.name())
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
