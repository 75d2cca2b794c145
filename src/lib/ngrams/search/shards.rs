//! Parts of a search, made with `--shard I/N`: consecutive documents, whose results are joined without a merger. Parts of a file follow each other; folders have
//! no name in common.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::executable::NgramSearch;
use super::results::{SearchForm, base_name, free_name};
use crate::corpus::{self, InputDocument, InputFiles, InputFormat, Inputs};
use crate::error::{Error, Result};
use crate::files::names::Names;
use crate::ngrams::identity::Identities;
use crate::ngrams::rules::NgramPreset;
use crate::session::Session;
use crate::shard::Shard;

/// Where the results of a run go.
#[derive(Debug, Default)]
pub(super) struct ResultTarget {
    pub path: PathBuf,
    /// Whether it is a folder with one file per document.
    pub is_folder: bool,
    /// Names in the folder that belong to documents of earlier parts.
    pub taken: BTreeSet<PathBuf>,
}

impl NgramSearch {
    /// Returns the file or folder of the results.
    ///
    /// # Errors
    /// With a part of the documents, a form whose files cannot be joined, or documents to add.
    pub(super) fn target(&self) -> Result<ResultTarget> {
        let is_folder_name = self.out.as_os_str().as_encoded_bytes().ends_with(b"/");
        let path = self.shards.path("out", &self.out)?;
        let is_folder = is_folder_name || self.out.is_dir() || path.is_dir();
        if self.shards.shard.is_some() {
            self.check_part(is_folder)?;
        }
        Ok(ResultTarget { path, is_folder, taken: BTreeSet::new() })
    }

    fn check_part(&self, is_folder: bool) -> Result<()> {
        let form = self.search_form;
        if !is_folder && !matches!(form, SearchForm::Text | SearchForm::Jsonl) {
            let form = format!("{form:?}").to_lowercase();
            return Err(Error::Usage(format!(
                "--shard: expected a folder of results with --format {form}, found a file, whose parts cannot be joined: write them with --out FOLDER/"
            )));
        }
        let why = "a shard would find the documents of others";
        if self.add {
            let hint = "add them with ngram_index add after the search";
            return Err(Error::Usage(format!("--add excludes --shard: {why}; {hint}")));
        }
        if self.preset == NgramPreset::Mensik {
            let adds = "--preset mensik adds the documents to the index and excludes --shard";
            let hint = "set --accuracy 20 --min_run 0 in its place";
            return Err(Error::Usage(format!("{adds}: {why}; {hint}")));
        }
        Ok(())
    }

    /// Returns the documents to search, out of `all`. A part may have none.
    pub(super) fn part(
        &self,
        inputs: &mut Inputs,
        all: InputFiles,
        target: &mut ResultTarget,
        session: &Session,
    ) -> Result<InputFiles> {
        let Some(shard) = self.shards.shard else { return Ok(all) };
        inputs.may_be_empty = true;
        if target.is_folder {
            target.taken = self.taken_names(shard, inputs, &all, session)?;
        }
        all.part(shard, inputs)
    }

    /// Returns the names of the results of all documents before a part. Reads these documents, unless each is a file and no two have the same name.
    fn taken_names(
        &self,
        shard: Shard,
        inputs: &Inputs,
        all: &InputFiles,
        session: &Session,
    ) -> Result<BTreeSet<PathBuf>> {
        let (form, mut names) = (self.search_form, BTreeSet::new());
        let before = all.before(shard, inputs)?;
        if shard.index() == 1 || self.has_unique_names(all) {
            return Ok(names);
        }
        session.phase("naming documents", None);
        let identities = Identities::new(&self.prefix, &before, self.inputs.follow);
        let name = |document: &InputDocument<'_>| {
            form.file_name(&document.id, &identities.entry(document))
        };
        let work = |documents: &[InputDocument<'_>]| {
            (Names::default(), documents.iter().map(name).collect::<Vec<String>>())
        };
        corpus::scan(inputs, before, None, &session.quiet(), work, |found, _| {
            found.iter().for_each(|name| _ = free_name(name, form.extension(), &mut names));
            Ok(Vec::new())
        })?;
        Ok(names)
    }

    /// Returns whether all documents are known to have different names without reading them: texts, each a file.
    fn has_unique_names(&self, all: &InputFiles) -> bool {
        // Other files may hold several documents.
        if self.inputs.format != InputFormat::Text {
            return false;
        }
        let identities = Identities::new(&self.prefix, all, self.inputs.follow);
        let (form, mut names) = (self.search_form, BTreeSet::new());
        all.file_names().enumerate().all(|(source, id)| {
            let name = form.file_name(&id, &identities.file_entry(source));
            names.insert(base_name(&name))
        })
    }
}
