//! `ngram_search`: finds the sources of documents in an index.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use serde::Serialize;

use super::matches::{SearchLimits, find_sources};
use super::page::{PageHead, SearchedPage};
use super::passages::{LocatedSource, exact_passages};
use super::query::NgramQuery;
use super::report::{LocatedPassage, SearchedDocument};
use super::results::{ResultContent, ResultFiles, SearchForm, SearchResult};
use super::sources::{CharacterCounts, KnownSource, read_texts};
use super::times::{PhaseTime, SearchTimes};
use crate::corpus::{self, InputArgs, InputDocument, InputFiles, InputFormat, Inputs, Streams};
use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, within};
use crate::executable::{Counts, Executable, FlagPath, Step, counted};
use crate::files::is_stream;
use crate::files::names::Names;
use crate::files::output::{Publisher, temporary_names};
use crate::ngrams::add::{AddOptions, RepeatPolicy, add_documents};
use crate::ngrams::grams::NgramLengths;
use crate::ngrams::identity::Identities;
use crate::ngrams::normalizer::Normalizer;
use crate::ngrams::rules::NgramPreset;
use crate::ngrams::store::{NgramStore, StoreArgs};
use crate::session::Session;

/// Help of the inputs.
const INPUT_HELP: &str = "Suspicious documents: folder, file, archive, in any format of find_near_dups, or '-' for a text on standard input";

/// Finds the documents of an n-gram index that a text was copied from: for each paragraph and source, the share of common n-grams and the
/// longest common run of words
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
    /// Add the documents to the index after the search, those that it has excepted
    #[arg(long, help_heading = "Index")]
    pub add: bool,
    /// Length of n-grams in words; the shortest of the index by default
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one, help_heading = "Search")]
    pub length: Option<usize>,
    /// Defaults of --accuracy, --min_run and --add: pekar 50, 7, no; mensik 20, 0, yes; otherwise 50, 10, no
    #[arg(long, value_name = "NAME", default_value = "default", help_heading = "Search")]
    pub preset: NgramPreset,
    /// List sources that hold P percent of the n-grams of a paragraph or of the whole document, 0 to 100
    #[arg(short, long, value_name = "P", value_parser = percent, help_heading = "Search")]
    pub accuracy: Option<f64>,
    /// List sources with a common run of W consecutive words, too; 0 for none
    #[arg(short, long, value_name = "W", help_heading = "Search")]
    pub min_run: Option<usize>,
    /// Ignore n-grams with words in quotation marks and block quotes
    #[arg(long, help_heading = "Search")]
    pub ignore_quoted: bool,
    /// Form of the results
    #[arg(long = "format", value_name = "FORM", default_value = "text", help_heading = "Results")]
    pub search_form: SearchForm,
    /// Add details: passages and texts to xml, texts and bytes to jsonl
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
}

impl Executable for NgramSearch {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Find the sources of a thesis",
            "ngram_search thesis.docx --index index -a 50 -m 7 --format xml --out thesis.xml",
        ),
        ("Search a text on standard input", "ngram_search - --index index --format jsonl"),
    ];

    /// Searches all documents. Memory: a few documents and their sources per thread; for one HTML page, all texts on it.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = self.inputs()?;
        let files = corpus::find(&inputs)?;
        let opening = PhaseTime::default();
        let store = opening.measure(|| self.place.open(session))?;
        let reads = inputs.paths().chain(files.paths()).map(Cow::from);
        let publisher =
            Publisher::new(session, reads.chain(store.paths().into_iter().map(Cow::from)));
        let search = self.prepare(&*store, &files, session)?;
        let mut results = ResultFiles::create(self, search.page_head(), &publisher, session)?;
        let publisher = publisher.after_checks();
        let listing = corpus::scan(
            &inputs,
            files,
            None,
            session,
            |documents| (Names::default(), search.search_all(documents)),
            |found, _| found.into_iter().try_for_each(|one| results.add(one?)).map(|()| Vec::new()),
        )?;
        session.detail(&format!("index opened in {opening}; {}", search.times));
        let (found, unreadable) = (search.found.into_inner(), listing.skipped.count());
        publisher.publish(vec![results.close()?])?;
        drop(store);
        if self.adds() {
            self.add_documents(&inputs, session)?;
        }
        Ok(Counts {
            read: (listing.documents as u64, "documents"),
            skipped: (unreadable, "unreadable files or records"),
            written: (found, "sources"),
            unreadable,
        })
    }
}

impl NgramSearch {
    fn adds(&self) -> bool {
        self.add || self.preset == NgramPreset::Mensik
    }

    /// Returns the documents to read; those to add are read twice. Standard input is one text.
    fn inputs(&self) -> Result<Inputs> {
        let mut args = self.inputs.clone();
        let reads_text = args.inputs.iter().all(|input| is_stream(input));
        if args.format == InputFormat::Auto && reads_text {
            args.format = InputFormat::Text;
        }
        let streams = if self.adds() { Streams::spooled() } else { Streams::once() };
        let leftovers = temporary_names(&self.out).into();
        let inputs = Inputs { streams, leftovers, ..Inputs::new(args) };
        inputs.check_decoded()?;
        Ok(inputs)
    }

    /// Returns the limits; a run shorter than an n-gram cannot be found.
    fn limits(&self, length: usize, session: &Session) -> SearchLimits {
        let (accuracy, min_run) = match self.preset {
            NgramPreset::Default => (50.0, 10),
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
        }
    }

    fn prepare<'s>(
        &'s self,
        store: &'s dyn NgramStore,
        files: &InputFiles,
        session: &Session,
    ) -> Result<PreparedSearch<'s>> {
        let lengths: Vec<usize> =
            store.counts()?.lengths.into_iter().map(|(length, _)| length).collect();
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
        let config = parameters.map(|parameters| parameters.config.clone()).unwrap_or_default();
        Ok(PreparedSearch {
            options: self,
            store,
            names: Identities::new(&self.prefix, files, self.inputs.follow),
            normalizer: Normalizer::new(&config),
            length,
            window: parameters.map_or(1, |parameters| parameters.winnow),
            limits: self.limits(length, session),
            found: AtomicU64::new(0),
            times: SearchTimes::default(),
        })
    }

    fn add_documents(&self, inputs: &Inputs, session: &Session) -> Result<()> {
        let files = corpus::find(inputs)?;
        let mut writer = self.place.open_existing_writer(session)?;
        let store = writer.store();
        let lengths = store.map(|store| store.counts()).transpose()?.unwrap_or_default().lengths;
        let lengths: Vec<String> = lengths.iter().map(|(length, _)| length.to_string()).collect();
        let known = store.and_then(|store| store.parameters()).cloned();
        let options = AddOptions {
            prefix: &self.prefix,
            lengths: lengths.join(",").parse().unwrap_or_default(),
            parameters: known.unwrap_or_else(|| crate::ngrams::store::IndexParameters {
                config: self.preset.config(),
                winnow: 1,
            }),
            repeated: RepeatPolicy::Skip,
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
    store: &'s dyn NgramStore,
    names: Identities,
    normalizer: Normalizer,
    length: usize,
    window: usize,
    limits: SearchLimits,
    /// Sources found.
    found: AtomicU64,
    times: SearchTimes,
}

impl PreparedSearch<'_> {
    fn search_all(&self, documents: &[InputDocument<'_>]) -> Vec<Result<SearchResult>> {
        documents.iter().map(|document| self.search(document)).collect()
    }

    fn search(&self, document: &InputDocument<'_>) -> Result<SearchResult> {
        let own = self.names.entry(document);
        let rules = self.normalizer.of_type(&self.names.extension(document));
        let ignores_quoted = self.options.ignore_quoted;
        let query = self.times.ngrams.measure(|| {
            NgramQuery::new(&document.text, rules, self.length, self.window, ignores_quoted)
        });
        let mut sources = Vec::new();
        let lookup = || find_sources(&query, self.store, self.limits);
        for found in self.times.lookup.measure(lookup)? {
            let entry = self.store.entry(found.document)?;
            // A document is no source of itself.
            if entry.id != own.id {
                sources.push(KnownSource { entry, found, text: None });
            }
        }
        sources.sort_by(|left, right| {
            let rank = |source: &KnownSource| (source.found.common, source.found.run);
            rank(right).cmp(&rank(left)).then_with(|| left.entry.id.cmp(&right.entry.id))
        });
        self.found.fetch_add(sources.len() as u64, Ordering::Relaxed);
        let source_count = sources.len();
        if self.options.search_form == SearchForm::Html {
            sources.truncate(self.options.most_sources);
        }
        let passages = self.times.passages.measure(|| self.passages(&query, &mut sources));
        let searched = SearchedDocument {
            entry: &own,
            query: &query,
            sources: &sources,
            source_count,
            passages,
            has_details: self.options.details,
        };
        Ok(SearchResult {
            name: self.options.search_form.file_name(&document.id, &own),
            content: self.content(&searched),
        })
    }

    /// Returns the results of a document in their form.
    fn content(&self, searched: &SearchedDocument<'_>) -> ResultContent {
        let mut text = String::new();
        match self.options.search_form {
            SearchForm::Text => searched.write_text(&mut text),
            SearchForm::Xml => searched.write_xml(&mut text),
            SearchForm::Pan => searched.write_pan(&mut text),
            SearchForm::Jsonl => searched.write_jsonl(&mut text),
            SearchForm::Html => {
                let page = SearchedPage::new(searched, self.options.text_limit);
                return ResultContent::Page(Box::new(page));
            }
        }
        ResultContent::Text(text)
    }

    /// Returns what the pages of all documents have in common.
    fn page_head(&self) -> PageHead {
        PageHead {
            title: self.options.title.clone(),
            made_by: self.options.command_line(),
            length: self.length,
            accuracy: self.limits.accuracy,
            min_run: self.limits.min_run,
        }
    }

    /// Returns the passages by source, if the form of the results has them.
    fn passages(
        &self,
        query: &NgramQuery<'_>,
        sources: &mut [KnownSource],
    ) -> Vec<Vec<LocatedPassage>> {
        let has_passages = match self.options.search_form {
            SearchForm::Text => false,
            SearchForm::Xml => self.options.details,
            SearchForm::Pan | SearchForm::Jsonl | SearchForm::Html => true,
        };
        if !has_passages {
            return Vec::new();
        }
        read_texts(sources, &self.options.inputs);
        let counts = CharacterCounts::new(query.text);
        sources.iter().map(|source| self.source_passages(query, &counts, source)).collect()
    }

    fn source_passages(
        &self,
        query: &NgramQuery<'_>,
        counts: &CharacterCounts<'_>,
        source: &KnownSource,
    ) -> Vec<LocatedPassage> {
        let rules = self.normalizer.of_type(&crate::files::extension(&source.entry.path));
        let text = source.text.as_deref();
        let located = text.map(|text| LocatedSource::new(text, rules, self.length, self.window));
        let source_counts = text.map(CharacterCounts::new);
        let passages = exact_passages(query, &source.found.runs, located.as_ref());
        let place = |passage: crate::ngrams::search::NgramPassage| {
            let bytes = query.normal.bytes(passage.words.clone());
            let words = passage.source.clone().zip(located.as_ref()).zip(source_counts.as_ref());
            let source = words.map(|((words, located), counts)| {
                let bytes = located.normal.bytes(words);
                (bytes.clone(), counts.range(bytes))
            });
            LocatedPassage { characters: counts.range(bytes.clone()), bytes, source, passage }
        };
        passages.into_iter().map(place).collect()
    }
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    within(text.trim_end_matches('%'), 0.0, 100.0)
}
