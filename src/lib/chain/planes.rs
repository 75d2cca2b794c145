//! Storage of the hyperplanes of `create_sigs`: in memory, or in files of consecutive hyperplanes that are loaded one at a time.

use std::path::Path;

use memmap2::MmapMut;
use rayon::prelude::*;

use crate::bits::panel::{self, ROWS_PER_GROUP};
use crate::error::{Error, Result};
use crate::files::rnd::{RowFile, RowWriter};
use crate::session::Session;
use crate::signature::gauss::{self, HyperplaneBlock};
use crate::signature::{BITS_PER_WORD, Hyperplanes};

/// Bytes per megabyte of `--use_hdd`.
const MEGABYTE: usize = 1 << 20;
/// Bytes per gigabyte in an error message.
const GIGABYTE: u128 = 1 << 30;
/// Maximum number of files written at a time; systems limit open files.
const MAX_FILES: usize = 256;

/// All hyperplanes, in memory or on disk.
pub struct HyperplaneStore {
    terms: usize,
    location: Location,
}

enum Location {
    /// The rows and their number of bits.
    Memory(MmapMut, usize),
    /// One file per range of bits.
    Disk(Vec<RowFile>),
}

impl HyperplaneStore {
    /// Draws all hyperplanes into memory.
    pub fn in_memory(planes: &Hyperplanes) -> Result<Self> {
        let (bits, terms) = (planes.bits(), planes.terms());
        let bytes = terms as u128 * (bits * size_of::<i16>()) as u128;
        let size = usize::try_from(bytes).ok();
        // A map of 0 bytes is an error.
        let memory = size.and_then(|size| MmapMut::map_anon(size.max(1)).ok());
        let Some(mut memory) = memory else {
            let gigabytes = bytes / GIGABYTE;
            return Err(Error::Message(format!(
                "{bits} hyperplanes of {terms} components need {gigabytes} GB of memory; --use_hdd needs less"
            )));
        };
        // Rows are accessed randomly: with small pages, a TLB miss takes as long as reading the row. Without huge pages it is only slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        gauss::fill(planes, bytemuck::cast_slice_mut(&mut memory[..bytes as usize]));
        Ok(HyperplaneStore { terms, location: Location::Memory(memory, bits) })
    }

    /// Writes all hyperplanes to files without names in the folder of `beside`, each of at most `megabytes`.
    pub fn on_disk(
        planes: &Hyperplanes,
        megabytes: usize,
        beside: &Path,
        compress: bool,
        session: &Session,
    ) -> Result<Self> {
        let width = block_width(planes, megabytes)?;
        let ranges = (0..planes.bits())
            .step_by(width)
            .map(|first| first..(first + width).min(planes.bits()));
        let mut files = ranges
            .map(|bits| RowWriter::create(beside, bits, compress))
            .collect::<Result<Vec<_>>>()?;
        write_rows(planes, &mut files, session)?;
        let files = files.into_iter().map(RowWriter::finish);
        let location = Location::Disk(files.collect::<Result<_>>()?);
        Ok(HyperplaneStore { terms: planes.terms(), location })
    }

    /// Passes the hyperplanes to `visit` block by block, loading one block at a time.
    pub fn for_each_block(
        &self,
        mut visit: impl FnMut(&HyperplaneBlock<'_>) -> Result<()>,
    ) -> Result<()> {
        let terms = self.terms;
        match &self.location {
            Location::Memory(rows, bits) => {
                let rows = bytemuck::cast_slice(&rows[..terms * bits * size_of::<i16>()]);
                visit(&HyperplaneBlock { bits: 0..*bits, terms, rows })
            }
            Location::Disk(files) => {
                let mut memory = Vec::new();
                files.iter().try_for_each(|file| {
                    let (bits, rows) = (file.bits.clone(), file.load(&mut memory)?);
                    visit(&HyperplaneBlock { bits, terms, rows })
                })
            }
        }
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        match &self.location {
            Location::Memory(..) => 1,
            Location::Disk(files) => files.len(),
        }
    }
}

/// Returns the number of hyperplanes that fit into memory: whole words of bits where possible.
fn block_width(planes: &Hyperplanes, megabytes: usize) -> Result<usize> {
    let vector = (planes.terms() * size_of::<i16>()).max(1);
    let fitting = (megabytes.saturating_mul(MEGABYTE) / vector).min(planes.bits());
    let width =
        if fitting > BITS_PER_WORD { fitting / BITS_PER_WORD * BITS_PER_WORD } else { fitting };
    if width > 0 && planes.bits().div_ceil(width) <= MAX_FILES {
        return Ok(width);
    }
    let needed = (planes.bits().div_ceil(MAX_FILES) * vector).div_ceil(MEGABYTE);
    Err(Error::Message(format!(
        "--use_hdd {megabytes}: hyperplanes of {} components need at least {needed} MB",
        planes.terms()
    )))
}

fn write_rows(planes: &Hyperplanes, files: &mut [RowWriter], session: &Session) -> Result<()> {
    session.phase("writing hyperplanes", Some(planes.terms() as u64));
    let bits = planes.bits();
    let mut rows = vec![0; ROWS_PER_GROUP.min(planes.terms()) * bits];
    let (mut part, mut arranged) = (Vec::new(), Vec::new());
    for first in (0..planes.terms()).step_by(ROWS_PER_GROUP) {
        let count = ROWS_PER_GROUP.min(planes.terms() - first);
        let rows = &mut rows[..count * bits];
        let draw = |(at, row): (usize, &mut [i16])| planes.row(first + at, row);
        rows.par_chunks_mut(bits).enumerate().for_each(draw);
        for file in files.iter_mut() {
            part.clear();
            rows.chunks(bits).for_each(|row| part.extend_from_slice(&row[file.bits()]));
            arranged.resize(part.len(), 0);
            panel::arrange(&part, file.bits().len(), &mut arranged);
            file.write(&arranged)?;
        }
        session.advance(count as u64);
    }
    Ok(())
}
