//! Searched documents on their way to the results.

use std::collections::BTreeSet;

use super::batch::{BatchOptions, KnownSource, SearchBatch, SearchedDocument};
use super::executable::NgramSearch;
use super::report::SearchReport;
use super::results::{ResultFiles, SearchForm, SearchResult};
use super::times::SearchTimes;
use crate::error::Result;
use crate::executable::counted;
use crate::session::Session;

/// Documents on their way to the results.
pub(super) struct SearchOutput<'o> {
    pub options: &'o NgramSearch,
    pub batch_options: BatchOptions<'o>,
    pub batch: SearchBatch,
    pub results: ResultFiles,
    /// Sources found.
    pub found: u64,
    /// Sources and candidates whose texts could not be read as they were indexed.
    pub unread: BTreeSet<String>,
    pub times: &'o SearchTimes,
}

impl SearchOutput<'_> {
    /// Takes the next document.
    pub fn add(&mut self, document: SearchedDocument) -> Result<()> {
        if self.batch.add(document) { self.flush() } else { Ok(()) }
    }

    /// Aligns and writes the documents of the batch.
    pub fn flush(&mut self) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let documents = self.times.passages.measure(|| batch.align(&self.batch_options));
        documents.into_iter().try_for_each(|document| self.write(document))
    }

    /// Reports the sources that could not be read.
    pub fn report_unread(&self, session: &Session) {
        for id in &self.unread {
            session.detail(&format!("{id}: cannot be read as it was indexed"));
        }
        if !self.unread.is_empty() {
            session.info(&format!(
                "cannot read {} as indexed: passages from there have no places, and obfuscated ones are not found; --verbose names the documents",
                counted(self.unread.len() as u64, "sources")
            ));
        }
    }

    fn write(&mut self, document: SearchedDocument) -> Result<()> {
        let SearchedDocument { name, entry, query, sources, .. } = document;
        let unread = sources.iter().filter(|source| source.is_unread);
        self.unread.extend(unread.map(|source| source.entry.id.clone()));
        let (mut sources, candidates): (Vec<KnownSource>, Vec<KnownSource>) = sources
            .into_iter()
            .partition(|source| source.found.reaches_limits || !source.passages.is_empty());
        let copied = |source: &KnownSource| -> usize {
            source.passages.iter().map(|passage| passage.bytes.len()).sum()
        };
        let rank = |source: &KnownSource| (source.found.common, source.found.run, copied(source));
        sources.sort_by(|left, right| {
            rank(right).cmp(&rank(left)).then_with(|| left.entry.id.cmp(&right.entry.id))
        });
        self.found += sources.len() as u64;
        let source_count = sources.len();
        if self.options.search_form == SearchForm::Html {
            sources.truncate(self.options.most_sources);
        }
        let (sources, candidates) = (&*sources, &*candidates);
        let has_details = self.options.details;
        let report = SearchReport {
            entry: &entry,
            query: &query,
            sources,
            source_count,
            candidates,
            has_details,
        };
        self.results.add(SearchResult {
            name: self.options.search_form.file_name(&name, &entry),
            content: self.options.content(&report),
        })
    }
}
