//! `create_voc` and `reduce_voc`: the collection's vocabulary.

use std::path::Path;

use rayon::prelude::*;

use super::Counts;
use crate::error::{Error, Result, check_count, excerpt};
use crate::files::output::Output;
use crate::files::paths::BowPaths;
use crate::files::{bow, voc};
use crate::vector::{BadTerm, Reduction, VocabularyBuilder};
use crate::watch::Watch;

/// Counts the terms of all bags. Memory: the vocabulary, once a thread at most.
pub fn create(bow_paths: &Path, voc_name: &Path, watch: &dyn Watch) -> Result<Counts> {
    let list = BowPaths::read(bow_paths)?;
    let out = Output::create(voc_name)?;
    watch.begin("counting terms", Some(list.files.len() as u64));
    let count_file = |mut builder: VocabularyBuilder, path: &std::path::PathBuf| {
        bow::for_each(path, |line, bag| {
            let wrong = |bad: BadTerm<'_>| line.expected(bad.expected, bad.term);
            builder.add_document(bag.terms.iter().copied()).map_err(wrong)
        })?;
        watch.advance(1);
        Ok(builder)
    };
    let uncountable = |term: Box<str>| {
        let (list, term) = (bow_paths.display(), excerpt(&term));
        Error::Message(format!("{list}: expected occurrences that can be counted, found {term}"))
    };
    let builder = list
        .files
        .par_iter()
        .try_fold(VocabularyBuilder::default, count_file)
        .try_reduce(VocabularyBuilder::default, |left, right| {
            left.merge(right).map_err(uncountable)
        })?;
    let vocabulary = builder.finish();
    check_count(bow_paths, "documents", list.documents, vocabulary.documents)?;
    voc::write(out, &vocabulary)?;
    Ok(Counts {
        read: (vocabulary.documents, "bags of words"),
        skipped: (0, ""),
        written: (vocabulary.terms.len() as u64, "terms"),
    })
}

/// Keeps the terms that pass.
pub fn reduce(old_name: &Path, new_name: &Path, reduction: Reduction) -> Result<Counts> {
    let out = Output::create(new_name)?;
    let old = voc::read(old_name)?;
    let before = old.terms.len() as u64;
    let new = reduction.apply(old);
    voc::write(out, &new)?;
    let kept = new.terms.len() as u64;
    Ok(Counts {
        read: (before, "terms"),
        skipped: (before - kept, "outside the limits"),
        written: (kept, "terms"),
    })
}
