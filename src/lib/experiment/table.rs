//! The table of an experiment: CSV, one row a configuration, written after every run. What stands there is not measured again.
//!
//! A run that is killed leaves whole rows and perhaps the beginning of one, which the next run removes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::keys::{Configuration, Key};
use crate::error::{Error, Result};

/// A table that grows.
pub struct Table {
    path: PathBuf,
    file: File,
    columns: usize,
    done: FxHashSet<Vec<String>>,
}

impl Table {
    /// Opens or begins a table with these columns. Rows that are there must be of the planned configurations.
    pub fn open(
        path: &Path,
        keys: &[Key],
        measures: &[&str],
        planned: &[Configuration],
    ) -> Result<Self> {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(|e| Error::io("open", path, e))?;
        lock(&file, path)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(|e| Error::io("read", path, e))?;
        // What follows the last newline is the beginning of a row that was not finished.
        let whole = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let names: Vec<&str> =
            keys.iter().map(|key| key.name()).chain(measures.iter().copied()).collect();
        let done =
            Rows { path, names: &names, keys: keys.len(), planned }.read(&content[..whole])?;
        let mut table = Table { path: path.to_path_buf(), file, columns: names.len(), done };
        table.cut(whole as u64)?;
        if whole == 0 {
            table.write(&[names.iter().map(|name| name.to_string()).collect()])?;
        }
        Ok(table)
    }

    /// Whether a configuration has its row.
    pub fn has(&self, configuration: &Configuration) -> bool {
        self.done.contains(&cells(configuration))
    }

    /// Adds the row of a configuration.
    pub fn append(&mut self, configuration: &Configuration, values: Vec<String>) -> Result<()> {
        let mut row = cells(configuration);
        self.done.insert(row.clone());
        row.extend(values);
        assert_eq!(row.len(), self.columns, "a row has as many values as the table has columns");
        self.write(&[row])
    }

    fn cut(&mut self, length: u64) -> Result<()> {
        let cut = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::End(0)));
        cut.map(drop).map_err(|e| Error::io("write", &self.path, e))
    }

    fn write(&mut self, rows: &[Vec<String>]) -> Result<()> {
        const INFALLIBLE: &str = "writing to memory does not fail";
        let mut writer = csv::Writer::from_writer(Vec::new());
        rows.iter().for_each(|row| writer.write_record(row).expect(INFALLIBLE));
        let text = writer.into_inner().expect(INFALLIBLE);
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        written.map_err(|e| Error::io("write", &self.path, e))
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let path = path.display();
            Err(Error::Message(format!("{path}: another run is writing this table")))
        }
        Err(TryLockError::Error(error)) => Err(Error::io("lock", path, error)),
    }
}

fn cells(configuration: &Configuration) -> Vec<String> {
    configuration.0.iter().map(|(_, value)| value.clone()).collect()
}

/// Rows while they are read.
struct Rows<'a> {
    path: &'a Path,
    names: &'a [&'a str],
    keys: usize,
    planned: &'a [Configuration],
}

impl Rows<'_> {
    /// The configurations that have rows.
    fn read(&self, content: &[u8]) -> Result<FxHashSet<Vec<String>>> {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(content);
        let planned: FxHashSet<Vec<String>> = self.planned.iter().map(cells).collect();
        let mut done = FxHashSet::default();
        for (number, record) in reader.records().enumerate() {
            let line = number as u64 + 1;
            let record = record.map_err(|e| self.wrong(line, "a row", &e.to_string()))?;
            let row: Vec<&str> = record.iter().collect();
            if number == 0 {
                self.check_header(&row)?;
                continue;
            }
            if row.len() != self.names.len() {
                let expected = format!("{} values", self.names.len());
                return Err(self.wrong(line, &expected, &row.len().to_string()));
            }
            let key: Vec<String> = row[..self.keys].iter().map(|cell| cell.to_string()).collect();
            let shown = key.join(",");
            if !planned.contains(&key) {
                let expected = "a configuration of the experiment (or remove the file, if the experiment was changed)";
                return Err(self.wrong(line, expected, &shown));
            }
            if !done.insert(key) {
                return Err(self.wrong(line, "every configuration once", &shown));
            }
        }
        Ok(done)
    }

    fn check_header(&self, row: &[&str]) -> Result<()> {
        if row == self.names {
            return Ok(());
        }
        let expected = format!(
            "the columns {} (or no file, if it was made by another version)",
            self.names.join(",")
        );
        Err(self.wrong(1, &expected, &row.join(",")))
    }

    fn wrong(&self, line: u64, expected: &str, found: &str) -> Error {
        Error::Parse {
            path: self.path.to_path_buf(),
            line,
            expected: expected.into(),
            found: format!("'{found}'"),
        }
    }
}
