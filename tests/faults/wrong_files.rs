//! Files of the wrong kind, folders, and missing files.

use super::{Kind, STAGES, Stage, refused_without_trace, undisturbed};
use crate::common::Work;

/// One file of each kind, and others that are not the pipeline's.
fn all_kinds() -> Vec<(&'static str, Vec<u8>)> {
    let chain = [
        "bow_paths",
        "bows/bow_paths-000001.bow",
        "voc",
        "vec_paths",
        "vecs/vec_paths-000001.vec",
        "sig_paths",
        "sigs/sig_paths-000001.sig",
        "print_paths",
        "prints/print_paths-000001.print",
        "pairs.csv",
        "sim",
        "full",
        "ids",
        "compared",
        "measures.csv",
    ];
    let mut files: Vec<_> =
        chain.iter().map(|name| (*name, undisturbed()[*name].clone())).collect();
    files.push(("a text", b"It was a dark and stormy night.\nThe rain fell.\n".to_vec()));
    files.push(("a binary file", (0..=255).cycle().take(4000).collect()));
    files.push(("nothing", Vec::new()));
    files
}

/// Returns whether a file may replace another: files of the same kind, and lists of names, which have no format.
fn may_stand_for(wrong: &str, input: &str) -> bool {
    let kind = |name: &str| name.split_once('-').map_or(name, |(kind, _)| kind).to_string();
    let is_vocabulary = |name: &str| matches!(name, "voc" | "small");
    // Results are pairs in any form.
    let is_result = |name: &str| matches!(name, "sim" | "full" | "ham" | "pairs.csv");
    kind(wrong) == kind(input)
        || is_vocabulary(wrong) && is_vocabulary(input)
        || is_result(wrong) && is_result(input)
}

/// Checks every input with a format of every stage, unverified, with and without older outputs.
fn for_each_input(mut check: impl FnMut(&Stage, &Work, &'static str, Kind)) {
    for stage in &STAGES {
        for work in stage.unverified() {
            for (name, kind) in stage.inputs {
                check(stage, &work, name, *kind);
                std::fs::remove_dir_all(work.path(name)).ok();
                work.write(name, &undisturbed()[*name]);
            }
        }
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let kinds = all_kinds();
    for_each_input(|stage, work, name, kind| {
        // Any file may be a document.
        if !matches!(kind, Kind::Document | Kind::LoneResult) {
            for (_, content) in kinds.iter().filter(|(wrong, _)| !may_stand_for(wrong, name)) {
                work.write(name, content);
                refused_without_trace(work, stage.line, &[]);
            }
        }
    });
}

/// A list begins with header words: any other file is an error at its first or second line.
#[test]
fn a_list_of_another_kind_is_refused_by_its_name_and_line() {
    let kinds = all_kinds();
    for_each_input(|stage, work, name, kind| {
        if matches!(kind, Kind::List | Kind::Voc) {
            for (_, content) in kinds.iter().filter(|(wrong, _)| !may_stand_for(wrong, name)) {
                work.write(name, content);
                refused_without_trace(work, stage.line, &[&format!("{name}:")]);
            }
        }
    });
}

#[test]
fn a_data_file_of_another_kind_is_refused_by_its_name_and_line() {
    let kinds = all_kinds();
    for_each_input(|stage, work, name, kind| {
        if kind == Kind::Data {
            let is_other = |wrong: &str| !may_stand_for(wrong, name) && wrong != "nothing";
            for (_, content) in kinds.iter().filter(|(wrong, _)| is_other(wrong)) {
                work.write(name, content);
                refused_without_trace(work, stage.line, &[&format!("{name}:1: expected ")]);
            }
        }
    });
}

#[test]
fn a_folder_in_the_place_of_a_file_is_refused_by_its_name() {
    for_each_input(|stage, work, name, _| {
        std::fs::remove_file(work.path(name)).unwrap();
        std::fs::create_dir(work.path(name)).unwrap();
        refused_without_trace(work, stage.line, &[name, "directory"]);
    });
}

#[test]
fn a_missing_file_is_refused_by_its_name() {
    for_each_input(|stage, work, name, _| {
        std::fs::remove_file(work.path(name)).unwrap();
        refused_without_trace(work, stage.line, &[name, "No such file"]);
    });
}

/// Returns folders without and with older outputs of every stage that reads documents.
fn document_readers() -> impl Iterator<Item = (&'static Stage, Work)> {
    let readers = super::readers_of("doc_list");
    readers.flat_map(|stage| [stage.before(), stage.over_older_outputs()].map(|work| (stage, work)))
}

#[test]
fn a_document_that_cannot_be_read_is_told_with_its_list_and_line() {
    for (stage, work) in document_readers() {
        std::fs::remove_file(work.path("docs/0012.txt")).unwrap();
        refused_without_trace(&work, stage.line, &["doc_list:13: docs/0012.txt: "]);
        std::fs::create_dir(work.path("docs/0012.txt")).unwrap();
        refused_without_trace(&work, stage.line, &["doc_list:13: docs/0012.txt: "]);
        std::fs::remove_dir(work.path("docs/0012.txt")).unwrap();
        work.write("docs/0012.txt", b"\x1f\x8b\x08 not gzip");
        refused_without_trace(&work, stage.line, &["doc_list:13: docs/0012.txt: "]);
    }
}

#[test]
fn a_document_listed_twice_is_told_with_both_lines() {
    let list = String::from_utf8(undisturbed()["doc_list"].clone()).unwrap();
    for (stage, work) in document_readers() {
        work.write("doc_list", format!("{list}docs/0004.txt\n"));
        refused_without_trace(
            &work,
            stage.line,
            &["doc_list:46: ", "docs/0004.txt", "(first at doc_list:5)"],
        );
    }
}

#[test]
fn a_sample_of_another_collection_is_refused_by_its_name() {
    let searches = STAGES.iter().filter(|stage| stage.line.contains("-sample_list "));
    let mut seen = 0;
    for stage in searches {
        for work in [stage.before(), stage.over_older_outputs()] {
            for sample in ["", "\n\n", "docs/unknown.txt\n", "docs/0012\n99\n"] {
                work.write("sample_list", sample);
                refused_without_trace(&work, stage.line, &["sample_list:"]);
            }
            work.write("sample_list", "docs/0000.txt\ndocs/0001.txt\ndocs/0000.txt\n");
            refused_without_trace(&work, stage.line, &["sample_list:3: ", "docs/0000.txt"]);
        }
        seen += 1;
    }
    assert_eq!(seen, 3);
}

/// The exact search has all documents, so it detects each unknown name.
#[test]
fn one_wrong_name_in_the_sample_of_the_exact_search_is_told_with_its_line() {
    let stage = STAGES.iter().find(|stage| stage.executable() == "similarity").unwrap();
    for work in [stage.before(), stage.over_older_outputs()] {
        work.write("sample_list", "docs/0000.txt\n\ndocs/0001\n");
        refused_without_trace(&work, stage.line, &["sample_list:3: ", "docs/0001"]);
    }
}
