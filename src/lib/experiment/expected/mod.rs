//! Expected results: `expected.csv` beside `experiment.toml`, and `expected-small.csv` for the small version.
//!
//! ```csv
//! measure,where,column,aggregate,expected,tolerance
//! approximation,collection=reuters weighting=tf_idf sig_len=1024,S,mean,2.1,0.1
//! ```
//!
//! `where` selects rows of the measure's table by the values of its keys; `aggregate` makes one number of what the selected rows have in
//! `column`: their mean, the least or the greatest. It may differ from `expected` by `tolerance`. Where no row is selected, or none has
//! a value, nothing was reproduced: that is off too.

mod record;

use std::fmt;
use std::path::{Path, PathBuf};

use super::keys::Key;
use super::measure::Measure;
use super::table::line_of;
use super::{Row, rows, table_path};
use crate::error::{Error, Result, excerpt};
use crate::files::input;

/// The columns of a file of expected results.
const COLUMNS: [&str; 6] = ["measure", "where", "column", "aggregate", "expected", "tolerance"];

/// An experiment's expected results and its tables.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The experiment's folder.
    pub folder: PathBuf,
    /// What the names of its tables begin with.
    pub tables: PathBuf,
    /// Whether they are of the small version.
    pub small: bool,
}

/// How one number is made of those of several rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aggregate {
    Mean,
    Least,
    Greatest,
}

/// A line of the file.
#[derive(Debug, Clone)]
struct Expectation {
    measure: Measure,
    conditions: Vec<(Key, String)>,
    column: String,
    aggregate: Aggregate,
    expected: f64,
    tolerance: f64,
}

/// What became of an expectation.
#[derive(Debug, Clone)]
pub struct Outcome {
    expectation: Expectation,
    found: Found,
}

#[derive(Debug, Clone, Copy)]
enum Found {
    Value(f64),
    NoValue,
    NoRow,
}

impl Expected {
    /// The file of expected results.
    pub fn path(&self) -> PathBuf {
        self.folder.join(if self.small { "expected-small.csv" } else { "expected.csv" })
    }

    /// Compares every expected result with the tables, in the order of the file.
    pub fn check(&self) -> Result<Vec<Outcome>> {
        let mut tables: Vec<(Measure, Vec<Row>)> = Vec::new();
        let mut outcomes = Vec::new();
        for expectation in read(&self.path())? {
            let measure = expectation.measure;
            if !tables.iter().any(|(of, _)| *of == measure) {
                tables.push((measure, rows(&table_path(&self.tables, measure), measure)?));
            }
            let table = tables.iter().find(|(of, _)| *of == measure).map(|(_, rows)| &**rows);
            let found = expectation.found(table.unwrap_or_default(), &self.tables)?;
            outcomes.push(Outcome { expectation, found });
        }
        Ok(outcomes)
    }
}

impl Outcome {
    /// Whether what was found is within the tolerance.
    pub fn is_ok(&self) -> bool {
        let (expected, tolerance) = (self.expectation.expected, self.expectation.tolerance);
        // Numbers are compared as they are written; the last bit of a difference is not written anywhere.
        let slack = 1e-9 * (1.0 + expected.abs());
        matches!(self.found, Found::Value(value) if (value - expected).abs() <= tolerance + slack)
    }
}

impl fmt::Display for Outcome {
    /// As people read it: `ok approximation collection=sample … S mean: expected 2.1 ± 0.1, found 2.08`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expectation { measure, column, aggregate, expected, tolerance, .. } = &self.expectation;
        let (verdict, measure) = (if self.is_ok() { "ok " } else { "off" }, measure.name());
        write!(f, "{verdict} {measure} ")?;
        for (key, value) in &self.expectation.conditions {
            write!(f, "{}={value} ", key.name())?;
        }
        write!(f, "{column} {}: expected {expected} ± {tolerance}, found ", aggregate.name())?;
        match self.found {
            Found::Value(value) => f.write_str(&shortened(value)),
            Found::NoValue => f.write_str("no value"),
            Found::NoRow => f.write_str("no row"),
        }
    }
}

/// A number with at most six decimals.
fn shortened(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Aggregate {
    const ALL: [Aggregate; 3] = [Aggregate::Mean, Aggregate::Least, Aggregate::Greatest];

    fn name(self) -> &'static str {
        match self {
            Aggregate::Mean => "mean",
            Aggregate::Least => "least",
            Aggregate::Greatest => "greatest",
        }
    }

    /// One number of several; `None` of none.
    fn of(self, values: &[f64]) -> Option<f64> {
        let numbers = values.iter().copied();
        match self {
            Aggregate::Mean if values.is_empty() => None,
            Aggregate::Mean => Some(numbers.sum::<f64>() / values.len() as f64),
            Aggregate::Least => numbers.reduce(f64::min),
            Aggregate::Greatest => numbers.reduce(f64::max),
        }
    }
}

impl Expectation {
    fn found(&self, rows: &[Row], tables: &Path) -> Result<Found> {
        let keys = self.measure.keys();
        let is_met = |row: &Row, (key, value): &(Key, String)| {
            keys.iter().zip(&row.cells).any(|(of, cell)| of == key && cell == value)
        };
        let selected: Vec<&Row> =
            rows.iter().filter(|row| self.conditions.iter().all(|one| is_met(row, one))).collect();
        if selected.is_empty() {
            return Ok(Found::NoRow);
        }
        let mut values = Vec::new();
        for row in selected {
            values.extend(value(row, self.measure, &self.column, tables)?);
        }
        Ok(self.aggregate.of(&values).map_or(Found::NoValue, Found::Value))
    }
}

/// What a row has in a column of results; nothing where its cell is empty.
fn value(row: &Row, measure: Measure, column: &str, tables: &Path) -> Result<Option<f64>> {
    let place = measure.columns().iter().position(|name| *name == column);
    let cell = place.map_or("", |place| &row.cells[measure.keys().len() + place]);
    if cell.is_empty() {
        return Ok(None);
    }
    let number = cell.parse().ok().filter(|number: &f64| number.is_finite());
    number.map(Some).ok_or_else(|| Error::Parse {
        path: table_path(tables, measure),
        line: row.line,
        expected: format!("for {column} a number"),
        found: excerpt(cell),
    })
}

/// Reads a file of expected results.
fn read(path: &Path) -> Result<Vec<Expectation>> {
    let content = input::read_all(path)?;
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&content[..]);
    let mut expectations = Vec::new();
    let mut line = 0;
    for (number, record) in reader.records().enumerate() {
        let wrong = |e: csv::Error| Line { path, line: line + 1 }.wrong("a line", &e.to_string());
        let record = record.map_err(wrong)?;
        line = line_of(&content, &record);
        let here = Line { path, line };
        let fields: Vec<&str> = record.iter().collect();
        match fields[..] {
            _ if number == 0 => here.check_header(&fields)?,
            [measure, where_, column, aggregate, expected, tolerance] => {
                let numbers = [expected, tolerance];
                expectations.push(here.expectation(
                    measure,
                    where_,
                    [column, aggregate],
                    numbers,
                )?);
            }
            _ => return Err(here.wrong("6 values", &fields.len().to_string())),
        }
    }
    match line {
        0 => Err(Line { path, line: 1 }.wrong(&COLUMNS.join(","), "an empty file")),
        _ => Ok(expectations),
    }
}

/// A line of the file while it is read.
struct Line<'a> {
    path: &'a Path,
    line: u64,
}

impl Line<'_> {
    fn check_header(&self, fields: &[&str]) -> Result<()> {
        if fields == COLUMNS {
            return Ok(());
        }
        let expected = format!("the columns {}", COLUMNS.join(","));
        Err(self.wrong(&expected, &excerpt(&fields.join(","))))
    }

    fn expectation(
        &self,
        measure: &str,
        where_: &str,
        [column, aggregate]: [&str; 2],
        [expected, tolerance]: [&str; 2],
    ) -> Result<Expectation> {
        let known = Measure::ALL.map(Measure::name).join(", ");
        let of_name = Measure::from_name(measure);
        let measure = of_name.ok_or_else(|| self.one_of("measure", &known, measure))?;
        if !measure.columns().contains(&column) {
            return Err(self.one_of("column", &measure.columns().join(", "), column));
        }
        let mut all = Aggregate::ALL.into_iter();
        let aggregate = all.find(|one| one.name() == aggregate).ok_or_else(|| {
            self.one_of("aggregate", &Aggregate::ALL.map(Aggregate::name).join(", "), aggregate)
        })?;
        let expected = self.number("expected", expected, f64::NEG_INFINITY)?;
        let tolerance = self.number("tolerance", tolerance, 0.0)?;
        let conditions = self.conditions(measure, where_)?;
        let column = column.to_string();
        Ok(Expectation { measure, conditions, column, aggregate, expected, tolerance })
    }

    fn conditions(&self, measure: Measure, where_: &str) -> Result<Vec<(Key, String)>> {
        let known = || measure.keys().iter().map(|key| key.name()).collect::<Vec<_>>().join(", ");
        let wrong = |pair| {
            let expected = format!("for where pairs key=value of the keys {}", known());
            self.wrong(&expected, &excerpt(pair))
        };
        let condition = |pair| {
            let (name, value) = str::split_once(pair, '=')?;
            let key = Key::from_name(name).filter(|key| measure.keys().contains(key))?;
            Some((key, value.to_string()))
        };
        let pairs = where_.split(' ').filter(|pair| !pair.is_empty());
        pairs.map(|pair| condition(pair).ok_or_else(|| wrong(pair))).collect()
    }

    fn number(&self, column: &str, text: &str, least: f64) -> Result<f64> {
        let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= least);
        let meaning = if least == 0.0 { "a number of at least 0" } else { "a number" };
        number.ok_or_else(|| self.wrong(&format!("for {column} {meaning}"), &excerpt(text)))
    }

    fn one_of(&self, column: &str, known: &str, found: &str) -> Error {
        self.wrong(&format!("for {column} one of {known}"), &excerpt(found))
    }

    fn wrong(&self, expected: &str, found: &str) -> Error {
        let path = self.path.to_path_buf();
        Error::Parse { path, line: self.line, expected: expected.into(), found: found.into() }
    }
}
