//! Hyperplanes on disk while `create_sigs --use_hdd` runs: temporary files of consecutive hyperplanes, in 16-bit integers of the machine's
//! byte order. The files have no names, so that nothing is left of a killed run.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use super::blocks::ByteSource;
use super::temporary::{temporary_error, temporary_file};
use crate::error::{Error, Result};

/// Bytes per read or write: 256 kB make system calls cheap.
const BUFFER: usize = 1 << 18;

/// A file of hyperplanes being written.
pub struct RowWriter {
    bits: Range<usize>,
    sink: RowSink,
    beside: PathBuf,
    components: usize,
}

enum RowSink {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl RowWriter {
    /// Begins a file for the hyperplanes of some bits, in the folder of `beside`.
    pub fn create(beside: &Path, bits: Range<usize>, compress: bool) -> Result<Self> {
        let file = BufWriter::with_capacity(BUFFER, temporary_file(beside)?);
        let sink = match compress {
            true => RowSink::Gzip(Box::new(GzEncoder::new(file, Compression::default()))),
            false => RowSink::Plain(file),
        };
        Ok(RowWriter { bits, sink, beside: beside.into(), components: 0 })
    }

    /// Returns the bits whose hyperplanes the file will hold.
    pub fn bits(&self) -> Range<usize> {
        self.bits.clone()
    }

    /// Writes some components.
    pub fn write(&mut self, components: &[i16]) -> Result<()> {
        self.components += components.len();
        let bytes = bytemuck::cast_slice(components);
        let written = match &mut self.sink {
            RowSink::Plain(writer) => writer.write_all(bytes),
            RowSink::Gzip(writer) => writer.write_all(bytes),
        };
        written.map_err(|error| temporary_error(&self.beside, error))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<RowFile> {
        let RowWriter { bits, sink, beside, components } = self;
        let is_compressed = matches!(sink, RowSink::Gzip(_));
        let buffered = match sink {
            RowSink::Plain(writer) => Ok(writer),
            RowSink::Gzip(writer) => writer.finish(),
        };
        let file = buffered.and_then(|writer| writer.into_inner().map_err(|e| e.into_error()));
        let file = file.map_err(|error| temporary_error(&beside, error))?;
        Ok(RowFile { bits, file, beside, components, is_compressed })
    }
}

/// A complete file of hyperplanes, which vanishes when it is dropped.
pub struct RowFile {
    /// The bits whose hyperplanes it holds.
    pub bits: Range<usize>,
    file: File,
    beside: PathBuf,
    components: usize,
    is_compressed: bool,
}

impl RowFile {
    /// Reads the components in the order they were written, to memory that is reused. One thread at a time: the file has one position.
    pub fn load<'r>(&self, memory: &'r mut Vec<i16>) -> Result<&'r [i16]> {
        let failed = |error| Error::io("read a temporary file beside it", &self.beside, error);
        if memory.len() < self.components {
            let zeroed = bytemuck::allocation::try_zeroed_slice_box(self.components);
            *memory = zeroed.map_err(|()| failed(io::ErrorKind::OutOfMemory.into()))?.into_vec();
        }
        let rows = &mut memory[..self.components];
        self.read(bytemuck::cast_slice_mut(rows)).map_err(failed)?;
        Ok(rows)
    }

    fn read(&self, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        if self.is_compressed {
            let file = BufReader::with_capacity(BUFFER, file);
            return GzDecoder::new(file).read_exact(bytes);
        }
        match ByteSource::of_plain(self.file.try_clone()?)?.read(bytes) {
            (_, Some(error)) => Err(error),
            (count, None) if count < bytes.len() => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_written_and_files_have_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let rows: Vec<i16> = (0..3_000_000).map(|n| (n % 40_009) as i16).collect();
        for compress in [false, true] {
            let beside = folder.path().join("sig_paths");
            let mut writer = RowWriter::create(&beside, 4..8, compress).unwrap();
            rows.chunks(77_777).for_each(|rows| writer.write(rows).unwrap());
            let (file, mut memory) = (writer.finish().unwrap(), Vec::new());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            for _ in 0..2 {
                assert!(file.load(&mut memory).unwrap() == rows);
            }
            assert_eq!(file.bits, 4..8);
        }
    }
}
