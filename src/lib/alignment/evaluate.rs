//! `evaluate_search`: found passages compared with known ones.

use std::path::Path;

use clap::Parser;
use serde::Serialize;

use super::scores::SearchScores;
use crate::error::Result;
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::detection_table::{csv_table, text_table};
use crate::files::output::Publisher;
use crate::files::pairs::{read_passages, read_suspected_pairs};
use crate::session::Session;

/// Compares found passages with known ones: precision and recall of documents, and PAN's precision, recall, granularity and plagdet of characters, of
/// all passages and per kind of obfuscation
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "evaluate_search", version, rename_all = "snake_case")]
pub struct EvaluateSearch {
    /// Known passages: a table with the columns suspicious, offset, length, source, source_offset, source_length and, if known, kind (TSV, CSV, JSON Lines), or XML files of PAN in a folder
    #[arg(long, value_name = "FILE", help_heading = "Passages")]
    pub truth: FlagPath,
    /// Count only the pairs of FILE, a table with the columns suspicious, source and, if known, kind; needed if the truth covers no others
    #[arg(long, value_name = "FILE", help_heading = "Passages")]
    pub pairs: Option<FlagPath>,
    /// Found passages, in the same forms: JSON Lines of align_passages, or '-' for standard input
    #[arg(value_name = "FILE", help_heading = "Passages")]
    pub found: FlagPath,
    /// Write the measures to FILE as CSV instead of a table to read on standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<FlagPath>,
}

impl Executable for EvaluateSearch {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Compare found passages with known ones", "evaluate_search --truth truth.tsv found.jsonl"),
        (
            "Count listed pairs only, and write a table",
            "evaluate_search --truth truth.tsv --pairs pairs.tsv found.jsonl --out scores.csv",
        ),
    ];

    /// Writes the measures. Memory: all passages.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = [
            ("truth", Some(&*self.truth)),
            ("pairs", self.pairs.as_deref()),
            ("found", Some(&*self.found)),
        ];
        check_streams("input", &inputs)?;
        let publisher = Publisher::new(session, inputs.iter().filter_map(|(_, path)| *path));
        let mut output = publisher.create(self.out.as_deref().unwrap_or(Path::new("-")))?;
        let (scores, read) = self.scores(session)?;
        let rows = scores.rows();
        output.write(&if self.out.is_some() { csv_table(&rows) } else { text_table(&rows) })?;
        publisher.publish(vec![vec![output.close()?]])?;
        Ok(Counts {
            read: (read, "passages"),
            skipped: (scores.ignored.iter().sum(), "passages of pairs that are not listed"),
            written: (rows.len() as u64, "rows"),
            unreadable: 0,
        })
    }
}

impl EvaluateSearch {
    /// Reads all passages, and returns how many there are.
    fn scores(&self, session: &Session) -> Result<(SearchScores, u64)> {
        let pairs = self.pairs.as_deref().map(read_suspected_pairs).transpose()?;
        let mut scores = SearchScores::new(pairs.as_deref());
        let (truth, found) = (read_passages(&self.truth)?, read_passages(&self.found)?);
        let read = truth.len() + found.len();
        truth.into_iter().for_each(|passage| scores.add_case(passage));
        found.iter().for_each(|passage| scores.add_found(passage));
        if scores.are_disjoint() {
            session.info(
                "known and found passages have no pair of documents in common; do their ids agree?",
            );
        }
        Ok((scores, read as u64))
    }
}
