//! Decompression by content (gzip, Zstandard, bzip2, xz): the one place that decompresses, and that recognizes decompression bombs.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::input::Reader;
use super::limits::InputFault;

/// The first bytes of a gzip file: the magic number and the one compression method in use.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// The first bytes of a Zstandard frame.
const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The last three of the first four bytes of a skippable Zstandard frame; some compressors begin with one.
const SKIPPABLE_FRAME: [u8; 3] = [0x2a, 0x4d, 0x18];
/// The first bytes of an xz file.
const XZ_MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// The first bytes of a bzip2 file, before the size of its blocks: a digit from 1 to 9.
const BZIP2_MAGIC: [u8; 3] = *b"BZh";
/// The bytes after that digit: the beginning of a block, or the end of an empty file. Text may begin with the magic number alone.
const BZIP2_BLOCKS: [[u8; 6]; 2] = [*b"1AY&SY", [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];
/// The length of the longest magic number.
const MAGIC_LENGTH: u64 = 10;
/// The largest window of a Zstandard frame: 2^27 bytes, the default of the reference implementation. Decoders allocate it.
const MAX_WINDOW_LOG: u32 = 27;
/// The largest memory of an xz decoder in kilobytes: a dictionary of 2^27 bytes, twice that of `xz -9`, and a little more.
const MAX_XZ_KILOBYTES: u32 = (1 << 17) + 1024;

/// The default maximum of decompressed bytes per compressed byte.
///
/// Measured: a million equal records of 43 or 313 bytes reach 11,870 with `zstd -19` and 343 with `gzip -9`; numbered ones 232 and 88.
/// Zeros reach 32,480 and 1,030, close to what the formats allow (32,768 and 1,032). So the ratio tells zeros in Zstandard from
/// repeated records, but no gzip file and no bomb of repeated records: those are bounded by the size of records and lines. Equal records
/// reach 4,800 with bzip2 and 6,600 with xz; zeros reach 885,000 and 6,700.
pub const MAX_RATIO: u64 = 20_000;
/// Decompressed bytes from which on the ratio counts: before, a bomb does no harm.
pub(crate) const RATIO_FROM: u64 = 64 << 20;

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// None.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstandard,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
}

impl Compression {
    /// Detects the compression of a file from its first bytes.
    pub fn detect(start: &[u8]) -> Self {
        let is_skippable = start.first().is_some_and(|byte| byte >> 4 == 5)
            && start[1..].starts_with(&SKIPPABLE_FRAME);
        if start.starts_with(&GZIP_MAGIC) {
            Compression::Gzip
        } else if start.starts_with(&ZSTANDARD_MAGIC) || is_skippable {
            Compression::Zstandard
        } else if start.starts_with(&XZ_MAGIC) {
            Compression::Xz
        } else if is_bzip2(start) {
            Compression::Bzip2
        } else {
            Compression::Plain
        }
    }

    /// Detects the compression from the beginning of `raw`. Returns also the bytes taken from it.
    pub(crate) fn detect_in(raw: &mut impl Read) -> io::Result<(Self, Vec<u8>)> {
        let mut start = Vec::with_capacity(MAGIC_LENGTH as usize);
        raw.take(MAGIC_LENGTH).read_to_end(&mut start)?;
        Ok((Compression::detect(&start), start))
    }
}

/// Returns whether a file is compressed by bzip2, from its first bytes.
fn is_bzip2(start: &[u8]) -> bool {
    let Some((size, blocks)) = start.strip_prefix(&BZIP2_MAGIC).and_then(<[u8]>::split_first)
    else {
        return false;
    };
    (b'1'..=b'9').contains(size) && BZIP2_BLOCKS.iter().any(|block| blocks.starts_with(block))
}

/// Decompresses `raw` if needed. Reads at most `buffer` bytes of it ahead.
///
/// # Errors
/// When read: damaged data, and more bytes per compressed byte than the flag `--max_ratio`, or without it [`MAX_RATIO`], allows
/// ([`InputFault`]).
pub(crate) fn decompressed(
    mut raw: Reader,
    buffer: usize,
    max_ratio: Option<u64>,
) -> io::Result<Reader> {
    let (compression, start) = Compression::detect_in(&mut raw)?;
    let whole = Cursor::new(start).chain(raw);
    if compression == Compression::Plain {
        return Ok(Box::new(whole));
    }
    let taken = Arc::new(AtomicU64::new(0));
    let reader = BufReader::with_capacity(buffer, whole);
    let counted = CountingBuffer { reader, taken: Arc::clone(&taken) };
    let decoder: Reader = match compression {
        Compression::Gzip => Box::new(MultiGzDecoder::new(counted)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(counted)),
        Compression::Xz => Box::new(XzReader::new_mem_limit(counted, true, MAX_XZ_KILOBYTES)),
        _ => {
            let mut decoder = zstd::Decoder::with_buffer(counted)?;
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Box::new(decoder)
        }
    };
    Ok(Box::new(RatioLimit { decoder, taken, given: 0, max_ratio }))
}

/// Counts the bytes that a decoder consumes, not those that are read ahead.
struct CountingBuffer<R> {
    reader: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingBuffer<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for CountingBuffer<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        self.reader.consume(count);
    }
}

/// Ends a decoder that gives too many bytes per compressed byte.
struct RatioLimit {
    decoder: Reader,
    taken: Arc<AtomicU64>,
    given: u64,
    /// The value of the flag, if there is one.
    max_ratio: Option<u64>,
}

/// Returns the error of data with more bytes per compressed byte than the flag `--max_ratio`, or without it [`MAX_RATIO`], allows.
pub(crate) fn ratio_fault(max_ratio: Option<u64>) -> InputFault {
    let flag = if max_ratio.is_some() { " (--max_ratio)" } else { "" };
    let max = max_ratio.unwrap_or(MAX_RATIO);
    let expected = format!("at most {max} bytes per compressed byte{flag}");
    InputFault { expected, found: "more: a decompression bomb?".into(), line: None }
}

impl Read for RatioLimit {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.given += count as u64;
        let max_ratio = self.max_ratio.unwrap_or(MAX_RATIO);
        let max = self.taken.load(Ordering::Relaxed).saturating_mul(max_ratio);
        if self.given > RATIO_FROM && self.given > max {
            return Err(ratio_fault(self.max_ratio).into());
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(stored: &[u8], max_ratio: u64) -> io::Result<Vec<u8>> {
        let (mut content, raw) = (Vec::new(), Box::new(Cursor::new(stored.to_vec())));
        decompressed(raw, 1 << 18, Some(max_ratio))?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn concatenated_frames_are_one_file() {
        let frame = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0][..], b"xy"].concat();
        let all = [skippable, frame(b"one "), frame(b"two")].concat();
        assert_eq!(read_back(&all, 1).unwrap(), b"one two");
        assert!(read_back(&all[..all.len() - 1], 1).is_err());
        for plain in [&b""[..], b"(", &[0x28, 0xb5, 0x2f], b"S*M"] {
            assert_eq!(read_back(plain, 1).unwrap(), plain);
        }
    }

    #[test]
    fn zeros_are_a_bomb_and_equal_records_are_none() {
        let zeros = |count: u64| zstd::encode_all(io::repeat(0).take(count), 3).unwrap();
        let bomb = read_back(&zeros(RATIO_FROM + 1), MAX_RATIO).unwrap_err();
        let expected = "expected at most 20000 bytes per compressed byte (--max_ratio), found more: a decompression bomb?";
        assert_eq!(bomb.to_string(), expected);
        assert_eq!(read_back(&zeros(RATIO_FROM), MAX_RATIO).unwrap().len() as u64, RATIO_FROM);
        assert!(read_back(&zeros(RATIO_FROM + 1), 40_000).is_ok());
        let line = b"{\"text\":\"the same short text in every record\"}\n";
        let lines = line.repeat((2 * RATIO_FROM) as usize / line.len());
        assert!(read_back(&zstd::encode_all(&*lines, 19).unwrap(), MAX_RATIO).unwrap() == lines);
    }

    #[test]
    fn gzip_has_the_limit_too() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::copy(&mut io::repeat(0).take(RATIO_FROM + 1), &mut encoder).unwrap();
        let stored = encoder.finish().unwrap();
        assert!(read_back(&stored, 100).unwrap_err().to_string().contains("(--max_ratio)"));
        assert!(read_back(&stored, MAX_RATIO).is_ok());
    }

    #[test]
    fn a_frame_that_states_a_huge_window_is_refused() {
        // Magic number, a descriptor without content size, a window of 2^(10 + 30) bytes, an empty last block.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 30 << 3, 1, 0, 0];
        assert!(read_back(&frame, MAX_RATIO).unwrap_err().to_string().contains("too much memory"));
    }

    type Compressor = fn(&[u8]) -> Vec<u8>;

    fn bzip2_of(content: impl Read) -> Vec<u8> {
        let mut stored = Vec::new();
        let mut encoder = bzip2::read::BzEncoder::new(content, bzip2::Compression::fast());
        encoder.read_to_end(&mut stored).unwrap();
        stored
    }

    fn xz_with(dictionary: u32, mut content: impl Read) -> Vec<u8> {
        let mut options = lzma_rust2::XzOptions::with_preset(0);
        options.lzma_options.dict_size = dictionary;
        let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        io::copy(&mut content, &mut encoder).unwrap();
        encoder.finish().unwrap()
    }

    fn xz_of(content: impl Read) -> Vec<u8> {
        xz_with(1 << 20, content)
    }

    #[test]
    fn bzip2_and_xz_are_read_to_their_last_stream_and_byte() {
        let compressors: [Compressor; 2] = [|text| bzip2_of(text), |text| xz_of(text)];
        for compress in compressors {
            let text = b"some words ".repeat(500);
            let all = [compress(&text), compress(b""), compress(b"the end")].concat();
            assert_eq!(read_back(&all, 1).unwrap(), [&text[..], b"the end"].concat());
            assert_eq!(read_back(&compress(b""), 1).unwrap(), b"");
            let starts = [compress(&text).len(), compress(&text).len() + compress(b"").len()];
            // Shorter ones have no magic number.
            for length in MAGIC_LENGTH as usize..all.len() {
                let outcome = read_back(&all[..length], 1);
                assert_eq!(outcome.is_ok(), starts.contains(&length), "{length} of {}", all.len());
            }
            for at in (MAGIC_LENGTH as usize..compress(&text).len()).step_by(3) {
                let mut flipped = compress(&text);
                flipped[at] ^= 0x10;
                let outcome = read_back(&flipped, 1);
                assert!(outcome.is_err() || outcome.unwrap() == text, "{at}");
            }
            assert!(read_back(&[&all[..], b"something else"].concat(), 1).is_err());
        }
        for plain in [&b"BZh"[..], b"BZh9 is text", b"BZh01AY&SY", b"\xfd7zXZ"] {
            assert_eq!(read_back(plain, 1).unwrap(), plain);
        }
    }

    #[test]
    fn bzip2_and_xz_have_the_limits_too() {
        let zeros = |count: u64| io::repeat(0).take(count);
        let bomb = bzip2_of(zeros(RATIO_FROM + 1));
        assert!(read_back(&bomb, MAX_RATIO).unwrap_err().to_string().contains("(--max_ratio)"));
        let bomb = xz_of(zeros(RATIO_FROM + 1));
        assert!(read_back(&bomb, 1000).unwrap_err().to_string().contains("(--max_ratio)"));
        assert!(read_back(&bomb, MAX_RATIO).is_ok());
    }

    #[test]
    fn an_xz_file_that_states_a_huge_dictionary_is_refused() {
        let mut stored = xz_with(1 << 20, &b"text"[..]);
        // The header of the first block: its size, flags, the filter, the size of its properties, the dictionary, padding, a checksum.
        assert_eq!(stored[12..16], [2, 0, 0x21, 1]);
        stored[16] = 38;
        let checksum = crc32(&stored[12..20]);
        stored[20..24].copy_from_slice(&checksum.to_le_bytes());
        let refused = read_back(&stored, MAX_RATIO).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::OutOfMemory, "{refused}");
    }

    /// The checksum of gzip and xz.
    fn crc32(bytes: &[u8]) -> u32 {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        crc.sum()
    }
}
