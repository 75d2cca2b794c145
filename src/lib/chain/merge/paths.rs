//! `merge_paths`: the lists of BOW, VEC and PRINT files of all shards to one list, and their id files to one.

use std::path::Path;

use clap::Parser;
use rayon::prelude::*;
use serde::Serialize;

use super::check_merger;
use crate::error::{Error, Result, check_count};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::content::Content;
use crate::files::ids;
use crate::files::manifest::{DataFile, Provenance, StageKind};
use crate::files::output::{Output, Publisher};
use crate::files::parts::Parts;
use crate::files::paths::{self, BowPaths, PrintPaths, VecPaths};
use crate::files::stage::Stage;
use crate::session::Session;

/// Merges the shards of create_bows, create_vecs or create_prints into the output of the whole stage: data files, list and manifest. The new data files
/// are beside those of the shards. Shards of an id file become one id file
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "merge_paths", version, rename_all = "snake_case")]
pub struct MergePaths {
    /// List or id file of a shard (NAME.I-of-N), all N of them in any order
    #[arg(value_name = "PART", required = true, help_heading = "Input")]
    pub parts: Vec<FlagPath>,
    /// Write the list, or the id file, to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
}

impl Executable for MergePaths {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Merge the bags of words of 8 shards", "merge_paths --out bow_paths bow_paths.*-of-8"),
        ("Merge their id files", "merge_paths --out ids ids.*-of-8"),
    ];

    /// Merges the parts. Memory: some data files.
    fn run(&self, session: &Session) -> Result<Counts> {
        let parts = Parts::read(&self.parts)?;
        check_merger(&parts, "merge_paths")?;
        match parts.kind() {
            StageKind::Ids => self.merge_ids(&parts, session),
            _ => self.merge_lists(&parts, session),
        }
    }
}

/// What the lists of all parts make together.
struct MergedList {
    header: String,
    documents: u64,
    files: Vec<DataFile>,
    provenance: Provenance,
}

impl MergePaths {
    fn merge_lists(&self, parts: &Parts, session: &Session) -> Result<Counts> {
        let list = MergedList::read(parts)?;
        let data = list.files.first().map(|file| &*file.path);
        let Some(data) = data else {
            return Err(Error::Message("the shards have no document".into()));
        };
        let publisher =
            Publisher::new(session, parts.paths.iter().flat_map(|path| paths::list_reads(path)));
        let is_compressed = data.extension().is_some_and(|extension| extension == "gz");
        let folder = data.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let stage = Stage::begin(&publisher, &self.out, folder, parts.kind(), is_compressed)?;
        drop(publisher);
        stage.check_other_names(&list.files)?;
        session.phase("merging", Some(list.files.len() as u64));
        let mut copy = Copy::new(&stage, parts.per_file());
        let (mut next, mut rest) = read_some(&list.files)?;
        while !next.is_empty() {
            // The next files are read while these are written.
            let (written, read) = rayon::join(
                || {
                    let is_last = |number: usize| rest.is_empty() && number + 1 == next.len();
                    next.iter().enumerate().try_for_each(|(number, file)| {
                        session.advance(1);
                        copy.add(file, is_last(number))
                    })
                },
                || read_some(rest),
            );
            written?;
            (next, rest) = read?;
        }
        let copied = copy.finish()?;
        check_count(&parts.paths[0], "documents", list.documents, copied)?;
        stage.commit(&list.header, list.provenance)?;
        let read = (parts.paths.len() as u64, "shards");
        Ok(Counts::new(read, (list.documents, "documents")))
    }

    /// Joins id files, whose numbers must go on from part to part.
    fn merge_ids(&self, parts: &Parts, session: &Session) -> Result<Counts> {
        let publisher =
            Publisher::new(session, parts.paths.iter().flat_map(|path| paths::list_reads(path)));
        let mut out = publisher.create(&self.out)?;
        let mut next = 1;
        for (path, manifest) in parts.paths.iter().zip(&parts.manifests) {
            let content = Content::open(&manifest.only_file(path))?;
            content.verify()?;
            next = ids::check_numbers(&content, next)?;
            out.write(content.bytes())?;
        }
        publisher.publish(vec![vec![out.close()?]])?;
        let read = (parts.paths.len() as u64, "shards");
        Ok(Counts::new(read, (next - 1, "documents")))
    }
}

impl MergedList {
    fn read(parts: &Parts) -> Result<Self> {
        let provenance = parts.provenance();
        let (mut documents, mut files) = (0, Vec::new());
        let mut add = |count: u64, more: Vec<DataFile>| {
            documents += count;
            files.extend(more);
        };
        let (mut per_file, mut terms) = (0, 0);
        let mut header: Box<dyn Fn(u64) -> String> = Box::new(BowPaths::header);
        for path in &parts.paths {
            match parts.kind() {
                StageKind::Vec => {
                    let list = VecPaths::read(path)?;
                    (per_file, terms) = (list.per_file.max(per_file), list.terms);
                    let (weighting, most) = (list.weighting, per_file);
                    header = Box::new(move |documents| {
                        VecPaths::header(weighting, terms, documents, most)
                    });
                    add(list.documents, list.files);
                }
                StageKind::Print => {
                    let list = PrintPaths::read(path)?;
                    let (method, agreement) = (list.method, list.agreement);
                    header = Box::new(move |documents| {
                        PrintPaths::header(documents, &method, agreement)
                    });
                    add(list.documents, list.files);
                }
                _ => {
                    let list = BowPaths::read(path)?;
                    add(list.documents, list.files);
                }
            }
        }
        let mut provenance = provenance.count("documents", documents);
        if parts.kind() == StageKind::Vec {
            provenance = provenance.count("terms", terms as u64);
        }
        Ok(MergedList { header: header(documents), documents, files, provenance })
    }
}

/// Bytes of the files that are read at the same time, unless a single one is larger.
const MAX_READ_BYTES: u64 = 1 << 25;

/// A data file, and its content, which is verified.
struct ReadFile<'f> {
    file: &'f DataFile,
    content: Content,
}

/// Reads the first files on all threads. Returns them and the others.
fn read_some(files: &[DataFile]) -> Result<(Vec<ReadFile<'_>>, &[DataFile])> {
    let mut bytes = 0;
    let fits = |file: &&DataFile| {
        bytes += file.digest().map_or(MAX_READ_BYTES, |digest| digest.bytes);
        bytes <= MAX_READ_BYTES
    };
    let count = files.iter().take_while(fits).count().max(1).min(files.len());
    let (first, others) = files.split_at(count);
    let read = |file| {
        let content = Content::open(file)?;
        content.verify()?;
        Ok(ReadFile { file, content })
    };
    Ok((first.par_iter().map(read).collect::<Result<_>>()?, others))
}

/// Copies the lines of data files to those of a stage. A file that is one of the stage's as it is gets a second name in place of a copy.
struct Copy<'s> {
    stage: &'s Stage,
    /// Lines per file; `None` keeps the files as they are.
    per_file: Option<u64>,
    open: Option<Output>,
    /// Number of the current file, from 0, and of its lines.
    number: usize,
    lines: u64,
    copied: u64,
}

impl<'s> Copy<'s> {
    fn new(stage: &'s Stage, per_file: Option<u64>) -> Self {
        Copy { stage, per_file, open: None, number: 0, lines: 0, copied: 0 }
    }

    /// Adds the lines of a file, which may be the last.
    fn add(&mut self, file: &ReadFile<'_>, is_last: bool) -> Result<()> {
        let mut bytes = file.content.bytes();
        let (_, lines) = first_lines(bytes, u64::MAX);
        let is_whole = self.lines == 0
            && lines > 0
            && self
                .per_file
                .is_none_or(|per_file| lines == per_file || (is_last && lines < per_file));
        if is_whole && self.stage.link(self.number, file.file)? {
            (self.number, self.copied) = (self.number + 1, self.copied + lines);
            return Ok(());
        }
        while !bytes.is_empty() {
            let (length, lines) = match self.per_file {
                Some(per_file) => first_lines(bytes, per_file - self.lines),
                None => first_lines(bytes, u64::MAX),
            };
            let file = match &mut self.open {
                Some(file) => file,
                open => open.insert(self.stage.create(self.number)?),
            };
            file.write(&bytes[..length])?;
            (self.lines, self.copied) = (self.lines + lines, self.copied + lines);
            bytes = &bytes[length..];
            if self.per_file.is_none_or(|per_file| self.lines == per_file) {
                self.close()?;
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if let Some(file) = self.open.take() {
            self.stage.keep(self.number, file)?;
            (self.number, self.lines) = (self.number + 1, 0);
        }
        Ok(())
    }

    /// Completes the last file and returns the number of lines.
    fn finish(mut self) -> Result<u64> {
        self.close()?;
        Ok(self.copied)
    }
}

/// Returns the length of the first lines, at most `count`, and their number.
fn first_lines(bytes: &[u8], count: u64) -> (usize, u64) {
    let mut ends =
        memchr::memchr_iter(b'\n', bytes).take(usize::try_from(count).unwrap_or(usize::MAX));
    let (mut length, mut lines) = (0, 0);
    for end in ends.by_ref() {
        (length, lines) = (end + 1, lines + 1);
    }
    (length, lines)
}
