//! compare_results after the whole pipeline: awkward names, numbered collections, documents without words.

use crate::common::Work;

/// Awkward names and how they are written in files.
const NAMES: [(&[u8], &str); 12] = [
    (b"plain.txt", "plain.txt"),
    (b"with space", "with%20space"),
    (b" edges ", "%20edges%20"),
    (b"colon:95.5", "colon%3A95.5"),
    (b"paren(1)(2 3)", "paren%281%29%282%203%29"),
    (b"100%", "100%25"),
    (b"a%20b", "a%2520b"),
    (b"tab\there", "tab%09here"),
    (b"-dash", "-dash"),
    ("sub dir/kůň.txt".as_bytes(), "sub%20dir/kůň.txt"),
    ("no\u{a0}break".as_bytes(), "no%C2%A0break"),
    (b"bell\x07", "bell%07"),
];

/// Returns a collection of awkward names, and how they are written.
fn awkward() -> (Work, Vec<String>) {
    let mut names = NAMES.map(|(raw, written)| (raw.to_vec(), written.to_string())).to_vec();
    if cfg!(unix) {
        names.push((b"invalid\xff\xc5".to_vec(), "invalid%FF%C5".to_string()));
    }
    let work = Work::new();
    for (number, (raw, _)) in names.iter().enumerate() {
        // The second half of each text is its own, and two neighbours are the same.
        let own = number / 2;
        work.write(path(raw), format!("common words here own{own} and{own} so{own}"));
    }
    let list: Vec<&[u8]> = names.iter().map(|(raw, _)| raw.as_slice()).collect();
    work.write("doc_list", list.join(&b'\n'));
    (work, names.into_iter().map(|(_, written)| written).collect())
}

#[cfg(unix)]
fn path(raw: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(raw).into()
}

#[cfg(not(unix))]
fn path(raw: &[u8]) -> std::path::PathBuf {
    String::from_utf8(raw.to_vec()).unwrap().into()
}

/// Searches with all documents as the sample, and returns the comparisons of the exact result with both others.
#[track_caller]
fn search_and_compare(work: &Work, flags: &str, compare_flags: &str) -> [String; 2] {
    let sample = format!("-threshold 0 -sample_list doc_list --lines {flags}");
    work.ok(&format!("similarity -vec_paths vec_paths -out sim {sample}"));
    work.ok(&format!("hamming_full -sig_paths sig_paths -out full {sample}"));
    work.ok(&format!("hamming -sig_paths sig_paths -out pleb -iter_count 2 -beam 99 {sample}"));
    ["full", "pleb"].map(|ham| {
        work.ok(&format!("compare_results -sim sim -ham {ham} -out out {compare_flags}"));
        work.read("out")
    })
}

#[test]
fn awkward_names_survive_the_pipeline() {
    let (work, written) = awkward();
    work.chain(64);
    let [full, pleb] = search_and_compare(&work, "", "");
    assert_eq!(full, pleb);
    let (blocks, _) = full.split_once("\nSummary:\n").unwrap();
    let mut blocks = blocks.split("Results for ").skip(1);
    for name in &written {
        let mut lines = blocks.next().unwrap().lines();
        assert_eq!(lines.next(), Some(&*format!("{name}:")));
        let others: Vec<&str> = lines.map(|line| line.split(' ').next().unwrap()).collect();
        let expected: Vec<&String> = written.iter().filter(|other| *other != name).collect();
        assert_eq!(others, expected, "{name}");
    }
    assert_eq!(blocks.next(), None);
}

#[test]
fn numbered_collections_give_the_same_comparison() {
    let (work, _) = awkward();
    work.chain(64);
    let named = search_and_compare(&work, "", "");
    work.ok(
        "create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows -id_file ids.gz",
    );
    work.ok("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths");
    work.ok("create_sigs -vec_paths vec_paths -sig_len 64 -sig_dir sigs -sig_paths sig_paths");
    let numbered = search_and_compare(&work, "-id_file ids.gz", "-id_file ids.gz");
    assert!(work.read("sim").starts_with("1:2:100:3:"), "numbers stand for names");
    assert_eq!(numbered, named);
}

/// Searches for an empty document among others with this sample, in a collection that is numbered or not, and compares.
#[track_caller]
fn compare_with_empty_document(sample: &str, ids: bool) {
    let work = Work::new();
    work.collection(&[("one", "a b c d"), ("no words", ""), ("two", "a b c e")]);
    work.chain(64);
    if ids {
        work.ok("create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows -id_file ids");
        work.ok(
            "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths",
        );
        work.ok("create_sigs -vec_paths vec_paths -sig_len 64 -sig_dir sigs -sig_paths sig_paths");
    }
    let ids = if ids { "-id_file ids" } else { "" };
    work.write("sample", sample);
    let flags = format!("-threshold 0 -sample_list sample --lines {ids}");
    work.ok(&format!("similarity -vec_paths vec_paths -out sim {flags}"));
    work.ok(&format!("hamming_full -sig_paths sig_paths -out ham {flags}"));
    work.ok(&format!("compare_results -sim sim -ham ham -out out {ids}"));
    let out = work.read("out");
    assert!(out.contains("\nResults for no%20words:\n"), "{out}");
}

#[test]
fn an_empty_document_in_the_sample_is_compared_by_its_name() {
    compare_with_empty_document("one\nno words\n", false);
}

#[test]
fn an_empty_document_in_the_sample_may_have_an_encoded_name() {
    compare_with_empty_document("one\nno%20words\n", false);
}

#[test]
fn an_empty_document_in_the_sample_of_a_numbered_collection_is_compared() {
    compare_with_empty_document("one\nno words\n", true);
}
