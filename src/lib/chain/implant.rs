//! `implant_rnd_vecs`: hyperplanes as documents, so that `similarity` measures their angle to every document.
//!
//! The components are the integers that `create_sigs` adds up (normal numbers in units of 1/4096): the length of a vector does not change an
//! angle, and integers are exact. The documents are named `RND_0001`, `RND_0002`, … in the order of the signature's bits.
//!
//! The cosine of a document with `RND_j` is positive where bit j of its signature is 1 and negative where it is 0, with two exceptions.
//! `create_sigs` rounds weights to integers up to 4095 (levels: 63), so a sum within half a step times the sum of the components' absolute
//! values from 0 may have either sign. And a sum of exactly 0 sets the bit although the cosine is 0; with levels that is not rare.

use std::ops::Range;

use bytemuck::allocation::try_zeroed_slice_box;
use clap::Parser;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::flags::{HyperplaneFlags, no_terms};
use crate::error::{Error, Result};
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::manifest::StageKind;
use crate::files::output::Publisher;
use crate::files::paths::{self, VecPaths};
use crate::files::stage::Stage;
use crate::files::vec;
use crate::files::vec::component::append_component;
use crate::session::Session;
use crate::signature::RandomVectors;

/// Hyperplanes per file. They are dense, so few make a large file.
const VECTORS_PER_FILE: usize = 16;
/// Bytes of components in memory at a time, unless one file needs more.
const MEMORY: usize = 1 << 28;
/// Minimum digits of a hyperplane's number in its name.
const DIGITS: usize = 4;

/// Appends the hyperplanes of create_sigs to a collection as documents: RND_0001, RND_0002, … similarity then measures their angle to every
/// document. The new list names the collection's files without copying them
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "implant_rnd_vecs", version, rename_all = "snake_case")]
pub struct ImplantRndVecs {
    /// List of the collection's VEC files, from create_vecs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub vec_paths: FlagPath,
    /// The hyperplanes to append.
    #[command(flatten)]
    #[serde(flatten)]
    pub hyperplanes: HyperplaneFlags,
    /// Write the VEC files of the hyperplanes to DIR, created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub vec_dir: FlagPath,
    /// Write the list of all VEC files, the collection's first, to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub new_vec_paths: FlagPath,
    /// Write the names of the hyperplanes to FILE, one per line: a --sample_list for similarity
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sample_list_out: Option<FlagPath>,
    /// Compress the VEC files with gzip
    #[arg(long, help_heading = "Output")]
    pub compress_vecs: bool,
}

impl Executable for ImplantRndVecs {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Append the 64 hyperplanes of a 64-bit signature",
            "implant_rnd_vecs --vec_paths vec_paths --sig_len 64 --vec_dir rnd --new_vec_paths new_paths",
        ),
        (
            "Also write their names, to compare them with all documents",
            "implant_rnd_vecs --vec_paths vec_paths --sig_len 64 --vec_dir rnd --new_vec_paths new_paths --sample_list_out rnd_names",
        ),
    ];

    const UNRECORDED: &'static [&'static str] = &["compress_vecs"];

    /// Writes the hyperplanes and the list. Memory: a quarter of a gigabyte of components, or those of sixteen hyperplanes.
    fn run(&self, session: &Session) -> Result<Counts> {
        self.hyperplanes.check()?;
        self.check_paths()?;
        let old = VecPaths::read(&self.vec_paths)?;
        let names = names(self.hyperplanes.sig_len);
        let publisher = Publisher::new(session, paths::reads(&self.vec_paths, &old.files));
        let (paths, folder) = (&self.new_vec_paths, &self.vec_dir);
        let mut stage =
            Stage::begin(&publisher, paths, folder, StageKind::Vec, self.compress_vecs)?;
        let sample = self.sample_list_out.as_deref();
        let sample = sample.map(|path| publisher.create(path)).transpose()?;
        stage.name_first(&old.files);
        self.check_names(&old, &names, session)?;
        if old.terms == 0 {
            return Err(no_terms(&self.vec_paths));
        }
        write_vectors(&stage, &self.hyperplanes.draw(old.terms, session)?, &names, session)?;
        if let Some(mut list) = sample {
            names.iter().try_for_each(|name| list.write(format!("{name}\n").as_bytes()))?;
            stage.keep_beside(list)?;
        }
        let implanted = names.len() as u64;
        let per_file = old.per_file.max(implanted.min(VECTORS_PER_FILE as u64));
        let documents = old.documents + implanted;
        let header = VecPaths::header(old.weighting, old.terms, documents, per_file);
        let provenance = self.provenance(StageKind::Vec).count("documents", documents);
        let provenance = provenance.count("terms", old.terms as u64).input(old.provenance.as_ref());
        stage.commit(&header, provenance)?;
        Ok(Counts::new((old.documents, "vectors"), (implanted, "hyperplanes")))
    }
}

impl ImplantRndVecs {
    /// Fails if both outputs are standard output.
    fn check_paths(&self) -> Result<()> {
        let new = &*self.new_vec_paths;
        let sample = self.sample_list_out.as_deref();
        check_streams("output", &[("new_vec_paths", Some(new)), ("sample_list_out", sample)])
    }

    /// Reads the collection, which must be sound and must not use one of the names.
    fn check_names(&self, old: &VecPaths, names: &[String], session: &Session) -> Result<()> {
        session.phase("reading vectors", Some(old.files.len() as u64));
        let names: FxHashSet<&str> = names.iter().map(|name| &**name).collect();
        vec::for_each_part(&self.vec_paths, old, session, |parts| {
            let mut all = parts.iter().flat_map(|part| part.names.iter());
            let taken = all.find(|name| names.contains(name));
            taken.map_or(Ok(()), |name| {
                let message = format!("duplicate document name '{name}'");
                Err(Error::in_file(&self.vec_paths, message))
            })
        })
    }
}

/// Returns the names of `count` hyperplanes.
fn names(count: usize) -> Vec<String> {
    let digits = count.to_string().len().max(DIGITS);
    (1..=count).map(|number| format!("RND_{number:0digits$}")).collect()
}

fn write_vectors(
    stage: &Stage,
    vectors: &RandomVectors,
    names: &[String],
    session: &Session,
) -> Result<()> {
    session.phase("writing hyperplanes", Some(names.len() as u64));
    let files = names.len().div_ceil(VECTORS_PER_FILE);
    let file_bytes = VECTORS_PER_FILE * vectors.terms() * size_of::<i16>();
    let together = (MEMORY / file_bytes).clamp(1, files);
    for first in (0..files).step_by(together) {
        let range =
            first * VECTORS_PER_FILE..((first + together) * VECTORS_PER_FILE).min(names.len());
        let block = ComponentBlock::draw(vectors, range.clone())?;
        let starts: Vec<usize> = range.step_by(VECTORS_PER_FILE).collect();
        starts.into_par_iter().try_for_each(|start| {
            let mut file = stage.create(start / VECTORS_PER_FILE)?;
            let end = (start + VECTORS_PER_FILE).min(names.len());
            for (vector, name) in names.iter().enumerate().take(end).skip(start) {
                file.write(&block.line(vector, name))?;
                session.advance(1);
            }
            stage.keep(start / VECTORS_PER_FILE, file)
        })?;
    }
    Ok(())
}

/// Consecutive hyperplanes, stored by term.
struct ComponentBlock {
    vectors: Range<usize>,
    components: Vec<i16>,
}

impl ComponentBlock {
    /// Draws some hyperplanes. Fails if they do not fit into memory: the number of their components comes from a file.
    fn draw(vectors: &RandomVectors, range: Range<usize>) -> Result<Self> {
        let (terms, count) = (vectors.terms(), range.len());
        let memory = try_zeroed_slice_box(terms.saturating_mul(count));
        let too_large = |()| {
            Error::Message(format!(
                "not enough memory for {count} hyperplanes of {terms} components"
            ))
        };
        let mut components = memory.map_err(too_large)?.into_vec();
        let draw = |row: &mut Vec<i16>, (term, place): (usize, &mut [i16])| {
            vectors.row(term, row);
            place.copy_from_slice(&row[range.clone()]);
        };
        let places = components.par_chunks_mut(range.len()).enumerate();
        places.for_each_init(|| vec![0; vectors.bits()], draw);
        Ok(ComponentBlock { vectors: range, components })
    }

    /// Returns the line of a hyperplane in a VEC file.
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
