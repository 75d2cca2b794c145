//! Reading VEC files: many at once, each in parts, so that all threads have work whatever the sizes of the files.

use std::path::Path;

use rayon::prelude::*;

use super::check_counts;
use crate::error::Result;
use crate::files::content::{Content, ContentLines};
use crate::files::decimal::{decimal, digits};
use crate::files::input::Line;
use crate::files::names::Names;
use crate::files::paths::VecPaths;
use crate::session::Session;

/// Bytes of text that are one task: enough to make starting it cheap, little enough to share a file among threads.
const PART: usize = 1 << 20;
/// Bytes of files that are open at the same time, unless one alone has more.
const OPEN: u64 = 1 << 26;
/// Parts that are in memory at the same time.
const PARTS_AT_ONCE: usize = 32;

/// Some documents' vectors, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// The documents' names, in their canonical encoding.
    pub names: Names,
    /// Where each vector ends in the two below; one more than vectors, the first is 0.
    pub ends: Vec<usize>,
    /// The indexes of all components, ascending in each vector.
    pub indexes: Vec<u32>,
    /// The values of all components; finite, not 0.
    pub values: Vec<f32>,
}

impl Default for Vectors {
    fn default() -> Self {
        let names = Names::default();
        Vectors { names, ends: vec![0], indexes: Vec::new(), values: Vec::new() }
    }
}

impl Vectors {
    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The components of vector `number`.
    pub fn vector(&self, number: usize) -> (&[u32], &[f32]) {
        let range = self.ends[number]..self.ends[number + 1];
        (&self.indexes[range.clone()], &self.values[range])
    }

    /// Adds the vectors of another.
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

    /// Adds the components of a line and returns how many there are, with those that are 0.
    fn push_components(&mut self, line: &Line<'_>, items: &str, terms: usize) -> Result<usize> {
        let bytes = items.as_bytes();
        let (mut at, mut found, mut least) = (0, 0, 0);
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
            if u64::from(index) < least {
                return Err(line.expected("ascending indexes", &items[at..end]));
            }
            least = u64::from(index) + 1;
            found += 1;
            at = end;
            // A component that is 0 says nothing about a direction; files of others may hold some.
            if value != 0.0 {
                self.indexes.push(index);
                self.values.push(value);
            }
        }
        Ok(found)
    }
}

/// The component at the start of `text` and its length, if it is spelled as the chain spells components.
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

/// Any component, or what is wrong with it, and where it ends.
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
    /// A component takes at least so many bytes of text in files that matter.
    const BYTES_A_COMPONENT: usize = 10;
    let mut vectors = Vectors::default();
    let guess = lines.bytes_left() / BYTES_A_COMPONENT;
    vectors.indexes.reserve(guess);
    vectors.values.reserve(guess);
    while let Some(line) = lines.next_line()? {
        vectors.push(&line, terms)?;
    }
    Ok(vectors)
}

/// All vectors of a list, in its order, as the rows of one sparse matrix. `paths` is where the list stands, for messages.
/// Memory: the matrix and some tens of megabytes; it is never there twice.
pub fn read_all(paths: &Path, list: &VecPaths, session: &Session) -> Result<Vectors> {
    session.phase("reading vectors", Some(list.files.len() as u64));
    let mut all = Vectors::default();
    for_each_part(paths, list, session, |parts| {
        parts.iter().for_each(|part| all.append(part));
        Ok(())
    })?;
    Ok(all)
}

/// Calls `visit` with all vectors of a list in its order, some tens of megabytes of text at a time, in parts that were read in parallel.
/// Of several errors the first in the order of the files is told. In the end the list's counts are checked.
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
        let contents = in_order(files.par_iter().map(|path| Content::open(path)).collect())?;
        let first = per_file.len();
        per_file.resize(first + files.len(), 0);
        let mut parts = contents.iter().enumerate().flat_map(|(file, content)| {
            let count = content.lines().bytes_left().div_ceil(PART);
            content.parts(count).into_iter().map(move |part| (first + file, part))
        });
        loop {
            let (numbers, some): (Vec<usize>, Vec<_>) = parts.by_ref().take(PARTS_AT_ONCE).unzip();
            if some.is_empty() {
                break;
            }
            let read = some.into_par_iter().map(|part| read_part(part, list.terms)).collect();
            let vectors = in_order(read)?;
            numbers.iter().zip(&vectors).for_each(|(file, part)| per_file[*file] += part.len());
            visit(vectors)?;
        }
        session.advance(files.len() as u64);
    }
    check_counts(paths, list, &per_file)
}

/// How many files to open at once: those whose sizes together stay within bounds, at least one.
fn open_together(files: &[std::path::PathBuf]) -> usize {
    let mut bytes = 0;
    let fits = |path: &&std::path::PathBuf| {
        bytes += std::fs::metadata(path).map_or(0, |about| about.len());
        bytes <= OPEN
    };
    files.iter().take_while(fits).count().max(1)
}

/// All results, or the first error in their order.
fn in_order<T>(results: Vec<Result<T>>) -> Result<Vec<T>> {
    results.into_iter().collect()
}
