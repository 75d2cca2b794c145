//! The documents of a run: what they are called, and their vectors and signatures.

use super::{NearDups, Recipe, index};
use crate::corpus::{self, Inputs, Places, Rank, Read};
use crate::error::Result;
use crate::files::names::Names;
use crate::search::near::{self, CollectionShape};
use crate::session::Session;
use crate::signature::{SignatureSet, short_rows, sign_matrix};
use crate::vector::gather::{Gatherers, Matrix, WordVectors, merged};

/// Documents by number, the old ones first.
pub(super) struct Collection {
    pub ids: Names,
    /// Bytes of text.
    pub lengths: Vec<u64>,
    /// Equal where texts are.
    pub text_hashes: Vec<u64>,
    /// What documents can be put in order by, if that was asked for.
    pub ranks: Vec<Option<Rank>>,
    pub matrix: Matrix,
    /// The number of the first document that is not old.
    pub first_new: usize,
    /// Signatures of the first documents: of all once they are signed.
    pub signatures: SignatureSet,
    /// What is known of this run's own input.
    pub source: Source,
}

/// What is known of the input beside its documents.
#[derive(Default)]
pub(super) struct Source {
    pub places: Option<Places>,
    /// Documents of an index that were there before those that were read.
    pub before: usize,
    /// Files and records that could not be read.
    pub skipped: u64,
}

impl Collection {
    /// Reads what the task names.
    pub fn read(task: &NearDups, session: &Session) -> Result<Self> {
        let old = task.index.as_ref().map(|folder| index::read(folder, &task.recipe, session));
        let old = old.transpose()?;
        let new = Self::read_inputs(&task.inputs, &task.recipe, session)?;
        Ok(match old {
            Some(old) => old.followed_by(new),
            None => new,
        })
    }

    fn read_inputs(inputs: &Inputs, recipe: &Recipe, session: &Session) -> Result<Self> {
        let gatherers = Gatherers::new(recipe.rules);
        let read = corpus::read(inputs, session, |documents| {
            gatherers.add(documents.iter().map(|document| &*document.text))
        })?;
        session.phase("ordering words", None);
        let Read { batches, ids, lengths, text_hashes, ranks, places, first_new, skipped, .. } =
            read;
        let matrix = gatherers.matrix(batches);
        Ok(Collection {
            ids,
            lengths: lengths.into_iter().map(u64::from).collect(),
            text_hashes,
            ranks,
            matrix,
            first_new,
            signatures: SignatureSet::new(recipe.bits),
            source: Source { places: Some(places), before: 0, skipped: skipped.count() },
        })
    }

    /// These documents, which are old, and then others.
    fn followed_by(mut self, other: Collection) -> Self {
        let before = self.ids.len();
        self.ids.append(&other.ids);
        self.lengths.extend(other.lengths);
        self.text_hashes.extend(other.text_hashes);
        if !other.ranks.is_empty() {
            self.ranks.resize_with(before, || None);
        }
        self.ranks.extend(other.ranks);
        Collection {
            matrix: merged(self.matrix, other.matrix),
            first_new: before,
            source: Source { before, ..other.source },
            ..self
        }
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The vectors, of which no more is needed here, nor of their terms.
    pub fn take_vectors(&mut self) -> WordVectors {
        std::mem::take(&mut self.matrix).vectors
    }

    /// Signs the documents that have no signature yet, and tells which of all are too short for what signatures promise.
    pub fn sign(&mut self, recipe: &Recipe, session: &Session) -> Vec<u32> {
        let from = self.signatures.len();
        session.phase("signing", Some((self.len() - from) as u64));
        let Matrix { vectors, terms } = &self.matrix;
        let numbers = terms.row_numbers();
        let signed = sign_matrix(vectors, &numbers, recipe.bits, recipe.seed, from, session);
        self.signatures.append(&signed.signatures);
        let mut short = short_rows(vectors, from);
        short.extend(signed.short);
        short
    }

    /// What a plan needs to know.
    pub fn shape(&self) -> CollectionShape {
        let documents = self.len();
        CollectionShape {
            documents: documents as u64,
            new_documents: (documents - self.first_new) as u64,
            signed_documents: self.signatures.len() as u64,
            terms_per_document: self.matrix.vectors.components() as f64
                / (documents as f64).max(1.0),
            background: near::background(&self.matrix.vectors),
            threads: rayon::current_num_threads(),
        }
    }
}
