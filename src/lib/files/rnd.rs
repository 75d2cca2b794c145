//! Hyperplanes on disk while `create_sigs --use_hdd` runs: temporary files of consecutive hyperplanes, in 16-bit integers of the machine's
//! byte order. They keep their temporary names and are removed after use.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::files::input;
use crate::files::map::map_file;
use crate::files::output::{Output, Part, with_suffix};

/// A file of hyperplanes being written.
pub struct RowWriter {
    bits: Range<usize>,
    out: Output,
    is_compressed: bool,
}

impl RowWriter {
    /// Begins file `number` (from 0), named after `stem`, for the hyperplanes of some bits.
    pub fn create(stem: &Path, number: usize, bits: Range<usize>, compress: bool) -> Result<Self> {
        let ending = if compress { ".rnd.gz" } else { ".rnd" };
        let path = with_suffix(stem, &format!("-{:06}{ending}", number + 1));
        Ok(RowWriter { bits, out: Output::create(&path)?, is_compressed: compress })
    }

    /// Returns the bits whose hyperplanes the file will hold.
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

/// A complete file of hyperplanes. Dropping it removes the file.
pub struct RowFile {
    /// The bits whose hyperplanes it holds.
    pub bits: Range<usize>,
    part: Part,
    is_compressed: bool,
}

impl RowFile {
    /// Maps the file into memory, or reads it if it is compressed.
    pub fn load(&self) -> Result<LoadedRows> {
        let path = self.part.path().expect("hyperplanes are written to regular files");
        let read = |e| Error::io("read", path, e);
        let file = File::open(path).map_err(read)?;
        if self.is_compressed {
            return Ok(LoadedRows::Read(read_all(path)?));
        }
        if file.metadata().map_err(read)?.len() == 0 {
            return Ok(LoadedRows::Read(Vec::new()));
        }
        map_file(&file).map(LoadedRows::Mapped).map_err(read)
    }
}

/// The components of one file.
pub enum LoadedRows {
    /// Mapped: the system reads pages on first access.
    Mapped(Mmap),
    /// Decompressed.
    Read(Vec<i16>),
}

impl LoadedRows {
    /// Returns the components in the order they were written.
    pub fn as_slice(&self) -> &[i16] {
        match self {
            LoadedRows::Mapped(map) => bytemuck::cast_slice(map),
            LoadedRows::Read(rows) => rows,
        }
    }
}

/// Integers decompressed per read, 512 kB.
const NUMBERS_PER_READ: usize = 1 << 18;

fn read_all(path: &Path) -> Result<Vec<i16>> {
    let mut content = input::open(path)?;
    let mut rows = Vec::new();
    let mut numbers = vec![0i16; NUMBERS_PER_READ];
    loop {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers);
        let filled = fill(&mut content, bytes).map_err(|e| Error::io("read", path, e))?;
        rows.extend_from_slice(&numbers[..filled / size_of::<i16>()]);
        if filled < NUMBERS_PER_READ * size_of::<i16>() {
            return Ok(rows);
        }
    }
}

/// Reads until the buffer is full or the content ends. Returns the number of bytes read.
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
