//! The tables of experiments as `run_experiment` writes them, and their rows by key.

use std::path::{Path, PathBuf};

use super::statistics::Estimate;
use crate::error::{Error, Result, excerpt};
use crate::experiment::Measure;
use crate::files::input;
use crate::plot::density::Bin;

/// The one column of results that holds words.
const WORDS: &str = "what";

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a table; it must have the measure's columns, and numbers in those of results.
    pub fn read(path: &Path, measure: Measure) -> Result<Self> {
        let keys = measure.keys().iter().map(|key| key.name());
        let names: Vec<String> =
            keys.chain(measure.columns().iter().copied()).map(String::from).collect();
        let table = Table { rows: read_rows(path, &names)?, names };
        for (number, row) in table.rows.iter().enumerate() {
            let results = table.names.iter().zip(row).skip(measure.keys().len());
            for (name, cell) in results.filter(|(name, _)| *name != WORDS) {
                let is_number = cell.parse::<f64>().is_ok_and(f64::is_finite);
                if !cell.is_empty() && !is_number {
                    let expected = format!("a number for {name}");
                    return Err(wrong(path, number as u64 + 2, &expected, &excerpt(cell)));
                }
            }
        }
        Ok(table)
    }

    /// Of these columns, with these rows.
    pub fn new(names: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        Table { names, rows }
    }

    /// All rows.
    pub fn rows(&self) -> Rows<'_> {
        Rows(self.rows.iter().map(|cells| Row { table: self, cells }).collect())
    }
}

fn wrong(path: &Path, line: u64, expected: &str, found: &str) -> Error {
    let (expected, found) = (expected.to_string(), found.to_string());
    Error::Parse { path: path.to_path_buf(), line, expected, found }
}

/// The rows of a CSV file with these columns.
pub(super) fn read_rows(path: &Path, names: &[String]) -> Result<Vec<Vec<String>>> {
    let content = input::read_all(path)?;
    if content.last().is_some_and(|byte| *byte != b'\n') {
        let line = content.split(|byte| *byte == b'\n').count() as u64;
        return Err(wrong(path, line, "a newline", "the end of the file (truncated?)"));
    }
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&*content);
    let mut rows = Vec::new();
    for (number, record) in reader.records().enumerate() {
        let line = number as u64 + 1;
        let record = record.map_err(|error| wrong(path, line, "a row", &error.to_string()))?;
        let cells: Vec<String> = record.iter().map(String::from).collect();
        if cells.len() != names.len() {
            let expected = format!("{} values", names.len());
            return Err(wrong(path, line, &expected, &cells.len().to_string()));
        }
        rows.push(cells);
    }
    if rows.first().is_none_or(|head| head != names) {
        let found = rows.first().map_or_else(|| "nothing".into(), |head| excerpt(&head.join(",")));
        return Err(wrong(path, 1, &format!("the columns {}", names.join(",")), &found));
    }
    rows.remove(0);
    Ok(rows)
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    table: &'a Table,
    cells: &'a [String],
}

impl<'a> Row<'a> {
    /// What stands in a column; nothing where there is no such column.
    pub fn text(&self, name: &str) -> &'a str {
        let place = self.table.names.iter().position(|known| known == name);
        place.map_or("", |place| &self.cells[place])
    }

    /// The number in a column, if there is one.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.text(name).parse().ok()
    }
}

/// Some rows of a table.
#[derive(Debug, Clone, Default)]
pub struct Rows<'a>(pub Vec<Row<'a>>);

impl<'a> Rows<'a> {
    /// Those with this value.
    pub fn with(&self, name: &str, value: &str) -> Rows<'a> {
        self.filter(|row| row.text(name) == value)
    }

    /// Those of which something is true.
    pub fn filter(&self, is_wanted: impl Fn(&Row<'a>) -> bool) -> Rows<'a> {
        Rows(self.0.iter().copied().filter(is_wanted).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values of a column, each once, in the order in which they come.
    pub fn distinct(&self, name: &str) -> Vec<&'a str> {
        let mut values: Vec<&str> = Vec::new();
        for row in &self.0 {
            if !values.contains(&row.text(name)) {
                values.push(row.text(name));
            }
        }
        values
    }

    /// The values of a column that are numbers, ascending.
    pub fn ascending(&self, name: &str) -> Vec<f64> {
        let mut values: Vec<f64> =
            self.distinct(name).into_iter().filter_map(|text| text.parse().ok()).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// The mean of a column, over seeds and all else that differs.
    pub fn estimate(&self, name: &str) -> Option<Estimate> {
        let values: Vec<f64> = self.0.iter().filter_map(|row| row.number(name)).collect();
        Estimate::of(&values)
    }

    /// What a function makes of the rows of each seed, where it makes something of them.
    pub fn each_seed(&self, of: impl Fn(&Rows<'a>) -> Option<f64>) -> Vec<f64> {
        let seeds = self.distinct("rnd_seed");
        seeds.into_iter().filter_map(|seed| of(&self.with("rnd_seed", seed))).collect()
    }

    /// The number in a column where there is one row only.
    pub fn only(&self, name: &str) -> Option<f64> {
        match self.0.as_slice() {
            [row] => row.number(name),
            _ => None,
        }
    }

    /// The rows by the values of two columns, in the order in which they come: `(first, second, rows)`.
    pub fn by(&self, first: &str, second: &str) -> Vec<(&'a str, &'a str, Rows<'a>)> {
        let mut parts = Vec::new();
        for one in self.distinct(first) {
            let rows = self.with(first, one);
            for two in rows.distinct(second) {
                parts.push((one, two, rows.with(second, two)));
            }
        }
        parts
    }
}

/// Reads the bins that belong to a row of a table of densities.
pub fn read_bins(path: &Path) -> Result<Vec<Bin>> {
    let names = ["cosine", "hamming", "pairs"].map(String::from);
    let rows = read_rows(path, &names)?;
    let bin = |(number, cells): (usize, &Vec<String>)| {
        let parsed = (cells[0].parse(), cells[1].parse(), cells[2].parse());
        match parsed {
            (Ok(x), Ok(y), Ok(count)) => Ok(Bin { x, y, count }),
            _ => Err(wrong(path, number as u64 + 2, "three numbers", &excerpt(&cells.join(",")))),
        }
    };
    rows.iter().enumerate().map(bin).collect()
}

/// The file with the bins of a row of a table of densities, which is beside the table.
pub fn bins_beside(table: &Path, row: &Row<'_>) -> PathBuf {
    let keys = Measure::Density.keys().iter().map(|key| row.text(key.name()));
    let stem = table.with_extension("");
    let ending = format!("-{}.csv", keys.collect::<Vec<_>>().join("-"));
    crate::files::output::with_suffix(&stem, &ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "collection,weighting,min_df,sample,threshold_sim,terms_whole,terms,documents,pairs,L1,L2,largest_difference,S,near_pairs,near_L1,near_L2,near_S\n";

    fn read(content: &str) -> Result<Table> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, content).unwrap();
        Table::read(&path, Measure::Vocabulary)
    }

    fn row(collection: &str, l1: &str) -> String {
        format!("{collection},tf,2,200,80,10,5,200,9,{l1},1,2,3,4,5,6,7\n")
    }

    #[test]
    fn rows_are_found_by_key_and_averaged() {
        let table =
            read(&(HEAD.to_string() + &row("a", "1") + &row("b", "") + &row("a", "3"))).unwrap();
        let rows = table.rows();
        assert_eq!(rows.distinct("collection"), ["a", "b"]);
        assert_eq!(rows.with("collection", "a").estimate("L1").unwrap().mean, 2.0);
        assert_eq!(rows.with("collection", "b").estimate("L1"), None);
        assert_eq!(rows.with("collection", "b").only("L2"), Some(1.0));
        assert_eq!(rows.by("collection", "weighting").len(), 2);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let error = |content: String| read(&content).unwrap_err().to_string();
        let head = HEAD.to_string();
        assert!(
            error(head.clone() + &row("a", "x"))
                .contains("t.csv:2: expected a number for L1, found 'x'")
        );
        assert!(error(head.clone() + &row("a", "NaN")).contains(":2: expected a number for L1"));
        assert!(error(head.clone() + "a,tf\n").contains(":2: expected 17 values, found 2"));
        assert!(error(head.clone() + "a,tf").contains("truncated?"));
        assert!(error("a,b\n".into()).contains(":1: expected 17 values"));
        assert!(error(String::new()).contains(":1: expected the columns collection,"));
    }
}
