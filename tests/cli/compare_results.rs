//! compare_results: usage, flags, measures, errors.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_spellings, check_usage, check_values, with,
};
use crate::common::{Work, gzip};

const LINE: &str = "compare_results --sim sim --ham ham --out out";
const SIM: &str = "a:b:90:c:50.5:e:50.25\nb:a:90\nc\n";
const HAM: &str = "a:b:88:c:60:d:70:e:64\nb\nc:a:60\n";
const SIDE_BY_SIDE: &str = "Results for a:\nb 90 88\nc 50.5 60\ne 50.25 64\nd - 70\n\
                            Results for b:\na 90 -\nResults for c:\na - 60\n";

fn prepare(work: &Work) {
    work.write("sim", SIM);
    work.write("ham", HAM);
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the blocks and the measures of a comparison.
fn parts(out: &str) -> (&str, BTreeMap<&str, &str>) {
    let (blocks, summary) = out.split_once("\nSummary:\n").expect("a summary");
    (blocks, summary.lines().map(|line| line.split_once(' ').unwrap()).collect())
}

/// Returns the blocks of a comparison of these results.
#[track_caller]
fn blocks(sim: &str, ham: &str, flags: &str) -> String {
    let work = Work::new();
    work.write("sim", sim);
    work.write("ham", ham);
    work.ok(&format!("{LINE} {flags}"));
    parts(&work.read("out")).0.to_string()
}

/// Checks that the example's summary holds these measures.
#[track_caller]
fn check_measures(flags: &str, expected: &[(&str, f64)]) {
    let work = prepared();
    work.ok(&format!("{LINE} {flags}"));
    let out = work.read("out");
    let (_, measures) = parts(&out);
    for (name, value) in expected {
        let found: f64 = measures[name].parse().unwrap();
        assert!((found - value).abs() <= 5.1e-7, "{name}: {found}, not {value} to six decimals");
    }
}

/// Returns the cosine that a Hamming similarity estimates, both in percent.
fn calibrated(ham: f64) -> f64 {
    100.0 * (PI - PI * ham / 100.0).cos()
}

/// Returns the expected Hamming similarity at a cosine, both in percent.
fn expected_ham(cosine: f64) -> f64 {
    100.0 - 100.0 * (cosine / 100.0).acos() / PI
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "compare_results",
        "Compares two results pair by pair",
        &[
            "sim",
            "ham",
            "out",
            "id_file",
            "summary",
            "threshold_sim",
            "threshold_ham",
            "sig_len",
            "all_pairs",
        ],
    );
    check_required(LINE, &["sim", "ham", "out"]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        |work| {
            work.write("sim", "1:2:90\n");
            work.write("ham", "1:2:88\n");
            work.write("ids", "1 a\n2 b\n");
        },
        &format!(
            "{LINE} --id_file ids --summary summary.csv --threshold_sim 80 --threshold_ham 79 \
             --sig_len 64 --all_pairs --verbose"
        ),
    );
}

#[test]
fn both_spellings_of_the_thresholds_are_understood() {
    let work = prepared();
    work.ok(&format!("{LINE} -threshold_sim 80 -threshold_ham 79"));
    let expected = work.read("out");
    assert!(expected.contains("\nF1 "));
    std::fs::remove_file(work.path("out")).unwrap();
    work.ok(&format!("{LINE} -treshold_sim 80 --treshold-ham=79"));
    assert_eq!(work.read("out"), expected);
}

#[test]
fn wrong_values_are_refused() {
    let line = format!("{LINE} --threshold_sim 80 --threshold_ham 79");
    check_values(
        &line,
        &[
            ("threshold_sim", "120", "120 is beyond 100 percent"),
            ("threshold_sim", "abc", "'abc' is not a percentage such as 95 or 79.5"),
            ("threshold_ham", "100.01", "100.01 is beyond 100 percent"),
            ("threshold_ham", "abc", "'abc' is not a percentage such as 95 or 79.5"),
            ("sig_len", "10", "expected a multiple of 4 of at most 16777216"),
            ("sig_len", "0", "expected an integer of at least 1"),
        ],
    );
    let work = prepared();
    let refusal = work.refuses(&format!("{LINE} -threshold_ham 79"));
    assert!(refusal.contains("--threshold_sim <T>"), "{refusal}");
    let refusal = work.refuses("compare_results -sim - -ham - -out out");
    assert!(refusal.contains("only one of --sim and --ham can be standard input"), "{refusal}");
    for name in ["summary", "summary.txt", "csv", "summary.csv.lz4", "-"] {
        let refusal = work.refuses(&format!("{LINE} -summary {name}"));
        let expected = format!("summary {name}: the name must end in .csv or .json");
        assert!(refusal.contains(&expected), "{refusal}");
    }
    assert_eq!(work.files(), ["ham", "sim"]);
}

#[test]
fn pairs_have_both_similarities_or_a_dash() {
    let work = prepared();
    work.ok(LINE);
    let out = work.read("out");
    assert_eq!(parts(&out).0, SIDE_BY_SIDE);
}

#[test]
fn the_summary_has_the_measures_in_order() {
    let work = prepared();
    work.ok(LINE);
    let out = work.read("out");
    let (_, summary) = out.split_once("\nSummary:\n").unwrap();
    let names: Vec<&str> = summary.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let basic = [
        "documents",
        "pairs_both",
        "pairs_sim_only",
        "pairs_ham_only",
        "L1",
        "L2",
        "largest_difference",
        "S",
        "S_bins",
        "L1_calibrated",
        "L2_calibrated",
        "largest_difference_calibrated",
        "S_calibrated",
    ];
    assert_eq!(names, basic);
}

#[test]
fn differences_cover_pairs_of_both_results() {
    let differences = [90.0 - 88.0, 60.0 - 50.5, 64.0 - 50.25];
    let squares = differences.map(|d: f64| d * d);
    check_measures(
        "",
        &[
            ("documents", 3.0),
            ("pairs_both", 3.0),
            ("pairs_sim_only", 1.0),
            ("pairs_ham_only", 2.0),
            ("L1", differences.iter().sum::<f64>() / 3.0),
            ("L2", squares.iter().sum::<f64>() / 3.0),
            ("largest_difference", 13.75),
            // 60 and 64 share the bin from 50 to 51; 88 is alone in its own.
            ("S", 8.0),
            ("S_bins", 1.0),
        ],
    );
}

#[test]
fn calibrated_measures_compare_estimated_cosines() {
    let pairs = [(90.0, 88.0), (50.5, 60.0), (50.25, 64.0)];
    let differences = pairs.map(|(sim, ham)| (calibrated(ham) - sim).abs());
    let (low, high) = (calibrated(60.0), calibrated(64.0));
    check_measures(
        "",
        &[
            ("L1_calibrated", differences.iter().sum::<f64>() / 3.0),
            ("L2_calibrated", differences.iter().map(|d| d * d).sum::<f64>() / 3.0),
            ("largest_difference_calibrated", differences.into_iter().fold(0.0, f64::max)),
            ("S_calibrated", (high - low) * (high - low) / 2.0),
        ],
    );
}

#[test]
fn bins_include_their_upper_edge() {
    let work = Work::new();
    // 50 belongs with 49.5, 51 with 50.5; 0 and below belong nowhere.
    work.write("sim", "a:b:49.5:c:50:d:50.5:e:51:f:0:g:0:h:-5:i:-5\n");
    work.write("ham", "a:b:10:c:12:d:20:e:26:f:1:g:90:h:1:i:90\n");
    work.ok(LINE);
    let out = work.read("out");
    let (_, measures) = parts(&out);
    assert_eq!((measures["S"], measures["S_bins"]), ("10.000000", "2"), "the mean of 2 and 18");
}

#[test]
fn sig_len_adds_predicted_measures() {
    let expected = [expected_ham(50.5), expected_ham(50.25)];
    let sampling = expected.map(|h| h * (100.0 - h) / 64.0).iter().sum::<f64>() / 2.0;
    let width = (expected[0] - expected[1]).powi(2) / 2.0;
    let difference = |cosine: f64| {
        let p = expected_ham(cosine) / 100.0;
        let deviation = (p * (1.0 - p) / 64.0).sqrt();
        100.0 * (2.0 / PI).sqrt() * deviation * PI * (1.0 - (cosine / 100.0).powi(2)).sqrt()
    };
    let differences = [90.0, 50.5, 50.25].map(difference).iter().sum::<f64>() / 3.0;
    check_measures(
        "-sig_len 64",
        &[
            ("S_theory", sampling),
            ("S_theory_with_bin_width", sampling + width),
            ("L1_calibrated_theory", differences),
        ],
    );
}

#[test]
fn thresholds_add_precision_and_recall() {
    // a: similar are b and c, found are b, d, e. b: similar is a, nothing is found. c: neither.
    check_measures(
        "-threshold_sim 50.5 -threshold_ham 64",
        &[
            ("P", 1.0 / 3.0),
            ("R", (0.5 + 0.0) / 2.0),
            ("F1", 2.0 / 7.0),
            ("P_pairs", 1.0 / 3.0),
            ("R_pairs", 1.0 / 3.0),
            ("F1_pairs", 1.0 / 3.0),
        ],
    );
}

#[test]
fn threshold_sim_alone_adds_calibrated_precision_and_recall() {
    // Calibrated, 88 and 70 stand for cosines over 50.5; 64 and 60 do not.
    check_measures(
        "-threshold_sim 50.5",
        &[
            ("P_calibrated", 1.0 / 2.0),
            ("R_calibrated", (0.5 + 0.0) / 2.0),
            ("F1_calibrated", 1.0 / 3.0),
            ("P_pairs_calibrated", 1.0 / 2.0),
            ("R_pairs_calibrated", 1.0 / 3.0),
            ("F1_pairs_calibrated", 2.0 / 5.0),
        ],
    );
    let work = prepared();
    work.ok(&format!("{LINE} -threshold_sim 50.5"));
    assert!(!work.read("out").contains("\nP "), "P needs both thresholds");
}

#[test]
fn undefined_measures_have_no_value() {
    let work = Work::new();
    work.write("sim", "a\n");
    work.write("ham", "a:b:100\n");
    let line = format!("{LINE} -threshold_sim 80 -threshold_ham 79 -sig_len 64");
    work.ok(&format!("{line} -summary s.csv"));
    work.ok(&format!("{line} -summary s.json"));
    let out = work.read("out");
    let (_, measures) = parts(&out);
    let csv = work.read("s.csv");
    let json = work.read("s.json");
    for name in ["L1", "L2", "largest_difference", "S", "S_theory", "L1_calibrated", "R", "F1"] {
        assert_eq!(measures[name], "-", "{name}");
        assert!(csv.contains(&format!("\n{name},\n")), "{csv}");
        assert!(json.contains(&format!("\"{name}\": null")), "{json}");
    }
    assert_eq!((measures["P"], measures["pairs_ham_only"]), ("0.000000", "1"));
}

#[test]
fn summary_is_csv_or_json_by_its_extension() {
    let work = prepared();
    for name in ["s.csv", "s.json", "s.csv.gz", "s.json.gz"] {
        work.ok(&format!("{LINE} -threshold_sim 80 -threshold_ham 79 -sig_len 64 -summary {name}"));
    }
    let out = work.read("out");
    let (_, summary) = out.split_once("\nSummary:\n").unwrap();
    let csv = work.read("s.csv");
    assert_eq!(work.read("s.csv.gz"), csv);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!((rows[0], rows.len() - 1), ("measure,value", summary.lines().count()));
    let json: serde_json::Value = serde_json::from_str(&work.read("s.json")).unwrap();
    let measures = json.as_object().unwrap();
    assert_eq!(measures.len(), summary.lines().count());
    // As it is written: the reader of JSON rounds the last bit in its own way.
    let json = work.read("s.json");
    let written = |name: &str| {
        let line = json.lines().find_map(|line| line.trim().strip_prefix(&format!("\"{name}\": ")));
        line.unwrap().trim_end_matches(',').parse::<f64>().ok()
    };
    for (line, row) in summary.lines().zip(&rows[1..]) {
        let (name, shown) = line.split_once(' ').unwrap();
        let (row_name, value) = row.split_once(',').unwrap();
        assert_eq!(name, row_name);
        assert_eq!(written(name), value.parse().ok(), "{name}");
        let exact: f64 = value.parse().unwrap();
        let is_count = measures[name].is_u64();
        assert_eq!(shown, if is_count { format!("{exact}") } else { format!("{exact:.6}") });
    }
    assert_eq!(work.read("s.json.gz"), work.read("s.json"));
    for name in ["s.csv.gz", "s.json.gz"] {
        assert_eq!(std::fs::read(work.path(name)).unwrap()[..2], [0x1f, 0x8b], "{name}");
    }
}

#[test]
fn groups_are_expanded() {
    // The sample's document stands first in its group; its mates are as similar as can be.
    assert_eq!(
        blocks("a:b:99:c:90\n", "a(b d):c(e f):75\n", ""),
        "Results for a:\nb 99 100\nc 90 75\nd - 100\ne - 75\nf - 75\n"
    );
    assert_eq!(blocks("a\n", "a\n", ""), "Results for a:\n");
}

#[test]
fn all_pairs_compares_whole_collections() {
    assert_eq!(
        blocks("a:b:90\nb:a:90:d:85\nd:b:85\n", "b:a(c):80\na(c):b:80\n", "-all_pairs"),
        "Results for a:\nb 90 80\nc - 100\n\
         Results for b:\na 90 80\nd 85 -\nc - 80\n\
         Results for d:\nb 85 -\n\
         Results for c:\na - 100\nb - 80\n"
    );
}

#[test]
fn results_of_different_samples_are_refused() {
    let expected = |sim: &str, ham: &str| {
        format!(
            "error: expected the documents of one --sample_list in the same order, found {sim} and {ham}; results made without --sample_list need --all_pairs"
        )
    };
    check_contents(
        &prepared(),
        LINE,
        "ham",
        &[
            (b"a\nx\n", &expected("'b' at sim:2", "'x' at ham:2")),
            (b"a\nb\n", &expected("'c' at sim:3", "the end of ham")),
            (b"a\nb\nc\nd\n", &expected("the end of sim", "'d' at ham:4")),
            (b"b(a)\n", &expected("'a' at sim:1", "'b' at ham:1")),
        ],
    );
}

#[test]
fn id_file_replaces_numbers_by_names() {
    let work = Work::new();
    work.write("sim", "2:1:90\n");
    work.write("ham", "2(3):1:80\n");
    let expected = "Results for b%20c:\na 90 80\nd - 100\n";
    for ids in [b"1 a\n2 b%20c\n3 d\n".to_vec(), gzip(b"1 a\n2 b%20c\n3 d\n")] {
        work.write("ids", ids);
        work.ok(&format!("{LINE} -id_file ids"));
        assert_eq!(parts(&work.read("out")).0, expected);
    }
    let line = format!("{LINE} -id_file ids");
    check_contents(
        &work,
        &line,
        "ids",
        &[
            (b"1 a\n2 b\n", "error: ids: has no document numbered '3'"),
            (b"1 a\n3 d\n", "error: ids: has no document numbered '2'"),
            (b"a\n", "error: ids:1: expected id name, found 'a'"),
        ],
    );
}

#[test]
fn errors_name_the_line_of_a_result() {
    let work = prepared();
    let group =
        |found: &str| format!("ham:1: expected a document or doc1(doc2 … docN), found '{found}'");
    check_contents(
        &work,
        LINE,
        "ham",
        &[
            (b"a:b\n", "error: ham:1: expected document:similarity, found 'b'"),
            (b"a\nb:c:high\n", "error: ham:2: expected a similarity in percent, found 'high'"),
            (b"a:b:100.5\n", "ham:1: expected a similarity in percent, found '100.5'"),
            (b"a:b:-101\n", "ham:1: expected a similarity in percent, found '-101'"),
            (b"a:b:nan\n", "ham:1: expected a similarity in percent, found 'nan'"),
            (b"\n", &group("")),
            (b":b:50\n", &group("")),
            (b"a:(b):50\n", &group("(b)")),
            (b"a(b:c:50\n", &group("a(b")),
            (b"a:b(c)d:50\n", &group("b(c)d")),
            (b"a:b()d:50\n", &group("b()d")),
            (b"a:b():50\n", &group("b()")),
            (b"a:b c:50\n", &group("b c")),
            (b"a%4:b:50\n", &group("a%4")),
            (b"a:b:5", "ham:1: expected a newline at the end of the line"),
            (b"a:\xff:50\n", "ham:1: expected UTF-8, found 'a:"),
        ],
    );
    let line = format!("{LINE} -all_pairs");
    check_contents(
        &work,
        &line,
        "ham",
        &[(b"a(b)\nb\n", "error: ham:2: expected one line per document, found 'b' again")],
    );
    std::fs::remove_file(work.path("ham")).unwrap();
    assert!(work.fails(LINE).starts_with("compare_results: error: ham: cannot open: "));
    assert_eq!(work.files(), ["sim"], "nothing half is left");
}

#[test]
fn names_select_compression_and_content_reveals_it() {
    let work = Work::new();
    work.write("sim", gzip(SIM.as_bytes()));
    work.write("ham", gzip(HAM.as_bytes()));
    work.ok(&with(LINE, "out", "out.gz"));
    assert_eq!(std::fs::read(work.path("out.gz")).unwrap()[..2], [0x1f, 0x8b]);
    let out = work.read("out.gz");
    assert_eq!(parts(&out).0, SIDE_BY_SIDE);
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    let ran = work.run_with_input("compare_results -sim - -ham ham -out -", SIM.as_bytes());
    assert_eq!((ran.code, parts(&ran.stdout).0), (Some(0), SIDE_BY_SIDE), "{}", ran.stderr);
    let ran = work.run_with_input("compare_results -sim sim -ham - -out -", HAM.as_bytes());
    assert_eq!((ran.code, parts(&ran.stdout).0), (Some(0), SIDE_BY_SIDE), "{}", ran.stderr);
}

#[test]
fn a_closed_pipe_is_success() {
    let work = prepared();
    let line = "compare_results -sim sim -ham ham -out -";
    check_closed_pipe(&work, line);
    let matches: String = (0..100_000).map(|n| format!(":d{n}:50")).collect();
    work.write("sim", format!("a{matches}\n"));
    work.write("ham", "a\n");
    check_reader_that_leaves(&work, line);
}

#[test]
fn the_last_line_has_counts_and_quiet_is_silent() {
    check_manners(&prepared(), LINE, "read 3 documents, skipped 0, wrote 6 compared pairs");
}
