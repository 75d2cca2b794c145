//! All executables: the one list that `nearsig`, the man pages and the tests read.
//!
//! A new executable is entered here with its name, its line (the beginning of its own description, up to a full stop, a colon or a comma), its group, and the neighbours
//! that its man page points to.

/// Where an executable belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Everything in one command.
    FrontDoor,
    /// A stage of the chain, or a look at its results.
    Chain,
    /// Collections, settings and tables of experiments.
    Experiments,
}

impl Group {
    /// All groups, in the order in which they are shown.
    pub const ALL: [Group; 3] = [Group::FrontDoor, Group::Chain, Group::Experiments];

    /// The heading over the group.
    pub fn heading(self) -> &'static str {
        match self {
            Group::FrontDoor => "Front door",
            Group::Chain => "The chain, stage by stage",
            Group::Experiments => "Experiments",
        }
    }

    /// The executables of the group, in the order of the list.
    pub fn tools(self) -> impl Iterator<Item = &'static Tool> {
        ALL.iter().filter(move |tool| tool.group == self)
    }
}

/// An executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in one line.
    pub line: &'static str,
    /// Where it belongs.
    pub group: Group,
    /// Executables that come before or after it, for the end of its man page.
    pub neighbours: &'static [&'static str],
}

/// All executables but `nearsig` itself.
pub const ALL: &[Tool] = &[
    Tool {
        name: "find_near_dups",
        line: "Finds near-duplicate documents in folders, files or JSON lines",
        group: Group::FrontDoor,
        neighbours: &["report_pairs"],
    },
    Tool {
        name: "report_pairs",
        line: "Writes one HTML file that shows the pairs of find_near_dups",
        group: Group::FrontDoor,
        neighbours: &["find_near_dups"],
    },
    Tool {
        name: "create_bows",
        line: "Makes a bag of words of every document",
        group: Group::Chain,
        neighbours: &["create_voc", "create_vecs"],
    },
    Tool {
        name: "create_voc",
        line: "Builds the vocabulary of a collection",
        group: Group::Chain,
        neighbours: &["create_bows", "reduce_voc", "create_vecs"],
    },
    Tool {
        name: "reduce_voc",
        line: "Keeps the terms of a vocabulary within inclusive limits",
        group: Group::Chain,
        neighbours: &["create_voc", "create_vecs"],
    },
    Tool {
        name: "create_vecs",
        line: "Weights the terms of each bag of words into a sparse vector",
        group: Group::Chain,
        neighbours: &["create_bows", "create_voc", "reduce_voc", "create_sigs", "similarity"],
    },
    Tool {
        name: "create_sigs",
        line: "Signs each vector",
        group: Group::Chain,
        neighbours: &["create_vecs", "hamming", "hamming_full", "analyze_rnd_vecs_quality"],
    },
    Tool {
        name: "hamming",
        line: "Finds pairs of documents with similar signatures by PLEB",
        group: Group::Chain,
        neighbours: &["create_sigs", "hamming_full", "compare_results"],
    },
    Tool {
        name: "hamming_full",
        line: "Finds every pair of documents with similar signatures",
        group: Group::Chain,
        neighbours: &["create_sigs", "hamming", "compare_results"],
    },
    Tool {
        name: "similarity",
        line: "Finds every pair of documents with similar vectors, exactly",
        group: Group::Chain,
        neighbours: &["create_vecs", "hamming", "hamming_full", "compare_results"],
    },
    Tool {
        name: "compare_results",
        line: "Puts two results side by side and tells how well the second approximates the first",
        group: Group::Chain,
        neighbours: &["similarity", "hamming", "hamming_full", "extract_similarities"],
    },
    Tool {
        name: "extract_similarities",
        line: "Writes what a result says as plain lines",
        group: Group::Chain,
        neighbours: &["similarity", "hamming", "hamming_full", "compare_results"],
    },
    Tool {
        name: "create_corpus",
        line: "Writes a synthetic collection",
        group: Group::Experiments,
        neighbours: &["create_bows", "run_experiment"],
    },
    Tool {
        name: "analyze_rnd_vecs_quality",
        line: "Tests the hyperplanes of create_sigs",
        group: Group::Experiments,
        neighbours: &["create_sigs", "implant_rnd_vecs"],
    },
    Tool {
        name: "implant_rnd_vecs",
        line: "Appends the hyperplanes of create_sigs to a collection as documents RND_0001, RND_0002, …",
        group: Group::Experiments,
        neighbours: &["create_vecs", "create_sigs", "similarity", "analyze_rnd_vecs_quality"],
    },
    Tool {
        name: "run_experiment",
        line: "Measures every combination of the settings that an experiment lists",
        group: Group::Experiments,
        neighbours: &["create_corpus"],
    },
];

/// The executable of this name; dashes may stand for underscores, as in flags.
pub fn find(name: &str) -> Option<&'static Tool> {
    let name = name.replace('-', "_");
    ALL.iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_found_by_its_name_and_stands_in_a_group() {
        for tool in ALL {
            assert_eq!(find(tool.name), Some(tool));
            assert_eq!(find(&tool.name.replace('_', "-")), Some(tool));
        }
        let grouped: usize = Group::ALL.iter().map(|group| group.tools().count()).sum();
        assert_eq!(grouped, ALL.len());
        assert_eq!(find("create_bow"), None);
    }

    #[test]
    fn neighbours_are_other_tools() {
        for tool in ALL {
            assert!(!tool.neighbours.is_empty(), "{}", tool.name);
            for neighbour in tool.neighbours {
                assert!(find(neighbour).is_some_and(|found| found != tool), "{neighbour}");
            }
        }
    }
}
