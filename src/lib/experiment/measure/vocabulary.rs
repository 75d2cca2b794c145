//! How much a reduced vocabulary changes the cosines of a sample with all documents, against the whole vocabulary.
//!
//! Columns that begin with `near_` are about the pairs whose cosine with the whole vocabulary is at or above the threshold.

use super::compared::queries;
use super::{Bench, Script, cell};
use crate::chain::similarity::read_vectors;
use crate::error::Result;
use crate::evaluate::{Compared, Evaluation, Settings};
use crate::experiment::keys::{Configuration, Key};
use crate::experiment::stages::{sample_command, sample_list, vec_paths};
use crate::experiment::step::{Searched, Step, quoted};
use crate::files::output::with_suffix;
use crate::files::paths::VecPaths;
use crate::search::exact::{Comparison, Method};
use crate::search::{Match, Percent};

/// The columns of the result.
pub const COLUMNS: [&str; 12] = [
    "terms_whole",
    "terms",
    "documents",
    "pairs",
    "L1",
    "L2",
    "largest_difference",
    "S",
    "near_pairs",
    "near_L1",
    "near_L2",
    "near_S",
];

/// Documents of the sample that are compared at once.
const AT_ONCE: usize = 16;

/// The same with the whole vocabulary.
fn whole(configuration: &Configuration) -> Configuration {
    let mut whole = configuration.clone();
    for (key, value) in &mut whole.0 {
        if *key == Key::MinDf {
            *value = "1".into();
        }
    }
    whole
}

/// Measures a configuration.
pub fn run(bench: &Bench<'_>, configuration: &Configuration) -> Result<Vec<String>> {
    let (whole, whole_terms, sample) = prepare(bench, &self::whole(configuration))?;
    let (reduced, terms, _) = prepare(bench, configuration)?;
    let threshold = configuration.threshold_sim().value();
    let mut all = Evaluation::new(Settings::default());
    let mut near = all.clone();
    for queries in sample.chunks(AT_ONCE) {
        for (whole, reduced) in whole.matches(queries).iter().zip(reduced.matches(queries)) {
            let pairs = side_by_side(whole, &reduced);
            all.add_document(&pairs);
            let is_near = |pair: &Compared| pair.sim.is_some_and(|sim| sim >= threshold);
            near.add_document(&pairs.into_iter().filter(is_near).collect::<Vec<_>>());
        }
    }
    let (all, near) = (all.summary(), near.summary());
    let mut values = vec![whole_terms.to_string(), terms.to_string(), cell(&all, "documents")];
    values
        .extend(["pairs_both", "L1", "L2", "largest_difference", "S"].map(|name| cell(&all, name)));
    values.extend(["pairs_both", "L1", "L2", "S"].map(|name| cell(&near, name)));
    Ok(values)
}

fn prepare(
    bench: &Bench<'_>,
    configuration: &Configuration,
) -> Result<(Comparison, usize, Vec<usize>)> {
    let list = bench.stages.vectors(configuration)?;
    let terms = VecPaths::read(&list)?.terms;
    let (names, vectors) = read_vectors(&list, bench.stages.session)?;
    let sample = queries(bench, configuration, &names)?;
    Ok((Comparison::new(vectors, Method::Cosine, 0.0), terms, sample))
}

/// The documents of either list, both by ascending document.
fn side_by_side(whole: &[Match], reduced: &[Match]) -> Vec<Compared> {
    let mut reduced = reduced.iter().peekable();
    let mut pairs = Vec::with_capacity(whole.len());
    for one in whole {
        // Who has a direction without some terms has one with them.
        let other = reduced.next_if(|other| other.other == one.other);
        let ham = other.map(|other| other.similarity);
        pairs.push(Compared { sim: Some(one.similarity), ham });
    }
    pairs
}

/// The command lines that give a configuration's numbers: all pairs compared, and those whose cosine with the whole vocabulary is at or above
/// the threshold.
pub fn commands(script: &Script<'_>) -> Vec<String> {
    let (configuration, folders) = (script.configuration, script.folders);
    let whole = whole(configuration);
    let (collection, size) = (configuration.collection(), configuration.sample());
    let mut lines = Script { configuration: &whole, folders }.to_vectors();
    lines.extend(script.to_vectors());
    lines.push(sample_command(folders, collection, size));
    let searched = |configuration: &Configuration| {
        let paths = vec_paths(folders, configuration);
        let out = with_suffix(&paths, &format!(".sim-{size}"));
        let sample = Some(sample_list(folders, collection, size));
        Searched { paths, out, threshold: Percent::default(), sample }
    };
    let (sim, ham) = (searched(&whole), searched(configuration));
    let threshold = configuration.threshold_sim();
    let near =
        Searched { out: with_suffix(&sim.out, &format!("-{threshold}")), threshold, ..sim.clone() };
    let searches = [&sim, &ham, &near].map(|one| Step::Similarity(one.clone()).command());
    lines.extend(searches);
    for (sim, ending) in [(&sim, ".cmp".to_string()), (&near, format!("-{threshold}.cmp"))] {
        let out = with_suffix(&ham.out, &ending);
        lines.push(format!(
            "compare_results --sim {} --ham {} --out {} --summary {}",
            quoted(&sim.out),
            quoted(&ham.out),
            quoted(&out),
            quoted(&with_suffix(&out, ".csv"))
        ));
    }
    lines
}
