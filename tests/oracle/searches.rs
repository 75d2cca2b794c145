//! Compares the results of all searches with the oracle's, byte for byte.

use proptest::prelude::*;
use proptest::sample::Index;

use super::cases;
use super::collections::{
    Document, Expected, documents, make_signatures, make_vectors, picks, write, write_sample,
    write_vectors,
};
use super::measures::read_result;
use super::signatures::{Groups, Planes, Pleb};
use super::similarities::{METHODS, Table, threshold_in_millionths};
use super::texts::PLAIN;
use super::vocabularies::{Vector, vec_line};
use crate::common::{Outcome, Work};

/// Returns thresholds: both ends, one bit and one step beside existing values, values between steps.
const THRESHOLDS: [&str; 12] = [
    "-5",
    "0",
    "0.000001",
    "33.333333",
    "50",
    "51.5625",
    "66.666667",
    "75",
    "79.5",
    "95",
    "98.4375",
    "100",
];

fn threshold() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&THRESHOLDS[..])
}

/// Checks that every line of a sample's result equals the document's line without sample.
fn assert_rows_are_those_of_all_pairs(sample: &str, all: &str) {
    let (sample, all) = (read_result(sample, true), read_result(all, false));
    for (document, matches) in sample {
        assert_eq!(matches, all.get(&document).cloned().unwrap_or_default(), "{document}");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn similarities_are_those_of_the_formulas(
        documents in documents(), tf_only: bool, per_file in 1..9usize, picks in picks(),
        thresholds in prop::collection::vec(threshold(), METHODS.len()),
    ) {
        let work = Work::new();
        write(&work, &documents);
        make_vectors(&work, PLAIN, tf_only, per_file);
        let Expected { names, vectors, .. } = Expected::new(&documents, PLAIN, tf_only);
        let numbers = write_sample(&work, &documents, &vectors, &picks);
        for (method, threshold) in METHODS.iter().zip(thresholds) {
            let table = Table::new(method, &vectors);
            prop_assume!(table.is_some());
            let (table, least) = (table.unwrap(), threshold_in_millionths(threshold));
            let line =
                format!("similarity -vec_paths vec_paths -threshold {threshold} -sim_meth {method}");
            work.ok(&format!("{line} -out all"));
            prop_assert_eq!(work.read("all"), table.result(&names, least), "{}", &line);
            work.ok(&format!("{line} -out some -sample_list sample_list --lines"));
            let lines: String = numbers.iter().map(|n| table.line(&names, *n, least)).collect();
            prop_assert_eq!(work.read("some"), lines, "{}", &line);
            assert_rows_are_those_of_all_pairs(&work.read("some"), &work.read("all"));
        }
    }

    #[test]
    fn vectors_may_point_away_from_each_other(
        vectors in signed_vectors(),
        threshold in prop::sample::select(&["-100", "-50", "-0.5", "0", "25", "40", "80", "100"][..]),
    ) {
        let work = Work::new();
        let names: Vec<String> = (0..vectors.len()).map(|number| format!("d{number}")).collect();
        let lines: Vec<String> = names.iter().zip(&vectors).map(|(n, v)| vec_line(n, v)).collect();
        write_vectors(&work, SIGNED_TERMS, &lines);
        let table = Table::new("cosine", &vectors);
        prop_assume!(table.is_some());
        work.ok(&format!("similarity -vec_paths vec_paths -out out -threshold {threshold}"));
        let expected = table.unwrap().result(&names, threshold_in_millionths(threshold));
        prop_assert_eq!(work.read("out"), expected);
    }

    #[test]
    fn the_whole_chain_finds_every_pair_of_signatures(
        documents in documents(), picks in picks(), threshold in threshold(),
        bits in prop::sample::select(&[4usize, 12, 64, 68, 128][..]),
    ) {
        let work = Work::new();
        let groups = sign(&work, &documents, bits);
        let expected = Expected::new(&documents, PLAIN, false);
        let numbers = write_sample(&work, &documents, &expected.vectors, &picks);
        let names = expected.names_of(&numbers);
        let line = format!("hamming_full -sig_paths sig_paths -threshold {threshold}");
        let pairs = groups.all_pairs(threshold_in_millionths(threshold));
        for method in ["auto", "scan", "join"] {
            work.ok(&format!("{line} -out all -method {method}"));
            prop_assert_eq!(work.read("all"), groups.result(&pairs), "{}", method);
        }
        let some = work.run(&format!("{line} -out some -sample_list sample_list --lines"));
        let is_signed = |name: &String| groups.0.iter().any(|(_, names)| names.contains(name));
        if names.iter().any(is_signed) {
            prop_assert_eq!(some.code, Some(0), "{}", some.stderr);
            prop_assert_eq!(work.read("some"), groups.sample_result(&names, &pairs));
            assert_rows_are_those_of_all_pairs(&work.read("some"), &work.read("all"));
        } else {
            prop_assert_eq!(some.code, Some(1), "a sample without any signature passed");
        }
    }
}

/// Runs the pipeline up to the signatures and returns the oracle's.
fn sign(work: &Work, documents: &[Document], bits: usize) -> Groups {
    write(work, documents);
    make_vectors(work, PLAIN, false, 4);
    make_signatures(work, bits, "");
    let expected = Expected::new(documents, PLAIN, false);
    let planes = Planes::new(2007, bits, expected.vocabulary.len());
    let signatures = expected.vectors.iter().map(|vector| planes.signature(vector));
    Groups::new(expected.names.iter().cloned().zip(signatures))
}

const SIGNED_TERMS: usize = 6;

/// Returns vectors with positive and negative components; some are empty.
fn signed_vectors() -> impl Strategy<Value = Vec<Vector>> {
    let vector = prop::collection::vec(-3..=3i8, SIGNED_TERMS).prop_map(|values| {
        let components = values.into_iter().map(f32::from).enumerate();
        components.filter(|(_, value)| *value != 0.0).collect()
    });
    prop::collection::vec(vector, 2..12)
}

/// Returns signatures, many near others, some shared by several documents.
fn groups() -> impl Strategy<Value = Groups> {
    let bits = prop::sample::select(&[4usize, 8, 60, 64, 68, 128, 132][..]);
    bits.prop_flat_map(|bits| {
        let fresh = prop::collection::vec(any::<bool>(), bits);
        let flips = prop::collection::vec(any::<Index>(), 0..6);
        let document = (fresh, any::<Index>(), flips, prop::bool::weighted(0.7));
        prop::collection::vec(document, 1..40)
    })
    .prop_map(|plans| {
        let mut signatures: Vec<Vec<bool>> = Vec::new();
        for (fresh, of, flips, is_derived) in plans {
            let mut signature = fresh;
            if is_derived && !signatures.is_empty() {
                signature = signatures[of.index(signatures.len())].clone();
                flips.iter().for_each(|flip| {
                    let at = flip.index(signature.len());
                    signature[at] = !signature[at];
                });
            }
            signatures.push(signature);
        }
        let text = |bits: Vec<bool>| bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
        let documents = signatures.into_iter().enumerate();
        Groups::new(documents.map(|(number, bits)| (format!("d{number}"), Some(text(bits)))))
    })
}

/// Writes signatures, to two files if there are several.
fn write_signatures(work: &Work, groups: &Groups) {
    let lines = groups.sig_lines();
    let (first, second) = lines.split_at(lines.len().div_ceil(2));
    work.write("sigs/a", first.concat());
    work.write("sigs/b", second.concat());
    let (documents, bits, distinct) = (groups.documents(), groups.0[0].0.len(), lines.len());
    work.write(
        "sig_paths",
        format!(
            "VELIKOST_KOLEKCE {documents}\nDELKA_SIGNATUR_V_BITECH {bits}\nPOCET_RUZNYCH_SIGNATUR {distinct}\nsigs/a\nsigs/b\n"
        ),
    );
}

fn pleb() -> impl Strategy<Value = Pleb> {
    let shift_count = prop::option::weighted(0.8, 0..12usize);
    (1..12u64, 1..5usize, shift_count, 0..1000u64).prop_map(
        |(iterations, beam, shift_count, seed)| Pleb { iterations, beam, shift_count, seed },
    )
}

/// Returns the numbers of pairs that hamming reported, one per iteration.
fn reported(ran: &Outcome) -> Vec<usize> {
    let numbers = ran.stderr.lines().filter_map(|line| {
        let (_, rest) = line.split_once(": iteration ")?;
        rest.split_once(": ")?.1.strip_suffix(" pairs found")?.parse().ok()
    });
    numbers.collect()
}

/// Returns the documents of a sample, as names.
fn some_names(groups: &Groups, picks: &[(Index, bool)]) -> Vec<String> {
    let all: Vec<&String> = groups.0.iter().flat_map(|(_, names)| names).collect();
    let mut names: Vec<String> = Vec::new();
    for (index, _) in picks {
        let name = all[index.index(all.len())];
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn pleb_is_as_if_every_bit_were_moved(
        groups in groups(), settings in pleb(), threshold in threshold(),
    ) {
        let work = Work::new();
        write_signatures(&work, &groups);
        let least = threshold_in_millionths(threshold);
        let flags = settings.flags();
        let ran = work.ok(&format!(
            "hamming -sig_paths sig_paths -out out -threshold {threshold} {flags}"
        ));
        let known = groups.pleb(settings, least);
        prop_assert_eq!(work.read("out"), groups.result(known.last().unwrap()));
        let counts: Vec<usize> =
            known.iter().map(|pairs| groups.document_pairs(pairs, |_| true)).collect();
        prop_assert_eq!(reported(&ran), counts);
    }

    #[test]
    fn pleb_answers_for_a_sample(
        groups in groups(), settings in pleb(), threshold in threshold(), picks in picks(),
    ) {
        let work = Work::new();
        write_signatures(&work, &groups);
        let names = some_names(&groups, &picks);
        work.write("sample_list", names.join(" "));
        let flags = settings.flags();
        let line = format!("hamming -sig_paths sig_paths -threshold {threshold} {flags}");
        let ran = work.ok(&format!("{line} -out some -sample_list sample_list"));
        let known = groups.pleb(settings, threshold_in_millionths(threshold));
        let expected = groups.sample_result(&names, known.last().unwrap());
        prop_assert_eq!(work.read("some"), expected);
        let is_asked = |name: &str| names.iter().any(|asked| asked == name);
        let counts: Vec<usize> =
            known.iter().map(|pairs| groups.document_pairs(pairs, is_asked)).collect();
        prop_assert_eq!(reported(&ran), counts);
        work.ok(&format!("{line} -out all"));
        assert_rows_are_those_of_all_pairs(&work.read("some"), &work.read("all"));
    }

    #[test]
    fn pleb_finds_nothing_that_is_not_there_and_all_with_a_wide_beam(
        groups in groups(), settings in pleb(), threshold in threshold(),
    ) {
        let work = Work::new();
        write_signatures(&work, &groups);
        let common = format!("-sig_paths sig_paths -threshold {threshold}");
        let pairs = groups.all_pairs(threshold_in_millionths(threshold));
        for method in ["auto", "scan", "join"] {
            work.ok(&format!("hamming_full {common} -out full -method {method}"));
            prop_assert_eq!(work.read("full"), groups.result(&pairs), "{}", method);
        }
        work.ok(&format!("hamming {common} -out some {}", settings.flags()));
        let (full, some) = (work.read("full"), work.read("some"));
        let (full_said, some_said) = (read_result(&full, false), read_result(&some, false));
        for (document, matches) in some_said {
            for (other, similarity) in matches {
                prop_assert_eq!(full_said[&document].get(&other), Some(&similarity));
            }
        }
        let wide = Pleb { iterations: 1, beam: groups.0.len(), ..settings };
        work.ok(&format!("hamming {common} -out wide {}", wide.flags()));
        prop_assert_eq!(work.read("wide"), full);
    }
}

/// Three documents, the second without a term.
fn write_documents_with_an_empty_one(work: &Work) {
    work.collection(&[("one", "a b"), ("no words", ""), ("three", "a b c")]);
}

#[test]
fn a_document_without_signature_keeps_its_name_in_both_spellings() {
    let work = Work::new();
    write_documents_with_an_empty_one(&work);
    make_vectors(&work, PLAIN, true, 100);
    make_signatures(&work, 64, "");
    for spelled in ["no words", "no%20words"] {
        work.write("sample_list", format!("one\n{spelled}\n"));
        work.ok("similarity -vec_paths vec_paths -out sim -threshold 100 -sample_list sample_list --lines");
        work.ok("hamming_full -sig_paths sig_paths -out ham -threshold 100 -sample_list sample_list --lines");
        assert_eq!(work.read("sim"), "one\nno%20words\n", "{spelled}");
        assert_eq!(work.read("ham"), work.read("sim"), "{spelled}");
    }
}

#[test]
fn a_numbered_document_without_signature_stands_under_its_number() {
    let work = Work::new();
    write_documents_with_an_empty_one(&work);
    work.ok(
        "create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows -id_file ids",
    );
    work.ok("create_voc -bow_paths bow_paths -voc_name voc");
    work.ok("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths -use_tf_only");
    make_signatures(&work, 64, "");
    for spelled in ["no words", "no%20words", "2"] {
        work.write("sample_list", format!("one\n{spelled}\n"));
        let sample = "-sample_list sample_list --lines -id_file ids";
        work.ok(&format!("similarity -vec_paths vec_paths -out sim -threshold 100 {sample}"));
        work.ok(&format!("hamming_full -sig_paths sig_paths -out ham -threshold 100 {sample}"));
        assert_eq!(work.read("sim"), "1\n2\n", "{spelled}");
        assert_eq!(work.read("ham"), work.read("sim"), "{spelled}");
        work.ok("compare_results -sim sim -ham ham -out compared -id_file ids");
    }
}
