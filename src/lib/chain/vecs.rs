//! `create_vecs`: bags of words to sparse vectors.

use std::path::Path;

use clap::Parser;
use rayon::prelude::*;
use serde::Serialize;

use crate::bits::prefetch::prefetch;
use crate::error::{Error, Result, check_count, excerpt};
use crate::executable::{Counts, Executable, FlagPath, ShardFlags, check_streams};
use crate::files::input::Line;
use crate::files::manifest::{DataFile, Provenance, ShardEntry, StageKind, path_of};
use crate::files::output::{Output, Publisher};
use crate::files::paths::{self, BowPaths, VecPaths};
use crate::files::stage::Stage;
use crate::files::unique::NameHashes;
use crate::files::vec::component::ComponentTexts;
use crate::files::{bow, vec, voc};
use crate::pool::ObjectPool;
use crate::session::Session;
use crate::text::Key;
use crate::vector::{TermIndex, Vocabulary, Weighting, sparse};

/// Weights the terms of each bag of words into a sparse vector. Terms outside the vocabulary are left out
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_vecs", version, rename_all = "snake_case")]
pub struct CreateVecs {
    /// List of BOW files, from create_bows
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub bow_paths: FlagPath,
    /// Vocabulary, from create_voc or reduce_voc
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub voc_name: FlagPath,
    /// Write the VEC files to DIR, created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub vec_dir: FlagPath,
    /// Write the list of VEC files to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub vec_paths: FlagPath,
    /// Compress the VEC files with gzip
    #[arg(long, help_heading = "Output")]
    pub compress_vecs: bool,
    /// Weight terms by count (tf) instead of tf * ln(N / DC)
    #[arg(long, help_heading = "Weights")]
    pub use_tf_only: bool,
    /// Weight terms by (1 + ln(tf)) * min(letters, 8) / 8, rounded to 1/1024: independent of other documents
    #[arg(long, help_heading = "Weights", conflicts_with = "use_tf_only")]
    pub word_weights: bool,
    /// The part of the BOW files.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

impl Executable for CreateVecs {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Weight terms by tf-idf",
            "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths",
        ),
        (
            "Weight terms as find_near_dups does",
            "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths --word_weights",
        ),
    ];

    const UNRECORDED: &'static [&'static str] = &["compress_vecs"];

    /// Creates the vectors, one VEC file per BOW file. Memory: the vocabulary with 80 to 120 bytes per term, and per thread 4 bytes per term and a
    /// buffer, and 8 bytes per document.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = [("bow_paths", Some(&*self.bow_paths)), ("voc_name", Some(&*self.voc_name))];
        check_streams("input", &inputs)?;
        let list = BowPaths::read(&self.bow_paths)?;
        let (vocabulary, provenance) = voc::read(&self.voc_name)?;
        let explained = |error| self.explained(error, &list, provenance.as_ref());
        if vocabulary.documents != list.documents {
            let size = "collection size".into();
            return Err(explained(self.mismatch(size, list.documents, vocabulary.documents)));
        }
        let paths = self.shards.path("vec_paths", &self.vec_paths)?;
        let bags = paths::part_of(&list.files, self.shards.shard);
        session.phase("creating vectors", Some(bags.len() as u64));
        let weigher = Weigher::new(&vocabulary, &self.voc_name, self.weighting())?;
        let reads = paths::reads(&self.bow_paths, &list.files).into_iter();
        let publisher = Publisher::new(session, reads.chain(paths::list_reads(&self.voc_name)));
        let (folder, kind) = (&self.vec_dir, StageKind::Vec);
        let mut stage = Stage::begin(&publisher, &paths, folder, kind, self.compress_vecs)?;
        stage.set_shard(self.shards.shard.map(ShardEntry::new));
        let files: Vec<_> = bags.iter().enumerate().collect();
        let counts = files
            .into_par_iter()
            .map(|(number, file)| {
                session.advance(1);
                convert(&stage, number, file, &weigher, session)
            })
            .collect::<Result<Vec<(FileCounts, NameHashes)>>>()?;
        let (counts, names): (Vec<FileCounts>, Vec<NameHashes>) = counts.into_iter().unzip();
        bow::check_names(&self.bow_paths, bags, names)?;
        let documents = counts.iter().map(|file| file.documents).sum();
        if self.shards.shard.is_none() {
            check_count(&self.bow_paths, "documents", list.documents, documents)?;
        }
        self.check_vocabulary(weigher).map_err(explained)?;
        let per_file = counts.iter().map(|file| file.documents).max().unwrap_or(0);
        let empty: u64 = counts.iter().map(|file| file.empty).sum();
        if empty > 0 {
            session.info(&format!("{empty} vectors are empty: no weighted term of the vocabulary"));
        }
        let header = VecPaths::header(self.weighting(), vocabulary.len(), documents, per_file);
        let counted = self.provenance(kind).count("documents", documents);
        let counted = counted.count("terms", vocabulary.len() as u64);
        let counted = counted.input(list.provenance.as_ref()).input(provenance.as_ref());
        stage.commit(&header, counted)?;
        Ok(Counts::new((documents, "bags of words"), (documents, "vectors")))
    }
}

impl CreateVecs {
    /// Returns the weighting that the flags select.
    pub fn weighting(&self) -> Weighting {
        match (self.use_tf_only, self.word_weights) {
            (true, _) => Weighting::Tf,
            (_, true) => Weighting::WordWeights,
            _ => Weighting::TfIdf,
        }
    }

    /// Checks the document frequency of every term in the vocabulary against the bags: some of them, in a part.
    fn check_vocabulary(&self, weigher: Weigher<'_>) -> Result<()> {
        let workers = weigher.workers.into_all();
        for (index, term) in weigher.vocabulary.terms().enumerate() {
            let counted = workers.iter().map(|worker| u64::from(worker.frequencies[index])).sum();
            let agrees = match self.shards.shard {
                Some(_) => counted <= term.documents,
                None => counted == term.documents,
            };
            if !agrees {
                let what = format!("document frequency of term {}", excerpt(term.text));
                return Err(self.mismatch(what, counted, term.documents));
            }
        }
        Ok(())
    }

    /// Replaces a mismatch by its cause, if the vocabulary is one of bags made with another parameter.
    fn explained(&self, error: Error, list: &BowPaths, vocabulary: Option<&Provenance>) -> Error {
        let (Some(bows), Some(vocabulary)) = (&list.provenance, vocabulary) else { return error };
        let outcome = bows.check_made_from(vocabulary, &self.voc_name, &path_of(&self.bow_paths));
        outcome.err().unwrap_or(error)
    }

    fn mismatch(&self, what: String, in_bags: u64, in_vocabulary: u64) -> Error {
        Error::mismatch(&self.voc_name, &what, in_bags, &self.bow_paths, in_vocabulary)
    }
}

/// Documents of one BOW file.
#[derive(Debug, Clone, Copy, Default)]
struct FileCounts {
    documents: u64,
    /// Documents without components.
    empty: u64,
}

/// Bytes of lines to collect before a write.
const WRITE_BYTES: usize = 1 << 20;

fn convert(
    stage: &Stage,
    number: usize,
    bags: &DataFile,
    weigher: &Weigher<'_>,
    session: &Session,
) -> Result<(FileCounts, NameHashes)> {
    let mut file = stage.create(number)?;
    let result = weigher.workers.with(
        || Worker::new(weigher.vocabulary.len()),
        |worker| {
            worker.text.clear();
            let counts = FileCounts::default();
            let mut vectors = VectorWriter { weigher, worker, file: &mut file, counts, session };
            let names = bow::for_each(bags, &mut vectors)?;
            Ok((vectors.write()?, names))
        },
    )?;
    stage.keep(number, file)?;
    Ok(result)
}

/// Writes the vectors of one file.
struct VectorWriter<'a> {
    weigher: &'a Weigher<'a>,
    worker: &'a mut Worker,
    file: &'a mut Output,
    counts: FileCounts,
    session: &'a Session,
}

impl VectorWriter<'_> {
    /// Writes the collected lines and returns the counts so far.
    fn write(&mut self) -> Result<FileCounts> {
        self.file.write(&self.worker.text)?;
        self.worker.text.clear();
        Ok(self.counts)
    }
}

impl bow::BagConsumer for VectorWriter<'_> {
    #[inline]
    fn prefetch(&self, key: &Key) {
        self.weigher.index.prefetch(key);
    }

    fn take(&mut self, line: &Line<'_>, bag: bow::Bag<'_, '_>) -> Result<()> {
        let components = self.weigher.append(self.worker, line, &bag)?;
        self.counts.documents += 1;
        if components == 0 {
            self.counts.empty += 1;
            let name = crate::corpus::readable(&bag.name);
            self.session.detail(&format!("{name}: no weighted term of the vocabulary"));
        }
        if self.worker.text.len() >= WRITE_BYTES {
            self.write()?;
        }
        Ok(())
    }
}

/// Weights the terms of bags.
struct Weigher<'a> {
    vocabulary: &'a Vocabulary,
    index: TermIndex,
    components: ComponentTexts,
    workers: ObjectPool<Worker>,
}

/// Scratch buffers of a thread.
struct Worker {
    /// The document frequency of each term in the thread's documents.
    frequencies: Vec<u32>,
    /// The document's terms in the vocabulary: index in the high half, position in the bag in the low half.
    found: Vec<u64>,
    /// Buffer for sorting them.
    sorted: Vec<u64>,
    /// Lines not yet written.
    text: Vec<u8>,
}

impl Worker {
    fn new(terms: usize) -> Self {
        Worker { frequencies: vec![0; terms], found: vec![], sorted: vec![], text: vec![] }
    }
}

fn index_of(found: u64) -> u32 {
    (found >> u32::BITS) as u32
}

impl<'a> Weigher<'a> {
    fn new(vocabulary: &'a Vocabulary, path: &Path, weighting: Weighting) -> Result<Self> {
        let components = || ComponentTexts::new(vocabulary, weighting);
        // Building the index is only partly parallel.
        let (index, components) = rayon::join(|| vocabulary.index(), components);
        let Some(index) = index else {
            voc::check_terms(path, vocabulary)?;
            unreachable!("terms that differ have an index");
        };
        Ok(Weigher { vocabulary, index, components, workers: ObjectPool::default() })
    }

    /// Appends the vector of a bag and returns its number of components. Terms outside the vocabulary and components of 0 are left out.
    fn append(
        &self,
        worker: &mut Worker,
        line: &Line<'_>,
        bag: &bow::Bag<'_, '_>,
    ) -> Result<usize> {
        let Worker { frequencies, found, sorted, text } = worker;
        found.clear();
        self.index.find_all(bag.terms, |position, index| {
            // Both are read soon, in the order of the indexes.
            prefetch(&frequencies[index as usize]);
            self.components.prefetch(index);
            found.push(u64::from(index) << u32::BITS | position as u64);
        });
        sparse::sort(found, sorted);
        if let Some(twice) = found.windows(2).find(|two| index_of(two[0]) == index_of(two[1])) {
            let term = self.vocabulary.term(index_of(twice[0]) as usize);
            return Err(line.expected("distinct terms", term.text));
        }
        found.iter().for_each(|found| frequencies[index_of(*found) as usize] += 1);
        found.retain(|found| !self.components.is_zero(index_of(*found)));
        vec::append_head(text, &bag.name, found.len());
        for found in &*found {
            let count = bag.terms[*found as u32 as usize].count;
            self.components.append(text, index_of(*found), count);
        }
        text.push(b'\n');
        Ok(found.len())
    }
}
