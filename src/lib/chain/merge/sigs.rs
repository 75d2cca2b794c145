//! `merge_sigs`: the signatures of all shards to those of the collection.

use clap::Parser;
use serde::Serialize;
use twox_hash::XxHash3_64;

use super::check_merger;
use super::lines::{LineCopy, for_each_file};
use crate::error::{Result, check_count};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::content::{Content, ContentLines, for_each_batch};
use crate::files::manifest::{DataFile, StageKind};
use crate::files::output::Publisher;
use crate::files::parts::Parts;
use crate::files::paths::{self, SigPaths};
use crate::files::sig;
use crate::files::sorter::{RUN_BYTES, Record, SortedRecords, Sorter};
use crate::files::stage::Stage;
use crate::session::Session;

/// Merges the signatures of shards into those of the whole collection: documents of several shards that have the same signature share a line
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "merge_sigs", version, rename_all = "snake_case")]
pub struct MergeSigs {
    /// List of SIG files of a shard (NAME.I-of-N), all N of them in any order
    #[arg(value_name = "PART", required = true, help_heading = "Input")]
    pub parts: Vec<FlagPath>,
    /// Write the list of SIG files to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sig_paths: FlagPath,
    /// Write the SIG files to DIR, created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub sig_dir: FlagPath,
}

impl Executable for MergeSigs {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Merge the signatures of 8 shards",
            "merge_sigs --sig_paths sig_paths --sig_dir sigs sig_paths.*-of-8",
        ),
        (
            "Merge shards that are in folders of their own",
            "merge_sigs --sig_paths sig_paths --sig_dir sigs node*/sig_paths.*-of-8",
        ),
    ];

    /// Finds equal signatures by an external sort of their hashes, and joins the documents of those alone. Memory: some hundred
    /// megabytes, the list of files, and the documents of the most frequent signature.
    fn run(&self, session: &Session) -> Result<Counts> {
        let parts = Parts::read(&self.parts)?;
        check_merger(&parts, "merge_sigs")?;
        let lists =
            parts.paths.iter().map(|path| SigPaths::read(path)).collect::<Result<Vec<_>>>()?;
        let files: Vec<DataFile> = lists.iter().flat_map(|list| list.files.clone()).collect();
        let reads = parts.paths.iter().flat_map(|path| paths::list_reads(path));
        let publisher = Publisher::new(session, reads);
        let is_gz = |file: &DataFile| file.path.extension().is_some_and(|name| name == "gz");
        let (list, folder) = (&self.sig_paths, &self.sig_dir);
        let is_compressed = files.iter().any(is_gz);
        let stage = Stage::begin(&publisher, list, folder, StageKind::Sig, is_compressed)?;
        drop(publisher);
        stage.check_other_names(&files)?;
        session.phase("merging", Some(2 * files.len() as u64));
        let sorter = || Sorter::new(&self.sig_paths, RUN_BYTES, session);
        let mut by_hash = sorter();
        let ends = read_hashes(&parts, &lists, &mut by_hash, session)?;
        let repeated = repeated(by_hash.finish()?, sorter())?;
        let by_signature = repeated_lines(&files, &ends, repeated, sorter())?;
        let joined = joined(by_signature, sorter())?;
        let per_file = parts.per_file().unwrap_or(1).max(1);
        let distinct =
            write(&files, &ends, joined, LineCopy::new(&stage, Some(per_file)), session)?;
        let documents = lists.iter().map(|list| list.documents).sum();
        let provenance = parts.provenance().count("documents", documents);
        let provenance = provenance.count("signatures", distinct);
        stage.commit(&SigPaths::header(documents, lists[0].bits, distinct), provenance)?;
        let read = (parts.paths.len() as u64, "shards");
        Ok(Counts::new(read, (distinct, "distinct signatures")))
    }
}

/// Reads all lines, and adds the hash of each signature with the position of its line. Returns the position after the last line of each file.
fn read_hashes(
    parts: &Parts,
    lists: &[SigPaths],
    by_hash: &mut Sorter<'_>,
    session: &Session,
) -> Result<Vec<u64>> {
    let (mut position, mut ends) = (0u64, Vec::new());
    for (path, list) in parts.paths.iter().zip(lists) {
        let (mut documents, first, first_file) = (0, position, ends.len());
        let hashes = |mut lines: ContentLines<'_>| {
            let mut hashes = Vec::new();
            while let Some(line) = lines.next_line()? {
                let (signature, names) = sig::parse(&line)?;
                hashes.push((XxHash3_64::oneshot(signature.as_bytes()), names.len() as u64));
            }
            Ok(hashes)
        };
        ends.resize(first_file + list.files.len(), 0);
        for_each_batch(&list.files, hashes, |files, batches| {
            for (file, hashes) in files.iter().zip(batches) {
                for (hash, count) in hashes {
                    by_hash.push(&hash.to_be_bytes(), &position.to_be_bytes())?;
                    (position, documents) = (position + 1, documents + count);
                }
                ends[first_file + file] = position;
            }
            Ok(())
        })?;
        session.advance(list.files.len() as u64);
        check_count(path, "distinct signatures", list.distinct, position - first)?;
        check_count(path, "documents", list.documents, documents)?;
    }
    // A file without lines ends where the one before it does.
    (1..ends.len()).for_each(|file| ends[file] = ends[file].max(ends[file - 1]));
    Ok(ends)
}

/// Returns the positions of the lines whose hash is not the only one.
fn repeated(mut by_hash: SortedRecords, mut positions: Sorter<'_>) -> Result<SortedRecords> {
    let (mut last, mut was_repeated) = (Record::default(), false);
    while let Some(record) = by_hash.next_record()? {
        let is_repeated = record.key == last.key;
        if is_repeated && !was_repeated {
            positions.push(&last.value, &[])?;
        }
        if is_repeated {
            positions.push(&record.value, &[])?;
        }
        was_repeated = is_repeated;
        last.clone_from(record);
    }
    positions.finish()
}

/// Returns the lines at some positions by signature, equal ones in their order; each with its position, then its documents, a space before each.
fn repeated_lines(
    files: &[DataFile],
    ends: &[u64],
    mut positions: SortedRecords,
    mut by_signature: Sorter<'_>,
) -> Result<SortedRecords> {
    let mut next = next_position(&mut positions)?;
    for (number, file) in files.iter().enumerate() {
        let (mut position, end) = range(ends, number);
        if next >= end {
            continue;
        }
        let content = Content::open(file)?;
        let mut lines = content.lines();
        while let Some(line) = lines.next_line()? {
            if position == next {
                let (signature, names) = sig::parse(&line)?;
                let names = names.iter().flat_map(|name| [" ", name]).collect::<String>();
                let value = [&position.to_be_bytes(), names.as_bytes()].concat();
                by_signature.push(signature.as_bytes(), &value)?;
                next = next_position(&mut positions)?;
            }
            position += 1;
        }
        content.verify()?;
    }
    by_signature.finish()
}

/// Joins the documents of equal signatures. Returns the lines that take the places of these, by position: the first of each signature has all documents,
/// the others are empty.
fn joined(mut by_signature: SortedRecords, mut lines: Sorter<'_>) -> Result<SortedRecords> {
    let mut open: Option<Group> = None;
    while let Some(record) = by_signature.next_record()? {
        let (position, names) = record.value.split_at(size_of::<u64>());
        match &mut open {
            Some(group) if group.signature == record.key => {
                group.names.extend_from_slice(names);
                lines.push(position, &[])?;
            }
            _ => {
                let (signature, position) = (record.key.clone(), position.to_vec());
                let group = Group { signature, position, names: names.to_vec() };
                open.replace(group).map_or(Ok(()), |group| group.add_to(&mut lines))?;
            }
        }
    }
    open.map_or(Ok(()), |group| group.add_to(&mut lines))?;
    lines.finish()
}

/// A signature, the position of its first line in big-endian bytes, and the names of its documents, a space before each.
struct Group {
    signature: Vec<u8>,
    position: Vec<u8>,
    names: Vec<u8>,
}

impl Group {
    /// Adds its line of a SIG file. Names are encoded and hold no space.
    fn add_to(&self, lines: &mut Sorter<'_>) -> Result<()> {
        let documents = memchr::memchr_iter(b' ', &self.names).count();
        let count = format!(":{documents}");
        lines
            .push(&self.position, &[&self.signature, count.as_bytes(), &self.names, b"\n"].concat())
    }
}

/// Writes the SIG files, with joined lines in place of those at their positions. Returns the number of lines.
fn write(
    files: &[DataFile],
    ends: &[u64],
    mut joined: SortedRecords,
    mut copy: LineCopy<'_>,
    session: &Session,
) -> Result<u64> {
    let mut next = joined.next_record()?.cloned();
    for_each_file(files, |file, number, is_last| {
        session.advance(1);
        let (first, end) = range(ends, number);
        if next.as_ref().is_none_or(|next| position_of(next) >= end) {
            return copy.add(file, is_last);
        }
        let mut bytes = Vec::new();
        for (position, line) in
            (first..).zip(file.content.bytes().split_inclusive(|byte| *byte == b'\n'))
        {
            match next.take_if(|next| position_of(next) == position) {
                None => bytes.extend_from_slice(line),
                Some(line) => {
                    bytes.extend_from_slice(&line.value);
                    next = joined.next_record()?.cloned();
                }
            }
        }
        copy.add_lines(&bytes)
    })?;
    copy.finish()
}

/// Returns the position of the first line of a file, and that after its last one.
fn range(ends: &[u64], number: usize) -> (u64, u64) {
    (if number == 0 { 0 } else { ends[number - 1] }, ends[number])
}

/// Returns the next position; after the last one, a position of no line.
fn next_position(positions: &mut SortedRecords) -> Result<u64> {
    Ok(positions.next_record()?.map_or(u64::MAX, position_of))
}

fn position_of(record: &Record) -> u64 {
    u64::from_be_bytes(record.key[..].try_into().expect("positions have eight bytes"))
}
