//! `merge_sigs`: the signatures of all shards to those of the collection.

use clap::Parser;
use serde::Serialize;

use super::check_merger;
use crate::error::{Result, check_count};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::content::Content;
use crate::files::manifest::StageKind;
use crate::files::output::Publisher;
use crate::files::parts::Parts;
use crate::files::paths::{self, SigPaths};
use crate::files::sig;
use crate::files::sorter::{RUN_BYTES, SortedRecords, Sorter};
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

    /// Groups equal signatures by an external sort, and restores the order of the documents by another. Memory: some hundred megabytes.
    fn run(&self, session: &Session) -> Result<Counts> {
        let parts = Parts::read(&self.parts)?;
        check_merger(&parts, "merge_sigs")?;
        let lists =
            parts.paths.iter().map(|path| SigPaths::read(path)).collect::<Result<Vec<_>>>()?;
        let files = lists.iter().flat_map(|list| &list.files);
        let listed = parts.paths.iter().flat_map(|path| paths::list_reads(path));
        let reads = listed.chain(files.clone().map(|file| (&*file.path).into()));
        let publisher = Publisher::new(session, reads);
        let is_gz = |path: &std::path::Path| path.extension().is_some_and(|name| name == "gz");
        let is_compressed = files.clone().any(|file| is_gz(&file.path));
        let (list, folder) = (&self.sig_paths, &self.sig_dir);
        let stage = Stage::begin(&publisher, list, folder, StageKind::Sig, is_compressed)?;
        drop(publisher);
        session.phase("merging", Some(files.count() as u64));
        let by_signature = self.by_signature(&parts, &lists, session)?;
        let (ordered, distinct) = self.grouped(by_signature, session)?;
        write(ordered, &stage, parts.per_file().unwrap_or(1).max(1))?;
        let documents = lists.iter().map(|list| list.documents).sum();
        let provenance = parts.provenance().count("documents", documents);
        let provenance = provenance.count("signatures", distinct);
        stage.commit(&SigPaths::header(documents, lists[0].bits, distinct), provenance)?;
        let read = (parts.paths.len() as u64, "shards");
        Ok(Counts::new(read, (distinct, "distinct signatures")))
    }
}

impl MergeSigs {
    /// Returns the lines of all parts by signature, equal ones in their order; each with its position, then its documents.
    fn by_signature(
        &self,
        parts: &Parts,
        lists: &[SigPaths],
        session: &Session,
    ) -> Result<SortedRecords> {
        let mut sorter = Sorter::new(&self.sig_paths, RUN_BYTES, session);
        let mut position = 0u64;
        let mut value = Vec::new();
        for (path, list) in parts.paths.iter().zip(lists) {
            let (mut documents, first) = (0, position);
            for file in &list.files {
                let content = Content::open(file)?;
                let mut lines = content.lines();
                while let Some(line) = lines.next_line()? {
                    let (signature, names) = sig::parse(&line)?;
                    value.clear();
                    value.extend_from_slice(&position.to_be_bytes());
                    names.iter().for_each(|name| {
                        value.push(b' ');
                        value.extend_from_slice(name.as_bytes());
                    });
                    sorter.push(signature.as_bytes(), &value)?;
                    (position, documents) = (position + 1, documents + names.len() as u64);
                }
                content.verify()?;
                session.advance(1);
            }
            check_count(path, "distinct signatures", list.distinct, position - first)?;
            check_count(path, "documents", list.documents, documents)?;
        }
        sorter.finish()
    }

    /// Joins the documents of equal signatures. Returns the lines by the position of their first document, and their number.
    fn grouped(
        &self,
        mut by_signature: SortedRecords,
        session: &Session,
    ) -> Result<(SortedRecords, u64)> {
        let (mut ordered, mut distinct) = (Sorter::new(&self.sig_paths, RUN_BYTES, session), 0);
        let mut open: Option<Group> = None;
        let mut close = |group: Option<Group>| {
            let Some(group) = group else { return Ok(()) };
            distinct += 1;
            ordered.push(&group.position, &group.line())
        };
        while let Some(record) = by_signature.next_record()? {
            let (position, names) = record.value.split_at(size_of::<u64>());
            match &mut open {
                Some(group) if group.signature == record.key => {
                    group.names.extend_from_slice(names)
                }
                _ => {
                    close(open.take())?;
                    let (signature, position) = (record.key.clone(), position.to_vec());
                    open = Some(Group { signature, position, names: names.to_vec() });
                }
            }
        }
        close(open)?;
        Ok((ordered.finish()?, distinct))
    }
}

/// A signature, the position of its first line in big-endian bytes, and the names of its documents, a space before each.
struct Group {
    signature: Vec<u8>,
    position: Vec<u8>,
    names: Vec<u8>,
}

impl Group {
    /// Returns the line of a SIG file. Names are encoded and hold no space.
    fn line(&self) -> Vec<u8> {
        let documents = memchr::memchr_iter(b' ', &self.names).count();
        let count = format!(":{documents}");
        [&self.signature, count.as_bytes(), &self.names, b"\n"].concat()
    }
}

/// Writes the SIG files.
fn write(mut lines: SortedRecords, stage: &Stage, per_file: u64) -> Result<()> {
    let (mut number, mut written, mut open) = (0, 0, None);
    while let Some(record) = lines.next_record()? {
        let file = match &mut open {
            Some(file) => file,
            open => open.insert(stage.create(number)?),
        };
        file.write(&record.value)?;
        written += 1;
        if written % per_file == 0
            && let Some(file) = open.take()
        {
            stage.keep(number, file)?;
            number += 1;
        }
    }
    open.map_or(Ok(()), |file| stage.keep(number, file))
}
