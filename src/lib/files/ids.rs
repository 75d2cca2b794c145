//! The id file of `create_bows --id_file`: `id name`, a number, from 1, for each document name.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::files::input::Lines;
use crate::files::output::Output;

/// Writes the map: name `n` (from 0) gets the number `n + 1`.
pub fn write<'a>(out: &mut Output, names: impl Iterator<Item = &'a str>) -> Result<()> {
    for (position, name) in names.enumerate() {
        out.write(format!("{} {name}\n", position + 1).as_bytes())?;
    }
    Ok(())
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
