//! Where the random vectors of `create_sigs` live: in memory, or on disk in files of neighbouring vectors, of which one at a time is in memory.

use std::path::Path;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::files::rnd::{RowFile, RowWriter};
use crate::signature::{BITS_IN_WORD, Block, Hyperplanes};
use crate::watch::Watch;

/// Bytes in the megabyte of `use_hdd`.
const MEGABYTE: usize = 1 << 20;
/// Bytes in the gigabyte of an error message.
const GIGABYTE: usize = 1 << 30;
/// Files of random vectors that are written at the same time, at the most; systems limit open files.
const MOST_FILES: usize = 256;
/// Rows that are made before they are written.
const ROWS_AT_ONCE: usize = 256;

/// All random vectors, somewhere.
pub enum Planes {
    /// All rows, and the number of bits.
    InMemory(Vec<f32>, usize),
    /// Files, each with the rows of some bits.
    OnDisk(Vec<RowFile>),
}

impl Planes {
    /// All vectors in memory.
    pub fn in_memory(planes: &Hyperplanes) -> Result<Self> {
        let rows = Block::rows_of(planes).ok_or_else(|| {
            let gigabytes = planes.terms() * planes.bits() * size_of::<f32>() / GIGABYTE;
            Error::Message(format!(
                "{} random vectors of {} components need {gigabytes} GB of memory; use_hdd needs less",
                planes.bits(),
                planes.terms()
            ))
        })?;
        Ok(Planes::InMemory(rows, planes.bits()))
    }

    /// All vectors on disk, in files called after `stem`, each small enough for `megabytes` of memory.
    pub fn on_disk(
        planes: &Hyperplanes,
        megabytes: usize,
        stem: &Path,
        compress: bool,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let width = block_width(planes, megabytes)?;
        let ranges = (0..planes.bits())
            .step_by(width)
            .map(|first| first..(first + width).min(planes.bits()));
        let mut files = ranges
            .enumerate()
            .map(|(number, bits)| RowWriter::create(stem, number, bits, compress))
            .collect::<Result<Vec<_>>>()?;
        write_rows(planes, &mut files, watch)?;
        let files = files.into_iter().map(RowWriter::finish);
        Ok(Planes::OnDisk(files.collect::<Result<_>>()?))
    }

    /// Calls `visit` with the vectors, block by block; at most one block of those on disk is in memory.
    pub fn for_each_block(&self, mut visit: impl FnMut(&Block<'_>) -> Result<()>) -> Result<()> {
        match self {
            Planes::InMemory(rows, bits) => visit(&Block { bits: 0..*bits, rows }),
            Planes::OnDisk(files) => files.iter().try_for_each(|file| {
                let rows = file.load()?;
                visit(&Block { bits: file.bits.clone(), rows: rows.as_slice() })
            }),
        }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        match self {
            Planes::InMemory(..) => 1,
            Planes::OnDisk(files) => files.len(),
        }
    }
}

/// How many vectors fit the memory: whole words of bits where possible.
fn block_width(planes: &Hyperplanes, megabytes: usize) -> Result<usize> {
    let vector = (planes.terms() * size_of::<f32>()).max(1);
    let fitting = (megabytes.saturating_mul(MEGABYTE) / vector).min(planes.bits());
    let width =
        if fitting > BITS_IN_WORD { fitting / BITS_IN_WORD * BITS_IN_WORD } else { fitting };
    if width > 0 && planes.bits().div_ceil(width) <= MOST_FILES {
        return Ok(width);
    }
    let needed = (planes.bits().div_ceil(MOST_FILES) * vector).div_ceil(MEGABYTE);
    Err(Error::Message(format!(
        "use_hdd {megabytes}: random vectors of {} components need at least {needed} MB",
        planes.terms()
    )))
}

fn write_rows(planes: &Hyperplanes, files: &mut [RowWriter], watch: &dyn Watch) -> Result<()> {
    watch.begin("writing random vectors", Some(planes.terms() as u64));
    let mut rows = vec![0.0f32; ROWS_AT_ONCE * planes.bits()];
    for first in (0..planes.terms()).step_by(ROWS_AT_ONCE) {
        let count = ROWS_AT_ONCE.min(planes.terms() - first);
        let rows = &mut rows[..count * planes.bits()];
        rows.par_chunks_mut(planes.bits())
            .enumerate()
            .for_each(|(at, row)| planes.row(first + at, row));
        for file in files.iter_mut() {
            rows.chunks(planes.bits()).try_for_each(|row| file.write(row))?;
        }
        watch.advance(count as u64);
    }
    Ok(())
}
