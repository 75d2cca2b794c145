//! Documents in one file, one a line.

use std::path::Path;

use rayon::prelude::*;

use super::{Read, Work, check_not_empty};
use crate::corpus::lines::{Chunk, Chunks, Layout, Wave};
use crate::corpus::readable;
use crate::corpus::record::RecordShape;
use crate::error::{Error, Result, excerpt};
use crate::files::names::Names;
use crate::files::output::Output;
use crate::files::stage::Stage;
use crate::files::{ids, name};
use crate::text::Key;
use crate::vector::term_table::TermTable;

/// Makes the bags of all documents of a file, and returns how many these are. The next part of the file is read while this one is worked on.
pub(super) fn create(work: &Work<'_>, path: &Path, shape: &RecordShape) -> Result<u64> {
    let layout = Layout {
        skips_blank: *shape != RecordShape::Text,
        per_file: work.task.per_file,
        limit: work.task.doc_count.unwrap_or(usize::MAX),
    };
    let mut chunks = Chunks::open(path, layout)?;
    work.session.phase("reading documents", None);
    let stage = work.begin_stage()?;
    let mut collection = Collection { work, path, shape, stage, open: None, seen: Seen::default() };
    let (mut now, mut next) = (Wave::default(), Wave::default());
    chunks.read(&mut now)?;
    while !now.is_empty() {
        let (read, outcome) =
            rayon::join(|| chunks.read(&mut next), || collection.add(&now.chunks()));
        outcome?;
        read?;
        std::mem::swap(&mut now, &mut next);
    }
    collection.finish()
}

/// A collection being made.
struct Collection<'a> {
    work: &'a Work<'a>,
    path: &'a Path,
    shape: &'a RecordShape,
    stage: Stage,
    /// The BOW file that has room for more documents.
    open: Option<Output>,
    seen: Seen,
}

/// What was made of some chunks of one BOW file.
struct Made {
    names: Vec<ChunkNames>,
    /// The file if it has room for more documents.
    file: Result<Option<Output>>,
}

impl Collection<'_> {
    /// Makes the bags of the next chunks. Of several errors the first is told.
    fn add(&mut self, chunks: &[Chunk<'_>]) -> Result<()> {
        let number = |chunk: &Chunk<'_>| chunk.first / self.work.task.per_file;
        let mut open = self.open.take();
        let files: Vec<_> = chunks
            .chunk_by(|left, right| number(left) == number(right))
            .map(|chunks| (number(&chunks[0]), chunks, open.take()))
            .collect();
        let made: Vec<Made> = files
            .into_par_iter()
            .map(|(number, chunks, open)| self.fill(number, chunks, open))
            .collect();
        for Made { names, file } in made {
            names.iter().try_for_each(|names| self.seen.add(self.path, names))?;
            self.open = file?;
        }
        Ok(())
    }

    /// Makes the bags of chunks that belong in one BOW file.
    fn fill(&self, number: usize, chunks: &[Chunk<'_>], open: Option<Output>) -> Made {
        let bags: Vec<ChunkBags> = chunks.par_iter().map(|chunk| self.bags(chunk)).collect();
        let (mut names, mut lines) = (Vec::new(), Vec::new());
        for bags in bags {
            names.push(bags.names);
            lines.push(bags.lines);
        }
        let last = &chunks[chunks.len() - 1];
        let is_full = (last.first + last.documents).is_multiple_of(self.work.task.per_file);
        Made { names, file: self.write(number, lines, open, is_full) }
    }

    fn write(
        &self,
        number: usize,
        lines: Vec<Result<Vec<u8>>>,
        open: Option<Output>,
        is_full: bool,
    ) -> Result<Option<Output>> {
        let mut file = open.map_or_else(|| self.stage.create(number), Ok)?;
        lines.into_iter().try_for_each(|lines| file.write(&lines?))?;
        if is_full {
            return self.stage.keep(number, file).map(|()| None);
        }
        Ok(Some(file))
    }

    /// Makes the lines of a chunk.
    fn bags(&self, chunk: &Chunk<'_>) -> ChunkBags {
        let mut names = ChunkNames::default();
        let mut text = Vec::new();
        let outcome = self.work.with_bagger(|bagger| {
            chunk.lines().zip(chunk.first..).try_for_each(|((number, line), position)| {
                let record = self.shape.parse(self.path, number, line)?;
                let name = match record.name {
                    Some(raw) => name::encode(raw.as_bytes()),
                    None => number.to_string(),
                };
                let read = Read { name: &name, text: &record.text, repaired: record.repaired };
                self.work.append(&mut text, bagger, position, read);
                names.push(&name, number, self.needs_names());
                Ok(())
            })
        });
        ChunkBags { names, lines: outcome.map(|()| text) }
    }

    /// Lines' numbers differ by themselves; they are kept only to be written.
    fn needs_names(&self) -> bool {
        let has_field = matches!(self.shape, RecordShape::Json { id: Some(_), .. });
        has_field || self.work.task.id_file.is_some()
    }

    fn finish(mut self) -> Result<u64> {
        let documents = self.seen.documents;
        check_not_empty(documents, self.path, "holds")?;
        if let Some(file) = self.open {
            self.stage.keep(documents / self.work.task.per_file, file)?;
        }
        if let Some(path) = &self.work.task.id_file {
            self.stage.keep_beside(ids::write(path, self.seen.names().into_iter())?)?;
        }
        self.work.commit(self.stage, documents)
    }
}

/// What was made of a chunk: the names up to the first error, and the lines of BOW if there is none.
struct ChunkBags {
    names: ChunkNames,
    lines: Result<Vec<u8>>,
}

/// The names of a chunk's documents, where they are needed.
#[derive(Default)]
struct ChunkNames {
    documents: usize,
    names: Names,
    /// The lines that they stand in.
    lines: Vec<u64>,
}

impl ChunkNames {
    fn push(&mut self, name: &str, line: u64, is_needed: bool) {
        self.documents += 1;
        if is_needed {
            self.names.push(name);
            self.lines.push(line);
        }
    }
}

/// The names so far, with their lines. A name that stands there twice is an error: results could not tell the two apart.
#[derive(Default)]
struct Seen {
    documents: usize,
    names: TermTable<u64>,
}

impl Seen {
    /// Returns the names in the order of their lines.
    fn names(&self) -> Vec<&str> {
        let mut slots: Vec<usize> = self.names.used_slots().collect();
        slots.sort_unstable_by_key(|slot| *self.names.value(*slot));
        slots.into_iter().map(|slot| self.names.term(slot)).collect()
    }

    fn add(&mut self, path: &Path, chunk: &ChunkNames) -> Result<()> {
        self.documents += chunk.documents;
        for (name, line) in chunk.names.iter().zip(&chunk.lines) {
            let slot = self.names.find_or_insert(&Key::of(name), || name);
            let first = std::mem::replace(self.names.value_mut(slot), *line);
            // Lines are counted from 1, so 0 is a new name.
            if first != 0 {
                return Err(Error::Parse {
                    path: path.to_path_buf(),
                    line: *line,
                    expected: "every document once".into(),
                    found: format!("{} again, first in line {first}", excerpt(&readable(name))),
                });
            }
        }
        Ok(())
    }
}
