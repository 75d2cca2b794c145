//! Reading everything once, and what is kept of it.

use twox_hash::XxHash3_64;

use super::batch::{Batch, BatchFacts, BatchResult, InputDocument};
use super::drive::{DeferredWork, Delivery, drive};
use super::find::InputFiles;
use super::inputs::{Inputs, ReadPolicy};
use super::places::Places;
use super::record::SortKey;
use super::skip::{SkipLog, SkippedInput};
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result};
use crate::executable::counted;
use crate::files::list::Separator;
use crate::files::names::Names;
use crate::session::Session;

/// Documents by number, from 0 in reading order. Lists have one entry per document.
#[derive(Debug)]
pub struct Documents<T> {
    /// The result of the work on each batch, in order.
    pub batches: Vec<T>,
    /// The documents' ids, each once.
    pub ids: Names,
    /// Bytes of their texts; `u32::MAX` for 4 GB and more.
    pub lengths: Vec<u32>,
    /// Hashes of their texts ([`text_hash`]): equal for exact duplicates, and for blank texts.
    pub text_hashes: Vec<u64>,
    /// The values to sort by; empty if they were not requested.
    pub sort_keys: Vec<Option<SortKey>>,
    /// Where they are.
    pub places: Places,
    /// The number of the first new document.
    pub first_new: usize,
    /// Unreadable input.
    pub skipped: SkipLog,
}

/// Reads everything once. Threads call `work` with one batch at a time, about 64 kilobytes of text or 64 documents, in any order. Fails if
/// there is no document.
pub fn read<T: Send>(
    inputs: &Inputs,
    files: InputFiles,
    session: &Session,
    work: impl Fn(&[InputDocument<'_>]) -> T + Sync,
) -> Result<Documents<T>> {
    let has_sort_keys = inputs.sort_field.is_some();
    let (mut batches, mut lengths) = (Vec::new(), Vec::new());
    let (mut text_hashes, mut sort_keys) = (Vec::new(), Vec::new());
    let facts_of = |document: &InputDocument<'_>| {
        let length = u32::try_from(document.text.len()).unwrap_or(u32::MAX);
        let sort_key = has_sort_keys.then(|| document.sort_key.clone());
        (length, text_hash(&document.text), sort_key)
    };
    let work = |documents: &[InputDocument<'_>]| {
        let ids = documents.iter().map(|document| &*document.id).collect();
        let facts: Vec<_> = documents.iter().map(facts_of).collect();
        (ids, (facts, work(documents)))
    };
    let listing = scan(inputs, files, None, session, work, |(facts, batch), _| {
        for (length, hash, sort_key) in facts {
            lengths.push(length);
            text_hashes.push(hash);
            sort_keys.extend(sort_key);
        }
        batches.push(batch);
        Ok(Vec::new())
    })?;
    let Listing { ids, places, first_new, skipped, .. } = listing;
    Ok(Documents { batches, ids, lengths, text_hashes, sort_keys, places, first_new, skipped })
}

/// Hash of blank texts: XXH3 of the empty text.
pub const BLANK_HASH: u64 = 0x2d06_8005_38d3_94c2;

/// Returns the hash that tells texts from each other: XXH3, 64 bits. Blank texts, which consist of white space if of anything, have one hash.
pub fn text_hash(text: &str) -> u64 {
    let is_blank = text.chars().all(char::is_whitespace);
    if is_blank { BLANK_HASH } else { XxHash3_64::oneshot(text.as_bytes()) }
}

/// Names and places of the documents read, by number.
#[derive(Debug, Default)]
pub struct Listing {
    /// The number of documents.
    pub documents: usize,
    /// The names that the work returned.
    pub ids: Names,
    /// Where the documents are.
    pub places: Places,
    /// The number of the first new document.
    pub first_new: usize,
    /// Unreadable input.
    pub skipped: SkipLog,
}

/// Reads documents once, at most `limit` of them. Threads call `work` with one batch at a time, in any order; it returns the documents' names and a
/// result. `sink` receives the results in order, each with the number of documents to take of it, and returns work for the calling thread to run
/// outside. Fails if there is no document, or if two have the same name; `work` may return no names if they are known to differ.
pub fn scan<'s, T: Send>(
    inputs: &Inputs,
    files: InputFiles,
    limit: Option<usize>,
    session: &Session,
    work: impl Fn(&[InputDocument<'_>]) -> (Names, T) + Sync,
    mut sink: impl FnMut(T, usize) -> Result<Vec<DeferredWork<'s>>> + Send,
) -> Result<Listing> {
    let InputFiles { sources, skips, bytes, links } = files;
    let has_streams = sources.iter().any(|source| source.is_stream);
    session.byte_phase("reading documents", (!has_streams).then_some(bytes));
    let limit = limit.unwrap_or(usize::MAX);
    let (listing, guesses, kinds) = (Listing::default(), 0, Vec::new());
    let mut scan = Scan { inputs, sources: &sources, session, limit, listing, guesses, kinds };
    skips.into_iter().try_for_each(|skip| scan.skip(skip))?;
    let work = |batch: &Batch<'_>| work(&batch.documents);
    let outcome = drive(inputs, &sources, session, work, |batch| scan.add(batch, &mut sink));
    let Scan { mut listing, guesses, kinds, .. } = scan;
    listing.places.finish(sources, &kinds);
    if inputs.policy == ReadPolicy::Strict {
        // A duplicate that was read before another error comes first.
        listing.places.check_unique(&listing.ids, listing.first_new, inputs)?;
    }
    outcome?;
    listing.skipped.finish(session);
    if links > 0 {
        session.info(&format!("{} not followed (see --follow)", counted(links, "symbolic links")));
    }
    if guesses > 0 {
        session.info(&format!(
            "{} not UTF-8; the encoding was guessed",
            counted(guesses, "documents")
        ));
    }
    if inputs.has_unique_ids {
        listing.places.check_unique(&listing.ids, 0, inputs)?;
    }
    listing.number_repeated(inputs, session);
    listing.report_files(session);
    listing.check_not_empty(inputs)?;
    Ok(listing)
}

/// State of a scan.
struct Scan<'a> {
    inputs: &'a Inputs,
    sources: &'a [InputSource],
    session: &'a Session,
    limit: usize,
    listing: Listing,
    guesses: u64,
    /// The content of sources that had to be opened to know it.
    kinds: Vec<(usize, SourceKind)>,
}

impl Scan<'_> {
    /// Takes the results of a batch, which is the next in order.
    fn add<'s, T>(
        &mut self,
        (result, facts): BatchResult<(Names, T)>,
        sink: &mut impl FnMut(T, usize) -> Result<Vec<DeferredWork<'s>>>,
    ) -> Result<Delivery<'s>> {
        let BatchFacts { spots, kinds, skips, guesses } = facts;
        let listing = &mut self.listing;
        let taken = spots.len().min(self.limit - listing.documents);
        for spot in &spots[..taken] {
            listing.first_new += usize::from(!self.sources[spot.source].is_new);
            listing.places.push(*spot);
        }
        listing.documents += taken;
        for (document, encoding) in guesses.into_iter().filter(|(document, _)| *document < taken) {
            self.guesses += 1;
            let place = spots[document].place(self.sources);
            self.session.detail(&format!("{place}: not UTF-8; decoded as {}", encoding.name()));
        }
        let is_unseen = |source: usize| self.sources[source].kind == SourceKind::Unseen;
        let is_news =
            |source: usize, kind: SourceKind| is_unseen(source) || kind == SourceKind::Wiki;
        self.kinds.extend(kinds.iter().filter(|(source, kind)| is_news(*source, *kind)));
        let mut delivery = Delivery::default();
        if let Some((names, result)) = result {
            self.listing.ids.append_first(&names, taken);
            delivery.deferred = sink(result, taken)?;
        }
        if self.listing.documents == self.limit {
            delivery.is_last = true;
            return Ok(delivery);
        }
        skips.into_iter().try_for_each(|skip| self.skip(skip))?;
        Ok(delivery)
    }

    /// Counts unreadable input, or fails because of it.
    fn skip(&mut self, skip: SkippedInput) -> Result<()> {
        if self.inputs.policy == ReadPolicy::Strict {
            let hint = if self.may_be_split(&skip) { SPLIT_HINT } else { "" };
            return Err(Error::Message(format!("{skip}{hint}")));
        }
        self.listing.skipped.add(skip, self.session);
        Ok(())
    }

    /// Returns whether white space may have split a path of a list: another file stands in the same line.
    fn may_be_split(&self, skip: &SkippedInput) -> bool {
        let Some((_, line)) = &skip.list else { return false };
        let is_missing = skip.why.starts_with("cannot open");
        let is_there = |source: &&InputSource| u64::from(source.list_line) == *line;
        is_missing
            && self.inputs.list == Some(Separator::WhiteSpace)
            && self.sources.iter().filter(is_there).count() > 1
    }
}

const SPLIT_HINT: &str = " (white space separates paths; --lines reads one path per line)";

impl Listing {
    /// Gives repeated ids a number, and warns once.
    fn number_repeated(&mut self, inputs: &Inputs, session: &Session) {
        let ids = std::mem::take(&mut self.ids);
        let (ids, warning) = self.places.number_repeated(ids, self.first_new, inputs);
        self.ids = ids;
        if let Some(warning) = warning {
            session.info(&warning);
        }
    }

    /// Tells the number of documents of each file with records.
    fn report_files(&self, session: &Session) {
        for (source, documents) in self.places.by_source() {
            if self.places.spot(documents.start).line > 0 {
                let count = counted(documents.len() as u64, "documents");
                session.detail(&format!("{}: {count}", self.places.source(source).path.display()));
            }
        }
    }

    fn check_not_empty(&self, inputs: &Inputs) -> Result<()> {
        if self.documents > 0 || inputs.may_be_empty {
            return Ok(());
        }
        let paths: Vec<String> = inputs.paths().map(|path| path.display().to_string()).collect();
        let why = match self.skipped.first.first() {
            Some(skip) => format!(" that can be read: {skip}"),
            None => String::new(),
        };
        Err(Error::Message(format!("{}: no document{why}", paths.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_texts_have_the_hash_of_the_empty_text() {
        for text in ["", " ", "\n\t\r\n", "\u{a0}\u{2003}\u{3000}"] {
            assert_eq!(text_hash(text), XxHash3_64::oneshot(b""), "{text:?}");
        }
        for text in ["a", " .", "\u{200b}", "🎉", "\0"] {
            assert_eq!(text_hash(text), XxHash3_64::oneshot(text.as_bytes()), "{text:?}");
        }
    }
}
