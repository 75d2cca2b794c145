//! create_sigs: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_required, check_spellings, check_usage,
    check_values, truncated_gzip, with,
};
use crate::common::{Work, gzip};

const LINE: &str =
    "create_sigs --vec_paths vec_paths --sig_len 64 --sig_dir sigs --sig_paths sig_paths";
const SIGS: &str = "sigs/sig_paths-000001.sig";
const HEADER: &str =
    "USING_TF_IDF\nVELIKOST_SLOVNIKU 4\nVELIKOST_KOLEKCE 7\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 4\n";
const VEC_PATHS: &str = "USING_TF_IDF\nVELIKOST_SLOVNIKU 4\nVELIKOST_KOLEKCE 7\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 4\nvecs/1\nvecs/2\n";
/// `b` is `a` at twice the length, `against` its opposite; `nothing` has no direction.
const VECS_1: &str = "a:2 0:1 2:0.5\nc%20d:2 1:1.5 3:2\nb:2 0:2 2:1\nnothing:0\n";
const VECS_2: &str = "against:2 0:-1 2:-0.5\ne:1 3:0.1\nf:3 0:1 1:1 2:1\n";

fn prepare(work: &Work) {
    work.write("vec_paths", VEC_PATHS);
    work.write("vecs/1", VECS_1);
    work.write("vecs/2", VECS_2);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Documents of a vocabulary, all in one VEC file.
fn collection(terms: usize, vectors: &[String]) -> Work {
    let work = Work::new();
    let count = vectors.len();
    work.write(
        "vec_paths",
        format!(
            "USING_TF\nVELIKOST_SLOVNIKU {terms}\nVELIKOST_KOLEKCE {count}\n\
             POCET_ZAZNAMU_VE_VEC_SOUBORECH {count}\nvecs\n"
        ),
    );
    work.write("vecs", vectors.concat());
    work
}

/// Returns all signatures with their documents, as `hexsignature doc doc…`, in the order of the files.
fn signatures(work: &Work, list: &str) -> Vec<(String, Vec<String>)> {
    let list = work.read(list);
    let lines = list.lines().skip(3).flat_map(|path| {
        let file = work.read(path);
        file.lines().map(str::to_string).collect::<Vec<_>>()
    });
    lines.map(|line| signature(&line)).collect()
}

fn signature(line: &str) -> (String, Vec<String>) {
    let (hex, rest) = line.split_once(':').unwrap();
    let mut names = rest.split(' ').map(str::to_string);
    let stated: usize = names.next().unwrap().parse().unwrap();
    let names: Vec<String> = names.collect();
    assert_eq!(names.len(), stated, "{line}");
    (hex.to_string(), names)
}

/// Returns the signature of a document.
#[track_caller]
fn of(signatures: &[(String, Vec<String>)], name: &str) -> u128 {
    let found = signatures.iter().find(|(_, names)| names.iter().any(|known| known == name));
    u128::from_str_radix(&found.unwrap_or_else(|| panic!("{name} has no signature")).0, 16).unwrap()
}

/// What `LINE` and more flags write on the documents above.
#[track_caller]
fn signed_with(flags: &str) -> Vec<(String, Vec<String>)> {
    let work = prepared();
    work.ok(&format!("{LINE} {flags}"));
    signatures(&work, "sig_paths")
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "create_sigs",
        "Signs each vector",
        &[
            "vec_paths",
            "sig_len",
            "sig_dir",
            "sig_paths",
            "no_norm",
            "rnd_dist",
            "rnd_seed",
            "compress_sigs",
            "use_hdd",
            "compress_rnd_vecs",
            "shard",
            "below_zero_percent",
        ],
    );
    check_required(LINE, &["vec_paths", "sig_len", "sig_dir", "sig_paths"]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        prepare,
        &format!(
            "{LINE} --no_norm --rnd_dist gauss --rnd_seed 5 --compress_sigs --use_hdd 1 --compress_rnd_vecs \
             --below_zero_percent 20 --threads 2 --verbose"
        ),
    );
}

#[test]
fn wrong_values_are_refused() {
    let multiple = "expected a multiple of 4 of at most 16777216";
    let at_least_one = "expected an integer of at least 1";
    let below_half = "expected a percentage of at least 0 and below 50";
    check_values(
        LINE,
        &[
            ("sig_len", "10", multiple),
            ("sig_len", "16777220", multiple),
            ("sig_len", "0", at_least_one),
            ("sig_len", "-64", at_least_one),
            ("sig_len", "long", at_least_one),
            ("rnd_dist", "normal", "[possible values: gauss, levels]"),
            ("rnd_seed", "-1", "invalid digit"),
            ("rnd_seed", "seed", "invalid digit"),
            ("use_hdd", "0", at_least_one),
            ("use_hdd", "0.5", at_least_one),
            ("below_zero_percent", "50", below_half),
            ("below_zero_percent", "-1", below_half),
            ("below_zero_percent", "nan", below_half),
            ("below_zero_percent", "half", below_half),
            ("threads", "x", "expected an integer from 0 to 1024"),
        ],
    );
    let refusal = Work::new().refuses(&format!("{LINE} -compress_rnd_vecs"));
    assert!(refusal.contains("--use_hdd <MB>"), "{refusal}");
}

#[test]
fn the_list_counts_signed_documents_bits_and_different_signatures() {
    let work = prepared();
    work.ok(LINE);
    assert_eq!(
        work.read("sig_paths"),
        "VELIKOST_KOLEKCE 6\nDELKA_SIGNATUR_V_BITECH 64\nPOCET_RUZNYCH_SIGNATUR 5\n\
         sigs/sig_paths-000001.sig\nsigs/sig_paths-000002.sig\n"
    );
    assert_eq!(work.read(SIGS).lines().count(), 4, "as many in a file as vectors were");
    assert_eq!(work.read("sigs/sig_paths-000002.sig").lines().count(), 1);
}

#[test]
fn documents_with_the_same_signature_share_a_line_in_the_order_of_the_first() {
    let groups: Vec<Vec<String>> = signed_with("").into_iter().map(|(_, names)| names).collect();
    assert_eq!(groups, [vec!["a", "b"], vec!["c%20d"], vec!["against"], vec!["e"], vec!["f"]]);
}

#[test]
fn opposite_vectors_have_opposite_bits() {
    let signatures = signed_with("");
    assert_eq!(of(&signatures, "a") ^ of(&signatures, "against"), u128::from(u64::MAX));
}

#[test]
fn sig_len_is_the_number_of_bits_and_a_short_signature_begins_a_long_one() {
    let long = signed_with("").iter().map(|(hex, _)| hex.clone()).collect::<Vec<_>>();
    assert!(long.iter().all(|hex| hex.len() == 16), "{long:?}");
    for (bits, digits) in [(4, 1), (60, 15), (68, 17), (100, 25)] {
        let work = prepared();
        work.ok(&with(LINE, "sig_len", &bits.to_string()));
        let list = work.read("sig_paths");
        assert_eq!(list.lines().nth(1), Some(&*format!("DELKA_SIGNATUR_V_BITECH {bits}")));
        let found = signatures(&work, "sig_paths");
        for name in ["a", "c%20d", "against", "e", "f"] {
            let (hex, _) = found.iter().find(|(_, n)| n.iter().any(|n| n == name)).unwrap();
            assert_eq!(hex.len(), digits);
            assert!(hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')), "{hex}");
            let shared = digits.min(16);
            let at_64 = format!("{:016x}", of(&signed_with(""), name));
            assert_eq!(hex[..shared], at_64[..shared], "{name} at {bits}");
        }
    }
}

#[test]
fn the_seed_changes_the_bits_and_is_2007_by_default() {
    let default = signed_with("");
    assert_eq!(default, signed_with("-rnd_seed 2007"));
    let other = signed_with("-rnd_seed 2008");
    for name in ["a", "c%20d", "e", "f"] {
        assert_ne!(of(&default, name), of(&other, name), "{name}");
    }
    assert_ne!(other, signed_with("-rnd_seed 18446744073709551615"));
}

#[test]
fn no_norm_changes_no_bit() {
    for flags in ["", "-rnd_dist levels"] {
        assert_eq!(signed_with(flags), signed_with(&format!("{flags} -no_norm")));
    }
}

#[test]
fn only_the_direction_counts_however_large_the_components_are() {
    let vectors = ["huge:3 0:3e38 1:3e38 2:-3e38\n", "same:3 0:1 1:1 2:-1\n"].map(String::from);
    let work = collection(3, &vectors);
    for flags in ["", "-no_norm", "-rnd_dist levels", "-rnd_dist levels -no_norm"] {
        work.ok(&format!("{LINE} {flags}"));
        let signatures = signatures(&work, "sig_paths");
        assert_eq!(of(&signatures, "huge"), of(&signatures, "same"), "{flags}");
    }
}

#[test]
fn rnd_dist_is_gauss_by_default_and_levels_are_other_vectors() {
    assert_eq!(signed_with(""), signed_with("-rnd_dist gauss"));
    let (gauss, levels) = (signed_with(""), signed_with("-rnd_dist levels"));
    for name in ["a", "c%20d", "e", "f"] {
        assert_ne!(of(&gauss, name), of(&levels, name), "{name}");
    }
    assert_eq!(of(&levels, "a"), of(&levels, "b"));
    let other = signed_with("-rnd_dist levels -rnd_seed 2008");
    assert_ne!(of(&levels, "f"), of(&other, "f"));
}

#[test]
fn a_short_signature_of_levels_begins_a_long_one() {
    let long = format!("{:016x}", of(&signed_with("-rnd_dist levels"), "f"));
    for bits in [4, 36, 60] {
        let work = prepared();
        work.ok(&with(&format!("{LINE} -rnd_dist levels"), "sig_len", &bits.to_string()));
        let short = of(&signatures(&work, "sig_paths"), "f");
        assert_eq!(format!("{short:0width$x}", width = bits / 4), long[..bits / 4]);
    }
}

#[test]
fn levels_have_no_vectors_to_keep_or_to_draw_again() {
    for flags in ["-use_hdd 1", "-use_hdd 1 -compress_rnd_vecs", "-below_zero_percent 10"] {
        let refusal = prepared().refuses(&format!("{LINE} -rnd_dist levels {flags}"));
        assert!(refusal.contains("needs --rnd_dist gauss"), "{refusal}");
    }
}

#[test]
fn levels_count_the_vectors_with_few_effective_terms() {
    let vector = |name: &str, weights: &[u32]| {
        let items = weights.iter().enumerate().map(|(at, weight)| format!(" {at}:{weight}"));
        format!("{name}:{}{}\n", weights.len(), items.collect::<String>())
    };
    let lines = [
        vector("eight", &[1; 8]),
        vector("sev%20en", &[1; 7]),
        // (Σw²)² / Σw⁴ = 119² / 10,019: one large weight outweighs the others.
        vector("leaning", &[&[10][..], &[1; 19]].concat()),
        vector("nothing", &[]),
    ];
    let work = collection(20, &lines);
    let told = work.ok(&format!("{LINE} -rnd_dist levels")).stderr;
    assert!(
        told.starts_with("create_sigs: 2 vectors have fewer than 8 effective terms: "),
        "{told}"
    );
    let told = work.ok(&format!("{LINE} -rnd_dist levels -v")).stderr;
    assert!(told.contains("create_sigs: sev en: fewer than 8 effective terms\n"), "{told}");
    assert!(told.contains("create_sigs: leaning: fewer than 8 effective terms\n"), "{told}");
    assert!(!told.contains("eight: ") && !told.contains("nothing: fewer"), "{told}");
    assert_eq!(work.ok(LINE).stderr.lines().count(), 1, "normal numbers need no warning");
}

#[test]
fn compress_sigs_compresses_the_sig_files() {
    let work = prepared();
    work.ok(&format!("{LINE} -compress_sigs"));
    assert!(
        work.read("sig_paths")
            .ends_with("\nsigs/sig_paths-000001.sig.gz\nsigs/sig_paths-000002.sig.gz\n")
    );
    let raw = std::fs::read(work.path("sigs/sig_paths-000001.sig.gz")).unwrap();
    assert_eq!(raw[..2], [0x1f, 0x8b]);
    assert_eq!(signatures(&work, "sig_paths"), signed_with(""));
}

#[test]
fn a_list_whose_name_ends_in_gz_is_written_compressed() {
    let work = prepared();
    work.ok(&with(LINE, "sig_paths", "list.gz"));
    assert_eq!(std::fs::read(work.path("list.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(signatures(&work, "list.gz"), signed_with(""));
}

#[test]
fn compressed_input_is_recognized_by_its_content() {
    let work = Work::new();
    work.write("vec_paths", gzip(VEC_PATHS.as_bytes()));
    work.write("vecs/1", gzip(VECS_1.as_bytes()));
    work.write("vecs/2", VECS_2);
    work.ok(LINE);
    assert_eq!(signatures(&work, "sig_paths"), signed_with(""));
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    let ran = work.run_with_input(
        "create_sigs -vec_paths - -sig_len 64 -sig_dir sigs -sig_paths -",
        VEC_PATHS.as_bytes(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("\nsigs/sig-000001.sig\nsigs/sig-000002.sig\n"), "{}", ran.stdout);
    work.write("list", ran.stdout);
    assert_eq!(signatures(&work, "list"), signed_with(""));
}

#[test]
fn a_closed_pipe_is_success() {
    check_closed_pipe(
        &prepared(),
        "create_sigs -vec_paths vec_paths -sig_len 64 -sig_dir s -sig_paths -",
    );
}

/// Documents over a vocabulary so large that one megabyte holds a fraction of the random vectors.
fn large_vocabulary() -> Work {
    let vector = |document: usize| {
        let components = (0..50).map(|n| format!(" {}:{}", n * 199 + document, n % 7 + 1));
        format!("d{document}:50{}\n", components.collect::<String>())
    };
    collection(10_000, &(0..20).map(vector).collect::<Vec<_>>())
}

#[test]
fn use_hdd_gives_the_same_bits_and_leaves_no_random_vectors_behind() {
    let work = large_vocabulary();
    let line = with(LINE, "sig_len", "192");
    work.ok(&line);
    let (list, sigs, files) = (work.read("sig_paths"), work.read(SIGS), work.files());
    for flags in ["-use_hdd 1", "-use_hdd 4", "-use_hdd 100", "-use_hdd 1 -compress_rnd_vecs"] {
        std::fs::remove_file(work.path(SIGS)).unwrap();
        work.ok(&format!("{line} {flags}"));
        assert_eq!(
            (work.read("sig_paths"), work.read(SIGS)),
            (list.clone(), sigs.clone()),
            "{flags}"
        );
        assert_eq!(work.files(), files, "{flags}");
    }
}

#[test]
fn use_hdd_may_allow_more_memory_than_there_could_be() {
    let work = prepared();
    work.ok(LINE);
    let plain = work.read(SIGS);
    work.ok(&format!("{LINE} -use_hdd 18446744073709551615"));
    assert_eq!(work.read(SIGS), plain);
}

#[test]
fn use_hdd_with_too_little_memory_for_a_vector_is_reported() {
    let work = collection(1_000_000, &["a:1 0:1\n".to_string()]);
    let told = work.fails(&format!("{} -use_hdd 1", with(LINE, "sig_len", "4")));
    let expected = "error: --use_hdd 1: hyperplanes of 1000000 components need at least 2 MB";
    assert!(told.contains(expected), "{told}");
    assert!(!work.has("sig_paths"));
}

/// Returns the signs of each random vector's components, read off documents that have one term each.
fn signs(terms: usize, flags: &str) -> Vec<Vec<bool>> {
    let vectors: Vec<String> = (0..terms).map(|term| format!("d{term}:1 {term}:1\n")).collect();
    let work = collection(terms, &vectors);
    work.ok(&format!("{LINE} {flags}"));
    let signatures = signatures(&work, "sig_paths");
    let sign = |term: usize, bit: usize| of(&signatures, &format!("d{term}")) >> bit & 1 == 1;
    (0..64).map(|bit| (0..terms).map(|term| sign(term, bit)).collect()).collect()
}

#[test]
fn below_zero_percent_draws_unbalanced_vectors_again_and_no_others() {
    // More than 30 % of five components are at least two.
    let balanced = |signs: &Vec<bool>| (2..=3).contains(&signs.iter().filter(|s| **s).count());
    let (plain, redrawn) = (signs(5, ""), signs(5, "-below_zero_percent 30"));
    assert!(plain.iter().any(|signs| !balanced(signs)), "nothing had to be drawn again");
    for (before, after) in plain.iter().zip(&redrawn) {
        assert!(balanced(after), "{after:?}");
        assert!(!balanced(before) || before == after, "{before:?} became {after:?}");
    }
}

#[test]
fn below_zero_percent_needs_more_than_its_share() {
    // With four components, more than 25 % of each sign means two of each.
    let two_of_each = |signs: &Vec<bool>| signs.iter().filter(|sign| **sign).count() == 2;
    assert!(signs(4, "-below_zero_percent 25").iter().all(two_of_each));
    let one_of_each = signs(4, "-below_zero_percent 24.9");
    assert!(!one_of_each.iter().all(two_of_each), "one of four is more than 24.9 %");
}

#[test]
fn below_zero_percent_works_with_use_hdd() {
    let signed = |flags: &str| signed_with(&format!("-below_zero_percent 30 {flags}"));
    assert_eq!(signed(""), signed("-use_hdd 1"));
}

#[test]
fn a_balance_that_cannot_be_reached_is_reported() {
    let work = collection(1, &["a:1 0:1\n".to_string()]);
    let told = work.fails(&format!("{LINE} -below_zero_percent 10"));
    let expected =
        "error: below_zero_percent 10: no such random vector of 1 components in 1000 draws";
    assert!(told.contains(expected), "{told}");
    assert!(!work.has("sig_paths"));
}

#[test]
fn verbose_names_the_documents_without_components() {
    let work = prepared();
    work.write("vecs/1", VECS_1.replace("nothing", "no%20thing"));
    assert_eq!(work.ok(LINE).stderr.lines().count(), 1);
    let ran = work.ok(&format!("{LINE} -v"));
    let mut told = ran.stderr.lines().filter(|line| line.contains("no thing"));
    assert_eq!(told.next(), Some("create_sigs: no thing: no components, no signature"));
    assert_eq!(told.next(), None);
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    check_manners(
        &prepared(),
        LINE,
        "read 7 vectors, skipped 1 without components, wrote 5 distinct signatures",
    );
}

#[test]
fn a_collection_without_any_component_has_no_signature() {
    let work = collection(0, &["a:0\n".to_string()]);
    work.ok(LINE);
    assert_eq!(
        work.read("sig_paths"),
        "VELIKOST_KOLEKCE 0\nDELKA_SIGNATUR_V_BITECH 64\nPOCET_RUZNYCH_SIGNATUR 0\n"
    );
}

#[test]
fn errors_in_the_list_are_reported() {
    let weighting =
        "error: vec_paths:1: expected USING_TF, USING_TF_IDF or USING_WORD_WEIGHTS, found ";
    let files = "vecs/1\nvecs/2\n";
    let with_line = |number: usize, line: &str| {
        let mut lines: Vec<&str> = HEADER.lines().collect();
        lines[number - 1] = line;
        format!("{}\n{files}", lines.join("\n")).into_bytes()
    };
    check_contents(
        &prepared(),
        LINE,
        "vec_paths",
        &[
            (b"", &format!("{weighting}''")),
            (&with_line(1, "USING_IDF"), &format!("{weighting}'USING_IDF'")),
            (b"\xff\n", &format!("{weighting}'bytes that are not UTF-8'")),
            (
                &with_line(2, "x"),
                "vec_paths:2: expected 'VELIKOST_SLOVNIKU' and a number, found 'x'",
            ),
            (
                &with_line(3, "x"),
                "vec_paths:3: expected 'VELIKOST_KOLEKCE' and a number, found 'x'",
            ),
            (
                &with_line(4, "POCET_ZAZNAMU_VE_VEC_SOUBORECH x"),
                "vec_paths:4: expected 'POCET_ZAZNAMU_VE_VEC_SOUBORECH' and a number, found 'POCET_",
            ),
            (
                &with_line(3, "VELIKOST_KOLEKCE 8"),
                "error: vec_paths: expected 8 documents as in the header, found 7 (truncated or mixed files?)",
            ),
            (
                &with_line(4, "POCET_ZAZNAMU_VE_VEC_SOUBORECH 3"),
                "error: vec_paths: expected 3 records per file as in the header, found 4",
            ),
            (format!("{HEADER}vecs/3\n").as_bytes(), "error: vec_paths:5: vecs/3: cannot open: "),
        ],
    );
    let told = Work::new().fails(LINE);
    assert!(told.starts_with("create_sigs: error: vec_paths: cannot open: "), "{told}");
}

#[test]
fn errors_in_a_vector_name_the_line() {
    let work = prepared();
    check_contents(
        &work,
        LINE,
        "vecs/2",
        &[
            (b"e\n", "error: vecs/2:1: expected name:nonzeros, found 'e'"),
            (b"e:x 0:1\n", "vecs/2:1: expected name:nonzeros, found 'x'"),
            (b"e%zz:1 0:1\n", "vecs/2:1: expected a name with %XX escapes, found 'e%zz'"),
            (b"e:1 0\n", "vecs/2:1: expected index:value, found '0'"),
            (b"e:1 x:1\n", "vecs/2:1: expected index:value, found 'x'"),
            (b"e:1 -1:1\n", "vecs/2:1: expected index:value, found '-1'"),
            (b"e:1 0:one\n", "vecs/2:1: expected index:value, found 'one'"),
            (b"e:0\ne:2 1:1 1:2\n", "vecs/2:2: expected ascending indexes, found '1:2'"),
            (b"e:2 2:1 1:2\n", "vecs/2:1: expected ascending indexes, found '1:2'"),
            (
                b"e:1 4:1\n",
                "vecs/2:1: expected an index below the vocabulary's size 4 (another vocabulary?), found '4:1'",
            ),
            (b"e:1 0:inf\n", "vecs/2:1: expected a finite value, found '0:inf'"),
            (b"e:1 0:nan\n", "vecs/2:1: expected a finite value, found '0:nan'"),
            (b"e:1 0:1e39\n", "vecs/2:1: expected a finite value, found '0:1e39'"),
            (b"e:2 0:1\n", "vecs/2:1: expected 2 components, found '1'"),
            (
                b"e:1 0:1",
                "vecs/2:1: expected a newline at the end of the line, found the end of the file",
            ),
            (b"e\xff:0\n", "vecs/2:1: expected UTF-8, found 'e"),
            (&truncated_gzip(b"e:0\n"), "expected readable data, found "),
        ],
    );
    assert_eq!(work.files(), ["vec_paths", "vecs/1", "vecs/2"], "nothing half is left");
}

#[test]
fn a_vocabulary_larger_than_any_is_an_error() {
    let work = collection(usize::MAX, &["a:1 0:1\n".to_string()]);
    for flags in ["", "-use_hdd 1", "-below_zero_percent 10"] {
        let told = work.fails(&format!("{LINE} {flags}"));
        assert!(told.starts_with("create_sigs: error: ") && told.lines().count() == 1, "{told}");
    }
}
