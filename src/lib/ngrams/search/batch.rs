//! Documents whose sources are read and aligned together, so that a file with many sources is read once for all of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::aligned::{AlignableText, LocatedPassage, SourceAligner};
use super::matches::SourceMatch;
use super::query::NgramQuery;
use crate::corpus::{self, DocumentPlace, InputArgs};
use crate::ngrams::normalizer::Normalizer;
use crate::ngrams::store::{CatalogueEntry, DocumentKey};
use crate::pool::map_parallel;

/// Words of suspicious documents and of their sources in a batch: 100 bytes of memory each.
const MAX_WORDS: u64 = 4 << 20;
/// Sources of all documents in a batch.
const MAX_SOURCES: usize = 1 << 16;

/// A source of a document.
pub(super) struct KnownSource {
    pub entry: CatalogueEntry,
    pub found: SourceMatch,
    /// The score of a candidate.
    pub score: Option<f64>,
    /// Its text, if the results show it and it can be read as it was indexed.
    pub text: Option<String>,
    /// Whether its text could be read.
    pub is_readable: bool,
    /// Whether it has a file whose text could not be read as it was indexed.
    pub is_unread: bool,
    pub passages: Vec<LocatedPassage>,
}

impl KnownSource {
    /// Returns a source before it is read.
    pub fn new(entry: CatalogueEntry, found: SourceMatch, score: Option<f64>) -> Self {
        let (text, passages) = (None, Vec::new());
        KnownSource { entry, found, score, text, is_readable: false, is_unread: false, passages }
    }

    fn place(&self) -> DocumentPlace {
        let CatalogueEntry { path, line, position, .. } = &self.entry;
        DocumentPlace { path: path.clone(), line: *line, position: *position }
    }
}

/// A suspicious document with its sources.
pub(super) struct SearchedDocument {
    /// Its name among the inputs.
    pub name: String,
    /// Its identity and place.
    pub entry: CatalogueEntry,
    /// The extension of its file, which selects rules.
    pub extension: String,
    pub query: NgramQuery,
    pub sources: Vec<KnownSource>,
}

/// How the sources of a batch are aligned.
pub(super) struct BatchOptions<'o> {
    pub aligner: SourceAligner,
    pub normalizer: &'o Normalizer,
    pub inputs: &'o InputArgs,
    pub threads: usize,
    /// Whether the results show the texts of sources.
    pub keeps_texts: bool,
}

/// Documents in order, before their sources are read.
#[derive(Default)]
pub(super) struct SearchBatch {
    documents: Vec<SearchedDocument>,
    words: u64,
    sources: usize,
    /// Sources of the documents.
    known: FxHashSet<DocumentKey>,
}

impl SearchBatch {
    /// Adds a document, and returns whether the batch is full.
    pub fn add(&mut self, document: SearchedDocument) -> bool {
        self.words += document.query.normal.len() as u64;
        self.sources += document.sources.len();
        for source in &document.sources {
            if self.known.insert(source.found.document) {
                self.words += source.entry.words;
            }
        }
        self.documents.push(document);
        self.words >= MAX_WORDS || self.sources >= MAX_SOURCES
    }

    /// Reads and aligns all sources, and returns the documents. A text that has changed since it was indexed counts as unreadable. Memory: the batch, and
    /// sources of [`MAX_WORDS`] words at a time.
    pub fn align(self, options: &BatchOptions<'_>) -> Vec<SearchedDocument> {
        let mut documents = self.documents;
        for wanted in wanted_sources(&documents, options) {
            align_some(&mut documents, &wanted, options);
        }
        documents
    }
}

/// Sources that are read at once: each with its uses, as positions of documents and of sources in them.
type WantedSources = Vec<Vec<(usize, usize)>>;

/// Returns all sources, in parts of few enough words.
fn wanted_sources(
    documents: &[SearchedDocument],
    options: &BatchOptions<'_>,
) -> Vec<WantedSources> {
    let mut numbers: FxHashMap<DocumentKey, (usize, usize)> = FxHashMap::default();
    let (mut parts, mut words) = (vec![WantedSources::new()], 0);
    for (document, own) in documents.iter().enumerate() {
        for (source, known) in own.sources.iter().enumerate() {
            let (part, number) = *numbers.entry(known.found.document).or_insert_with(|| {
                if words >= MAX_WORDS && options.aligner.reads_sources() {
                    parts.push(WantedSources::new());
                    words = 0;
                }
                words += known.entry.words;
                let part = parts.len() - 1;
                parts[part].push(Vec::new());
                (part, parts[part].len() - 1)
            });
            parts[part][number].push((document, source));
        }
    }
    parts
}

/// Reads and aligns some sources.
fn align_some(
    documents: &mut [SearchedDocument],
    wanted: &WantedSources,
    options: &BatchOptions<'_>,
) {
    let rules = |extension: &str| options.normalizer.of_type(extension);
    let suspicious: Vec<AlignableText<'_>> = documents
        .iter()
        .map(|own| AlignableText::new(&own.query.text, &own.query.quoted, rules(&own.extension)))
        .collect();
    let texts = match options.aligner.reads_sources() {
        true => read_sources(documents, wanted, &suspicious, options),
        false => vec![None; wanted.len()],
    };
    let found = passages(documents, wanted, &suspicious, &texts, options);
    for ((document, source), number, passages) in found {
        let source = &mut documents[document].sources[source];
        source.passages = passages;
        source.is_readable = texts[number].is_some();
        let has_file = !source.entry.path.as_os_str().is_empty();
        source.is_unread = options.aligner.reads_sources() && has_file && !source.is_readable;
        source.text = texts[number].clone().filter(|_| options.keeps_texts);
    }
}

/// Returns the texts of some sources as they were indexed. Meanwhile, the first suspicious text is prepared, which all threads wait for otherwise.
fn read_sources(
    documents: &[SearchedDocument],
    wanted: &WantedSources,
    suspicious: &[AlignableText<'_>],
    options: &BatchOptions<'_>,
) -> Vec<Option<String>> {
    let first = |uses: &Vec<(usize, usize)>| &documents[uses[0].0].sources[uses[0].1];
    let places: Vec<DocumentPlace> = wanted.iter().map(|uses| first(uses).place()).collect();
    let fetched = std::thread::scope(|scope| {
        if options.threads > 1 && !places.is_empty() {
            scope.spawn(|| suspicious.first().map(|text| options.aligner.prepare(text)));
        }
        corpus::fetch(&places, options.inputs, options.threads)
    });
    let is_same = |text: &String, uses: &Vec<(usize, usize)>| {
        corpus::text_hash(text) == first(uses).entry.text_hash
    };
    let fetched = fetched.into_iter().zip(wanted);
    fetched.map(|(text, uses)| text.filter(|text| is_same(text, uses))).collect()
}

/// Returns the passages of every use of some sources with these texts.
fn passages(
    documents: &[SearchedDocument],
    wanted: &WantedSources,
    suspicious: &[AlignableText<'_>],
    texts: &[Option<String>],
    options: &BatchOptions<'_>,
) -> Vec<((usize, usize), usize, Vec<LocatedPassage>)> {
    let rules = |extension: &str| options.normalizer.of_type(extension);
    let sources = wanted.iter().zip(texts).map(|(uses, text)| {
        let (document, source) = uses[0];
        let path = &documents[document].sources[source].entry.path;
        let text = text.as_deref()?;
        Some(AlignableText::new(text, &[], rules(&crate::files::extension(path))))
    });
    let sources: Vec<Option<AlignableText<'_>>> = sources.collect();
    let tasks = wanted.iter().enumerate();
    let tasks = tasks.flat_map(|(number, uses)| uses.iter().map(move |place| (*place, number)));
    let tasks: Vec<((usize, usize), usize)> = tasks.collect();
    map_parallel(&tasks, options.threads, |(place, number)| {
        let (document, text) = (&documents[place.0], sources[*number].as_ref());
        let found = &document.sources[place.1].found;
        let aligner = &options.aligner;
        (*place, *number, aligner.passages(&document.query, &suspicious[place.0], found, text))
    })
}
