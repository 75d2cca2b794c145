//! `implant_rnd_vecs`: random vectors as documents, so that `similarity` measures their angle to every document.
//!
//! They are the vectors that `create_sigs` signs with, component by component, as the whole numbers that it adds up (normal numbers in units of 1/4096): a
//! vector's length does not matter to an angle, and what is written is exact. They are called `RND_0001`, `RND_0002`, … in the order of the signature's bits.
//!
//! A document's cosine with `RND_j` is positive where bit j of its signature is 1 and negative where it is 0, but for two reasons. `create_sigs` rounds
//! the document's weights to whole numbers up to 4095 (levels: 63), so where the sum of its products lies within half a step times the sum of the
//! components' sizes from 0, either may come out. And a sum of exactly 0 sets the bit, while its cosine is 0, not positive; with
//! levels that is not rare.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Counts;
use crate::error::{Error, Result};
use crate::files::component::append_component;
use crate::files::output::Output;
use crate::files::paths::VecPaths;
use crate::files::stage::Stage;
use crate::files::vec;
use crate::session::Session;
use crate::signature::{RandomSource, RandomVectors};

/// Random vectors in a file. They are dense, so files are large with few of them.
const VECTORS_A_FILE: usize = 16;
/// Bytes of components that are in memory at the same time, unless one file's vectors alone have more.
const MEMORY: usize = 1 << 28;
/// Digits of a random vector's number in its name, unless there are more.
const DIGITS: usize = 4;

/// What to read, which vectors, and where to write.
#[derive(Debug, Clone)]
pub struct Implant {
    /// The list of VEC files of the collection.
    pub vec_paths: PathBuf,
    /// How the random vectors are drawn.
    pub source: RandomSource,
    /// The folder for the VEC files of random vectors.
    pub vec_dir: PathBuf,
    /// The list to write: the collection's files, then those of the random vectors.
    pub new_vec_paths: PathBuf,
    /// Where to write the random vectors' names, one a line.
    pub sample_list_out: Option<PathBuf>,
    /// Whether to compress the VEC files.
    pub compress: bool,
}

/// Writes the random vectors and the list. The collection's own files are named, not copied. Memory: a quarter of a gigabyte of components, or those of sixteen vectors.
pub fn implant(task: &Implant, session: &Session) -> Result<Counts> {
    let old = VecPaths::read(&task.vec_paths)?;
    check_lists(task)?;
    let names = names(task.source.bits);
    let mut stage = Stage::begin(&task.new_vec_paths, &task.vec_dir, "vec", task.compress)?;
    stage.name_first(&old.files);
    check_names(task, &old, &names, session)?;
    if old.terms == 0 {
        let list = task.vec_paths.display();
        let message = format!("{list}: a vocabulary without terms has no random vectors");
        return Err(Error::Message(message));
    }
    write_vectors(&stage, &task.source.draw(old.terms)?, &names, session)?;
    if let Some(path) = &task.sample_list_out {
        let mut list = Output::create(path)?;
        names.iter().try_for_each(|name| list.write(format!("{name}\n").as_bytes()))?;
        stage.keep_beside(list)?;
    }
    let (implanted, per_file) = (names.len() as u64, names.len().min(VECTORS_A_FILE) as u64);
    let documents = old.documents + implanted;
    let per_file = old.per_file.max(per_file);
    stage.commit(&VecPaths::header(old.weighting, old.terms, documents, per_file))?;
    Ok(Counts {
        read: (old.documents, "vectors"),
        skipped: (0, ""),
        written: (implanted, "random vectors"),
        unreadable: 0,
    })
}

/// The names of so many random vectors.
fn names(count: usize) -> Vec<String> {
    let digits = count.to_string().len().max(DIGITS);
    (1..=count).map(|number| format!("RND_{number:0digits$}")).collect()
}

fn check_lists(task: &Implant) -> Result<()> {
    let place = |path: &Path| fs::canonicalize(path).ok();
    if place(&task.vec_paths).is_some_and(|old| place(&task.new_vec_paths) == Some(old)) {
        let list = task.vec_paths.display();
        return Err(Error::Message(format!("{list}: the new list would replace the old one")));
    }
    Ok(())
}

/// Reads the collection, which must be sound and must not have one of the names.
fn check_names(task: &Implant, old: &VecPaths, names: &[String], session: &Session) -> Result<()> {
    session.phase("reading vectors", Some(old.files.len() as u64));
    let names: FxHashSet<&str> = names.iter().map(|name| &**name).collect();
    vec::for_each_part(&task.vec_paths, old, session, |parts| {
        let mut all = parts.iter().flat_map(|part| part.names.iter());
        all.find(|name| names.contains(name)).map_or(Ok(()), |name| {
            let list = task.vec_paths.display();
            Err(Error::Message(format!("{list}: the collection has a document '{name}' already")))
        })
    })
}

fn write_vectors(
    stage: &Stage,
    vectors: &RandomVectors,
    names: &[String],
    session: &Session,
) -> Result<()> {
    session.phase("writing random vectors", Some(names.len() as u64));
    let files = names.len().div_ceil(VECTORS_A_FILE);
    let file_bytes = VECTORS_A_FILE * vectors.terms() * size_of::<i16>();
    let together = (MEMORY / file_bytes).clamp(1, files);
    for first in (0..files).step_by(together) {
        let range = first * VECTORS_A_FILE..((first + together) * VECTORS_A_FILE).min(names.len());
        let block = Block::draw(vectors, range.clone());
        let starts: Vec<usize> = range.step_by(VECTORS_A_FILE).collect();
        starts.into_par_iter().try_for_each(|start| {
            let mut file = stage.create(start / VECTORS_A_FILE)?;
            let end = (start + VECTORS_A_FILE).min(names.len());
            for (vector, name) in names.iter().enumerate().take(end).skip(start) {
                file.write(&block.line(vector, name))?;
                session.advance(1);
            }
            stage.keep(start / VECTORS_A_FILE, file)
        })?;
    }
    Ok(())
}

/// Some neighbouring random vectors, term by term.
struct Block {
    vectors: Range<usize>,
    components: Vec<i16>,
}

impl Block {
    fn draw(vectors: &RandomVectors, range: Range<usize>) -> Self {
        let mut components = vec![0; vectors.terms() * range.len()];
        let draw = |row: &mut Vec<i16>, (term, place): (usize, &mut [i16])| {
            vectors.row(term, row);
            place.copy_from_slice(&row[range.clone()]);
        };
        let places = components.par_chunks_mut(range.len()).enumerate();
        places.for_each_init(|| vec![0; vectors.bits()], draw);
        Block { vectors: range, components }
    }

    /// A vector's line in a VEC file.
    fn line(&self, vector: usize, name: &str) -> Vec<u8> {
        let width = self.vectors.len();
        let components = self.components.iter().skip(vector - self.vectors.start).step_by(width);
        let mut line = Vec::new();
        vec::append_head(&mut line, name, self.components.len() / width);
        for (index, component) in (0..).zip(components) {
            append_component(&mut line, index, f32::from(*component));
        }
        line.push(b'\n');
        line
    }
}
