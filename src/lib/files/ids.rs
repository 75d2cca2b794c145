//! The id file of `create_bows --id_file`: a number, from 1, for each document name.
//!
//! ```text
//! id name
//! ```

use std::path::Path;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::files::input::Lines;
use crate::files::output::Output;

/// Writes the map: name `n` (from 0) gets the number `n + 1`. The caller completes the file.
pub fn write<'a>(path: &Path, names: impl Iterator<Item = &'a str>) -> Result<Output> {
    let mut out = Output::create(path)?;
    for (position, name) in names.enumerate() {
        out.write(format!("{} {name}\n", position + 1).as_bytes())?;
    }
    Ok(out)
}

/// Reads the map from number to encoded name.
pub fn read(path: &Path) -> Result<FxHashMap<String, String>> {
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
    Ok(names)
}
