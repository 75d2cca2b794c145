//! The table of a measurement: CSV, one row per configuration, written after every run. Existing rows are not measured again.
//!
//! A killed run leaves complete rows and possibly an incomplete last one, which the next run removes.

use std::fs::{File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::keys::Configuration;
use super::measure::{Measurement, MeasurementParts};
use crate::error::{Error, INFALLIBLE, Result, excerpt};
use crate::files::disk;
use crate::files::input::read_error;
use crate::files::limits::{self, LineLimit, MAX_LIST_BYTES};

/// Reads the rows of a table in their order, values of the keys first. Fails if it has rows of unplanned configurations or lacks some.
pub fn rows(
    path: &Path,
    measurement: Measurement,
    planned: &[Configuration],
) -> Result<Vec<Vec<String>>> {
    let mut file = File::open(path).map_err(|e| Error::io("open", path, e))?;
    let mut content = Vec::new();
    let read = limits::read_to_end(LineLimit::new(&mut file), MAX_LIST_BYTES, &mut content);
    read.map_err(|e| read_error(path, e))?;
    let mut table = ResultTable::new(path, file, measurement);
    table.parse(&content, planned)?;
    if let Some(missing) = planned.iter().find(|configuration| !table.has(configuration)) {
        let message = format!("expected a row of {missing}, found none: run this shard again");
        return Err(Error::in_file(path, message));
    }
    let records = csv::Reader::from_reader(&content[..]).into_records();
    let values = |record: csv::StringRecord| record.iter().map(String::from).collect();
    Ok(records.map(|record| record.map(values)).collect::<csv::Result<_>>().expect(PARSED))
}

const PARSED: &str = "the rows were parsed before";

/// Returns the text of a table: the header, then rows.
pub fn text(measurement: Measurement, rows: &[&Vec<String>]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(column_names(measurement)).expect(INFALLIBLE);
    rows.iter().for_each(|row| writer.write_record(*row).expect(INFALLIBLE));
    writer.into_inner().expect(INFALLIBLE)
}

/// Returns the names of the columns: keys, then results.
fn column_names(measurement: Measurement) -> Vec<String> {
    let MeasurementParts { keys, columns, .. } = measurement.parts();
    let names = keys.iter().map(ToString::to_string);
    names.chain(columns.split(',').map(String::from)).collect()
}

/// A table open for appending.
pub struct ResultTable {
    path: PathBuf,
    file: File,
    /// The names of the columns: keys, then results.
    names: Vec<String>,
    keys: usize,
    /// The values of the keys in each row.
    done: FxHashSet<Vec<String>>,
}

impl ResultTable {
    /// Opens or creates a table. Fails if it has rows of unplanned configurations, or if another run is writing it.
    pub fn open(path: &Path, measurement: Measurement, planned: &[Configuration]) -> Result<Self> {
        let mut file = disk::open_or_create(path).map_err(|e| Error::io("open", path, e))?;
        lock(&file, path)?;
        let mut content = Vec::new();
        let read = limits::read_to_end(LineLimit::new(&mut file), MAX_LIST_BYTES, &mut content);
        read.map_err(|e| read_error(path, e))?;
        let mut table = ResultTable::new(path, file, measurement);
        table.resume(&content, planned)?;
        Ok(table)
    }

    fn new(path: &Path, file: File, measurement: Measurement) -> Self {
        let (names, keys) = (column_names(measurement), measurement.parts().keys.len());
        ResultTable { path: path.to_path_buf(), file, names, keys, done: FxHashSet::default() }
    }

    /// Checks the content of the file, removes an incomplete row after the last newline, and writes the header if there is none.
    fn resume(&mut self, content: &[u8], planned: &[Configuration]) -> Result<()> {
        let complete = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let is_header = self.names.join(",").as_bytes().starts_with(content);
        if complete > 0 {
            self.parse(&content[..complete], planned)?;
        } else if !is_header {
            return Err(self.wrong(1, "a table", &excerpt(&String::from_utf8_lossy(content))));
        }
        if complete < content.len() {
            let cut = self.file.set_len(complete as u64);
            let cut = cut.and_then(|()| self.file.seek(SeekFrom::End(0)));
            cut.map_err(|e| Error::io("write", &self.path, e))?;
        }
        if complete > 0 {
            return Ok(());
        }
        self.write(&self.names.clone())?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        disk::sync_folder(folder).map_err(|e| Error::io("sync", &self.path, e))
    }

    /// Parses complete lines, the header first.
    fn parse(&mut self, content: &[u8], planned: &[Configuration]) -> Result<()> {
        let planned: FxHashSet<Vec<String>> = planned.iter().map(Configuration::values).collect();
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).flexible(true).from_reader(content);
        let mut after = 0;
        for (number, record) in reader.records().enumerate() {
            let record = record.map_err(|e| self.wrong(after + 1, "a row", &e.to_string()))?;
            after = line_of(content, &record);
            match number {
                0 => self.check_header(after, &record)?,
                _ => self.add_row(after, &record, &planned)?,
            }
        }
        Ok(())
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

    fn add_row(
        &mut self,
        line: u64,
        row: &csv::StringRecord,
        planned: &FxHashSet<Vec<String>>,
    ) -> Result<()> {
        if row.len() != self.names.len() {
            let expected = format!("{} values", self.names.len());
            return Err(self.wrong(line, &expected, &row.len().to_string()));
        }
        let values: Vec<String> = row.iter().take(self.keys).map(String::from).collect();
        let shown = format!("'{}'", values.join(","));
        if !planned.contains(&values) {
            let expected = "a configuration of the experiment (remove the table if the experiment was changed)";
            return Err(self.wrong(line, expected, &shown));
        }
        match self.done.insert(values) {
            true => Ok(()),
            false => Err(self.wrong(line, "distinct configurations", &shown)),
        }
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

    /// Appends the row of a configuration and syncs it to disk. Cells missing at its end are empty.
    pub fn append(&mut self, configuration: &Configuration, cells: Vec<String>) -> Result<()> {
        let mut row = configuration.values();
        self.done.insert(row.clone());
        row.extend(cells);
        assert!(row.len() <= self.names.len(), "at most one cell per column");
        row.resize(self.names.len(), String::new());
        self.write(&row)
    }

    fn write(&mut self, row: &[String]) -> Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(row).expect(INFALLIBLE);
        let text = writer.into_inner().expect(INFALLIBLE);
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        written.map_err(|e| Error::io("write", &self.path, e))
    }

    fn wrong(&self, line: u64, expected: &str, found: &str) -> Error {
        Error::parse(&self.path, line, expected, found)
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(Error::in_file(path, "another run is writing this table"))
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
