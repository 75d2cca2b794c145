//! The table of an experiment: CSV, one row a configuration, written after every run. What stands there is not measured again.
//!
//! A run that is killed leaves whole rows and perhaps the beginning of one, which the next run removes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::keys::Configuration;
use super::measure::Measure;
use crate::error::{Error, Result, excerpt};

/// A row as it stands in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    /// Its line.
    line: u64,
    /// The values of the measure's keys, then of its columns.
    cells: Vec<String>,
}

/// A table that grows.
pub struct Table {
    path: PathBuf,
    file: File,
    columns: usize,
    done: FxHashSet<Vec<String>>,
}

impl Table {
    /// Opens or begins the table of a measure. Rows that are there must be of the planned configurations. Nobody else may be writing it.
    pub fn open(path: &Path, measure: Measure, planned: &[Configuration]) -> Result<Self> {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(|e| Error::io("open", path, e))?;
        lock(&file, path)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(|e| Error::io("read", path, e))?;
        // What follows the last newline is the beginning of a row that was not finished.
        let whole = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let shape = Shape::new(path, measure);
        let done = match whole {
            0 => shape.check_beginning(&content)?,
            _ => shape.configurations(shape.parse(&content[..whole])?, planned)?,
        };
        let columns = shape.names.len();
        let mut table = Table { path: path.to_path_buf(), file, columns, done };
        if whole < content.len() {
            table.cut(whole as u64)?;
        }
        if whole == 0 {
            table.write(&shape.names)?;
        }
        Ok(table)
    }

    /// Whether it has rows that were written before a file changed.
    pub fn is_older_than(&self, file: &Path) -> bool {
        let changed = std::fs::metadata(file).and_then(|metadata| metadata.modified());
        let written = self.file.metadata().and_then(|metadata| metadata.modified());
        let is_older =
            written.ok().zip(changed.ok()).is_some_and(|(written, changed)| written < changed);
        is_older && !self.done.is_empty()
    }

    /// Whether a configuration has its row.
    pub fn has(&self, configuration: &Configuration) -> bool {
        self.done.contains(&cells(configuration))
    }

    /// Adds the row of a configuration. It is on disk when this returns.
    pub fn append(&mut self, configuration: &Configuration, values: Vec<String>) -> Result<()> {
        let mut row = cells(configuration);
        self.done.insert(row.clone());
        row.extend(values);
        assert_eq!(row.len(), self.columns, "a row has as many values as the table has columns");
        self.write(&row)
    }

    fn cut(&mut self, length: u64) -> Result<()> {
        let cut = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::End(0)));
        cut.map(drop).map_err(|e| Error::io("write", &self.path, e))
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

fn cells(configuration: &Configuration) -> Vec<String> {
    configuration.0.iter().map(|(_, value)| value.clone()).collect()
}

/// The line of a record. Its position is where the one before ended: empty lines may follow.
fn line_of(content: &[u8], record: &csv::StringRecord) -> u64 {
    let Some(position) = record.position() else { return 1 };
    let rest = content.get(position.byte() as usize..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + empty.filter(|byte| **byte == b'\n').count() as u64
}

/// What a table of a measure looks like.
struct Shape<'a> {
    path: &'a Path,
    names: Vec<&'static str>,
    keys: usize,
}

impl<'a> Shape<'a> {
    fn new(path: &'a Path, measure: Measure) -> Self {
        let keys = measure.keys();
        let names = keys.iter().map(|key| key.name()).chain(measure.columns().iter().copied());
        Shape { path, names: names.collect(), keys: keys.len() }
    }

    /// The rows of whole lines, of which the first names the columns.
    fn parse(&self, content: &[u8]) -> Result<Vec<Row>> {
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
            rows.push(Row { line, cells: record.iter().map(String::from).collect() });
        }
        Ok(rows)
    }

    fn check_header(&self, line: u64, row: &csv::StringRecord) -> Result<()> {
        if *row == self.names {
            return Ok(());
        }
        let names = self.names.join(",");
        let expected = format!("the columns {names} (or no file, if another version made it)");
        let found: Vec<&str> = row.iter().collect();
        Err(self.wrong(line, &expected, &excerpt(&found.join(","))))
    }

    /// A file without a whole line can only be the beginning of its first.
    fn check_beginning(&self, content: &[u8]) -> Result<FxHashSet<Vec<String>>> {
        if self.names.join(",").as_bytes().starts_with(content) {
            return Ok(FxHashSet::default());
        }
        let found = excerpt(&String::from_utf8_lossy(content));
        Err(self.wrong(1, "a table, or no file", &found))
    }

    /// The configurations that have rows.
    fn configurations(
        &self,
        rows: Vec<Row>,
        planned: &[Configuration],
    ) -> Result<FxHashSet<Vec<String>>> {
        let planned: FxHashSet<Vec<String>> = planned.iter().map(cells).collect();
        let mut done = FxHashSet::default();
        for Row { line, mut cells } in rows {
            cells.truncate(self.keys);
            let shown = format!("'{}'", cells.join(","));
            if !planned.contains(&cells) {
                let expected =
                    "a configuration of the experiment (or no file, if the experiment was changed)";
                return Err(self.wrong(line, expected, &shown));
            }
            if !done.insert(cells) {
                return Err(self.wrong(line, "every configuration once", &shown));
            }
        }
        Ok(done)
    }

    fn wrong(&self, line: u64, expected: &str, found: &str) -> Error {
        let path = self.path.to_path_buf();
        Error::Parse { path, line, expected: expected.into(), found: found.into() }
    }
}
