//! Records in the form of their container.

use crate::corpus::records::{csv_row, extract};
use crate::corpus::source::SourceKind;
use crate::error::{Error, Result};
use crate::files::output::{Output, Part};

/// A document as it is in the copy.
pub(super) struct CopiedRecord {
    bytes: Vec<u8>,
    /// The header of the table that the record is a row of.
    header: Option<Vec<u8>>,
    /// The hash of the text.
    pub text_hash: u64,
}

impl CopiedRecord {
    /// Returns a record of the given bytes.
    pub fn plain(bytes: Vec<u8>, text_hash: u64) -> Self {
        CopiedRecord { bytes, header: None, text_hash }
    }

    /// Returns the record that a line stands for.
    pub fn of_line(kind: SourceKind, line: &[u8], text_field: &str, text_hash: u64) -> Self {
        const CONVERTED: &str = "the line was converted from the container";
        match kind {
            SourceKind::Csv(dialect) => {
                let [bytes, header] = csv_row(line, dialect).expect(CONVERTED);
                CopiedRecord { bytes, header: Some(header), text_hash }
            }
            SourceKind::Wiki => {
                CopiedRecord::plain(extract(line, text_field).expect(CONVERTED), text_hash)
            }
            SourceKind::Array => CopiedRecord::plain(line.trim_ascii().to_vec(), text_hash),
            _ => CopiedRecord::plain([line, b"\n"].concat(), text_hash),
        }
    }
}

/// Writes records of one kind to a file.
pub(super) struct RecordWriter {
    output: Output,
    kind: SourceKind,
    header: Option<Vec<u8>>,
    is_empty: bool,
}

impl RecordWriter {
    pub fn new(output: Output, kind: SourceKind) -> Self {
        RecordWriter { output, kind, header: None, is_empty: true }
    }

    /// Writes a record if it is kept. The first one, kept or not, determines the header of a table.
    ///
    /// # Errors
    /// A row of a table with other columns.
    pub fn add(&mut self, record: &CopiedRecord, is_kept: bool) -> Result<()> {
        if let Some(header) = &record.header {
            match &self.header {
                None => self.output.write(header)?,
                Some(first) if first == header => (),
                Some(_) => {
                    let message =
                        "the inputs have different columns: name a file such as kept.jsonl";
                    return Err(Error::in_file(self.output.path(), message));
                }
            }
            self.header.get_or_insert_with(|| header.clone());
        }
        if !is_kept {
            return Ok(());
        }
        let is_first = std::mem::replace(&mut self.is_empty, false);
        if self.kind == SourceKind::Array {
            self.output.write(if is_first { b"[\n" } else { b",\n" })?;
        }
        self.output.write(&record.bytes)
    }

    /// Completes the file, but leaves it under its temporary name.
    pub fn close(mut self) -> Result<Part> {
        if self.kind == SourceKind::Array {
            self.output.write(if self.is_empty { b"[]\n" } else { b"\n]\n" })?;
        }
        self.output.close()
    }
}
