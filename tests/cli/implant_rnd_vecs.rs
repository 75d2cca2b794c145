//! implant_rnd_vecs: usage, flags, errors, and that its documents are the vectors that create_sigs signs with.

use std::collections::BTreeMap;

use super::shared::{check_manners, check_required, check_spellings, check_usage, check_values};
use crate::common::Work;
use crate::determinism::write_collection;

const LINE: &str = "implant_rnd_vecs --vec_paths vec_paths --sig_len 64 --vec_dir random --new_vec_paths new_paths";

/// A handful of documents, one without terms.
fn prepare(work: &Work) {
    work.collection(&[
        ("one", "a b c d"),
        ("no words", ""),
        ("two", "a b e f"),
        ("three", "g g h"),
    ]);
    work.chain(64);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the lines of all files that a list names, and its header.
fn listed(work: &Work, list: &str) -> (Vec<String>, Vec<String>) {
    let content = work.read(list);
    let lines: Vec<String> = content.lines().map(str::to_string).collect();
    let vectors = lines[4..]
        .iter()
        .flat_map(|path| work.read(path).lines().map(str::to_string).collect::<Vec<_>>());
    (lines[..4].to_vec(), vectors.collect())
}

/// Returns the components of a line of a VEC file.
fn components(line: &str) -> Vec<(usize, f64)> {
    let item = |item: &str| {
        let (index, value) = item.split_once(':').unwrap();
        (index.parse().unwrap(), value.parse().unwrap())
    };
    line.split(' ').skip(1).map(item).collect()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "implant_rnd_vecs",
        "Appends the hyperplanes of create_sigs to a collection as documents: RND_0001, RND_0002, …",
        &[
            "vec_paths",
            "sig_len",
            "rnd_dist",
            "rnd_seed",
            "below_zero_percent",
            "vec_dir",
            "new_vec_paths",
            "sample_list_out",
            "compress_vecs",
        ],
    );
    check_required(LINE, &["vec_paths", "sig_len", "vec_dir", "new_vec_paths"]);
    check_values(
        LINE,
        &[
            ("sig_len", "0", "expected an integer of at least 1"),
            ("sig_len", "6", "expected a multiple of 4"),
            ("rnd_dist", "uniform", "gauss"),
            ("rnd_seed", "-1", "invalid digit"),
            ("below_zero_percent", "50", "expected a percentage of at least 0 and below 50"),
        ],
    );
    let work = Work::new();
    let levels = work.refuses(&format!("{LINE} --rnd_dist levels --below_zero_percent 10"));
    assert!(levels.contains("below_zero_percent needs"), "{levels}");
    let streams = LINE.replace("new_paths", "-") + " --sample_list_out -";
    let refusal = work.refuses(&streams);
    let expected = "only one of --new_vec_paths and --sample_list_out can be standard output";
    assert!(refusal.contains(expected), "{refusal}");
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        prepare,
        &format!(
            "{LINE} --rnd_dist gauss --rnd_seed 5 --below_zero_percent 12.5 --sample_list_out names \
             --compress_vecs --threads 2 --verbose"
        ),
    );
}

#[test]
fn the_new_list_names_the_old_files_and_then_the_random_vectors() {
    let work = prepared();
    work.ok(&format!("{LINE} --sample_list_out names"));
    let paths: Vec<String> = work.read("new_paths").lines().map(str::to_string).collect();
    let files = (1..=4).map(|number| format!("random/new_paths-00000{number}.vec"));
    let expected: Vec<String> = [
        "USING_TF_IDF",
        "VELIKOST_SLOVNIKU 8",
        "VELIKOST_KOLEKCE 68",
        "POCET_ZAZNAMU_VE_VEC_SOUBORECH 16",
        "vecs/vec_paths-000001.vec",
    ]
    .map(str::to_string)
    .into_iter()
    .chain(files)
    .collect();
    assert_eq!(paths, expected);
    let (_, vectors) = listed(&work, "new_paths");
    let names: Vec<&str> =
        vectors[4..].iter().map(|line| line.split(':').next().unwrap()).collect();
    let listed: Vec<String> = work.read("names").lines().map(str::to_string).collect();
    assert_eq!(names, listed);
    assert_eq!((names.len(), names[0], names[63]), (64, "RND_0001", "RND_0064"));
    assert!(vectors[4..].iter().all(|line| components(line).len() == 8));
    // What it names can be signed and compared.
    work.ok("create_sigs -vec_paths new_paths -sig_len 64 -sig_dir sigs -sig_paths s");
    work.ok("similarity -vec_paths new_paths -out sim -threshold 0 -sample_list names");
    assert_eq!(work.read("sim").lines().count(), 64);
}

#[test]
fn the_fullest_file_may_be_an_old_one_or_a_new_one() {
    let work = Work::new();
    write_collection(&work, 30);
    work.chain(64);
    let (old, _) = listed(&work, "vec_paths");
    for (bits, most) in [(4, 30), (64, 30)] {
        work.ok(&LINE.replace("64", &bits.to_string()));
        let (new, vectors) = listed(&work, "new_paths");
        assert_eq!(vectors.len(), 30 + bits);
        assert_eq!(new[3], format!("POCET_ZAZNAMU_VE_VEC_SOUBORECH {most}"));
        assert_eq!(new[..2], old[..2]);
    }
}

#[test]
fn any_number_of_threads_and_compression_give_the_same() {
    for flags in ["", "--rnd_dist levels", "--below_zero_percent 30"] {
        let work = Work::new();
        write_collection(&work, 20);
        work.chain(64);
        work.ok(&format!("{LINE} {flags} --threads 1"));
        let expected = listed(&work, "new_paths");
        work.ok(&format!("{LINE} {flags} --threads 5"));
        assert!(listed(&work, "new_paths") == expected, "{flags}");
        let zipped = LINE.replace("vec_paths new_paths", "vec_paths zipped.gz");
        work.ok(&format!("{zipped} {flags} --compress_vecs"));
        assert!(work.has("random/zipped-000004.vec.gz"));
        assert!(listed(&work, "zipped.gz") == expected, "{flags}");
    }
}

/// Returns the bits of every signed document.
fn signatures(work: &Work) -> BTreeMap<String, Vec<bool>> {
    let mut bits = BTreeMap::new();
    let list = work.read("sig_paths");
    for line in list
        .lines()
        .skip(3)
        .flat_map(|path| work.read(path).lines().map(str::to_string).collect::<Vec<_>>())
    {
        let (head, documents) = line.split_once(' ').unwrap();
        let digits = head.split(':').next().unwrap().chars();
        let signature: Vec<bool> = digits
            .flat_map(|digit| {
                let digit = digit.to_digit(16).unwrap();
                (0..4).rev().map(move |bit| digit >> bit & 1 == 1)
            })
            .collect();
        let documents = documents.split(' ');
        documents.for_each(|document| {
            assert!(bits.insert(document.into(), signature.clone()).is_none())
        });
    }
    bits
}

/// Returns whether rounding the document's weights to this many steps may decide the sign of its dot product with a random vector.
fn is_near(document: &[(usize, f64)], random: &[(usize, f64)], steps: f64) -> bool {
    let largest = document.iter().fold(0.0f64, |most, (_, value)| most.max(value.abs()));
    let (mut sum, mut sizes) = (0.0, 0.0);
    for (index, value) in document {
        sum += value * steps / largest * random[*index].1;
        sizes += random[*index].1.abs();
    }
    sum.abs() <= sizes / 2.0 + 1e-6
}

/// Signs a collection, measures its cosines with the same random vectors, and compares signs with bits.
#[track_caller]
fn check_signs(flags: &str, steps: f64, most_exceptions: f64) {
    const BITS: usize = 256;
    let work = Work::new();
    write_collection(&work, 80);
    work.chain(64);
    let random = format!("-sig_len {BITS} -rnd_seed 11 {flags}");
    work.ok(&format!(
        "create_sigs -vec_paths vec_paths -sig_dir sigs -sig_paths sig_paths {random}"
    ));
    work.ok(&format!(
        "implant_rnd_vecs -vec_paths vec_paths -vec_dir random -new_vec_paths new -sample_list_out names {random}"
    ));
    work.ok("similarity -vec_paths new -out sim -threshold -100 -sample_list names");
    let (_, vectors) = listed(&work, "new");
    let by_name: BTreeMap<&str, Vec<(usize, f64)>> =
        vectors.iter().map(|line| (line.split(':').next().unwrap(), components(line))).collect();
    let bits = signatures(&work);
    let (mut agreeing, mut exceptions) = (0, 0);
    for (vector, line) in work.read("sim").lines().enumerate() {
        let fields: Vec<&str> = line.split(':').collect();
        for found in fields[1..].chunks(2).filter(|found| !found[0].starts_with("RND_")) {
            let (document, cosine): (&str, f64) = (found[0], found[1].parse().unwrap());
            let bit = bits[document][vector];
            if cosine != 0.0 && (cosine > 0.0) == bit {
                agreeing += 1;
            } else {
                let (document, random) = (&by_name[document], &by_name[fields[0]]);
                assert!(is_near(document, random, steps), "{line}: bit {bit}, {cosine}");
                exceptions += 1;
            }
        }
    }
    assert_eq!(agreeing + exceptions, bits.len() * BITS);
    assert!(bits.len() > 60, "too few documents to mean much");
    let share = f64::from(exceptions as u32) / (agreeing + exceptions) as f64;
    assert!(share <= most_exceptions, "{share} of the signs are decided by rounding");
}

#[test]
fn signs_of_cosines_are_the_bits_of_signatures() {
    check_signs("", 4095.0, 0.001);
}

#[test]
fn signs_of_cosines_are_the_bits_of_signatures_also_of_vectors_drawn_again() {
    check_signs("-below_zero_percent 48", 4095.0, 0.001);
}

#[test]
fn signs_of_cosines_are_the_bits_of_signatures_of_levels() {
    // A few whole weights add up to exactly 0 now and then, and 63 steps are coarse.
    check_signs("-rnd_dist levels", 63.0, 0.05);
}

#[test]
fn shares_of_positive_cosines_are_the_shares_of_bits() {
    let work = Work::new();
    write_collection(&work, 60);
    work.chain(64);
    work.ok(&format!("{LINE} --sample_list_out names"));
    work.ok("similarity -vec_paths new_paths -out sim -threshold 0 -sample_list names");
    let bits = signatures(&work);
    let size = bits.len();
    work.ok(&format!(
        "extract_similarities -result sim -out shares --positive_share -collection_size {size} -leave_out names"
    ));
    let shares = work.read("shares");
    assert_eq!(shares.lines().count(), 64);
    for (vector, line) in shares.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let set = bits.values().filter(|signature| signature[vector]).count();
        assert_eq!(fields[0], format!("RND_{:04}", vector + 1));
        assert_eq!(fields[1], set.to_string(), "{line}");
        assert_eq!(fields[2].parse::<f64>().unwrap(), set as f64 / size as f64);
    }
}

#[test]
fn names_that_the_collection_has_are_refused() {
    let work = Work::new();
    work.collection(&[("one", "a b"), ("RND_0064", "c d"), ("RND_1", "e")]);
    work.chain(64);
    let before = work.files();
    let told = work.fails(LINE);
    assert!(told.contains("vec_paths: duplicate document name 'RND_0064'"), "{told}");
    assert_eq!(work.files(), before);
    work.ok(&LINE.replace("64", "60"));
    let again = LINE
        .replace("vec_paths new_paths", "vec_paths more")
        .replace("vec_paths vec_paths", "vec_paths new_paths");
    let told = work.fails(&again);
    assert!(told.contains("duplicate document name 'RND_0064'"), "{told}");
}

#[test]
fn old_files_and_lists_are_not_replaced() {
    let work = prepared();
    let before: Vec<_> =
        work.files().into_iter().map(|name| (work.read_bytes(&name), name)).collect();
    let told = work.fails(&LINE.replace("vec_paths new_paths", "vec_paths vec_paths"));
    assert!(told.contains("vec_paths: is a file that this run reads (vec_paths)"), "{told}");
    // Files are called after their list: a list of the same name in another folder has the same files.
    work.write("other/keep", "");
    let same =
        LINE.replace("random", "vecs").replace("vec_paths new_paths", "vec_paths other/vec_paths");
    let told = work.fails(&same);
    assert!(told.contains("vecs/vec_paths-000001.vec: is a file that this run reads"), "{told}");
    std::fs::remove_dir_all(work.path("other")).unwrap();
    let after: Vec<_> =
        work.files().into_iter().map(|name| (work.read_bytes(&name), name)).collect();
    assert!(before == after);
}

#[test]
fn spoilt_collections_are_refused_without_a_trace() {
    let work = prepared();
    work.delete_manifests();
    let before = work.files();
    let list = work.read("vec_paths");
    for (spoilt, message) in [
        (
            list.replace("KOLEKCE 4", "KOLEKCE 5"),
            "vec_paths: expected 5 documents as in the header, found 4",
        ),
        (
            list.replace("SLOVNIKU 8", "SLOVNIKU 3"),
            "expected an index below the vocabulary's size 3",
        ),
        (
            list.replace("SLOVNIKU 8", "SLOVNIKU 0"),
            "expected an index below the vocabulary's size 0",
        ),
        (list.replace("-000001", "-000009"), "vec_paths:5: vecs/vec_paths-000009.vec: cannot open"),
        (
            list.replace("USING_TF_IDF", "USING"),
            "vec_paths:1: expected USING_TF, USING_TF_IDF or USING_WORD_WEIGHTS",
        ),
    ] {
        work.write("vec_paths", spoilt);
        let told = work.fails(LINE);
        assert!(told.contains(message), "{told}");
        assert_eq!(told.lines().count(), 1);
        std::fs::remove_dir(work.path("random")).ok();
        assert_eq!(work.files(), before);
    }
}

#[test]
fn a_vocabulary_without_terms_has_no_random_vectors() {
    let work = Work::new();
    work.write("vec_paths", "USING_TF\nVELIKOST_SLOVNIKU 0\nVELIKOST_KOLEKCE 1\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 1\none.vec\n");
    work.write("one.vec", "one:0\n");
    let told = work.fails(LINE);
    let expected = "vec_paths: expected a vocabulary with terms, found none";
    assert!(told.contains(expected), "{told}");
    assert_eq!(work.files(), ["one.vec", "vec_paths"]);
}

#[test]
fn lists_may_be_streams_and_the_last_line_counts() {
    let work = prepared();
    work.ok(LINE);
    let expected = work.read("new_paths").replace("new_paths-", "vec-");
    let streamed = LINE
        .replace("vec_paths vec_paths", "vec_paths -")
        .replace("vec_paths new_paths", "vec_paths -");
    let ran = work.run_with_input(&streamed, work.read("vec_paths").as_bytes());
    assert_eq!((ran.code, ran.stdout), (Some(0), expected), "{}", ran.stderr);
    check_manners(&work, LINE, "read 4 vectors, skipped 0, wrote 64 hyperplanes");
}
