//! check_experiments: its usage, what is right, what is off, and files that cannot be.

use super::run_experiment::{LINE, SEVERAL, experiment};
use super::shared::check_usage;
use crate::common::Work;

const CHECK: &str = "check_experiments --tables res --experiments exp";
const HEADER: &str = "measure,where,column,aggregate,expected,tolerance\n";

#[test]
fn usage() {
    check_usage(
        "check_experiments",
        "Compares the tables of run_experiment with the expected.csv of each experiment",
        &["tables", "experiments", "small", "record"],
    );
}

/// An experiment with tables of round numbers: shares of 40, 50 and 60 for three seeds, one of them without a deviation.
fn rounded() -> Work {
    let grid = "[[grid]]\nmeasure = \"planes\"\ncollection = \"tiny\"\nweighting = [\"tf\", \"tf_idf\"]\nmin_df = 1\nrnd_seed = [1, 2, 3]\nsig_len = 16\n";
    let work = experiment(grid);
    work.ok(LINE);
    let text = work.read("res/test-planes.csv");
    let mut lines = vec![text.lines().next().unwrap().to_string()];
    for weighting in ["tf", "tf_idf"] {
        for (seed, share, deviation) in [(1, 40, "1.5"), (2, 50, ""), (3, 60, "2.5")] {
            let classes = vec!["0"; 20].join(",");
            lines.push(format!(
                "tiny,{weighting},1,{seed},16,38,10,{share},90,{deviation},{classes}"
            ));
        }
    }
    work.write("res/test-planes.csv", lines.join("\n") + "\n");
    work
}

/// Checks one line of expectations: whether it is met, and the line that is printed.
#[track_caller]
fn checked(line: &str, code: i32, printed: &str) {
    let work = rounded();
    work.write("exp/test/expected.csv", format!("{HEADER}{line}\n"));
    let ran = work.run(&format!("{CHECK} test"));
    assert_eq!(
        (ran.code, &*ran.stdout),
        (Some(code), &*format!("test: {printed}\n")),
        "{}",
        ran.stderr
    );
    let message = match code {
        0 => "check_experiments: read 1 results, skipped 0, wrote 0 expected results; ",
        _ => "check_experiments: error: 1 of 1 results are off\n",
    };
    assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
}

#[test]
fn means_and_extremes_are_compared() {
    checked(
        "planes,weighting=tf sig_len=16,share_mean,mean,50,0",
        0,
        "ok  planes weighting=tf sig_len=16 share_mean mean: expected 50 ± 0, found 50",
    );
    checked(
        "planes,weighting=tf,share_mean,least,41,1",
        0,
        "ok  planes weighting=tf share_mean least: expected 41 ± 1, found 40",
    );
    checked(
        "planes,,share_mean,greatest,62.5,2.4",
        1,
        "off planes share_mean greatest: expected 62.5 ± 2.4, found 60",
    );
    // Rows without a value do not count.
    checked(
        "planes,weighting=tf_idf,share_deviation,mean,2.1,0.1",
        0,
        "ok  planes weighting=tf_idf share_deviation mean: expected 2.1 ± 0.1, found 2",
    );
    checked(
        "planes,rnd_seed=2,share_deviation,mean,2,9",
        1,
        "off planes rnd_seed=2 share_deviation mean: expected 2 ± 9, found no value",
    );
    checked(
        "planes,rnd_seed=4,share_mean,mean,50,9",
        1,
        "off planes rnd_seed=4 share_mean mean: expected 50 ± 9, found no row",
    );
    checked(
        "planes,rnd_seed=,share_mean,mean,50,9",
        1,
        "off planes rnd_seed= share_mean mean: expected 50 ± 9, found no row",
    );
}

#[test]
fn expectations_that_cannot_be_are_refused_with_their_line() {
    let keys =
        "for where pairs key=value of the keys collection, weighting, min_df, rnd_seed, sig_len";
    for (content, expected) in [
        (format!("{HEADER}planes,,share_mean,mean,50,0\nplains,,share_mean,mean,50,0\n"), "3: expected for measure one of approximation, vocabulary, pleb, planes, density, timing, found 'plains'".to_string()),
        (format!("{HEADER}\nplanes,,seconds,mean,50,0\n"), "3: expected for column one of documents, share_least,".to_string()),
        (format!("{HEADER}planes,,share_mean,median,50,0\n"), "2: expected for aggregate one of mean, least, greatest, found 'median'".to_string()),
        (format!("{HEADER}planes,,share_mean,mean,many,0\n"), "2: expected for expected a number, found 'many'".to_string()),
        (format!("{HEADER}planes,,share_mean,mean,nan,0\n"), "2: expected for expected a number, found 'nan'".to_string()),
        (format!("{HEADER}planes,,share_mean,mean,5,-1\n"), "2: expected for tolerance a number of at least 0, found '-1'".to_string()),
        (format!("{HEADER}planes,beam=3,share_mean,mean,5,1\n"), format!("2: expected {keys}, found 'beam=3'")),
        (format!("{HEADER}planes,tf,share_mean,mean,5,1\n"), format!("2: expected {keys}, found 'tf'")),
        (format!("{HEADER}planes,,share_mean,mean,5\n"), "2: expected 6 values, found 5".to_string()),
        ("planes,,share_mean,mean,5,1\n".to_string(), "1: expected the columns measure,where,column,aggregate,expected,tolerance, found 'planes,,share_mean,mean,5,1'".to_string()),
        (String::new(), "1: expected measure,where,column,aggregate,expected,tolerance, found an empty file".to_string()),
    ] {
        let work = rounded();
        work.write("exp/test/expected.csv", &content);
        let message = work.fails(CHECK);
        let start = format!("check_experiments: error: exp/test/expected.csv:{expected}");
        assert!(message.starts_with(&start), "{message}");
    }
    let work = rounded();
    work.write(
        "exp/test/expected.csv",
        [HEADER.as_bytes(), b"planes,\xff,share_mean,mean,5,1\n"].concat(),
    );
    let message = work.fails(CHECK);
    assert!(message.contains("exp/test/expected.csv:2: expected a line, found "), "{message}");
}

#[test]
fn tables_that_cannot_be_are_refused() {
    let work = rounded();
    work.write("exp/test/expected.csv", format!("{HEADER}planes,,share_mean,mean,50,0\n"));
    let text = work.read("res/test-planes.csv");
    for (content, expected) in [
        (text.replacen(",50,", ",fifty,", 1), "3: expected for share_mean a number, found 'fifty'"),
        (text[..text.len() - 3].to_string(), "7: expected "),
        (
            text.trim_end().to_string(),
            "7: expected a whole row (or run the experiment again), found the end of the file",
        ),
        (text.replacen("share_mean", "mean", 1), "1: expected the columns "),
    ] {
        work.write("res/test-planes.csv", content);
        let message = work.fails(CHECK);
        let start = format!("check_experiments: error: res/test-planes.csv:{expected}");
        assert!(message.starts_with(&start), "{message}");
    }
    std::fs::remove_file(work.path("res/test-planes.csv")).unwrap();
    assert!(work.fails(CHECK).contains("res/test-planes.csv: cannot open"));
    let message = work.fails(&format!("{CHECK} other"));
    assert!(message.contains("exp/other/expected.csv: cannot open"), "{message}");
    assert!(
        work.fails("check_experiments --tables res --experiments none")
            .contains("none: cannot read")
    );
}

#[test]
fn recorded_results_are_means_with_four_standard_errors_and_a_floor() {
    let work = rounded();
    let ran = work.ok(&format!("{CHECK} --record"));
    assert!(
        ran.stderr.contains("read 4 results, skipped 0, wrote 4 expected results"),
        "{}",
        ran.stderr
    );
    let of = |weighting: &str| {
        // Of 40, 50, 60 the standard error is 10 / √3; of 1.5 and 2.5 it is 0.5.
        let place = format!("planes,collection=tiny weighting={weighting} min_df=1 sig_len=16");
        format!(
            "{place},share_mean,mean,50,{:.6}\n{place},share_deviation,mean,2,2.0105\n",
            40.0 / 3f64.sqrt() + 0.2505
        )
    };
    assert_eq!(work.read("exp/test/expected.csv"), format!("{HEADER}{}{}", of("tf"), of("tf_idf")));
    assert_eq!(work.ok(CHECK).stdout.lines().count(), 4);
}

#[test]
fn what_was_recorded_is_met_and_a_change_is_noticed() {
    let work = experiment(&format!("{SEVERAL}[small]\nrnd_seed = [1, 2, 3]\n"));
    for small in ["", " --small"] {
        work.ok(&format!("{LINE}{small}"));
        work.ok(&format!("{CHECK}{small} --record"));
        let before = work.ok(&format!("{CHECK}{small} test"));
        assert!(
            before.stdout.lines().all(|line| line.starts_with("test: ok  ")),
            "{}",
            before.stdout
        );
        // Two weightings and three lengths: five columns each; with two thresholds four more. Bins: four.
        assert_eq!(before.stdout.lines().count(), 6 * 5 + 12 * 4 + 4, "{}", before.stdout);
    }
    let text = work.read("exp/test/expected-small.csv");
    let line = text.lines().find(|line| line.contains(",L1,mean,")).unwrap();
    let fields: Vec<&str> = line.split(',').collect();
    let (expected, tolerance): (f64, f64) =
        (fields[4].parse().unwrap(), fields[5].parse().unwrap());
    let moved =
        format!("{},{},L1,mean,{},{tolerance}", fields[0], fields[1], expected + 1.01 * tolerance);
    work.write("exp/test/expected-small.csv", text.replacen(line, &moved, 1));
    let ran = work.run(&format!("{CHECK} --small"));
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("test: off ")).count(), 1);
    assert!(
        ran.stderr
            .ends_with(&format!("error: 1 of {} results are off\n", ran.stdout.lines().count()))
    );
    work.ok(CHECK);
}
