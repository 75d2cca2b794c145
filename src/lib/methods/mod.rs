//! `evaluate_methods`: fingerprint methods side by side on one collection.
//!
//! Every method proposes pairs; `seconds` is the time to create and to match its prints, with the texts in memory. Pairs of equal prints are listed up to
//! `--max_copies` documents, as in the result of `match_prints`. The measures:
//!
//! | column | share |
//! |---|---|
//! | `recall_union` | of the pairs that any of the chosen methods proposes, those of this method |
//! | `precision_string` | of its pairs, those with string similarity of at least `--similarity` ([`string_similarity`](crate::evaluate::string_similarity)) |
//! | `precision_cosine` | of its pairs, those with cosine of at least `--cosine`, as `find_near_dups` computes it |
//! | `f1` | F of `recall_union` and `precision_string`, with `--beta` |
//! | `precision_truth`, `recall_truth`, `f1_truth` | the same by the pairs of `--truth` |
//!
//! Word filters apply to the fingerprint methods. String similarity and cosine judge all methods alike, by the unfiltered text.
//!
//! String similarity compares texts as they were read (HTML stripped, if it was), with runs of white space as one space: case, punctuation and digits
//! count, as in the paper. `bytes_per_document` is eight bytes per fingerprint, for `cosine` six per distinct word.

mod cosines;
mod judge;
mod measures;
mod names;
mod runs;
mod texts;
mod union;

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Parser;
use serde::Serialize;

use self::cosines::Cosines;
use self::judge::Judge;
use self::measures::{MEASURES, Measured};
pub use self::names::MethodNames;
use self::runs::{MethodRun, MethodRunner};
use self::texts::CollectionTexts;
use self::union::{FoundPair, union};
use crate::chain::prints::GroupFlags;
use crate::corpus::{self, FilterArgs, InputArgs, InputFiles, Inputs, LoadedFilters};
use crate::error::{Error, Result};
use crate::evaluate::resampling::{DEFAULT_RESAMPLES, PercentileInterval, Resampling};
use crate::executable::values::{at_least_one, at_least_one_u64, share_or_percent, within};
use crate::executable::{Counts, Executable, FlagPath, check_streams, counted};
use crate::files::is_stream;
use crate::files::method_table::{MethodRow, csv_table, markdown_table};
use crate::files::output::{Output, Publisher, temporary_names};
use crate::random::DEFAULT_SEED;
use crate::session::Session;
use crate::text::AnalyzerOptions;

/// Runs fingerprint methods on one collection and writes a table of their recall, precision, time and size: recall among the pairs of all
/// methods, precision by string similarity, by exact cosine and by known pairs
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "evaluate_methods", version, rename_all = "snake_case")]
pub struct EvaluateMethods {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub inputs: InputArgs,
    /// Methods, separated by commas: 'all', names of create_prints, or 'cosine', the exact search of find_near_dups, which 'all' leaves out
    #[arg(long, value_name = "NAMES", default_value = "all", help_heading = "Methods")]
    pub methods: MethodNames,
    /// The filters of words.
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: FilterArgs,
    /// Minimum length of a word in characters, in place of each method's default
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Words")]
    pub min_word_len: Option<usize>,
    /// The bounds of the work.
    #[command(flatten)]
    #[serde(flatten)]
    pub groups: GroupFlags,
    /// List groups of more than N documents with equal prints in short: each document paired with the first
    #[arg(long, value_name = "N", default_value = "5000", value_parser = at_least_one, help_heading = "Methods")]
    pub max_copies: usize,
    /// Keep the pairs and times of complete methods in DIR: a run with the same documents and options reads them instead of computing them again
    #[arg(long, value_name = "DIR", help_heading = "Methods")]
    pub work: Option<FlagPath>,
    /// Known near-duplicates, to judge by: pairs in any form, or the truth file of create_corpus
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    pub truth: Option<FlagPath>,
    /// Weight of recall in F: below 1 favours precision, above 1 recall; 0 to 1000
    #[arg(long, value_name = "B", default_value = "1", value_parser = beta, help_heading = "Measures")]
    pub beta: f64,
    /// Minimum string similarity of a right pair: 0.8, or 80 or 80% for percent
    #[arg(long, value_name = "SHARE", default_value = "0.8", value_parser = positive_share, help_heading = "Measures")]
    pub similarity: f64,
    /// Minimum cosine of a right pair, and of the pairs of the method cosine: 0.8, or 80 or 80% for percent
    #[arg(long, value_name = "COSINE", default_value = "0.8", value_parser = positive_share, help_heading = "Measures")]
    pub cosine: f64,
    /// Judge a method with more than N pairs by a random sample of N
    #[arg(long, value_name = "N", default_value = "100000", value_parser = at_least_one, help_heading = "Measures")]
    pub max_judged: usize,
    /// Add 95 % confidence intervals of all shares to the table, as columns at its end
    #[arg(long, help_heading = "Measures")]
    pub intervals: bool,
    /// Number of resamples of --intervals; documents are resampled, not pairs
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RESAMPLES, value_parser = at_least_one_u64, requires = "intervals", help_heading = "Measures")]
    pub resamples: u64,
    /// Seed of random hashes, samples and resamples
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, help_heading = "Measures")]
    pub rnd_seed: u64,
    /// Write the table to FILE as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// Write the table to FILE as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<FlagPath>,
}

impl Executable for EvaluateMethods {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Compare all methods on a folder",
            "evaluate_methods docs/ --out methods.csv --markdown methods.md",
        ),
        (
            "Compare three methods and the exact search on a synthetic collection",
            "evaluate_methods corpus.jsonl --methods md5,long_sent,shingles,cosine --truth truth.tsv --intervals --out methods.csv",
        ),
    ];

    /// Evaluates the methods. Memory: all texts, and 28 bytes per pair and method.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = self.inputs()?;
        // Methods differ in the length of words only, which filters do not depend on.
        let filters = self.filters.load(AnalyzerOptions::letters(1))?;
        let files = corpus::find(&inputs)?;
        let outputs = OpenTables::create(self, &self.publisher(&inputs, &files, session))?;
        let collection = CollectionTexts::read(&inputs, files, session)?;
        let truth = self.truth.as_deref().map(|path| collection.known_pairs(path)).transpose()?;
        let runs = self.run_methods(&collection, &filters, session)?;
        let measured = self.measure(&collection, &runs, truth, session);
        let rows = self.rows(&collection, &runs, &measured, session);
        let notes = self.notes(&collection, &runs);
        outputs.write(&rows, self.intervals, &notes, session)?;
        Ok(Counts {
            read: (collection.len() as u64, "documents"),
            skipped: (collection.unreadable, "unreadable files or records"),
            written: (rows.len() as u64, "methods"),
            unreadable: collection.unreadable,
        })
    }
}

impl EvaluateMethods {
    fn inputs(&self) -> Result<Inputs> {
        let outputs = [("out", Some(&*self.out)), ("markdown", self.markdown.as_deref())];
        check_streams("output", &outputs)?;
        let leftovers = outputs.iter().filter_map(|(_, path)| *path).flat_map(temporary_names);
        let leftovers: Vec<PathBuf> = leftovers.collect();
        let inputs = Inputs { leftovers, ..Inputs::new(self.inputs.clone()) };
        inputs.check_decoded()?;
        self.filters.check_streams(inputs.paths().chain(self.truth.as_deref()))?;
        if self.truth.as_deref().is_some_and(is_stream) && inputs.paths().any(is_stream) {
            return Err(Error::Usage("only one input can be standard input".into()));
        }
        Ok(inputs)
    }

    /// Returns the publisher of an evaluation of these documents.
    fn publisher<'a>(
        &'a self,
        inputs: &'a Inputs,
        files: &'a InputFiles,
        session: &Session,
    ) -> Publisher<'a> {
        let lists = self.filters.paths().chain(self.truth.as_deref());
        let reads = inputs.paths().chain(files.paths()).chain(lists);
        Publisher::new(session, reads.map(Cow::from))
    }

    /// Runs all methods, one after the other.
    fn run_methods(
        &self,
        collection: &CollectionTexts,
        filters: &LoadedFilters,
        session: &Session,
    ) -> Result<Vec<MethodRun>> {
        let runner = MethodRunner {
            collection,
            filters,
            filter_options: &self.filters.options,
            min_word_len: self.min_word_len,
            cosine: self.cosine,
            groups: self.groups,
            max_copies: self.max_copies,
            seed: self.rnd_seed,
            work: self.work.as_deref(),
            session,
        };
        self.methods.iter().map(|method| runner.run(method)).collect()
    }

    /// Judges the pairs of all methods.
    fn measure(
        &self,
        collection: &CollectionTexts,
        runs: &[MethodRun],
        truth: Option<Vec<(u32, u32)>>,
        session: &Session,
    ) -> Measured {
        let has_truth = truth.is_some();
        let list = |run: &MethodRun| run.pairs.iter().map(|pair| (pair.low, pair.high)).collect();
        let pairs: Vec<FoundPair> = union(&runs.iter().map(list).chain(truth).collect::<Vec<_>>());
        let judge = Judge {
            similarity: self.similarity,
            cosine: self.cosine,
            max_judged: self.max_judged,
            seed: self.rnd_seed,
        };
        let sampled = judge.sample(&pairs, runs.len());
        let cosines = Cosines::new(&collection.texts, session);
        let verdicts = judge.judge(&pairs, &sampled, &collection.texts, &cosines, session);
        Measured::new(&pairs, &verdicts, runs.len(), has_truth, self.beta)
    }

    /// Returns the rows of the table, one per method.
    fn rows(
        &self,
        collection: &CollectionTexts,
        runs: &[MethodRun],
        measured: &Measured,
        session: &Session,
    ) -> Vec<MethodRow> {
        let values = measured.measures(&measured.pairs.counts());
        let intervals = self.intervals.then(|| {
            let (resamples, seed) = (self.resamples, self.rnd_seed);
            let resampling = Resampling { documents: collection.len(), resamples, seed };
            resampling.intervals(&measured.pairs, |counts| measured.measures(counts), session)
        });
        let bounds = |interval: &Option<PercentileInterval>| interval.map(|of| (of.low, of.high));
        let row = |(number, run): (usize, &MethodRun)| MethodRow {
            method: run.method.to_string(),
            pairs: run.pairs.len() as u64,
            shares: std::array::from_fn(|at| values[number * MEASURES + at]),
            seconds: run.seconds,
            bytes_per_document: run.bytes as f64 / collection.len() as f64,
            intervals: intervals
                .as_ref()
                .map(|all| std::array::from_fn(|at| bounds(&all[number * MEASURES + at]))),
        };
        runs.iter().enumerate().map(row).collect()
    }

    /// Returns what the reader of the table must know.
    fn notes(&self, collection: &CollectionTexts, runs: &[MethodRun]) -> Vec<String> {
        let documents = counted(collection.len() as u64, "documents");
        let judged = counted(self.max_judged as u64, "pairs");
        let mut notes = vec![format!(
            "{documents}; string similarity ≥ {}, cosine ≥ {}, β = {}.",
            self.similarity, self.cosine, self.beta
        )];
        let sampled: Vec<&str> = runs
            .iter()
            .filter(|run| run.pairs.len() > self.max_judged)
            .map(|run| run.method)
            .collect();
        if !sampled.is_empty() {
            notes.push(format!(
                "Precision of {}: by a random sample of {judged}.",
                sampled.join(", ")
            ));
        }
        notes
    }
}

/// The tables of an evaluation, begun but empty.
struct OpenTables {
    publisher: Publisher<'static>,
    csv: Output,
    markdown: Option<Output>,
}

impl OpenTables {
    fn create(options: &EvaluateMethods, publisher: &Publisher<'_>) -> Result<Self> {
        let csv = publisher.create(&options.out)?;
        let markdown =
            options.markdown.as_deref().map(|path| publisher.create(path)).transpose()?;
        Ok(OpenTables { publisher: publisher.after_checks(), csv, markdown })
    }

    /// Writes and publishes the tables.
    fn write(
        mut self,
        rows: &[MethodRow],
        intervals: bool,
        notes: &[String],
        session: &Session,
    ) -> Result<()> {
        // The first note only repeats the arguments.
        notes.iter().skip(1).for_each(|note| session.info(note));
        self.csv.write(&csv_table(rows, intervals))?;
        if let Some(markdown) = &mut self.markdown {
            markdown.write(markdown_table(rows, intervals, notes).as_bytes())?;
        }
        let markdown = self.markdown.map(Output::close).transpose()?;
        self.publisher.publish(vec![[self.csv.close()?].into_iter().chain(markdown).collect()])
    }
}

/// Parses the weight of recall.
fn beta(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1000.0)
}

/// Parses a share above 0.
fn positive_share(text: &str) -> Result<f64, String> {
    let share = share_or_percent(text)?;
    if share > 0.0 { Ok(share) } else { Err("expected a share above 0".into()) }
}
