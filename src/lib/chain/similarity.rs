//! `similarity`: exact similarities of vectors.

use std::path::Path;

use sprs::CsMatI;

use super::results::{ResultWriter, batch_size};
use super::{Counts, Search};
use crate::corpus::Sample;
use crate::error::{Error, Result};
use crate::files::names::Names;
use crate::files::paths::VecPaths;
use crate::files::vec::{self, Vectors};
use crate::search::exact::{self, Comparison, Method};
use crate::search::{Pair, Rows};
use crate::session::Session;

/// Compares all vectors, or those of the sample with all.
pub fn run(task: &Search, method: Method, session: &Session) -> Result<Counts> {
    let (names, vectors) = read_vectors(&task.paths, session)?;
    let sample = task.sample.as_ref().map(|list| list.find(&names, false)).transpose()?;
    let threshold = task.threshold.value();
    let out = ResultWriter::create(&task.out)?;
    match sample {
        None => write_all(out, &names, &exact::pairs(vectors, method, threshold, session)),
        Some(sample) => {
            let comparison = Comparison::new(vectors, method, threshold);
            write_sample(out, &names, &sample, &comparison, session)
        }
    }
}

fn write_all(mut out: ResultWriter, names: &Names, pairs: &[Pair]) -> Result<Counts> {
    let rows = Rows::new(names.len(), pairs);
    for document in (0..names.len()).filter(|document| !rows.get(*document).is_empty()) {
        let label = |line: &mut String, other| line.push_str(names.get(other));
        out.line(names.get(document), rows.get(document), label)?;
    }
    out.finish(counts(names, pairs.len(), "pairs"))
}

fn write_sample(
    mut out: ResultWriter,
    names: &Names,
    sample: &[Sample],
    comparison: &Comparison,
    session: &Session,
) -> Result<Counts> {
    session.phase("comparing the sample", Some(sample.len() as u64));
    let mut found = 0;
    for batch in sample.chunks(batch_size()) {
        let queries: Vec<usize> = batch.iter().filter_map(|document| document.number).collect();
        for (document, matches) in batch.iter().zip(comparison.matches(&queries)) {
            found += matches.len();
            out.line(&document.name, &matches, |line, other| line.push_str(names.get(other)))?;
        }
        session.advance(batch.len() as u64);
    }
    out.finish(counts(names, found, "matches of the sample"))
}

fn counts(names: &Names, found: usize, what: &'static str) -> Counts {
    Counts {
        read: (names.len() as u64, "vectors"),
        skipped: (0, ""),
        written: (found as u64, what),
        unreadable: 0,
    }
}

/// All vectors as the rows of one sparse matrix, with their documents' names.
pub fn read_vectors(paths: &Path, session: &Session) -> Result<(Names, CsMatI<f32, u32, usize>)> {
    let list = VecPaths::read(paths)?;
    let Vectors { names, ends, indexes, values } = vec::read_all(paths, &list, session)?;
    // Terms beyond the last that occurs would only take memory.
    let terms = indexes.iter().max().map_or(0, |last| *last as usize + 1);
    if Vec::<usize>::new().try_reserve_exact(terms + 1).is_err() {
        let message = format!("{}: no memory for {terms} terms", paths.display());
        return Err(Error::Message(message));
    }
    let matrix = CsMatI::new((names.len(), terms), ends, indexes, values);
    Ok((names, matrix))
}
