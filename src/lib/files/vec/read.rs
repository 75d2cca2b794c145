//! Reading VEC files: several at a time, each in parts, so that all threads have work whatever the file sizes.

use std::path::Path;

use rayon::prelude::*;

use super::check_counts;
use crate::error::Result;
use crate::files::content::{Content, ContentLines, verify_all};
use crate::files::decimal::{decimal, digits};
use crate::files::input::Line;
use crate::files::manifest::DataFile;
use crate::files::names::Names;
use crate::files::paths::VecPaths;
use crate::session::Session;

/// Bytes per task: large enough to make its start cheap, small enough to share a file among threads.
const PART_BYTES: usize = 1 << 20;
/// Maximum size of the files open at the same time, unless a single one is larger.
const MAX_OPEN_BYTES: u64 = 1 << 26;
/// Number of parts in memory at the same time.
const PARTS_PER_BATCH: usize = 32;

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

    /// Returns the components of vector `number`.
    pub fn vector(&self, number: usize) -> (&[u32], &[f32]) {
        let range = self.ends[number]..self.ends[number + 1];
        (&self.indexes[range.clone()], &self.values[range])
    }

    /// Appends other vectors.
    pub fn append(&mut self, other: &Vectors) {
        let before = self.indexes.len();
        other.names.iter().for_each(|name| self.names.push(name));
        self.ends.extend(other.ends[1..].iter().map(|end| before + end));
        self.indexes.extend_from_slice(&other.indexes);
        self.values.extend_from_slice(&other.values);
    }

    fn push(&mut self, line: &Line<'_>, terms: usize) -> Result<()> {
        let (name, stated, items) = line.record("name:nonzeros")?;
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
    const SHAPE: &str = "index:value";
    let end = items[at..].find(' ').map_or(items.len(), |length| at + length);
    let item = &items[at..end];
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

/// Calls `visit` with all vectors of a list in order, tens of megabytes of text at a time, in parts parsed in parallel. Verifies the files and
/// the list's counts. The first error in file order is reported.
pub fn for_each_part(
    paths: &Path,
    list: &VecPaths,
    session: &Session,
    mut visit: impl FnMut(Vec<Vectors>) -> Result<()>,
) -> Result<()> {
    let mut per_file = Vec::with_capacity(list.files.len());
    let mut rest = &list.files[..];
    while !rest.is_empty() {
        let (files, later) = rest.split_at(open_together(rest));
        rest = later;
        let contents = in_order(files.par_iter().map(Content::open).collect())?;
        let first = per_file.len();
        per_file.resize(first + files.len(), 0);
        let mut parts = contents.iter().enumerate().flat_map(|(file, content)| {
            let count = content.lines().bytes_left().div_ceil(PART_BYTES);
            content.parts(count).into_iter().map(move |part| (first + file, part))
        });
        loop {
            let (numbers, some): (Vec<usize>, Vec<_>) =
                parts.by_ref().take(PARTS_PER_BATCH).unzip();
            if some.is_empty() {
                break;
            }
            let read = some.into_par_iter().map(|part| read_part(part, list.terms)).collect();
            let vectors = in_order(read)?;
            numbers.iter().zip(&vectors).for_each(|(file, part)| per_file[*file] += part.len());
            visit(vectors)?;
        }
        verify_all(&contents)?;
        session.advance(files.len() as u64);
    }
    check_counts(paths, list, &per_file)
}

/// Returns how many files to open together: at least one, as many as fit [`MAX_OPEN_BYTES`].
fn open_together(files: &[DataFile]) -> usize {
    let mut bytes = 0;
    let fits = |file: &&DataFile| {
        bytes += file.path.metadata().map_or(0, |about| about.len());
        bytes <= MAX_OPEN_BYTES
    };
    files.iter().take_while(fits).count().max(1)
}

/// Returns all results, or the first error.
fn in_order<T>(results: Vec<Result<T>>) -> Result<Vec<T>> {
    results.into_iter().collect()
}
