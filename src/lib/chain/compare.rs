//! `compare_results`: how well one result approximates another.
//!
//! Results of the same sample list the same documents in the same order and are read in parallel. Results of whole collections list only
//! documents with matches: the reference is read line by line, and the line of the same document in the approximation is looked up
//! (`RowLookup` in `files::pairs`). Memory: two lines at a time, and for whole collections the names of the documents; it does not grow with the number
//! of pairs.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use clap::Parser;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::error::{Error, INFALLIBLE, Result};
use crate::evaluate::{Evaluation, EvaluationSettings, MeasureValue, Measures, ScorePair};
use crate::executable::values::signature_bits;
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::ids::IdNames;
use crate::files::output::{Output, Part, Publisher};
use crate::files::pairs::{self, PairFile, ResultRow};
use crate::files::summary::{SummaryFile, text};
use crate::search::Percent;
use crate::session::Session;

/// Compares two results pair by pair and measures how well the second approximates the first. Results are those of similarity, hamming and
/// hamming_full, or tables of find_near_dups (TSV, CSV, JSON Lines). P and R follow the formulas of the thesis; its tables print under R what
/// its formulas call P
#[derive(Debug, Clone, Default, Parser, Serialize)]
#[command(name = "compare_results", version, rename_all = "snake_case")]
pub struct CompareResults {
    /// Reference: a result of similarity, or any other pairs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub sim: FlagPath,
    /// Approximation: a result of hamming or hamming_full, or any other pairs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub ham: FlagPath,
    /// Id file of create_bows, for results of a numbered collection: replaces numbers by names. Tables have names already
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub id_file: Option<FlagPath>,
    /// Compare results of a whole collection, not of a sample: a document without a line has no match. Tables imply it
    #[arg(long, help_heading = "Input")]
    pub all_pairs: bool,
    /// Write the comparison to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// Write the measures alone to FILE, as CSV or JSON by its extension
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub summary: Option<FlagPath>,
    /// Minimum similarity of a relevant pair in the reference, in percent: adds calibrated P, R and F1
    #[arg(long, alias = "treshold_sim", value_name = "T", help_heading = "Measures")]
    pub threshold_sim: Option<Percent>,
    /// Minimum similarity of a retrieved pair in the approximation, in percent: adds P, R and F1
    #[arg(
        long,
        alias = "treshold_ham",
        value_name = "T",
        help_heading = "Measures",
        requires = "threshold_sim"
    )]
    pub threshold_ham: Option<Percent>,
    /// Signature length in bits: adds the values that theory predicts
    #[arg(long, value_name = "BITS", help_heading = "Measures", value_parser = signature_bits)]
    pub sig_len: Option<usize>,
}

impl Executable for CompareResults {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Measure the recall of signatures on a sample",
            "compare_results --sim sim --ham ham --threshold_sim 80 --threshold_ham 79.5 --out comparison",
        ),
        (
            "Compare the pairs of find_near_dups with exact ones",
            "compare_results --sim sim --ham pairs.tsv.zst --out comparison --summary measures.csv",
        ),
    ];

    /// Compares two results. Memory does not grow with the number of pairs.
    fn run(&self, session: &Session) -> Result<Counts> {
        let (sim, ham) = (Some(&*self.sim), Some(&*self.ham));
        let inputs = [("sim", sim), ("ham", ham), ("id_file", self.id_file.as_deref())];
        check_streams("input", &inputs)?;
        let reads = inputs.iter().filter_map(|(_, path)| path.map(Cow::from));
        let publisher = Publisher::new(session, reads);
        let summary = self.summary.as_deref();
        let summary = summary.map(|path| SummaryFile::create(&publisher, path)).transpose()?;
        let mut report = ComparisonReport::new(publisher.create(&self.out)?, self.settings());
        self.compare(&mut report)?;
        let measures = report.evaluation.measures();
        report.warn_of_disjoint_results(session);
        let counts = Counts::new((report.documents, "documents"), (report.pairs, "compared pairs"));
        let comparison = report.finish(&measures)?;
        let summary = summary.map(|file| file.finish(&measures)).transpose()?;
        publisher.publish(vec![[comparison].into_iter().chain(summary).collect()])?;
        Ok(counts)
    }
}

impl CompareResults {
    fn settings(&self) -> EvaluationSettings {
        EvaluationSettings {
            threshold_sim: self.threshold_sim.map(Percent::value),
            threshold_ham: self.threshold_ham.map(Percent::value),
            bits: self.sig_len.map(|bits| bits as u64),
        }
    }

    fn compare(&self, report: &mut ComparisonReport) -> Result<()> {
        let names = self.id_file.as_deref().map(IdNames::read).transpose()?;
        let (sim, ham) = (PairFile::open(&self.sim)?, PairFile::open(&self.ham)?);
        if self.all_pairs || sim.is_table() || ham.is_table() {
            self.compare_collections(sim, ham, names.as_ref(), report)
        } else {
            self.compare_samples(sim, ham, names.as_ref(), report)
        }
    }

    fn compare_samples(
        &self,
        sim: PairFile,
        ham: PairFile,
        names: Option<&IdNames>,
        report: &mut ComparisonReport,
    ) -> Result<()> {
        let (mut sims, mut hams) = (sim.rows(names, &self.out)?, ham.rows(names, &self.out)?);
        loop {
            match (sims.next_row()?, hams.next_row()?) {
                (None, None) => return Ok(()),
                (Some(sim), Some(ham)) if sim.first() == ham.first() => {
                    report.add(sim.first(), Some(&sim), Some(&ham))?;
                }
                (sim, ham) => return Err(self.different_samples(sim.as_ref(), ham.as_ref())),
            }
        }
    }

    /// Compares the documents of the reference, in its order, then those that only the approximation has, in its own.
    fn compare_collections(
        &self,
        sim: PairFile,
        ham: PairFile,
        names: Option<&IdNames>,
        report: &mut ComparisonReport,
    ) -> Result<()> {
        let (mut index, mut hams) = ham.lookup(names, &self.out)?;
        let mut sims = sim.rows(names, &self.out)?;
        while let Some(sim) = sims.next_row()? {
            for document in &sim.head {
                let line = index.query(document);
                let line = line.ok_or_else(|| pairs::repeated(&self.sim, sim.number, document))?;
                let ham = line.map(|line| hams.row_of(line, document)).transpose()?;
                report.add(document, Some(&sim), ham.as_ref())?;
            }
        }
        for line in index.remaining_lines() {
            let ham = hams.row(line)?;
            for document in ham.head.iter().filter(|document| !index.is_queried(document)) {
                report.add(document, None, Some(&ham))?;
            }
        }
        Ok(())
    }

    fn different_samples(&self, sim: Option<&ResultRow<'_>>, ham: Option<&ResultRow<'_>>) -> Error {
        let place = |path: &Path, row: Option<&ResultRow<'_>>| match row {
            Some(row) => format!("'{}' at {}:{}", row.first(), path.display(), row.number),
            None => format!("the end of {}", path.display()),
        };
        Error::Message(format!(
            "expected the documents of one --sample_list in the same order, found {} and {}; results made without --sample_list need --all_pairs",
            place(&self.sim, sim),
            place(&self.ham, ham)
        ))
    }
}

/// Similarities of one document to others, in the order of the results.
#[derive(Default)]
struct DocumentScores<'a> {
    others: Vec<&'a str>,
    values: Vec<ScorePair>,
    positions: FxHashMap<&'a str, usize>,
}

impl<'a> DocumentScores<'a> {
    /// Adds the matches of a line; `side` is the value of its result.
    fn add(
        &mut self,
        line: Option<&'a ResultRow<'_>>,
        document: &'a str,
        side: fn(&mut ScorePair) -> &mut Option<f64>,
    ) {
        let matches = line.into_iter().flat_map(|line| line.matches_of(document));
        for (other, similarity) in matches {
            let position = *self.positions.entry(other).or_insert_with(|| {
                self.others.push(other);
                self.values.push(ScorePair { sim: None, ham: None });
                self.values.len() - 1
            });
            *side(&mut self.values[position]) = Some(similarity);
        }
    }
}

/// Writer of the comparison.
struct ComparisonReport {
    out: Output,
    evaluation: Evaluation,
    pairs: u64,
    documents: u64,
    /// Documents with a line in the reference, in the approximation, in both.
    lines: [u64; 3],
}

impl ComparisonReport {
    fn new(out: Output, settings: EvaluationSettings) -> Self {
        let evaluation = Evaluation::new(settings);
        ComparisonReport { out, evaluation, pairs: 0, documents: 0, lines: [0; 3] }
    }

    /// Adds a document with its lines in the two results.
    fn add(
        &mut self,
        document: &str,
        sim: Option<&ResultRow<'_>>,
        ham: Option<&ResultRow<'_>>,
    ) -> Result<()> {
        let mut scores = DocumentScores::default();
        scores.add(sim, document, |pair| &mut pair.sim);
        scores.add(ham, document, |pair| &mut pair.ham);
        self.write(document, &scores)?;
        self.evaluation.add_document(&scores.values);
        self.pairs += scores.values.len() as u64;
        self.documents += 1;
        let lines = [sim.is_some(), ham.is_some(), sim.is_some() && ham.is_some()];
        let counted = self.lines.iter_mut().zip(lines).filter(|(_, is_there)| *is_there);
        counted.for_each(|(count, _)| *count += 1);
        Ok(())
    }

    /// Results of one collection name some documents in common, unless they are empty.
    fn warn_of_disjoint_results(&self, session: &Session) {
        let [sim, ham, both] = self.lines;
        if sim > 0 && ham > 0 && both == 0 {
            session.info(&format!(
                "the results have no document in common: {sim} documents in --sim, {ham} in --ham; are they of one collection, and does one need --id_file?"
            ));
        }
    }

    fn write(&mut self, document: &str, scores: &DocumentScores<'_>) -> Result<()> {
        let mut lines = format!("Results for {document}:\n");
        for (other, ScorePair { sim, ham }) in scores.others.iter().zip(&scores.values) {
            lines.push_str(other);
            for value in [sim, ham] {
                match value {
                    Some(value) => write!(lines, " {value}").expect(INFALLIBLE),
                    None => lines.push_str(NO_SIMILARITY),
                }
            }
            lines.push('\n');
        }
        self.out.write(lines.as_bytes())
    }

    fn finish(mut self, measures: &Measures) -> Result<Part> {
        self.out.write(b"\nSummary:\n")?;
        for (measure, value) in &measures.0 {
            let value = match value {
                MeasureValue::Number(Some(number)) => format!("{number:.6}"),
                other => text(*other),
            };
            self.out.write(format!("{measure} {value}\n").as_bytes())?;
        }
        self.out.close()
    }
}

/// Stands for a similarity that a result does not have.
const NO_SIMILARITY: &str = " -";
