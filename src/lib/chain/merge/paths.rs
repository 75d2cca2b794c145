//! `merge_paths`: the lists of BOW, VEC and PRINT files of all shards to one list, and their id files to one.

use std::path::Path;

use clap::Parser;
use serde::Serialize;

use super::check_merger;
use super::lines::{LineCopy, for_each_file};
use crate::error::{Error, Result, check_count};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::content::Content;
use crate::files::ids;
use crate::files::manifest::{DataFile, Provenance, StageKind};
use crate::files::output::Publisher;
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
        let mut copy = LineCopy::new(&stage, parts.per_file());
        for_each_file(&list.files, |file, _, is_last| {
            session.advance(1);
            copy.add(file, is_last)
        })?;
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
