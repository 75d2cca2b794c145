//! Hyperplanes on disk while `create_sigs --use_hdd` runs: temporary files of consecutive hyperplanes, in 16-bit integers of the machine's
//! byte order. They keep their temporary names and are removed after use.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use crate::error::{Error, Result};
use crate::files::input;
use crate::files::map::map_file;
use crate::files::output::{Output, Part, Publisher, with_suffix};
use crate::session::Session;

/// A file of hyperplanes being written.
pub struct RowWriter {
    bits: Range<usize>,
    out: Output,
    components: usize,
    is_compressed: bool,
}

impl RowWriter {
    /// Begins file `number` (from 0), named after `stem`, for the hyperplanes of some bits.
    pub fn create(stem: &Path, number: usize, bits: Range<usize>, compress: bool) -> Result<Self> {
        let ending = if compress { ".rnd.gz" } else { ".rnd" };
        let path = with_suffix(stem, &format!("-{:06}{ending}", number + 1));
        let out = Publisher::of_no_input(&Session::silent()).create(&path)?;
        Ok(RowWriter { bits, out, components: 0, is_compressed: compress })
    }

    /// Returns the bits whose hyperplanes the file will hold.
    pub fn bits(&self) -> Range<usize> {
        self.bits.clone()
    }

    /// Writes some components.
    pub fn write(&mut self, components: &[i16]) -> Result<()> {
        self.components += components.len();
        self.out.write(bytemuck::cast_slice(components))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<RowFile> {
        let RowWriter { bits, out, components, is_compressed } = self;
        Ok(RowFile { bits, part: out.close()?, components, is_compressed })
    }
}

/// A complete file of hyperplanes. Dropping it removes the file.
pub struct RowFile {
    /// The bits whose hyperplanes it holds.
    pub bits: Range<usize>,
    part: Part,
    components: usize,
    is_compressed: bool,
}

impl RowFile {
    /// Calls `visit` with the components in the order they were written, mapped or, if they are compressed, read.
    pub fn load(&self, visit: impl FnOnce(&[i16]) -> Result<()>) -> Result<()> {
        let path = self.part.path().expect("hyperplanes are written to regular files");
        let read = |e| Error::io("read", path, e);
        if !self.is_compressed {
            let file = File::open(path).map_err(read)?;
            return visit(bytemuck::cast_slice(&map_file(&file).map_err(read)?));
        }
        let mut rows = vec![0; self.components];
        let bytes = bytemuck::cast_slice_mut(&mut rows);
        input::open(path)?.read_exact(bytes).map_err(read)?;
        visit(&rows)
    }
}
