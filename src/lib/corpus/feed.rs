//! Reading sources one after the other, in work items for one thread each.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::{Batch, BatchResult, DocumentParser};
use super::inputs::Inputs;
use super::lines::{BLOCK_BYTES, CHUNK_BYTES, LineBlock, LineChunk, LineReader};
use super::parquet::{ParquetReader, ParquetRow};
use super::range::LineRange;
use super::skip::SkippedInput;
use super::sniff::{LineFormat, sniff};
use super::source::{InputSource, SourceKind};
use super::stream::OpenSource;

/// A batch is full with this many bytes or documents.
const BATCH_BYTES: usize = CHUNK_BYTES;
const BATCH_DOCUMENTS: usize = 64;
/// Bytes of a work item: small enough that no thread works long while the others have nothing left.
const ITEM_BYTES: u64 = BLOCK_BYTES as u64;
/// Cost of a segment in bytes, however small it is.
const MIN_SEGMENT_BYTES: u64 = 4 << 10;

/// Work for one thread, in reusable buffers.
#[derive(Default)]
pub(super) struct WorkItem {
    segments: Vec<Segment>,
    /// Stored bytes that are done with this item.
    pub stored: u64,
}

/// A part of a source.
enum Segment {
    Lines {
        source: usize,
        format: LineFormat,
        block: LineBlock,
    },
    /// Whole files, which workers read.
    Files(Range<usize>),
    /// Rows of a table, from this number on.
    Rows {
        source: usize,
        first: u64,
        rows: Vec<ParquetRow>,
    },
    Skip(SkippedInput),
}

/// Fill level of a batch. Work items end with a full batch, so that batch boundaries do not depend on the size of items.
#[derive(Default)]
struct BatchFill {
    bytes: usize,
    documents: usize,
}

impl BatchFill {
    /// Adds a chunk and returns whether the batch is full.
    fn add(&mut self, chunk: &LineChunk<'_>) -> bool {
        self.bytes += chunk.bytes.len();
        self.documents += chunk.documents;
        let is_full = self.bytes >= BATCH_BYTES || self.documents >= BATCH_DOCUMENTS;
        if is_full {
            *self = BatchFill::default();
        }
        is_full
    }
}

impl WorkItem {
    /// Returns whether there is nothing left to do.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Returns the results of all batches, in order. Lines of several sources share a batch; other segments are one each.
    pub fn process<T>(
        &self,
        parser: &DocumentParser<'_>,
        work: impl Fn(&Batch<'_>) -> T,
    ) -> Vec<BatchResult<T>> {
        let (mut results, mut fill) = (Vec::new(), BatchFill::default());
        let (mut open, mut single) = (Batch::default(), Batch::default());
        let mut close = |batch: &mut Batch<'_>| {
            if !batch.is_empty() {
                results.push(std::mem::take(batch).finish(&work));
            }
        };
        for segment in &self.segments {
            match segment {
                Segment::Lines { source, format, block } => {
                    for chunk in block.chunks() {
                        parser.add_lines(&mut open, *source, *format, &chunk);
                        if fill.add(&chunk) {
                            close(&mut open);
                        }
                    }
                    continue;
                }
                Segment::Files(sources) => parser.add_files(&mut single, sources.clone()),
                Segment::Rows { source, first, rows } => {
                    parser.add_rows(&mut single, *source, *first, rows);
                }
                Segment::Skip(skip) => single.facts.skips.push(skip.clone()),
            }
            fill = BatchFill::default();
            close(&mut open);
            close(&mut single);
        }
        close(&mut open);
        results
    }
}

/// Reads the sources one after the other.
pub(super) struct SourceReader<'a> {
    inputs: &'a Inputs,
    sources: &'a [InputSource],
    /// The number of the next source.
    next: usize,
    open: Option<Open<'a>>,
    /// Blocks for reuse.
    spare: Vec<LineBlock>,
}

/// A source that is being read.
enum Open<'a> {
    Lines {
        source: usize,
        format: LineFormat,
        lines: LineReader<'a>,
        taken: Arc<AtomicU64>,
        reported: u64,
    },
    Rows {
        source: usize,
        rows: ParquetReader<'a>,
        stored: u64,
    },
}

/// A segment, and the stored bytes that are done with it.
type StoredSegment = (Segment, u64);

impl<'a> SourceReader<'a> {
    pub fn new(inputs: &'a Inputs, sources: &'a [InputSource]) -> Self {
        SourceReader { inputs, sources, next: 0, open: None, spare: Vec::new() }
    }

    /// Reads the next work item. Unreadable input is part of it.
    pub fn fill(&mut self, item: &mut WorkItem) {
        let blocks = item.segments.drain(..).filter_map(|segment| match segment {
            Segment::Lines { block, .. } => Some(block.emptied()),
            _ => None,
        });
        self.spare.extend(blocks);
        item.stored = 0;
        let (mut bytes, mut fill) = (0, BatchFill::default());
        while bytes < ITEM_BYTES || fill.documents > 0 {
            let Some((segment, stored)) = self.segment() else { break };
            item.stored += stored;
            bytes += MIN_SEGMENT_BYTES;
            match &segment {
                Segment::Lines { block, .. } => block.chunks().for_each(|chunk| {
                    bytes += chunk.bytes.len() as u64;
                    fill.add(&chunk);
                }),
                _ => {
                    bytes += stored;
                    fill = BatchFill::default();
                }
            }
            item.segments.push(segment);
        }
    }

    /// Returns the next segment, or `None` at the end of all sources.
    fn segment(&mut self) -> Option<StoredSegment> {
        loop {
            if let Some(mut open) = self.open.take() {
                let Some(segment) = self.read_on(&mut open) else { continue };
                let is_last = matches!(&segment.0, Segment::Skip(skip) if !skip.is_record);
                self.open = (!is_last).then_some(open);
                return Some(segment);
            }
            let number = self.next;
            let source = self.sources.get(number)?;
            if source.kind == SourceKind::Whole {
                return Some(self.files());
            }
            self.next += 1;
            match self.open_source(number) {
                Ok(Some(open)) => self.open = Some(open),
                Ok(None) => return Some((Segment::Files(number..number + 1), self.size(number))),
                Err(skip) => {
                    let skip = SkippedInput { list: source.list_place(self.inputs), ..skip };
                    return Some((Segment::Skip(skip), self.size(number)));
                }
            }
        }
    }

    fn size(&self, source: usize) -> u64 {
        self.inputs.streams.size(&self.sources[source], &self.inputs.args).unwrap_or(0)
    }

    /// Returns as many of the next whole files as make a batch.
    fn files(&mut self) -> StoredSegment {
        let (first, mut stored) = (self.next, 0);
        let is_whole = |source: &InputSource| source.kind == SourceKind::Whole;
        while self.sources.get(self.next).is_some_and(is_whole)
            && stored < BATCH_BYTES as u64
            && self.next - first < BATCH_DOCUMENTS
        {
            stored += self.size(self.next);
            self.next += 1;
        }
        (Segment::Files(first..self.next), stored)
    }

    /// Opens a source with records; returns `None` if its first bytes show that it is one document.
    fn open_source(&self, number: usize) -> Result<Option<Open<'a>>, SkippedInput> {
        let source = &self.sources[number];
        if source.kind == SourceKind::Parquet {
            return self.open_parquet(number).map(Some);
        }
        let opened = self.inputs.streams.open(source, &self.inputs.args);
        let OpenSource { reader, taken } =
            opened.map_err(|error| SkippedInput::failed(&source.path, error))?;
        let sniffed = sniff(source, self.inputs, reader);
        let (format, reader) = sniffed.map_err(|why| SkippedInput::file(&source.path, why))?;
        if format.kind == SourceKind::Whole {
            return Ok(None);
        }
        let keeps_blank = self.inputs.keeps_blank(format.kind);
        let new = |reader| LineReader::new(&source.path, reader, keeps_blank, &self.inputs.args);
        let (lines, taken) = match source.range {
            None => (new(reader), taken),
            Some(range) => {
                let opened = LineRange::open(&source.path, range, format.start.unwrap_or(0));
                let opened = opened.map_err(|error| SkippedInput::failed(&source.path, error))?;
                let LineRange { line, position, reader } = opened;
                (new(reader.reader).starting_at(line, position), reader.taken)
            }
        };
        Ok(Some(Open::Lines { source: number, format, lines, taken, reported: 0 }))
    }

    fn open_parquet(&self, source: usize) -> Result<Open<'a>, SkippedInput> {
        let rows = ParquetReader::open(self.inputs, &self.sources[source])?;
        Ok(Open::Rows { source, rows, stored: self.size(source) })
    }

    /// Returns the next segment of an open source, or `None` at its end.
    fn read_on(&mut self, open: &mut Open<'_>) -> Option<StoredSegment> {
        match open {
            Open::Lines { source, format, lines, taken, reported } => {
                let mut block = self.spare.pop().unwrap_or_default();
                lines.read(&mut block);
                let now = taken.load(Ordering::Relaxed);
                let stored = now - std::mem::replace(reported, now);
                if block.is_empty() {
                    self.spare.push(block.emptied());
                    return Some((Segment::Skip(lines.skip()?), stored));
                }
                Some((Segment::Lines { source: *source, format: *format, block }, stored))
            }
            Open::Rows { source, rows, stored } => {
                let (source, first, stored) = (*source, rows.next, std::mem::take(stored));
                let segment = match rows.read()? {
                    Ok(rows) => Segment::Rows { source, first, rows },
                    Err(skip) => Segment::Skip(skip),
                };
                Some((segment, stored))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_items_have_bounded_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        for size in [90, 1000, 1500, 1700, 3000, 100_000] {
            let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(size));
            std::fs::write(&path, line.repeat((12 << 20) / line.len())).unwrap();
            let inputs = Inputs::of_paths(vec![path.clone().into()]);
            let sources = crate::corpus::find(&inputs).unwrap().sources;
            let (mut reader, mut item) =
                (SourceReader::new(&inputs, &sources), WorkItem::default());
            reader.fill(&mut item);
            while !item.is_empty() {
                assert!(item.stored < 2 * ITEM_BYTES, "{size}: {}", item.stored);
                reader.fill(&mut item);
            }
        }
    }
}
