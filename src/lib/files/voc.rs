//! VOC files: the vocabulary.
//!
//! ```text
//! VELIKOST_SLOVNIKU n
//! VELIKOST_KOLEKCE n
//! term TC DC
//! ```

use std::path::Path;

use rayon::prelude::*;

use crate::error::{Error, Result, check_count};
use crate::files::content::{Content, ContentLines};
use crate::files::decimal::append_number;
use crate::files::input::Line;
use crate::files::output::Output;
use crate::files::paths::{COLLECTION_SIZE, VOCABULARY_SIZE};
use crate::vector::{Term, Vocabulary};

/// Terms whose lines are made together by one thread.
const PIECE: usize = 1 << 14;
/// Pieces that wait in memory to be written.
const PIECES: usize = 64;
/// Parts of a file for each thread that reads it, so that none waits long for the last.
const PARTS_A_THREAD: usize = 4;

/// Writes a vocabulary and completes the file.
pub fn write(mut out: Output, vocabulary: &Vocabulary) -> Result<()> {
    let sizes = (vocabulary.len(), vocabulary.documents);
    out.write(
        format!("{VOCABULARY_SIZE} {}\n{COLLECTION_SIZE} {}\n", sizes.0, sizes.1).as_bytes(),
    )?;
    let starts: Vec<usize> = (0..vocabulary.len()).step_by(PIECE).collect();
    for starts in starts.chunks(PIECES) {
        let pieces: Vec<Vec<u8>> = starts.par_iter().map(|from| piece(vocabulary, *from)).collect();
        pieces.iter().try_for_each(|piece| out.write(piece))?;
    }
    out.finish()
}

/// The lines of the terms from index `from` on.
fn piece(vocabulary: &Vocabulary, from: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for index in from..vocabulary.len().min(from + PIECE) {
        let term = vocabulary.term(index);
        text.extend_from_slice(term.text.as_bytes());
        text.push(b' ');
        append_number(&mut text, term.occurrences);
        text.push(b' ');
        append_number(&mut text, term.documents);
        text.push(b'\n');
    }
    text
}

/// Reads a vocabulary.
pub fn read(path: &Path) -> Result<Vocabulary> {
    let content = Content::open(path)?;
    let mut parts = content.parts(rayon::current_num_threads() * PARTS_A_THREAD);
    let stated: u64 = header(path, &mut parts, 1, VOCABULARY_SIZE)?;
    let documents: u64 = header(path, &mut parts, 2, COLLECTION_SIZE)?;
    let pieces: Vec<Result<Vocabulary>> =
        parts.into_par_iter().map(|part| read_part(part, documents)).collect();
    let mut vocabulary = Vocabulary::new(documents);
    // In the file's order, so that of several errors the first is told.
    pieces.into_iter().try_for_each(|piece| piece.map(|piece| vocabulary.append(&piece)))?;
    check_count(path, "terms", stated, vocabulary.len() as u64)?;
    Ok(vocabulary)
}

/// The next line of the file, which is cut into parts and must have it: number `number`, a header.
fn header(path: &Path, parts: &mut [ContentLines<'_>], number: u64, word: &str) -> Result<u64> {
    for part in parts {
        if let Some(line) = part.next_line()? {
            return line.header(word);
        }
    }
    Err(Error::Parse {
        path: path.to_path_buf(),
        line: number,
        expected: word.into(),
        found: "the end of the file".into(),
    })
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
