//! Parts of a collection: consecutive documents with about equal numbers of bytes.
//!
//! Files are the unit, members of archives included. Files with one record per line (JSON Lines, text lines) are cut between lines as well, if they are neither
//! compressed nor transcoded; every other file belongs to the part in whose share of the bytes it begins.

use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::ops::Range;

use twox_hash::XxHash3_64;

use super::find::InputFiles;
use super::inputs::{InputFormat, Inputs, ReadPolicy};
use super::range::{ByteRange, count_before};
use super::sniff::{LineFormat, UNSEEN_BYTES, sniff};
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result};
use crate::files::decompress::Compression;
use crate::files::name::id_of_bytes;
use crate::shard::Shard;

impl InputFiles {
    /// Returns one of the parts of all documents. The parts in their order have all documents in order; some may have none.
    ///
    /// # Errors
    /// Standard input and pipes: each part is read by another process.
    pub fn part(&self, part: Shard, inputs: &Inputs) -> Result<InputFiles> {
        let sizes = self.sizes(inputs)?;
        self.between(part.range(sizes.iter().sum()), &sizes, inputs)
    }

    /// Returns the documents before a part.
    pub fn before(&self, part: Shard, inputs: &Inputs) -> Result<InputFiles> {
        let sizes = self.sizes(inputs)?;
        self.between(0..part.range(sizes.iter().sum()).start, &sizes, inputs)
    }

    /// Returns these documents as existing ones, followed by others as new ones.
    pub fn followed_by(mut self, new: InputFiles) -> InputFiles {
        self.sources.iter_mut().for_each(|source| source.is_new = false);
        self.sources.extend(new.sources);
        self.skips.extend(new.skips);
        self.bytes += new.bytes;
        self.links += new.links;
        self
    }

    /// Returns the number of documents, if it is known without opening a file: one per file.
    pub fn known_documents(&self, inputs: &Inputs) -> Option<u64> {
        // A file of a guessed format may hold several Wikipedia extracts.
        let is_guess = matches!(inputs.args.format, InputFormat::Auto | InputFormat::List);
        let is_one = |source: &InputSource| !is_guess && source.kind == SourceKind::Whole;
        self.sources.iter().all(is_one).then_some(self.sources.len() as u64)
    }

    /// Counts the documents before a part of `all`, which these documents are, if no other file has to be read than the one in which the part begins: its
    /// lines are counted, once for this and for their numbers. Otherwise `None`.
    pub fn count_before(
        &mut self,
        part: Shard,
        all: &InputFiles,
        inputs: &Inputs,
    ) -> Result<Option<u64>> {
        let mut before = all.before(part, inputs)?;
        let cut = before.sources.pop_if(|source| source.range.is_some());
        let Some(known) = before.known_documents(inputs) else { return Ok(None) };
        let Some(cut) = cut else { return Ok(Some(known)) };
        let Some((first, range)) = self.sources.first_mut().and_then(|first| {
            let range = first.range?;
            Some((first, range))
        }) else {
            return Ok(None);
        };
        // Each line is a document, or an error that ends the run.
        let is_strict = inputs.policy == ReadPolicy::Strict && first.path == cut.path;
        let Some(format) = line_format(first, inputs)?.filter(|_| is_strict) else {
            return Ok(None);
        };
        let count = count_before(&first.path, range.start, format.start.unwrap_or(0))?;
        first.range = Some(ByteRange { line: Some(count.lines + 1), ..range });
        let documents = if inputs.keeps_blank(format.kind) { count.lines } else { count.with_text };
        Ok(Some(known + documents))
    }

    /// Returns the names of all files, which are those of documents that are whole files.
    pub fn file_names(&self) -> impl Iterator<Item = String> {
        self.sources.iter().map(|source| id_of_bytes(source.raw_name()))
    }

    /// Returns the checksum of the names and sizes of all files: the same for all parts of a collection.
    pub fn checksum(&self, inputs: &Inputs) -> Result<u64> {
        use std::hash::Hasher;
        let mut hasher = XxHash3_64::default();
        for (source, size) in self.sources.iter().zip(self.sizes(inputs)?) {
            hasher.write(source.raw_name());
            hasher.write(b"\n");
            hasher.write(&size.to_le_bytes());
        }
        Ok(hasher.finish())
    }

    /// Returns the size of every file, at least 1.
    fn sizes(&self, inputs: &Inputs) -> Result<Vec<u64>> {
        let size = |source: &InputSource| {
            if source.is_stream {
                let why = "--shard needs files: each shard is read by another process";
                return Err(Error::in_file(&source.path, why));
            }
            Ok(inputs.streams.size(source, &inputs.args).unwrap_or(0).max(1))
        };
        self.sources.iter().map(size).collect()
    }

    /// Returns the documents whose bytes begin in a range of all bytes.
    fn between(&self, wanted: Range<u64>, sizes: &[u64], inputs: &Inputs) -> Result<InputFiles> {
        let mut part = InputFiles::default();
        if wanted.start == 0 {
            (part.skips, part.links) = (self.skips.clone(), self.links);
        }
        let mut start = 0;
        for (source, size) in self.sources.iter().zip(sizes) {
            let end = start + size;
            let is_cut = |at: u64| start < at && at < end;
            let lines = (is_cut(wanted.start) || is_cut(wanted.end))
                && line_format(source, inputs)?.is_some();
            let taken = if lines {
                let range = wanted.start.max(start)..wanted.end.min(end);
                (range.start < range.end).then(|| {
                    let range = ByteRange::new(range.start - start, range.end - start);
                    (range.end - range.start, Some(range))
                })
            } else {
                wanted.contains(&start).then_some((*size, None))
            };
            if let Some((bytes, range)) = taken {
                part.bytes += bytes;
                part.sources.push(InputSource { range, ..source.clone() });
            }
            start = end;
        }
        Ok(part)
    }
}

/// Returns the format of a source whose lines can be read from any of them on, or `None`.
///
/// # Errors
/// A failed read: other parts may have read the file, and would cut it where this one does not.
fn line_format(source: &InputSource, inputs: &Inputs) -> Result<Option<LineFormat>> {
    let may_have_lines =
        matches!(source.kind, SourceKind::Json | SourceKind::Lines | SourceKind::Unseen);
    if source.member.is_some() || !may_have_lines {
        return Ok(None);
    }
    let mut start = Vec::new();
    let read = File::open(&source.path)
        .and_then(|file| file.take(UNSEEN_BYTES as u64).read_to_end(&mut start));
    match read {
        Ok(_) if Compression::detect(&start) != Compression::Plain => Ok(None),
        Ok(_) => {
            let sniffed = sniff(source, inputs, Box::new(Cursor::new(start)));
            let format = sniffed.ok().map(|(format, _)| format);
            Ok(format.filter(|format| format.start.is_some()))
        }
        // All parts find the file unreadable; the one in which it begins reports it.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            Ok(None)
        }
        Err(error) => Err(Error::io("read", &source.path, error)),
    }
}
