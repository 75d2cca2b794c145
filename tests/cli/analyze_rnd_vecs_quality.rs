//! analyze_rnd_vecs_quality: usage, flags, errors, and whether its probabilities are ones.

use std::collections::BTreeMap;

use super::shared::{
    check_closed_pipe, check_manners, check_required, check_spellings, check_usage, check_values,
};
use crate::common::Work;

const LINE: &str = "analyze_rnd_vecs_quality --sig_len 64 --term_count 200 --out out.csv";
const HEAD: &str = "test,statistic,expected,z,p_value,verdict";

/// The columns of each test: statistic, expected, z, p and verdict.
type Table = BTreeMap<String, Vec<String>>;

fn table(text: &str) -> Table {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEAD));
    let row = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_string).collect();
        assert_eq!(fields.len(), 6, "{line}");
        (fields[0].clone(), fields[1..].to_vec())
    };
    lines.map(row).collect()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "analyze_rnd_vecs_quality",
        "Tests the hyperplanes of create_sigs: moments, goodness of fit, balance of signs, angles",
        &[
            "sig_len",
            "rnd_dist",
            "rnd_seed",
            "below_zero_percent",
            "term_count",
            "vec_paths",
            "pair_count",
            "out",
        ],
    );
    check_required(LINE, &["sig_len", "out"]);
    check_values(
        LINE,
        &[
            ("sig_len", "0", "expected an integer of at least 1"),
            ("sig_len", "6", "expected a multiple of 4"),
            ("rnd_dist", "uniform", "gauss"),
            ("rnd_seed", "-1", "invalid digit"),
            ("below_zero_percent", "50", "expected a percentage of at least 0 and below 50"),
            ("term_count", "0", "0 is not in 1..=4294967295"),
            ("term_count", "4294967296", "4294967296 is not in 1..=4294967295"),
            ("pair_count", "0", "expected an integer of at least 1"),
        ],
    );
    let work = Work::new();
    let neither = work.refuses("analyze_rnd_vecs_quality --sig_len 64 --out out");
    assert!(neither.contains("--term_count <N>|--vec_paths <FILE>"), "{neither}");
    let both = work.refuses(&format!("{LINE} --vec_paths paths"));
    assert!(both.contains("cannot be used with"), "{both}");
    let levels = work.refuses(&format!("{LINE} --rnd_dist levels --below_zero_percent 10"));
    assert!(levels.contains("below_zero_percent needs"), "{levels}");
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        |_| {},
        &format!(
            "{LINE} --rnd_dist gauss --rnd_seed 5 --below_zero_percent 42.5 --pair_count 9 --threads 2 --verbose"
        ),
    );
}

#[test]
fn the_tests_come_in_their_order() {
    let work = Work::new();
    let names = |flags: &str| {
        work.ok(&format!("{LINE} {flags}"));
        let out = work.read("out.csv");
        let name = |line: &str| line.split(',').next().unwrap().to_string();
        out.lines().skip(1).map(name).collect::<Vec<_>>().join(" ")
    };
    let moments = "mean variance skewness kurtosis";
    let normal = "kolmogorov_smirnov table_variance table_kurtosis table_distance";
    let balance = "share_above_zero least_share_above_zero greatest_share_above_zero";
    let rest = "vector_means vector_variances cosine_mean cosine_deviation cosine_largest";
    assert_eq!(names(""), format!("{moments} {normal} {balance} {rest}"));
    assert_eq!(names("--rnd_dist levels"), format!("{moments} chi_square {balance} {rest}"));
    let redrawn = format!("{moments} {normal} {balance} redrawn_vectors {rest}");
    assert_eq!(names("--below_zero_percent 40"), redrawn);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let work = Work::new();
    for flags in ["", "--rnd_dist levels", "--below_zero_percent 46 --pair_count 99999"] {
        let line = format!("{LINE} {flags} --term_count=1500").replace(" --term_count 200", "");
        work.ok(&format!("{line} --threads 1"));
        let expected = work.read("out.csv");
        for threads in [2, 7] {
            work.ok(&format!("{line} --threads {threads}"));
            assert_eq!(work.read("out.csv"), expected, "{flags}");
        }
    }
}

#[test]
fn the_number_of_components_is_that_of_the_vocabulary() {
    let work = Work::new();
    work.collection(&[("one", "a b c d e f g"), ("two", "a b h")]);
    work.chain(64);
    work.ok(&LINE.replace("--term_count 200", "--vec_paths vec_paths"));
    let of_list = work.read("out.csv");
    work.ok(&LINE.replace("200", "8"));
    assert_eq!(work.read("out.csv"), of_list);
    work.delete_manifests();
    work.write(
        "vec_paths",
        "USING_TF\nVELIKOST_SLOVNIKU 0\nVELIKOST_KOLEKCE 0\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 0\n",
    );
    std::fs::remove_file(work.path("out.csv")).unwrap();
    let told = work.fails(&LINE.replace("--term_count 200", "--vec_paths vec_paths"));
    assert!(told.contains("vec_paths: expected a vocabulary with terms, found none"), "{told}");
    let told = work.fails(&LINE.replace("--term_count 200", "--vec_paths nowhere"));
    assert!(told.contains("nowhere: cannot open"), "{told}");
    assert!(!work.has("out.csv"));
}

#[test]
fn an_unreachable_balance_is_an_error() {
    let work = Work::new();
    let told = work.fails(&format!("{} --below_zero_percent 49", LINE.replace("200", "3")));
    assert!(
        told.contains("below_zero_percent 49: no such random vector of 3 components"),
        "{told}"
    );
    assert_eq!(work.files(), [""; 0]);
}

#[test]
fn tests_of_few_components_are_sound() {
    let work = Work::new();
    for terms in [1, 2, 3] {
        for seed in 0..20 {
            for dist in ["gauss", "levels"] {
                let line = format!(
                    "analyze_rnd_vecs_quality --sig_len 4 --term_count {terms} --rnd_seed {seed} --rnd_dist {dist} --out -"
                );
                for (name, row) in table(&work.ok(&line).stdout) {
                    for number in row[..4].iter().filter(|number| !number.is_empty()) {
                        let number: f64 = number.parse().unwrap();
                        assert!(number.is_finite(), "{line}: {name} {row:?}");
                    }
                }
            }
        }
    }
}

/// Runs many seeds and checks that small probabilities are as rare as they say.
#[track_caller]
fn check_probabilities(flags: &str) {
    const SEEDS: usize = 60;
    let work = Work::new();
    let mut small: BTreeMap<String, usize> = BTreeMap::new();
    let mut suspicious = 0;
    for seed in 0..SEEDS {
        let line = format!("{LINE} {flags} --rnd_seed {seed}").replace("out.csv", "-");
        for (name, row) in table(&work.ok(&line).stdout) {
            suspicious += usize::from(row[4] == "suspicious");
            if let Ok(p) = row[3].parse::<f64>() {
                assert!((0.0..=1.0).contains(&p));
                assert_eq!(row[4] == "suspicious", p < 0.001, "{name} {row:?}");
                *small.entry(name).or_default() += usize::from(p < 0.1);
            }
        }
    }
    // Of 60 seeds, 6 are expected; 17 or more are less probable than one in twenty thousand.
    assert!(small.values().all(|count| *count < 17), "{small:?}");
    assert!(small.values().sum::<usize>() > small.len(), "no test ever finds anything: {small:?}");
    assert!(suspicious <= 4, "{suspicious}");
}

#[test]
fn probabilities_of_normal_vectors_are_probabilities() {
    check_probabilities("");
}

#[test]
fn probabilities_of_levels_are_probabilities() {
    check_probabilities("--rnd_dist levels");
}

#[test]
fn vectors_drawn_again_are_not_suspicious_and_are_counted() {
    check_probabilities("--below_zero_percent 47");
    let work = Work::new();
    let (mut redrawn, mut expected) = (0.0, 0.0);
    for seed in 0..20 {
        work.ok(&format!("{LINE} --below_zero_percent 47 --rnd_seed {seed}"));
        let rows = table(&work.read("out.csv"));
        redrawn += rows["redrawn_vectors"][0].parse::<f64>().unwrap();
        expected += rows["redrawn_vectors"][1].parse::<f64>().unwrap();
        let share = |name: &str| rows[name][0].parse::<f64>().unwrap();
        assert!(share("least_share_above_zero") > 0.47);
        assert!(share("greatest_share_above_zero") < 0.53);
    }
    assert!((redrawn / expected - 1.0).abs() < 0.2, "{redrawn} against {expected}");
}

#[test]
fn the_default_seed_passes_at_the_size_of_a_collection() {
    let work = Work::new();
    for dist in ["gauss", "levels"] {
        let line = format!("{LINE} --rnd_dist {dist}").replace("200", "20000").replace("64", "256");
        work.ok(&line);
        assert!(!work.read("out.csv").contains("suspicious"), "{}", work.read("out.csv"));
    }
}

#[test]
fn files_may_be_compressed_pipes_may_close_and_the_last_line_counts() {
    let work = Work::new();
    check_manners(&work, LINE, "read 64 hyperplanes, skipped 0, wrote 16 tests");
    work.ok(&LINE.replace("out.csv", "out.csv.gz"));
    assert_eq!(work.read("out.csv.gz"), work.read("out.csv"));
    check_closed_pipe(&work, &LINE.replace("out.csv", "-"));
}
