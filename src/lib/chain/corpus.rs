//! `create_corpus`: a synthetic collection.

use std::ops::Range;

use clap::Parser;
use rayon::prelude::*;
use serde::Serialize;

use crate::corpus::synthetic::{CorpusParameters, Synthetic};
use crate::error::Result;
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::output::{Output, Publisher};
use crate::files::synthetic::{self, CorpusFormat};
use crate::session::Session;

/// Writes a synthetic collection: Zipf-distributed words, log-normal lengths, planted near-duplicates, in random order
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_corpus", version, rename_all = "snake_case")]
pub struct CreateCorpus {
    /// The collection to create.
    #[command(flatten)]
    #[serde(flatten)]
    pub parameters: CorpusParameters,
    /// Write the collection to FILE, one document per line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// Format of a line
    #[arg(long, value_name = "FORMAT", help_heading = "Output", default_value_t, value_enum)]
    pub format: CorpusFormat,
    /// Write the planted near-duplicates to FILE as tab-separated values: ids of original and copy, share of edited words
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub truth: Option<FlagPath>,
}

impl Executable for CreateCorpus {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Write 10,000 documents and the truth about their near-duplicates",
            "create_corpus --doc_count 10000 --out corpus.jsonl --truth truth.tsv",
        ),
        (
            "Write short documents, half of them copies with one word in ten edited",
            "create_corpus --doc_count 1000 --mean_words 40 --near_dups 0.5 --edits 0.1 --out corpus.jsonl",
        ),
    ];

    /// Writes the collection. Memory: 12 bytes per term and some megabytes of text, for any number of documents.
    fn run(&self, session: &Session) -> Result<Counts> {
        let outputs = [("out", Some(&*self.out)), ("truth", self.truth.as_deref())];
        check_streams("output", &outputs)?;
        let documents = self.parameters.doc_count;
        session.phase("preparing terms", None);
        let collection = Synthetic::new(self.parameters.clone())?;
        let publisher = Publisher::of_no_input(session);
        let mut out = publisher.create(&self.out)?;
        let mut truth = self.truth.as_deref().map(|path| publisher.create(path)).transpose()?;
        if let Some(truth) = &mut truth {
            truth.write(synthetic::TRUTH_HEADER.as_bytes())?;
        }
        session.phase("writing documents", Some(documents));
        let batch = (BATCH_WORDS / self.parameters.mean_words).clamp(CHUNKS as f64, 1e6) as u64;
        let mut finished: Vec<Lines> = Vec::new();
        for start in (0..documents).step_by(batch as usize) {
            let range = start..documents.min(start + batch);
            // One batch is written while the next is created.
            let write = || write(&finished, &mut out, truth.as_mut());
            let create = || create(&collection, self.format, range.clone());
            let (written, next) = rayon::join(write, create);
            written?;
            finished = next;
            session.advance(range.end - range.start);
        }
        write(&finished, &mut out, truth.as_mut())?;
        let truth = truth.map(Output::close).transpose()?;
        publisher.publish(vec![[out.close()?].into_iter().chain(truth).collect()])?;
        Ok(Counts::new((0, "documents"), (documents, "documents")))
    }
}

/// Mean number of words in memory at a time: some megabytes of text, enough to keep all threads busy.
const BATCH_WORDS: f64 = 1e6;

/// Units of work per batch.
const CHUNKS: u64 = 64;

/// Lines of the collection and of the truth.
type Lines = (Vec<u8>, Vec<u8>);

/// Creates a range of documents, as chunks in order.
fn create(collection: &Synthetic, format: CorpusFormat, range: Range<u64>) -> Vec<Lines> {
    let size = (range.end - range.start).div_ceil(CHUNKS);
    let chunks = (range.end - range.start).div_ceil(size);
    let start = |number| range.end.min(range.start + number * size);
    (0..chunks)
        .into_par_iter()
        .map(|number| create_chunk(collection, format, start(number)..start(number + 1)))
        .collect()
}

fn create_chunk(collection: &Synthetic, format: CorpusFormat, range: Range<u64>) -> Lines {
    let (mut lines, mut truth) = (Vec::new(), Vec::new());
    for position in range {
        synthetic::append_document(&mut lines, format, position + 1, |text| {
            collection.append_text(text, position);
        });
        if let Some(planted) = collection.planted(position) {
            let (original, copy) = (planted.original + 1, planted.copy + 1);
            synthetic::append_truth(&mut truth, original, copy, planted.edit_share);
        }
    }
    (lines, truth)
}

fn write(chunks: &[Lines], out: &mut Output, mut truth: Option<&mut Output>) -> Result<()> {
    for (lines, planted) in chunks {
        out.write(lines)?;
        if let Some(truth) = &mut truth {
            truth.write(planted)?;
        }
    }
    Ok(())
}
