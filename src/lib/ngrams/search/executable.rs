//! `ngram_search`: finds the sources of documents in an index.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use clap::Parser;
use serde::Serialize;

use super::aligned::{SearchAlignment, SourceAligner};
use super::batch::{BatchOptions, KnownSource, SearchBatch, SearchedDocument};
use super::candidates::{CandidateLimits, SearchedStore};
use super::matches::{SearchLimits, find_sources};
use super::output::SearchOutput;
use super::page::{PageHead, SearchedPage};
use super::query::NgramQuery;
use super::report::SearchReport;
use super::results::{ResultContent, ResultFiles, SearchForm};
use super::times::{PhaseTime, SearchTimes};
use crate::corpus::{self, InputArgs, InputDocument, InputFiles, InputFormat, Inputs, Streams};
use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, within};
use crate::executable::{Counts, Executable, FlagPath, ShardFlags, Step, counted};
use crate::files::is_stream;
use crate::files::names::Names;
use crate::files::output::{Publisher, temporary_names};
use crate::ngrams::add::{AddOptions, RepeatPolicy, add_documents};
use crate::ngrams::grams::NgramLengths;
use crate::ngrams::identity::Identities;
use crate::ngrams::kinds::NgramKind;
use crate::ngrams::normalizer::Normalizer;
use crate::ngrams::rules::NgramPreset;
use crate::ngrams::stems::StemHasher;
use crate::ngrams::store::{CatalogueEntry, DocumentKey, IndexParameters, NgramStore, StoreArgs};
use crate::session::Session;

/// Help of the inputs.
const INPUT_HELP: &str = "Suspicious documents: folder, file, archive, in any format of find_near_dups, or '-' for a text on standard input";

/// Finds the documents of an n-gram index that a text was copied from: for each paragraph and source, the share of common n-grams and the
/// longest common run of words; and the passages of both texts that resemble each other, also obfuscated ones
#[derive(Debug, Clone, Parser, Serialize)]
#[command(
    name = "ngram_search",
    version,
    rename_all = "snake_case",
    // The results have a format too.
    mut_arg("format", |argument| argument.long("input_format")),
    mut_arg("inputs", |argument| argument.help(INPUT_HELP))
)]
pub struct NgramSearch {
    /// The suspicious documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub inputs: InputArgs,
    /// Where the index is.
    #[command(flatten)]
    #[serde(flatten)]
    pub place: StoreArgs,
    /// Text before paths and ids of the suspicious documents, as in the index: a document is no source of itself
    #[arg(long, value_name = "TEXT", default_value = "", help_heading = "Index")]
    pub prefix: String,
    /// Add the documents to the index after the search, those that it has excepted; documents of one run do not find each other
    #[arg(long, help_heading = "Index")]
    pub add: bool,
    /// Length of n-grams in words; the shortest of the index by default
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one, help_heading = "Search")]
    pub length: Option<usize>,
    /// Defaults of --accuracy, --min_run and --add: pekar 50, 7, no; mensik 20, 0, yes; otherwise 50, 15, no
    #[arg(long, value_name = "NAME", default_value = "default", help_heading = "Search")]
    pub preset: NgramPreset,
    /// List sources that hold P percent of the n-grams of a paragraph or of the whole document, 0 to 100
    #[arg(short, long, value_name = "P", value_parser = percent, help_heading = "Search")]
    pub accuracy: Option<f64>,
    /// List sources with a common run of W consecutive words, too; 0 for none. In an index with --winnow, sources are listed that may have one
    #[arg(short, long, value_name = "W", help_heading = "Search")]
    pub min_run: Option<usize>,
    /// Method of alignment: how passages are found in candidates
    #[arg(long, value_name = "METHOD", default_value = "sentences", help_heading = "Passages")]
    pub align: SearchAlignment,
    /// Minimum score of a candidate: the sum of ln(documents / documents with it) over the n-grams of stems in common. Sources by --accuracy or --min_run are candidates, too. In an index without stems, all documents with common n-grams are
    #[arg(long, value_name = "S", default_value_t = CandidateLimits::default().min_score, value_parser = score, help_heading = "Passages")]
    pub min_score: f64,
    /// Ignore n-grams of stems that more than N documents hold
    #[arg(long, value_name = "N", default_value_t = CandidateLimits::default().max_frequency, value_parser = at_least_one, help_heading = "Passages")]
    pub max_df: usize,
    /// Maximum number of candidates per document, those with the highest scores, besides sources by --accuracy or --min_run
    #[arg(long, value_name = "N", default_value_t = CandidateLimits::default().max_candidates, help_heading = "Passages")]
    pub max_candidates: usize,
    /// Ignore words in quotation marks and block quotes; a passage may still span them
    #[arg(long, help_heading = "Search")]
    pub ignore_quoted: bool,
    /// Form of the results
    #[arg(long = "format", value_name = "FORM", default_value = "text", help_heading = "Results")]
    pub search_form: SearchForm,
    /// Add details: texts, places of sources and candidates to xml, texts and bytes to jsonl
    #[arg(short = 'w', long, help_heading = "Results")]
    pub details: bool,
    /// Title of the HTML page
    #[arg(long, value_name = "TEXT", default_value = "Copied passages", help_heading = "Results")]
    pub title: String,
    /// Maximum number of sources per document on the HTML page, the most similar ones
    #[arg(long, value_name = "N", default_value = "100", value_parser = at_least_one, help_heading = "Results")]
    pub most_sources: usize,
    /// Maximum length of a text on the HTML page in bytes; longer texts are truncated
    #[arg(long, value_name = "N", default_value = "2000000", value_parser = at_least_one, help_heading = "Results")]
    pub text_limit: usize,
    /// Write the results to FILE, or with a '/' at its end to a folder with one file per document
    #[arg(long, value_name = "FILE", default_value = "-", help_heading = "Results")]
    pub out: FlagPath,
    /// The part of the suspicious documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

impl Executable for NgramSearch {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Find the sources of a thesis",
            "ngram_search thesis.docx --index index -a 50 -m 7 --format xml --out thesis.xml",
        ),
        ("Search a text on standard input", "ngram_search - --index index --format jsonl"),
    ];

    /// Searches all documents. Memory: a few documents and their sources per thread, 40 times the largest text; for one HTML page,
    /// all texts on it.
    fn run(&self, session: &Session) -> Result<Counts> {
        let mut target = self.target()?;
        let mut inputs = self.inputs(&target.path)?;
        let files = corpus::find(&inputs)?;
        let files = self.part(&mut inputs, files, &mut target, session)?;
        let opening = PhaseTime::default();
        let store = opening.measure(|| self.place.open(session))?;
        let reads = inputs.paths().chain(files.paths()).map(Cow::from);
        let publisher =
            Publisher::new(session, reads.chain(store.paths().into_iter().map(Cow::from)));
        let parameters = store.parameters();
        let config = parameters.map(|parameters| parameters.config.clone()).unwrap_or_default();
        let normalizer = Normalizer::new(&config);
        let search = self.prepare(&*store, &normalizer, &files, session)?;
        let (form, head) = (self.search_form, search.page_head());
        let results = ResultFiles::create(form, target, head, &publisher, session)?;
        let publisher = publisher.after_checks();
        let mut output = SearchOutput {
            options: self,
            batch_options: search.batch_options(&self.inputs),
            batch: SearchBatch::default(),
            results,
            found: 0,
            unread: BTreeSet::new(),
            times: &search.times,
        };
        let find = |documents: &[InputDocument<'_>]| {
            let found = documents.iter().map(|document| search.find(document));
            (Names::default(), found.collect::<Vec<Result<SearchedDocument>>>())
        };
        let listing = corpus::scan(&inputs, files, None, session, find, |found, _| {
            found.into_iter().try_for_each(|one| output.add(one?)).map(|()| Vec::new())
        })?;
        output.flush()?;
        session.detail(&format!("index opened in {opening}; {}", search.times));
        output.report_unread(session);
        let found = output.found;
        let unreadable = listing.skipped.count() + output.unread.len() as u64;
        publisher.publish(vec![output.results.close()?])?;
        drop(store);
        if self.adds() {
            self.add_documents(&inputs, session)?;
        }
        Ok(Counts {
            read: (listing.documents as u64, "documents"),
            skipped: (unreadable, "unreadable files, records or sources"),
            written: (found, "sources"),
            unreadable,
        })
    }
}

impl NgramSearch {
    fn adds(&self) -> bool {
        self.add || self.preset == NgramPreset::Mensik
    }

    fn candidates(&self) -> CandidateLimits {
        CandidateLimits {
            min_score: self.min_score,
            max_frequency: self.max_df,
            max_candidates: self.max_candidates,
        }
    }

    /// Returns the results of a document in their form.
    pub(super) fn content(&self, report: &SearchReport<'_>) -> ResultContent {
        let mut text = String::new();
        match self.search_form {
            SearchForm::Text => report.write_text(&mut text),
            SearchForm::Xml => report.write_xml(&mut text),
            SearchForm::Pan => report.write_pan(&mut text),
            SearchForm::Jsonl => report.write_jsonl(&mut text),
            SearchForm::Html => {
                let page = SearchedPage::new(report, self.text_limit);
                return ResultContent::Page(Box::new(page));
            }
        }
        ResultContent::Text(text)
    }

    /// Returns the documents to read; those to add are read twice. Standard input is one text.
    fn inputs(&self, out: &Path) -> Result<Inputs> {
        let mut args = self.inputs.clone();
        let reads_text = args.inputs.iter().all(|input| is_stream(input));
        if args.format == InputFormat::Auto && reads_text {
            args.format = InputFormat::Text;
        }
        let streams = if self.adds() { Streams::spooled() } else { Streams::once() };
        let leftovers = temporary_names(out).into();
        let inputs = Inputs { streams, leftovers, ..Inputs::new(args) };
        inputs.check_decoded()?;
        Ok(inputs)
    }

    /// Returns the limits; a run shorter than an n-gram cannot be found.
    fn limits(&self, length: usize, window: usize, session: &Session) -> SearchLimits {
        let (accuracy, min_run) = match self.preset {
            NgramPreset::Default => (50.0, 15),
            NgramPreset::Pekar => (50.0, 7),
            NgramPreset::Mensik => (20.0, 0),
        };
        let min_run = self.min_run.unwrap_or(min_run);
        if (1..length).contains(&min_run) {
            session.info(&format!("runs of at least {length} words, the length of n-grams"));
        }
        SearchLimits {
            accuracy: self.accuracy.unwrap_or(accuracy),
            min_run: (min_run > 0).then_some(min_run.max(length)),
            shortfall: SearchLimits::shortfall(window),
        }
    }

    fn prepare<'s>(
        &'s self,
        store: &'s dyn NgramStore,
        normalizer: &'s Normalizer,
        files: &InputFiles,
        session: &'s Session,
    ) -> Result<PreparedSearch<'s>> {
        let counts = store.counts()?;
        let kinds = counts.lengths.iter().map(|(key, _)| NgramKind::of_key(*key));
        let lengths: Vec<usize> = kinds.filter_map(NgramKind::length).collect();
        let length = match self.length {
            Some(length) if !lengths.is_empty() && !lengths.contains(&length) => {
                let known: Vec<String> = lengths.iter().map(usize::to_string).collect();
                let known = known.join(", ");
                let message = format!("expected a length of the index ({known}), found {length}");
                return Err(Error::Usage(format!("--length: {message}")));
            }
            Some(length) => length,
            None => lengths.first().copied().unwrap_or(NgramLengths::default().as_slice()[0]),
        };
        let parameters = store.parameters();
        let window = parameters.map_or(1, |parameters| parameters.winnow);
        Ok(PreparedSearch {
            options: self,
            index: SearchedStore {
                store,
                documents: counts.documents,
                has_stems: parameters.is_some_and(|parameters| parameters.stems),
            },
            names: Identities::new(&self.prefix, files, self.inputs.follow),
            normalizer,
            stems: OnceLock::new(),
            length,
            window,
            limits: self.limits(length, window, session),
            times: SearchTimes::default(),
            session,
        })
    }

    fn add_documents(&self, inputs: &Inputs, session: &Session) -> Result<()> {
        let files = corpus::find(inputs)?;
        let mut writer = self.place.open_existing_writer(session)?;
        let store = writer.store();
        let lengths = store.map(|store| store.counts()).transpose()?.unwrap_or_default().lengths;
        let kinds = lengths.iter().map(|(key, _)| NgramKind::of_key(*key));
        let lengths: Vec<String> =
            kinds.filter_map(NgramKind::length).map(|length| length.to_string()).collect();
        let known = store.and_then(|store| store.parameters()).cloned();
        let options = AddOptions {
            prefix: &self.prefix,
            lengths: lengths.join(",").parse().unwrap_or_default(),
            parameters: known.unwrap_or_else(|| IndexParameters::of(self.preset)),
            repeated: RepeatPolicy::Skip,
            is_part: false,
        };
        let added = add_documents(&mut *writer, inputs, files, &options, session)?;
        writer.commit()?;
        session.info(&format!("{} added to the index", counted(added.added, "documents")));
        Ok(())
    }
}

/// A search of many documents.
struct PreparedSearch<'s> {
    options: &'s NgramSearch,
    index: SearchedStore<'s>,
    names: Identities,
    normalizer: &'s Normalizer,
    stems: OnceLock<StemHasher>,
    length: usize,
    window: usize,
    limits: SearchLimits,
    times: SearchTimes,
    session: &'s Session,
}

impl PreparedSearch<'_> {
    /// Finds the sources and candidates of a document.
    fn find(&self, document: &InputDocument<'_>) -> Result<SearchedDocument> {
        let (own, extension) = (self.names.entry(document), self.names.extension(document));
        let rules = self.normalizer.of_type(&extension);
        let ignores_quoted = self.options.ignore_quoted;
        let query = self.times.ngrams.measure(|| {
            let (length, window) = (self.length, self.window);
            // The lists of stop words are compiled while the first text is split, and directories of the index are read while its words are stemmed.
            let stems =
                || self.finds_candidates().then(|| self.stems.get_or_init(StemHasher::default));
            let split = || NgramQuery::new(&document.text, rules, length, window, ignores_quoted);
            let (query, stems) = self.session.install(|| rayon::join(split, stems));
            let Some(stems) = stems else { return query };
            let prepare = || {
                let kinds = [NgramKind::Words(length), NgramKind::Stems];
                kinds.iter().for_each(|kind| self.index.store.prepare_lookup(kind.key()));
            };
            self.session.install(|| rayon::join(|| query.with_stems(stems), prepare)).0
        });
        let sources = self.times.lookup.measure(|| {
            // A pipe holds another text each time.
            self.sources(&query, &self.names.stored_entry(document))
        })?;
        let name = document.id.to_string();
        Ok(SearchedDocument { name, entry: own, extension, query, sources })
    }

    /// Returns whether n-grams of stems are looked up.
    fn finds_candidates(&self) -> bool {
        self.index.has_stems && self.options.align != SearchAlignment::None
    }

    /// Returns the sources and candidates of a document, which is no source of itself.
    fn sources(&self, query: &NgramQuery, own: &CatalogueEntry) -> Result<Vec<KnownSource>> {
        let store = self.index.store;
        let aligns = self.options.align != SearchAlignment::None;
        let (matches, own_key) = self.index.look_up(query, own, aligns, self.session)?;
        let candidates = match aligns {
            true => self.index.candidates(query, &matches, self.options.candidates(), own_key),
            false => Vec::new(),
        };
        let mut sources = Vec::new();
        let keys: Vec<DocumentKey> = candidates.iter().map(|own| own.document).collect();
        for found in find_sources(query, &matches.words, self.limits, &keys) {
            if Some(found.document) != own_key {
                let candidate = keys.binary_search(&found.document).ok();
                let score = candidate.map(|at| candidates[at].score);
                sources.push(KnownSource::new(store.entry(found.document)?, found, score));
            }
        }
        Ok(sources)
    }

    fn batch_options<'o>(&'o self, inputs: &'o InputArgs) -> BatchOptions<'o> {
        BatchOptions {
            aligner: SourceAligner::new(self.options.align, self.length, self.limits),
            normalizer: self.normalizer,
            inputs,
            threads: rayon::current_num_threads(),
            keeps_texts: self.options.search_form == SearchForm::Html,
        }
    }

    /// Returns what the pages of all documents have in common.
    fn page_head(&self) -> PageHead {
        // Pages do not depend on parts.
        let whole = NgramSearch { shards: ShardFlags::default(), ..self.options.clone() };
        PageHead {
            title: self.options.title.clone(),
            made_by: whole.command_line(),
            length: self.length,
            accuracy: self.limits.accuracy,
            min_run: self.limits.min_run,
        }
    }
}

/// Parses a score.
fn score(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1e6)
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    within(text.trim_end_matches('%'), 0.0, 100.0)
}
