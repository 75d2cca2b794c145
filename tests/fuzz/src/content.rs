//! Content of input files: choices made by the first bytes, compression, and places of errors.

use std::fmt::Debug;
use std::io::Write;
use std::path::Path;

use nearsig::{Error, Result};

/// Takes choices off the front of the input; 0 when it is exhausted.
pub struct Choices<'a> {
    /// The bytes that follow.
    pub rest: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Starts at the front of the input.
    pub fn of(data: &'a [u8]) -> Self {
        Choices { rest: data }
    }

    /// Takes a byte.
    pub fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *byte
    }

    /// Takes a byte and returns one of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::from(self.byte()) % items.len()]
    }

    /// Takes eight bytes, as far as there are.
    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes([(); 8].map(|()| self.byte()))
    }
}

/// How a target stores the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// As it is, also if it is compressed or damaged.
    Plain,
    Gzip,
    Zstandard,
    /// gzip without its last bytes.
    TruncatedGzip,
}

impl Storage {
    /// All kinds. Plain files are the fastest and come up most often.
    pub const ALL: [Storage; 6] = [
        Storage::Plain,
        Storage::Gzip,
        Storage::Plain,
        Storage::Zstandard,
        Storage::Plain,
        Storage::TruncatedGzip,
    ];

    /// Returns the bytes of the file.
    pub fn store(self, content: &[u8]) -> Vec<u8> {
        match self {
            Storage::Plain => content.to_vec(),
            Storage::Gzip => gzip(content),
            Storage::Zstandard => zstd::encode_all(content, 1).expect("memory can be written"),
            Storage::TruncatedGzip => {
                let mut bytes = gzip(content);
                bytes.truncate(bytes.len() - 9);
                bytes
            }
        }
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

/// Returns the number of lines of a file, decompressed as far as it can be; the last may lack its newline.
pub fn lines_of(path: &Path) -> u64 {
    let mut content = Vec::new();
    if let Ok(mut reader) = nearsig::fuzzing::input::open(path) {
        // What is readable before the damage counts.
        let _ = std::io::Read::read_to_end(&mut reader, &mut content);
    }
    content.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// Checks that an error in a file names a line of it. The file may end where the next line is expected.
pub fn check_error(error: &Error, path: &Path) {
    let message = error.to_string();
    assert!(!message.is_empty());
    if let Error::Parse { path: named, line, .. } = error
        && named == path
    {
        let lines = lines_of(path);
        assert!((1..=lines).contains(line), "{message}: the file has {lines} lines");
    }
}

/// Checks that reading twice gives the same, and returns it. Errors must name a line of the file.
pub fn twice<T: PartialEq + Debug>(path: &Path, read: impl Fn() -> Result<T>) -> Option<T> {
    match (read(), read()) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first, second, "reading twice differs");
            Some(first)
        }
        (Err(first), Err(second)) => {
            assert_eq!(first.to_string(), second.to_string(), "reading twice differs");
            check_error(&first, path);
            None
        }
        (first, second) => panic!("reading twice differs: {first:?}, {second:?}"),
    }
}
