//! Reading sources one after the other, in work items for one thread each.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::{SourceLines, list_place};
use super::decode::TextEncoding;
use super::inputs::Inputs;
use super::lines::{BLOCK_BYTES, CHUNK_BYTES, LineBlock, LineChunk, LineReader};
#[cfg(feature = "parquet")]
use super::parquet::{ParquetReader, ParquetRow};
use super::skip::SkippedInput;
use super::sniff::{LineSource, sniff};
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
        kind: SourceKind,
        encoding: TextEncoding,
        block: LineBlock,
    },
    /// Whole files, which workers read.
    Files(Range<usize>),
    /// Rows of a table, from this number on.
    #[cfg(feature = "parquet")]
    Rows {
        source: usize,
        first: u64,
        rows: Vec<ParquetRow>,
    },
    Skip(SkippedInput),
}

/// Input of one batch.
pub(super) enum BatchInput<'a> {
    Lines(Vec<SourceLines<'a>>),
    Files(Range<usize>),
    #[cfg(feature = "parquet")]
    Rows {
        source: usize,
        first: u64,
        rows: &'a [ParquetRow],
    },
    Skip(&'a SkippedInput),
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
        self.bytes += chunk.bytes();
        self.documents += chunk.documents;
        let is_full = self.bytes >= BATCH_BYTES || self.documents >= BATCH_DOCUMENTS;
        if is_full {
            *self = BatchFill::default();
        }
        is_full
    }

    fn is_empty(&self) -> bool {
        self.documents == 0
    }
}

impl WorkItem {
    /// Returns whether there is nothing left to do.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Returns the inputs of all batches, in order.
    pub fn batches(&self) -> Vec<BatchInput<'_>> {
        let (mut batches, mut open, mut fill) = (Vec::new(), Vec::new(), BatchFill::default());
        for segment in &self.segments {
            let single = match segment {
                Segment::Lines { source, kind, encoding, block } => {
                    for chunk in block.chunks() {
                        let is_full = fill.add(&chunk);
                        let (source, kind, encoding) = (*source, *kind, *encoding);
                        open.push(SourceLines { source, kind, encoding, chunk });
                        if is_full {
                            close(&mut batches, &mut open);
                        }
                    }
                    continue;
                }
                Segment::Files(sources) => BatchInput::Files(sources.clone()),
                #[cfg(feature = "parquet")]
                Segment::Rows { source, first, rows } => {
                    BatchInput::Rows { source: *source, first: *first, rows }
                }
                Segment::Skip(skip) => BatchInput::Skip(skip),
            };
            fill = BatchFill::default();
            close(&mut batches, &mut open);
            batches.push(single);
        }
        close(&mut batches, &mut open);
        batches
    }
}

fn close<'a>(batches: &mut Vec<BatchInput<'a>>, open: &mut Vec<SourceLines<'a>>) {
    if !open.is_empty() {
        batches.push(BatchInput::Lines(std::mem::take(open)));
    }
}

/// Reads the sources one after the other.
pub(super) struct SourceReader<'a> {
    inputs: &'a Inputs,
    sources: &'a [InputSource],
    /// The number of the next source.
    next: usize,
    open: Option<Open>,
    /// Blocks for reuse.
    spare: Vec<LineBlock>,
}

/// A source that is being read.
enum Open {
    Lines {
        source: usize,
        kind: SourceKind,
        encoding: TextEncoding,
        lines: LineReader,
        taken: Arc<AtomicU64>,
        reported: u64,
    },
    #[cfg(feature = "parquet")]
    Rows { source: usize, rows: ParquetReader, stored: u64 },
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
            Segment::Lines { block, .. } => Some(block),
            _ => None,
        });
        self.spare.extend(blocks);
        item.stored = 0;
        let (mut bytes, mut fill) = (0, BatchFill::default());
        while bytes < ITEM_BYTES || !fill.is_empty() {
            let Some((segment, stored)) = self.segment() else { break };
            item.stored += stored;
            bytes += MIN_SEGMENT_BYTES;
            match &segment {
                Segment::Lines { block, .. } => block.chunks().for_each(|chunk| {
                    bytes += chunk.bytes() as u64;
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
            if let Some(open) = self.open.take() {
                if let Some(segment) = self.read_on(open) {
                    return Some(segment);
                }
                continue;
            }
            let number = self.next;
            let source = self.sources.get(number)?;
            if source.kind == SourceKind::Whole {
                return Some(self.files());
            }
            self.next += 1;
            match self.open_source(number) {
                Ok(open) => self.open = Some(open),
                Err(skip) => {
                    let skip = skip.listed(list_place(self.inputs, source));
                    return Some((Segment::Skip(skip), self.size(number)));
                }
            }
        }
    }

    fn size(&self, source: usize) -> u64 {
        self.inputs.streams.size(&self.sources[source]).unwrap_or(0)
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

    fn open_source(&self, number: usize) -> Result<Open, SkippedInput> {
        match self.sources[number].kind {
            SourceKind::Parquet => self.open_parquet(number),
            _ => self.open_lines(number),
        }
    }

    #[cfg(feature = "parquet")]
    fn open_parquet(&self, source: usize) -> Result<Open, SkippedInput> {
        let rows = ParquetReader::open(self.inputs, &self.sources[source])?;
        Ok(Open::Rows { source, rows, stored: self.size(source) })
    }

    #[cfg(not(feature = "parquet"))]
    fn open_parquet(&self, source: usize) -> Result<Open, SkippedInput> {
        let why = "a Parquet file; nearsig reads them if it is built with --features parquet";
        Err(SkippedInput::file(&self.sources[source].path, why))
    }

    fn open_lines(&self, number: usize) -> Result<Open, SkippedInput> {
        let source = &self.sources[number];
        let opened = self.inputs.streams.open(source);
        let OpenSource { reader, taken } =
            opened.map_err(|error| SkippedInput::failed(&source.path, error))?;
        let sniffed = sniff(source.kind, self.inputs.args.encoding, reader);
        let LineSource { kind, reader, encoding } =
            sniffed.map_err(|why| SkippedInput::file(&source.path, why))?;
        let keeps_blank = self.inputs.keeps_blank_lines && kind == SourceKind::Lines;
        let lines = LineReader::new(&source.path, reader, keeps_blank);
        Ok(Open::Lines { source: number, kind, encoding, lines, taken, reported: 0 })
    }

    /// Returns the next segment of an open source, or `None` at its end.
    fn read_on(&mut self, open: Open) -> Option<StoredSegment> {
        match open {
            Open::Lines { source, kind, encoding, mut lines, taken, reported } => {
                let mut block = self.spare.pop().unwrap_or_default();
                lines.read(&mut block);
                let now = taken.load(Ordering::Relaxed);
                let stored = now - reported;
                if block.is_empty() {
                    self.spare.push(block);
                    let damage = lines.damage()?;
                    let skip = SkippedInput::failed(&self.sources[source].path, damage);
                    return Some((Segment::Skip(skip), stored));
                }
                self.open =
                    Some(Open::Lines { source, kind, encoding, lines, taken, reported: now });
                Some((Segment::Lines { source, kind, encoding, block }, stored))
            }
            #[cfg(feature = "parquet")]
            Open::Rows { source, mut rows, stored } => {
                let first = rows.next_row();
                match rows.read()? {
                    Ok(read) => {
                        self.open = Some(Open::Rows { source, rows, stored: 0 });
                        Some((Segment::Rows { source, first, rows: read }, stored))
                    }
                    Err(skip) => Some((Segment::Skip(skip), stored)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::source;

    #[test]
    fn work_items_have_bounded_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        for size in [90, 1000, 1500, 1700, 3000, 100_000] {
            let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(size));
            std::fs::write(&path, line.repeat((12 << 20) / line.len())).unwrap();
            let inputs = Inputs::of_paths(vec![path.clone()]);
            let sources = source::find(&inputs).unwrap().sources;
            let (mut reader, mut item) =
                (SourceReader::new(&inputs, &sources), WorkItem::default());
            let mut max = 0;
            loop {
                reader.fill(&mut item);
                if item.is_empty() {
                    break;
                }
                max = max.max(item.stored);
            }
            assert!(max < 2 * ITEM_BYTES, "{size}: {max}");
        }
    }
}
