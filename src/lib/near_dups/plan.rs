//! Expected pairs, memory and time of a search, from a sample of the documents.

use super::summary::grouped;
use super::{FindNearDups, index};
use crate::corpus::{self, Inputs, Survey};
use crate::error::Result;
use crate::executable::Counts;
use crate::search::exact::Prepared;
use crate::search::exact::join::JoinCounts;
use crate::session::Session;
use crate::vector::gather::{MatrixBuilder, WordVectors};
use crate::vector::sparse::SparseRows;

/// Nanoseconds per file for opening it.
const FILE_NANOS: f64 = 20_000.0;
/// Nanoseconds per byte of text for reading it and counting its words.
const TEXT_BYTE_NANOS: f64 = 8.0;
/// Nanoseconds per addition of the products of common prefix terms.
const ADDITION_NANOS: f64 = 1.6;
/// Nanoseconds per candidate, and per component of one.
const CANDIDATE_NANOS: f64 = 100.0;
const CANDIDATE_COMPONENT_NANOS: f64 = 0.3;
/// Nanoseconds per component for ordering terms and filling the index.
const COMPONENT_NANOS: f64 = 12.0;
/// Nanoseconds per pair for sorting, clustering and writing.
const PAIR_NANOS: f64 = 220.0;

/// Bytes per component: its vector, and its posting if it is in the prefix.
const COMPONENT_BYTES: f64 = 10.0;
/// Other bytes per document: its id, length, hash, norm, fingerprint and group.
const DOCUMENT_BYTES: f64 = 120.0;
/// Bytes per pair: two lists of it while they are sorted.
const PAIR_BYTES: f64 = 32.0;
/// Other bytes: the program, text being read, tables of terms.
const OTHER_BYTES: f64 = 15e6;

/// Prints the expected pairs, memory and time. Reads a sample of the documents, searches it, and extrapolates: what depends on documents grows
/// in proportion to them, what depends on pairs with their square.
pub(super) fn print(task: &FindNearDups, inputs: &Inputs, session: &Session) -> Result<Counts> {
    let builder = MatrixBuilder::new(task.search.term_rules());
    let mut texts = Vec::new();
    let survey = corpus::survey(inputs, &mut |text| texts.push(text.to_string()))?;
    let sample = builder.add(&texts);
    let sample = builder.finish(&[sample]).vectors;
    let indexed = match &task.existing.index {
        Some(folder) => index::documents(folder, &task.search)? as u64,
        None => 0,
    };
    session.info(&described(&survey, indexed));
    if sample.rows() == 0 {
        session.info("expected: unknown, because no document could be sampled");
    } else {
        let threshold = task.search.threshold;
        let estimate = Estimate::new(sample, &survey, indexed, threshold);
        session.info(&estimate.to_string());
    }
    Ok(Counts::new((survey.files, "files in part"), (0, "pairs (plan only)")))
}

/// Expected cost of a search.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    pairs: f64,
    bytes: f64,
    seconds: f64,
}

impl Estimate {
    fn new(sample: WordVectors, survey: &Survey, indexed: u64, threshold: f64) -> Self {
        let threads = rayon::current_num_threads() as f64;
        let sampled = sample.rows() as f64;
        let components = sample.components() as f64 / sampled;
        let (new, all) = (survey.documents as f64, (survey.documents + indexed) as f64);
        let silent = Session::silent();
        let JoinCounts { additions, candidates, pairs } =
            Prepared::new(sample, &silent).counts(threshold * 100.0, &silent);
        // Pairs of two documents, at least one of them new, per pair of the sample.
        let growth = (all * all - (all - new) * (all - new)) / (sampled * sampled);
        let pairs = pairs as f64 * growth;
        let candidate_nanos = CANDIDATE_NANOS + components * CANDIDATE_COMPONENT_NANOS;
        let nanos = survey.files as f64 * FILE_NANOS
            + new * survey.mean_text_bytes * TEXT_BYTE_NANOS
            + all * components * COMPONENT_NANOS
            + additions as f64 * growth * ADDITION_NANOS
            + candidates as f64 * growth * candidate_nanos
            + pairs * PAIR_NANOS;
        Estimate {
            pairs,
            bytes: OTHER_BYTES
                + all * (DOCUMENT_BYTES + components * COMPONENT_BYTES)
                + pairs * PAIR_BYTES,
            seconds: nanos * 1e-9 / threads,
        }
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (pairs, megabytes) = (grouped(self.pairs.round() as u64), self.bytes / 1e6);
        write!(f, "expected: {pairs} pairs, {:.1} s, {megabytes:.0} MB", self.seconds)
    }
}

fn described(survey: &Survey, indexed: u64) -> String {
    let about = if survey.exact { "" } else { "about " };
    let (documents, files) = (grouped(survey.documents), grouped(survey.files));
    let megabytes = survey.bytes as f64 / 1e6;
    let existing = match indexed {
        0 => String::new(),
        indexed => format!(", and {} in the index", grouped(indexed)),
    };
    format!("{about}{documents} documents in {files} files, {megabytes:.1} MB{existing}")
}
