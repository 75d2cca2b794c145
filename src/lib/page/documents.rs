//! The documents' texts, from files with a JSON object a line.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::input;
use crate::files::record::RecordShape;

/// Calls `keep` with the id and the text of every document, in the files' order. A document without a field for its id is called by its line's number.
pub fn for_each(
    inputs: &[PathBuf],
    shape: &RecordShape,
    keep: &mut dyn FnMut(&str, &str) -> Result<()>,
) -> Result<()> {
    inputs.iter().try_for_each(|path| for_each_of_file(path, shape, keep))
}

fn for_each_of_file(
    path: &Path,
    shape: &RecordShape,
    keep: &mut dyn FnMut(&str, &str) -> Result<()>,
) -> Result<()> {
    let mut reader = BufReader::new(input::open(path)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|e| Error::io("read", path, e))? == 0 {
            break;
        }
        let record = shape.parse(path, number, line.trim_ascii_end())?;
        match record.name {
            Some(name) => keep(&name, &record.text)?,
            None => keep(&number.to_string(), &record.text)?,
        }
    }
    Ok(())
}
