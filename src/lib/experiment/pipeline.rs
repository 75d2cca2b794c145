//! The files and stages of one configuration. Configurations share files: each is created when first needed, and again only if its input has
//! changed.
//!
//! A file is complete when it has its name (lists are written last), so a killed run leaves nothing that looks complete. Runs that share a
//! folder take turns, collection by collection.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::keys::Configuration;
use super::keys::GridKey::*;
use super::sample;
use crate::chain::bows::CreateBows;
use crate::chain::compare::CompareResults;
use crate::chain::corpus::CreateCorpus;
use crate::chain::flags::{SampleFlags, SignatureSearch};
use crate::chain::hamming::{Hamming, HammingFull};
use crate::chain::sigs::CreateSigs;
use crate::chain::similarity::Similarity;
use crate::chain::vecs::CreateVecs;
use crate::chain::voc::{CreateVoc, ReduceVoc};
use crate::error::{Error, Result};
use crate::executable::{Executable, FlagPath, ShardFlags, Step, quoted, with_flags};
use crate::files::output::with_suffix;
use crate::files::paths::SigPaths;
use crate::files::sig::{self, Signatures};
use crate::files::{disk, manifest};
use crate::search::{AllPairsMethod, Percent};
use crate::session::Session;
use crate::vector;

/// Prefix of the names of collections that are created; their size follows.
const SYNTHETIC: &str = "synthetic-";

/// The folders of an experiment.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Collections, as `NAME.jsonl` or `NAME.jsonl.gz`.
    pub collections: PathBuf,
    /// Files derived from collections.
    pub work: PathBuf,
}

impl Folders {
    /// Returns whether a collection exists or can be created.
    pub fn has(&self, collection: &str) -> bool {
        synthetic_size(collection).is_some() || self.path(collection).is_file()
    }

    /// Returns the file of a collection.
    pub fn path(&self, collection: &str) -> PathBuf {
        let plain = self.collections.join(format!("{collection}.jsonl"));
        let compressed = self.collections.join(format!("{collection}.jsonl.gz"));
        if compressed.is_file() && !plain.is_file() { compressed } else { plain }
    }

    /// Locks the derived files of a collection until the returned file is dropped. Waits for other runs.
    pub fn lock(&self, collection: &str) -> Result<File> {
        let path = self.derived(collection, "lock");
        create_folder_of(&path)?;
        let file = disk::open_or_create(&path).map_err(|e| Error::io("create", &path, e))?;
        file.lock().map_err(|e| Error::io("lock", &path, e))?;
        Ok(file)
    }

    fn derived(&self, collection: &str, name: &str) -> PathBuf {
        self.work.join(collection).join(name)
    }
}

/// Returns the number of documents of a collection that is created.
fn synthetic_size(collection: &str) -> Option<u64> {
    collection.strip_prefix(SYNTHETIC)?.parse().ok().filter(|documents| *documents > 0)
}

/// A stage, its main input and its output.
pub struct PipelineStage {
    /// The stage.
    pub step: Box<dyn Step>,
    input: Option<PathBuf>,
    output: PathBuf,
}

/// The files and stages of one configuration.
#[derive(Clone, Copy)]
pub struct Pipeline<'a> {
    /// The folders of the files.
    pub folders: &'a Folders,
    /// The configuration.
    pub configuration: &'a Configuration,
}

impl Pipeline<'_> {
    fn collection(&self) -> &str {
        self.configuration.text(Collection)
    }

    fn file(&self, name: &str) -> FlagPath {
        self.folders.derived(self.collection(), name).into()
    }

    fn bow_paths(&self) -> FlagPath {
        self.file("bow_paths")
    }

    /// Returns the list of the vectors.
    pub fn vec_paths(&self) -> FlagPath {
        let [weighting, min_df] = [Weighting, MinDf].map(|key| self.configuration.text(key));
        self.file(&format!("{weighting}-{min_df}.vec_paths"))
    }

    /// Returns the list of the signatures of `bits` bits.
    pub fn sig_paths(&self, bits: usize) -> FlagPath {
        let texts = [Weighting, MinDf, RndSeed].map(|key| self.configuration.text(key));
        let [weighting, min_df, seed] = texts;
        self.file(&format!("{weighting}-{min_df}-{bits}-{seed}.sig_paths"))
    }

    /// Returns the list of sample documents.
    pub fn sample_list(&self) -> FlagPath {
        self.file(&format!("sample-{}", self.configuration.text(Sample)))
    }

    /// Returns the stages that create the vectors, in order.
    pub fn stages(&self) -> Vec<PipelineStage> {
        let (name, min_df) = (self.collection(), self.configuration.text(MinDf));
        let (collection, bow_paths) = (FlagPath::from(self.folders.path(name)), self.bow_paths());
        let (whole, voc_name) = (self.file("voc-1"), self.file(&format!("voc-{min_df}")));
        let mut stages = Vec::new();
        let mut add = |step: Box<dyn Step>, input: Option<&Path>, output: &Path| {
            let (input, output) = (input.map(Path::to_path_buf), output.to_path_buf());
            stages.push(PipelineStage { step, input, output });
        };
        if let Some(documents) = synthetic_size(name) {
            let corpus = with_flags::<CreateCorpus>(&[
                ("doc_count", &documents.to_string()),
                ("out", &collection),
            ]);
            add(Box::new(corpus), None, &collection);
        }
        let bows: CreateBows = with_flags(&[
            ("json_lines", &collection),
            ("bow_paths", &bow_paths),
            ("bow_dir", &data_folder(&bow_paths)),
        ]);
        add(Box::new(bows), Some(&collection), &bow_paths);
        let voc = CreateVoc { bow_paths: bow_paths.clone(), voc_name: whole.clone() };
        add(Box::new(voc), Some(&bow_paths), &whole);
        if min_df != "1" {
            let reduced: ReduceVoc = with_flags(&[
                ("old_voc_name", &whole),
                ("new_voc_name", &voc_name),
                ("min_df", &min_df),
                ("max_df", &"inf"),
            ]);
            add(Box::new(reduced), Some(&whole), &voc_name);
        }
        add(Box::new(self.create_vecs(&voc_name)), Some(&voc_name), &self.vec_paths());
        stages
    }

    fn create_vecs(&self, voc_name: &Path) -> CreateVecs {
        let (vec_paths, weighting) = (self.vec_paths(), self.configuration.weighting());
        CreateVecs {
            bow_paths: self.bow_paths(),
            voc_name: voc_name.into(),
            vec_dir: data_folder(&vec_paths),
            vec_paths,
            compress_vecs: false,
            use_tf_only: weighting == vector::Weighting::Tf,
            word_weights: weighting == vector::Weighting::WordWeights,
            shards: ShardFlags::default(),
        }
    }

    /// Returns the stage that creates the signatures of `bits` bits.
    pub fn create_sigs(&self, bits: usize) -> CreateSigs {
        let sig_paths = self.sig_paths(bits);
        with_flags(&[
            ("vec_paths", &self.vec_paths()),
            ("sig_len", &bits.to_string()),
            ("rnd_seed", &self.configuration.text(RndSeed)),
            ("sig_dir", &data_folder(&sig_paths)),
            ("sig_paths", &sig_paths),
        ])
    }

    /// Returns the search of PLEB in these signatures.
    pub fn hamming(&self, search: SignatureSearch) -> Hamming {
        Hamming {
            search,
            iter_count: self.configuration.get(IterCount),
            beam: self.configuration.get(Beam),
            shift_count: self.configuration.get(ShiftCount),
            target_recall: None,
            rnd_seed: self.configuration.get(RndSeed),
        }
    }

    /// Creates the vectors unless they are up to date, and returns their list.
    pub fn vectors(&self, session: &Session) -> Result<FlagPath> {
        for stage in self.stages() {
            if !is_fresh(&stage.output, stage.input.as_deref()) {
                create_folder_of(&stage.output)?;
                stage.step.execute(session)?;
            }
        }
        Ok(self.vec_paths())
    }

    /// Creates and reads signatures of `bits` bits. Their files are removed again: they are large and quickly created.
    pub fn signatures(&self, bits: usize, session: &Session) -> Result<Signatures> {
        let stage = self.create_sigs(bits);
        stage.run(session)?;
        let signatures = sig::read(&stage.sig_paths, &SigPaths::read(&stage.sig_paths)?)?;
        manifest::remove_list(&stage.sig_paths)?;
        let folder: &Path = &stage.sig_dir;
        disk::remove_folder(folder).map_err(|e| Error::io("remove", folder, e))?;
        Ok(signatures)
    }

    /// Creates the files of the signatures unless they are up to date.
    pub fn keep_signatures(&self, session: &Session) -> Result<()> {
        let stage = self.create_sigs(self.configuration.bits());
        if !is_fresh(&stage.sig_paths, Some(&stage.vec_paths)) {
            stage.run(session)?;
        }
        Ok(())
    }

    /// Writes the list of sample documents unless it is up to date, and returns it. Needs the bags of words.
    pub fn sample(&self, session: &Session) -> Result<FlagPath> {
        let (list, bow_paths) = (self.sample_list(), self.bow_paths());
        if !is_fresh(&list, Some(&bow_paths)) {
            sample::write(&bow_paths, self.configuration.get(Sample), &list, session)?;
        }
        Ok(list)
    }

    /// Returns the command lines that create the vectors.
    pub fn vector_commands(&self) -> Vec<String> {
        let work = self.folders.work.join(self.collection());
        let folders = [&self.folders.collections, &work].map(|folder| quoted(folder));
        let stages = self.stages();
        let mut lines = vec![format!("mkdir -p {}", folders.join(" "))];
        lines.extend(stages.iter().map(|stage| stage.step.command_line()));
        lines
    }

    /// Returns the command lines that create the signatures.
    pub fn signature_commands(&self) -> Vec<String> {
        let mut lines = self.vector_commands();
        lines.push(self.create_sigs(self.configuration.bits()).command_line());
        lines
    }

    /// Returns the command line that writes the list of sample documents.
    pub fn sample_command(&self) -> String {
        sample::command(&self.bow_paths(), self.configuration.text(Sample), &self.sample_list())
    }

    /// Returns the command lines that compare the sample with all documents, and the searches among them.
    pub fn sample_searches(&self) -> (Vec<String>, Similarity, HammingFull) {
        let (size, bits) = (self.configuration.text(Sample), self.configuration.bits());
        let (sample, all) = (SampleFlags::of_lines(self.sample_list()), Percent::default());
        let mut lines = self.signature_commands();
        lines.push(self.sample_command());
        let mut sim = similarity(self.vec_paths(), &format!(".sim-{size}"), all);
        let mut ham = hamming_full(search(self.sig_paths(bits), &format!(".ham-{size}"), all));
        (sim.sample, ham.search.sample) = (sample.clone(), sample);
        lines.extend([sim.command_line(), ham.command_line()]);
        (lines, sim, ham)
    }
}

/// Returns the search of all pairs of vectors, to be written next to their list.
pub fn similarity(vec_paths: FlagPath, ending: &str, threshold: Percent) -> Similarity {
    let out = with_suffix(&vec_paths, ending).into();
    Similarity { vec_paths, out, threshold, ..Similarity::default() }
}

/// Returns the search of all pairs of signatures.
pub fn hamming_full(search: SignatureSearch) -> HammingFull {
    HammingFull { search, method: AllPairsMethod::Auto }
}

/// Returns the flags of a search of all signatures, to be written next to their list.
pub fn search(sig_paths: FlagPath, ending: &str, threshold: Percent) -> SignatureSearch {
    let out = with_suffix(&sig_paths, ending).into();
    let (sample, shards) = Default::default();
    SignatureSearch { sig_paths, out, threshold, sample, shards }
}

/// Returns the comparison of two results.
pub fn compare(sim: &Path, ham: &Path, out: &Path, summary: Option<PathBuf>) -> CompareResults {
    let summary = summary.map(FlagPath::from);
    let (sim, ham, out) = (sim.into(), ham.into(), out.into());
    CompareResults { sim, ham, out, summary, ..CompareResults::default() }
}

/// Replaces the value of a flag in a command line by an expression of the shell.
pub fn with_value(command: &str, flag: &str, expression: &str) -> String {
    let start = format!(" --{flag} ");
    let Some((before, after)) = command.split_once(&start) else { return command.to_string() };
    let rest = after.find(' ').map_or("", |end| &after[end..]);
    format!("{before}{start}{expression}{rest}")
}

/// Returns the folder for the data files of a list.
pub fn data_folder(list: &Path) -> FlagPath {
    with_suffix(list, ".data").into()
}

fn create_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    disk::create_folders(folder, false).map_err(|e| Error::io("create", folder, e))
}

/// Returns whether a file exists and is not older than its input.
fn is_fresh(file: &Path, input: Option<&Path>) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    match (time(file), input) {
        (Some(_), None) => true,
        (Some(written), Some(input)) => time(input).is_some_and(|changed| changed <= written),
        (None, _) => false,
    }
}
