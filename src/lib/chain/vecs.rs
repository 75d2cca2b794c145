//! `create_vecs`: bags of words to sparse vectors.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Counts;
use crate::error::{Error, Result, check_count, excerpt};
use crate::files::input::Line;
use crate::files::paths::{BowPaths, VecPaths};
use crate::files::stage::Stage;
use crate::files::{bow, vec, voc};
use crate::vector::{Vocabulary, Weighting};
use crate::watch::Watch;

/// What to read, how, and where to write.
#[derive(Debug, Clone)]
pub struct Vecs {
    /// The list of BOW files.
    pub bow_paths: PathBuf,
    /// The vocabulary.
    pub voc_name: PathBuf,
    /// The folder for VEC files.
    pub vec_dir: PathBuf,
    /// The list to write.
    pub vec_paths: PathBuf,
    /// What the components are.
    pub weighting: Weighting,
    /// Whether to compress the VEC files.
    pub compress: bool,
}

/// What was made of one BOW file.
#[derive(Debug, Clone, Copy, Default)]
struct Made {
    documents: u64,
    without_terms: u64,
}

/// Makes the vectors, one VEC file for each BOW file. Memory: the vocabulary and a bag a thread.
pub fn create(task: &Vecs, watch: &dyn Watch) -> Result<Counts> {
    let list = BowPaths::read(&task.bow_paths)?;
    let vocabulary = voc::read(&task.voc_name)?;
    if vocabulary.documents != list.documents {
        return Err(Error::Mismatch {
            what: "collection size".into(),
            left: (task.bow_paths.clone(), list.documents.to_string()),
            right: (task.voc_name.clone(), vocabulary.documents.to_string()),
        });
    }
    watch.begin("making vectors", Some(list.files.len() as u64));
    let weigher = Weigher::new(&vocabulary, &task.voc_name, task.weighting)?;
    let stage = Stage::begin(&task.vec_paths, &task.vec_dir, "vec", task.compress)?;
    let files: Vec<_> = list.files.iter().enumerate().collect();
    let made = files
        .into_par_iter()
        .map(|(number, path)| {
            watch.advance(1);
            convert(&stage, number, path, &weigher, watch)
        })
        .collect::<Result<Vec<Made>>>()?;
    let documents = made.iter().map(|made| made.documents).sum();
    check_count(&task.bow_paths, "documents", list.documents, documents)?;
    weigher.check_vocabulary(task)?;
    let per_file = made.iter().map(|made| made.documents).max().unwrap_or(0);
    let without_terms: u64 = made.iter().map(|made| made.without_terms).sum();
    if without_terms > 0 {
        watch.say(&format!(
            "{without_terms} documents have no term of the vocabulary with a weight: their vectors are empty"
        ));
    }
    stage.commit(&VecPaths::header(task.weighting, vocabulary.terms.len(), documents, per_file))?;
    Ok(Counts {
        read: (documents, "bags of words"),
        skipped: (0, ""),
        written: (documents, "vectors"),
    })
}

fn convert(
    stage: &Stage,
    number: usize,
    path: &Path,
    weigher: &Weigher<'_>,
    watch: &dyn Watch,
) -> Result<Made> {
    let mut file = stage.create(number)?;
    let mut made = Made::default();
    let mut text = Vec::new();
    bow::for_each(path, |line, bag| {
        let components = weigher.components(line, &bag.terms)?;
        made.documents += 1;
        if components.is_empty() {
            made.without_terms += 1;
            watch.detail(&format!(
                "{}: no term of the vocabulary with a weight",
                crate::corpus::readable(&bag.name)
            ));
        }
        text.clear();
        vec::append_line(&mut text, &bag.name, &components);
        file.write(&text)
    })?;
    stage.keep(number, file)?;
    Ok(made)
}

/// Turns counts into components.
struct Weigher<'a> {
    vocabulary: &'a Vocabulary,
    index: FxHashMap<&'a str, u32>,
    weighting: Weighting,
    /// In how many documents each term was met.
    met: Vec<AtomicU64>,
}

impl<'a> Weigher<'a> {
    fn new(vocabulary: &'a Vocabulary, path: &Path, weighting: Weighting) -> Result<Self> {
        let index = vocabulary.index();
        if index.len() != vocabulary.terms.len() {
            let path = path.display();
            return Err(Error::Message(format!("{path}: a term stands in the vocabulary twice")));
        }
        let met = vocabulary.terms.iter().map(|_| AtomicU64::new(0)).collect();
        Ok(Weigher { vocabulary, index, weighting, met })
    }

    /// The components that are not 0, by ascending index. Terms that the vocabulary does not have are left out.
    fn components(&self, line: &Line<'_>, terms: &[(&str, u64)]) -> Result<Vec<(u32, f32)>> {
        let collection = self.vocabulary.documents;
        let component = |(term, count): &(&str, u64)| {
            let index = *self.index.get(term)?;
            self.met[index as usize].fetch_add(1, Ordering::Relaxed);
            let documents = self.vocabulary.terms[index as usize].documents;
            Some((index, self.weighting.component(*count, documents, collection)))
        };
        let mut components: Vec<(u32, f32)> = terms.iter().filter_map(component).collect();
        components.sort_unstable_by_key(|(index, _)| *index);
        if let Some(twice) = components.windows(2).find(|two| two[0].0 == two[1].0) {
            let term = &self.vocabulary.terms[twice[0].0 as usize].text;
            return Err(line.expected("every term once", term));
        }
        components.retain(|(_, value)| *value != 0.0);
        Ok(components)
    }

    /// The vocabulary must be that of these bags: every term in as many documents as it says.
    fn check_vocabulary(self, task: &Vecs) -> Result<()> {
        for (term, met) in self.vocabulary.terms.iter().zip(self.met) {
            let met = met.into_inner();
            if met != term.documents {
                return Err(Error::Mismatch {
                    what: format!("documents with the term {}", excerpt(&term.text)),
                    left: (task.bow_paths.clone(), met.to_string()),
                    right: (task.voc_name.clone(), term.documents.to_string()),
                });
            }
        }
        Ok(())
    }
}
