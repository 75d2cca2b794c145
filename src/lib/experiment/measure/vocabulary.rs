//! Change of the cosines of a sample with all documents by a reduced vocabulary.
//!
//! Columns with the prefix `near_` cover the pairs whose cosine with the whole vocabulary is at or above the threshold.

use super::compared::{BATCH, queries};
use super::{Bench, MeasurementParts, Run, cell};
use crate::chain::flags::SampleFlags;
use crate::chain::similarity::{Similarity, read_vectors};
use crate::error::Result;
use crate::evaluate::{Evaluation, EvaluationSettings, ScorePair};
use crate::executable::Step;
use crate::experiment::keys::Configuration;
use crate::experiment::keys::GridKey::*;
use crate::experiment::pipeline::{Pipeline, compare, similarity};
use crate::files::output::with_suffix;
use crate::files::paths::VecPaths;
use crate::search::exact::Comparison;
use crate::search::{Match, Percent, SimilarityMeasure};
use crate::session::Session;

/// The measurement.
pub const PARTS: MeasurementParts = MeasurementParts {
    keys: &[Collection, Weighting, MinDf, Sample, ThresholdSim],
    columns: "terms_whole,terms,documents,pairs,L1,L2,largest_difference,S,near_pairs,near_L1,near_L2,near_S",
    run: Run::Alone(run),
    commands,
};

/// Returns the configuration with the whole vocabulary.
fn whole(configuration: &Configuration) -> Configuration {
    let mut whole = configuration.clone();
    let min_df = whole.0.iter_mut().filter(|(key, _)| *key == MinDf);
    min_df.for_each(|(_, value)| *value = "1".into());
    whole
}

fn run(bench: &Bench<'_>, configuration: &Configuration) -> Result<Vec<String>> {
    let (pipeline, whole) = (bench.pipeline(configuration), whole(configuration));
    let whole = Pipeline { configuration: &whole, ..pipeline };
    let (whole, whole_terms, sample) = prepare(&whole, bench.session)?;
    let (reduced, terms, _) = prepare(&pipeline, bench.session)?;
    let threshold = configuration.get::<Percent>(ThresholdSim).value();
    let mut all = Evaluation::new(EvaluationSettings::default());
    let mut near = all.clone();
    let session = bench.session;
    for queries in sample.chunks(BATCH) {
        for (whole, reduced) in
            whole.matches(queries, session).iter().zip(reduced.matches(queries, session))
        {
            let pairs = align(whole, &reduced);
            all.add_document(&pairs);
            let is_near = |pair: &ScorePair| pair.sim.is_some_and(|sim| sim >= threshold);
            near.add_document(&pairs.into_iter().filter(is_near).collect::<Vec<_>>());
        }
    }
    let (all, near) = (all.measures(), near.measures());
    let mut values = vec![whole_terms.to_string(), terms.to_string(), cell(&all, "documents")];
    values
        .extend(["pairs_both", "L1", "L2", "largest_difference", "S"].map(|name| cell(&all, name)));
    values.extend(["pairs_both", "L1", "L2", "S"].map(|name| cell(&near, name)));
    Ok(values)
}

fn prepare(pipeline: &Pipeline<'_>, session: &Session) -> Result<(Comparison, usize, Vec<usize>)> {
    let list = pipeline.vectors(session)?;
    let terms = VecPaths::read(&list)?.terms;
    let (names, vectors) = read_vectors(&list, session)?;
    let sample = queries(pipeline, &names, session)?;
    Ok((Comparison::new(vectors, SimilarityMeasure::Cosine, 0.0), terms, sample))
}

/// Aligns the matches of both vocabularies by document.
fn align(whole: &[Match], reduced: &[Match]) -> Vec<ScorePair> {
    let mut reduced = reduced.iter().peekable();
    let mut pairs = Vec::with_capacity(whole.len());
    for one in whole {
        // A vector with a direction keeps it when terms are added.
        let other = reduced.next_if(|other| other.other == one.other);
        let ham = other.map(|other| other.similarity);
        pairs.push(ScorePair { sim: Some(one.similarity), ham });
    }
    pairs
}

/// Returns the command lines that give a configuration's numbers: all pairs compared, and those whose cosine with the whole vocabulary is at or
/// above the threshold.
fn commands(pipeline: &Pipeline<'_>) -> Vec<String> {
    let configuration = pipeline.configuration;
    let whole = whole(configuration);
    let whole = Pipeline { configuration: &whole, ..*pipeline };
    let (size, threshold) = (configuration.text(Sample), configuration.get(ThresholdSim));
    let searched = |pipeline: &Pipeline<'_>| Similarity {
        sample: SampleFlags::of_lines(pipeline.sample_list()),
        ..similarity(pipeline.vec_paths(), &format!(".sim-{size}"), Percent::default())
    };
    let (sim, ham) = (searched(&whole), searched(pipeline));
    let near_out = with_suffix(&sim.out, &format!("-{threshold}")).into();
    let near = Similarity { out: near_out, threshold, ..sim.clone() };
    let mut lines = whole.vector_commands();
    lines.extend(pipeline.vector_commands());
    lines.push(pipeline.sample_command());
    lines.extend([&sim, &ham, &near].map(Step::command_line));
    for (sim, ending) in [(&sim, ".cmp".to_string()), (&near, format!("-{threshold}.cmp"))] {
        let out = with_suffix(&ham.out, &ending);
        let summary = Some(with_suffix(&out, ".csv"));
        lines.push(compare(&sim.out, &ham.out, &out, summary).command_line());
    }
    lines
}
