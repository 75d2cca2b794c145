//! All executables: the one list that `nearsig`, the man pages and the tests read.
//!
//! A new executable is entered here with its type, its group, and the related executables that its man page names.

use clap::Command;

use crate::chain::bows::CreateBows;
use crate::chain::compare::CompareResults;
use crate::chain::corpus::CreateCorpus;
use crate::chain::extract::ExtractSimilarities;
use crate::chain::hamming::{Hamming, HammingFull};
use crate::chain::implant::ImplantRndVecs;
use crate::chain::quality::AnalyzeRndVecsQuality;
use crate::chain::sigs::CreateSigs;
use crate::chain::similarity::Similarity;
use crate::chain::vecs::CreateVecs;
use crate::chain::voc::{CreateVoc, ReduceVoc};
use crate::executable::Executable;
use crate::experiment::RunExperiment;
use crate::near_dups::FindNearDups;
use crate::page::ReportPairs;

/// A group of executables in the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Deduplication in one command.
    Deduplication,
    /// Stages of the pipeline, and tools for their results.
    Pipeline,
    /// Collections, hyperplanes and parameter grids.
    Experiments,
}

impl Group {
    /// All groups, in the order of the overview.
    pub const ALL: [Group; 3] = [Group::Deduplication, Group::Pipeline, Group::Experiments];

    /// Returns the heading of the group.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Deduplication => "Deduplication",
            Group::Pipeline => "Pipeline",
            Group::Experiments => "Experiments",
        }
    }

    /// Returns the executables of the group, in the order of the list.
    pub fn tools(self) -> impl Iterator<Item = &'static Tool> {
        ALL.iter().filter(move |tool| tool.group == self)
    }
}

/// An executable.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// Related executables, for the man page.
    pub related: &'static [&'static str],
    group: Group,
    command: fn() -> Command,
    examples: &'static [(&'static str, &'static str)],
}

impl Tool {
    const fn new<T: Executable>(
        name: &'static str,
        group: Group,
        related: &'static [&'static str],
    ) -> Self {
        Tool { name, related, group, command: T::command, examples: &T::EXAMPLES }
    }

    /// Returns the purpose in one line: the executable's description up to its first full stop or colon.
    pub fn purpose(&self) -> String {
        let about = (self.command)().get_about().map(ToString::to_string).unwrap_or_default();
        about.split([':', '.']).next().unwrap_or_default().to_string()
    }

    /// Returns example runs: the purpose of each and its command line.
    pub fn examples(&self) -> &'static [(&'static str, &'static str)] {
        self.examples
    }
}

/// All executables but `nearsig` itself.
pub const ALL: &[Tool] = &[
    Tool::new::<FindNearDups>("find_near_dups", Group::Deduplication, &["report_pairs"]),
    Tool::new::<ReportPairs>("report_pairs", Group::Deduplication, &["find_near_dups"]),
    Tool::new::<CreateBows>("create_bows", Group::Pipeline, &["create_voc", "create_vecs"]),
    Tool::new::<CreateVoc>(
        "create_voc",
        Group::Pipeline,
        &["create_bows", "reduce_voc", "create_vecs"],
    ),
    Tool::new::<ReduceVoc>("reduce_voc", Group::Pipeline, &["create_voc", "create_vecs"]),
    Tool::new::<CreateVecs>(
        "create_vecs",
        Group::Pipeline,
        &["create_bows", "create_voc", "reduce_voc", "create_sigs", "similarity"],
    ),
    Tool::new::<CreateSigs>(
        "create_sigs",
        Group::Pipeline,
        &["create_vecs", "hamming", "hamming_full", "analyze_rnd_vecs_quality"],
    ),
    Tool::new::<Hamming>(
        "hamming",
        Group::Pipeline,
        &["create_sigs", "hamming_full", "compare_results"],
    ),
    Tool::new::<HammingFull>(
        "hamming_full",
        Group::Pipeline,
        &["create_sigs", "hamming", "compare_results"],
    ),
    Tool::new::<Similarity>(
        "similarity",
        Group::Pipeline,
        &["create_vecs", "hamming", "hamming_full", "compare_results"],
    ),
    Tool::new::<CompareResults>(
        "compare_results",
        Group::Pipeline,
        &["similarity", "hamming", "hamming_full", "extract_similarities"],
    ),
    Tool::new::<ExtractSimilarities>(
        "extract_similarities",
        Group::Pipeline,
        &["similarity", "hamming", "hamming_full", "compare_results"],
    ),
    Tool::new::<CreateCorpus>(
        "create_corpus",
        Group::Experiments,
        &["create_bows", "run_experiment"],
    ),
    Tool::new::<AnalyzeRndVecsQuality>(
        "analyze_rnd_vecs_quality",
        Group::Experiments,
        &["create_sigs", "implant_rnd_vecs"],
    ),
    Tool::new::<ImplantRndVecs>(
        "implant_rnd_vecs",
        Group::Experiments,
        &["create_vecs", "create_sigs", "similarity", "analyze_rnd_vecs_quality"],
    ),
    Tool::new::<RunExperiment>("run_experiment", Group::Experiments, &["create_corpus"]),
];

/// Returns the executable of this name; dashes may replace underscores, as in flags.
pub fn find(name: &str) -> Option<&'static Tool> {
    let name = name.replace('-', "_");
    ALL.iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_found_by_its_name_and_is_in_a_group() {
        for tool in ALL {
            assert_eq!((tool.command)().get_name(), tool.name);
            assert_eq!(find(tool.name).map(|found| found.name), Some(tool.name));
            let dashes = tool.name.replace('_', "-");
            assert_eq!(find(&dashes).map(|found| found.name), Some(tool.name));
        }
        let grouped: usize = Group::ALL.iter().map(|group| group.tools().count()).sum();
        assert_eq!(grouped, ALL.len());
        assert!(find("create_bow").is_none());
    }

    #[test]
    fn related_executables_are_other_tools() {
        for tool in ALL {
            assert!(!tool.related.is_empty(), "{}", tool.name);
            for related in tool.related {
                assert!(find(related).is_some_and(|found| found.name != tool.name), "{related}");
            }
        }
    }

    #[test]
    fn examples_are_accepted() {
        for tool in ALL {
            for (purpose, line) in tool.examples {
                let words = line.split_whitespace().map(|word| word.trim_matches('\''));
                let parsed = (tool.command)().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{purpose}: {line}\n{}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn descriptions_and_flags_follow_the_style() {
        for tool in ALL {
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
