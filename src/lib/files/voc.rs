//! VOC files: the vocabulary.
//!
//! ```text
//! VELIKOST_SLOVNIKU n
//! VELIKOST_KOLEKCE n
//! term TC DC
//! ```

use std::path::Path;

use crate::error::{Result, check_count};
use crate::files::input::{Line, Lines};
use crate::files::output::Output;
use crate::files::paths::{COLLECTION_SIZE, VOCABULARY_SIZE};
use crate::vector::{Term, Vocabulary};

/// Writes a vocabulary and completes the file.
pub fn write(mut out: Output, vocabulary: &Vocabulary) -> Result<()> {
    let sizes = (vocabulary.terms.len(), vocabulary.documents);
    out.write(
        format!("{VOCABULARY_SIZE} {}\n{COLLECTION_SIZE} {}\n", sizes.0, sizes.1).as_bytes(),
    )?;
    for Term { text, occurrences, documents } in &vocabulary.terms {
        out.write(format!("{text} {occurrences} {documents}\n").as_bytes())?;
    }
    out.finish()
}

/// Reads a vocabulary.
pub fn read(path: &Path) -> Result<Vocabulary> {
    let mut lines = Lines::open(path)?;
    let stated: u64 = lines.need_line(VOCABULARY_SIZE)?.header(VOCABULARY_SIZE)?;
    let documents: u64 = lines.need_line(COLLECTION_SIZE)?.header(COLLECTION_SIZE)?;
    let mut terms = Vec::new();
    while let Some(line) = lines.next_line()? {
        terms.push(parse(&line, documents)?);
    }
    check_count(path, "terms", stated, terms.len() as u64)?;
    Ok(Vocabulary { documents, terms })
}

fn parse(line: &Line<'_>, collection: u64) -> Result<Term> {
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
    Ok(Term { text: text.into(), occurrences, documents })
}
