//! create_vecs: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_required, check_spellings, check_usage,
    check_values,
};
use crate::common::{Work, gzip};

const LINE: &str =
    "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths";
const BOW_PATHS: &str = "VELIKOST_KOLEKCE 4\nbows/1\nbows/2\n";
/// Terms stand in another order than in the vocabulary, and `gone` is not in it.
const BOWS_1: &str = "a:4 rare:1 all:2 half:3 gone:9\nb%20c:2 half:1 all:1\nd:1 all:5\n";
const BOWS_2: &str = "e:2 gone:1 all:1\n";
/// Not in the order that create_voc gives: the position alone counts.
const VOC: &str = "VELIKOST_SLOVNIKU 3\nVELIKOST_KOLEKCE 4\nhalf 4 2\nall 9 4\nrare 1 1\n";

fn prepare(work: &Work) {
    work.write("bow_paths", BOW_PATHS);
    work.write("bows/1", BOWS_1);
    work.write("bows/2", BOWS_2);
    work.write("voc", VOC);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the list of VEC files that belongs to the bags above.
fn list(weighting: &str, ending: &str) -> String {
    format!(
        "{weighting}\nVELIKOST_SLOVNIKU 3\nVELIKOST_KOLEKCE 4\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 3\n\
         vecs/vec_paths-000001.vec{ending}\nvecs/vec_paths-000002.vec{ending}\n"
    )
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "create_vecs",
        "Weights the terms of each bag of words into a sparse vector",
        &[
            "bow_paths",
            "voc_name",
            "vec_dir",
            "vec_paths",
            "use_tf_only",
            "word_weights",
            "compress_vecs",
            "shard",
        ],
    );
    check_required(LINE, &["bow_paths", "voc_name", "vec_dir", "vec_paths"]);
    check_values(LINE, &[("threads", "two", "expected an integer from 0 to 1024")]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        prepare,
        &format!("{LINE} --use_tf_only --compress_vecs --threads 2 --verbose"),
    );
}

#[test]
fn components_are_tf_idf_by_ascending_position_in_the_vocabulary() {
    let work = prepared();
    work.ok(LINE);
    // 3 ln(4/2), ln(4/1), ln(4/2); ln(4/4) is 0 and not written.
    assert_eq!(
        work.read("vecs/vec_paths-000001.vec"),
        "a:2 0:2.0794415 2:1.3862944\nb%20c:1 0:0.6931472\nd:0\n"
    );
    assert_eq!(work.read("vecs/vec_paths-000002.vec"), "e:0\n");
    assert_eq!(work.read("vec_paths"), list("USING_TF_IDF", ""));
}

#[test]
fn use_tf_only_takes_the_counts() {
    let work = prepared();
    work.ok(&format!("{LINE} -use_tf_only"));
    assert_eq!(
        work.read("vecs/vec_paths-000001.vec"),
        "a:3 0:3 1:2 2:1\nb%20c:2 0:1 1:1\nd:1 1:5\n"
    );
    assert_eq!(work.read("vec_paths"), list("USING_TF", ""));
}

#[test]
fn word_weights_takes_logarithms_of_the_counts_whatever_the_vocabulary_says() {
    let work = prepared();
    work.ok(&format!("{LINE} -word_weights"));
    // In steps of 1/1024: 4/8·(1 + ln 3) is 1074 of them, 3/8·(1 + ln 2) is 650, 3/8·(1 + ln 5) is 1002. A term of all documents counts.
    assert_eq!(
        work.read("vecs/vec_paths-000001.vec"),
        "a:3 0:1.0488281 1:0.6347656 2:0.5\nb%20c:2 0:0.5 1:0.375\nd:1 1:0.9785156\n"
    );
    assert_eq!(work.read("vecs/vec_paths-000002.vec"), "e:1 1:0.375\n");
    assert_eq!(work.read("vec_paths"), list("USING_WORD_WEIGHTS", ""));
    let sigs = "create_sigs -vec_paths vec_paths -sig_len 64 -sig_dir sigs -sig_paths sig_paths";
    work.ok(sigs);
}

#[test]
fn word_weights_and_use_tf_only_exclude_each_other() {
    let told = prepared().refuses(&format!("{LINE} -word_weights -use_tf_only"));
    assert!(told.contains("--use_tf_only") && told.contains("--word_weights"), "{told}");
}

#[test]
fn compress_vecs_compresses_the_vec_files() {
    let work = prepared();
    work.ok(&format!("{LINE} -use_tf_only -compress_vecs"));
    assert_eq!(work.read("vec_paths"), list("USING_TF", ".gz"));
    let raw = std::fs::read(work.path("vecs/vec_paths-000002.vec.gz")).unwrap();
    assert_eq!(raw[..2], [0x1f, 0x8b]);
    assert_eq!(work.read("vecs/vec_paths-000002.vec.gz"), "e:1 1:1\n");
}

#[test]
fn a_list_whose_name_ends_in_gz_is_written_compressed() {
    let work = prepared();
    work.ok("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths list.gz");
    assert_eq!(std::fs::read(work.path("list.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert!(work.read("list.gz").ends_with("\nvecs/list-000001.vec\nvecs/list-000002.vec\n"));
}

#[test]
fn compressed_input_is_recognized_by_its_content() {
    let work = prepared();
    work.ok(LINE);
    let plain = work.read("vecs/vec_paths-000001.vec");
    let contents = [("bow_paths", BOW_PATHS), ("bows/1", BOWS_1), ("bows/2", BOWS_2), ("voc", VOC)];
    contents.iter().for_each(|(name, content)| work.write(name, gzip(content.as_bytes())));
    std::fs::remove_file(work.path("vecs/vec_paths-000001.vec")).unwrap();
    work.ok(LINE);
    assert_eq!(work.read("vecs/vec_paths-000001.vec"), plain);
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    let ran = work.run_with_input(
        "create_vecs -bow_paths - -voc_name voc -vec_dir vecs -vec_paths -",
        BOW_PATHS.as_bytes(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, list("USING_TF_IDF", "").replace("vec_paths-", "vec-"));
    let ran = work.run_with_input(
        "create_vecs -bow_paths bow_paths -voc_name - -vec_dir vecs -vec_paths vec_paths",
        VOC.as_bytes(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(work.read("vec_paths"), list("USING_TF_IDF", ""));
}

#[test]
fn a_closed_pipe_is_success() {
    let line = "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths -";
    check_closed_pipe(&prepared(), line);
}

#[test]
fn documents_without_a_term_of_the_vocabulary_are_counted_and_verbose_names_them() {
    let work = prepared();
    work.delete_manifests();
    work.write("voc", "VELIKOST_SLOVNIKU 1\nVELIKOST_KOLEKCE 4\nrare 1 1\n");
    let said = "create_vecs: 3 vectors are empty: no weighted term of the vocabulary";
    let ran = work.ok(LINE);
    assert_eq!(ran.stderr.lines().next(), Some(said));
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    assert_eq!(work.read("vecs/vec_paths-000001.vec"), "a:1 0:1.3862944\nb%20c:0\nd:0\n");
    let ran = work.ok(&format!("{LINE} -v"));
    for name in ["b c", "d", "e"] {
        let detail = format!("create_vecs: {name}: no weighted term of the vocabulary\n");
        assert!(ran.stderr.contains(&detail), "{}", ran.stderr);
    }
    assert!(!ran.stderr.contains(": a: "), "{}", ran.stderr);
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    check_manners(&prepared(), LINE, "read 4 bags of words, skipped 0, wrote 4 vectors");
}

#[test]
fn bags_and_vocabulary_of_different_collections_are_reported() {
    let work = prepared();
    let voc = VOC.replace("KOLEKCE 4", "KOLEKCE 5");
    let told = "error: voc: expected collection size 4 as in bow_paths, found 5";
    check_contents(&work, LINE, "voc", &[(voc.as_bytes(), told)]);
    assert!(!work.has("vec_paths"));
}

#[test]
fn errors_in_the_vocabulary_are_reported() {
    let twice = "VELIKOST_SLOVNIKU 2\nVELIKOST_KOLEKCE 4\nx 1 1\nx 1 1\n";
    check_contents(
        &prepared(),
        LINE,
        "voc",
        &[
            (twice.as_bytes(), "error: voc:4: duplicate term 'x' (first at voc:3)"),
            (b"x 1 1\n", "error: voc:1: expected 'VELIKOST_SLOVNIKU' and a number, found 'x 1 1'"),
        ],
    );
}

#[test]
fn errors_in_the_bags_are_reported() {
    let work = prepared();
    check_contents(
        &work,
        LINE,
        "bows/2",
        &[
            (b"e:2 all:1 all:1\n", "error: bows/2:1: expected distinct terms, found 'all'"),
            (
                b"e:1 all:1\nf:0\n",
                "error: bow_paths: expected 4 documents as in the header, found 5",
            ),
            (b"", "error: bow_paths: expected 4 documents as in the header, found 3"),
            (b"e:1 all\n", "error: bows/2:1: expected term:count, found 'all'"),
        ],
    );
    check_contents(
        &work,
        LINE,
        "bow_paths",
        &[(b"x\n", "bow_paths:1: expected 'VELIKOST_KOLEKCE'")],
    );
    assert_eq!(work.files(), ["bow_paths", "bows/1", "bows/2", "voc"], "nothing half is left");
}

#[test]
fn places_that_cannot_be_written_are_reported() {
    let work = prepared();
    let told = work.fails(
        "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir voc/vecs -vec_paths vec_paths",
    );
    assert!(told.contains("voc/vecs: cannot create the folder: "), "{told}");
    let told =
        work.fails("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths bows");
    assert!(told.contains("bows: cannot create: is a directory"), "{told}");
}

#[test]
fn the_vocabulary_of_another_collection_is_refused_with_both_values() {
    let work = prepared();
    work.write("voc", VOC.replace("half 4 2", "half 4 3"));
    let told = work.fails(LINE);
    let reason = "voc: expected document frequency of term 'half' 2 as in bow_paths, found 3";
    assert!(told.contains(reason), "{told}");
    assert!(!work.has("vec_paths") && !work.has("vecs/vec_paths-000001.vec"));
}

#[test]
fn standard_input_cannot_be_two_files() {
    let told = prepared().refuses(
        &LINE.replace("bow_paths bow_paths", "bow_paths -").replace("voc_name voc", "voc_name -"),
    );
    assert!(
        told.contains("only one of --bow_paths and --voc_name can be standard input"),
        "{told}"
    );
}
