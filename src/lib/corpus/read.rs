//! Everything that is read, and what is remembered of it.

use xxhash_rust::xxh3::xxh3_64;

use super::batch::Batch;
use super::drive::{Made, drive};
use super::find::{self, Found};
use super::skip::Skipped;
use super::source::{Kind, Source};
use super::{Document, Inputs, Places, Rank, unique};
use crate::error::{Error, Result};
use crate::files::names::Names;
use crate::session::Session;

/// What was read. Documents are numbered from 0 in reading order; the lists have one entry for each.
#[derive(Debug)]
pub struct Read<T> {
    /// What the work made of each batch, in order.
    pub batches: Vec<T>,
    /// The documents' ids, each of them once.
    pub ids: Names,
    /// The bytes of their texts; those of a text of 4 GB and more are `u32::MAX`.
    pub lengths: Vec<u32>,
    /// XXH3 (64 bits) of their texts: equal for exact copies.
    pub text_hashes: Vec<u64>,
    /// What they can be put in order by; empty if that was not asked for.
    pub ranks: Vec<Option<Rank>>,
    /// Where they stand.
    pub places: Places,
    /// The number of the first new document.
    pub first_new: usize,
    /// What could not be read.
    pub skipped: Skipped,
    /// The bytes that were read, decompressed.
    pub bytes: u64,
}

/// Reads everything once. `work` gets the documents of one batch at a time, about 64 kilobytes of text or 64 of them, and is called by several threads in
/// any order. That there is no document at all is an error.
pub fn read<T: Send>(
    inputs: &Inputs,
    session: &Session,
    work: impl Fn(&[Document<'_>]) -> T + Sync,
) -> Result<Read<T>> {
    let Found { sources, skips, bytes } = find::sources(inputs)?;
    let has_streams = sources.iter().any(|source| source.is_stream);
    session.phase("reading documents", (!has_streams).then_some(bytes));
    let mut read = Read::new();
    skips.into_iter().for_each(|skip| read.skipped.add(skip, session));
    let (mut guessed, mut kinds) = (0, Vec::new());
    let has_ranks = inputs.rank_field.is_some();
    let work = |batch: &Batch<'_>| (Facts::of(&batch.documents, has_ranks), work(&batch.documents));
    drive(inputs, &sources, session, work, |made| {
        guessed += made.guessed;
        kinds.extend(made.kinds.iter().filter(|(source, _)| sources[*source].kind == Kind::Unseen));
        read.add(made, &sources, session);
        Ok(())
    })?;
    read.places.finish(sources, &kinds);
    read.skipped.finish(session);
    tell_guessed(guessed, session);
    read.check(inputs)?;
    Ok(read)
}

fn tell_guessed(documents: u64, session: &Session) {
    if documents > 0 {
        session.info(&format!("{documents} documents were not UTF-8; their encoding was guessed"));
    }
}

/// What is remembered of the documents of a batch.
struct Facts {
    ids: Names,
    lengths: Vec<u32>,
    text_hashes: Vec<u64>,
    ranks: Vec<Option<Rank>>,
}

impl Facts {
    fn of(documents: &[Document<'_>], has_ranks: bool) -> Self {
        let length = |d: &Document<'_>| u32::try_from(d.text.len()).unwrap_or(u32::MAX);
        let ranked = if has_ranks { documents } else { &[] };
        Facts {
            ids: documents.iter().map(|document| &*document.id).collect(),
            lengths: documents.iter().map(length).collect(),
            text_hashes: documents.iter().map(|d| xxh3_64(d.text.as_bytes())).collect(),
            ranks: ranked.iter().map(|document| document.rank.clone()).collect(),
        }
    }
}

impl<T> Read<T> {
    fn new() -> Self {
        Read {
            batches: Vec::new(),
            ids: Names::default(),
            lengths: Vec::new(),
            text_hashes: Vec::new(),
            ranks: Vec::new(),
            places: Places::default(),
            first_new: 0,
            skipped: Skipped::default(),
            bytes: 0,
        }
    }

    fn add(&mut self, made: Made<(Facts, T)>, sources: &[Source], session: &Session) {
        let Made { result, spots, skips, bytes, .. } = made;
        for spot in spots {
            self.first_new += usize::from(!sources[spot.source].is_new);
            self.places.push(spot);
        }
        if let Some((facts, batch)) = result {
            self.ids.append(&facts.ids);
            self.lengths.extend(facts.lengths);
            self.text_hashes.extend(facts.text_hashes);
            self.ranks.extend(facts.ranks);
            self.batches.push(batch);
        }
        skips.into_iter().for_each(|skip| self.skipped.add(skip, session));
        self.bytes += bytes;
    }

    /// There must be documents, and no id twice.
    fn check(&self, inputs: &Inputs) -> Result<()> {
        if !self.ids.is_empty() {
            return unique::check(&self.ids, self.first_new, &self.places);
        }
        let named: Vec<String> = inputs.paths.iter().map(|p| p.display().to_string()).collect();
        let why = match self.skipped.first.first() {
            Some(skip) => format!(" that can be read: {skip}"),
            None => String::new(),
        };
        Err(Error::Message(format!("{}: no document{why}", named.join(", "))))
    }
}
