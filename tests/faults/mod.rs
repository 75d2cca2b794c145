//! Killed runs, truncated and damaged input, full disks: no wrong or incomplete file under its final name.
//!
//! All tests use one small collection, whose pipeline runs once and is kept in memory. A test puts the inputs of one executable into a
//! folder (with older outputs where it matters), damages something and checks the files that are left.

#[cfg(unix)]
mod bounds;
mod compressed;
mod content;
mod counts;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(unix)]
mod duplicates;
#[cfg(unix)]
mod experiments;
#[cfg(target_os = "linux")]
mod index_state;
#[cfg(target_os = "linux")]
mod injected;
#[cfg(unix)]
mod interrupted;
mod manifests;
#[cfg(unix)]
mod near_dups;
#[cfg(unix)]
mod ngram_bounds;
mod ngrams;
#[cfg(unix)]
mod outputs;
#[cfg(target_os = "linux")]
mod power_loss;
#[cfg(target_os = "linux")]
mod rules;
#[cfg(target_os = "linux")]
mod run_state;
#[cfg(target_os = "linux")]
mod scenario;
#[cfg(target_os = "linux")]
mod scenarios;
#[cfg(target_os = "linux")]
mod shim;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod state;
mod truncated;
mod wrong_files;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::common::{MANIFEST, Outcome, Work, setting};
use crate::determinism::write_collection;

/// Regular files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// The kind of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A document of the collection.
    Document,
    /// `doc_list` or `sample_list`, written by users.
    Names,
    /// `bow_paths`, `vec_paths`, `sig_paths` or `print_paths`.
    List,
    /// A BOW, VEC, SIG or PRINT file of a list.
    Data,
    /// A VOC file.
    Voc,
    /// The numbers of the documents.
    Ids,
    /// The result of a search.
    Result,
    /// The same, read alone: its number of lines is unknown, and a list of names is a valid result without matches.
    LoneResult,
}

/// One executable run on the collection.
struct Stage {
    /// The command line.
    line: &'static str,
    /// The files it reads; of many data files one in the middle.
    inputs: &'static [(&'static str, Kind)],
    /// The files it writes; folders end in `/`.
    outputs: &'static [&'static str],
}

const STAGES: [Stage; 13] = [
    Stage {
        line: "create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows -bows_per_file 9 -id_file ids",
        inputs: &[("doc_list", Kind::Names), ("docs/0012.txt", Kind::Document)],
        outputs: &["bow_paths", "bows/", "ids"],
    },
    Stage {
        line: "create_voc -bow_paths bow_paths -voc_name voc",
        inputs: &[("bow_paths", Kind::List), ("bows/bow_paths-000002.bow", Kind::Data)],
        outputs: &["voc"],
    },
    Stage {
        line: "reduce_voc -old_voc_name voc -new_voc_name small -min_df 2 -max_df 30",
        inputs: &[("voc", Kind::Voc)],
        outputs: &["small"],
    },
    Stage {
        line: "create_vecs -bow_paths bow_paths -voc_name small -vec_dir vecs -vec_paths vec_paths",
        inputs: &[
            ("bow_paths", Kind::List),
            ("bows/bow_paths-000002.bow", Kind::Data),
            ("small", Kind::Voc),
        ],
        outputs: &["vec_paths", "vecs/"],
    },
    Stage {
        line: "create_sigs -vec_paths vec_paths -sig_len 1024 -sig_dir sigs -sig_paths sig_paths",
        inputs: &[("vec_paths", Kind::List), ("vecs/vec_paths-000002.vec", Kind::Data)],
        outputs: &["sig_paths", "sigs/"],
    },
    Stage {
        line: "similarity -vec_paths vec_paths -out sim -threshold 1 -sample_list sample_list --lines -id_file ids",
        inputs: &[
            ("vec_paths", Kind::List),
            ("vecs/vec_paths-000002.vec", Kind::Data),
            ("sample_list", Kind::Names),
            ("ids", Kind::Ids),
        ],
        outputs: &["sim"],
    },
    Stage {
        line: "hamming -sig_paths sig_paths -out ham -threshold 50 -iter_count 5 -beam 5 -shift_count 9 \
               -sample_list sample_list --lines -id_file ids",
        inputs: &[
            ("sig_paths", Kind::List),
            ("sigs/sig_paths-000002.sig", Kind::Data),
            ("sample_list", Kind::Names),
            ("ids", Kind::Ids),
        ],
        outputs: &["ham"],
    },
    Stage {
        line: "hamming_full -sig_paths sig_paths -out full -threshold 50 -sample_list sample_list --lines -id_file ids",
        inputs: &[
            ("sig_paths", Kind::List),
            ("sigs/sig_paths-000002.sig", Kind::Data),
            ("sample_list", Kind::Names),
            ("ids", Kind::Ids),
        ],
        outputs: &["full"],
    },
    Stage {
        line: "implant_rnd_vecs -vec_paths vec_paths -sig_len 40 -vec_dir random -new_vec_paths rnd_paths -sample_list_out names",
        inputs: &[("vec_paths", Kind::List), ("vecs/vec_paths-000002.vec", Kind::Data)],
        outputs: &["rnd_paths", "random/", "names"],
    },
    Stage {
        line: "create_prints -doc_list doc_list --lines --method minhash -print_paths print_paths -print_dir prints -prints_per_file 9",
        inputs: &[("doc_list", Kind::Names), ("docs/0012.txt", Kind::Document)],
        outputs: &["print_paths", "prints/"],
    },
    Stage {
        line: "match_prints -print_paths print_paths -out pairs.csv",
        inputs: &[("print_paths", Kind::List), ("prints/print_paths-000002.print", Kind::Data)],
        outputs: &["pairs.csv"],
    },
    Stage {
        line: "extract_similarities -result ham -out extracted",
        inputs: &[("ham", Kind::LoneResult)],
        outputs: &["extracted"],
    },
    Stage {
        line: "compare_results -sim sim -ham full -out compared -summary measures.csv -id_file ids",
        inputs: &[("sim", Kind::Result), ("full", Kind::Result), ("ids", Kind::Ids)],
        outputs: &["compared", "measures.csv"],
    },
];

impl Stage {
    fn executable(&self) -> &'static str {
        self.line.split(' ').next().unwrap()
    }

    fn is_output(&self, name: &str) -> bool {
        let name = described(name);
        self.outputs.iter().any(|output| name == *output || is_in(name, output))
    }

    /// Returns the command line with another name for an output.
    fn line_with(&self, output: &str, other: &str) -> String {
        let output = output.trim_end_matches('/');
        let words = self.line.split(' ').map(|word| if word == output { other } else { word });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the command line with compressed outputs.
    fn compressed_line(&self) -> String {
        let switch = match self.executable() {
            "create_bows" => " -compress_bows",
            "create_vecs" => " -compress_vecs",
            "create_sigs" => " -compress_sigs",
            "create_prints" => " -compress_prints",
            _ => "",
        };
        let output = self.outputs[0];
        self.line_with(output, &format!("{output}.gz")) + switch
    }

    /// Returns whether a file is an input or its manifest, or in a folder with one.
    fn is_input(&self, name: &str) -> bool {
        let name = described(name);
        let folder = |name: &str| name.rsplit_once('/').map(|(folder, _)| folder.to_string());
        let beside = |input: &str| folder(input).is_some() && folder(input) == folder(name);
        self.inputs.iter().any(|(input, _)| name == *input || beside(input))
    }

    /// Returns a folder with the inputs of this stage.
    fn before(&self) -> Work {
        let work = Work::new();
        for (name, content) in undisturbed().iter().filter(|(name, _)| self.is_input(name)) {
            work.write(name, content);
        }
        work
    }

    /// Like `before`, with older outputs.
    fn over_older_outputs(&self) -> Work {
        let work = self.before();
        let names = undisturbed().keys().filter(|name| self.is_output(name));
        names.for_each(|name| work.write(name, format!("older {name}\n")));
        work
    }

    /// Returns folders without and with older outputs, both without manifests, so that only headers and counts describe the inputs.
    fn unverified(&self) -> [Work; 2] {
        let folders = [self.before(), self.over_older_outputs()];
        folders.iter().for_each(Work::delete_manifests);
        folders
    }

    /// Checks that the outputs equal those of an undisturbed run and that no other file is left.
    #[track_caller]
    fn assert_complete(&self, work: &Work, when: &str) {
        self.assert_same(work, when, |_| true);
    }

    /// The same for the outputs that `is_compared` selects.
    #[track_caller]
    fn assert_same(&self, work: &Work, when: &str, is_compared: impl Fn(&str) -> bool) {
        let found = snapshot(work);
        let outputs = undisturbed().iter().filter(|(name, _)| self.is_output(name));
        for (name, content) in outputs.filter(|(name, _)| is_compared(name)) {
            assert!(found.get(name) == Some(content), "{name} is not as it should be {when}");
        }
        let known = |name: &&String| undisturbed().contains_key(*name);
        assert_eq!(found.keys().find(|name| !known(name)), None, "left over {when}");
    }
}

/// The list or vocabulary that a manifest describes; any other file is returned as it is.
fn described(name: &str) -> &str {
    name.strip_suffix(MANIFEST).unwrap_or(name)
}

fn is_in(name: &str, folder: &str) -> bool {
    folder.ends_with('/') && name.starts_with(folder)
}

/// Returns all files of an undisturbed pipeline run.
fn undisturbed() -> &'static Files {
    static FILES: LazyLock<Files> = LazyLock::new(|| {
        let work = Work::new();
        write_collection(&work, setting("NEARSIG_SOAK_DOCUMENTS", 45));
        // Documents without terms are tested elsewhere; here every sample document has a signature.
        let sample = work.read("sample_list").replace("docs/0007.txt\n", "");
        work.write("sample_list", sample);
        STAGES.iter().for_each(|stage| drop(work.ok(stage.line)));
        snapshot(&work)
    });
    &FILES
}

/// Returns all regular files below the folder. Skips named pipes, which would block.
fn snapshot(work: &Work) -> Files {
    let is_regular = |name: &String| work.path(name).metadata().is_ok_and(|m| m.is_file());
    let bytes = |name: &String| std::fs::read(work.path(name)).unwrap();
    work.files().into_iter().filter(is_regular).map(|name| (name.clone(), bytes(&name))).collect()
}

/// Compares files and names the one that differs.
#[track_caller]
fn assert_unchanged(before: &Files, after: &Files, when: &str) {
    for (name, content) in before {
        assert!(after.contains_key(name), "{name} went {when}");
        assert!(*content == after[name], "{name} changed {when}");
    }
    assert_eq!(after.keys().find(|name| !before.contains_key(*name)), None, "came {when}");
}

/// Checks a failure: exit code 1, and one line that names the executable and all of `expected`.
#[track_caller]
fn assert_failed(ran: &Outcome, line: &str, expected: &[&str]) {
    assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
    let executable = line.split(' ').next().unwrap();
    let message = ran.stderr.lines().last().unwrap_or_default();
    assert!(message.starts_with(&format!("{executable}: error: ")), "{line}\n{}", ran.stderr);
    for part in expected {
        assert!(message.contains(part), "{line}\nno '{part}' in: {message}");
    }
}

/// Runs a command line that must fail with a message that has all of `expected` and must change no file.
#[track_caller]
fn refused_without_trace(work: &Work, line: &str, expected: &[&str]) {
    let before = snapshot(work);
    let ran = work.run(line);
    assert_failed(&ran, line, expected);
    assert_unchanged(&before, &snapshot(work), &format!("after: {line}\n{}", ran.stderr));
}

/// Damages a file in several ways; each must be an error, with and without older outputs.
#[track_caller]
fn refuses_each(stage: &Stage, name: &str, spoilt: &[Vec<u8>], expected: &[&str]) {
    for work in stage.unverified() {
        for content in spoilt {
            work.write(name, content);
            refused_without_trace(&work, stage.line, expected);
        }
    }
}

/// Returns the stages that read a file.
fn readers_of(name: &str) -> impl Iterator<Item = &'static Stage> {
    STAGES.iter().filter(move |stage| stage.inputs.iter().any(|(input, _)| *input == name))
}

#[test]
fn every_stage_alone_gives_what_the_chain_gives() {
    for stage in &STAGES {
        for work in [stage.before(), stage.over_older_outputs()] {
            work.ok(stage.line);
            stage.assert_complete(&work, stage.line);
        }
    }
}
