//! The table of a measurement: CSV, one row per configuration, written after every run. Existing rows are not measured again.
//!
//! A killed run leaves complete rows and possibly an incomplete last one, which the next run removes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::keys::Configuration;
use super::measure::{Measurement, MeasurementParts};
use crate::error::{Error, Result, excerpt};

/// A row of a table.
struct TableRow {
    /// The line in the file.
    line: u64,
    /// The values of the keys, then of the columns.
    cells: Vec<String>,
}

/// A table open for appending.
pub struct ResultTable {
    path: PathBuf,
    file: File,
    columns: usize,
    done: FxHashSet<Vec<String>>,
}

impl ResultTable {
    /// Opens or creates a table. Fails if it has rows of unplanned configurations, or if another run is writing it.
    pub fn open(path: &Path, measurement: Measurement, planned: &[Configuration]) -> Result<Self> {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(|e| Error::io("open", path, e))?;
        lock(&file, path)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(|e| Error::io("read", path, e))?;
        // After the last newline there is an incomplete row.
        let complete = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let shape = TableShape::new(path, measurement);
        let done = match complete {
            0 => shape.check_beginning(&content)?,
            _ => shape.configurations(shape.parse(&content[..complete])?, planned)?,
        };
        let columns = shape.names.len();
        let mut table = ResultTable { path: path.to_path_buf(), file, columns, done };
        if complete < content.len() {
            table.truncate(complete as u64)?;
        }
        if complete == 0 {
            table.write(&shape.names)?;
        }
        Ok(table)
    }

    /// Returns whether the table has rows that are older than a file.
    pub fn is_older_than(&self, file: &Path) -> bool {
        let changed = std::fs::metadata(file).and_then(|metadata| metadata.modified());
        let written = self.file.metadata().and_then(|metadata| metadata.modified());
        let is_older =
            written.ok().zip(changed.ok()).is_some_and(|(written, changed)| written < changed);
        is_older && !self.done.is_empty()
    }

    /// Returns whether a configuration has a row.
    pub fn has(&self, configuration: &Configuration) -> bool {
        self.done.contains(&configuration.values())
    }

    /// Appends the row of a configuration and syncs it to disk.
    pub fn append(&mut self, configuration: &Configuration, values: Vec<String>) -> Result<()> {
        let mut row = configuration.values();
        self.done.insert(row.clone());
        row.extend(values);
        assert!(row.len() <= self.columns, "at most one value per column");
        row.resize(self.columns, String::new());
        self.write(&row)
    }

    fn truncate(&mut self, length: u64) -> Result<()> {
        let truncated = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::End(0)));
        truncated.map(drop).map_err(|e| Error::io("write", &self.path, e))
    }

    fn write(&mut self, row: &[impl AsRef<[u8]>]) -> Result<()> {
        const INFALLIBLE: &str = "writing to memory does not fail";
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(row).expect(INFALLIBLE);
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

/// Returns the line of a record. Its position is the end of the previous record, which empty lines may follow.
fn line_of(content: &[u8], record: &csv::StringRecord) -> u64 {
    let Some(position) = record.position() else { return 1 };
    let rest = content.get(position.byte() as usize..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + empty.filter(|byte| **byte == b'\n').count() as u64
}

/// The columns of a table.
struct TableShape<'a> {
    path: &'a Path,
    names: Vec<String>,
    keys: usize,
}

impl<'a> TableShape<'a> {
    fn new(path: &'a Path, measurement: Measurement) -> Self {
        let MeasurementParts { keys, columns, .. } = measurement.parts();
        let names = keys.iter().map(ToString::to_string);
        let names = names.chain(columns.split(',').map(String::from)).collect();
        TableShape { path, names, keys: keys.len() }
    }

    /// Parses complete lines, the header first.
    fn parse(&self, content: &[u8]) -> Result<Vec<TableRow>> {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(content);
        let mut rows = Vec::new();
        let mut after = 0;
        for (number, record) in reader.records().enumerate() {
            let record = record.map_err(|e| self.wrong(after + 1, "a row", &e.to_string()))?;
            let line = line_of(content, &record);
            after = line;
            if number == 0 {
                self.check_header(line, &record)?;
                continue;
            }
            if record.len() != self.names.len() {
                let expected = format!("{} values", self.names.len());
                return Err(self.wrong(line, &expected, &record.len().to_string()));
            }
            rows.push(TableRow { line, cells: record.iter().map(String::from).collect() });
        }
        Ok(rows)
    }

    fn check_header(&self, line: u64, row: &csv::StringRecord) -> Result<()> {
        if row.iter().eq(&self.names) {
            return Ok(());
        }
        let names = self.names.join(",");
        let expected =
            format!("the columns {names} (remove the table if another version wrote it)");
        let found: Vec<&str> = row.iter().collect();
        Err(self.wrong(line, &expected, &excerpt(&found.join(","))))
    }

    /// Checks a file without a complete line, which must be a prefix of the header.
    fn check_beginning(&self, content: &[u8]) -> Result<FxHashSet<Vec<String>>> {
        if self.names.join(",").as_bytes().starts_with(content) {
            return Ok(FxHashSet::default());
        }
        let found = excerpt(&String::from_utf8_lossy(content));
        Err(self.wrong(1, "a table", &found))
    }

    /// Returns the configurations that have rows.
    fn configurations(
        &self,
        rows: Vec<TableRow>,
        planned: &[Configuration],
    ) -> Result<FxHashSet<Vec<String>>> {
        let planned: FxHashSet<Vec<String>> = planned.iter().map(Configuration::values).collect();
        let mut done = FxHashSet::default();
        for TableRow { line, mut cells } in rows {
            cells.truncate(self.keys);
            let shown = format!("'{}'", cells.join(","));
            if !planned.contains(&cells) {
                let expected = "a configuration of the experiment (remove the table if the experiment was changed)";
                return Err(self.wrong(line, expected, &shown));
            }
            if !done.insert(cells) {
                return Err(self.wrong(line, "distinct configurations", &shown));
            }
        }
        Ok(done)
    }

    fn wrong(&self, line: u64, expected: &str, found: &str) -> Error {
        let path = self.path.to_path_buf();
        Error::Parse { path, line, expected: expected.into(), found: found.into() }
    }
}
