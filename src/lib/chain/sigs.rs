//! `create_sigs`: sparse vectors to signatures.

use std::path::PathBuf;

use rayon::prelude::*;

use super::Counts;
use super::planes::Planes;
use crate::corpus;
use crate::error::{Error, Result};
use crate::files::names::Names;
use crate::files::output::with_suffix;
use crate::files::paths::{SigPaths, VecPaths};
use crate::files::sig;
use crate::files::stage::Stage;
use crate::files::vec::{self, Vectors};
use crate::session::Session;
use crate::signature::levels::{self, LEAST_EFFECTIVE_TERMS};
use crate::signature::{
    Documents, Groups, Hyperplanes, Levels, SignatureSet, effective_terms, gauss,
};

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
    /// Where the random vectors come from.
    pub seed: u64,
    /// What the random vectors' components are.
    pub distribution: Distribution,
    /// Whether to compress the SIG files.
    pub compress: bool,
}

/// The random vectors' components.
#[derive(Debug, Clone)]
pub enum Distribution {
    /// Normal numbers.
    Gauss(Table),
    /// Small whole numbers, made again whenever they are needed.
    Levels,
}

/// How normal random vectors are kept.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Keep the random vectors on disk and only so many megabytes of them in memory.
    pub use_hdd: Option<usize>,
    /// Whether to compress the random vectors on disk.
    pub compress: bool,
    /// Draw a random vector again until more than this share of its components is positive, and negative.
    pub below_zero_percent: Option<f64>,
}

/// Documents that are signed, in part or whole.
#[derive(Default)]
struct Signed {
    names: Names,
    /// Their signatures' words, one after the other.
    words: Vec<u64>,
    /// Whether they have any component, and so a direction.
    has_direction: Vec<bool>,
    /// Those with so few effective terms that small whole numbers are not good enough.
    short: Vec<u32>,
}

/// Signs all vectors. Memory: the random vectors (or the part that `use_hdd` allows), the signatures and names, some tens of megabytes of vectors.
pub fn create(task: &Sigs, session: &Session) -> Result<Counts> {
    let list = VecPaths::read(&task.vec_paths)?;
    let stage = Stage::begin(&task.sig_paths, &task.sig_dir, "sig", task.compress)?;
    let signed = match &task.distribution {
        Distribution::Gauss(table) => sign_gauss(task, table, &list, &stage, session)?,
        Distribution::Levels => sign_levels(task, &list, session)?,
    };
    let words = SignatureSet::words_for(task.bits);
    let groups = Groups::new(&signed.words, words, |number| signed.has_direction[number]);
    write(task, &stage, &signed, &groups, list.per_file.max(1) as usize)?;
    tell(&signed, session);
    stage.commit(&SigPaths::header(groups.members() as u64, task.bits, groups.len() as u64))?;
    let read = signed.names.len();
    Ok(Counts {
        read: (read as u64, "vectors"),
        skipped: ((read - groups.members()) as u64, "without components"),
        written: (groups.len() as u64, "different signatures"),
        unreadable: 0,
    })
}

fn sign_gauss(
    task: &Sigs,
    table: &Table,
    list: &VecPaths,
    stage: &Stage,
    session: &Session,
) -> Result<Signed> {
    session.phase("drawing random vectors", None);
    let planes = match table.below_zero_percent {
        Some(percent) => Hyperplanes::balanced(task.seed, task.bits, list.terms, percent)?,
        None => Hyperplanes::new(task.seed, task.bits, list.terms),
    };
    let planes = match table.use_hdd {
        Some(megabytes) => {
            let stem = with_suffix(&stage.stem(), "-random");
            Planes::on_disk(&planes, megabytes, &stem, table.compress, session)?
        }
        None => Planes::in_memory(&planes)?,
    };
    session.phase("signing", Some((planes.blocks() * list.files.len()) as u64));
    let mut signed = Signed::default();
    planes.for_each_block(|block| {
        sign(task, list, gauss::STEPS, &mut signed, session, |parts, signatures| {
            block.sign(parts, task.bits, signatures, session.cpu());
        })
    })?;
    Ok(signed)
}

fn sign_levels(task: &Sigs, list: &VecPaths, session: &Session) -> Result<Signed> {
    session.phase("signing", Some(list.files.len() as u64));
    let levels = Levels::new(task.seed, task.bits, list.terms, session.cpu());
    let mut signed = Signed::default();
    sign(task, list, levels::STEPS, &mut signed, session, |parts, signatures| {
        levels.sign(parts, signatures);
    })?;
    Ok(signed)
}

/// Reads all vectors once and lets `set_bits` add to their signatures.
fn sign(
    task: &Sigs,
    list: &VecPaths,
    steps: i16,
    signed: &mut Signed,
    session: &Session,
    set_bits: impl Fn(&[Documents], &mut [&mut [u64]]),
) -> Result<()> {
    let words = SignatureSet::words_for(task.bits);
    let is_first = signed.names.is_empty();
    let mut done = 0;
    vec::for_each_part(&task.vec_paths, list, session, |parts| {
        if is_first {
            parts.iter().for_each(|part| signed.add(part, &task.distribution));
            signed.words.resize(signed.names.len() * words, 0);
        }
        let documents: Vec<Documents> =
            parts.par_iter().map(|part| quantised(part, steps)).collect();
        let mut rest = signed.words.get_mut(done..).unwrap_or_default();
        let mut signatures = Vec::with_capacity(parts.len());
        for part in &parts {
            let (these, others) =
                rest.split_at_mut_checked(part.len() * words).ok_or_else(|| {
                    Error::Message(format!(
                        "{}: changed while it was read",
                        task.vec_paths.display()
                    ))
                })?;
            (rest, done) = (others, done + these.len());
            signatures.push(these);
        }
        set_bits(&documents, &mut signatures);
        Ok(())
    })
}

fn quantised(part: &Vectors, steps: i16) -> Documents {
    let mut documents = Documents::new(steps);
    for number in 0..part.len() {
        let (indexes, values) = part.vector(number);
        documents.push(indexes, values);
    }
    documents
}

impl Signed {
    /// Takes the documents, without their signatures.
    fn add(&mut self, part: &Vectors, distribution: &Distribution) {
        for (number, name) in part.names.iter().enumerate() {
            let values = part.vector(number).1;
            let counts = matches!(distribution, Distribution::Levels) && !values.is_empty();
            if counts && effective_terms(values) < LEAST_EFFECTIVE_TERMS {
                self.short.push(self.names.len() as u32);
            }
            self.has_direction.push(!values.is_empty());
            self.names.push(name);
        }
    }
}

fn write(
    task: &Sigs,
    stage: &Stage,
    signed: &Signed,
    groups: &Groups,
    per_file: usize,
) -> Result<()> {
    let words = SignatureSet::words_for(task.bits);
    let name = |member: &u32| signed.names.get(*member as usize);
    (0..groups.len().div_ceil(per_file)).into_par_iter().try_for_each(|number| {
        let mut file = stage.create(number)?;
        let mut line = Vec::new();
        let first = number * per_file;
        for group in first..groups.len().min(first + per_file) {
            let members = groups.get(group);
            let signature = &signed.words[members[0] as usize * words..][..words];
            line.clear();
            sig::append_line(&mut line, signature, task.bits, members.iter().map(name));
            file.write(&line)?;
        }
        stage.keep(number, file)
    })
}

/// Says which documents have no signature, and which have one that is less accurate.
fn tell(signed: &Signed, session: &Session) {
    let name = |number: usize| corpus::readable(signed.names.get(number));
    for number in (0..signed.names.len()).filter(|number| !signed.has_direction[*number]) {
        session.detail(&format!("{}: no components, no signature", name(number)));
    }
    for number in &signed.short {
        let few = format!("fewer than {LEAST_EFFECTIVE_TERMS} effective terms");
        session.detail(&format!("{}: {few}", name(*number as usize)));
    }
    if !signed.short.is_empty() {
        session.info(&format!(
            "{} vectors have fewer than {LEAST_EFFECTIVE_TERMS} effective terms: their signatures are less accurate than those of rnd_dist gauss",
            signed.short.len()
        ));
    }
}
