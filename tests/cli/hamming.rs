//! hamming: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_sample_flags, check_spellings, check_usage, check_values, counts, with,
};
use crate::common::{Outcome, Work, gzip};

const LINE: &str = "hamming --sig_paths sig_paths --out out --threshold 80 --iter_count 3 --beam 2";
const SIG_PATHS: &str =
    "VELIKOST_KOLEKCE 4\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR 3\nsigs\n";
/// `zero` and `one` differ in the first bit alone, but sorted they are kept apart by `between` and its copy.
const SIGS: &str = "00:1 zero\n7f:2 between copy\n80:1 one\n";

fn prepare(work: &Work) {
    work.write("sig_paths", SIG_PATHS);
    work.write("sigs", SIGS);
    work.write("sample", "one");
    work.write("ids", "1 zero\n");
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the number of known pairs after each iteration.
#[track_caller]
fn known(ran: &Outcome) -> Vec<u64> {
    let mut known = Vec::new();
    for line in ran.stderr.lines().filter(|line| line.contains("iteration")) {
        let told = line.strip_prefix(&format!("hamming: iteration {}: ", known.len() + 1));
        let pairs = told.and_then(|told| told.strip_suffix(" pairs found")).expect(line);
        known.push(pairs.parse().unwrap());
    }
    known
}

/// In which iteration `zero` and `one` meet, for these flags beside a beam of 1.
#[track_caller]
fn meeting(flags: &str) -> Option<usize> {
    let work = prepared();
    let files = "hamming -sig_paths sig_paths -out out -threshold 80 -beam 1 -iter_count 60";
    let ran = work.ok(&format!("{files} {flags}"));
    let met = known(&ran).iter().position(|pairs| *pairs == 2);
    assert_eq!(met.is_some(), work.read("out").contains("zero:one:87.5\n"), "{}", ran.stderr);
    met.map(|position| position + 1)
}

/// Thirty families of ten signatures of 64 bits; members differ from their head in a few bits.
fn families() -> Work {
    let mut state = 1u64;
    // Knuth's generator: any numbers do, as long as they are always the same.
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let mut lines = Vec::new();
    for family in 0..30 {
        let head = next() << 33 ^ next() << 11 ^ next();
        for member in 0..10 {
            let flipped = (0..member).fold(head, |bits, _| bits ^ 1 << (next() % 64));
            lines.push(format!("{flipped:016x}:1 f{family}m{member}\n"));
        }
    }
    let work = Work::new();
    work.write("sigs", lines.concat());
    let header = "VELIKOST_KOLEKCE 300\nDELKA_SIGNATUR_V_BITECH 64\nPOCET_RUZNYCH_SIGNATUR 300\n";
    work.write("sig_paths", format!("{header}sigs\n"));
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "hamming",
        "Finds pairs of documents with similar signatures by PLEB",
        &[
            "sig_paths",
            "out",
            "threshold",
            "iter_count",
            "beam",
            "shift_count",
            "target_recall",
            "rnd_seed",
            "shard",
            "sample_list",
            "lines",
            "id_file",
        ],
    );
    check_required(LINE, &["sig_paths", "out", "threshold", "iter_count", "beam"]);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        prepare,
        &format!(
            "{LINE} --shift_count 2 --rnd_seed 7 --sample_list sample --lines --id_file ids \
             --threads 2 --verbose"
        ),
    );
}

#[test]
fn both_spellings_of_the_threshold_are_understood() {
    let work = prepared();
    work.ok(LINE);
    let expected = work.read("out");
    for spelled in ["-treshold 80", "--treshold=80"] {
        std::fs::remove_file(work.path("out")).unwrap();
        work.ok(&format!("hamming -sig_paths sig_paths -out out -iter_count 3 -beam 2 {spelled}"));
        assert_eq!(work.read("out"), expected, "{spelled}");
    }
}

#[test]
fn wrong_values_are_refused() {
    let at_least_one = "expected an integer of at least 1";
    check_values(
        LINE,
        &[
            ("threshold", "120", "120 is beyond 100 percent"),
            ("threshold", "abc", "'abc' is not a percentage such as 95 or 79.5"),
            ("iter_count", "0", at_least_one),
            ("iter_count", "x", at_least_one),
            ("beam", "0", at_least_one),
            ("beam", "-3", at_least_one),
            ("shift_count", "-1", "expected an integer of at least 0"),
            ("shift_count", "x", "expected an integer of at least 0"),
            ("shift_count", "fuller", "expected an integer of at least 0, or 'full'"),
            ("target_recall", "-1", "expected a share such as 0.99"),
            ("target_recall", "101", "expected a share such as 0.99"),
            ("target_recall", "101%", "expected a share such as 0.99"),
            ("target_recall", "all", "expected a share such as 0.99"),
            ("rnd_seed", "-1", "invalid digit"),
            ("rnd_seed", "x", "invalid digit"),
            ("threads", "x", "expected an integer from 0 to 1024"),
        ],
    );
    check_sample_flags(LINE);
}

#[test]
fn beam_says_how_many_followers_a_signature_is_compared_with() {
    let work = prepared();
    let once = with(LINE, "iter_count", "1");
    work.ok(&with(&once, "beam", "1"));
    assert_eq!(work.read("out"), "between(copy)\n");
    work.ok(&with(&once, "beam", "2"));
    assert_eq!(work.read("out"), "zero:one:87.5\nbetween(copy)\none:zero:87.5\n");
}

#[test]
fn more_iterations_find_what_one_sorting_keeps_apart() {
    assert!(meeting("").is_some_and(|iteration| iteration > 1));
}

#[test]
fn without_transpositions_every_iteration_is_the_same() {
    assert_eq!(meeting("-shift_count 0"), None);
}

#[test]
fn one_transposition_is_the_default_and_more_find_sooner() {
    let seeds = 1..=20;
    let mean = |shift_count: &str| {
        let met = |seed| meeting(&format!("-rnd_seed {seed} {shift_count}")).unwrap();
        seeds.clone().map(met).sum::<usize>() as f64 / 20.0
    };
    let one = mean("-shift_count 1");
    assert_eq!(mean(""), one);
    assert!(mean("-shift_count 8") < one);
}

#[test]
fn the_seed_changes_the_transpositions_and_is_2007_by_default() {
    let with_seed = |seed: u64| meeting(&format!("-rnd_seed {seed}"));
    assert_eq!(meeting(""), with_seed(2007));
    let meetings: Vec<_> = (1..=10).map(with_seed).collect();
    assert!(meetings.iter().any(|met| *met != meetings[0]), "{meetings:?}");
}

#[test]
fn pairs_found_are_reported_per_iteration_and_never_decrease() {
    let work = families();
    let line = with(&with(LINE, "iter_count", "25"), "shift_count", "8");
    let ran = work.ok(&line);
    let known = known(&ran);
    assert_eq!(known.len(), 25);
    assert!(known.is_sorted() && known[0] < known[24], "{known:?}");
    let expected = format!("read 300 signed documents, skipped 0, wrote {} pairs", known[24]);
    assert_eq!(counts(&ran), expected);
    let directions: usize = work.read("out").lines().map(|line| line.split(':').count() / 2).sum();
    assert_eq!(directions as u64, 2 * known[24]);
}

#[test]
fn a_beam_over_all_finds_what_hamming_full_finds() {
    let work = families();
    for threshold in ["95", "80", "50", "0"] {
        let line = with(&with(LINE, "beam", "299"), "threshold", threshold);
        work.ok(&with(&line, "iter_count", "1"));
        work.ok(&format!("hamming_full -sig_paths sig_paths -out full -threshold {threshold}"));
        assert!(work.read("out") == work.read("full"), "at {threshold}");
    }
}

#[test]
fn pairs_are_counted_by_document_also_within_groups() {
    let work = prepared();
    let ran = work.ok(&with(LINE, "threshold", "0"));
    // Four documents have six pairs.
    assert_eq!(known(&ran), [6, 6, 6]);
    assert_eq!(
        work.read("out"),
        "zero:between(copy):12.5:one:87.5\nbetween(copy):zero:12.5:one:0\none:zero:87.5:between(copy):0\n"
    );
    let ran = work.ok(&with(LINE, "threshold", "100"));
    assert_eq!(known(&ran), [1, 1, 1]);
    assert_eq!(work.read("out"), "between(copy)\n");
}

#[test]
fn a_sample_gets_one_line_per_document_in_the_order_of_the_list() {
    let work = prepared();
    let line = format!("{LINE} -sample_list sample");
    let expected = "one:zero:87.5\ncopy(between)\nzero:one:87.5\n";
    for sample in [b"one\n\n\tcopy zero\n".to_vec(), gzip(b"one copy zero")] {
        work.write("sample", sample);
        let ran = work.ok(&line);
        assert_eq!(work.read("out"), expected);
        assert_eq!(
            counts(&ran),
            "read 4 signed documents, skipped 0, wrote 3 matches of the sample"
        );
        assert_eq!(known(&ran), [2, 2, 2], "pairs with at least one of the sample");
    }
    work.write("sample", "one\r\n\ncopy\nzero");
    work.ok(&format!("{line} --lines"));
    assert_eq!(work.read("out"), expected);
}

#[test]
fn a_sample_leaves_pairs_of_others_out() {
    let work = prepared();
    work.write("sample", "copy");
    let ran = work.ok(&format!("{LINE} -sample_list sample"));
    assert_eq!(known(&ran), [1, 1, 1], "zero and one are not asked for");
    assert_eq!(work.read("out"), "copy(between)\n");
}

#[test]
fn a_sample_of_a_numbered_collection_may_hold_names() {
    let work = prepared();
    work.write("sigs", "00:1 1\n7f:2 2 3\n80:1 4\n");
    work.write("ids", "1 zero\n2 be%20tween\n3 copy\n4 one\n");
    work.write("sample", "be tween\none\n");
    work.ok(&format!("{LINE} -sample_list sample --lines -id_file ids"));
    assert_eq!(work.read("out"), "2(3)\n4:1:87.5\n");
}

#[test]
fn a_sample_document_without_a_signature_gets_a_line_and_is_reported() {
    let work = prepared();
    work.write("sample", "nothing one");
    let ran = work.ok(&format!("{LINE} -sample_list sample"));
    assert_eq!(work.read("out"), "nothing\none:zero:87.5\n");
    let told = "hamming: sample: 'nothing' has no signature (no terms, or not in the collection)";
    assert_eq!(ran.stderr.lines().next(), Some(told));
    let expected = "read 4 signed documents, skipped 1 of the sample without a signature, wrote 1 match of the sample";
    assert_eq!(counts(&ran), expected);
}

#[test]
fn errors_in_the_files_are_reported() {
    let work = prepared();
    let line = format!("{LINE} -sample_list sample");
    let sample: [(&[u8], &str); 2] = [
        (b"none", "error: sample: names no document of the collection"),
        (b"one one", "error: sample:1: expected every document once, found 'one'"),
    ];
    check_contents(&work, &line, "sample", &sample);
    let sigs: [(&[u8], &str); 2] = [
        (b"0:4 a b c d\n", "error: sigs:1: expected 2 hexadecimal digits for 8 bits"),
        (
            b"00:4 a b c d\n",
            "error: sig_paths: expected 3 distinct signatures as in the header, found 1",
        ),
    ];
    check_contents(&work, LINE, "sigs", &sigs);
    check_contents(
        &work,
        LINE,
        "sig_paths",
        &[(b"x\n", "sig_paths:1: expected 'VELIKOST_KOLEKCE'")],
    );
    assert!(!work.has("out") && !work.has("out.part"));
}

#[test]
fn compression_goes_by_name_on_writing_and_by_content_on_reading() {
    let work = prepared();
    work.ok(LINE);
    work.write("sig_paths", gzip(SIG_PATHS.as_bytes()));
    work.write("sigs", gzip(SIGS.as_bytes()));
    work.ok(&with(LINE, "out", "out.gz"));
    assert_eq!(std::fs::read(work.path("out.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(work.read("out.gz"), work.read("out"));
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    work.ok(LINE);
    let line = "hamming -sig_paths - -out - -threshold 80 -iter_count 3 -beam 2";
    let ran = work.run_with_input(line, SIG_PATHS.as_bytes());
    assert_eq!((ran.code, ran.stdout), (Some(0), work.read("out")), "{}", ran.stderr);
}

#[test]
fn a_closed_pipe_is_success() {
    let work = families();
    let line = "hamming -sig_paths sig_paths -out - -threshold 0 -iter_count 1 -beam 300";
    check_closed_pipe(&work, line);
    check_reader_that_leaves(&work, line);
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    check_manners(&prepared(), LINE, "read 4 signed documents, skipped 0, wrote 2 pairs");
}

#[test]
fn an_empty_collection_has_no_pairs() {
    let work = prepared();
    work.write(
        "sig_paths",
        "VELIKOST_KOLEKCE 0\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR 0\n",
    );
    assert_eq!(known(&work.ok(LINE)), [0, 0, 0]);
    assert_eq!(work.read("out"), "");
}

/// Returns the number of pairs a run has written.
#[track_caller]
fn written(ran: &Outcome) -> f64 {
    let pairs = counts(ran).split_once(", wrote ").and_then(|(_, told)| told.split_once(' '));
    pairs.expect("a number of pairs").0.parse().unwrap()
}

/// What was told after each iteration of a run with a target.
fn told(ran: &Outcome) -> Vec<&str> {
    ran.stderr.lines().filter(|line| line.contains("iteration")).collect()
}

#[test]
fn a_target_stops_the_search_and_every_iteration_reports_the_estimate() {
    let work = families();
    let line =
        "hamming -sig_paths sig_paths -threshold 80 -beam 12 -iter_count 60 -shift_count full";
    let full = written(&work.ok("hamming_full -sig_paths sig_paths -out full -threshold 80"));
    let ran = work.ok(&format!("{line} -out some -target_recall 0.99"));
    let told = told(&ran);
    assert!(told[0].ends_with(" pairs found, too few to estimate their share"), "{}", told[0]);
    let estimates: Vec<f64> = told[1..]
        .iter()
        .map(|line| {
            let share = line.split_once(" pairs found, an estimated ").expect(line).1;
            share.strip_suffix(" % of all").expect(line).parse().unwrap()
        })
        .collect();
    let (last, before) = estimates.split_last().unwrap();
    assert!(*last >= 99.0 && before.iter().all(|estimate| *estimate < 99.0), "{estimates:?}");
    assert!(told.len() < 60, "{told:?}");
    assert!(written(&ran) > 0.97 * full, "{} of {full}", written(&ran));
    let shares = ["0.99", "99", "99%"].map(|target| {
        work.ok(&format!("{line} -out some -target_recall {target}"));
        work.read("some")
    });
    assert!(shares.iter().all(|result| *result == shares[0]));
}

#[test]
fn without_a_reached_target_all_iterations_run() {
    let work = families();
    let line = "hamming -sig_paths sig_paths -out out -threshold 80 -beam 1 -iter_count 5";
    assert_eq!(known(&work.ok(line)).len(), 5);
    let told = work.refuses(&format!("{line} -target_recall 0.9 -shift_count 70"));
    assert!(told.contains("--target_recall needs --shift_count full"), "{told}");
}

#[test]
fn more_transpositions_than_mix_the_bits_are_refused() {
    let work = prepared();
    let told = work.refuses(&with(LINE, "shift_count", "1000000000"));
    let expected = "--shift_count: expected at most 10000 for 8 bits, found 1000000000; 'full' draws a new permutation";
    assert!(told.contains(expected), "{told}");
    assert!(!work.has("out"));
    work.ok(&with(LINE, "shift_count", "10000"));
}

#[test]
fn a_long_search_is_announced_with_its_expected_time() {
    let work = families();
    let line = "hamming -sig_paths sig_paths -out out -threshold 80 -beam 12 -shift_count full -target_recall 0.5";
    let ran = work.ok(&format!("{line} -iter_count 1000000000"));
    let first = ran.stderr.lines().next().unwrap();
    let expected = "hamming: 1,000,000,000 iterations over ";
    assert!(
        first.starts_with(expected) && first.contains(" signatures: at most about "),
        "{first}"
    );
    let ran = work.ok(&format!("{line} -iter_count 100"));
    assert!(!ran.stderr.contains("iterations over"), "{}", ran.stderr);
}
