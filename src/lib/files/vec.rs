//! VEC files: one sparse vector per line.
//!
//! ```text
//! name:nonzeros index:value index:value …
//! ```
//!
//! An index is the term's position in the vocabulary, from 0; indexes ascend. Values are `f32` in the shortest decimal that parses to the
//! same number.

pub mod component;

use std::path::Path;

use crate::error::{Result, check_count};
use crate::files::content::{ContentLines, for_each_batch};
use crate::files::decimal::{append_number, decimal, digits};
use crate::files::input::Line;
use crate::files::names::Names;
use crate::files::paths::VecPaths;
use crate::files::unique::NameHashes;
use crate::session::Session;

/// The start of a line.
const SHAPE: &str = "name:nonzeros";

/// Appends the start of a line: the encoded name and the number of components to follow.
pub fn append_head(line: &mut Vec<u8>, name: &str, components: usize) {
    line.extend_from_slice(name.as_bytes());
    line.push(b':');
    append_number(line, components as u64);
}

/// The vectors of several documents, concatenated.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// The documents' names, in their canonical encoding.
    pub names: Names,
    /// The end of each vector in `indexes` and `values`; starts with 0.
    pub ends: Vec<usize>,
    /// The indexes of all components, ascending within each vector.
    pub indexes: Vec<u32>,
    /// The values of all components, finite and not 0.
    pub values: Vec<f32>,
}

impl Default for Vectors {
    fn default() -> Self {
        let names = Names::default();
        Vectors { names, ends: vec![0], indexes: Vec::new(), values: Vec::new() }
    }
}

impl Vectors {
    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the components of vector `number`.
    pub fn vector(&self, number: usize) -> (&[u32], &[f32]) {
        let range = self.ends[number]..self.ends[number + 1];
        (&self.indexes[range.clone()], &self.values[range])
    }

    /// Appends other vectors.
    pub fn append(&mut self, other: &Vectors) {
        let before = self.indexes.len();
        self.names.append(&other.names);
        self.ends.extend(other.ends[1..].iter().map(|end| before + end));
        self.indexes.extend_from_slice(&other.indexes);
        self.values.extend_from_slice(&other.values);
    }

    fn push(&mut self, line: &Line<'_>, terms: usize) -> Result<()> {
        let (name, stated, items) = line.record(SHAPE)?;
        let name = line.name(name)?;
        let found = self.push_components(line, items, terms)?;
        line.check_items("components", stated, found)?;
        self.names.push(&name);
        self.ends.push(self.indexes.len());
        Ok(())
    }

    /// Appends the components of a line. Returns their number, including zeros.
    fn push_components(&mut self, line: &Line<'_>, items: &str, terms: usize) -> Result<usize> {
        let bytes = items.as_bytes();
        let (mut at, mut found, mut min_index) = (0, 0, 0);
        while at < bytes.len() {
            if bytes[at] == b' ' {
                at += 1;
                continue;
            }
            let (index, value, end) = match component(&bytes[at..]) {
                Some((index, value, length)) if (index as usize) < terms => {
                    (index, value, at + length)
                }
                _ => unusual_component(line, items, at, terms)?,
            };
            if u64::from(index) < min_index {
                return Err(line.expected("ascending indexes", &items[at..end]));
            }
            min_index = u64::from(index) + 1;
            found += 1;
            at = end;
            // Zeros do not change a direction; files of other programs may contain some.
            if value != 0.0 {
                self.indexes.push(index);
                self.values.push(value);
            }
        }
        Ok(found)
    }
}

/// Parses a component in the pipeline's own spelling. Returns index, value and length.
#[inline(always)]
fn component(text: &[u8]) -> Option<(u32, f32, usize)> {
    let (index, count) = digits(text);
    if count == 0 || text.get(count) != Some(&b':') {
        return None;
    }
    let (value, length) = decimal(&text[count + 1..])?;
    let end = count + 1 + length;
    matches!(text.get(end), None | Some(b' ')).then_some((index as u32, value, end))
}

/// Parses a component in any spelling. Returns index, value and end.
#[cold]
fn unusual_component(
    line: &Line<'_>,
    items: &str,
    at: usize,
    terms: usize,
) -> Result<(u32, f32, usize)> {
    const ITEM: &str = "index:value";
    let end = items[at..].find(' ').map_or(items.len(), |length| at + length);
    let item = &items[at..end];
    let (index, value) = item.split_once(':').ok_or_else(|| line.expected(ITEM, item))?;
    let index: u32 = line.number(ITEM, index)?;
    if index as usize >= terms {
        let below = format!("an index below the vocabulary's size {terms} (another vocabulary?)");
        return Err(line.expected(below, item));
    }
    let value: f32 = line.number(ITEM, value)?;
    if !value.is_finite() {
        return Err(line.expected("a finite value", item));
    }
    Ok((index, value, end))
}

fn read_part(mut lines: ContentLines<'_>, terms: usize) -> Result<Vectors> {
    /// Typical length of a component, to reserve memory.
    const BYTES_PER_COMPONENT: usize = 10;
    let mut vectors = Vectors::default();
    let estimate = lines.bytes_left() / BYTES_PER_COMPONENT;
    vectors.indexes.reserve(estimate);
    vectors.values.reserve(estimate);
    while let Some(line) = lines.next_line()? {
        vectors.push(&line, terms)?;
    }
    Ok(vectors)
}

/// Reads all vectors of a list, in its order. `paths` is the list's path, for error messages. Memory: the vectors once, and tens of
/// megabytes of text.
pub fn read_all(paths: &Path, list: &VecPaths, session: &Session) -> Result<Vectors> {
    session.phase("reading vectors", Some(list.files.len() as u64));
    let mut all = Vectors::default();
    for_each_part(paths, list, session, |parts| {
        parts.iter().for_each(|part| all.append(part));
        Ok(())
    })?;
    Ok(all)
}

/// Calls `visit` with all vectors of a list in order, tens of megabytes of text at a time, in parts parsed in parallel. Verifies the files,
/// that no name occurs twice (8 bytes per name), and the list's counts. The first error in file order is reported.
pub fn for_each_part(
    paths: &Path,
    list: &VecPaths,
    session: &Session,
    mut visit: impl FnMut(Vec<Vectors>) -> Result<()>,
) -> Result<()> {
    let mut per_file = vec![0; list.files.len()];
    let (mut current, mut names) = (0, NameHashes::default());
    let parse = |lines: ContentLines<'_>| read_part(lines, list.terms);
    for_each_batch(&list.files, parse, |files, parts| {
        for (file, part) in files.iter().zip(&parts) {
            per_file[*file] += part.len() as u64;
            names.extend(part.names.iter());
            session.advance((file - current) as u64);
            current = *file;
        }
        visit(parts)
    })?;
    session.advance((list.files.len() - current) as u64);
    names.check(paths, &list.files, |line, visit| {
        let (name, ..) = line.record(SHAPE)?;
        visit(&line.name(name)?);
        Ok(())
    })?;
    if list.is_part {
        return Ok(());
    }
    check_count(paths, "documents", list.documents, per_file.iter().sum())?;
    check_count(paths, "records per file", list.per_file, per_file.into_iter().max().unwrap_or(0))
}
