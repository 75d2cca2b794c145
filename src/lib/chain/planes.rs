//! Where the random vectors of `create_sigs` live: in memory, or on disk in files of neighbouring vectors, of which one at a time is in memory.

use std::path::Path;

use memmap2::MmapMut;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::files::rnd::{RowFile, RowWriter};
use crate::session::Session;
use crate::signature::gauss::{self, HyperplaneBlock, TERMS_TOGETHER};
use crate::signature::{BITS_PER_WORD, Hyperplanes};

/// Bytes in the megabyte of `use_hdd`.
const MEGABYTE: usize = 1 << 20;
/// Bytes in the gigabyte of an error message.
const GIGABYTE: u128 = 1 << 30;
/// Files of random vectors that are written at the same time, at the most; systems limit open files.
const MOST_FILES: usize = 256;

/// All random vectors, somewhere.
pub struct Planes {
    terms: usize,
    place: Place,
}

enum Place {
    /// The rows of so many bits, if there are any.
    Memory(Option<MmapMut>, usize),
    /// Files, each with the rows of some bits.
    Disk(Vec<RowFile>),
}

impl Planes {
    /// All vectors in memory.
    pub fn in_memory(planes: &Hyperplanes) -> Result<Self> {
        let size = planes.terms().checked_mul(planes.bits() * size_of::<i16>());
        let memory = match size {
            Some(0) => Some(None),
            Some(size) => MmapMut::map_anon(size).ok().map(Some),
            None => None,
        };
        let Some(mut memory) = memory else {
            let bytes = planes.terms() as u128 * (planes.bits() * size_of::<i16>()) as u128;
            let gigabytes = bytes / GIGABYTE;
            return Err(Error::Message(format!(
                "{} random vectors of {} components need {gigabytes} GB of memory; use_hdd needs less",
                planes.bits(),
                planes.terms()
            )));
        };
        if let Some(memory) = &mut memory {
            // Rows are found by chance of their terms: with small pages, finding the page would take as long as reading the row. Where the system has
            // no large ones, it is only slower.
            #[cfg(target_os = "linux")]
            let _ = memory.advise(memmap2::Advice::HugePage);
            gauss::fill(planes, bytemuck::cast_slice_mut(memory));
        }
        Ok(Planes { terms: planes.terms(), place: Place::Memory(memory, planes.bits()) })
    }

    /// All vectors on disk, in files called after `stem`, each small enough for `megabytes` of memory.
    pub fn on_disk(
        planes: &Hyperplanes,
        megabytes: usize,
        stem: &Path,
        compress: bool,
        session: &Session,
    ) -> Result<Self> {
        let width = block_width(planes, megabytes)?;
        let ranges = (0..planes.bits())
            .step_by(width)
            .map(|first| first..(first + width).min(planes.bits()));
        let mut files = ranges
            .enumerate()
            .map(|(number, bits)| RowWriter::create(stem, number, bits, compress))
            .collect::<Result<Vec<_>>>()?;
        write_rows(planes, &mut files, session)?;
        let files = files.into_iter().map(RowWriter::finish);
        let place = Place::Disk(files.collect::<Result<_>>()?);
        Ok(Planes { terms: planes.terms(), place })
    }

    /// Calls `visit` with the vectors, block by block; at most one block of those on disk is in memory.
    pub fn for_each_block(
        &self,
        mut visit: impl FnMut(&HyperplaneBlock<'_>) -> Result<()>,
    ) -> Result<()> {
        let terms = self.terms;
        match &self.place {
            Place::Memory(rows, bits) => {
                let rows = rows.as_ref().map_or(&[][..], |rows| bytemuck::cast_slice(rows));
                visit(&HyperplaneBlock { bits: 0..*bits, terms, rows })
            }
            Place::Disk(files) => files.iter().try_for_each(|file| {
                let rows = file.load()?;
                visit(&HyperplaneBlock { bits: file.bits.clone(), terms, rows: rows.as_slice() })
            }),
        }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        match &self.place {
            Place::Memory(..) => 1,
            Place::Disk(files) => files.len(),
        }
    }
}

/// How many vectors fit the memory: whole words of bits where possible.
fn block_width(planes: &Hyperplanes, megabytes: usize) -> Result<usize> {
    let vector = (planes.terms() * size_of::<i16>()).max(1);
    let fitting = (megabytes.saturating_mul(MEGABYTE) / vector).min(planes.bits());
    let width =
        if fitting > BITS_PER_WORD { fitting / BITS_PER_WORD * BITS_PER_WORD } else { fitting };
    if width > 0 && planes.bits().div_ceil(width) <= MOST_FILES {
        return Ok(width);
    }
    let needed = (planes.bits().div_ceil(MOST_FILES) * vector).div_ceil(MEGABYTE);
    Err(Error::Message(format!(
        "use_hdd {megabytes}: random vectors of {} components need at least {needed} MB",
        planes.terms()
    )))
}

fn write_rows(planes: &Hyperplanes, files: &mut [RowWriter], session: &Session) -> Result<()> {
    session.phase("writing random vectors", Some(planes.terms() as u64));
    let bits = planes.bits();
    let mut rows = vec![0; TERMS_TOGETHER.min(planes.terms()) * bits];
    let (mut part, mut arranged) = (Vec::new(), Vec::new());
    for first in (0..planes.terms()).step_by(TERMS_TOGETHER) {
        let count = TERMS_TOGETHER.min(planes.terms() - first);
        let rows = &mut rows[..count * bits];
        let draw = |(at, row): (usize, &mut [i16])| planes.row(first + at, row);
        rows.par_chunks_mut(bits).enumerate().for_each(draw);
        for file in files.iter_mut() {
            part.clear();
            rows.chunks(bits).for_each(|row| part.extend_from_slice(&row[file.bits()]));
            arranged.resize(part.len(), 0);
            gauss::arrange(&part, file.bits().len(), &mut arranged);
            file.write(&arranged)?;
        }
        session.advance(count as u64);
    }
    Ok(())
}
