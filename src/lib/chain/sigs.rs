//! `create_sigs`: sparse vectors to signatures.

use clap::Parser;
use rayon::prelude::*;
use serde::Serialize;

use super::flags::HyperplaneFlags;
use super::planes::HyperplaneStore;
use crate::corpus;
use crate::error::{Error, Result};
use crate::executable::values::at_least_one;
use crate::executable::{Counts, Executable, FlagPath, ShardFlags};
use crate::files::manifest::{ShardEntry, StageKind};
use crate::files::names::Names;
use crate::files::output::Publisher;
use crate::files::paths::{self, SigPaths, VecPaths};
use crate::files::sig;
use crate::files::stage::Stage;
use crate::files::vec::{self, Vectors};
use crate::session::Session;
use crate::signature::levels::{self, MIN_EFFECTIVE_TERMS};
use crate::signature::{
    Distribution, EqualGroups, Levels, QuantizedVectors, SignatureSet, effective_terms, gauss,
    group_equal,
};

/// Signs each vector: bit j of its signature is 1 where its dot product with hyperplane j is at least 0. Vectors without components get no
/// signature
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_sigs", version, rename_all = "snake_case")]
pub struct CreateSigs {
    /// List of VEC files, from create_vecs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub vec_paths: FlagPath,
    /// Write the SIG files to DIR, created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub sig_dir: FlagPath,
    /// Write the list of SIG files to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sig_paths: FlagPath,
    /// Compress the SIG files with gzip
    #[arg(long, help_heading = "Output")]
    pub compress_sigs: bool,
    /// The hyperplanes to sign with.
    #[command(flatten)]
    #[serde(flatten)]
    pub hyperplanes: HyperplaneFlags,
    /// Do not scale vectors to length 1 before signing; accepted for compatibility, the signatures are the same
    #[arg(long, help_heading = "Hyperplanes")]
    pub no_norm: bool,
    /// Keep the hyperplanes on disk in --sig_dir and at most MB megabytes of them in memory
    #[arg(long, value_name = "MB", help_heading = "Memory", value_parser = at_least_one)]
    pub use_hdd: Option<usize>,
    /// Compress the hyperplanes on disk
    #[arg(long, help_heading = "Memory", requires = "use_hdd")]
    pub compress_rnd_vecs: bool,
    /// The part of the VEC files.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

/// Documents with their signatures, complete or in progress.
#[derive(Default)]
struct Signed {
    names: Names,
    /// The words of all signatures, concatenated.
    words: Vec<u64>,
    /// Whether a document has a component, and so a direction.
    has_direction: Vec<bool>,
    /// Documents with too few effective terms for small integers as components.
    short: Vec<u32>,
}

impl Executable for CreateSigs {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Sign with 1,024 bits",
            "create_sigs --vec_paths vec_paths --sig_len 1024 --sig_dir sigs --sig_paths sig_paths",
        ),
        (
            "Sign faster, with small integers as components",
            "create_sigs --vec_paths vec_paths --sig_len 1024 --rnd_dist levels --sig_dir sigs --sig_paths sig_paths",
        ),
    ];

    const UNRECORDED: &'static [&'static str] =
        &["compress_sigs", "no_norm", "use_hdd", "compress_rnd_vecs"];

    /// Signs all vectors. Memory: the hyperplanes (or the part that `use_hdd` allows), signatures and names, and tens of megabytes of vectors.
    fn run(&self, session: &Session) -> Result<Counts> {
        self.check()?;
        let paths = self.shards.path("sig_paths", &self.sig_paths)?;
        let list = VecPaths::read(&self.vec_paths)?;
        let publisher = Publisher::new(session, paths::reads(&self.vec_paths, &list.files));
        let (folder, kind, per_file) = (&self.sig_dir, StageKind::Sig, list.per_file.max(1));
        let mut stage = Stage::begin(&publisher, &paths, folder, kind, self.compress_sigs)?;
        let entry = |shard| ShardEntry::new(shard).with_per_file(per_file);
        stage.set_shard(self.shards.shard.map(entry));
        let list = list.part(self.shards.shard);
        let signed = match self.hyperplanes.rnd_dist {
            Distribution::Gauss => self.sign_gauss(&list, &stage, session)?,
            Distribution::Levels => self.sign_levels(&list, session)?,
        };
        let bits = self.hyperplanes.sig_len;
        let words = SignatureSet::words_for(bits);
        let groups = group_equal(&signed.words, words, |number| signed.has_direction[number]);
        write(bits, &stage, &signed, &groups, per_file as usize)?;
        report(&signed, session);
        let (documents, distinct) = (groups.grouped_items() as u64, groups.len() as u64);
        let provenance = self.provenance(kind).count("documents", documents);
        let provenance = provenance.count("signatures", distinct).input(list.provenance.as_ref());
        stage.commit(&SigPaths::header(documents, bits, distinct), provenance)?;
        let read = signed.names.len();
        let skipped = ((read - groups.grouped_items()) as u64, "without components");
        let written = (groups.len() as u64, "distinct signatures");
        Ok(Counts { skipped, ..Counts::new((read as u64, "vectors"), written) })
    }
}

impl CreateSigs {
    /// Fails for flags that need a table of hyperplanes where there is none.
    fn check(&self) -> Result<()> {
        let has_table = self.hyperplanes.rnd_dist == Distribution::Gauss;
        if self.use_hdd.is_some() && !has_table {
            return Err(Error::Usage("--use_hdd needs --rnd_dist gauss".into()));
        }
        self.hyperplanes.check()
    }

    fn sign_gauss(&self, list: &VecPaths, stage: &Stage, session: &Session) -> Result<Signed> {
        session.phase("drawing hyperplanes", None);
        let (bits, planes) = (self.hyperplanes.sig_len, self.hyperplanes.normal(list.terms)?);
        let planes = match self.use_hdd {
            Some(megabytes) => {
                let (beside, compress) = (stage.stem(), self.compress_rnd_vecs);
                HyperplaneStore::on_disk(&planes, megabytes, &beside, compress, session)?
            }
            None => HyperplaneStore::in_memory(&planes)?,
        };
        session.phase("signing", Some((planes.blocks() * list.files.len()) as u64));
        let mut signed = Signed::default();
        planes.for_each_block(|block| {
            self.sign(list, gauss::STEPS, &mut signed, session, |parts, signatures| {
                block.sign(parts, bits, signatures, session.cpu());
            })
        })?;
        Ok(signed)
    }

    fn sign_levels(&self, list: &VecPaths, session: &Session) -> Result<Signed> {
        session.phase("signing", Some(list.files.len() as u64));
        let HyperplaneFlags { sig_len, rnd_seed, .. } = self.hyperplanes;
        let levels = Levels::new(rnd_seed, sig_len, list.terms, session.cpu());
        let mut signed = Signed::default();
        self.sign(list, levels::STEPS, &mut signed, session, |parts, signatures| {
            levels.sign(parts, signatures);
        })?;
        Ok(signed)
    }

    /// Reads all vectors once and lets `set_bits` add to their signatures.
    fn sign(
        &self,
        list: &VecPaths,
        steps: i16,
        signed: &mut Signed,
        session: &Session,
        set_bits: impl Fn(&[QuantizedVectors], &mut [&mut [u64]]),
    ) -> Result<()> {
        let words = SignatureSet::words_for(self.hyperplanes.sig_len);
        let changed = || Error::in_file(&self.vec_paths, "changed during reading");
        let is_first = signed.names.is_empty();
        let mut done = 0;
        vec::for_each_part(&self.vec_paths, list, session, |parts| {
            if is_first {
                parts.iter().for_each(|part| signed.add(part, self.hyperplanes.rnd_dist));
                signed.words.resize(signed.names.len() * words, 0);
            }
            let documents: Vec<QuantizedVectors> =
                parts.par_iter().map(|part| quantized(part, steps)).collect();
            let mut rest = signed.words.get_mut(done..).unwrap_or_default();
            let mut signatures = Vec::with_capacity(parts.len());
            for part in &parts {
                let split = rest.split_at_mut_checked(part.len() * words);
                let (these, others) = split.ok_or_else(changed)?;
                (rest, done) = (others, done + these.len());
                signatures.push(these);
            }
            set_bits(&documents, &mut signatures);
            Ok(())
        })
    }
}

fn quantized(part: &Vectors, steps: i16) -> QuantizedVectors {
    let mut documents = QuantizedVectors::new(steps);
    for number in 0..part.len() {
        let (indexes, values) = part.vector(number);
        documents.push(indexes, values);
    }
    documents
}

impl Signed {
    /// Appends documents without their signatures.
    fn add(&mut self, part: &Vectors, distribution: Distribution) {
        for (number, name) in part.names.iter().enumerate() {
            let values = part.vector(number).1;
            let counts = distribution == Distribution::Levels && !values.is_empty();
            if counts && effective_terms(values) < MIN_EFFECTIVE_TERMS {
                self.short.push(self.names.len() as u32);
            }
            self.has_direction.push(!values.is_empty());
            self.names.push(name);
        }
    }
}

fn write(
    bits: usize,
    stage: &Stage,
    signed: &Signed,
    groups: &EqualGroups,
    per_file: usize,
) -> Result<()> {
    let words = SignatureSet::words_for(bits);
    let name = |member: &u32| signed.names.get(*member as usize);
    (0..groups.len().div_ceil(per_file)).into_par_iter().try_for_each(|number| {
        let mut file = stage.create(number)?;
        let mut line = Vec::new();
        let first = number * per_file;
        for group in first..groups.len().min(first + per_file) {
            let members = groups.members(group);
            let signature = &signed.words[members[0] as usize * words..][..words];
            line.clear();
            sig::append_line(&mut line, signature, bits, members.iter().map(name));
            file.write(&line)?;
        }
        stage.keep(number, file)
    })
}

/// Reports the documents without a signature, and those with a less accurate one.
fn report(signed: &Signed, session: &Session) {
    let name = |number: usize| corpus::readable(signed.names.get(number));
    for number in (0..signed.names.len()).filter(|number| !signed.has_direction[*number]) {
        session.detail(&format!("{}: no components, no signature", name(number)));
    }
    for number in &signed.short {
        let few = format!("fewer than {MIN_EFFECTIVE_TERMS} effective terms");
        session.detail(&format!("{}: {few}", name(*number as usize)));
    }
    if !signed.short.is_empty() {
        session.info(&format!(
            "{} vectors have fewer than {MIN_EFFECTIVE_TERMS} effective terms: their signatures are less accurate than with --rnd_dist gauss",
            signed.short.len()
        ));
    }
}
