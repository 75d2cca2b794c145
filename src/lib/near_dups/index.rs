//! Writes a collection to an index and reads it back.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use super::SearchOptions;
use super::collection::{Collection, Source};
use crate::error::Result;
use crate::files::index::{Index, IndexFile, IndexParts, IndexWriter, LastRun};
use crate::files::names::Names;
use crate::files::pairs::{escape, unescape};
use crate::session::Session;
use crate::vector::gather::{CollectionTerms, TermMatrix, WordVectors};
use crate::vector::sparse::SparseRows;

/// Lines of documents or terms per write.
const LINES_PER_WRITE: usize = 4096;

/// Returns the parameters that shape vectors.
fn parameters(options: &SearchOptions) -> Map<String, Value> {
    let rules = options.term_rules();
    let parameters = [
        ("words", "letters, digits and marks; bigrams of scripts without spaces".into()),
        ("fold", rules.fold.into()),
        ("keep_numbers", rules.save_nums.into()),
        ("shingle_size", rules.shingle_size.into()),
        (
            "weights",
            "(1 + ln(count)) * letters / 8, to 1/1024; 4 letters per unit of a bigram".into(),
        ),
    ];
    parameters.into_iter().map(|(name, value): (&str, Value)| (name.into(), value)).collect()
}

/// Writes an index of all documents. New documents that it has already are left out.
pub(super) fn write(
    mut writer: IndexWriter,
    options: &SearchOptions,
    collection: &Collection,
    session: &Session,
) -> Result<IndexParts> {
    session.phase("writing the index", None);
    let (numbers, left_out) = written_documents(collection);
    let matrix = match left_out.is_empty() {
        true => Cow::Borrowed(&collection.matrix),
        false => Cow::Owned(matrix_of(collection, &numbers, &left_out)),
    };
    let TermMatrix { vectors, terms } = &*matrix;
    writer.file(pieces(numbers.len(), |number, piece| {
        append_document(piece, collection, numbers[number]);
    }))?;
    writer.file(pieces(terms.len(), |number, piece| {
        append_term(piece, terms, number);
    }))?;
    let rows = || (0..vectors.rows()).map(|row| vectors.row(row));
    let end = |end: &mut u64, (indexes, _): (&[u32], _)| {
        *end += indexes.len() as u64;
        Some(*end)
    };
    let ends: Vec<u64> = rows().scan(0, end).collect();
    let indexes = rows().map(|(indexes, _)| bytes(indexes));
    let weights = rows().map(|(_, weights)| bytes(weights));
    writer.file(std::iter::once(bytes(&ends)).chain(indexes).chain(weights))?;
    let components = ends.last().copied().unwrap_or(0) as usize;
    let counts = [("documents", numbers.len()), ("terms", terms.len()), ("components", components)];
    let counts = counts.into_iter().map(|(name, count)| (name.to_string(), count.into()));
    let documents = (collection.len() - collection.first_new) as u64;
    let added = documents - left_out.len() as u64;
    let last_run = LastRun { documents, added, digest: collection.digest_of_new() };
    writer.finish(parameters(options), counts.collect(), last_run)
}

/// Returns the documents to write, and the new ones to leave out because the index has them.
pub(super) fn written_documents(collection: &Collection) -> (Vec<usize>, Vec<usize>) {
    let is_written = |number: &usize| !collection.source.known.contains(number);
    (0..collection.len()).partition(is_written)
}

/// Returns the matrix of the documents to write. Every term of the others is one of theirs too: they have the same texts.
fn matrix_of(collection: &Collection, numbers: &[usize], left_out: &[usize]) -> TermMatrix {
    let TermMatrix { vectors, terms } = &collection.matrix;
    let mut frequencies: Vec<u32> = (0..terms.len()).map(|term| terms.documents(term)).collect();
    for term in left_out.iter().flat_map(|row| vectors.row(*row).0) {
        frequencies[*term as usize] -= 1;
    }
    let ordered = CollectionTerms::new(terms.texts().zip(frequencies));
    let index = |text: &str| ordered.index_of(text).expect("the terms are the same");
    let new_indexes: Vec<u32> = terms.texts().map(index).collect();
    let (mut ends, mut indexes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (row_indexes, row_weights) in numbers.iter().map(|number| vectors.row(*number)) {
        indexes.extend_from_slice(row_indexes);
        weights.extend_from_slice(row_weights);
        ends.push(indexes.len() as u64);
    }
    let rows = WordVectors::new(terms.len(), &ends, indexes, weights);
    let mut vectors = rows.expect("rows of a matrix are consistent");
    vectors.renumber(&new_indexes);
    TermMatrix { vectors, terms: ordered }
}

/// Yields lines, [`LINES_PER_WRITE`] at a time.
fn pieces(
    lines: usize,
    append: impl Fn(usize, &mut Vec<u8>),
) -> impl Iterator<Item = Cow<'static, [u8]>> {
    (0..lines).step_by(LINES_PER_WRITE).map(move |first| {
        let mut piece = Vec::new();
        (first..lines.min(first + LINES_PER_WRITE)).for_each(|line| append(line, &mut piece));
        piece.into()
    })
}

fn append_document(piece: &mut Vec<u8>, collection: &Collection, number: usize) {
    let id = escape(collection.ids.get(number));
    let (length, hash) = (collection.lengths[number], collection.text_hashes[number]);
    piece.extend_from_slice(format!("{id}\t{length}\t{hash:016x}\n").as_bytes());
}

fn append_term(piece: &mut Vec<u8>, terms: &CollectionTerms, number: usize) {
    let (text, documents) = (terms.text(number), terms.documents(number));
    piece.extend_from_slice(format!("{text}\t{documents}\n").as_bytes());
}

/// Views numbers as the little-endian bytes of an index.
fn bytes<T: bytemuck::Pod>(numbers: &[T]) -> Cow<'_, [u8]> {
    const { assert!(cfg!(target_endian = "little"), "indexes are little-endian") };
    bytemuck::cast_slice(numbers).into()
}

/// Returns the number of documents of an index. Fails if it has other parameters.
pub(super) fn documents(folder: &Path, options: &SearchOptions) -> Result<usize> {
    Index::open(folder, &parameters(options))?.count("documents")
}

/// Reads an index, and what its last run added. Fails if it has other parameters.
pub(super) fn read(
    folder: &Path,
    options: &SearchOptions,
    session: &Session,
) -> Result<(Collection, Option<LastRun>)> {
    session.phase("reading the index", None);
    Index::read_with(folder, &parameters(options), |index| {
        read_collection(index).map(|collection| (collection, index.last_run()))
    })
}

fn read_collection(index: &Index) -> Result<Collection> {
    let documents = index.count("documents")?;
    let (ids, lengths, text_hashes) = read_documents(index, documents)?;
    let terms = read_terms(index)?;
    let vectors = read_vectors(index, documents, terms.len())?;
    Ok(Collection {
        ids,
        lengths,
        text_hashes,
        ranks: Vec::new(),
        matrix: TermMatrix { vectors, terms },
        first_new: documents,
        source: Source::default(),
    })
}

/// Ids, lengths and text hashes.
type DocumentColumns = (Names, Vec<u64>, Vec<u64>);

fn read_documents(index: &Index, documents: usize) -> Result<DocumentColumns> {
    let (mut ids, mut lengths, mut hashes) = (Names::default(), Vec::new(), Vec::new());
    for_each_line(index, IndexFile::Documents, documents, |[id, length, hash]| {
        ids.push(&unescape(id)?);
        lengths.push(length.parse().ok()?);
        hashes.push(u64::from_str_radix(hash, 16).ok()?);
        Some(())
    })?;
    Ok((ids, lengths, hashes))
}

fn read_terms(index: &Index) -> Result<CollectionTerms> {
    let (mut texts, mut documents) = (Names::default(), Vec::new());
    for_each_line(index, IndexFile::Terms, index.count("terms")?, |[text, count]| {
        texts.push(text);
        documents.push(count.parse().ok()?);
        Some(())
    })?;
    let terms = CollectionTerms::new(texts.iter().zip(documents));
    if !terms.texts().eq(texts.iter()) {
        return Err(index.wrong("terms out of order"));
    }
    Ok(terms)
}

/// Calls `take` with the columns of each line; the first column may contain tabs.
fn for_each_line<const COLUMNS: usize>(
    index: &Index,
    kind: IndexFile,
    lines: usize,
    mut take: impl FnMut([&str; COLUMNS]) -> Option<()>,
) -> Result<()> {
    let wrong = |what: &str| index.wrong(&format!("{kind:?}: {what}"));
    let content = String::from_utf8(index.read(kind)?).map_err(|_| wrong("invalid UTF-8"))?;
    let mut found = 0;
    for line in content.lines() {
        found += 1;
        let mut columns = [""; COLUMNS];
        let (mut parts, mut count) = (line.rsplitn(COLUMNS, '\t'), 0);
        for (column, part) in columns.iter_mut().rev().zip(&mut parts) {
            (*column, count) = (part, count + 1);
        }
        if count < COLUMNS {
            return Err(wrong(&format!("line {found}: expected {COLUMNS} columns, found {count}")));
        }
        take(columns).ok_or_else(|| wrong(&format!("line {found}: expected a number")))?;
    }
    if found != lines {
        return Err(wrong(&format!("expected {lines} lines, found {found}")));
    }
    Ok(())
}

fn read_vectors(index: &Index, documents: usize, terms: usize) -> Result<WordVectors> {
    let content = index.read(IndexFile::Vectors)?;
    let components = index.count("components")?;
    let wrong = || index.wrong("vectors that contradict the counts");
    let size = |numbers: usize, bytes: usize| numbers.checked_mul(bytes).ok_or_else(wrong);
    let (ends, rest) = content.split_at_checked(size(documents, 8)?).ok_or_else(wrong)?;
    let (indexes, weights) = rest.split_at_checked(size(components, 4)?).ok_or_else(wrong)?;
    let made = WordVectors::new(terms, &numbers::<u64>(ends), numbers(indexes), numbers(weights));
    made.ok_or_else(wrong)
}

/// Copies numbers out of unaligned bytes.
fn numbers<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}
