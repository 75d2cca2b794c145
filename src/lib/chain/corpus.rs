//! `create_corpus`: a synthetic collection.

use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;

use super::Counts;
use crate::corpus::synthetic::{Recipe, Synthetic};
use crate::error::Result;
use crate::files::output::Output;
use crate::files::synthetic::{self, Form};
use crate::session::Session;

/// What to make, and where to write it.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// What the collection shall be like.
    pub recipe: Recipe,
    /// The collection's file.
    pub out: PathBuf,
    /// The form of a document in it.
    pub form: Form,
    /// Where to write which documents are copies of which.
    pub truth: Option<PathBuf>,
}

/// Words that are in memory at once, in the mean: some megabytes of text, enough for all threads to be busy.
const WORDS_AT_ONCE: f64 = 1e6;

/// Pieces of work into which that is cut.
const PIECES: u64 = 64;

/// Lines of the collection and of the truth.
type Lines = (Vec<u8>, Vec<u8>);

/// Writes the collection. Memory: the table of terms (12 bytes each) and some megabytes of text, whatever the number of documents.
pub fn create(task: &Corpus, session: &Session) -> Result<Counts> {
    let documents = task.recipe.documents;
    session.phase("preparing terms", None);
    let collection = Synthetic::new(task.recipe.clone())?;
    let mut out = Output::create(&task.out)?;
    let mut truth = task.truth.as_deref().map(Output::create).transpose()?;
    if let Some(truth) = &mut truth {
        truth.write(synthetic::TRUTH_HEADER.as_bytes())?;
    }
    session.phase("writing documents", Some(documents));
    let batch = (WORDS_AT_ONCE / task.recipe.mean_words).clamp(PIECES as f64, 1e6) as u64;
    let mut made: Vec<Lines> = Vec::new();
    for start in (0..documents).step_by(batch as usize) {
        let range = start..documents.min(start + batch);
        // What was made before is written while the next documents are made.
        let write = || write(&made, &mut out, truth.as_mut());
        let (written, next) = rayon::join(write, || make(&collection, task.form, range.clone()));
        written?;
        made = next;
        session.advance(range.end - range.start);
    }
    write(&made, &mut out, truth.as_mut())?;
    let truth = truth.map(Output::close).transpose()?;
    out.finish()?;
    truth.map_or(Ok(()), |part| part.publish())?;
    Ok(Counts {
        read: (0, "documents"),
        skipped: (0, ""),
        written: (documents, "documents"),
        unreadable: 0,
    })
}

/// Makes a range of documents, in pieces that come in their order.
fn make(collection: &Synthetic, form: Form, range: Range<u64>) -> Vec<Lines> {
    let piece = (range.end - range.start).div_ceil(PIECES);
    let pieces = (range.end - range.start).div_ceil(piece);
    let start = |number| range.end.min(range.start + number * piece);
    (0..pieces)
        .into_par_iter()
        .map(|number| make_piece(collection, form, start(number)..start(number + 1)))
        .collect()
}

fn make_piece(collection: &Synthetic, form: Form, range: Range<u64>) -> Lines {
    let (mut lines, mut truth) = (Vec::new(), Vec::new());
    for position in range {
        synthetic::append_document(&mut lines, form, position + 1, |text| {
            collection.append_text(text, position);
        });
        if let Some(planted) = collection.planted(position) {
            let (original, copy) = (planted.original + 1, planted.copy + 1);
            synthetic::append_truth(&mut truth, original, copy, planted.edit_share);
        }
    }
    (lines, truth)
}

fn write(made: &[Lines], out: &mut Output, mut truth: Option<&mut Output>) -> Result<()> {
    for (lines, planted) in made {
        out.write(lines)?;
        if let Some(truth) = &mut truth {
            truth.write(planted)?;
        }
    }
    Ok(())
}
