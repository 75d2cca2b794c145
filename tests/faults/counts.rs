//! Headers that disagree with their files, and files of different collections.

use super::{Stage, readers_of, refused_without_trace, refuses_each, undisturbed};
use crate::common::MANIFEST;

fn text(name: &str) -> &'static str {
    std::str::from_utf8(&undisturbed()[name]).unwrap()
}

/// Returns the number behind a header word.
fn stated(name: &str, word: &str) -> u64 {
    let line = text(name).lines().find(|line| line.starts_with(word)).unwrap();
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Returns a file with another header line in the place of the one that begins with `word`.
fn with_header(name: &str, word: &str, line: &str) -> Vec<u8> {
    let lines = text(name).split_inclusive('\n');
    let replaced = lines.map(|old| if old.starts_with(word) { line } else { old });
    replaced.collect::<String>().into_bytes()
}

/// All header words with their files and lines.
const HEADERS: [(&str, &str, u64); 12] = [
    ("bow_paths", "VELIKOST_KOLEKCE", 1),
    ("voc", "VELIKOST_SLOVNIKU", 1),
    ("voc", "VELIKOST_KOLEKCE", 2),
    ("small", "VELIKOST_SLOVNIKU", 1),
    ("small", "VELIKOST_KOLEKCE", 2),
    ("vec_paths", "VELIKOST_SLOVNIKU", 2),
    ("vec_paths", "VELIKOST_KOLEKCE", 3),
    ("vec_paths", "POCET_ZAZNAMU_VE_VEC_SOUBORECH", 4),
    ("sig_paths", "VELIKOST_KOLEKCE", 1),
    ("sig_paths", "DELKA_SIGNATUR_V_BITECH", 2),
    ("sig_paths", "POCET_RUZNYCH_SIGNATUR", 3),
    ("print_paths", "VELIKOST_KOLEKCE", 1),
];

#[test]
fn a_header_without_a_sound_number_is_refused_at_its_line() {
    for (name, word, line) in HEADERS {
        let number = stated(name, word);
        let wrong = [
            String::new(),
            format!("{word}\n"),
            format!("{word} \n"),
            format!("{word} many\n"),
            format!("{word} -{number}\n"),
            format!("{word} {number}.5\n"),
            format!("{word} {number} {number}\n"),
            format!("{word}  {number}\n"),
            format!("{word}: {number}\n"),
            format!("{word} 99999999999999999999\n"),
            format!("{number}\n"),
            format!("{} {number}\n", word.to_lowercase()),
        ];
        let spoilt: Vec<_> = wrong.iter().map(|new| with_header(name, word, new)).collect();
        for stage in readers_of(name) {
            refuses_each(stage, name, &spoilt, &[&format!("{name}:{line}: "), word]);
        }
    }
}

#[test]
fn a_vector_list_without_its_weighting_is_refused_at_its_first_line() {
    for stage in readers_of("vec_paths") {
        let wrong = ["", "USING_\n", "USING_TF_IDF_\n", "using_tf\n", "USING_TF 1\n"];
        let spoilt: Vec<_> = wrong.iter().map(|w| with_header("vec_paths", "USING", w)).collect();
        refuses_each(
            stage,
            "vec_paths",
            &spoilt,
            &["vec_paths:1: ", "USING_TF, USING_TF_IDF or USING_WORD_WEIGHTS"],
        );
    }
}

#[test]
fn a_print_list_without_its_method_or_agreement_is_refused_at_its_line() {
    let wrong = |word: &str| {
        let values = ["", " ", "  minhash", ": minhash"].map(|rest| format!("{word}{rest}\n"));
        values.into_iter().chain([String::new(), format!("{} x\n", word.to_lowercase())])
    };
    for (word, line) in [("METODA", 2), ("SHODA", 3)] {
        let spoilt: Vec<_> =
            wrong(word).map(|new| with_header("print_paths", word, &new)).collect();
        for stage in readers_of("print_paths") {
            refuses_each(stage, "print_paths", &spoilt, &[&format!("print_paths:{line}: "), word]);
        }
    }
    let rules = ["bands", "bands 0 0", "bands x 0", "bands 8", "bands 8 2", "bands 8 0 0", "like"];
    let spoilt = rules.map(|rule| with_header("print_paths", "SHODA", &format!("SHODA {rule}\n")));
    for stage in readers_of("print_paths") {
        refuses_each(stage, "print_paths", &spoilt, &["print_paths:3: ", "agreement"]);
    }
}

/// The message must have both the stated and the actual number.
#[track_caller]
fn refuses_other_numbers(stage: &Stage, name: &str, word: &str, found: u64) {
    for other in [found - 1, found + 1, 0, 7 * found] {
        let spoilt = with_header(name, word, &format!("{word} {other}\n"));
        let (other, found) = (format!(" {other} "), found.to_string());
        refuses_each(stage, name, &[spoilt], &[name, &other, &found]);
    }
}

#[test]
fn a_collection_of_another_size_is_refused_with_both_numbers() {
    for name in ["bow_paths", "vec_paths", "sig_paths", "print_paths"] {
        for stage in readers_of(name) {
            refuses_other_numbers(
                stage,
                name,
                "VELIKOST_KOLEKCE",
                stated(name, "VELIKOST_KOLEKCE"),
            );
        }
    }
}

#[test]
fn a_vocabulary_of_another_size_is_refused_with_both_numbers() {
    for name in ["voc", "small"] {
        for stage in readers_of(name) {
            refuses_other_numbers(
                stage,
                name,
                "VELIKOST_SLOVNIKU",
                stated(name, "VELIKOST_SLOVNIKU"),
            );
        }
    }
}

#[test]
fn vector_files_of_another_size_are_refused_with_both_numbers() {
    let word = "POCET_ZAZNAMU_VE_VEC_SOUBORECH";
    for stage in readers_of("vec_paths") {
        refuses_other_numbers(stage, "vec_paths", word, stated("vec_paths", word));
    }
}

#[test]
fn another_number_of_signatures_is_refused_with_both_numbers() {
    let word = "POCET_RUZNYCH_SIGNATUR";
    for stage in readers_of("sig_paths") {
        refuses_other_numbers(stage, "sig_paths", word, stated("sig_paths", word));
    }
}

#[test]
fn signatures_of_another_length_are_refused_with_both_lengths() {
    for stage in readers_of("sig_paths") {
        for bits in [1020, 1028, 64, 4] {
            let header = format!("DELKA_SIGNATUR_V_BITECH {bits}\n");
            let spoilt = with_header("sig_paths", "DELKA_SIGNATUR_V_BITECH", &header);
            let first = "sigs/sig_paths-000001.sig:1: ";
            refuses_each(
                stage,
                "sig_paths",
                &[spoilt],
                &[first, &format!(" {bits} bits"), " 1024 bits"],
            );
        }
    }
}

#[test]
fn a_length_that_no_signature_has_is_refused() {
    for stage in readers_of("sig_paths") {
        for bits in [0u64, 1023, 1025, 1026, 1 << 40, u64::MAX - 3] {
            let header = format!("DELKA_SIGNATUR_V_BITECH {bits}\n");
            let spoilt = with_header("sig_paths", "DELKA_SIGNATUR_V_BITECH", &header);
            refuses_each(stage, "sig_paths", &[spoilt], &["sig_paths", &format!(" {bits} bits")]);
        }
    }
}

#[test]
fn vectors_over_a_smaller_vocabulary_are_refused() {
    let terms = stated("vec_paths", "VELIKOST_SLOVNIKU");
    for stage in readers_of("vec_paths") {
        for fewer in [terms / 2, 1, 0] {
            let header = format!("VELIKOST_SLOVNIKU {fewer}\n");
            let spoilt = with_header("vec_paths", "VELIKOST_SLOVNIKU", &header);
            refuses_each(
                stage,
                "vec_paths",
                &[spoilt],
                &["vecs/vec_paths-00000", &format!(" {fewer} ")],
            );
        }
    }
}

/// Vectors cannot contradict a larger number of terms, but hyperplanes have all terms.
#[test]
fn vectors_over_a_larger_vocabulary_give_the_same() {
    let terms = stated("vec_paths", "VELIKOST_SLOVNIKU") + 50;
    let larger =
        with_header("vec_paths", "VELIKOST_SLOVNIKU", &format!("VELIKOST_SLOVNIKU {terms}\n"));
    let is_sparse = |stage: &&Stage| stage.executable() != "implant_rnd_vecs";
    for stage in readers_of("vec_paths").filter(is_sparse) {
        let work = stage.before();
        work.delete_manifests();
        work.write("vec_paths", &larger);
        work.ok(stage.line);
        // The manifest differs: nothing is known about an input without one.
        stage.assert_same(&work, stage.line, |name| !name.ends_with(MANIFEST));
    }
}

/// Indexes have 32 bits: a larger vocabulary is an error and allocates no memory.
#[test]
fn vectors_over_an_impossible_vocabulary_are_refused() {
    for stage in readers_of("vec_paths") {
        for terms in [1u64 << 52, u64::MAX] {
            let header = format!("VELIKOST_SLOVNIKU {terms}\n");
            let spoilt = with_header("vec_paths", "VELIKOST_SLOVNIKU", &header);
            refuses_each(stage, "vec_paths", &[spoilt], &["vec_paths", &terms.to_string()]);
        }
    }
}

#[test]
fn the_vocabulary_of_another_collection_is_refused_with_both_sizes() {
    let found = stated("bow_paths", "VELIKOST_KOLEKCE");
    for stage in readers_of("small") {
        for other in [found - 1, found + 1, 7 * found] {
            let header = format!("VELIKOST_KOLEKCE {other}\n");
            let spoilt = with_header("small", "VELIKOST_KOLEKCE", &header);
            let values = [other.to_string(), found.to_string()];
            refuses_each(
                stage,
                "small",
                &[spoilt],
                &["bow_paths", "small", &values[0], &values[1]],
            );
        }
    }
}

#[test]
fn terms_in_more_documents_than_there_are_are_refused() {
    for (name, stage) in ["voc", "small"].iter().flat_map(|n| readers_of(n).map(move |s| (n, s))) {
        let spoilt = with_header(name, "VELIKOST_KOLEKCE", "VELIKOST_KOLEKCE 1\n");
        refuses_each(stage, name, &[spoilt], &[&format!("{name}:3: "), "DC <= 1"]);
    }
}

#[test]
fn a_data_file_listed_twice_is_refused() {
    for (list, twice) in [
        ("bow_paths", "bows/bow_paths-000002.bow\n"),
        ("vec_paths", "vecs/vec_paths-000002.vec\n"),
        ("sig_paths", "sigs/sig_paths-000002.sig\n"),
        ("print_paths", "prints/print_paths-000002.print\n"),
    ] {
        for stage in readers_of(list) {
            let spoilt = format!("{}{twice}", text(list));
            refuses_each(stage, list, &[spoilt.into_bytes()], &[list]);
        }
    }
}

#[test]
fn numbers_of_another_collection_are_refused() {
    let stage = readers_of("sim").next().unwrap();
    let work = stage.before();
    work.write("ids", "1 docs/0000.txt\n");
    refused_without_trace(&work, stage.line, &["ids", "no document numbered"]);
}
