//! `compare_sections`: reads documents, compares them, and writes the report.

use std::borrow::Cow;
use std::path::Path;

use clap::{Parser, ValueEnum};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::compare::compare;
use super::document::SectionText;
use super::fragments::Fragments;
use super::lines::LineStarts;
use super::options::SectionOptions;
use super::page::SectionPage;
use super::pairs::DocumentPairs;
use super::report::{PairReport, ReportedDocument};
use crate::corpus::{
    self, Documents, FilterArgs, Heading, InputArgs, InputDocument, InputFiles, Inputs,
    LoadedFilters,
};
use crate::error::{Error, Result};
use crate::executable::values::at_least_one;
use crate::executable::{Counts, Executable, FlagPath, Step, check_streams};
use crate::files::ids::IdNames;
use crate::files::is_stream;
use crate::files::output::{Output, Part, Publisher};
use crate::session::Session;

/// Pairs per thread that are compared before their reports are written.
const PAIRS_PER_THREAD: usize = 16;

/// Help of the documents, of which there are two.
const INPUT_HELP: &str = "Document to examine, then the document that it may be copied from, both in any format of find_near_dups (text, Markdown, HTML, PDF, DOCX, ODT, EPUB, RTF …) or '-' for standard input; with --pairs, the inputs that hold the documents";

/// Form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportForm {
    /// Tables and passages to read
    #[default]
    Text,
    /// One JSON object per pair and line
    Json,
}

/// Finds the sections and passages of a document that are copied from another one: sections by headings, blocks of words, shingles. A block,
/// section or document is copied if more than 75 % of its shingles, blocks or sections are
#[derive(Debug, Clone, Parser, Serialize)]
#[command(
    name = "compare_sections",
    version,
    rename_all = "snake_case",
    // The report has a format too.
    mut_arg("format", |argument| argument.long("input_format")),
    mut_arg("inputs", |argument| argument.help(INPUT_HELP))
)]
pub struct CompareSections {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: InputArgs,
    /// Compare the pairs of FILE: a table of find_near_dups (TSV, CSV, JSON Lines), or a result of similarity, hamming or hamming_full
    #[arg(long, value_name = "FILE", help_heading = "Documents")]
    pub pairs: Option<FlagPath>,
    /// Id file of create_bows, for results of a numbered collection
    #[arg(long, value_name = "FILE", help_heading = "Documents", requires = "pairs")]
    pub id_file: Option<FlagPath>,
    /// Examine only these parts of the first document: sections such as 3-5,8 or lines:10-20 or bytes:0-999
    #[arg(long, value_name = "RANGE", help_heading = "Documents", conflicts_with = "pairs")]
    pub only: Option<Fragments>,
    /// The method.
    #[command(flatten)]
    #[serde(flatten)]
    pub options: SectionOptions,
    /// The filters of words.
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: FilterArgs,
    /// Form of the report
    #[arg(long = "format", value_name = "FORM", help_heading = "Report", default_value = "text")]
    pub report_form: ReportForm,
    /// Write the report to FILE
    #[arg(long, value_name = "FILE", help_heading = "Report", default_value = "-")]
    pub out: FlagPath,
    /// Also write a self-contained HTML page to FILE: both texts side by side, copied passages marked
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub page: Option<FlagPath>,
    /// Title of the page
    #[arg(long, value_name = "TEXT", help_heading = "Report", default_value = "Copied sections")]
    pub title: String,
    /// Maximum number of passages listed per pair, the longest ones
    #[arg(long, value_name = "N", help_heading = "Report", default_value = "1000", value_parser = at_least_one)]
    pub most_passages: usize,
    /// Maximum number of pairs on the page, the first ones
    #[arg(long, value_name = "N", help_heading = "Report", default_value = "1000", value_parser = at_least_one)]
    pub most_pairs: usize,
    /// Maximum length of a text on the page in bytes; longer texts are truncated
    #[arg(long, value_name = "N", help_heading = "Report", default_value = "2000000", value_parser = at_least_one)]
    pub text_limit: usize,
}

impl Executable for CompareSections {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Show what a thesis has in common with another one, side by side",
            "compare_sections thesis.docx older.pdf --ignore_quoted --page copied.html",
        ),
        (
            "Compare the near-duplicates that find_near_dups has found",
            "compare_sections docs/ --pairs pairs.tsv --format json --out copied.jsonl",
        ),
    ];

    /// Writes the reports. Fails at the line of a pair whose document the input lacks. Memory: the texts of all pairs, and 24 bytes per word.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = self.inputs()?;
        let filters = self.filters.load(self.options.analyzer())?;
        let files = corpus::find(&inputs)?;
        let outputs = self.outputs(&inputs, &files, session)?;
        let listed = self.listed_pairs()?;
        let read = corpus::read(&inputs, files, session, |documents| {
            StoredDocuments::of(documents, |id| listed.as_ref().is_none_or(|pairs| pairs.has(id)))
        })?;
        let stored = StoredDocument::all(&read);
        let pairs = match &listed {
            Some(listed) => listed.resolve(&stored)?,
            None => vec![only_pair(&read)?],
        };
        let documents = self.prepared(&stored, &filters, session)?;
        self.write_reports(outputs, &pairs, &documents, session)?;
        Ok(Counts {
            unreadable: read.skipped.count(),
            ..Counts::new((read.ids.len() as u64, "documents"), (pairs.len() as u64, "comparisons"))
        })
    }
}

/// Files being written.
struct ReportOutputs {
    report: Output,
    page: Option<Output>,
}

impl CompareSections {
    fn inputs(&self) -> Result<Inputs> {
        self.options.check()?;
        let inputs = Inputs::new(self.documents.clone());
        inputs.check_decoded()?;
        let files = [("pairs", self.pairs.as_deref()), ("id_file", self.id_file.as_deref())];
        check_streams("input", &files)?;
        let lists = files.iter().filter_map(|(_, path)| *path);
        self.filters.check_streams(inputs.paths().chain(lists))?;
        let reads_stream = files.iter().any(|(_, path)| path.is_some_and(is_stream));
        if reads_stream && inputs.paths().any(is_stream) {
            return Err(Error::Usage("only one input can be standard input".into()));
        }
        check_streams("output", &[("out", Some(&*self.out)), ("page", self.page.as_deref())])?;
        Ok(inputs)
    }

    /// Begins the outputs, none of which may be a file that the run reads.
    fn outputs(
        &self,
        inputs: &Inputs,
        files: &InputFiles,
        session: &Session,
    ) -> Result<ReportOutputs> {
        let lists = [self.pairs.as_deref(), self.id_file.as_deref()].into_iter().flatten();
        let lists = lists.chain(self.filters.paths());
        let paths = lists.chain(inputs.paths()).chain(files.paths());
        let publisher = Publisher::new(session, paths.map(Cow::<Path>::from));
        let report = publisher.create(&self.out)?;
        let page = self.page.as_deref().map(|page| publisher.create(page)).transpose()?;
        Ok(ReportOutputs { report, page })
    }

    fn listed_pairs(&self) -> Result<Option<DocumentPairs>> {
        let names = self.id_file.as_deref().map(IdNames::read).transpose()?;
        let read = |path: &FlagPath| DocumentPairs::read(path, names.as_ref());
        self.pairs.as_ref().map(read).transpose()
    }

    /// Splits all documents into sections and words.
    fn prepared<'a>(
        &self,
        stored: &'a [StoredDocument<'a>],
        filters: &LoadedFilters,
        session: &Session,
    ) -> Result<Vec<ReportedDocument<'a>>> {
        session.phase("splitting documents", None);
        let prepare = |document: &'a StoredDocument<'a>| ReportedDocument {
            id: document.id,
            content: self.content(document, filters),
            lines: LineStarts::new(document.text),
        };
        let mut documents: Vec<ReportedDocument<'a>> =
            session.install(|| stored.par_iter().map(prepare).collect());
        if let (Some(only), Some(first)) = (&self.only, documents.first_mut()) {
            first.content.restrict(only)?;
        }
        Ok(documents)
    }

    fn content<'a>(
        &self,
        document: &StoredDocument<'a>,
        filters: &LoadedFilters,
    ) -> SectionText<'a> {
        let StoredDocument { text, headings, .. } = document;
        SectionText::with_filters(text, headings, &self.options, &filters.filters)
    }

    /// Compares all pairs, and publishes their reports.
    fn write_reports(
        &self,
        outputs: ReportOutputs,
        pairs: &[[usize; 2]],
        documents: &[ReportedDocument<'_>],
        session: &Session,
    ) -> Result<()> {
        let ReportOutputs { mut report, page } = outputs;
        let mut shown = SectionPage::new(&self.title, self.command_line(), &self.options);
        session.phase("comparing documents", Some(pairs.len() as u64));
        self.compare_all(pairs, documents, session, |compared| {
            if page.is_some() && shown.len() < self.most_pairs {
                shown.add(&compared, self.text_limit);
            }
            report.write(self.formatted(&compared).as_bytes())
        })?;
        let page = page.map(|page| shown.write(page)).transpose()?;
        let parts = page.into_iter().chain([report]).map(Output::close);
        let parts = parts.collect::<Result<Vec<Part>>>()?;
        Publisher::of_no_input(session).publish(vec![parts])
    }

    /// Compares pairs on all threads, and passes the reports to `sink` in order.
    fn compare_all<'a>(
        &'a self,
        pairs: &[[usize; 2]],
        documents: &'a [ReportedDocument<'a>],
        session: &Session,
        mut sink: impl FnMut(PairReport<'a>) -> Result<()>,
    ) -> Result<()> {
        let report = |pair: &[usize; 2]| {
            let [document, source] = pair.map(|number| &documents[number]);
            let comparison = compare(&document.content, &source.content, &self.options);
            PairReport::new(document, source, &self.options, comparison, self.most_passages)
        };
        let chunk = PAIRS_PER_THREAD * session.install(rayon::current_num_threads);
        for chunk in pairs.chunks(chunk) {
            let reports: Vec<PairReport<'a>> =
                session.install(|| chunk.par_iter().map(report).collect());
            reports.into_iter().try_for_each(&mut sink)?;
            session.advance(chunk.len() as u64);
        }
        Ok(())
    }

    fn formatted(&self, report: &PairReport<'_>) -> String {
        match self.report_form {
            ReportForm::Json => report.json(),
            // A blank line separates the reports of several pairs.
            ReportForm::Text if self.pairs.is_some() => report.text() + "\n",
            ReportForm::Text => report.text(),
        }
    }
}

/// Documents of the pairs, of one batch.
pub(crate) struct StoredDocuments {
    /// All documents of the batch.
    total: usize,
    /// Texts and headings, with their numbers in the batch.
    stored: Vec<(usize, String, Vec<Heading>)>,
}

impl StoredDocuments {
    /// Stores the wanted documents of a batch.
    pub fn of(documents: &[InputDocument<'_>], is_wanted: impl Fn(&str) -> bool) -> Self {
        let wanted = documents.iter().enumerate().filter(|(_, document)| is_wanted(&document.id));
        let store = |(number, document): (usize, &InputDocument<'_>)| {
            (number, document.text.to_string(), document.headings.clone())
        };
        StoredDocuments { total: documents.len(), stored: wanted.map(store).collect() }
    }
}

/// A document of a pair.
pub(crate) struct StoredDocument<'a> {
    pub id: &'a str,
    pub text: &'a str,
    headings: &'a [Heading],
}

impl<'a> StoredDocument<'a> {
    /// Returns the stored documents, in input order.
    pub fn all(read: &'a Documents<StoredDocuments>) -> Vec<Self> {
        let (mut documents, mut first) = (Vec::new(), 0);
        for batch in &read.batches {
            for (number, text, headings) in &batch.stored {
                documents.push(StoredDocument { id: read.ids.get(first + number), text, headings });
            }
            first += batch.total;
        }
        documents
    }
}

/// Returns the pair of a run without a list of pairs.
///
/// # Errors
/// Other than two documents, or unreadable input: a missing document must not be replaced by the next one.
pub(crate) fn only_pair(read: &Documents<StoredDocuments>) -> Result<[usize; 2]> {
    if let Some(skip) = read.skipped.first.first() {
        return Err(Error::Message(skip.to_string()));
    }
    match read.ids.len() {
        2 => Ok([0, 1]),
        found => Err(Error::Message(format!(
            "expected two documents, found {found} (--pairs compares pairs of more)"
        ))),
    }
}

/// Returns the ids of a set of documents as the input may have them: without the numbers of repeated ids.
pub(crate) fn input_ids<'a>(ids: impl Iterator<Item = &'a str>) -> FxHashSet<String> {
    ids.flat_map(|id| [id, corpus::unnumbered(id)]).map(String::from).collect()
}
