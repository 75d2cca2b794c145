//! `report_pairs`: reads pairs and documents, selects the pairs to show, and writes the report.

use std::borrow::Cow;

use clap::Parser;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::documents::{DocumentTable, PageBuilder};
use super::findings::Findings;
use super::html::{self, text_parts};
use super::selection::{histogram, least, round_robin};
use super::{PageDocument, PairPage};
use crate::corpus::{self, Documents, InputArgs, InputDocument, InputFiles, Inputs};
use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, share_or_percent};
use crate::executable::{Counts, Executable, FlagPath, Step, check_streams};
use crate::files::ids::IdNames;
use crate::files::is_stream;
use crate::files::output::Publisher;
use crate::session::Session;
use crate::text::AnalyzerOptions;

/// Writes pairs of near-duplicates as one self-contained HTML file: figures and a histogram, clusters to sort and filter, and for every pair
/// both texts with their differences and top contributing terms. It needs no server and no network
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "report_pairs", version, rename_all = "snake_case")]
pub struct ReportPairs {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: InputArgs,
    /// Folder or file of existing documents, as given to find_near_dups
    #[arg(long, value_name = "INPUT", help_heading = "Documents")]
    pub against: Vec<FlagPath>,
    /// Pairs: a table of find_near_dups (TSV, CSV, JSON Lines), or a result of similarity, hamming or hamming_full
    #[arg(long, value_name = "FILE", help_heading = "Pairs")]
    pub pairs: FlagPath,
    /// Clusters: a table of find_near_dups; without it, clusters are connected components
    #[arg(long, value_name = "FILE", help_heading = "Pairs")]
    pub clusters: Option<FlagPath>,
    /// Id file of create_bows, for results of a numbered collection
    #[arg(long, value_name = "FILE", help_heading = "Pairs")]
    pub id_file: Option<FlagPath>,
    /// Threshold of the search, to be shown in the report: a cosine such as 0.8, or 80 or 80% for percent
    #[arg(long, value_name = "T", help_heading = "Pairs", value_parser = share_or_percent)]
    pub threshold: Option<f64>,
    /// Write the report to FILE
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub out: FlagPath,
    /// Report title
    #[arg(long, value_name = "TEXT", help_heading = "Report", default_value = "Near-duplicates")]
    pub title: String,
    /// Maximum number of pairs: the most similar of every cluster, then the second of every cluster, and so on
    #[arg(long, value_name = "N", help_heading = "Report", default_value = "10000", value_parser = at_least_one)]
    pub most_pairs: usize,
    /// Maximum length of a text in bytes; longer texts are truncated
    #[arg(long, value_name = "N", help_heading = "Report", default_value = "200000", value_parser = at_least_one)]
    pub text_limit: usize,
    /// Number of words per term, as in find_near_dups
    #[arg(long, value_name = "K", help_heading = "Report", default_value = "1", value_parser = at_least_one)]
    pub shingle_size: usize,
    /// Do not fold words, as in find_near_dups
    #[arg(long, help_heading = "Report")]
    pub no_fold: bool,
}

impl Executable for ReportPairs {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Show the pairs and clusters of find_near_dups",
            "report_pairs docs/ --pairs pairs.tsv --clusters clusters.tsv --out report.html",
        ),
        (
            "Show a result of the pipeline",
            "report_pairs --format list doc_list --pairs ham --out report.html",
        ),
    ];

    /// Writes the report. Fails at the line of a pair or cluster whose document the input lacks. Memory: all pairs, and the texts shown.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = self.inputs()?;
        let files = corpus::find(&inputs)?;
        let mut out = self.publisher(&inputs, &files, session).create(&self.out)?;
        let names = self.id_file.as_deref().map(IdNames::read).transpose()?;
        let findings = Findings::read(&self.pairs, self.clusters.as_deref(), names.as_ref())?;
        let selected = round_robin(&findings.groups, &findings.pairs, self.most_pairs);
        let shown = shown_documents(&findings, &selected);
        let ids = shown_ids(&findings, &shown);
        let read = corpus::read(&inputs, files, session, |documents| {
            ShownTexts::of(documents, |id| ids.contains(id))
        })?;
        self.check_documents(&findings, &read)?;
        session.phase("writing the report", None);
        let table = self.document_table(&findings, &shown, &read);
        let page = self.page(&findings, &selected, &shown, table, &read);
        html::write(&page, |bytes| out.write(bytes))?;
        out.finish()?;
        Ok(Counts {
            read: (page.documents_total, "documents"),
            skipped: (page.pairs_total - page.pairs_shown, "pairs beyond --most_pairs"),
            written: (page.pairs_shown, "pairs"),
            unreadable: read.skipped.count(),
        })
    }
}

impl ReportPairs {
    fn inputs(&self) -> Result<Inputs> {
        let existing = self.against.clone();
        let inputs = Inputs { existing, ..Inputs::new(self.documents.clone()) };
        inputs.check_decoded()?;
        let files = [
            ("pairs", Some(&*self.pairs)),
            ("clusters", self.clusters.as_deref()),
            ("id_file", self.id_file.as_deref()),
        ];
        check_streams("input", &files)?;
        let reads_stream = files.iter().any(|(_, path)| path.is_some_and(is_stream));
        if reads_stream && inputs.paths().any(is_stream) {
            return Err(Error::Usage("only one input can be standard input".into()));
        }
        Ok(inputs)
    }

    /// Returns how texts become terms.
    fn term_rules(&self) -> AnalyzerOptions {
        AnalyzerOptions { fold: !self.no_fold, ..AnalyzerOptions::letters(self.shingle_size) }
    }

    /// Returns the publisher of a report on these documents.
    fn publisher<'a>(
        &'a self,
        inputs: &'a Inputs,
        files: &'a InputFiles,
        session: &Session,
    ) -> Publisher<'a> {
        let findings = [Some(&*self.pairs), self.clusters.as_deref(), self.id_file.as_deref()];
        let documents = inputs.paths().chain(files.paths());
        Publisher::new(session, findings.into_iter().flatten().chain(documents).map(Cow::from))
    }

    /// Fails if the pairs or clusters name a document that was not read.
    fn check_documents(&self, findings: &Findings, read: &Documents<ShownTexts>) -> Result<()> {
        let mut is_read = vec![false; findings.ids.len()];
        for number in read.ids.iter().filter_map(|id| findings.ids.get(id)) {
            is_read[number as usize] = true;
        }
        let missing = is_read.iter().position(|is_read| !is_read);
        missing.map_or(Ok(()), |number| {
            Err(findings.ids.missing(number as u32, &self.pairs, self.clusters.as_deref()))
        })
    }

    /// Collects the documents shown, in the order of their numbers.
    fn document_table(
        &self,
        findings: &Findings,
        shown: &[u32],
        read: &Documents<ShownTexts>,
    ) -> DocumentTable {
        let mut table = DocumentTable::new(shown.len(), self.text_limit, self.term_rules());
        let mut first = 0;
        for batch in &read.batches {
            for (number, text) in &batch.texts {
                let document = first + number;
                let id = read.ids.get(document);
                // Several documents may have had one id.
                if let Some(position) = position_of(findings, shown, id) {
                    table.set(position, id, text, document < read.first_new);
                }
            }
            first += batch.documents;
        }
        table
    }

    fn page(
        &self,
        findings: &Findings,
        selected: &[Vec<u32>],
        shown: &[u32],
        table: DocumentTable,
        read: &Documents<ShownTexts>,
    ) -> PairPage {
        let (clusters, terms) = PageBuilder::new(findings, shown, &table).clusters(selected);
        let documents: Vec<PageDocument> =
            table.documents.into_iter().map(|(document, _)| document).collect();
        let numbered = findings.groups.iter().filter(|group| group.number.is_some());
        PairPage {
            title: self.title.clone(),
            made_by: self.command_line(),
            score: if findings.scores_are_cosines { "cosine" } else { "similarity" },
            threshold: self.threshold,
            least: least(&findings.pairs),
            documents_total: read.ids.len() as u64,
            copies: exact_duplicates(read),
            removable: numbered.clone().map(|group| group.size.saturating_sub(1)).sum(),
            pairs_total: findings.pairs.len() as u64,
            pairs_shown: clusters.iter().map(|cluster| cluster.pairs.len() as u64).sum(),
            clusters_total: numbered.count() as u64,
            clusters_shown: clusters.iter().filter(|c| c.number.is_some()).count() as u64,
            text_limit: self.text_limit as u64,
            is_folded: !self.no_fold,
            histogram: histogram(&findings.pairs, self.threshold),
            terms,
            text_parts: text_parts(&documents),
            documents,
            clusters,
        }
    }
}

/// Texts of the documents shown, of one batch.
struct ShownTexts {
    documents: usize,
    /// Texts with their numbers in the batch.
    texts: Vec<(usize, String)>,
}

impl ShownTexts {
    fn of(documents: &[InputDocument], is_shown: impl Fn(&str) -> bool) -> Self {
        let shown = documents.iter().enumerate().filter(|(_, document)| is_shown(&document.id));
        let texts = shown.map(|(number, document)| (number, document.text.to_string())).collect();
        ShownTexts { documents: documents.len(), texts }
    }
}

/// Returns the ids of the documents shown as the input may have them: without the numbers of repeated ids.
fn shown_ids(findings: &Findings, shown: &[u32]) -> FxHashSet<String> {
    let ids = findings.ids.iter().filter(|(_, number)| shown.binary_search(number).is_ok());
    ids.flat_map(|(id, _)| [id, corpus::unnumbered(id)]).map(String::from).collect()
}

/// Returns the position of a document among those shown.
fn position_of(findings: &Findings, shown: &[u32], id: &str) -> Option<usize> {
    findings.ids.get(id).and_then(|number| shown.binary_search(&number).ok())
}

/// Counts the new documents with the same text as an earlier one.
fn exact_duplicates(read: &Documents<ShownTexts>) -> u64 {
    let mut texts = FxHashSet::default();
    let is_duplicate =
        |(number, hash): &(usize, &u64)| !texts.insert(**hash) && *number >= read.first_new;
    read.text_hashes.iter().enumerate().filter(is_duplicate).count() as u64
}

/// Returns the documents of the selected pairs and the first documents of their clusters, ascending.
fn shown_documents(findings: &Findings, selected: &[Vec<u32>]) -> Vec<u32> {
    let mut shown = Vec::new();
    for (group, pairs) in findings.groups.iter().zip(selected) {
        if !pairs.is_empty() {
            shown.push(group.first);
        }
        let pairs = pairs.iter().map(|pair| &findings.pairs[*pair as usize]);
        shown.extend(pairs.flat_map(|pair| [pair.left, pair.right]));
    }
    shown.sort_unstable();
    shown.dedup();
    shown
}
