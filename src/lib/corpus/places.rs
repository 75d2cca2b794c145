//! Where documents are, in little memory, and which ids repeat.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use twox_hash::XxHash3_64;

use super::batch::Spot;
use super::inputs::Inputs;
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result, excerpt};
use crate::executable::counted;
use crate::files::names::Names;

/// Where each document is. Documents in consecutive lines cost nothing.
#[derive(Debug, Default)]
pub struct Places {
    sources: Vec<InputSource>,
    runs: Vec<Run>,
    /// The number of documents.
    pub(super) documents: usize,
}

/// Documents from this number on are in consecutive lines.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: usize,
    spot: Spot,
}

/// Where a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a Path,
    /// The record's line or row, counted from 1; none if the file is the document.
    pub line: Option<u64>,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

impl Spot {
    /// Returns the place in its source.
    pub fn place(self, sources: &[InputSource]) -> Place<'_> {
        Place { path: &sources[self.source].path, line: (self.line > 0).then_some(self.line) }
    }
}

impl Places {
    /// Returns where a document is.
    pub fn get(&self, document: usize) -> Place<'_> {
        self.spot(document).place(&self.sources)
    }

    pub(super) fn spot(&self, document: usize) -> Spot {
        let after = self.runs.partition_point(|run| run.first <= document);
        let Run { first, spot } = self.runs[after - 1];
        Spot { line: spot.line + (document - first) as u64, ..spot }
    }

    pub(super) fn push(&mut self, spot: Spot) {
        let follows = self.runs.last().is_some_and(|run| {
            let line = run.spot.line + (self.documents - run.first) as u64;
            spot.line > 0 && run.spot.source == spot.source && line == spot.line
        });
        if !follows {
            self.runs.push(Run { first: self.documents, spot });
        }
        self.documents += 1;
    }

    /// Stores the sources, with the content of those that had to be opened to know it.
    pub(super) fn finish(&mut self, sources: Vec<InputSource>, kinds: &[(usize, SourceKind)]) {
        self.sources = sources;
        kinds.iter().for_each(|(source, kind)| self.sources[*source].kind = *kind);
        self.runs.shrink_to_fit();
    }

    pub(super) fn source(&self, source: usize) -> &InputSource {
        &self.sources[source]
    }

    /// Returns the sources that have documents, each with these, in order.
    pub(super) fn by_source(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let same = |left: &Run, right: &Run| left.spot.source == right.spot.source;
        let mut runs = self.runs.chunk_by(same).peekable();
        std::iter::from_fn(move || {
            let run = runs.next()?[0];
            let end = runs.peek().map_or(self.documents, |next| next[0].first);
            Some((run.spot.source, run.first..end))
        })
    }

    /// Fails if two existing or two new documents have the same id. Takes 16 bytes per document temporarily.
    pub(super) fn check_unique(
        &self,
        ids: &Names,
        first_new: usize,
        inputs: &Inputs,
    ) -> Result<()> {
        let first = |range: Range<usize>| {
            duplicates(ids, range).into_iter().min_by_key(|(_, second)| *second)
        };
        let duplicate = first(0..first_new.min(ids.len())).or_else(|| first(first_new..ids.len()));
        let Some((first, second)) = duplicate else { return Ok(()) };
        let is_record = self.get(second).line.is_some() && !inputs.names_by_line;
        let why = if inputs.has_unique_ids { "; shards cannot number repeated ids" } else { "" };
        let hint =
            if is_record { "; an empty --id_field names records by file and line" } else { "" };
        Err(Error::Message(format!(
            "{}: duplicate document name {} (first at {}){why}{hint}",
            self.origin(second, inputs),
            excerpt(ids.get(second)),
            self.origin(first, inputs),
        )))
    }

    /// Gives repeated ids of existing or of new documents a number: `a`, `a#2`, `a#3`. Returns the new ids, and a warning if there are any.
    pub(super) fn number_repeated(
        &self,
        ids: Names,
        first_new: usize,
        inputs: &Inputs,
    ) -> (Names, Option<String>) {
        let first_new = first_new.min(ids.len());
        let mut repeated = duplicates(&ids, 0..first_new);
        repeated.extend(duplicates(&ids, first_new..ids.len()));
        let Some(&(first, second)) = repeated.iter().min_by_key(|(_, second)| *second) else {
            return (ids, None);
        };
        let [old, new] = [0..first_new, first_new..ids.len()].map(|range| {
            let of_range = repeated.iter().filter(|(_, second)| range.contains(second));
            numbered(&ids, range.clone(), of_range.map(|(_, second)| *second).collect())
        });
        let warning = format!(
            "{}: {} has the id {} again (first at {}); repeated ids get a number, such as {}",
            counted(repeated.len() as u64, "repeated ids"),
            self.origin(second, inputs),
            excerpt(ids.get(second)),
            self.origin(first, inputs),
            excerpt(old.iter().chain(&new).find(|(at, _)| *at == second).map_or("", |n| &n.1)),
        );
        let mut names = old.into_iter().chain(new).peekable();
        let mut renamed = Names::default();
        for (at, id) in ids.iter().enumerate() {
            match names.next_if(|(next, _)| *next == at) {
                Some((_, name)) => renamed.push(&name),
                None => renamed.push(id),
            }
        }
        (renamed, Some(warning))
    }

    /// Returns where a document is named: its line, or that of the list that names its file.
    fn origin(&self, document: usize, inputs: &Inputs) -> String {
        let list = self.sources[self.spot(document).source].list_place(inputs);
        let in_list = |(list, line): (PathBuf, u64)| format!("{}:{line}", list.display());
        list.map_or_else(|| self.get(document).to_string(), in_list)
    }
}

/// Returns the documents of a range whose ids an earlier one has, each after the first of that id.
fn duplicates(ids: &Names, range: Range<usize>) -> Vec<(usize, usize)> {
    let hash = |number: usize| (XxHash3_64::oneshot(ids.get(number).as_bytes()), number);
    let mut hashes: Vec<(u64, usize)> = range.into_par_iter().map(hash).collect();
    hashes.par_sort_unstable();
    let same_hash = hashes.chunk_by(|left, right| left.0 == right.0);
    let mut found = Vec::new();
    for group in same_hash.filter(|group| group.len() > 1) {
        let mut first_of: FxHashMap<&str, usize> = FxHashMap::default();
        for (_, number) in group {
            match first_of.entry(ids.get(*number)) {
                Entry::Vacant(free) => _ = free.insert(*number),
                Entry::Occupied(first) => found.push((*first.get(), *number)),
            }
        }
    }
    found
}

/// Returns an id without the number that tells it from the same id before, if it has one.
pub fn unnumbered(id: &str) -> &str {
    match id.rsplit_once('#') {
        Some((before, number)) if number.parse::<u64>().is_ok() => before,
        _ => id,
    }
}

/// Returns new ids, with their numbers, for documents of a range whose ids are repeated.
fn numbered(ids: &Names, range: Range<usize>, mut repeated: Vec<usize>) -> Vec<(usize, String)> {
    if repeated.is_empty() {
        return Vec::new();
    }
    repeated.sort_unstable();
    let mut taken: FxHashSet<Cow<'_, str>> =
        range.map(|number| Cow::Borrowed(ids.get(number))).collect();
    let mut next: FxHashMap<&str, u64> = FxHashMap::default();
    let mut name = |number: usize| {
        let id = ids.get(number);
        let count = next.entry(id).or_insert(1);
        loop {
            *count += 1;
            let name = format!("{id}#{count}");
            if taken.insert(Cow::Owned(name.clone())) {
                return (number, name);
            }
        }
    };
    repeated.into_iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_that_were_pushed(
            files in prop::collection::vec(prop::collection::btree_set(1u64..30, 0..20), 0..8)
        ) {
            let mut places = Places::default();
            let mut expected = Vec::new();
            for (source, lines) in files.iter().enumerate() {
                // A single line stands for a whole file.
                let lines = if lines.len() == 1 { vec![0] } else { lines.iter().copied().collect() };
                expected.extend(lines.into_iter().map(|line| Spot { source, line }));
            }
            expected.iter().for_each(|spot| places.push(*spot));
            prop_assert_eq!(places.documents, expected.len());
            for (document, spot) in expected.iter().enumerate() {
                prop_assert_eq!(places.spot(document), *spot);
            }
            for (source, documents) in places.by_source() {
                prop_assert!(!documents.is_empty());
                prop_assert!(expected[documents.clone()].iter().all(|spot| spot.source == source));
            }
            prop_assert_eq!(places.by_source().map(|(_, range)| range.len()).sum::<usize>(), expected.len());
        }

        #[test]
        fn duplicates_are_found_and_numbered(ids in prop::collection::vec("[a-c]{0,2}(#[23])?", 0..40)) {
            let mut expected = None;
            for (second, id) in ids.iter().enumerate() {
                if let Some(first) = ids[..second].iter().position(|earlier| earlier == id) {
                    expected = expected.or(Some((first, second)));
                }
            }
            let names: Names = ids.iter().collect();
            let found = duplicates(&names, 0..ids.len());
            prop_assert_eq!(found.iter().copied().min_by_key(|(_, second)| *second), expected);
            let repeated = found.iter().map(|(_, second)| *second).collect();
            let mut renamed = ids.clone();
            for (number, name) in numbered(&names, 0..ids.len(), repeated) {
                prop_assert_eq!(unnumbered(&name), &ids[number]);
                renamed[number] = name;
            }
            let distinct: FxHashSet<&String> = renamed.iter().collect();
            prop_assert_eq!(distinct.len(), ids.len());
        }
    }
}
