//! `align_passages`: the passages that documents have from others.

use std::borrow::Cow;
use std::path::Path;

use clap::Parser;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::corpus::{self, InputArgs, InputFiles, Inputs};
use crate::error::{Error, Result};
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::is_stream;
use crate::files::output::{Output, Publisher};
use crate::files::pairs::{PassageRecord, SuspectedPair, missing_document, read_suspected_pairs};
use crate::passages::{AlignedPassage, KnownWords, PassageOptions, PreparedText, align};
use crate::sections::{StoredDocument, StoredDocuments, input_ids, only_pair};
use crate::session::Session;

/// Pairs per thread that are aligned before their passages are written.
const PAIRS_PER_THREAD: usize = 16;

/// Decimals of a similarity, which is an estimate.
const SIMILARITY_SCALE: f64 = 1e6;

/// Help of the documents, of which there are two.
const INPUT_HELP: &str = "Suspicious document, then the document that it may be copied from, both in any format of find_near_dups or '-' for standard input; with --pairs, the inputs that hold the documents";

/// Finds the passages of a document that are copied from another one: literally, with replaced or reordered words, translated or summed up. Writes
/// their places in both documents
#[derive(Debug, Clone, Parser, Serialize)]
#[command(
    name = "align_passages",
    version,
    rename_all = "snake_case",
    mut_arg("inputs", |argument| argument.help(INPUT_HELP))
)]
pub struct AlignPassages {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: InputArgs,
    /// Align the pairs of FILE, a table with the columns suspicious and source (TSV, CSV, JSON Lines)
    #[arg(long, value_name = "FILE", help_heading = "Documents")]
    pub pairs: Option<FlagPath>,
    /// The method.
    #[command(flatten)]
    #[serde(flatten)]
    pub options: PassageOptions,
    /// Write the passages to FILE: JSON Lines, one object per passage, offsets and lengths in characters
    #[arg(long, value_name = "FILE", help_heading = "Output", default_value = "-")]
    pub out: FlagPath,
}

impl Executable for AlignPassages {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "List the passages that a thesis has from another one",
            "align_passages thesis.docx older.pdf",
        ),
        (
            "Align many pairs of documents, and compare the passages with known ones",
            "align_passages docs.jsonl.gz --pairs pairs.tsv --out found.jsonl",
        ),
    ];

    /// Writes the passages. Fails at the line of a pair whose document the input lacks. Memory: the texts of all pairs, and 50 bytes per word.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = self.inputs()?;
        let files = corpus::find(&inputs)?;
        let out = self.output(&inputs, &files, session)?;
        let listed = self.pairs.as_deref().map(read_suspected_pairs).transpose()?;
        let ids = listed.iter().flatten().flat_map(|pair| [&*pair.suspicious, &*pair.source]);
        let wanted = input_ids(ids);
        let read = corpus::read(&inputs, files, session, |documents| {
            StoredDocuments::of(documents, |id| listed.is_none() || wanted.contains(id))
        })?;
        let documents = StoredDocument::all(&read);
        let pairs = match &listed {
            Some(listed) => self.resolve(listed, &documents)?,
            None => vec![only_pair(&read)?],
        };
        let passages = self.align_all(&pairs, &documents, out, session)?;
        Ok(Counts {
            unreadable: read.skipped.count(),
            ..Counts::new((read.ids.len() as u64, "documents"), (passages, "passages"))
        })
    }
}

impl AlignPassages {
    fn inputs(&self) -> Result<Inputs> {
        let inputs = Inputs::new(self.documents.clone());
        inputs.check_decoded()?;
        if self.pairs.as_deref().is_some_and(is_stream) && inputs.paths().any(is_stream) {
            return Err(Error::Usage("only one input can be standard input".into()));
        }
        Ok(inputs)
    }

    /// Begins the output, which may not be a file that the run reads.
    fn output(&self, inputs: &Inputs, files: &InputFiles, session: &Session) -> Result<Output> {
        let paths = self.pairs.as_deref().into_iter().chain(inputs.paths()).chain(files.paths());
        Publisher::new(session, paths.map(Cow::<Path>::from)).create(&self.out)
    }

    /// Returns the pairs as positions of documents.
    fn resolve(
        &self,
        listed: &[SuspectedPair],
        documents: &[StoredDocument<'_>],
    ) -> Result<Vec<[usize; 2]>> {
        let positions: FxHashMap<&str, usize> =
            documents.iter().map(|document| document.id).zip(0..).collect();
        let path: &Path = self.pairs.as_deref().unwrap_or(Path::new("-"));
        let position = |pair: &SuspectedPair, id: &str| {
            positions.get(id).copied().ok_or_else(|| missing_document(path, pair.line, id))
        };
        let resolve = |pair: &SuspectedPair| {
            Ok([position(pair, &pair.suspicious)?, position(pair, &pair.source)?])
        };
        listed.iter().map(resolve).collect()
    }

    /// Aligns all pairs, publishes their passages in the order of the pairs, and returns how many there are.
    fn align_all<'a>(
        &self,
        pairs: &[[usize; 2]],
        documents: &[StoredDocument<'a>],
        mut out: Output,
        session: &Session,
    ) -> Result<u64> {
        session.phase("splitting documents", None);
        let known = KnownWords::default();
        let prepare = |document: &StoredDocument<'a>| -> PreparedText<'a> {
            PreparedText::without(document.text, &[], &self.options, &known)
        };
        let texts: Vec<PreparedText<'a>> =
            session.install(|| documents.par_iter().map(prepare).collect());
        session.phase("aligning passages", Some(pairs.len() as u64));
        let align_pair = |[suspicious, source]: &[usize; 2]| {
            let ids = [documents[*suspicious].id, documents[*source].id];
            let passages = align(&texts[*suspicious], &texts[*source], &self.options);
            passages.iter().map(|passage| record(ids, passage).line()).collect::<Vec<String>>()
        };
        let chunk = PAIRS_PER_THREAD * session.install(rayon::current_num_threads);
        let mut count = 0;
        for chunk in pairs.chunks(chunk) {
            let lines: Vec<Vec<String>> =
                session.install(|| chunk.par_iter().map(align_pair).collect());
            count += lines.iter().map(|lines| lines.len() as u64).sum::<u64>();
            lines.iter().flatten().try_for_each(|line| out.write(line.as_bytes()))?;
            session.advance(chunk.len() as u64);
        }
        Publisher::of_no_input(session).publish(vec![vec![out.close()?]])?;
        Ok(count)
    }
}

fn record<'a>([suspicious, source]: [&'a str; 2], passage: &AlignedPassage) -> PassageRecord<'a> {
    PassageRecord {
        suspicious,
        offset: passage.characters.start,
        length: passage.characters.len(),
        source,
        source_offset: passage.source_characters.start,
        source_length: passage.source_characters.len(),
        similarity: (passage.similarity * SIMILARITY_SCALE).round() / SIMILARITY_SCALE,
        run: passage.run,
    }
}
