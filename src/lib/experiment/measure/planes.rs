//! Share of documents on the positive side of each hyperplane, and its distribution over the hyperplanes.

use std::path::Path;

use super::{Bench, MeasurementParts, Run, number};
use crate::chain::extract::ExtractSimilarities;
use crate::chain::flags::SampleFlags;
use crate::chain::implant::ImplantRndVecs;
use crate::error::Result;
use crate::executable::{FlagPath, Step, quoted, with_flags};
use crate::experiment::keys::Configuration;
use crate::experiment::keys::GridKey::*;
use crate::experiment::pipeline::{Pipeline, data_folder, similarity, with_value};
use crate::files::output::with_suffix;
use crate::files::sig::Signatures;
use crate::search::Percent;
use crate::signature::BITS_PER_WORD;

/// Bins of the shares in percent: [0, 5), [5, 10), …, [95, 100].
const BINS: usize = 20;

/// The measurement.
pub const PARTS: MeasurementParts = MeasurementParts {
    keys: &[Collection, Weighting, MinDf, RndSeed, SigLen],
    columns: "documents,share_least,share_mean,share_greatest,share_deviation,planes_0,planes_5,planes_10,planes_15,planes_20,\
planes_25,planes_30,planes_35,planes_40,planes_45,planes_50,planes_55,planes_60,planes_65,planes_70,planes_75,planes_80,\
planes_85,planes_90,planes_95",
    run: Run::Alone(run),
    commands,
};

/// Measures a configuration. Without documents there are no shares.
fn run(bench: &Bench<'_>, configuration: &Configuration) -> Result<Vec<String>> {
    let pipeline = bench.pipeline(configuration);
    pipeline.vectors(bench.session)?;
    let signatures = pipeline.signatures(configuration.bits(), bench.session)?;
    let mut values = vec![signatures.documents.len().to_string()];
    if !signatures.documents.is_empty() {
        values.extend(summary(&shares(&signatures)));
    }
    Ok(values)
}

/// Returns minimum, mean, maximum and standard deviation of the shares, and the number of hyperplanes per bin.
fn summary(shares: &[f64]) -> Vec<String> {
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let squares: f64 = shares.iter().map(|share| (share - mean) * (share - mean)).sum();
    // A signature has at least four bits.
    let deviation = (squares / (count - 1.0)).sqrt();
    let least = shares.iter().copied().fold(100.0, f64::min);
    let greatest = shares.iter().copied().fold(0.0, f64::max);
    let mut bins = [0u64; BINS];
    for share in shares {
        let bin = (share * BINS as f64 / 100.0) as usize;
        bins[bin.min(BINS - 1)] += 1;
    }
    let mut values = [least, mean, greatest, deviation].map(number).to_vec();
    values.extend(bins.map(|count| count.to_string()));
    values
}

/// Returns the percentage of documents with each bit set.
fn shares(signatures: &Signatures) -> Vec<f64> {
    let mut counts = vec![0u64; signatures.set.bits()];
    for number in 0..signatures.set.len() {
        let size = signatures.size(number);
        let words = signatures.set.get(number);
        for (bit, count) in counts.iter_mut().enumerate() {
            let word = words[bit / BITS_PER_WORD] << (bit % BITS_PER_WORD);
            *count += size * (word >> (BITS_PER_WORD - 1));
        }
    }
    let documents = signatures.documents.len() as f64;
    counts.into_iter().map(|count| 100.0 * count as f64 / documents).collect()
}

/// Returns the command lines that give a configuration's numbers: hyperplanes as documents, and the share of documents with which their cosine
/// is positive.
fn commands(pipeline: &Pipeline<'_>) -> Vec<String> {
    let (bits, seed) = (pipeline.configuration.bits(), pipeline.configuration.text(RndSeed));
    let vectors = pipeline.vec_paths();
    let implanted = FlagPath::from(with_suffix(&vectors, &format!(".rnd-{bits}-{seed}")));
    let sample = FlagPath::from(with_suffix(&implanted, ".sample"));
    let implant: ImplantRndVecs = with_flags(&[
        ("vec_paths", &vectors),
        ("sig_len", &bits.to_string()),
        ("rnd_seed", &seed),
        ("vec_dir", &data_folder(&implanted)),
        ("new_vec_paths", &implanted),
        ("sample_list_out", &sample),
    ]);
    let mut search = similarity(implanted.clone(), ".sim", Percent::default());
    search.sample = SampleFlags::of_lines(sample.clone());
    let mut lines = pipeline.vector_commands();
    lines.extend([implant.command_line(), search.command_line()]);
    let shares = ExtractSimilarities {
        result: search.out,
        all_pairs: false,
        out: with_suffix(&implanted, ".shares").into(),
        values_only: false,
        positive_share: true,
        collection_size: Some(0),
        leave_out: Some(sample),
        lines: true,
    };
    let size = format!("\"$({})\"", count_command(&vectors));
    lines.push(with_value(&shares.command_line(), "collection_size", &size));
    lines
}

/// Returns the command that counts the vectors with components, which lie on a side of each hyperplane.
fn count_command(vec_paths: &Path) -> String {
    let program = "$2 > 0 { n++ } END { print n + 0 }";
    let files = format!("tail -n +5 {} | tr '\\n' '\\0' | xargs -0 cat", quoted(vec_paths));
    format!("{files} | awk -F '[: ]' '{program}'")
}
