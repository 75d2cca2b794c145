//! Random vectors on disk, while `create_sigs` runs: files of neighbouring vectors in the machine's own 16-bit numbers. They never get a name of their own and go when they are no longer needed.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::files::input;
use crate::files::output::{Output, Part, with_suffix};

/// A file being written.
pub struct RowWriter {
    bits: Range<usize>,
    out: Output,
    is_compressed: bool,
}

impl RowWriter {
    /// Begins file `number` (counted from 0) of those called after `stem`, for the vectors of some bits.
    pub fn create(stem: &Path, number: usize, bits: Range<usize>, compress: bool) -> Result<Self> {
        let ending = if compress { ".rnd.gz" } else { ".rnd" };
        let path = with_suffix(stem, &format!("-{:06}{ending}", number + 1));
        Ok(RowWriter { bits, out: Output::create(&path)?, is_compressed: compress })
    }

    /// The bits whose vectors the file will hold.
    pub fn bits(&self) -> Range<usize> {
        self.bits.clone()
    }

    /// Writes some components.
    pub fn write(&mut self, components: &[i16]) -> Result<()> {
        self.out.write(bytemuck::cast_slice(components))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<RowFile> {
        Ok(RowFile { bits: self.bits, part: self.out.close()?, is_compressed: self.is_compressed })
    }
}

/// A complete file. Dropped, it is removed.
pub struct RowFile {
    /// The bits whose vectors it holds.
    pub bits: Range<usize>,
    part: Part,
    is_compressed: bool,
}

impl RowFile {
    /// The rows: mapped into memory, or read where they are compressed.
    pub fn load(&self) -> Result<Rows> {
        let path = self.part.path().expect("random vectors are written to ordinary files");
        let read = |e| Error::io("read", path, e);
        let file = File::open(path).map_err(read)?;
        if self.is_compressed {
            return Ok(Rows::Read(read_all(path)?));
        }
        if file.metadata().map_err(read)?.len() == 0 {
            return Ok(Rows::Read(Vec::new()));
        }
        // SAFETY: the file is this run's own temporary file, locked, which nobody else writes or shortens.
        unsafe { Mmap::map(&file) }.map(Rows::Mapped).map_err(read)
    }
}

/// What one file holds, as long as it is needed.
pub enum Rows {
    /// Pages that the system brings in when they are touched.
    Mapped(Mmap),
    /// All of them.
    Read(Vec<i16>),
}

impl Rows {
    /// The components, in the order in which they were written.
    pub fn as_slice(&self) -> &[i16] {
        match self {
            Rows::Mapped(map) => bytemuck::cast_slice(map),
            Rows::Read(rows) => rows,
        }
    }
}

/// Numbers that are decompressed at once.
const NUMBERS_AT_ONCE: usize = 1 << 18;

fn read_all(path: &Path) -> Result<Vec<i16>> {
    let mut content = input::open(path)?;
    let mut rows = Vec::new();
    let mut numbers = vec![0i16; NUMBERS_AT_ONCE];
    loop {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers);
        let filled = fill(&mut content, bytes).map_err(|e| Error::io("read", path, e))?;
        rows.extend_from_slice(&numbers[..filled / size_of::<i16>()]);
        if filled < NUMBERS_AT_ONCE * size_of::<i16>() {
            return Ok(rows);
        }
    }
}

/// Reads until the buffer is full or the content ends; returns how much was read.
fn fill(content: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match content.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}
