//! `create_vecs`: bags of words to sparse vectors.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::Counts;
use super::spare::Spare;
use crate::bits::prefetch::prefetch;
use crate::error::{Error, Result, check_count, excerpt};
use crate::files::component::Components;
use crate::files::input::Line;
use crate::files::output::Output;
use crate::files::paths::{BowPaths, VecPaths};
use crate::files::stage::Stage;
use crate::files::{bow, vec, voc};
use crate::session::Session;
use crate::text::Key;
use crate::vector::{TermIndex, Vocabulary, Weighting};

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

/// Makes the vectors, one VEC file for each BOW file. Memory: the vocabulary with 80 to 120 bytes a term, and for each
/// thread 4 bytes a term and a piece of a file.
pub fn create(task: &Vecs, session: &Session) -> Result<Counts> {
    let list = BowPaths::read(&task.bow_paths)?;
    let vocabulary = voc::read(&task.voc_name)?;
    if vocabulary.documents != list.documents {
        return Err(Error::Mismatch {
            what: "collection size".into(),
            left: (task.bow_paths.clone(), list.documents.to_string()),
            right: (task.voc_name.clone(), vocabulary.documents.to_string()),
        });
    }
    session.phase("making vectors", Some(list.files.len() as u64));
    let weigher = Weigher::new(&vocabulary, &task.voc_name, task.weighting)?;
    let stage = Stage::begin(&task.vec_paths, &task.vec_dir, "vec", task.compress)?;
    let files: Vec<_> = list.files.iter().enumerate().collect();
    let made = files
        .into_par_iter()
        .map(|(number, path)| {
            session.advance(1);
            convert(&stage, number, path, &weigher, session)
        })
        .collect::<Result<Vec<Made>>>()?;
    let documents = made.iter().map(|made| made.documents).sum();
    check_count(&task.bow_paths, "documents", list.documents, documents)?;
    weigher.check_vocabulary(task)?;
    let per_file = made.iter().map(|made| made.documents).max().unwrap_or(0);
    let without_terms: u64 = made.iter().map(|made| made.without_terms).sum();
    if without_terms > 0 {
        session.info(&format!(
            "{without_terms} documents have no term of the vocabulary with a weight: their vectors are empty"
        ));
    }
    stage.commit(&VecPaths::header(task.weighting, vocabulary.len(), documents, per_file))?;
    Ok(Counts {
        read: (documents, "bags of words"),
        skipped: (0, ""),
        written: (documents, "vectors"),
        unreadable: 0,
    })
}

/// Lines are handed on when they have so many bytes.
const PIECE: usize = 1 << 20;

fn convert(
    stage: &Stage,
    number: usize,
    path: &Path,
    weigher: &Weigher<'_>,
    session: &Session,
) -> Result<Made> {
    let mut file = stage.create(number)?;
    let made = weigher.workers.with(
        || Worker::new(weigher.vocabulary.len()),
        |worker| {
            worker.text.clear();
            let made = Made::default();
            let mut vectors = Vectors { weigher, worker, file: &mut file, made, session };
            bow::for_each(path, &mut vectors)?;
            vectors.write()
        },
    )?;
    stage.keep(number, file)?;
    Ok(made)
}

/// The vectors of one file.
struct Vectors<'a> {
    weigher: &'a Weigher<'a>,
    worker: &'a mut Worker,
    file: &'a mut Output,
    made: Made,
    session: &'a Session,
}

impl Vectors<'_> {
    /// Writes the lines that wait, and returns what was made so far.
    fn write(&mut self) -> Result<Made> {
        self.file.write(&self.worker.text)?;
        self.worker.text.clear();
        Ok(self.made)
    }
}

impl bow::Bags for Vectors<'_> {
    #[inline]
    fn expect(&self, key: &Key) {
        self.weigher.index.prefetch(key);
    }

    fn take(&mut self, line: &Line<'_>, bag: bow::Bag<'_, '_>) -> Result<()> {
        let components = self.weigher.append(self.worker, line, &bag)?;
        self.made.documents += 1;
        if components == 0 {
            self.made.without_terms += 1;
            let name = crate::corpus::readable(&bag.name);
            self.session.detail(&format!("{name}: no term of the vocabulary with a weight"));
        }
        if self.worker.text.len() >= PIECE {
            self.write()?;
        }
        Ok(())
    }
}

/// Turns counts into components.
struct Weigher<'a> {
    vocabulary: &'a Vocabulary,
    index: TermIndex<'a>,
    components: Components,
    workers: Spare<Worker>,
}

/// What a thread works with.
struct Worker {
    /// In how many of its documents each term was met.
    met: Vec<u32>,
    /// A document's terms of the vocabulary: the index in the high half, the position in the bag in the low one.
    found: Vec<u64>,
    /// Lines to be written.
    text: Vec<u8>,
}

impl Worker {
    fn new(terms: usize) -> Self {
        Worker { met: vec![0; terms], found: Vec::new(), text: Vec::new() }
    }
}

fn index_of(found: u64) -> u32 {
    (found >> u32::BITS) as u32
}

impl<'a> Weigher<'a> {
    fn new(vocabulary: &'a Vocabulary, path: &Path, weighting: Weighting) -> Result<Self> {
        let components = || Components::new(vocabulary, weighting);
        // Only parts of making the index can be shared among threads.
        let (index, components) = rayon::join(|| vocabulary.index(), components);
        let index = index.ok_or_else(|| {
            let path = path.display();
            Error::Message(format!("{path}: a term stands in the vocabulary twice"))
        })?;
        Ok(Weigher { vocabulary, index, components, workers: Spare::default() })
    }

    /// Appends the vector of a bag and returns how many components it has. Terms that the vocabulary does not have are left out, and
    /// components that are 0.
    fn append(
        &self,
        worker: &mut Worker,
        line: &Line<'_>,
        bag: &bow::Bag<'_, '_>,
    ) -> Result<usize> {
        let Worker { met, found, text } = worker;
        found.clear();
        self.index.find_all(bag.terms, |position, index| {
            // Both are needed soon, but in the order of the indexes.
            prefetch(&met[index as usize]);
            self.components.prefetch(index);
            found.push(u64::from(index) << u32::BITS | position as u64);
        });
        found.sort_unstable();
        if let Some(twice) = found.windows(2).find(|two| index_of(two[0]) == index_of(two[1])) {
            let term = self.vocabulary.term(index_of(twice[0]) as usize);
            return Err(line.expected("every term once", term.text));
        }
        found.iter().for_each(|found| met[index_of(*found) as usize] += 1);
        found.retain(|found| !self.components.is_zero(index_of(*found)));
        vec::append_head(text, &bag.name, found.len());
        for found in &*found {
            let count = bag.terms[*found as u32 as usize].count;
            self.components.append(text, index_of(*found), count);
        }
        text.push(b'\n');
        Ok(found.len())
    }

    /// The vocabulary must be that of these bags: every term in as many documents as it says.
    fn check_vocabulary(self, task: &Vecs) -> Result<()> {
        let workers = self.workers.into_all();
        for (index, term) in self.vocabulary.terms().enumerate() {
            let met: u64 = workers.iter().map(|worker| u64::from(worker.met[index])).sum();
            if met != term.documents {
                return Err(Error::Mismatch {
                    what: format!("documents with the term {}", excerpt(term.text)),
                    left: (task.bow_paths.clone(), met.to_string()),
                    right: (task.voc_name.clone(), term.documents.to_string()),
                });
            }
        }
        Ok(())
    }
}
