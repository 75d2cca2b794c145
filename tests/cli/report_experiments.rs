//! report_experiments: usage, the page, its pictures, and what is said of tables that are missing or damaged.

use super::shared::{check_manners, check_spellings, check_usage};
use crate::common::Work;

const LINE: &str = "report_experiments --tables res --thesis exp/thesis.csv --experiments exp --out_dir page --machine abacus --commit c0ffee";

const THEORY: &str = r#"
title = "S and its closed form"
tables = ["2.17"]

[[grid]]
measure = "approximation"
collection = "debian"
weighting = "tf"
min_df = 2
sample = 200
rnd_seed = [1, 2, 3]
sig_len = [1024, 2048]
threshold_sim = 80
threshold_ham = "calibrated"
"#;
const RANGES: &str = r#"
title = "Ranges"
tables = ["2.5"]

[[grid]]
measure = "density"
collection = "debian"
weighting = "tf"
min_df = 2
sample = 200
rnd_seed = [1, 2]
sig_len = 1024
"#;
const HEAD: &str = "collection,weighting,min_df,sample,rnd_seed,sig_len,threshold_sim,threshold_ham,distinct_signatures,threshold_ham_used,documents,pairs,L1,L2,largest_difference,S,S_bins,S_theory,S_theory_with_bin_width,L1_calibrated,L1_calibrated_theory,L2_calibrated,largest_difference_calibrated,S_calibrated,P,R,F1,P_pairs,R_pairs,F1_pairs,P_calibrated,R_calibrated,F1_calibrated,P_pairs_calibrated,R_pairs_calibrated,F1_pairs_calibrated,near_pairs,near_L1,near_L2,near_S\n";
const DENSITY: &str = "collection,weighting,min_df,sample,rnd_seed,sig_len,documents,pairs,cosine_mean,hamming_mean,hamming_least,share_below_45,correlation,mean_distance_from_curve
debian,tf,2,200,1,1024,200,30,10,52,46,0.1,0.9,1.2
debian,tf,2,200,2,1024,200,30,10,52,46,0.3,0.9,1.2
";
const SMALL: &str = "\n[small]\ncollection = \"sample\"\n";

fn row(collection: &str, seed: u32, bits: u32, s: f64) -> String {
    let theory = 2048.0 / f64::from(bits);
    format!(
        "{collection},tf,2,200,{seed},{bits},80,calibrated,9,79.5,200,9,30,900,1,{s},100,{theory},{theory},4,4,1,1,1,0.5,1,1,1,1,1,1,1,1,1,1,1,50,3,9,0.5\n"
    )
}

/// Tables of two experiments; the first lacks a row.
fn prepare(work: &Work) {
    work.write("exp/theory/experiment.toml", THEORY.to_string() + SMALL);
    work.write("exp/ranges/experiment.toml", RANGES);
    work.write("exp/collections.sha256", "# made from somewhere\n0123abcd  debian.jsonl\n");
    work.write("exp/thesis.csv", include_str!("../../exp/thesis.csv"));
    let rows = [(1, 1024, 1.9), (2, 1024, 1.91), (3, 1024, 1.89), (1, 2048, 0.5), (2, 2048, 0.51)];
    let rows = rows.map(|(seed, bits, s)| row("debian", seed, bits, s));
    work.write("res/theory-approximation.csv", HEAD.to_string() + &rows.concat());
    work.write("res/ranges-density.csv", DENSITY);
    work.write(
        "res/ranges-density-debian-tf-2-200-1-1024.csv",
        "cosine,hamming,pairs\n0,50,20\n80,79,10\n",
    );
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "report_experiments",
        "Writes a page that sets what the thesis published beside",
        &["tables", "thesis", "experiments", "out_dir", "small", "machine", "commit"],
    );
    check_spellings(prepare, LINE);
    check_manners(&prepared(), LINE, "read 2 tables, skipped 0, wrote 8 files");
}

#[test]
fn the_page_has_numbers_verdicts_and_pictures() {
    let work = prepared();
    work.ok(LINE);
    let page = work.read("page/README.md");
    for text in [
        "**Generated** by `report_experiments --tables res --thesis exp/thesis.csv --experiments exp --out_dir page`",
        "commit c0ffee",
        "- abacus",
        "0123abcd  debian.jsonl",
        "print under R what its formula calls P",
        // 1.9, 1.91, 1.89 of 2: 0.95, with a deviation of 0.005 and t(2) = 4.3027.
        "| debian, tf, 1024 bits | holds | 0.950 ± 0.012 of the closed form |",
        "| debian, tf, 2048 bits | does not hold |",
        "### S agrees with the closed form 10⁴·p(1 − p)/K. — does not hold",
        "*Why it does not hold.*",
        "run_experiment --experiment exp/theory",
        "<img src=\"pictures/theory-S.png\" width=\"800\"",
    ] {
        assert!(page.contains(text), "no '{text}' in\n{page}");
    }
    assert_eq!(
        work.read("page/tables/theory-approximation.csv"),
        work.read("res/theory-approximation.csv")
    );
    for picture in ["theory-S", "density-debian-tf-1024"] {
        let png = work.read_bytes(format!("page/pictures/{picture}.png"));
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{picture}");
        let svg = work.read(format!("page/pictures/{picture}.svg"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{picture}");
    }
    let linked = page.split("src=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    linked.for_each(|path| assert!(work.has(format!("page/{path}")), "{path}"));
}

#[test]
fn what_is_missing_is_named() {
    let work = prepared();
    work.ok(LINE);
    let page = work.read("page/README.md");
    for text in [
        "There is no experiment `pleb_parameters`.",
        "There is no experiment `timing`.",
        "1 of 6 rows of `theory-approximation.csv` are not there.",
        "1 files of bins beside `ranges-density.csv` are not there.",
    ] {
        assert!(page.contains(text), "no '{text}' in\n{page}");
    }
    std::fs::remove_file(work.path("res/theory-approximation.csv")).unwrap();
    std::fs::remove_file(work.path("exp/collections.sha256")).unwrap();
    work.ok(LINE);
    let page = work.read("page/README.md");
    assert!(page.contains("The table `theory-approximation.csv` is not there"), "{page}");
    assert!(page.contains("There is no record of the collections"), "{page}");
    assert!(page.contains(
        "### S agrees with the closed form 10⁴·p(1 − p)/K. — cannot be judged on this data"
    ));
}

#[test]
fn small_versions_have_tables_of_their_own() {
    let work = prepared();
    work.write(
        "res/theory-small-approximation.csv",
        HEAD.to_string() + &row("sample", 1, 1024, 2.0),
    );
    work.ok(&format!("{LINE} --small"));
    let page = work.read("page/README.md");
    assert!(page.contains("This is the small version"), "{page}");
    assert!(
        page.contains("sample, tf, 1024 bits") && !page.contains("debian, tf, 1024 bits"),
        "{page}"
    );
    assert!(page.contains("run_experiment --experiment exp/theory --small"), "{page}");
}

#[test]
fn the_same_tables_give_the_same_bytes() {
    let work = prepared();
    let mut seen = Vec::new();
    for threads in [1, 2, 5] {
        work.ok(&format!("{LINE} --threads {threads}"));
        let names = work.files().into_iter().filter(|name| name.starts_with("page/"));
        seen.push(names.map(|name| (name.clone(), work.read_bytes(name))).collect::<Vec<_>>());
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn damaged_tables_are_refused_and_leave_no_page() {
    let damages: [(&str, String, &str); 7] = [
        (
            "res/theory-approximation.csv",
            HEAD.to_string() + &row("debian", 1, 1024, 2.0).replace("900", "many"),
            "theory-approximation.csv:2: expected a number for L2, found 'many'",
        ),
        (
            "res/theory-approximation.csv",
            HEAD.to_string() + "debian,tf\n",
            "theory-approximation.csv:2: expected 40 values, found 2",
        ),
        (
            "res/theory-approximation.csv",
            HEAD.to_string() + "debian,tf",
            "theory-approximation.csv:2: expected a newline, found the end of the file (truncated?)",
        ),
        (
            "res/theory-approximation.csv",
            HEAD.replace("S_bins", "bins"),
            "theory-approximation.csv:1: expected the columns collection,weighting",
        ),
        (
            "res/ranges-density-debian-tf-2-200-2-1024.csv",
            "cosine,hamming,pairs\n1,2,x\n".into(),
            "1024.csv:2: expected three numbers, found '1,2,x'",
        ),
        (
            "exp/thesis.csv",
            include_str!("../../exp/thesis.csv").replacen("69.8", "much", 1),
            "thesis.csv:2: expected a number for value, found 'much'",
        ),
        (
            "exp/theory/experiment.toml",
            THEORY.replace("sample = 200", "sample = 0"),
            "experiment.toml:10: ",
        ),
    ];
    for (name, content, expected) in damages {
        let work = prepared();
        work.write(name, content);
        let message = work.fails(LINE);
        assert!(message.contains(expected), "{name}: {message}");
        assert!(!work.has("page/README.md"), "{name}");
    }
    let work = prepared();
    std::fs::remove_file(work.path("exp/thesis.csv")).unwrap();
    assert!(work.fails(LINE).contains("exp/thesis.csv: cannot open"));
}
