//! VEC files: one sparse vector a line.
//!
//! ```text
//! name:nonzeros index:value index:value …
//! ```
//!
//! An index is the term's position in the vocabulary, counted from 0; indexes ascend. Values are 32-bit
//! floating-point numbers in their shortest decimal spelling that reads back as the same number.

use std::path::Path;

use crate::error::{Result, check_count};
use crate::files::component::append_component;
use crate::files::content::Content;
use crate::files::decimal::append_number;
use crate::files::input::Line;
use crate::files::paths::VecPaths;

/// Appends one line: the encoded name and the components by ascending index.
pub fn append_line(line: &mut Vec<u8>, name: &str, components: &[(u32, f32)]) {
    append_head(line, name, components.len());
    components.iter().for_each(|(index, value)| append_component(line, *index, *value));
    line.push(b'\n');
}

/// Appends the beginning of a line: the encoded name and the number of components that will follow.
pub fn append_head(line: &mut Vec<u8>, name: &str, components: usize) {
    line.extend_from_slice(name.as_bytes());
    line.push(b':');
    append_number(line, components as u64);
}

/// The vectors of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VecFile {
    /// The documents' names, in their canonical encoding.
    pub names: Vec<String>,
    /// Where each vector ends in the two below; one more than vectors, the first is 0.
    pub ends: Vec<usize>,
    /// The indexes of all components.
    pub indexes: Vec<u32>,
    /// The values of all components.
    pub values: Vec<f32>,
}

impl VecFile {
    /// The components of vector `number`.
    pub fn vector(&self, number: usize) -> (&[u32], &[f32]) {
        let range = self.ends[number]..self.ends[number + 1];
        (&self.indexes[range.clone()], &self.values[range])
    }
}

/// Reads one VEC file whose vectors have the dimension `terms`.
pub fn read(path: &Path, terms: usize) -> Result<VecFile> {
    let content = Content::open(path)?;
    let mut lines = content.lines();
    let mut file = VecFile { ends: vec![0], ..VecFile::default() };
    while let Some(line) = lines.next_line()? {
        append_vector(&mut file, &line, terms)?;
    }
    Ok(file)
}

fn append_vector(file: &mut VecFile, line: &Line<'_>, terms: usize) -> Result<()> {
    let (name, stated, items) = line.record("name:nonzeros")?;
    let name = line.name(name)?;
    let mut found = 0;
    let mut previous = None;
    for item in items.split(' ').filter(|item| !item.is_empty()) {
        let (index, value) = parse_component(line, item, terms)?;
        if previous >= Some(index) {
            return Err(line.expected("ascending indexes", item));
        }
        previous = Some(index);
        found += 1;
        // A component that is 0 says nothing about a direction; files of others may hold some.
        if value != 0.0 {
            file.indexes.push(index);
            file.values.push(value);
        }
    }
    line.check_items("components", stated, found)?;
    file.names.push(name.into_owned());
    file.ends.push(file.indexes.len());
    Ok(())
}

fn parse_component(line: &Line<'_>, item: &str, terms: usize) -> Result<(u32, f32)> {
    const SHAPE: &str = "index:value";
    let (index, value) = item.split_once(':').ok_or_else(|| line.expected(SHAPE, item))?;
    let index: u32 = line.number(SHAPE, index)?;
    if index as usize >= terms {
        let below = format!("an index below the vocabulary's size {terms} (another vocabulary?)");
        return Err(line.expected(below, item));
    }
    let value: f32 = line.number(SHAPE, value)?;
    if !value.is_finite() {
        return Err(line.expected("a finite value", item));
    }
    Ok((index, value))
}

/// Checks what was read against the list's header.
pub fn check_counts(list: &Path, stated: &VecPaths, per_file: &[usize]) -> Result<()> {
    let records = per_file.iter().copied().max().unwrap_or(0) as u64;
    check_count(list, "documents", stated.documents, per_file.iter().sum::<usize>() as u64)?;
    check_count(list, "records a file", stated.per_file, records)
}
