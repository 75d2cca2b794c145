//! The documents of a run: ids and vectors.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;
use twox_hash::XxHash3_64;

use super::{SearchOptions, index};
use crate::corpus::{self, Documents, Inputs, Places, SortKey};
use crate::error::{Error, Result, excerpt};
use crate::files::names::Names;
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
    /// Hash of each text: equal for equal texts.
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
}

impl Collection {
    /// Reads the documents of the index, if any, then those of the inputs.
    pub fn read(
        inputs: &Inputs,
        index: Option<&Path>,
        options: &SearchOptions,
        session: &Session,
    ) -> Result<Self> {
        let indexed = index.map(|folder| index::read(folder, options, session)).transpose()?;
        let new = Self::read_inputs(inputs, options, session)?;
        match indexed {
            Some(indexed) => indexed.followed_by(new).checked(),
            None => new.checked(),
        }
    }

    /// Checks that the search can number all components.
    fn checked(self) -> Result<Self> {
        let components = self.matrix.vectors.components();
        u32::try_from(components).map(|_| self).map_err(|_| {
            let limit = "expected fewer than 4294967296 distinct words, summed over all documents";
            Error::Message(format!("{limit}, found {components}; search parts of the collection"))
        })
    }

    fn read_inputs(inputs: &Inputs, options: &SearchOptions, session: &Session) -> Result<Self> {
        let builder = MatrixBuilder::new(options.term_rules());
        let read = corpus::read(inputs, session, |documents| {
            builder.add(documents.iter().map(|document| &*document.text))
        })?;
        session.phase("ordering words", None);
        let Documents { batches, ids, lengths, text_hashes, places, first_new, skipped, .. } = read;
        let matrix = builder.finish(&batches);
        Ok(Collection {
            ids,
            lengths: lengths.into_iter().map(u64::from).collect(),
            text_hashes,
            ranks: read.sort_keys,
            matrix,
            first_new,
            source: Source { places: Some(places), indexed: 0, skipped: skipped.count() },
        })
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
                text_hashes.push(XxHash3_64::oneshot(text.as_ref().as_bytes()));
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
            source: Source { indexed, ..other.source },
            ..self
        }
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.ids.len()
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
