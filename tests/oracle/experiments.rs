//! Compares the rows of run_experiment with the plain executables: a shell runs the command lines of `--dry_run`, and every number is
//! looked up in their output or computed from it.

use std::collections::BTreeMap;
use std::process::Command;

use super::measures::read_result;
use crate::cli::run_experiment::{LINE, experiment, tables};
use crate::common::{Outcome, Work, executable_path};

/// A configuration: its measure, its values, its new command lines, and their messages.
struct Section {
    measure: String,
    values: BTreeMap<String, String>,
    lines: Vec<String>,
    said: String,
}

/// A row's values by column.
type Cells = BTreeMap<String, String>;

/// Returns the lines of a dry run, by configuration.
fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        let Some(head) = line.strip_prefix("# ") else {
            sections.last_mut().unwrap().lines.push(line.to_string());
            continue;
        };
        let (measure, pairs) = head.split_once(": ").unwrap();
        let pairs = pairs.split(' ').map(|pair| pair.split_once('=').unwrap());
        let values = pairs.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let said = String::new();
        sections.push(Section { measure: measure.into(), values, lines: Vec::new(), said });
    }
    sections
}

/// Runs command lines with the executables under test and returns their messages.
#[track_caller]
fn shell(work: &Work, lines: &[String]) -> String {
    let bin = executable_path("create_bows").parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", &lines.join("\n")]).current_dir(work.path(""));
    command.env("PATH", std::env::join_paths(folders).unwrap());
    let ran = Outcome::from(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", lines.join("\n"), ran.stderr);
    ran.stderr
}

/// Runs an experiment, and its command lines in a separate folder (up to the first named by `until`); returns for each configuration
/// its section and its row by column.
fn both(grids: &str, until: &str) -> (Work, Vec<(Section, Cells)>) {
    let work = experiment(grids);
    work.ok(LINE);
    let dry = work.ok(&format!("{} --dry_run", LINE.replace("work_dir work", "work_dir plain")));
    let mut rows: BTreeMap<String, Vec<Cells>> = BTreeMap::new();
    let mut both = Vec::new();
    for mut section in sections(&dry.stdout) {
        let end = section.lines.iter().position(|line| line.starts_with(until));
        section.lines.truncate(end.unwrap_or(section.lines.len()));
        section.said = shell(&work, &section.lines);
        let left = rows.entry(section.measure.clone()).or_insert_with(|| {
            let name = format!("res/test-{}.csv", section.measure);
            let mut all = table(&work.read(name));
            all.reverse();
            all
        });
        let row = left.pop().unwrap();
        for (key, value) in &section.values {
            assert_eq!(row[key], *value, "rows stand in the order of the plan");
        }
        both.push((section, row));
    }
    assert!(rows.values().all(Vec::is_empty), "rows that no command line gives");
    (work, both)
}

/// Returns a table's rows by column.
fn table(text: &str) -> Vec<Cells> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), names.len(), "{line}");
        names.iter().zip(cells).map(|(name, cell)| (name.to_string(), cell.to_string())).collect()
    };
    lines.map(row).collect()
}

/// Returns the value of a flag in a command line.
fn flag<'a>(line: &'a str, name: &str) -> &'a str {
    let words: Vec<&str> = line.split(' ').collect();
    words[words.iter().position(|word| *word == format!("--{name}")).unwrap() + 1]
}

/// Returns the summaries that a section writes, in order: measures by name.
fn summaries(work: &Work, section: &Section) -> Vec<BTreeMap<String, String>> {
    let lines = section.lines.iter().filter(|line| line.contains(" --summary "));
    lines.map(|line| summary(work, flag(line, "summary"))).collect()
}

/// Returns the measures of a summary by name.
fn summary(work: &Work, file: &str) -> BTreeMap<String, String> {
    let text = work.read(file);
    let pairs = text.lines().skip(1).map(|line| line.split_once(',').unwrap());
    pairs.map(|(measure, value)| (measure.to_string(), value.to_string())).collect()
}

/// Returns a number as written to tables: integers unchanged, others with six decimals.
fn written(value: &str, is_count: bool) -> String {
    if value.is_empty() || is_count {
        return value.to_string();
    }
    format!("{:.6}", value.parse::<f64>().unwrap())
}

#[track_caller]
fn assert_same(row: &Cells, column: &str, expected: &str) {
    assert_eq!(row[column], expected, "{column} of {row:?}");
}

/// Returns the number that a header states.
fn stated(work: &Work, file: &str, word: &str) -> String {
    let text = work.read(file);
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap().trim().to_string()
}

#[test]
fn approximations_are_what_compare_results_says() {
    let grids = "[[grid]]
measure = \"approximation\"
collection = \"tiny\"
weighting = [\"tf\", \"tf_idf\"]
min_df = 2
sample = [13, 2]
rnd_seed = 7
sig_len = [4, 100]
threshold_sim = [35, 99.5]
threshold_ham = [60, \"lowest\", \"calibrated\"]

[[grid]]
measure = \"approximation\"
collection = \"tiny\"
weighting = \"tf_idf\"
min_df = 1
sample = 1000
rnd_seed = [1, 2]
sig_len = 64
threshold_sim = 50
threshold_ham = \"lowest\"
";
    let (work, both) = both(grids, "nothing");
    assert_eq!(both.len(), 50);
    for (section, row) in &both {
        let summaries = summaries(&work, section);
        let [all, near] = &summaries[..] else { panic!("{:?}", section.lines) };
        let counts = ["documents", "pairs_both", "S_bins"];
        for (name, value) in all.iter().filter(|(name, _)| !name.ends_with("_only")) {
            let column = if name == "pairs_both" { "pairs" } else { name };
            assert_same(row, column, &written(value, counts.contains(&&**name)));
        }
        assert_eq!(row.len(), 8 + 32, "every column has been looked at");
        for name in ["L1", "L2", "S"] {
            assert_same(row, &format!("near_{name}"), &written(&near[name], false));
        }
        assert_same(row, "near_pairs", &near["pairs_both"]);
        let [weighting, bits, seed, size] =
            ["weighting", "sig_len", "rnd_seed", "sample"].map(|key| &section.values[key]);
        let sigs = format!("plain/tiny/{weighting}-{}-{bits}-{seed}.sig_paths", row["min_df"]);
        assert_same(row, "distinct_signatures", &stated(&work, &sigs, "POCET_RUZNYCH_SIGNATUR"));
        let (sim, ham) = (&section.values["threshold_sim"], &section.values["threshold_ham"]);
        let used = match &**ham {
            "lowest" => work.read(format!("{sigs}.ham-{size}.cmp-{sim}-lowest.threshold")),
            "calibrated" => {
                let cosine: f64 = sim.parse().unwrap();
                (100.0 - (cosine / 100.0).acos() * 100.0 / std::f64::consts::PI).to_string()
            }
            number => number.to_string(),
        };
        assert_same(row, "threshold_ham_used", &written(used.trim(), false));
    }
    // All cases occur: with and without near pairs, with and without a lowest similarity.
    let of = |column: &str| both.iter().map(|(_, row)| row[column].clone()).collect::<Vec<_>>();
    assert!(of("near_pairs").contains(&"0".into()) && of("near_pairs").iter().any(|n| n != "0"));
    assert!(of("documents").contains(&"13".into()) && of("documents").contains(&"40".into()));
}

#[test]
fn what_a_vocabulary_changes_is_what_compare_results_says() {
    let grids = "[[grid]]
measure = \"vocabulary\"
collection = \"tiny\"
weighting = [\"tf\", \"tf_idf\"]
min_df = [1, 2, 12]
sample = 13
threshold_sim = [60, 100]
";
    let (work, both) = both(grids, "nothing");
    assert_eq!(both.len(), 12);
    for (section, row) in both {
        let [weighting, min_df, threshold] =
            ["weighting", "min_df", "threshold_sim"].map(|key| &section.values[key]);
        let stem = format!("plain/tiny/{weighting}-{min_df}.vec_paths.sim-13");
        let all = summary(&work, &format!("{stem}.cmp.csv"));
        let near = summary(&work, &format!("{stem}-{threshold}.cmp.csv"));
        for (name, column) in [("documents", "documents"), ("pairs_both", "pairs")] {
            assert_same(&row, column, &all[name]);
        }
        assert_same(&row, "near_pairs", &near["pairs_both"]);
        for name in ["L1", "L2", "largest_difference", "S"] {
            assert_same(&row, name, &written(&all[name], false));
        }
        for name in ["L1", "L2", "S"] {
            assert_same(&row, &format!("near_{name}"), &written(&near[name], false));
        }
        let terms =
            |min_df: &str| stated(&work, &format!("plain/tiny/voc-{min_df}"), "VELIKOST_SLOVNIKU");
        assert_same(&row, "terms_whole", &terms("1"));
        assert_same(&row, "terms", &terms(&section.values["min_df"]));
    }
}

/// Pairs of documents that a result has, and pairs of signatures.
fn pairs(text: &str) -> (usize, usize) {
    let documents: usize = read_result(text, false).values().map(BTreeMap::len).sum();
    let signatures: usize = text.lines().map(|line| line.split(':').count() / 2).sum();
    (documents / 2, signatures / 2)
}

#[test]
fn what_pleb_finds_is_what_hamming_writes() {
    let grids = "[[grid]]
measure = \"pleb\"
collection = \"tiny\"
weighting = \"tf\"
min_df = 1
rnd_seed = [1, 2]
sig_len = 128
threshold = [62.5, 75]
beam = [1, 4]
shift_count = [3, \"full\"]
iter_count = [2, 5, 1]
";
    let (work, both) = both(grids, "nothing");
    assert_eq!(both.len(), 48);
    let (mut full_result, mut estimates, mut missed) = (String::new(), 0, 0);
    for (section, row) in &both {
        let of = |name: &str| section.lines.iter().find(|line| line.starts_with(name));
        if let Some(line) = of("hamming_full ") {
            full_result = work.read(flag(line, "out"));
        }
        let line = of("hamming ").unwrap();
        let (all, found) = (pairs(&full_result), pairs(&work.read(flag(line, "out"))));
        let sigs = flag(line, "sig_paths");
        assert_same(row, "distinct_signatures", &stated(&work, sigs, "POCET_RUZNYCH_SIGNATUR"));
        assert_same(row, "all_pairs", &all.0.to_string());
        assert_same(row, "found_pairs", &found.0.to_string());
        assert!(section.said.contains(&format!(", wrote {} pairs", found.0)), "{}", section.said);
        let share = |found: usize, all: usize| format!("{:.6}", 100.0 * found as f64 / all as f64);
        assert_same(row, "found_pairs_pct", &share(found.0, all.0));
        assert_same(row, "found_signature_pairs_pct", &share(found.1, all.1));
        missed += all.0 - found.0;
        // With a target recall, hamming prints its estimate and stops when it reaches the target.
        if flag(line, "shift_count") != "full" {
            continue;
        }
        let told = work.ok(&format!("{line} --target_recall 1")).stderr;
        let iteration = format!("iteration {}: ", section.values["iter_count"]);
        let Some(told) = told.lines().find(|line| line.contains(&iteration)) else { continue };
        let estimate = match &*row["estimate_pct"] {
            "" => "too few to estimate their share".to_string(),
            estimate => format!("an estimated {:.2} % of all", estimate.parse::<f64>().unwrap()),
        };
        assert!(told.ends_with(&estimate), "{told} {row:?}");
        estimates += usize::from(!row["estimate_pct"].is_empty());
    }
    assert!(estimates > 3 && missed > 100, "{estimates} estimates, {missed} pairs missed");
}

/// Returns the pairs (cosine, Hamming similarity) of a comparison, and how many documents it is about.
fn compared(text: &str) -> (usize, Vec<(f64, f64)>) {
    let text = text.split_once("\nSummary:\n").unwrap().0;
    let (heads, lines): (Vec<&str>, Vec<&str>) = text
        .lines()
        .filter(|line| !line.is_empty())
        .partition(|line| line.starts_with("Results for "));
    let pair = |line: &&str| {
        let fields: Vec<&str> = line.split(' ').collect();
        (fields[1].parse().unwrap(), fields[2].parse().unwrap())
    };
    (heads.len(), lines.iter().map(pair).collect())
}

#[test]
fn densities_are_counted_from_the_comparison() {
    let grids = "[[grid]]
measure = \"density\"
collection = \"tiny\"
weighting = [\"tf\", \"tf_idf\"]
min_df = 1
sample = [7, 40]
rnd_seed = 3
sig_len = [8, 132]
";
    let (work, both) = both(grids, "nothing");
    assert_eq!(both.len(), 8);
    for (section, row) in both {
        let line = section.lines.iter().find(|line| line.starts_with("compare_results ")).unwrap();
        let (documents, pairs) = compared(&work.read(flag(line, "out")));
        let count = pairs.len() as f64;
        let mean = |value: &dyn Fn(f64, f64) -> f64| {
            pairs.iter().map(|(c, h)| value(*c, *h)).sum::<f64>() / count
        };
        let (c, h) = (mean(&|c, _| c), mean(&|_, h| h));
        let variance = |value: &dyn Fn(f64, f64) -> f64| mean(&|c, h| value(c, h).powi(2));
        let covariance = mean(&|one, other| (one - c) * (other - h));
        let spread = (variance(&|one, _| one - c) * variance(&|_, one| one - h)).sqrt();
        let curve = |c: f64| 100.0 - (c / 100.0).min(1.0).acos() * 100.0 / std::f64::consts::PI;
        let near = |column: &str, expected: f64| {
            let found: f64 = row[column].parse().unwrap();
            assert!((found - expected).abs() < 2e-6, "{column}: {found} instead of {expected}");
        };
        assert_same(&row, "documents", &documents.to_string());
        assert_same(&row, "pairs", &pairs.len().to_string());
        near("cosine_mean", c);
        near("hamming_mean", h);
        near("hamming_least", pairs.iter().map(|(_, h)| *h).fold(100.0, f64::min));
        near("share_below_45", 100.0 * mean(&|_, h| f64::from(u8::from(h < 45.0))));
        near("correlation", covariance / spread);
        near("mean_distance_from_curve", mean(&|c, h| (h - curve(c)).abs()));

        let mut bins: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let bin = |value: f64| (value as u64).min(99);
        pairs.iter().for_each(|(c, h)| *bins.entry((bin(*c), bin(*h))).or_default() += 1);
        let lines: String = bins.iter().map(|((c, h), n)| format!("{c},{h},{n}\n")).collect();
        let [weighting, size, bits] =
            ["weighting", "sample", "sig_len"].map(|k| &section.values[k]);
        let name = format!("res/test-density-tiny-{weighting}-1-{size}-3-{bits}.csv");
        assert_eq!(work.read(name), format!("cosine,hamming,pairs\n{lines}"));
    }
}

#[test]
fn planes_are_counted_from_signatures() {
    let grids = "[[grid]]
measure = \"planes\"
collection = \"tiny\"
weighting = [\"tf\", \"tf_idf\"]
min_df = 1
rnd_seed = [1, 2]
sig_len = [4, 68]
";
    let (work, both) = both(grids, "implant_rnd_vecs ");
    assert_eq!(both.len(), 8);
    for (section, row) in both {
        let [weighting, seed, bits] =
            ["weighting", "rnd_seed", "sig_len"].map(|k| &section.values[k]);
        work.ok(&format!("create_sigs --vec_paths plain/tiny/{weighting}-1.vec_paths --sig_len {bits} --rnd_seed {seed} --sig_dir sigs --sig_paths sig_paths"));
        let list = work.read("sig_paths");
        let (mut documents, mut counts) = (0.0, vec![0.0; bits.parse().unwrap()]);
        for file in list.lines().skip(3) {
            for line in work.read(file).lines() {
                let (signature, names) = line.split_once(':').unwrap();
                let size: f64 = names.split(' ').next().unwrap().parse().unwrap();
                documents += size;
                for (place, count) in counts.iter_mut().enumerate() {
                    let digit = signature.as_bytes()[place / 4] as char;
                    let is_set = digit.to_digit(16).unwrap() >> (3 - place % 4) & 1;
                    *count += size * f64::from(is_set);
                }
            }
        }
        let shares: Vec<f64> = counts.iter().map(|count| 100.0 * count / documents).collect();
        let count = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let least = shares.iter().copied().fold(100.0, f64::min);
        let greatest = shares.iter().copied().fold(0.0, f64::max);
        assert_same(&row, "documents", &documents.to_string());
        for (column, expected) in [
            ("share_least", least),
            ("share_mean", mean),
            ("share_greatest", greatest),
            ("share_deviation", (squares / (count - 1.0)).sqrt()),
        ] {
            assert_same(&row, column, &format!("{expected:.6}"));
        }
        for class in 0..20 {
            let (from, to) = (f64::from(class) * 5.0, f64::from(class) * 5.0 + 5.0);
            let is_in = |share: &&f64| **share >= from && (**share < to || class == 19);
            let expected = shares.iter().filter(is_in).count().to_string();
            assert_same(&row, &format!("planes_{}", class * 5), &expected);
        }
    }
}

#[test]
fn timings_have_what_the_stages_count() {
    let grids = "[[grid]]
measure = \"timing\"
collection = \"tiny\"
weighting = \"tf_idf\"
min_df = 2
rnd_seed = 4
sig_len = 64
threshold = 70
method = [\"create_bows\", \"create_voc\", \"reduce_voc\", \"create_vecs\", \"create_sigs\", \"similarity\", \"hamming_full\"]

[[grid]]
measure = \"timing\"
collection = \"tiny\"
weighting = \"tf_idf\"
min_df = 2
rnd_seed = 4
sig_len = 64
threshold = 70
method = \"hamming\"
beam = 2
shift_count = \"full\"
iter_count = [1, 3]
";
    let (_, both) = both(grids, "nothing");
    assert_eq!(both.len(), 9);
    for (section, row) in &both {
        assert!(row["seconds"].parse::<f64>().unwrap() >= 0.0, "{row:?}");
        let counts = format!(", wrote {} {};", row["wrote"], row["what"]);
        let start = format!("{}: read {} ", row["method"], row["read"]);
        // The first configuration has run the earlier stages.
        let said: String = both.iter().map(|(section, _)| &*section.said).collect();
        let is_it = |line: &str| line.starts_with(&start) && line.contains(&counts);
        assert!(said.lines().any(is_it), "{row:?}\n{said}");
        assert!(row["method"] != "hamming" || section.said.contains("hamming: "), "{row:?}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let grids = "[[grid]]
measure = \"approximation\"
collection = [\"tiny\", \"synthetic-120\"]
weighting = \"tf_idf\"
min_df = 1
sample = 33
rnd_seed = [1, 2]
sig_len = [64, 256]
threshold_sim = 50
threshold_ham = [\"lowest\", 70]

[[grid]]
measure = \"pleb\"
collection = [\"tiny\", \"synthetic-120\"]
weighting = \"tf\"
min_df = 1
rnd_seed = 1
sig_len = 256
threshold = 70
beam = 3
shift_count = 9
iter_count = [1, 8]

[[grid]]
measure = \"planes\"
collection = \"synthetic-120\"
weighting = \"tf\"
min_df = 1
rnd_seed = 1
sig_len = 256

[[grid]]
measure = \"density\"
collection = \"synthetic-120\"
weighting = \"tf\"
min_df = 1
sample = 33
rnd_seed = 1
sig_len = 256

[[grid]]
measure = \"vocabulary\"
collection = \"synthetic-120\"
weighting = \"tf\"
min_df = 2
sample = 33
threshold_sim = 50
";
    let made = [1, 2, 5].map(|threads| {
        let work = experiment(grids);
        work.ok(&format!("{LINE} --threads {threads}"));
        tables(&work)
    });
    assert_eq!(made[0].len(), 6);
    assert!(made[0] == made[1] && made[0] == made[2]);
}
