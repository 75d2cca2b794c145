//! All executables: the one list that `nearsig`, the man pages and the tests read.
//!
//! A new executable is entered here in its group, with its type and the related executables that its man page names.

use clap::Command;

use crate::alignment::{AlignPassages, EvaluateSearch};
use crate::chain::bows::CreateBows;
use crate::chain::compare::CompareResults;
use crate::chain::corpus::CreateCorpus;
use crate::chain::extract::ExtractSimilarities;
use crate::chain::hamming::{Hamming, HammingFull};
use crate::chain::implant::ImplantRndVecs;
use crate::chain::merge::{MergeClusters, MergePairs, MergePaths, MergeSigs, MergeVoc};
use crate::chain::prints::{CreatePrints, MatchPrints};
use crate::chain::quality::AnalyzeRndVecsQuality;
use crate::chain::sigs::CreateSigs;
use crate::chain::similarity::Similarity;
use crate::chain::vecs::CreateVecs;
use crate::chain::voc::{CreateVoc, ReduceVoc};
use crate::executable::Executable;
use crate::experiment::RunExperiment;
use crate::methods::EvaluateMethods;
use crate::near_dups::FindNearDups;
use crate::ngrams::search::NgramSearch;
use crate::ngrams::{MergeIndex, NgramIndex};
use crate::page::ReportPairs;
use crate::sections::CompareSections;

/// An executable.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// Related executables, for the man page.
    pub related: &'static [&'static str],
    /// Example runs: the purpose of each and its command line.
    pub examples: &'static [(&'static str, &'static str)],
    command: fn() -> Command,
}

impl Tool {
    const fn new<T: Executable>(name: &'static str, related: &'static [&'static str]) -> Self {
        Tool { name, related, examples: &T::EXAMPLES, command: T::command }
    }

    /// Returns the purpose in one line: the executable's description up to its first full stop or colon.
    pub fn purpose(&self) -> String {
        let about = (self.command)().get_about().map(ToString::to_string).unwrap_or_default();
        about.split([':', '.']).next().unwrap_or_default().to_string()
    }
}

/// All executables but `nearsig` itself, under the headings of the overview.
pub const GROUPS: [(&str, &[Tool]); 6] = [
    ("Deduplication", DEDUPLICATION),
    ("Copied passages", PASSAGES),
    ("Pipeline", PIPELINE),
    ("Fingerprints", FINGERPRINTS),
    ("Shards", SHARDS),
    ("Experiments", EXPERIMENTS),
];

/// Deduplication in one command.
const DEDUPLICATION: &[Tool] = &[
    Tool::new::<FindNearDups>("find_near_dups", &["report_pairs", "merge_clusters"]),
    Tool::new::<MergeClusters>("merge_clusters", &["find_near_dups"]),
    Tool::new::<ReportPairs>("report_pairs", &["find_near_dups", "compare_sections"]),
    Tool::new::<CompareSections>(
        "compare_sections",
        &["find_near_dups", "report_pairs", "align_passages"],
    ),
];

/// Copied passages and their sources.
const PASSAGES: &[Tool] = &[
    Tool::new::<NgramIndex>("ngram_index", &["ngram_search"]),
    Tool::new::<NgramSearch>("ngram_search", &["ngram_index", "evaluate_search"]),
    Tool::new::<AlignPassages>("align_passages", &["compare_sections", "evaluate_search"]),
    Tool::new::<EvaluateSearch>("evaluate_search", &["align_passages"]),
];

/// Stages of the pipeline, and tools for their results.
const PIPELINE: &[Tool] = &[
    Tool::new::<CreateBows>("create_bows", &["create_voc", "create_vecs"]),
    Tool::new::<CreateVoc>("create_voc", &["create_bows", "reduce_voc", "create_vecs"]),
    Tool::new::<ReduceVoc>("reduce_voc", &["create_voc", "create_vecs"]),
    Tool::new::<CreateVecs>(
        "create_vecs",
        &["create_bows", "create_voc", "reduce_voc", "create_sigs", "similarity"],
    ),
    Tool::new::<CreateSigs>(
        "create_sigs",
        &["create_vecs", "hamming", "hamming_full", "analyze_rnd_vecs_quality"],
    ),
    Tool::new::<Hamming>("hamming", &["create_sigs", "hamming_full", "compare_results"]),
    Tool::new::<HammingFull>("hamming_full", &["create_sigs", "hamming", "compare_results"]),
    Tool::new::<Similarity>(
        "similarity",
        &["create_vecs", "hamming", "hamming_full", "compare_results"],
    ),
    Tool::new::<CompareResults>(
        "compare_results",
        &["similarity", "hamming", "hamming_full", "extract_similarities"],
    ),
    Tool::new::<ExtractSimilarities>(
        "extract_similarities",
        &["similarity", "hamming", "hamming_full", "compare_results"],
    ),
];

/// Fingerprint methods.
const FINGERPRINTS: &[Tool] = &[
    Tool::new::<CreatePrints>("create_prints", &["match_prints", "find_near_dups"]),
    Tool::new::<MatchPrints>("match_prints", &["create_prints", "compare_results", "report_pairs"]),
    Tool::new::<EvaluateMethods>(
        "evaluate_methods",
        &["create_prints", "match_prints", "find_near_dups", "create_corpus"],
    ),
];

/// Mergers of what --shard parts.
const SHARDS: &[Tool] = &[
    Tool::new::<MergePaths>("merge_paths", &["create_bows", "create_vecs", "create_prints"]),
    Tool::new::<MergeVoc>("merge_voc", &["create_voc", "merge_paths"]),
    Tool::new::<MergeSigs>("merge_sigs", &["create_sigs", "hamming", "hamming_full"]),
    Tool::new::<MergePairs>(
        "merge_pairs",
        &["hamming", "hamming_full", "similarity", "match_prints", "find_near_dups"],
    ),
    Tool::new::<MergeIndex>("merge_index", &["ngram_index", "ngram_search"]),
];

/// Collections, hyperplanes and parameter grids.
const EXPERIMENTS: &[Tool] = &[
    Tool::new::<CreateCorpus>("create_corpus", &["create_bows", "run_experiment"]),
    Tool::new::<AnalyzeRndVecsQuality>(
        "analyze_rnd_vecs_quality",
        &["create_sigs", "implant_rnd_vecs"],
    ),
    Tool::new::<ImplantRndVecs>(
        "implant_rnd_vecs",
        &["create_vecs", "create_sigs", "similarity", "analyze_rnd_vecs_quality"],
    ),
    Tool::new::<RunExperiment>("run_experiment", &["create_corpus"]),
];

/// Returns all executables but `nearsig` itself.
pub fn all() -> impl Iterator<Item = &'static Tool> {
    GROUPS.into_iter().flat_map(|(_, tools)| tools)
}

/// Returns the executable of this name; dashes may replace underscores, as in flags.
pub fn find(name: &str) -> Option<&'static Tool> {
    let name = name.replace('-', "_");
    all().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_executables_are_other_tools() {
        for tool in all() {
            assert_eq!((tool.command)().get_name(), tool.name);
            assert!(!tool.related.is_empty(), "{}", tool.name);
            for related in tool.related {
                assert!(find(related).is_some_and(|found| found.name != tool.name), "{related}");
            }
        }
    }

    #[test]
    fn examples_are_accepted() {
        for tool in all() {
            for (purpose, line) in tool.examples {
                let words = line.split_whitespace().map(|word| word.trim_matches('\''));
                let parsed = (tool.command)().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{purpose}: {line}\n{}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn descriptions_and_flags_follow_the_style() {
        for tool in all() {
            let purpose = tool.purpose();
            assert!(purpose.len() <= 110, "{purpose}");
            for argument in (tool.command)().get_arguments() {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let flag = argument.get_id();
                assert!(help.starts_with(char::is_uppercase), "{} {flag}: {help}", tool.name);
                assert!(!help.ends_with('.'), "{} {flag}: {help}", tool.name);
                assert!(argument.get_help_heading().is_some(), "{} {flag}", tool.name);
            }
        }
    }
}
