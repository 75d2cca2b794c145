//! From files to the page: findings, documents, the choice of pairs, their heaviest terms.

use std::io;
use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet};

use super::choose::{histogram, in_turn};
use super::findings::{Findings, Group};
use super::shelf::Shelf;
use super::{Cluster, Page, ReportPair, html};
use crate::chain::Counts;
use crate::corpus::{self, Documents, InputDocument, Inputs};
use crate::error::{Error, Result};
use crate::files::output::Output;
use crate::files::pairs::id::IdNames;
use crate::session::Session;

/// What to show, and where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The documents, as they were read when the pairs were found.
    pub inputs: Inputs,
    /// The pairs that were found: columns `similarity`, `document_1`, `document_2`, as TSV, CSV or JSON lines by the name's ending.
    pub pairs: PathBuf,
    /// The names of a numbered collection, whose numbers result lines have.
    pub id_file: Option<PathBuf>,
    /// Their clusters: columns `cluster`, `size`, `smallest`, `mean`, `document`, one row a document. Without them, documents belong together that pairs connect.
    pub clusters: Option<PathBuf>,
    /// The page.
    pub out: PathBuf,
    /// The page shows so many pairs at most.
    pub most_pairs: usize,
    /// Bytes after which a text is cut off.
    pub text_limit: usize,
    /// So many words in a row are a term.
    pub shingle_size: usize,
    /// What stands above the page.
    pub title: String,
    /// The command that the page names.
    pub made_by: String,
    /// The least similarity that was searched for, where that is known.
    pub threshold: Option<f64>,
}

/// Makes the page. A document that the findings name and the input does not have is an error that tells where it is named.
pub fn make(request: &Request, session: &Session) -> Result<Counts> {
    let names = request.id_file.as_deref().map(IdNames::read).transpose()?;
    let findings = Findings::read(&request.pairs, request.clusters.as_deref(), names.as_ref())?;
    let chosen = in_turn(&findings.groups, &findings.pairs, request.most_pairs);
    let wanted = wanted(&findings, &chosen);
    let read = corpus::read(&request.inputs, session, |documents| {
        Kept::of(documents, |id| is_wanted(&findings, &wanted, id))
    })?;
    check_all_are_there(request, &findings, &read)?;
    session.phase("writing the page", None);
    let shelf = shelve(request, &findings, &wanted, &read);
    let page = page(request, &findings, &chosen, &wanted, shelf, &read);
    write(request, &page)?;
    let shown = chosen.iter().map(|pairs| pairs.len() as u64).sum();
    Ok(Counts {
        read: (page.documents_total, "documents"),
        skipped: (page.pairs_total - shown, "pairs beyond most_pairs"),
        written: (shown, "pairs"),
        unreadable: read.skipped.count(),
    })
}

/// What is kept of a batch of documents.
struct Kept {
    documents: usize,
    /// Texts that are wanted, each with its number in the batch.
    texts: Vec<(usize, String)>,
}

impl Kept {
    fn of(documents: &[InputDocument], is_wanted: impl Fn(&str) -> bool) -> Self {
        let wanted = documents.iter().enumerate().filter(|(_, document)| is_wanted(&document.id));
        let texts = wanted.map(|(number, document)| (number, document.text.to_string())).collect();
        Kept { documents: documents.len(), texts }
    }
}

fn is_wanted(findings: &Findings, wanted: &[u32], id: &str) -> bool {
    findings.ids.get(id).is_some_and(|number| wanted.binary_search(&number).is_ok())
}

/// An error if the findings name a document that was not read.
fn check_all_are_there(
    request: &Request,
    findings: &Findings,
    read: &Documents<Kept>,
) -> Result<()> {
    let mut has_come = vec![false; findings.ids.len()];
    for number in read.ids.iter().filter_map(|id| findings.ids.get(id)) {
        has_come[number as usize] = true;
    }
    match has_come.iter().position(|has_come| !has_come) {
        None => Ok(()),
        Some(number) => {
            let clusters = request.clusters.as_deref();
            Err(findings.ids.missing(number as u32, &request.pairs, clusters))
        }
    }
}

/// Puts the wanted documents into the places of their numbers among these.
fn shelve(request: &Request, findings: &Findings, wanted: &[u32], read: &Documents<Kept>) -> Shelf {
    let mut shelf = Shelf::new(wanted.len(), request.text_limit, request.shingle_size);
    let mut first = 0;
    for batch in &read.batches {
        for (number, text) in &batch.texts {
            let document = first + number;
            let id = read.ids.get(document);
            let place = findings.ids.get(id).and_then(|id| wanted.binary_search(&id).ok());
            let place = place.expect("kept texts are wanted");
            shelf.put(place, id, text, document < read.first_new);
        }
        first += batch.documents;
    }
    shelf
}

/// How many new documents have the text of an earlier one.
fn copies(read: &Documents<Kept>) -> u64 {
    let mut texts = FxHashSet::default();
    let is_copy =
        |(number, hash): &(usize, &u64)| !texts.insert(**hash) && *number >= read.first_new;
    read.text_hashes.iter().enumerate().filter(is_copy).count() as u64
}

/// The documents of the chosen pairs, and the first ones of their groups.
fn wanted(findings: &Findings, chosen: &[Vec<u32>]) -> Vec<u32> {
    let mut wanted = Vec::new();
    for (group, pairs) in findings.groups.iter().zip(chosen) {
        if !pairs.is_empty() {
            wanted.push(group.first);
        }
        let pairs = pairs.iter().map(|pair| &findings.pairs[*pair as usize]);
        wanted.extend(pairs.flat_map(|pair| [pair.left, pair.right]));
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

fn page(
    request: &Request,
    findings: &Findings,
    chosen: &[Vec<u32>],
    wanted: &[u32],
    shelf: Shelf,
    read: &Documents<Kept>,
) -> Page {
    let mut names = Names { shelf: &shelf, numbers: FxHashMap::default(), terms: Vec::new() };
    let shown = findings.groups.iter().zip(chosen).filter(|(_, pairs)| !pairs.is_empty());
    let clusters =
        shown.map(|(group, pairs)| names.cluster(findings, wanted, group, pairs)).collect();
    let terms = names.terms;
    let named = findings.groups.iter().filter(|group| group.number.is_some());
    Page {
        title: request.title.clone(),
        made_by: request.made_by.clone(),
        score: if findings.scores_are_cosines { "cosine" } else { "similarity" },
        threshold: request.threshold,
        documents_total: read.ids.len() as u64,
        copies: copies(read),
        removable: named.clone().map(|group| group.size.saturating_sub(1)).sum(),
        pairs_total: findings.pairs.len() as u64,
        clusters_total: named.count() as u64,
        histogram: histogram(&findings.pairs, request.threshold),
        text_limit: request.text_limit as u64,
        clusters,
        documents: shelf.documents.into_iter().map(|(document, _)| document).collect(),
        terms,
    }
}

/// Makes clusters of the page, and numbers the terms that they name.
struct Names<'a> {
    shelf: &'a Shelf,
    numbers: FxHashMap<u32, u32>,
    terms: Vec<String>,
}

impl Names<'_> {
    fn cluster(
        &mut self,
        findings: &Findings,
        wanted: &[u32],
        group: &Group,
        pairs: &[u32],
    ) -> Cluster {
        let place = |number: u32| {
            wanted.binary_search(&number).expect("documents of pairs are wanted") as u32
        };
        let pairs = pairs.iter().map(|pair| {
            let found = findings.pairs[*pair as usize];
            self.pair(place(found.left), place(found.right), found.similarity)
        });
        Cluster {
            pairs: pairs.collect(),
            number: group.number,
            size: group.size,
            smallest: group.smallest,
            mean: group.mean,
            is_of_all: group.is_of_all,
            first: place(group.first),
            pairs_total: group.pairs.len() as u64,
        }
    }

    fn pair(&mut self, left: u32, right: u32, similarity: f64) -> ReportPair {
        let bag = |place: u32| &self.shelf.documents[place as usize].1;
        let mut terms = self.shelf.terms.heaviest(bag(left), bag(right));
        for shared in &mut terms {
            shared.term = self.term(shared.term);
        }
        ReportPair { left, right, similarity, terms }
    }

    /// The position on the page of a term of the shelf.
    fn term(&mut self, term: u32) -> u32 {
        let next = self.terms.len() as u32;
        let position = *self.numbers.entry(term).or_insert(next);
        if position == next {
            self.terms.push(self.shelf.terms.text(term).to_string());
        }
        position
    }
}

fn write(request: &Request, page: &Page) -> Result<()> {
    let mut sink = Sink { out: Output::create(&request.out)?, error: None };
    let outcome = html::write(page, &mut sink);
    outcome
        .map_err(|e| sink.error.take().unwrap_or_else(|| Error::io("write", &request.out, e)))?;
    sink.out.finish()
}

/// An output as the standard library has them, which keeps what went wrong.
struct Sink {
    out: Output,
    error: Option<Error>,
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map(|()| bytes.len()).map_err(|error| {
            self.error = Some(error);
            io::Error::other("the output failed")
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
