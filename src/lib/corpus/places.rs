//! Where documents are, in little memory, and which ids repeat.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use twox_hash::XxHash3_64;

use super::batch::Spot;
use super::inputs::Inputs;
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result, excerpt};
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
        let duplicate = first_duplicate(ids, 0..first_new.min(ids.len()));
        let duplicate = duplicate.or_else(|| first_duplicate(ids, first_new..ids.len()));
        let Some((first, second)) = duplicate else { return Ok(()) };
        let is_record = self.get(second).line.is_some() && !inputs.names_by_line;
        let hint =
            if is_record { "; an empty --id_field names records by file and line" } else { "" };
        Err(Error::Message(format!(
            "{}: duplicate document name {} (first at {}){hint}",
            self.origin(second, inputs),
            excerpt(ids.get(second)),
            self.origin(first, inputs),
        )))
    }

    /// Returns where a document is named: its line, or that of the list that names its file.
    fn origin(&self, document: usize, inputs: &Inputs) -> String {
        let list = self.sources[self.spot(document).source].list_place(inputs);
        let in_list = |(list, line): (PathBuf, u64)| format!("{}:{line}", list.display());
        list.map_or_else(|| self.get(document).to_string(), in_list)
    }
}

/// Returns the first document of a range whose id an earlier one has, after that one.
fn first_duplicate(ids: &Names, range: Range<usize>) -> Option<(usize, usize)> {
    let hash = |number: usize| (XxHash3_64::oneshot(ids.get(number).as_bytes()), number);
    let mut hashes: Vec<(u64, usize)> = range.into_par_iter().map(hash).collect();
    hashes.par_sort_unstable();
    let same_hash = hashes.chunk_by(|left, right| left.0 == right.0);
    let duplicates = same_hash.filter(|group| group.len() > 1).filter_map(|group| {
        let earlier = |at: usize| {
            let id = ids.get(group[at].1);
            group[..at].iter().find(|(_, number)| ids.get(*number) == id)
        };
        (1..group.len()).find_map(|at| Some((earlier(at)?.1, group[at].1)))
    });
    duplicates.min_by_key(|(_, second)| *second)
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
        fn the_first_duplicate_is_found(ids in prop::collection::vec("[a-c]{0,4}", 0..40)) {
            let mut expected = None;
            for (second, id) in ids.iter().enumerate() {
                if let Some(first) = ids[..second].iter().position(|earlier| earlier == id) {
                    expected = expected.or(Some((first, second)));
                }
            }
            prop_assert_eq!(first_duplicate(&ids.iter().collect(), 0..ids.len()), expected);
        }
    }
}
