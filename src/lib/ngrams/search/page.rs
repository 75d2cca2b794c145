//! The HTML page: suspicious documents with their passages coloured by source, and the sources beside them.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::batch::KnownSource;
use super::report::SearchReport;
use crate::error::Result;
use crate::files::output::Output;
use crate::page::html::{PanePage, text_parts};
use crate::page::{PageDocument, Utf16Positions};

const KEYS: &str = include_str!("assets/keys.html");
const OWN_STYLE: &str = include_str!("assets/sources.css");
const SCRIPT: &str = include_str!("assets/sources.js");

/// What all pages of a run have in common.
#[derive(Clone, Serialize)]
pub(super) struct PageHead {
    pub title: String,
    /// The command that wrote the page.
    pub made_by: String,
    /// The length of n-grams in words.
    pub length: usize,
    /// Minimum share of common n-grams, in percent.
    pub accuracy: f64,
    /// Minimum run of common words.
    pub min_run: Option<usize>,
}

/// Content of the page, in the layout that its script reads.
#[derive(Serialize)]
pub(super) struct SourcePage {
    #[serde(flatten)]
    head: PageHead,
    /// Suspicious documents and sources.
    documents: Vec<PageDocument>,
    /// The first document of each part of the texts.
    text_parts: Vec<usize>,
    searches: Vec<PageSearch>,
    /// Positions of sources by id.
    #[serde(skip)]
    numbers: FxHashMap<String, usize>,
}

/// A suspicious document.
#[derive(Serialize)]
struct PageSearch {
    /// A position in [`SourcePage::documents`].
    document: usize,
    /// The number of words in passages.
    copied_words: usize,
    /// The number of sources, with those that are not shown.
    source_count: usize,
    /// The number of passages, with those that are not shown.
    passage_count: usize,
    /// Sources, by descending share.
    sources: Vec<PageSource>,
    /// Passages in the order of the document.
    passages: Vec<PagePassage>,
}

/// A source of a document.
#[derive(Serialize)]
struct PageSource {
    /// A position in [`SourcePage::documents`].
    document: usize,
    /// The share of the document's n-grams that it holds.
    share: f64,
    /// The longest run of common words.
    run: usize,
    passage_count: usize,
    is_readable: bool,
}

/// A passage: start and end in the document, start and end in the source, in UTF-16 code units; position of the source, longest run in words, similarity.
/// Serialized as a list, because there are many.
#[derive(Serialize)]
struct PagePassage(usize, usize, Option<usize>, Option<usize>, usize, usize, f64);

/// A document with its sources, to be added to a page.
pub(super) struct SearchedPage {
    document: PageDocument,
    sources: Vec<PageDocument>,
    search: PageSearch,
}

impl SearchedPage {
    /// Takes what a page shows of a document, with texts of at most `text_limit` bytes.
    pub fn new(searched: &SearchReport<'_>, text_limit: usize) -> Self {
        let (query, entry) = (searched.query, searched.entry);
        let words = query.normal.len() as u64;
        let document = PageDocument::new(&entry.id, &query.text, words, text_limit);
        let content = |source: &KnownSource| {
            let text = source.text.as_deref().unwrap_or("");
            PageDocument::new(&source.entry.id, text, source.entry.words, text_limit)
        };
        let sources: Vec<PageDocument> = searched.sources.iter().map(content).collect();
        let search = PageSearch {
            document: 0,
            copied_words: copied_words(searched),
            source_count: searched.source_count,
            passage_count: searched.sources.iter().map(|source| source.passages.len()).sum(),
            sources: page_sources(searched),
            passages: page_passages(searched, &document, &sources),
        };
        SearchedPage { document, sources, search }
    }
}

/// Returns the sources; the page numbers their documents.
fn page_sources(searched: &SearchReport<'_>) -> Vec<PageSource> {
    let page_source = |source: &KnownSource| PageSource {
        document: 0,
        share: searched.share(source),
        run: source.found.run,
        passage_count: source.passages.len(),
        is_readable: source.is_readable,
    };
    searched.sources.iter().map(page_source).collect()
}

/// Returns the number of words that are in a passage of any source.
fn copied_words(searched: &SearchReport<'_>) -> usize {
    let passages = searched.sources.iter().flat_map(|source| &source.passages);
    let words = |bytes: &Range<usize>| searched.query.normal.words_in(bytes);
    let mut ranges: Vec<Range<usize>> = passages.map(|own| words(&own.bytes)).collect();
    ranges.sort_by_key(|words| words.start);
    let (mut count, mut end) = (0, 0);
    for words in ranges {
        count += words.end.saturating_sub(words.start.max(end));
        end = end.max(words.end);
    }
    count
}

/// Returns the passages inside of the document as far as it is shown; of equal starts the longest first.
fn page_passages(
    searched: &SearchReport<'_>,
    document: &PageDocument,
    sources: &[PageDocument],
) -> Vec<PagePassage> {
    let ends = |bytes: &Range<usize>| [bytes.start, bytes.end];
    let all = searched.sources.iter().flat_map(|source| &source.passages);
    let own = all.flat_map(|own| ends(&own.bytes)).collect();
    let here = Utf16Positions::new(&document.text, own);
    let mut shown = Vec::new();
    for (number, (source, known)) in sources.iter().zip(searched.sources).enumerate() {
        let passages = &known.passages;
        let places = passages.iter().filter_map(|own| own.source.as_ref());
        let there =
            Utf16Positions::new(&source.text, places.flat_map(|(bytes, _)| ends(bytes)).collect());
        shown.extend(passages.iter().filter_map(|own| {
            let (start, end) = here.range(&own.bytes)?;
            let place = own.source.as_ref().and_then(|(bytes, _)| there.range(bytes));
            let (source_start, source_end) = place.unzip();
            let (run, similarity) = (own.run, own.similarity);
            Some(PagePassage(start, end, source_start, source_end, number, run, similarity))
        }));
    }
    shown.sort_by_key(|own| (own.0, Reverse(own.1), own.4));
    shown
}

impl SourcePage {
    /// Creates a page without documents.
    pub fn new(head: PageHead) -> Self {
        SourcePage {
            head,
            documents: Vec::new(),
            text_parts: Vec::new(),
            searches: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Adds a document. Sources of several documents are kept once.
    pub fn add(&mut self, searched: SearchedPage) {
        let SearchedPage { document, sources, mut search } = searched;
        search.document = self.documents.len();
        self.documents.push(document);
        for (source, content) in search.sources.iter_mut().zip(sources) {
            let next = self.documents.len();
            source.document = *self.numbers.entry(content.id.clone()).or_insert(next);
            if source.document == next {
                self.documents.push(content);
            }
        }
        self.searches.push(search);
    }

    /// Writes the page.
    pub fn write(mut self, out: &mut Output) -> Result<()> {
        self.text_parts = text_parts(&self.documents);
        let page =
            PanePage { title: &self.head.title, keys: KEYS, style: OWN_STYLE, script: SCRIPT };
        page.write(&self, &self.documents, &self.text_parts, &mut |bytes| out.write(bytes))
    }
}
