//! Adds documents to an index.

use super::grams::{NgramLengths, document_hashes};
use super::identity::Identities;
use super::kinds::NgramKind;
use super::normalizer::{NormalText, Normalizer};
use super::repeats::SeenIdentities;
use super::stems::StemHasher;
use super::store::{CatalogueEntry, IndexParameters, NewDocument, NgramWriter};
use crate::corpus::{self, DeferredWork, InputDocument, InputFiles, Inputs, Listing};
use crate::error::{Error, Result, excerpt};
use crate::files::names::Names;
use crate::pool::ObjectPool;
use crate::session::Session;

/// What happens to a document whose identity the index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatPolicy {
    /// The user is asked; without a terminal it is an error.
    Ask,
    /// It replaces the older one.
    Replace,
    /// The older one stays.
    Skip,
}

/// Answers of the user.
const ANSWERS: [&str; 4] = ["yes", "no", "all", "skip all"];

/// How documents are added.
pub struct AddOptions<'a> {
    /// What precedes paths and ids.
    pub prefix: &'a str,
    /// Lengths of n-grams.
    pub lengths: NgramLengths,
    /// Rules.
    pub parameters: IndexParameters,
    /// What happens to repeated documents.
    pub repeated: RepeatPolicy,
    /// Whether the documents are a part of those of the index, and keep repeated identities: the merge of all parts numbers them.
    pub is_part: bool,
}

/// Counts of an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddedCounts {
    /// Documents read.
    pub read: u64,
    /// Documents added, replacements included.
    pub added: u64,
    /// Documents that replaced others.
    pub replaced: u64,
    /// Documents that were in the index.
    pub skipped: u64,
    /// Documents without an n-gram of any length.
    pub without_ngrams: u64,
    /// Unreadable files and records.
    pub unreadable: u64,
}

/// Adds all documents of the inputs to the changes of a writer. Memory: about 200 MB per thread, or 25 times
/// its largest text if that is more, and the identities.
pub fn add_documents(
    writer: &mut dyn NgramWriter,
    inputs: &Inputs,
    files: InputFiles,
    options: &AddOptions<'_>,
    session: &Session,
) -> Result<AddedCounts> {
    writer.set_parameters(options.parameters.clone())?;
    let names = Identities::new(options.prefix, &files, inputs.args.follow);
    let normalizer = Normalizer::new(&options.parameters.config);
    let texts: ObjectPool<NormalText> = ObjectPool::default();
    let stems = options.parameters.stems.then(StemHasher::default);
    let work = |documents: &[InputDocument<'_>]| {
        let new = documents.iter().map(|document| {
            let rules = normalizer.of_type(&names.extension(document));
            let mut entry = names.stored_entry(document);
            texts.with(NormalText::default, |normal| {
                rules.normalize(&document.text, normal);
                entry.words = normal.len() as u64;
                let window = options.parameters.winnow;
                let lengths = &options.lengths;
                let hashes = document_hashes(normal, rules, lengths, window, stems.as_ref());
                NewDocument { entry, hashes }
            })
        });
        (Names::default(), new.collect::<Vec<NewDocument>>())
    };
    let mut adder = Adder::new(writer, options, session);
    let listing =
        corpus::scan(inputs, files, None, session, work, |documents, _| adder.add(documents))?;
    let Listing { documents, skipped, .. } = listing;
    let (read, unreadable) = (documents as u64, skipped.count());
    Ok(AddedCounts { read, unreadable, ..adder.counts })
}

/// Decides what is added, in the order of the inputs.
struct Adder<'w> {
    writer: &'w mut dyn NgramWriter,
    repeated: RepeatPolicy,
    session: &'w Session,
    /// Identities of this run.
    seen: SeenIdentities,
    is_part: bool,
    counts: AddedCounts,
}

impl<'w> Adder<'w> {
    fn new(
        writer: &'w mut dyn NgramWriter,
        options: &AddOptions<'_>,
        session: &'w Session,
    ) -> Self {
        let (seen, counts) = (SeenIdentities::default(), AddedCounts::default());
        let AddOptions { repeated, is_part, .. } = *options;
        Adder { writer, repeated, session, seen, is_part, counts }
    }

    fn add<'s>(&mut self, documents: Vec<NewDocument>) -> Result<Vec<DeferredWork<'s>>> {
        let mut kept = Vec::with_capacity(documents.len());
        for mut document in documents {
            if !self.takes(&mut document.entry)? {
                self.counts.skipped += 1;
                continue;
            }
            self.counts.added += 1;
            let is_word_kind = |key: usize| NgramKind::of_key(key).length().is_some();
            let mut words = document.hashes.iter().filter(|(key, _)| is_word_kind(*key));
            let has_none = words.all(|(_, hashes)| hashes.is_empty());
            self.counts.without_ngrams += u64::from(has_none);
            if has_none {
                self.session.detail(&format!("{}: no n-gram", document.entry.id));
            }
            kept.push(document);
        }
        let deferred = self.writer.add(kept)?;
        Ok(deferred.into_iter().map(|work| work as DeferredWork<'s>).collect())
    }

    /// Returns whether a document is added, with the identity that it has then.
    fn takes(&mut self, entry: &mut CatalogueEntry) -> Result<bool> {
        if self.is_part {
            return Ok(true);
        }
        if self.seen.is_repeated_file(entry) {
            return Ok(false);
        }
        self.seen.number(entry, |_| Ok(false))?;
        self.wants(entry)
    }

    /// Returns whether a document is added. An older one is removed then.
    fn wants(&mut self, entry: &CatalogueEntry) -> Result<bool> {
        let Some(store) = self.writer.store() else { return Ok(true) };
        let Some(old) = store.find(&entry.id)? else { return Ok(true) };
        if !self.replaces(&entry.id)? {
            return Ok(false);
        }
        self.counts.replaced += 1;
        self.writer.remove(old)?;
        Ok(true)
    }

    fn replaces(&mut self, id: &str) -> Result<bool> {
        match self.repeated {
            RepeatPolicy::Replace => return Ok(true),
            RepeatPolicy::Skip => return Ok(false),
            RepeatPolicy::Ask => {}
        }
        let question = format!("{} is in the index already. Index it again?", excerpt(id));
        match self.session.ask(&question, &ANSWERS) {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            Some(2) => {
                self.repeated = RepeatPolicy::Replace;
                Ok(true)
            }
            Some(_) => {
                self.repeated = RepeatPolicy::Skip;
                Ok(false)
            }
            None => {
                let hint = "--replace indexes such documents again, --skip keeps the older ones";
                Err(Error::Message(format!("{}: in the index already; {hint}", excerpt(id))))
            }
        }
    }
}
