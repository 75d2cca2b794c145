//! Where documents stand, in little memory.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::batch::Spot;
use super::source::{Kind, Source};

/// Where each document stands. Documents that follow each other line by line cost nothing.
#[derive(Debug, Default)]
pub struct Places {
    sources: Vec<Source>,
    runs: Vec<Run>,
    documents: usize,
}

/// Documents from this number on stand in lines that follow each other.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: usize,
    spot: Spot,
}

/// Where a document stands.
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

impl Places {
    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Where a document stands.
    pub fn get(&self, document: usize) -> Place<'_> {
        let Spot { source, line } = self.spot(document);
        Place { path: &self.sources[source].path, line: (line > 0).then_some(line) }
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

    /// Takes the sources when all are read, with what those turned out to be that were not seen before.
    pub(super) fn finish(&mut self, sources: Vec<Source>, kinds: &[(usize, Kind)]) {
        self.sources = sources;
        kinds.iter().for_each(|(source, kind)| self.sources[*source].kind = *kind);
        self.runs.shrink_to_fit();
    }

    pub(super) fn source(&self, source: usize) -> &Source {
        &self.sources[source]
    }

    /// The sources that have documents, each with these, in order.
    pub(super) fn by_source(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let same = |left: &Run, right: &Run| left.spot.source == right.spot.source;
        let mut runs = self.runs.chunk_by(same).peekable();
        std::iter::from_fn(move || {
            let run = runs.next()?[0];
            let end = runs.peek().map_or(self.documents, |next| next[0].first);
            Some((run.spot.source, run.first..end))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_that_were_put_in(
            files in prop::collection::vec(prop::collection::btree_set(1u64..30, 0..20), 0..8)
        ) {
            let mut places = Places::default();
            let mut expected = Vec::new();
            for (source, lines) in files.iter().enumerate() {
                // A file with one line stands for a file of its own.
                let lines = if lines.len() == 1 { vec![0] } else { lines.iter().copied().collect() };
                expected.extend(lines.into_iter().map(|line| Spot { source, line }));
            }
            expected.iter().for_each(|spot| places.push(*spot));
            prop_assert_eq!(places.len(), expected.len());
            for (document, spot) in expected.iter().enumerate() {
                prop_assert_eq!(places.spot(document), *spot);
            }
            for (source, documents) in places.by_source() {
                prop_assert!(!documents.is_empty());
                prop_assert!(expected[documents.clone()].iter().all(|spot| spot.source == source));
            }
            prop_assert_eq!(places.by_source().map(|(_, range)| range.len()).sum::<usize>(), expected.len());
        }
    }
}
