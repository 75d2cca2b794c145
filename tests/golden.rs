//! Compares each file format with the files of `tests/golden/`, byte for byte.
//!
//! Five short documents go through the pipeline with fixed parameters: one is a copy of another, one is empty, one has a name that needs escapes.
//! The files can be checked by hand. Some of the numbers, with N = 5 documents:
//!
//! - `the` occurs six times in four documents, so its idf is ln(5/4) = 0.2231436; `mat` occurs in two: ln(5/2) = 0.9162907.
//! - By tf_idf, `mat.txt` has norm √(2 · 0.2231436² + 0.4462871² + 0.5108256² + 0.9162907²) = 1.18291, and `dog.txt`
//!   √(3 · 0.2231436² + 3 · 1.609438²) = 2.81429. Their cosine is 4 · 0.2231436² / (1.18291 · 2.81429) = 0.059828.
//! - By tf and the reduced vocabulary, `mat.txt` is (1, 1, 2, 1, 1), the escaped one (1, 1, 1, 1, 0) and `dog.txt` (1, 1, 1, 0, 0): cosines
//!   5 / (√8 · 2) = 0.883883, 3 / (2 · √3) = 0.866025 and 4 / (√8 · √3) = 0.816497.
//! - PLEB with a beam of 1 misses a pair that `hamming_full` finds, so the comparison has lines of every kind. Both
//!   sides have 86.60254 against 84.375 twice and 100 against 100: L1 = 2 · 2.22754 / 3 = 1.485027.
//!
//! After a deliberate change of a format: `NEARSIG_RENEW_GOLDEN=1 cargo test --test tests golden`.

use std::path::PathBuf;

use crate::common::Work;

/// Environment variable that rewrites the golden files.
const RENEW: &str = "NEARSIG_RENEW_GOLDEN";

const DOCUMENTS: [(&str, &str); 5] = [
    ("texts/mat.txt", "the cat sat on the mat\n"),
    ("texts/copy.txt", "the cat sat on the mat\n"),
    ("texts/empty.txt", ""),
    ("texts/a b:(1) 50%.txt", "the cat sat on http://x:8 in 2007\n"),
    ("texts/dog.txt", "a dog sat on the log\n"),
];

/// Not in document order, with an empty line and the name that needs escapes.
const SAMPLE: &str = "texts/dog.txt\n\ntexts/a b:(1) 50%.txt\ntexts/empty.txt\ntexts/copy.txt\n";

const COMMANDS: [&str; 21] = [
    "create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows",
    "create_bows -doc_list doc_list --lines -bow_paths num_paths -bow_dir bows -id_file ids -shingle_size 2 -save_nums",
    "create_voc -bow_paths bow_paths -voc_name voc",
    "reduce_voc -old_voc_name voc -new_voc_name voc_reduced -min_df 2 -max_df 4",
    "create_vecs -bow_paths bow_paths -voc_name voc_reduced -vec_dir vecs -vec_paths tf_paths -use_tf_only",
    "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths tf_idf_paths",
    "create_sigs -vec_paths tf_paths -sig_len 64 -sig_dir sigs -sig_paths sig_paths",
    "similarity -vec_paths tf_idf_paths -out sim -threshold 5",
    "similarity -vec_paths tf_paths -out sim_sample -threshold 85 -sample_list sample_list --lines",
    "hamming -sig_paths sig_paths -out ham -threshold 50 -iter_count 2 -beam 1 -sample_list sample_list --lines",
    "hamming_full -sig_paths sig_paths -out ham_full -threshold 50",
    "hamming_full -sig_paths sig_paths -out ham_sample -threshold 50 -sample_list sample_list --lines",
    "compare_results -sim sim_sample -ham ham -out compared -summary summary.csv \
     -threshold_sim 85 -threshold_ham 76 -sig_len 64",
    "analyze_rnd_vecs_quality -sig_len 64 -vec_paths tf_idf_paths -out quality.csv -below_zero_percent 20",
    "implant_rnd_vecs -vec_paths tf_paths -sig_len 4 -vec_dir vecs -new_vec_paths rnd_paths -sample_list_out rnd_names",
    "similarity -vec_paths rnd_paths -out sim_rnd -threshold 0 -sample_list rnd_names",
    "extract_similarities -result sim_rnd -out extracted",
    "extract_similarities -result sim_rnd -out shares --positive_share -collection_size 4 -leave_out rnd_names",
    "create_prints -doc_list doc_list --lines -method minhash -shingle_size 2 -hashes 8 -groups 4 -print_dir prints -print_paths print_paths",
    "create_prints -doc_list doc_list --lines -method imatch_random -min_idf 0 -max_idf 1 -min_terms 1 -print_dir prints -print_paths imatch_paths",
    "match_prints -print_paths print_paths -out pairs.tsv",
];

/// The same comparison with a JSON summary.
const AS_JSON: &str = "compare_results -sim sim_sample -ham ham -out compared -summary summary.json \
                       -threshold_sim 85 -threshold_ham 76 -sig_len 64";

/// Golden files and the outputs they are compared with.
const FILES: [(&str, &str); 30] = [
    ("bow", "bows/bow_paths-000001.bow"),
    ("bow_paths", "bow_paths"),
    ("bow_of_shingles", "bows/num_paths-000001.bow"),
    ("id_file", "ids"),
    ("voc", "voc"),
    ("voc_reduced", "voc_reduced"),
    ("vec_tf", "vecs/tf_paths-000001.vec"),
    ("vec_tf_paths", "tf_paths"),
    ("vec_tf_idf", "vecs/tf_idf_paths-000001.vec"),
    ("vec_tf_idf_paths", "tf_idf_paths"),
    ("sig", "sigs/sig_paths-000001.sig"),
    ("sig_paths", "sig_paths"),
    ("similarity", "sim"),
    ("similarity_of_sample", "sim_sample"),
    ("hamming_of_sample", "ham"),
    ("hamming_full", "ham_full"),
    ("hamming_full_of_sample", "ham_sample"),
    ("compare_results", "compared"),
    ("summary.csv", "summary.csv"),
    ("summary.json", "summary.json"),
    ("rnd_vecs_quality.csv", "quality.csv"),
    ("vec_of_rnd", "vecs/rnd_paths-000001.vec"),
    ("vec_of_rnd_paths", "rnd_paths"),
    ("rnd_names", "rnd_names"),
    ("extracted_similarities", "extracted"),
    ("extracted_shares", "shares"),
    ("print", "prints/print_paths-000001.print"),
    ("print_paths", "print_paths"),
    ("print_of_lexicons", "prints/imatch_paths-000001.print"),
    ("pairs_of_prints.tsv", "pairs.tsv"),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Runs the whole pipeline.
fn run_chain() -> Work {
    let work = Work::new();
    work.collection(&DOCUMENTS);
    work.write("sample_list", SAMPLE);
    COMMANDS.iter().chain([&AS_JSON]).for_each(|line| {
        work.ok(line);
    });
    work
}

/// Returns the differing lines between the common beginning and the common end of two files.
fn difference(kept: &str, made: &str) -> String {
    let kept: Vec<&str> = kept.split_inclusive('\n').collect();
    let made: Vec<&str> = made.split_inclusive('\n').collect();
    let same_start = kept.iter().zip(&made).take_while(|(k, m)| k == m).count();
    let (kept, made) = (&kept[same_start..], &made[same_start..]);
    let same_end = kept.iter().rev().zip(made.iter().rev()).take_while(|(k, m)| k == m).count();
    let show = |sign: char, lines: &[&str]| {
        let line = |line: &&str| format!("  {sign} {}\n", line.escape_debug());
        lines[..lines.len() - same_end].iter().map(line).collect::<String>()
    };
    format!("  from line {}:\n{}{}", same_start + 1, show('-', kept), show('+', made))
}

#[test]
fn every_format_is_as_it_was() {
    let work = run_chain();
    let mut differences = String::new();
    for (kept_name, made_name) in FILES {
        let (kept_path, made) = (folder().join(kept_name), work.read(made_name));
        if std::env::var_os(RENEW).is_some_and(|value| value == "1") {
            std::fs::write(&kept_path, made).unwrap();
            continue;
        }
        let kept =
            std::fs::read(&kept_path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match kept {
            Ok(kept) if kept == made => {}
            Ok(kept) => {
                differences += &format!("tests/golden/{kept_name} {}", difference(&kept, &made));
            }
            Err(error) => differences += &format!("tests/golden/{kept_name}: {error}\n"),
        }
    }
    assert!(
        std::env::var_os(RENEW).is_none(),
        "the golden files were renewed: read `git diff tests/golden`, then test again without {RENEW}"
    );
    assert!(
        differences.is_empty(),
        "kept files (-) and what the chain makes now (+) differ:\n{differences}\
         If this is meant, renew them with {RENEW}=1 and read their `git diff`."
    );
}

#[test]
fn no_kept_file_is_forgotten() {
    let listed = |name: &String| FILES.iter().any(|(kept, _)| kept == name);
    let entries = std::fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let forgotten: Vec<String> =
        names.filter(|name| name != ".gitattributes").filter(|name| !listed(name)).collect();
    assert_eq!(forgotten, [""; 0]);
}

#[test]
fn a_difference_shows_the_lines_that_changed() {
    let shown = difference("same\nold\nlast\n", "same\nnew\nand more\nlast\n");
    assert_eq!(shown, "  from line 2:\n  - old\\n\n  + new\\n\n  + and more\\n\n");
    assert_eq!(difference("a\n", "a"), "  from line 1:\n  - a\\n\n  + a\n");
}
