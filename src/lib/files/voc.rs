//! VOC files: the vocabulary.
//!
//! ```text
//! VELIKOST_SLOVNIKU n
//! VELIKOST_KOLEKCE n
//! term TC DC
//! ```

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::error::{Error, Result, check_count};
use crate::files::content::{Content, ContentLines};
use crate::files::decimal::append_number;
use crate::files::input::Line;
use crate::files::manifest::{
    DataFile, FileEntry, Manifest, ManifestOutput, Provenance, ShardEntry, StageKind,
};
use crate::files::output::{Output, Publisher};
use crate::files::paths::{COLLECTION_SIZE, VOCABULARY_SIZE};
use crate::files::sorter::{SortedRecords, Sorter};
use crate::files::unique::{duplicate, first_duplicate};
use crate::vector::{Term, Vocabulary};

/// Lines before the first term.
const HEADER_LINES: u64 = 2;
/// Terms formatted per task.
const TERMS_PER_PIECE: usize = 1 << 14;
/// Maximum number of formatted pieces in memory.
const MAX_PIECES: usize = 64;
/// Parts of a file per thread, so that no thread waits long for the last.
const PARTS_PER_THREAD: usize = 4;

/// A vocabulary being written, with its manifest.
pub struct VocOutput {
    publisher: Publisher<'static>,
    path: PathBuf,
    out: Output,
    manifest: ManifestOutput,
}

impl VocOutput {
    /// Begins both files.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        let out = publisher.create(path)?.with_digest();
        let manifest = ManifestOutput::create(publisher, path)?;
        let publisher = publisher.after_checks();
        Ok(VocOutput { publisher, path: path.to_path_buf(), out, manifest })
    }

    /// Writes the vocabulary, of a part of the collection or of all, and gives both files their names. Killed in between, it leaves the old vocabulary or the new one,
    /// without a manifest.
    pub fn finish(
        self,
        vocabulary: &Vocabulary,
        provenance: Provenance,
        shard: Option<ShardEntry>,
    ) -> Result<()> {
        let VocOutput { publisher, path, mut out, manifest } = self;
        write(&mut out, vocabulary)?;
        let provenance = provenance
            .count("terms", vocabulary.len() as u64)
            .count("documents", vocabulary.documents);
        publish(publisher, &path, out, manifest, provenance, shard)
    }
}

impl VocOutput {
    /// Writes terms that [`push_ranked`] took, and gives both files their names.
    pub fn finish_ranked(
        self,
        mut ranked: SortedRecords,
        terms: u64,
        documents: u64,
        provenance: Provenance,
    ) -> Result<()> {
        let VocOutput { publisher, path, mut out, manifest } = self;
        out.write(
            format!("{VOCABULARY_SIZE} {terms}\n{COLLECTION_SIZE} {documents}\n").as_bytes(),
        )?;
        let mut line = Vec::new();
        while let Some(record) = ranked.next_record()? {
            let (occurrences, documents) = counts_of(&record.value);
            line.clear();
            line.extend_from_slice(&record.key[size_of::<u64>()..]);
            append_counts(&mut line, occurrences, documents);
            out.write(&line)?;
        }
        let provenance = provenance.count("terms", terms).count("documents", documents);
        publish(publisher, &path, out, manifest, provenance, None)
    }
}

/// Spells the counts of a term for a sort.
pub fn spelled_counts(occurrences: u64, documents: u64) -> [u8; 16] {
    (u128::from(occurrences) << u64::BITS | u128::from(documents)).to_be_bytes()
}

/// Returns the collection and document frequency that [`spelled_counts`] spelled.
pub fn counts_of(bytes: &[u8]) -> (u64, u64) {
    let spelled = u128::from_be_bytes(bytes.try_into().expect("counts have 16 bytes"));
    ((spelled >> u64::BITS) as u64, spelled as u64)
}

/// Adds a term to a sort by the order of a vocabulary: descending document frequency, ties by bytes.
pub fn push_ranked(
    sorter: &mut Sorter<'_>,
    term: &[u8],
    occurrences: u64,
    documents: u64,
) -> Result<()> {
    let key = [&(u64::MAX - documents).to_be_bytes(), term].concat();
    sorter.push(&key, &spelled_counts(occurrences, documents))
}

/// Gives a complete vocabulary and its manifest their names.
fn publish(
    publisher: Publisher<'static>,
    path: &Path,
    out: Output,
    manifest: ManifestOutput,
    provenance: Provenance,
    shard: Option<ShardEntry>,
) -> Result<()> {
    let name = Path::new(path.file_name().unwrap_or_default());
    let files = out.digest().map(|digest| FileEntry::new(name, digest)).into_iter().collect();
    let description = Manifest::new(provenance, None, files).of_shard(shard);
    let manifest = manifest.close(&description)?;
    publisher.publish(vec![vec![out.close()?], vec![manifest.parked()]])
}

fn write(out: &mut Output, vocabulary: &Vocabulary) -> Result<()> {
    let sizes = (vocabulary.len(), vocabulary.documents);
    out.write(
        format!("{VOCABULARY_SIZE} {}\n{COLLECTION_SIZE} {}\n", sizes.0, sizes.1).as_bytes(),
    )?;
    let starts: Vec<usize> = (0..vocabulary.len()).step_by(TERMS_PER_PIECE).collect();
    for starts in starts.chunks(MAX_PIECES) {
        let pieces: Vec<Vec<u8>> = starts.par_iter().map(|from| piece(vocabulary, *from)).collect();
        pieces.iter().try_for_each(|piece| out.write(piece))?;
    }
    Ok(())
}

/// Formats one piece, from term `from`.
fn piece(vocabulary: &Vocabulary, from: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for index in from..vocabulary.len().min(from + TERMS_PER_PIECE) {
        let term = vocabulary.term(index);
        text.extend_from_slice(term.text.as_bytes());
        append_counts(&mut text, term.occurrences, term.documents);
    }
    text
}

/// Appends the end of a line, after the term.
fn append_counts(line: &mut Vec<u8>, occurrences: u64, documents: u64) {
    line.push(b' ');
    append_number(line, occurrences);
    line.push(b' ');
    append_number(line, documents);
    line.push(b'\n');
}

/// Reads a vocabulary, verifies it, and returns it with its provenance where it has a manifest. Callers check with [`check_terms`], or by an
/// index, that no term occurs twice.
pub fn read(path: &Path) -> Result<(Vocabulary, Option<Provenance>)> {
    let manifest = Manifest::of(path, StageKind::Voc)?;
    let unverified = || DataFile::unverified(path.to_path_buf());
    let file = manifest.as_ref().map_or_else(unverified, |manifest| manifest.only_file(path));
    let content = Content::open(&file)?;
    let mut parts = content.parts(rayon::current_num_threads() * PARTS_PER_THREAD);
    let stated: u64 = header(path, &mut parts, 1, VOCABULARY_SIZE)?;
    let documents: u64 = header(path, &mut parts, 2, COLLECTION_SIZE)?;
    let pieces: Vec<Result<Vocabulary>> =
        parts.into_par_iter().map(|part| read_part(part, documents)).collect();
    let mut vocabulary = Vocabulary::new(documents);
    // In file order, so that the first error is reported.
    pieces.into_iter().try_for_each(|piece| piece.map(|piece| vocabulary.append(piece)))?;
    check_count(path, "terms", stated, vocabulary.len() as u64)?;
    content.verify()?;
    Ok((vocabulary, manifest.map(|manifest| manifest.provenance)))
}

/// Checks that the terms of the vocabulary at `path` are distinct. Memory: 8 bytes per term.
pub fn check_terms(path: &Path, vocabulary: &Vocabulary) -> Result<()> {
    let text = |index: usize| vocabulary.term(index).text;
    let Some((index, first)) = first_duplicate(vocabulary.len(), text) else { return Ok(()) };
    let place = |index: usize| (path.to_path_buf(), HEADER_LINES + index as u64 + 1);
    Err(duplicate("term", text(index), &place(index), &place(first)))
}

/// Parses the next line of the file, number `number`, as a header.
fn header(path: &Path, parts: &mut [ContentLines<'_>], number: u64, word: &str) -> Result<u64> {
    for part in parts {
        if let Some(line) = part.next_line()? {
            return line.header(word);
        }
    }
    Err(Error::parse(path, number, word, "the end of the file"))
}

fn read_part(mut lines: ContentLines<'_>, documents: u64) -> Result<Vocabulary> {
    let mut terms = Vocabulary::new(documents);
    while let Some(line) = lines.next_line()? {
        terms.push(parse(&line, documents)?);
    }
    Ok(terms)
}

fn parse<'a>(line: &Line<'a>, collection: u64) -> Result<Term<'a>> {
    const SHAPE: &str = "term TC DC";
    let wrong = || line.expected(SHAPE, line.text);
    let (rest, documents) = line.text.rsplit_once(' ').ok_or_else(wrong)?;
    let (text, occurrences) = rest.rsplit_once(' ').ok_or_else(wrong)?;
    if text.is_empty() || text.contains(' ') {
        return Err(wrong());
    }
    let occurrences = line.number(SHAPE, occurrences)?;
    let documents = line.number(SHAPE, documents)?;
    if documents == 0 || documents > collection || documents > occurrences {
        return Err(line.expected(format!("1 <= DC <= TC and DC <= {collection}"), line.text));
    }
    Ok(Term { text, occurrences, documents })
}
