//! `create_voc` and `reduce_voc`: the collection's vocabulary.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::Counts;
use super::spare::Spare;
use crate::error::{Error, Result, check_count, excerpt};
use crate::files::input::Line;
use crate::files::output::Output;
use crate::files::paths::BowPaths;
use crate::files::{bow, voc};
use crate::session::Session;
use crate::text::Key;
use crate::vector::{BadTerm, Reduction, VocabularyBuilder};

/// Counts the terms of all bags. Memory: the vocabulary with 45 to 90 bytes a term (and the text of those over 16 bytes) once a thread at most,
/// and in the end some 100 bytes a term more.
pub fn create(bow_paths: &Path, voc_name: &Path, session: &Session) -> Result<Counts> {
    let list = BowPaths::read(bow_paths)?;
    let out = Output::create(voc_name)?;
    session.phase("counting terms", Some(list.files.len() as u64));
    let builders = Spare::default();
    let count_file = |path: &PathBuf| {
        session.advance(1);
        builders.with(VocabularyBuilder::default, |builder| bow::for_each(path, builder))
    };
    list.files.par_iter().try_for_each(count_file)?;
    let uncountable = |term: Box<str>| {
        let (list, term) = (bow_paths.display(), excerpt(&term));
        Error::Message(format!("{list}: expected occurrences that can be counted, found {term}"))
    };
    let vocabulary = VocabularyBuilder::finish(builders.into_all()).map_err(uncountable)?;
    check_count(bow_paths, "documents", list.documents, vocabulary.documents)?;
    voc::write(out, &vocabulary)?;
    Ok(Counts {
        read: (vocabulary.documents, "bags of words"),
        skipped: (0, ""),
        written: (vocabulary.len() as u64, "terms"),
        unreadable: 0,
    })
}

impl bow::Bags for VocabularyBuilder {
    #[inline]
    fn expect(&self, key: &Key) {
        self.prefetch(key);
    }

    fn take(&mut self, line: &Line<'_>, bag: bow::Bag<'_, '_>) -> Result<()> {
        let wrong = |bad: BadTerm<'_>| line.expected(bad.expected, bad.term);
        self.add_document(bag.terms).map_err(wrong)
    }
}

/// Keeps the terms that pass.
pub fn reduce(old_name: &Path, new_name: &Path, reduction: Reduction) -> Result<Counts> {
    let out = Output::create(new_name)?;
    let old = voc::read(old_name)?;
    let before = old.len() as u64;
    let new = reduction.apply(&old);
    voc::write(out, &new)?;
    let kept = new.len() as u64;
    Ok(Counts {
        read: (before, "terms"),
        skipped: (before - kept, "outside the limits"),
        written: (kept, "terms"),
        unreadable: 0,
    })
}
