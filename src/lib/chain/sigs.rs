//! `create_sigs`: sparse vectors to signatures.

use std::path::PathBuf;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Counts;
use super::planes::Planes;
use crate::corpus;
use crate::error::Result;
use crate::files::output::with_suffix;
use crate::files::paths::{SigPaths, VecPaths};
use crate::files::sig;
use crate::files::stage::Stage;
use crate::files::vec::{self, Vectors};
use crate::signature::{Block, Hyperplanes, SignatureSet, sign};
use crate::vector;
use crate::watch::Watch;

/// What to read, how, and where to write.
#[derive(Debug, Clone)]
pub struct Sigs {
    /// The list of VEC files.
    pub vec_paths: PathBuf,
    /// The length of a signature; a multiple of 4.
    pub bits: usize,
    /// The folder for SIG files.
    pub sig_dir: PathBuf,
    /// The list to write.
    pub sig_paths: PathBuf,
    /// Whether vectors are scaled to length one before they are signed.
    pub normalise: bool,
    /// Where the random vectors come from.
    pub seed: u64,
    /// Whether to compress the SIG files.
    pub compress: bool,
    /// Keep the random vectors on disk and only so many megabytes of them in memory.
    pub use_hdd: Option<usize>,
    /// Whether to compress the random vectors on disk.
    pub compress_planes: bool,
    /// Draw a random vector again until more than this share of its components is positive, and negative.
    pub below_zero_percent: Option<f64>,
}

/// The documents of one VEC file.
#[derive(Default)]
struct Signed {
    names: Vec<String>,
    /// Their signatures' words, one after the other.
    words: Vec<u64>,
    /// Whether they have any component, and so a direction.
    has_direction: Vec<bool>,
}

/// Signs all vectors. Memory: the random vectors (or the part that `use_hdd` allows), the signatures, a VEC file a thread.
pub fn create(task: &Sigs, watch: &dyn Watch) -> Result<Counts> {
    let list = VecPaths::read(&task.vec_paths)?;
    let stage = Stage::begin(&task.sig_paths, &task.sig_dir, "sig", task.compress)?;
    let files = sign_all(task, &list, &stage, watch)?;
    let sizes: Vec<usize> = files.iter().map(|file| file.names.len()).collect();
    let groups = group(&files, SignatureSet::words_for(task.bits));
    let signed: usize = groups.iter().map(|(_, names)| names.len()).sum();
    write(task, &stage, &groups, list.per_file.max(1) as usize)?;
    tell_unsigned(&files, watch);
    stage.commit(&SigPaths::header(signed as u64, task.bits, groups.len() as u64))?;
    let read = sizes.iter().sum::<usize>();
    Ok(Counts {
        read: (read as u64, "vectors"),
        skipped: ((read - signed) as u64, "without components"),
        written: (groups.len() as u64, "different signatures"),
    })
}

fn sign_all(task: &Sigs, list: &VecPaths, stage: &Stage, watch: &dyn Watch) -> Result<Vec<Signed>> {
    watch.begin("drawing random vectors", None);
    let planes = match task.below_zero_percent {
        Some(percent) => Hyperplanes::balanced(task.seed, task.bits, list.terms, percent)?,
        None => Hyperplanes::new(task.seed, task.bits, list.terms),
    };
    let planes = match task.use_hdd {
        Some(megabytes) => {
            let stem = with_suffix(&stage.stem(), "-random");
            Planes::on_disk(&planes, megabytes, &stem, task.compress_planes, watch)?
        }
        None => Planes::in_memory(&planes)?,
    };
    watch.begin("signing", Some((planes.blocks() * list.files.len()) as u64));
    let mut files: Vec<Signed> = Vec::new();
    planes.for_each_block(|block| {
        let mut next = 0;
        vec::for_each_part(&task.vec_paths, list, watch, |parts| {
            files.resize_with(files.len().max(next + parts.len()), Signed::default);
            let signed = files[next..].par_iter_mut();
            signed.zip(&parts).for_each(|(file, part)| sign_part(task, block, part, file));
            next += parts.len();
            Ok(())
        })
    })?;
    Ok(files)
}

/// Adds a block's bits to the signatures of some vectors.
fn sign_part(task: &Sigs, block: &Block<'_>, vectors: &Vectors, file: &mut Signed) {
    let words = SignatureSet::words_for(task.bits);
    if file.names.is_empty() {
        file.words = vec![0; vectors.len() * words];
        file.has_direction = (0..vectors.len()).map(|n| !vectors.vector(n).0.is_empty()).collect();
        file.names = vectors.names.iter().map(str::to_string).collect();
    }
    file.words.par_chunks_mut(words).enumerate().for_each(|(number, signature)| {
        let (indexes, values) = vectors.vector(number);
        let norm = if task.normalise { vector::norm(values) } else { 1.0 };
        sign(block, indexes, values, 1.0 / norm, signature);
    });
}

/// A signature and the names of the documents that have it.
type Group<'a> = (&'a [u64], Vec<&'a str>);

/// Documents by signature, in the order of each signature's first document.
fn group(files: &[Signed], words: usize) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: FxHashMap<&[u64], usize> = FxHashMap::default();
    for file in files {
        let documents = file.words.chunks(words).zip(&file.names).zip(&file.has_direction);
        for ((signature, name), _) in documents.filter(|(_, has_direction)| **has_direction) {
            let group = *known.entry(signature).or_insert_with(|| {
                groups.push((signature, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(name);
        }
    }
    groups
}

fn write(task: &Sigs, stage: &Stage, groups: &[Group<'_>], per_file: usize) -> Result<()> {
    groups.par_chunks(per_file).enumerate().try_for_each(|(number, groups)| {
        let mut file = stage.create(number)?;
        let mut line = Vec::new();
        for (signature, names) in groups {
            line.clear();
            sig::append_line(&mut line, signature, task.bits, names.iter().copied());
            file.write(&line)?;
        }
        stage.keep(number, file)
    })
}

fn tell_unsigned(files: &[Signed], watch: &dyn Watch) {
    for file in files {
        for (name, _) in file.names.iter().zip(&file.has_direction).filter(|(_, has)| !**has) {
            watch.detail(&format!("{}: no components, no signature", corpus::readable(name)));
        }
    }
}
