//! hamming_full: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_sample_flags, check_spellings, check_usage, check_values, truncated_gzip, with,
};
use crate::common::{Work, gzip};

const LINE: &str = "hamming_full --sig_paths sig_paths --out out --threshold 80";
const SIG_PATHS: &str =
    "VELIKOST_KOLEKCE 7\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR 4\nsigs/1\nsigs/2\n";
/// Distances: 1 between neighbours of the first three, 2 from the first to the third, 6 and more to the last.
const SIGS_1: &str = "00:3 a b%20c d\n01:1 e\n";
const SIGS_2: &str = "03:2 f g\nff:1 h\n";

fn prepare(work: &Work) {
    work.write("sig_paths", SIG_PATHS);
    work.write("sigs/1", SIGS_1);
    work.write("sigs/2", SIGS_2);
    work.write("sample", "g b%20c h");
    work.write("ids", "1 g\n");
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the result of `LINE` with another threshold.
#[track_caller]
fn found(work: &Work, threshold: &str) -> String {
    work.ok(&with(LINE, "threshold", threshold));
    work.read("out")
}

/// Returns the result with a sample.
#[track_caller]
fn found_for(sample: impl AsRef<[u8]>, flags: &str) -> String {
    let work = prepared();
    work.write("sample", sample);
    work.ok(&format!("{LINE} -sample_list sample {flags}"));
    work.read("out")
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "hamming_full",
        "Finds every pair of documents with similar signatures",
        &["sig_paths", "out", "threshold", "method", "sample_list", "lines", "id_file", "shard"],
    );
    check_required(LINE, &["sig_paths", "out", "threshold"]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        prepare,
        &format!("{LINE} --sample_list sample --id_file ids --threads 2 --quiet"),
    );
    check_spellings(
        |work| {
            prepare(work);
            work.write("sample", "b c\n");
        },
        &format!("{LINE} --sample_list sample --lines --verbose"),
    );
}

#[test]
fn both_spellings_of_the_threshold_are_understood() {
    let work = prepared();
    let expected = found(&work, "80");
    for spelled in ["-treshold 80", "--treshold=80"] {
        std::fs::remove_file(work.path("out")).unwrap();
        work.ok(&format!("hamming_full -sig_paths sig_paths -out out {spelled}"));
        assert_eq!(work.read("out"), expected, "{spelled}");
    }
}

#[test]
fn wrong_values_are_refused() {
    check_values(
        LINE,
        &[
            ("threshold", "120", "120 is beyond 100 percent"),
            ("threshold", "abc", "'abc' is not a percentage such as 95 or 79.5"),
            ("threshold", "0.1234567890123456", "has more than 15 decimals"),
            ("method", "both", "possible values: auto, join, scan"),
            ("threads", "x", "expected an integer from 0 to 1024"),
        ],
    );
    check_sample_flags(LINE);
}

#[test]
fn ninety_five_per_cent_of_1024_bits_allow_51_that_differ() {
    let zeros = |count| "0".repeat(count);
    let work = Work::new();
    let (differ_51, differ_52) = (format!("{}7", "f".repeat(12)), "f".repeat(13));
    work.write(
        "sigs",
        format!(
            "{}:1 base\n{differ_51}{}:1 d51\n{}{differ_52}:1 d52\n",
            zeros(256),
            zeros(243),
            zeros(243)
        ),
    );
    let list = "VELIKOST_KOLEKCE 3\nDELKA_SIGNATUR_V_BITECH 1024\nPOCET_RUZNYCH_SIGNATUR 3\nsigs\n";
    work.write("sig_paths", list);
    let only_51 = "base:d51:95.01953125\nd51:base:95.01953125\n";
    assert_eq!(found(&work, "95"), only_51);
    assert_eq!(found(&work, "95.01953125"), only_51);
    assert_eq!(found(&work, "95.01953126"), "");
    let both = "base:d51:95.01953125:d52:94.921875\nd51:base:95.01953125\nd52:base:94.921875\n";
    assert_eq!(found(&work, "94.921875"), both);
    assert_eq!(found(&work, "94.921875000000001"), only_51);
}

#[test]
fn documents_that_share_a_signature_form_a_group() {
    let work = prepared();
    assert_eq!(found(&work, "80"), "a(b%20c d):e:87.5\ne:a(b%20c d):87.5:f(g):87.5\nf(g):e:87.5\n");
    assert_eq!(found(&work, "100"), "a(b%20c d)\nf(g)\n", "a group is similar to itself");
}

#[test]
fn threshold_zero_lists_every_pair() {
    let work = prepared();
    let everything = "a(b%20c d):e:87.5:f(g):75:h:0\n\
                      e:a(b%20c d):87.5:f(g):87.5:h:12.5\n\
                      f(g):a(b%20c d):75:e:87.5:h:25\n\
                      h:a(b%20c d):0:e:12.5:f(g):25\n";
    assert_eq!(found(&work, "0"), everything);
    work.ok("hamming_full -sig_paths sig_paths -out out -threshold -5");
    assert_eq!(work.read("out"), everything);
    assert!(!found(&work, "0.000001").contains("h:a"), "opposite signatures have 0 %");
}

#[test]
fn a_sample_gets_one_line_per_document_that_stands_first_in_its_group() {
    let expected = "g(f):e:87.5\nb%20c(a d):e:87.5\nh\n";
    assert_eq!(found_for("g\n\n b%20c\th", ""), expected);
    assert_eq!(found_for("g\nb c\r\n\nh\n", "--lines"), expected);
    assert_eq!(found_for(gzip(b"g b%20c h"), ""), expected, "compressed");
    assert_eq!(
        found_for("a d e", ""),
        "a(b%20c d):e:87.5\nd(a b%20c):e:87.5\ne:a(b%20c d):87.5:f(g):87.5\n",
        "two of one group"
    );
}

#[test]
fn a_sample_of_a_numbered_collection_may_hold_names() {
    let work = prepared();
    work.write("sigs/1", "00:3 1 2 3\n01:1 4\n");
    work.write("sigs/2", "03:2 5 6\nff:1 7\n");
    work.write("ids", gzip(b"1 a\n2 b%20c\n3 d\n4 e\n5 f\n6 g\n7 h\n"));
    work.write("sample", "g\nb c\nh");
    work.ok(&format!("{LINE} -sample_list sample --lines -id_file ids"));
    assert_eq!(work.read("out"), "6(5):4:87.5\n2(1 3):4:87.5\n7\n");
}

#[test]
fn a_sample_document_without_a_signature_gets_a_line_and_is_reported() {
    let work = prepared();
    work.write("sample", "no thing\nh\n");
    let ran = work.ok(&format!("{LINE} -sample_list sample --lines"));
    assert_eq!(work.read("out"), "no%20thing\nh\n");
    let told =
        "hamming_full: sample: 'no thing' has no signature (no terms, or not in the collection)";
    assert_eq!(ran.stderr.lines().next(), Some(told));
    assert!(ran.stderr.contains("skipped 1 of the sample without a signature"), "{}", ran.stderr);
}

#[test]
fn a_sample_document_without_a_signature_has_its_number_in_a_numbered_collection() {
    let work = prepared();
    work.write("sigs/1", "00:3 1 2 3\n01:1 4\n");
    work.write("sigs/2", "03:2 5 6\nff:1 7\n");
    work.write("ids", "1 a\n2 b\n3 d\n4 e\n5 f\n6 g\n7 h\n8 no%20thing\n");
    work.write("sample", "no thing\nh\n");
    work.ok(&format!("{LINE} -sample_list sample --lines -id_file ids"));
    assert_eq!(work.read("out"), "8\n7\n");
}

#[test]
fn errors_in_the_sample_are_reported() {
    let work = prepared();
    let line = format!("{LINE} -sample_list sample");
    check_contents(
        &work,
        &line,
        "sample",
        &[
            (b"nothing none", "error: sample: names no document of the collection"),
            (b"", "error: sample: names no document of the collection"),
            (b"h\na\nh", "error: sample:3: expected every document once, found 'h'"),
            (b"h none none", "error: sample:1: expected every document once, found 'none'"),
        ],
    );
    assert!(!work.has("out"));
}

#[test]
fn errors_in_the_list_are_reported() {
    let header = |documents: &str, bits: &str, signatures: &str| {
        format!("{documents}\n{bits}\n{signatures}\nsigs/1\nsigs/2\n").into_bytes()
    };
    let documents = "VELIKOST_KOLEKCE 7";
    let bits = "DELKA_SIGNATUR_V_BITECH 8";
    let signatures = "POCET_RUZNYCH_SIGNATUR 4";
    check_contents(
        &prepared(),
        LINE,
        "sig_paths",
        &[
            (b"", "error: sig_paths:1: expected 'VELIKOST_KOLEKCE' and a number, found ''"),
            (
                &header(documents, "x", signatures),
                "sig_paths:2: expected 'DELKA_SIGNATUR_V_BITECH' and a number, found 'x'",
            ),
            (
                &header(documents, bits, "x"),
                "sig_paths:3: expected 'POCET_RUZNYCH_SIGNATUR' and a number, found 'x'",
            ),
            (
                &header(documents, "DELKA_SIGNATUR_V_BITECH 10", signatures),
                "error: sig_paths: expected a signature length divisible by 4, at most 16777216, found 10 bits",
            ),
            (
                &header(documents, "DELKA_SIGNATUR_V_BITECH 0", signatures),
                "error: sig_paths: expected a signature length divisible by 4, at most 16777216, found 0 bits",
            ),
            (
                &header("VELIKOST_KOLEKCE 8", bits, signatures),
                "error: sig_paths: expected 8 documents as in the header, found 7 (truncated or mixed files?)",
            ),
            (
                &header(documents, bits, "POCET_RUZNYCH_SIGNATUR 5"),
                "error: sig_paths: expected 5 distinct signatures as in the header, found 4",
            ),
            (
                &[&header(documents, bits, signatures)[..], b"sigs/3\n"].concat(),
                "error: sig_paths:6: sigs/3: cannot open: ",
            ),
        ],
    );
    let told = Work::new().fails(LINE);
    assert!(told.starts_with("hamming_full: error: sig_paths: cannot open: "), "{told}");
}

#[test]
fn errors_in_a_signature_name_the_line() {
    let work = prepared();
    check_contents(
        &work,
        LINE,
        "sigs/2",
        &[
            (b"03\n", "error: sigs/2:1: expected hexsignature:documents, found '03'"),
            (b"03:two f g\n", "sigs/2:1: expected hexsignature:documents, found 'two'"),
            (b"03:1 f\nxy:1 g\n", "sigs/2:2: expected hexadecimal digits, found 'xy'"),
            (
                b"030:1 f\n",
                "sigs/2:1: expected 2 hexadecimal digits for 8 bits, found '3 digits for 12 bits'",
            ),
            (
                b"3:1 f\n",
                "sigs/2:1: expected 2 hexadecimal digits for 8 bits, found '1 digits for 4 bits'",
            ),
            (b"03:1 f%0\n", "sigs/2:1: expected a name with %XX escapes, found 'f%0'"),
            (b"03:0\n", "sigs/2:1: expected at least one document, found '03:0'"),
            (b"03:1 f g\n", "sigs/2:1: expected 1 documents, found '2'"),
            (b"03:2 f\n", "sigs/2:1: expected 2 documents, found '1'"),
            (
                b"03:1 f",
                "sigs/2:1: expected a newline at the end of the line, found the end of the file",
            ),
            (b"03:1 \xff\n", "sigs/2:1: expected UTF-8, found '03:1 "),
            (&truncated_gzip(b"03:1 f\n"), "expected readable data, found "),
        ],
    );
    assert!(!work.has("out") && !work.has("out.part"));
}

#[test]
fn compression_goes_by_name_on_writing_and_by_content_on_reading() {
    let work = prepared();
    let plain = found(&work, "80");
    let contents = [("sig_paths", SIG_PATHS), ("sigs/1", SIGS_1), ("sigs/2", SIGS_2)];
    contents.iter().for_each(|(name, content)| work.write(name, gzip(content.as_bytes())));
    work.ok(&with(LINE, "out", "out.gz"));
    assert_eq!(std::fs::read(work.path("out.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(work.read("out.gz"), plain);
}

#[test]
fn capital_hexadecimal_digits_are_read_too() {
    let work = prepared();
    let plain = found(&work, "0");
    work.write("sigs/2", SIGS_2.replace("ff", "FF"));
    assert_eq!(found(&work, "0"), plain);
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    let plain = found(&work, "80");
    let line = "hamming_full -sig_paths - -out - -threshold 80";
    let ran = work.run_with_input(line, SIG_PATHS.as_bytes());
    assert_eq!((ran.code, ran.stdout), (Some(0), plain), "{}", ran.stderr);
    let line = "hamming_full -sig_paths sig_paths -out - -threshold 80 -sample_list -";
    let ran = work.run_with_input(line, b"g");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "g(f):e:87.5\n"));
}

#[test]
fn a_closed_pipe_is_success() {
    let work = prepared();
    let line = "hamming_full -sig_paths sig_paths -out - -threshold 0";
    check_closed_pipe(&work, line);
    let signatures: String = (0..300).map(|n| format!("{n:04x}:1 a_long_name_{n}\n")).collect();
    work.write("sigs/1", signatures);
    let header = "VELIKOST_KOLEKCE 300\nDELKA_SIGNATUR_V_BITECH 16\nPOCET_RUZNYCH_SIGNATUR 300\n";
    work.write("sig_paths", format!("{header}sigs/1\n"));
    check_reader_that_leaves(&work, line);
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    let work = prepared();
    // In groups 3 + 1, between groups 3 · 1 + 1 · 2.
    check_manners(&work, LINE, "read 7 signed documents, skipped 0, wrote 9 pairs");
    let sampled = format!("{LINE} -sample_list sample");
    let counts = "read 7 signed documents, skipped 0, wrote 5 matches of the sample";
    check_manners(&work, &sampled, counts);
    work.write("sample", "none h");
    let counts = "read 7 signed documents, skipped 1 of the sample without a signature, wrote 0 matches of the sample";
    check_manners(&work, &sampled, counts);
}
