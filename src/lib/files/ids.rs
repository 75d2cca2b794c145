//! The id file of `create_bows --id_file`: `id name`, a number, from 1, for each document name.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::files::content::Content;
use crate::files::input::Lines;
use crate::files::output::Output;

/// Writes the map: the names get the numbers from `first` on.
pub fn write<'a>(out: &mut Output, first: u64, names: impl Iterator<Item = &'a str>) -> Result<()> {
    for (number, name) in (first..).zip(names) {
        out.write(format!("{number} {name}\n").as_bytes())?;
    }
    Ok(())
}

/// Checks that the lines of a part are numbered from `first` on, and returns the number after the last.
pub fn check_numbers(part: &Content, first: u64) -> Result<u64> {
    let (mut lines, mut next) = (part.lines(), first);
    while let Some(line) = lines.next_line()? {
        let number = line.text.split(' ').next().unwrap_or_default();
        if line.number::<u64>("id name", number)? != next {
            return Err(line.expected(format!("number {next}"), number));
        }
        next += 1;
    }
    Ok(next)
}

/// Names of a numbered collection.
#[derive(Debug)]
pub struct IdNames {
    path: PathBuf,
    /// The encoded names by number.
    pub names: FxHashMap<String, String>,
}

impl IdNames {
    /// Reads an id file.
    pub fn read(path: &Path) -> Result<Self> {
        let mut names = FxHashMap::default();
        let mut lines = Lines::open(path)?;
        while let Some(line) = lines.next_line()? {
            let (id, name) =
                line.text.split_once(' ').ok_or_else(|| line.expected("id name", line.text))?;
            line.number::<u64>("id name", id)?;
            let name = line.name(name)?;
            if names.insert(id.to_string(), name.into_owned()).is_some() {
                return Err(line.expected("unique ids", id));
            }
        }
        Ok(IdNames { path: path.to_path_buf(), names })
    }

    /// Returns the name of a document. Fails if the file has no such number.
    pub fn name(&self, number: &str) -> Result<&str> {
        let unknown = || format!("has no document numbered '{number}'");
        let name = self.names.get(number).map(|name| &**name);
        name.ok_or_else(|| Error::in_file(&self.path, unknown()))
    }
}
