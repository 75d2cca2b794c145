//! `merge_voc`: the vocabularies of all shards to that of the collection.

use clap::Parser;
use serde::Serialize;

use super::check_merger;
use crate::error::{Error, Result, excerpt};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::output::Publisher;
use crate::files::parts::Parts;
use crate::files::paths;
use crate::files::sorter::{RUN_BYTES, SortedRecords, Sorter};
use crate::files::voc::{self, VocOutput};
use crate::session::Session;
use crate::vector::Term;

/// Merges the vocabularies of shards into that of the whole collection. create_voc makes them of the shards' bags of words
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "merge_voc", version, rename_all = "snake_case")]
pub struct MergeVoc {
    /// Vocabulary of a shard (NAME.I-of-N), all N of them in any order
    #[arg(value_name = "PART", required = true, help_heading = "Input")]
    pub parts: Vec<FlagPath>,
    /// Write the vocabulary to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub voc_name: FlagPath,
}

impl Executable for MergeVoc {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Merge the vocabularies of 8 shards", "merge_voc --voc_name voc voc.*-of-8"),
        ("Compress the result", "merge_voc --voc_name voc.zst voc.*-of-8"),
    ];

    /// Adds up the counts of each term by an external sort. Memory: one vocabulary of a shard, and some hundred megabytes.
    fn run(&self, session: &Session) -> Result<Counts> {
        let parts = Parts::read(&self.parts)?;
        check_merger(&parts, "merge_voc")?;
        let reads = parts.paths.iter().flat_map(|path| paths::list_reads(path));
        let publisher = Publisher::new(session, reads);
        let out = VocOutput::create(&publisher, &self.voc_name)?;
        session.phase("merging", Some(parts.paths.len() as u64));
        let (by_term, documents) = self.by_term(&parts, session)?;
        let (ranked, terms) = self.ranked(by_term, session)?;
        out.finish_ranked(ranked, terms, documents, parts.merged_provenance())?;
        let read = (parts.paths.len() as u64, "shards");
        Ok(Counts::new(read, (terms, "terms")))
    }
}

impl MergeVoc {
    /// Returns the terms of all parts by their bytes, each with its counts, and the number of documents.
    fn by_term(&self, parts: &Parts, session: &Session) -> Result<(SortedRecords, u64)> {
        let (mut sorter, mut documents) = (Sorter::new(&self.voc_name, RUN_BYTES, session), 0);
        for path in &parts.paths {
            let (vocabulary, _) = voc::read(path)?;
            voc::check_terms(path, &vocabulary)?;
            documents += vocabulary.documents;
            for Term { text, occurrences, documents } in vocabulary.terms() {
                sorter.push(text.as_bytes(), &voc::spelled_counts(occurrences, documents))?;
            }
            session.advance(1);
        }
        Ok((sorter.finish()?, documents))
    }

    /// Adds up the counts of equal terms. Returns the terms in the order of a vocabulary, and their number.
    fn ranked(
        &self,
        mut by_term: SortedRecords,
        session: &Session,
    ) -> Result<(SortedRecords, u64)> {
        let (mut ranked, mut count) = (Sorter::new(&self.voc_name, RUN_BYTES, session), 0);
        let mut open: Option<(Vec<u8>, u64, u64)> = None;
        let mut close = |term: Option<(Vec<u8>, u64, u64)>| {
            let Some((text, occurrences, documents)) = term else { return Ok(()) };
            count += 1;
            voc::push_ranked(&mut ranked, &text, occurrences, documents)
        };
        while let Some(record) = by_term.next_record()? {
            let (occurrences, documents) = voc::counts_of(&record.value);
            open = match open.take() {
                Some((text, sum, all)) if text == record.key => {
                    let sum = sum.checked_add(occurrences).ok_or_else(|| self.overflow(&text))?;
                    Some((text, sum, all + documents))
                }
                other => {
                    close(other)?;
                    Some((record.key.clone(), occurrences, documents))
                }
            };
        }
        close(open)?;
        Ok((ranked.finish()?, count))
    }

    fn overflow(&self, term: &[u8]) -> Error {
        let term = excerpt(&String::from_utf8_lossy(term));
        Error::in_file(&self.voc_name, format!("count of term {term} overflows 64 bits"))
    }
}
