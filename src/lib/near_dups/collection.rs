//! The documents of a run: ids and vectors.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::summary::grouped;
use super::{SearchOptions, index};
use crate::corpus::{self, BLANK_HASH, Documents, InputFiles, Inputs, Places, SortKey, text_hash};
use crate::error::{Error, Result, excerpt};
use crate::executable::counted;
use crate::files::index::LastRun;
use crate::files::manifest::{Digest, Hasher};
use crate::files::names::Names;
use crate::pool::ObjectPool;
use crate::prints::{PrintTable, Printer};
use crate::session::Session;
use crate::vector::gather::{MatrixBuilder, TermMatrix, WordVectors, merge};

/// Texts that one thread counts at a time.
const TEXTS_PER_BATCH: usize = 64;
/// Batches of texts that are drawn from an iterator at once.
const BATCHES_PER_WAVE: usize = 64;

/// Documents by number, existing ones first.
pub(super) struct Collection {
    pub ids: Names,
    /// Length of each text in bytes.
    pub lengths: Vec<u64>,
    /// Hash of each text: equal for equal texts, and for all blank texts.
    pub text_hashes: Vec<u64>,
    /// Value of the field that documents are ranked by, if any.
    pub ranks: Vec<Option<SortKey>>,
    pub matrix: TermMatrix,
    /// Number of the first new document.
    pub first_new: usize,
    pub source: Source,
}

/// What is known of the input besides its documents.
#[derive(Default)]
pub(super) struct Source {
    pub places: Option<Places>,
    /// Number of documents that came from an index.
    pub indexed: usize,
    /// Number of unreadable files and records.
    pub skipped: u64,
    /// New documents that the index has already: same id, same text.
    pub known: FxHashSet<usize>,
    /// Whether the new documents are those of the run that wrote the index.
    pub is_repeated: bool,
}

impl Collection {
    /// Reads the documents of the index, if any, then those of the inputs. `updates` tells whether the index will be replaced by one of all
    /// documents: then documents that the last run added are left out of it if the new documents are those of the last run.
    pub fn read(
        inputs: &Inputs,
        files: InputFiles,
        index: Option<&Path>,
        updates: bool,
        options: &SearchOptions,
        session: &Session,
    ) -> Result<Self> {
        let indexed = index.map(|folder| index::read(folder, options, session)).transpose()?;
        let new = Self::read_inputs(inputs, files, options, session)?;
        let Some((mut indexed, last_run)) = indexed else { return new.checked() };
        let last_run = last_run.filter(|last| updates && new.is_of_run(last));
        if let Some(last) = &last_run {
            indexed.truncate(indexed.len().saturating_sub(last.added as usize));
        }
        let mut all = indexed.followed_by(new);
        all.source.is_repeated = last_run.is_some();
        all.report_known(session);
        all.checked()
    }

    /// Returns whether the documents are those that a run added to an index.
    fn is_of_run(&self, last_run: &LastRun) -> bool {
        self.len() as u64 == last_run.documents && self.digest_of_new() == last_run.digest
    }

    /// Returns the digest of the ids and text hashes of the new documents.
    pub fn digest_of_new(&self) -> Digest {
        let mut hasher = Hasher::default();
        for number in self.first_new..self.len() {
            hasher.update(self.ids.get(number).as_bytes());
            // No id contains this byte, which is never part of UTF-8.
            hasher.update(&[0xff]);
            hasher.update(&self.text_hashes[number].to_le_bytes());
        }
        hasher.digest()
    }

    /// Keeps the first documents only. The document frequencies of terms stay: no similarity depends on them.
    fn truncate(&mut self, documents: usize) {
        self.ids.truncate(documents);
        self.lengths.truncate(documents);
        self.text_hashes.truncate(documents);
        self.matrix.vectors.truncate(documents);
        self.first_new = documents;
    }

    fn report_known(&self, session: &Session) {
        let count = (self.len() - self.first_new) as u64;
        let new = counted(count, "new documents");
        if self.source.is_repeated {
            let verb = if count == 1 { "is the one" } else { "are those" };
            let what = "that the last run added to the index: its results are repeated";
            session.info(&format!("the {new} {verb} {what}"));
        } else if !self.source.known.is_empty() {
            let known = self.source.known.len() as u64;
            let verb = if known == 1 { "is" } else { "are" };
            session.info(&format!("{} of {new} {verb} already in the index", grouped(known)));
        }
    }

    /// Checks that the search can number all components.
    fn checked(self) -> Result<Self> {
        let components = self.matrix.vectors.components();
        u32::try_from(components).map(|_| self).map_err(|_| {
            let limit = "expected fewer than 4294967296 distinct words, summed over all documents";
            Error::Message(format!("{limit}, found {components}; search it in shards (--shard)"))
        })
    }

    fn read_inputs(
        inputs: &Inputs,
        files: InputFiles,
        options: &SearchOptions,
        session: &Session,
    ) -> Result<Self> {
        let builder = MatrixBuilder::new(options.term_rules());
        let read = corpus::read(inputs, files, session, |documents| {
            builder.add(documents.iter().map(|document| &*document.text))
        })?;
        session.phase("ordering words", None);
        let (batches, collection) = Self::of_documents(read, TermMatrix::default());
        Ok(Collection { matrix: builder.finish(&batches), ..collection })
    }

    /// Reads the documents of the inputs, and prints them.
    pub fn read_prints(
        inputs: &Inputs,
        files: InputFiles,
        printer: &Printer,
        session: &Session,
    ) -> Result<(Self, PrintTable)> {
        let scratches = ObjectPool::default();
        let read = corpus::read(inputs, files, session, |documents| {
            let create = || printer.scratch(session.cpu());
            scratches.with(create, |scratch| {
                let mut table = PrintTable::default();
                for document in documents {
                    table.push_with(|print| printer.append(&document.text, scratch, print));
                }
                table
            })
        })?;
        let mut prints = PrintTable::default();
        let (batches, collection) = Self::of_documents(read, TermMatrix::default());
        batches.iter().for_each(|table| prints.append(table));
        Ok((collection, prints))
    }

    /// Returns a collection of documents and the results of the work on them.
    fn of_documents<T>(read: Documents<T>, matrix: TermMatrix) -> (Vec<T>, Self) {
        let Documents { batches, ids, lengths, text_hashes, places, first_new, skipped, .. } = read;
        let source = Source { places: Some(places), skipped: skipped.count(), ..Source::default() };
        let collection = Collection {
            ids,
            lengths: lengths.into_iter().map(u64::from).collect(),
            text_hashes,
            ranks: read.sort_keys,
            matrix,
            first_new,
            source,
        };
        (batches, collection)
    }

    /// Collects documents given as (id, text). The texts are drawn on the calling thread and counted on the session's threads.
    pub fn from_texts<I: AsRef<str>, T: AsRef<str> + Send + Sync>(
        documents: impl IntoIterator<Item = (I, T)>,
        options: &SearchOptions,
        session: &Session,
    ) -> Result<Self> {
        let builder = MatrixBuilder::new(options.term_rules());
        let (mut ids, mut lengths, mut text_hashes) = (Names::default(), Vec::new(), Vec::new());
        let mut batches = Vec::new();
        let mut documents = documents.into_iter();
        loop {
            let mut texts = Vec::new();
            for (id, text) in documents.by_ref().take(TEXTS_PER_BATCH * BATCHES_PER_WAVE) {
                ids.push(id.as_ref());
                lengths.push(text.as_ref().len() as u64);
                text_hashes.push(text_hash(text.as_ref()));
                texts.push(text);
            }
            if texts.is_empty() {
                break;
            }
            let wave = || texts.par_chunks(TEXTS_PER_BATCH).map(|batch| builder.add(batch));
            batches.extend(session.install(|| wave().collect::<Vec<_>>()));
        }
        check_unique(&ids)?;
        let collection = Collection {
            ids,
            lengths,
            text_hashes,
            ranks: Vec::new(),
            matrix: session.install(|| builder.finish(&batches)),
            first_new: 0,
            source: Source::default(),
        };
        collection.checked()
    }

    /// Appends other documents; these become existing ones.
    fn followed_by(mut self, other: Collection) -> Self {
        let indexed = self.ids.len();
        let known = self.known(&other).map(|number| indexed + number).collect();
        self.ids.append(&other.ids);
        self.lengths.extend(other.lengths);
        self.text_hashes.extend(other.text_hashes);
        if !other.ranks.is_empty() {
            self.ranks.resize_with(indexed, || None);
        }
        self.ranks.extend(other.ranks);
        Collection {
            matrix: merge(self.matrix, other.matrix),
            first_new: indexed,
            source: Source { indexed, known, ..other.source },
            ..self
        }
    }

    /// Returns the documents of another collection that this one has, with the same ids and texts.
    fn known(&self, other: &Collection) -> impl Iterator<Item = usize> {
        let text = |of: &Collection, number: usize| (of.text_hashes[number], of.lengths[number]);
        let by_text: FxHashMap<(u64, u64), Vec<usize>> =
            (0..other.len()).fold(FxHashMap::default(), |mut map, number| {
                map.entry(text(other, number)).or_insert_with(Vec::new).push(number);
                map
            });
        (0..self.len()).filter_map(move |number| {
            let id = self.ids.get(number);
            let same = by_text.get(&text(self, number))?;
            same.iter().copied().find(|same| other.ids.get(*same) == id)
        })
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether a text is blank: it consists of white space, if of anything.
    pub fn is_blank(&self, document: usize) -> bool {
        self.text_hashes[document] == BLANK_HASH
    }

    /// Returns whether two texts are equal: their hashes and lengths are.
    pub fn are_equal(&self, one: usize, other: usize) -> bool {
        let facts = |document: usize| (self.text_hashes[document], self.lengths[document]);
        facts(one) == facts(other)
    }

    /// Takes the vectors out; terms are dropped.
    pub fn take_vectors(&mut self) -> WordVectors {
        std::mem::take(&mut self.matrix).vectors
    }
}

fn check_unique(ids: &Names) -> Result<()> {
    let mut seen = HashSet::with_capacity(ids.len());
    match ids.iter().find(|id| !seen.insert(*id)) {
        Some(id) => Err(Error::Message(format!("duplicate document name {}", excerpt(id)))),
        None => Ok(()),
    }
}
