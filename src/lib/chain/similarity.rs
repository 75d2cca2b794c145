//! `similarity`: exact similarities of vectors.

use std::ops::Range;
use std::path::Path;

use clap::Parser;
use serde::Serialize;
use sprs::CsMatI;

use super::flags::SampleFlags;
use super::shards::pair_part;
use crate::corpus::Sample;
use crate::error::{Error, Result, fallibly};
use crate::executable::{Counts, Executable, FlagPath, ShardFlags};
use crate::files::manifest::StageKind;
use crate::files::names::Names;
use crate::files::output::Publisher;
use crate::files::pairs::{OrderNumbers, PairPart, ResultWriter, append_line, append_similarity};
use crate::files::paths::{self, VecPaths};
use crate::files::vec::{self, Vectors};
use crate::pool::batch_size;
use crate::search::exact::{self, Comparison};
use crate::search::{AllPairsMethod, Match, MatchLists, Pair, Percent, SimilarityMeasure};
use crate::session::Session;

/// Finds every pair of documents with similar vectors, exactly
#[derive(Debug, Clone, Default, Parser, Serialize)]
#[command(name = "similarity", version, rename_all = "snake_case")]
pub struct Similarity {
    /// List of VEC files, from create_vecs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub vec_paths: FlagPath,
    /// Write the pairs to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// Minimum similarity of a pair in percent; at 0 and below, pairs without a common term are listed too
    #[arg(long, alias = "treshold", value_name = "T", help_heading = "Search")]
    pub threshold: Percent,
    /// Similarity measure; all but cosine compare sets of terms
    #[arg(long, value_name = "MEASURE", help_heading = "Search", default_value_t, value_enum)]
    pub sim_meth: SimilarityMeasure,
    /// Search method; the result is the same. Join needs cosine and a threshold above 0; a sample is always scanned
    #[arg(long, value_name = "METHOD", help_heading = "Search", default_value_t, value_enum)]
    pub method: AllPairsMethod,
    /// The sample to compare with all vectors.
    #[command(flatten)]
    #[serde(flatten)]
    pub sample: SampleFlags,
    /// The part of the search.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

impl Executable for Similarity {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Find all pairs with a cosine of at least 0.8",
            "similarity --vec_paths vec_paths --threshold 80 --out pairs",
        ),
        (
            "Compare the documents of a sample with all others by Jaccard similarity",
            "similarity --vec_paths vec_paths --threshold 50 --sim_meth jaccard --sample_list sample --out pairs",
        ),
    ];

    const UNRECORDED: &'static [&'static str] = &["method"];

    /// Compares all vectors, or those of the sample with all. A shard compares its vectors with later ones ([`exact::pairs_of_shard`]), or consecutive
    /// documents of the sample with all. Memory: the vectors, an index of the same size, and the pairs.
    fn run(&self, session: &Session) -> Result<Counts> {
        let list = self.sample.list("vec_paths", &self.vec_paths)?;
        let paths = VecPaths::read(&self.vec_paths)?;
        let reads = paths::reads(&self.vec_paths, &paths.files).into_iter();
        let publisher = Publisher::new(session, reads.chain(self.sample.reads()));
        let (shard, path) = (self.shards.shard, self.shards.path("out", &self.out)?);
        let out = match shard {
            Some(_) => ResultWriter::create_part(&publisher, &path)?,
            None => ResultWriter::create(&publisher, &path)?,
        };
        let (names, vectors) = read_matrix(&self.vec_paths, &paths, session)?;
        let sample = list.map(|list| list.find(&names, false)).transpose()?;
        let provenance = self.provenance(StageKind::Pairs);
        let input = paths.provenance.as_ref();
        let part =
            shard.map(|shard| pair_part(shard, provenance, input, &names, sample.as_deref()));
        let (measure, threshold) = (self.sim_meth, self.threshold.value());
        let Some(sample) = sample else {
            let pairs =
                exact::pairs_of_shard(vectors, measure, threshold, self.method, shard, session);
            return write_all(out, &names, &pairs, part);
        };
        let own = shard.map_or(0..sample.len(), |shard| {
            let row = |document: &Sample| vectors.outer_view(document.number?);
            let terms =
                sample.iter().map(|document| row(document).map_or(0, |row| row.nnz() as u64));
            shard.of_weights(&terms.collect::<Vec<u64>>())
        });
        let comparison = Comparison::new(vectors, measure, threshold);
        write_sample(out, &names, (&sample, own), &comparison, part, session)
    }
}

fn write_all(
    mut out: ResultWriter,
    names: &Names,
    pairs: &[Pair],
    part: Option<PairPart>,
) -> Result<Counts> {
    let rows = MatchLists::new(names.len(), pairs);
    let has_match = |document: &usize| !rows.get(*document).is_empty();
    let documents: Vec<usize> = (0..names.len()).filter(has_match).collect();
    let numbers = out.numbers();
    out.lines(&documents, |line, document| {
        numbers.append(line, *document);
        append_line(line, names.get(*document), rows.get(*document), append_match(names, numbers));
    })?;
    out.finish_part(part)?;
    Ok(counts(names, pairs.len(), "pairs"))
}

fn append_match(names: &Names, numbers: OrderNumbers) -> impl Fn(&mut String, &Match) {
    move |line, found| {
        numbers.append(line, found.other as usize);
        line.push_str(names.get(found.other as usize));
        append_similarity(line, found.similarity);
    }
}

/// Compares the documents of the sample at some positions, and writes a line for each.
fn write_sample(
    mut out: ResultWriter,
    names: &Names,
    (sample, positions): (&[Sample], Range<usize>),
    comparison: &Comparison,
    part: Option<PairPart>,
    session: &Session,
) -> Result<Counts> {
    session.phase("comparing the sample", Some(positions.len() as u64));
    let (mut found, mut position, numbers) = (0, positions.start, out.numbers());
    for batch in sample[positions].chunks(batch_size()) {
        let queries: Vec<usize> = batch.iter().filter_map(|document| document.number).collect();
        for (document, matches) in batch.iter().zip(comparison.matches(&queries, session)) {
            found += matches.len();
            let mut head = String::new();
            numbers.append(&mut head, position);
            head.push_str(&document.name);
            out.line(&head, &matches, append_match(names, numbers))?;
            position += 1;
        }
        session.advance(batch.len() as u64);
    }
    out.finish_part(part)?;
    Ok(counts(names, found, "matches of the sample"))
}

fn counts(names: &Names, found: usize, what: &'static str) -> Counts {
    Counts::new((names.len() as u64, "vectors"), (found as u64, what))
}

/// Reads all vectors as the rows of one sparse matrix, with the names of their documents.
pub fn read_vectors(paths: &Path, session: &Session) -> Result<NamedMatrix> {
    read_matrix(paths, &VecPaths::read(paths)?, session)
}

/// Names, and the vectors as rows of a sparse matrix.
type NamedMatrix = (Names, CsMatI<f32, u32, usize>);

fn read_matrix(paths: &Path, list: &VecPaths, session: &Session) -> Result<NamedMatrix> {
    let Vectors { names, ends, indexes, values } = vec::read_all(paths, list, session)?;
    // Columns after the last component would only take memory.
    let terms = indexes.iter().max().map_or(0, |last| *last as usize + 1);
    if fallibly(|| Vec::<usize>::new().try_reserve_exact(terms + 1)).is_err() {
        return Err(Error::in_file(paths, format!("not enough memory for {terms} terms")));
    }
    let matrix = CsMatI::new((names.len(), terms), ends, indexes, values);
    Ok((names, matrix))
}
