//! What is read by one thread while the others work on what was read before.

use std::borrow::Cow;
use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Inputs;
use super::batch::{Part, no_text};
use super::decode;
#[cfg(feature = "parquet")]
use super::parquet::{Columns, Row};
use super::skip::Skip;
use super::source::{Kind, Source};
use super::stream::Opened;
use crate::corpus::lines::{Chunk, Chunks, Layout, Sizes, Wave};
use crate::files::input::Reader;

/// A batch is full with so many bytes or documents.
const BATCH_BYTES: usize = 1 << 16;
const BATCH_DOCUMENTS: usize = 64;
/// A thread takes about so many bytes at a time: little enough that none works long when there is nothing left for the others.
const LOAD: usize = 512 << 10;
/// What a file costs at least, however small it is.
const LEAST_WEIGHT: u64 = 4 << 10;

/// What a thread has read, in memory that is used again for later.
#[derive(Default)]
pub(super) struct Load {
    pieces: Vec<Piece>,
    /// So many bytes, as they are stored, are behind us when this is done.
    pub stored: u64,
}

enum Piece {
    /// Lines.
    Records {
        source: usize,
        kind: Kind,
        wave: Wave,
    },
    /// Files of their own, which are read by those who work on them.
    Files(Range<usize>),
    /// Rows of a table, from this number on.
    #[cfg(feature = "parquet")]
    Rows {
        source: usize,
        first: u64,
        rows: Vec<Row>,
    },
    Skip(Skip),
}

/// Work for one thread.
pub(super) enum Unit<'a> {
    Records(Vec<Part<'a>>),
    Files(Range<usize>),
    #[cfg(feature = "parquet")]
    Rows {
        source: usize,
        first: u64,
        rows: &'a [Row],
    },
    Skip(&'a Skip),
}

/// Chunks are put together until they are a batch. It is always whole batches that are read, so that they do not depend on how much that is.
#[derive(Default)]
struct Group {
    bytes: usize,
    documents: usize,
}

impl Group {
    /// Takes a chunk; whether that makes the batch full.
    fn add(&mut self, chunk: &Chunk<'_>) -> bool {
        self.bytes += chunk.bytes();
        self.documents += chunk.documents;
        let is_full = self.bytes >= BATCH_BYTES || self.documents >= BATCH_DOCUMENTS;
        if is_full {
            *self = Group::default();
        }
        is_full
    }

    fn is_empty(&self) -> bool {
        self.documents == 0
    }
}

impl Load {
    /// Whether there is nothing: all was read.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The work, in order.
    pub fn units(&self) -> Vec<Unit<'_>> {
        let (mut units, mut open, mut group) = (Vec::new(), Vec::new(), Group::default());
        for piece in &self.pieces {
            let alone = match piece {
                Piece::Records { source, kind, wave } => {
                    for chunk in wave.chunks() {
                        let is_full = group.add(&chunk);
                        open.push(Part { source: *source, kind: *kind, chunk });
                        if is_full {
                            close(&mut units, &mut open);
                        }
                    }
                    continue;
                }
                Piece::Files(sources) => Unit::Files(sources.clone()),
                #[cfg(feature = "parquet")]
                Piece::Rows { source, first, rows } => {
                    Unit::Rows { source: *source, first: *first, rows }
                }
                Piece::Skip(skip) => Unit::Skip(skip),
            };
            group = Group::default();
            close(&mut units, &mut open);
            units.push(alone);
        }
        close(&mut units, &mut open);
        units
    }
}

fn close<'a>(units: &mut Vec<Unit<'a>>, open: &mut Vec<Part<'a>>) {
    if !open.is_empty() {
        units.push(Unit::Records(std::mem::take(open)));
    }
}

/// Reads the sources one after the other.
pub(super) struct Feeder<'a> {
    inputs: &'a Inputs,
    sources: &'a [Source],
    /// The source that comes next.
    next: usize,
    open: Option<Open>,
    spare: Vec<Wave>,
}

/// A source that is being read.
enum Open {
    Lines {
        source: usize,
        kind: Kind,
        chunks: Chunks,
        taken: Arc<AtomicU64>,
        told: u64,
    },
    #[cfg(feature = "parquet")]
    Columns {
        source: usize,
        columns: Columns,
        stored: u64,
    },
}

/// A piece, and how many bytes of where it is stored are behind us with it.
type Weighed = (Piece, u64);

impl<'a> Feeder<'a> {
    pub fn new(inputs: &'a Inputs, sources: &'a [Source]) -> Self {
        Feeder { inputs, sources, next: 0, open: None, spare: Vec::new() }
    }

    /// Reads on. What cannot be read is part of what was read.
    pub fn fill(&mut self, load: &mut Load) {
        let waves = load.pieces.drain(..).filter_map(|piece| match piece {
            Piece::Records { wave, .. } => Some(wave),
            _ => None,
        });
        self.spare.extend(waves);
        load.stored = 0;
        let (mut weight, mut group) = (0, Group::default());
        while weight < LOAD as u64 || !group.is_empty() {
            let Some((piece, stored)) = self.piece() else { break };
            load.stored += stored;
            weight += LEAST_WEIGHT;
            match &piece {
                Piece::Records { wave, .. } => wave.chunks().iter().for_each(|chunk| {
                    weight += chunk.bytes() as u64;
                    group.add(chunk);
                }),
                _ => {
                    weight += stored;
                    group = Group::default();
                }
            }
            load.pieces.push(piece);
        }
    }

    /// The next piece, or `None` at the end of all sources.
    fn piece(&mut self) -> Option<Weighed> {
        loop {
            if let Some(open) = self.open.take() {
                if let Some(weighed) = self.read_on(open) {
                    return Some(weighed);
                }
                continue;
            }
            let number = self.next;
            let source = self.sources.get(number)?;
            if source.kind == Kind::Whole {
                return Some(self.files());
            }
            self.next += 1;
            match self.begin(number) {
                Ok(open) => self.open = Some(open),
                Err(skip) => return Some((Piece::Skip(skip), self.size(number))),
            }
        }
    }

    fn size(&self, source: usize) -> u64 {
        self.inputs.streams.size(&self.sources[source]).unwrap_or(0)
    }

    /// As many of the next files of their own as make a batch.
    fn files(&mut self) -> Weighed {
        let (first, mut stored) = (self.next, 0);
        let is_whole = |source: &Source| source.kind == Kind::Whole;
        while self.sources.get(self.next).is_some_and(is_whole)
            && stored < BATCH_BYTES as u64
            && self.next - first < BATCH_DOCUMENTS
        {
            stored += self.size(self.next);
            self.next += 1;
        }
        (Piece::Files(first..self.next), stored)
    }

    #[cfg(feature = "parquet")]
    fn begin(&self, number: usize) -> Result<Open, Skip> {
        let source = &self.sources[number];
        if source.kind != Kind::Parquet {
            return self.begin_lines(number);
        }
        let columns = Columns::open(self.inputs, source)?;
        Ok(Open::Columns { source: number, columns, stored: self.size(number) })
    }

    #[cfg(not(feature = "parquet"))]
    fn begin(&self, number: usize) -> Result<Open, Skip> {
        let source = &self.sources[number];
        if source.kind != Kind::Parquet {
            return self.begin_lines(number);
        }
        let why = "a Parquet file; nearsig reads them if it is built with --features parquet";
        Err(Skip::file(&source.path, why))
    }

    fn begin_lines(&self, number: usize) -> Result<Open, Skip> {
        let source = &self.sources[number];
        let failed = |error| Skip::failed(&source.path, error);
        let Opened { reader, taken } = self.inputs.streams.open(source).map_err(failed)?;
        let (kind, reader) = look(source, reader)?;
        // Every chunk but a source's last is a batch: reading never has to go on until one ends.
        let layout = Layout { skips_blank: true, per_file: usize::MAX, limit: usize::MAX };
        let sizes = Sizes { chunk: BATCH_BYTES, wave: LOAD };
        let chunks = Chunks::over(&source.path, reader, layout, sizes).map_err(failed)?;
        Ok(Open::Lines { source: number, kind, chunks, taken, told: 0 })
    }

    /// The next piece of an open source, which stays open for more; `None` if it was read to its end.
    fn read_on(&mut self, open: Open) -> Option<Weighed> {
        match open {
            Open::Lines { source, kind, mut chunks, taken, told } => {
                let mut wave = self.spare.pop().unwrap_or_default();
                chunks.read_readable(&mut wave);
                let now = taken.load(Ordering::Relaxed);
                let stored = now - told;
                if wave.is_empty() {
                    self.spare.push(wave);
                    let damage = chunks.damage()?;
                    let skip = Skip::failed(&self.sources[source].path, damage);
                    return Some((Piece::Skip(skip), stored));
                }
                self.open = Some(Open::Lines { source, kind, chunks, taken, told: now });
                Some((Piece::Records { source, kind, wave }, stored))
            }
            #[cfg(feature = "parquet")]
            Open::Columns { source, mut columns, stored } => {
                let first = columns.next_row();
                match columns.read()? {
                    Ok(rows) => {
                        self.open = Some(Open::Columns { source, columns, stored: 0 });
                        Some((Piece::Rows { source, first, rows }, stored))
                    }
                    Err(skip) => Some((Piece::Skip(skip), stored)),
                }
            }
        }
    }
}

/// Looks at the beginning of a source with lines: what it is, if that was not said, and whether it is text at all. Gives it back from the beginning, as UTF-8
/// if a mark says that it is UTF-16.
pub(super) fn look(source: &Source, mut reader: Reader) -> Result<(Kind, Reader), Skip> {
    let mut start = Vec::with_capacity(decode::LOOK);
    let read = reader.by_ref().take(decode::LOOK as u64).read_to_end(&mut start);
    let rest: Reader = match read {
        Ok(_) => reader,
        Err(error) => Box::new(Failing(Some(error))),
    };
    let kind = kind_of(source.kind, &start).map_err(|what| no_text(&source.path, what))?;
    let marked = decode::marked(&start);
    let whole: Reader = Box::new(Cursor::new(start).chain(rest));
    let text: Reader = match marked {
        Some(encoding) => Box::new(decode::Transcoded::new(whole, encoding)),
        None => whole,
    };
    Ok((kind, text))
}

/// What a source with lines that begins so is, or what it is instead of text.
fn kind_of(stated: Kind, start: &[u8]) -> Result<Kind, &'static str> {
    if let Some(what) = decode::not_text(start) {
        return Err(what);
    }
    let text = match decode::marked(start) {
        Some(encoding) => Cow::Owned(encoding.decode_with_bom_removal(start).0.into_owned().into()),
        None => Cow::Borrowed(start),
    };
    let kind = match stated {
        Kind::Unseen if begins_with_object(&text) => Kind::Json,
        Kind::Unseen => Kind::Lines,
        known => known,
    };
    // A zero makes a JSON object wrong by itself; there may be others.
    if kind == Kind::Lines && decode::has_zeros(&text) {
        return Err("binary data");
    }
    Ok(kind)
}

fn begins_with_object(text: &[u8]) -> bool {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    text.trim_ascii_start().starts_with(b"{")
}

/// Tells an error where it came up.
struct Failing(Option<std::io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::find;

    #[test]
    fn no_more_is_read_at_a_time_than_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        for size in [90, 1000, 1500, 1700, 3000, 100_000] {
            let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(size));
            std::fs::write(&path, line.repeat((12 << 20) / line.len())).unwrap();
            let inputs = Inputs::new(vec![path.clone()]);
            let sources = find::sources(&inputs).unwrap().sources;
            let (mut feeder, mut load) = (Feeder::new(&inputs, &sources), Load::default());
            let mut most = 0;
            loop {
                feeder.fill(&mut load);
                if load.is_empty() {
                    break;
                }
                most = most.max(load.stored);
            }
            assert!(most < 2 * LOAD as u64, "{size}: {most}");
        }
    }
}
