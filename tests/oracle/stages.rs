//! Compares every file from documents to signatures with the oracle's, byte for byte.

use proptest::prelude::*;

use super::cases;
use super::collections::{
    Expected, documents, listed, make_bows, make_signatures, make_vectors, write, write_vectors,
};
use super::signatures::{Groups, Planes};
use super::texts::{PLAIN, Rules, bow_line};
use super::vocabularies::{MEASURES, Vector, best, vec_line, vector, voc_text, vocabulary, within};
use crate::common::Work;

fn rules() -> impl Strategy<Value = Rules> {
    (any::<bool>(), any::<bool>(), 1..4usize).prop_map(
        |(letters_and_digits, keep_numbers, shingle_size)| Rules {
            letters_and_digits,
            keep_numbers,
            shingle_size,
        },
    )
}

/// Returns vectors over a few terms, also with negative values.
fn vectors(terms: usize) -> impl Strategy<Value = Vec<Vector>> {
    let component = prop::option::of((-8..=8i8).prop_filter("not 0", |value| *value != 0));
    let vector = prop::collection::vec(component, terms).prop_map(|components| {
        let components = components.into_iter().enumerate();
        components.filter_map(|(at, value)| Some((at, f32::from(value?) / 4.0))).collect()
    });
    prop::collection::vec(vector, 1..8)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn bags_hold_the_words_that_a_reader_counts(
        documents in documents(), rules in rules(), per_file in 1..6usize,
    ) {
        let work = Work::new();
        write(&work, &documents);
        make_bows(&work, rules, per_file);
        let expected = Expected::new(&documents, rules, true);
        let lines: Vec<String> =
            expected.names.iter().zip(&expected.bags).map(|(n, bag)| bow_line(n, bag)).collect();
        let files: Vec<String> = lines.chunks(per_file).map(<[String]>::concat).collect();
        let (header, found) = listed(&work, "bow_paths", 1);
        prop_assert_eq!(header, [format!("VELIKOST_KOLEKCE {}", documents.len())]);
        prop_assert_eq!(found, files);
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn numbers_stand_for_names_when_asked(documents in documents(), rules in rules()) {
        let work = Work::new();
        write(&work, &documents);
        let flags = rules.flags();
        work.ok(&format!(
            "create_bows -doc_list doc_list --lines -bow_paths p -bow_dir bows -id_file ids {flags}"
        ));
        let expected = Expected::new(&documents, rules, true);
        let (mut bows, mut ids) = (String::new(), String::new());
        for (number, (name, bag)) in (1..).zip(expected.names.iter().zip(&expected.bags)) {
            bows += &bow_line(&format!("{number}"), bag);
            ids += &format!("{number} {name}\n");
        }
        prop_assert_eq!(listed(&work, "p", 1).1.concat(), bows);
        prop_assert_eq!(work.read("ids"), ids);
    }

    #[test]
    fn vocabularies_count_every_term(
        documents in documents(), rules in rules(), per_file in 1..6usize,
    ) {
        let work = Work::new();
        write(&work, &documents);
        make_bows(&work, rules, per_file);
        work.ok("create_voc -bow_paths bow_paths -voc_name voc");
        let expected = Expected::new(&documents, rules, true);
        prop_assert_eq!(work.read("voc"), voc_text(&expected.vocabulary, documents.len()));
    }

    #[test]
    fn vocabularies_are_reduced_by_each_of_the_six_pairs(
        documents in documents(), quarters in (0..16u32, 0..48u32), count in 0..25usize,
    ) {
        let work = Work::new();
        let bags = Expected::new(&documents, PLAIN, true).bags;
        let (all, size) = (vocabulary(&bags), documents.len());
        work.write("voc", voc_text(&all, size));
        let (least, most) = (f64::from(quarters.0) / 4.0, f64::from(quarters.1) / 4.0);
        for measure in MEASURES {
            let line =
                format!("reduce_voc -old_voc_name voc -new_voc_name new -min_{measure} {least}");
            work.ok(&format!("{line} -max_{measure} {most}"));
            let kept = within(&all, measure, size, least, most);
            prop_assert_eq!(work.read("new"), voc_text(&kept, size), "{} to {}", measure, most);
            work.ok(&format!("{line} -count {count}"));
            let kept = best(&all, measure, size, least, count);
            prop_assert_eq!(work.read("new"), voc_text(&kept, size), "{} best {}", measure, count);
        }
    }

    #[test]
    fn vectors_weigh_the_terms_of_the_vocabulary(
        documents in documents(),
        rules in rules(),
        least in 1..4u32,
        tf_only: bool,
        per_file in 1..9usize,
    ) {
        let work = Work::new();
        write(&work, &documents);
        make_bows(&work, rules, per_file);
        let expected = Expected::new(&documents, rules, tf_only);
        let size = documents.len();
        let kept = within(&expected.vocabulary, "df", size, f64::from(least), f64::INFINITY);
        work.write("voc", voc_text(&kept, size));
        let (flag, word) = if tf_only { ("-use_tf_only", "USING_TF") } else { ("", "USING_TF_IDF") };
        work.ok(&format!(
            "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths {flag}"
        ));
        let vectors = expected.bags.iter().map(|bag| vector(bag, &kept, size, tf_only));
        let lines: String =
            expected.names.iter().zip(vectors).map(|(n, v)| vec_line(n, &v)).collect();
        let (header, files) = listed(&work, "vec_paths", 4);
        prop_assert_eq!(files.concat(), lines);
        prop_assert_eq!(header, [
            word.to_string(),
            format!("VELIKOST_SLOVNIKU {}", kept.len()),
            format!("VELIKOST_KOLEKCE {size}"),
            format!("POCET_ZAZNAMU_VE_VEC_SOUBORECH {}", per_file.min(size)),
        ]);
    }

    #[test]
    fn signatures_are_right_bit_by_bit(
        documents in documents(),
        bits in prop::sample::select(&[4usize, 8, 60, 64, 68, 128, 200, 256][..]),
        seed in prop_oneof![Just(None), any::<u64>().prop_map(Some)],
        tf_only: bool,
        normalise: bool,
        levels: bool,
        per_file in 1..9usize,
    ) {
        let work = Work::new();
        write(&work, &documents);
        make_vectors(&work, PLAIN, tf_only, per_file);
        let seed_flag = seed.map_or(String::new(), |seed| format!("-rnd_seed {seed}"));
        let norm_flag = if normalise { "" } else { "-no_norm" };
        let kind = if levels { "levels" } else { "gauss" };
        make_signatures(&work, bits, &format!("{seed_flag} {norm_flag} -rnd_dist {kind}"));
        let expected = Expected::new(&documents, PLAIN, tf_only);
        let (seed, terms) = (seed.unwrap_or(2007), expected.vocabulary.len());
        let planes = if levels { Planes::of_levels } else { Planes::new }(seed, bits, terms);
        let signatures = expected.vectors.iter().map(|vector| planes.signature(vector));
        let groups = Groups::new(expected.names.iter().cloned().zip(signatures));
        let (header, files) = listed(&work, "sig_paths", 3);
        prop_assert_eq!(files.concat(), groups.sig_lines().concat());
        prop_assert_eq!(header, sig_header(&groups, bits));
    }

    #[test]
    fn random_vectors_are_drawn_again_until_they_are_balanced(
        vectors in vectors(10),
        percent in prop::sample::select(&[0usize, 15, 30, 40, 45][..]),
        seed in 0..99u64,
    ) {
        let work = Work::new();
        let names: Vec<String> = (0..vectors.len()).map(|number| format!("d{number}")).collect();
        let lines: Vec<String> = names.iter().zip(&vectors).map(|(n, v)| vec_line(n, v)).collect();
        write_vectors(&work, 10, &lines);
        make_signatures(&work, 32, &format!("-rnd_seed {seed} -below_zero_percent {percent}"));
        let planes = Planes::balanced(seed, 32, 10, percent).expect("half of ten can be positive");
        let signatures = vectors.iter().map(|vector| planes.signature(vector));
        let groups = Groups::new(names.into_iter().zip(signatures));
        prop_assert_eq!(listed(&work, "sig_paths", 3).1.concat(), groups.sig_lines().concat());
    }
}

fn sig_header(groups: &Groups, bits: usize) -> [String; 3] {
    [
        format!("VELIKOST_KOLEKCE {}", groups.documents()),
        format!("DELKA_SIGNATUR_V_BITECH {bits}"),
        format!("POCET_RUZNYCH_SIGNATUR {}", groups.0.len()),
    ]
}

/// Returns the signatures of hand-made vectors over two terms, as the lines of their file.
fn signatures_of(lines: &[&str]) -> String {
    let work = Work::new();
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    write_vectors(&work, 2, &lines);
    make_signatures(&work, 64, "");
    listed(&work, "sig_paths", 3).1.concat()
}

#[test]
fn a_vector_of_zeros_has_no_direction_and_no_signature() {
    let lines = signatures_of(&["some:2 0:1 1:2", "zeros:2 0:0 1:0"]);
    assert!(lines.ends_with(":1 some\n"), "{lines}");
}

#[test]
fn vectors_of_one_direction_share_a_signature_however_short_they_are() {
    // 2^-130 times (1, 2), which 32-bit numbers hold exactly.
    let tiny = "tiny:2 0:0.00000000000000000000000000000000000000073468396926392969 \
                1:0.0000000000000000000000000000000000000014693679385278594";
    let lines = signatures_of(&["some:2 0:1 1:2", tiny]);
    assert!(lines.ends_with(":2 some tiny\n"), "{lines}");
}
