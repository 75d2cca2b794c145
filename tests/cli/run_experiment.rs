//! run_experiment: its usage, experiments that cannot be, tables that are there, and collections of every kind. That its numbers are right is
//! tested with the oracles.

use std::fs::File;

use super::shared::check_usage;
use crate::common::{Work, gzip};

/// Documents with near-duplicates, two that are the same, one without words, one with a number alone, and one with an awkward name.
pub fn documents(count: usize) -> String {
    let mut lines = String::new();
    for number in 0..count {
        // Every fourth has most words of the one before; those are 40 of 90 words, by a rule that scatters them.
        let (first, last) = if number % 4 == 3 { (number - 1, 34) } else { (number, 40) };
        let word = |seed: usize, place: usize| (seed * 37 + place * place * (seed % 7 + 1)) % 90;
        let mut words: Vec<String> =
            (0..last).map(|place| format!("w{}", word(first, place))).collect();
        words.extend((last..40).map(|place| format!("w{}", word(number + 50, place))));
        let text = match number {
            6 => String::new(),
            14 => "1987".to_string(),
            9 => "same same words".to_string(),
            10 => "words same same".to_string(),
            _ => words.join(" "),
        };
        let name = if number == 5 { "five (5): a%b".to_string() } else { format!("d{number}") };
        lines += &format!("{{\"id\": \"{name}\", \"text\": \"{text}\"}}\n");
    }
    lines
}

/// Returns a folder with a collection `tiny` and an experiment `test` of these grids.
pub fn experiment(grids: &str) -> Work {
    let work = Work::new();
    work.write("collections/tiny.jsonl", documents(40));
    work.write("exp/test/experiment.toml", format!("title = \"A test\"\n{grids}"));
    work
}

/// The command line that runs the experiment.
pub const LINE: &str =
    "run_experiment --experiment exp/test --collections collections --work_dir work --res_dir res";

/// One row, quickly measured.
const ONE: &str = "[[grid]]\nmeasure = \"planes\"\ncollection = \"tiny\"\nweighting = \"tf\"\nmin_df = 1\nrnd_seed = 1\nsig_len = 16\n";

/// Two tables of several rows.
pub const SEVERAL: &str = "[[grid]]
measure = \"approximation\"
collection = \"tiny\"
weighting = [\"tf\", \"tf_idf\"]
min_df = 2
sample = 9
rnd_seed = [1, 2]
sig_len = [4, 60, 128]
threshold_sim = 80
threshold_ham = [\"lowest\", \"calibrated\"]

[[grid]]
measure = \"density\"
collection = \"tiny\"
weighting = \"tf_idf\"
min_df = 1
sample = 50
rnd_seed = [1, 2]
sig_len = 100
";

/// Returns the files of the table folder.
pub fn tables(work: &Work) -> Vec<(String, String)> {
    let names = work.files().into_iter().filter(|name| name.starts_with("res/"));
    names.map(|name| (name.clone(), work.read(&name))).collect()
}

#[test]
fn usage() {
    check_usage(
        "run_experiment",
        "Measures every combination of the settings that an experiment lists",
        &[
            "experiment",
            "collections",
            "work_dir",
            "res_dir",
            "small",
            "dry_run",
            "shard",
            "merge_shards",
        ],
    );
}

/// Runs an experiment that cannot be, and returns the message behind the file's name.
#[track_caller]
fn refusal(content: impl AsRef<[u8]>) -> String {
    let work = experiment("");
    work.write("exp/test/experiment.toml", content);
    let message = work.fails(LINE);
    let start = "run_experiment: error: exp/test/experiment.toml:";
    let rest = message.strip_prefix(start).unwrap_or_else(|| panic!("{message}"));
    assert_eq!(rest.matches('\n').count(), 1, "{message}");
    assert!(!work.has("res") && !work.has("work"), "{message}");
    rest.trim_end().to_string()
}

#[test]
fn an_invalid_experiment_is_refused_with_line_and_key() {
    let with = |line: &str| format!("title = \"A test\"\n{ONE}{line}\n");
    let instead = |old: &str, new: &str| format!("title = \"A test\"\n{ONE}").replace(old, new);
    let known = "`measure`, `collection`, `weighting`, `min_df`, `sample`, `rnd_seed`, `sig_len`, `threshold_sim`, `threshold_ham`, `threshold`, `method`, `beam`, `shift_count`, `iter_count`";
    for (content, expected) in [
        (with("colour = 1"), format!("9: unknown variant `colour`, expected one of {known} at 'colour = 1'")),
        (with("[other]"), "9: unknown field `other`, expected one of `title`, `tables`, `grid`, `small` at '[other]'".into()),
        (instead("= 16", "= []"), "8: expected for sig_len at least one value, found an empty list".into()),
        (instead("= 16", "= [16, 16]"), "8: expected for sig_len distinct values, found '16' twice".into()),
        (instead("= 16", "= 18"), "8: expected for sig_len a multiple of 4 from 4 to 16777216, found '18'".into()),
        (instead("= 16", "= true"), "8: expected for sig_len a multiple of 4 from 4 to 16777216, found 'boolean'".into()),
        (instead("rnd_seed = 1", "rnd_seed = -1"), "7: expected for rnd_seed an integer of at least 0, found '-1'".into()),
        (instead("min_df = 1", "min_df = 0"), "6: expected for min_df an integer of at least 1, found '0'".into()),
        (instead("\"tf\"", "[\"tf\", \"idf\"]"), "5: expected for weighting tf, tf_idf or word_weights, found 'idf'".into()),
        (instead("\"tiny\"", "\"../tiny\""), "4: expected for collection a name of letters, digits, '_' and '-', found '../tiny'".into()),
        (instead("\"tiny\"", "[\n\"tiny\",\n\"huge\"]"), "4: expected for collection the name of one in collections, found 'huge'".into()),
        (instead("\"tiny\"", "\"synthetic-0\""), "4: expected for collection the name of one in collections, found 'synthetic-0'".into()),
        (instead("\"planes\"", "\"plains\""), "3: expected for measure one of approximation, vocabulary, pleb, planes, density, timing, found 'plains'".into()),
        (instead("\"planes\"", "[\"planes\", \"pleb\"]"), "3: expected one measure, found several".into()),
        (instead("measure = \"planes\"\n", ""), "2: expected measure, found none".into()),
        (instead("sig_len = 16\n", ""), "2: expected sig_len, a key of the measure planes, found a grid without it".into()),
        (with("sample = 3"), "9: expected a key of the measure planes, found 'sample'".into()),
        (with("[small]\nbeam = 3"), "10: expected below small a key of a grid, found 'beam'".into()),
        (with("[small]\nmeasure = \"planes\""), "10: expected below small a key of a grid, found 'measure'".into()),
        (with("[small]\nsig_len = []"), "10: expected for sig_len at least one value, found an empty list".into()),
        (ONE.into(), "1: missing field `title` at '[[grid]]'".into()),
        (instead("\"A test\"", "5"), "1: invalid type: integer `5`, expected a string at 'title = 5'".into()),
        (with("[tables]"), "9: invalid type: map, expected a sequence at '[tables]'".into()),
        (instead("[[grid]]", "[grid]"), "2: invalid type: map, expected a sequence at '[grid]'".into()),
        ("title = \"A test\"\ngrid = [1]\n".into(), "2: invalid type: integer `1`, expected a map at 'grid = [1]'".into()),
        ("title = \"A test\"\n\n".into(), "1: missing field `grid` at 'title = \"A test\"'".into()),
        (String::new(), "1: missing field `title` at ''".into()),
    ] {
        assert_eq!(refusal(&content), expected, "{content}");
    }
}

#[test]
fn invalid_thresholds_and_methods_are_refused() {
    let approximation = SEVERAL.replace("threshold_sim = 80", "threshold_sim = 120");
    assert_eq!(
        refusal(format!("title = \"A test\"\n{approximation}")),
        "10: expected for threshold_sim a percentage from 0 to 100, found '120'"
    );
    let approximation = SEVERAL.replace("\"calibrated\"", "\"highest\"");
    assert_eq!(
        refusal(format!("title = \"A test\"\n{approximation}")),
        "11: expected for threshold_ham a percentage from 0 to 100, lowest or calibrated, found 'highest'"
    );
    let timing = |method: &str, rest: &str| {
        let grid = ONE.replace("planes", "timing");
        format!("title = \"A test\"\n{grid}threshold = 90\nmethod = {method}\n{rest}")
    };
    for (content, expected) in [
        (
            timing("\"sort\"", ""),
            "10: expected for method the name of a pipeline stage, found 'sort'",
        ),
        (
            timing("\"hamming\"", "beam = 3\niter_count = 2\n"),
            "2: expected shift_count, a key of the measure timing, found a grid without it",
        ),
        (
            timing("[\"similarity\", \"hamming\"]", ""),
            "10: expected for method hamming a grid of its own, found several methods",
        ),
        (
            timing("\"similarity\"", "beam = 3\n"),
            "11: expected a key of the grid's methods, found 'beam'",
        ),
        (
            timing("\"reduce_voc\"", ""),
            "6: expected for min_df at least 2 with method reduce_voc, found '1'",
        ),
    ] {
        assert_eq!(refusal(&content), expected, "{content}");
    }
}

#[test]
fn invalid_toml_and_invalid_utf8_are_refused() {
    let message = refusal(format!("title = \"A test\"\n{ONE}beam 3\n"));
    assert!(message.starts_with("9: ") && message.ends_with(" at 'beam 3'"), "{message}");
    let message = refusal("title = \"A test\"\ntitle = \"Another\"\n");
    assert!(message.starts_with("2: duplicate key at 'title"), "{message}");
    let bytes = [b"title = \"A test\"\n[[grid]]\nmeasure = \"".as_slice(), b"\xff\"\n"].concat();
    assert_eq!(refusal(bytes), "3: expected UTF-8, found other bytes");
}

#[test]
fn an_experiment_that_is_not_there_is_reported() {
    let work = experiment(ONE);
    let message = work.fails("run_experiment --experiment exp/other");
    assert!(message.starts_with("run_experiment: error: exp/other: cannot "), "{message}");
    std::fs::create_dir(work.path("exp/empty")).unwrap();
    let message = work.fails("run_experiment --experiment exp/empty");
    assert!(message.contains("exp/empty/experiment.toml: cannot "), "{message}");
}

#[test]
fn existing_rows_are_not_measured_again() {
    let work = experiment(SEVERAL);
    let ran = work.ok(LINE);
    let counts = "run_experiment: read 26 configurations, skipped 0, wrote 26 rows; ";
    assert!(ran.stderr.starts_with(counts), "{}", ran.stderr);
    let before = tables(&work);
    assert_eq!(before.len(), 4, "two tables, and the bins of two rows");
    let ran = work.ok(LINE);
    let counts =
        "run_experiment: read 26 configurations, skipped 26 measured before, wrote 0 rows; ";
    assert!(ran.stderr.starts_with(counts), "{}", ran.stderr);
    assert_eq!(tables(&work), before);

    // More values: only they are measured. Fewer: rows would stand there that nobody asked for.
    let more = SEVERAL.replace("[4, 60, 128]", "[4, 8, 60, 128]");
    work.write("exp/test/experiment.toml", format!("title = \"A test\"\n{more}"));
    let ran = work.ok(LINE);
    assert!(ran.stderr.contains("skipped 26 measured before, wrote 8 rows"), "{}", ran.stderr);
    let grown = work.read("res/test-approximation.csv");
    assert!(grown.starts_with(&work_table(&before, "approximation")), "{grown}");
    work.write("exp/test/experiment.toml", format!("title = \"A test\"\n{SEVERAL}"));
    let message = work.fails(LINE);
    let expected = "res/test-approximation.csv:26: expected a configuration of the experiment (remove the table if the experiment was changed), found 'tiny,tf,2,9,1,8,80,lowest'\n";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn merged_tables_of_shards_are_those_of_one_run() {
    let whole = experiment(SEVERAL);
    whole.ok(LINE);
    // More shards than rows: some measure nothing.
    for count in [1, 3, 8, 30] {
        let work = experiment(SEVERAL);
        for index in (1..=count).rev() {
            let own = LINE.replace("--work_dir work", &format!("--work_dir work/{index}"));
            work.ok(&format!("{own} --shard {index}/{count}"));
        }
        let counts = format!("run_experiment: read {count} shards, skipped 0, wrote 26 rows; ");
        let merged = work.ok(&format!("{LINE} --merge_shards {count}"));
        assert!(
            merged.stderr.replace("1 shard,", "1 shards,").starts_with(&counts),
            "{}",
            merged.stderr
        );
        let is_whole = |(name, _): &(String, String)| !name.contains("-of-");
        let found: Vec<_> = tables(&work).into_iter().filter(is_whole).collect();
        assert_eq!(found, tables(&whole), "{count} shards");
    }
}

#[test]
fn merging_names_shards_that_lack_rows() {
    let work = experiment(SEVERAL);
    for index in 1..=3 {
        work.ok(&format!("{LINE} --shard {index}/3"));
    }
    let name = "res/test-approximation.2-of-3.csv";
    let text = work.read(name);
    let merge = format!("{LINE} --merge_shards 3");
    let last_row = text.trim_end().rfind('\n').unwrap() + 1;
    work.write(name, &text[..last_row]);
    let message = work.fails(&merge);
    let expected = format!("run_experiment: error: {name}: expected a row of collection=tiny ");
    assert!(message.starts_with(&expected), "{message}");
    assert!(message.ends_with(", found none: run this shard again\n"), "{message}");
    // A shard that lacks a row measures only that.
    let ran = work.ok(&format!("{LINE} --shard 2/3"));
    assert!(ran.stderr.contains("wrote 1 row;"), "{}", ran.stderr);
    assert_eq!(work.read(name), text);
    std::fs::remove_file(work.path(name)).unwrap();
    let message = work.fails(&merge);
    assert!(message.contains(&format!("{name}: cannot open")), "{message}");
    let message = work.fails(&format!("{LINE} --merge_shards 4"));
    assert!(message.contains("test-approximation.1-of-4.csv: cannot open"), "{message}");
    assert!(!work.has("res/test-approximation.csv"));
}

fn work_table(tables: &[(String, String)], measure: &str) -> String {
    let name = format!("res/test-{measure}.csv");
    tables.iter().find(|(of, _)| *of == name).unwrap().1.clone()
}

#[test]
fn an_incomplete_row_is_removed() {
    let work = experiment(SEVERAL);
    work.ok(LINE);
    let whole = tables(&work);
    for name in ["res/test-approximation.csv", "res/test-density.csv"] {
        let text = work.read(name);
        // In the last row, at its end, in a row before, in the header, nothing at all.
        let middle = text.match_indices('\n').nth(1).unwrap().0;
        for length in [text.len() - 1, text.len() - 5, middle + 3, middle + 1, middle, 7, 0] {
            work.write(name, &text[..length]);
            work.ok(LINE);
            assert!(tables(&work) == whole, "{name}: {length} bytes left");
        }
    }
}

#[test]
fn foreign_tables_are_refused() {
    let work = experiment(ONE);
    work.ok(LINE);
    let name = "res/test-planes.csv";
    let text = work.read(name);
    let row = text.lines().nth(1).unwrap();
    for (content, expected) in [
        (text.replacen("rnd_seed", "seed", 1), "1: expected the columns collection,weighting,"),
        (text.replacen(",planes_95", "", 1), "1: expected the columns collection,weighting,"),
        (format!("{text}{row}\n"), "3: expected distinct configurations, found 'tiny,tf,1,1,16'"),
        (
            format!("{text}\n{}\n", row.replacen("tiny", "huge", 1)),
            "4: expected a configuration of the experiment (remove the table if the experiment was changed), found 'huge,tf,1,1,16'",
        ),
        (format!("{text}tiny,tf,1\n"), "3: expected 30 values, found 3"),
        ("a letter to a friend".into(), "1: expected a table, found 'a letter to a friend'"),
    ] {
        work.write(name, &content);
        let message = work.fails(LINE);
        let start = format!("run_experiment: error: {name}:{expected}");
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(work.read(name), content);
    }
}

#[test]
fn a_table_that_another_run_is_writing_is_left_alone() {
    let work = experiment(ONE);
    std::fs::create_dir(work.path("res")).unwrap();
    let table = File::create(work.path("res/test-planes.csv")).unwrap();
    table.lock().unwrap();
    let message = work.fails(LINE);
    assert!(
        message.ends_with("res/test-planes.csv: another run is writing this table\n"),
        "{message}"
    );
    assert_eq!(work.read("res/test-planes.csv"), "");
    drop(table);
    work.ok(LINE);
}

#[test]
fn invalid_folders_are_reported() {
    let work = experiment(ONE);
    work.write("file", "");
    for folder in ["work_dir", "res_dir"] {
        let line = LINE.replace(
            &format!("{folder} {}", &folder[..folder.len() - 4]),
            &format!("{folder} file"),
        );
        let message = work.fails(&line);
        assert!(message.starts_with("run_experiment: error: file"), "{message}");
        assert!(message.contains(": cannot "), "{message}");
    }
}

#[test]
fn compressed_collections_and_synthetic_ones_are_taken() {
    let plain = experiment(SEVERAL);
    plain.ok(LINE);
    let work = experiment(SEVERAL);
    work.write("collections/tiny.jsonl.gz", gzip(documents(40).as_bytes()));
    std::fs::remove_file(work.path("collections/tiny.jsonl")).unwrap();
    work.ok(LINE);
    assert_eq!(tables(&work), tables(&plain));

    let made = experiment(&ONE.replace("tiny", "synthetic-30"));
    made.ok(LINE);
    made.ok("create_corpus --doc_count 30 --out same.jsonl");
    assert_eq!(made.read("collections/synthetic-30.jsonl"), made.read("same.jsonl"));
    assert!(made.read("res/test-planes.csv").contains("\nsynthetic-30,tf,1,1,16,30,"));
}

/// Returns the only row of a table as (column, value).
fn only_row(work: &Work, measure: &str) -> Vec<(String, String)> {
    let text = work.read(format!("res/test-{measure}.csv"));
    let lines: Vec<&str> = text.lines().collect();
    let [header, row] = lines[..] else { panic!("{text}") };
    let names = header.split(',').map(String::from);
    names.zip(row.split(',').map(String::from)).collect()
}

#[test]
fn a_collection_that_changed_is_reported_and_read_again() {
    let work = experiment(ONE);
    work.ok(LINE);
    assert_eq!(work.ok(LINE).stderr.lines().count(), 1);
    work.write("collections/tiny.jsonl", documents(20));
    // Clocks of files may be coarse: it changed some time later.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    let file = File::options().append(true).open(work.path("collections/tiny.jsonl")).unwrap();
    file.set_modified(later).unwrap();
    let told = "run_experiment: collections/tiny.jsonl has changed since rows of res/test-planes.csv were written: remove the table to measure anew\n";
    assert!(work.ok(LINE).stderr.starts_with(told));
    std::fs::remove_file(work.path("res/test-planes.csv")).unwrap();
    assert!(!work.ok(LINE).stderr.contains("has changed"));
    // Two documents have no words.
    let row = only_row(&work, "planes");
    assert!(row.contains(&("documents".into(), "18".into())), "{row:?}");
}

#[test]
fn documents_without_words_have_no_numbers() {
    let work = experiment(&format!("{ONE}{}", SEVERAL.replace("\"calibrated\"", "80")));
    work.write(
        "collections/tiny.jsonl",
        "{\"id\": \"a\", \"text\": \"\"}\n{\"id\": \"b\", \"text\": \"1 2\"}\n",
    );
    work.ok(LINE);
    let planes = only_row(&work, "planes");
    assert_eq!(planes[5], ("documents".into(), "0".into()));
    assert!(planes[6..].iter().all(|(_, value)| value.is_empty()), "{planes:?}");
    let approximation = work.read("res/test-approximation.csv");
    let lowest = approximation.lines().find(|line| line.contains("lowest")).unwrap();
    // No signature; without a similar pair the lowest similarity of one is 100; two documents, no pair, no L1.
    assert!(lowest.contains(",lowest,0,100.000000,2,0,,,"), "{lowest}");
    assert!(work.read("res/test-density.csv").contains("\ntiny,tf_idf,1,50,1,100,2,0,,,,,,\n"));
}

#[test]
fn verbose_names_every_configuration() {
    let work = experiment(SEVERAL);
    let ran = work.ok(&format!("{LINE} -v"));
    let is_configuration = |line: &&str| line.starts_with("run_experiment: collection=");
    let told: Vec<&str> = ran.stderr.lines().filter(is_configuration).collect();
    assert_eq!(told.len(), 26, "{told:?}");
    let first = "run_experiment: collection=tiny weighting=tf min_df=2 sample=9 rnd_seed=1 sig_len=4 threshold_sim=80 threshold_ham=lowest";
    assert_eq!(told[0], first);
    assert_eq!(experiment(SEVERAL).ok(&format!("{LINE} -q")).stderr, "");
}

#[test]
fn an_experiment_is_named_after_its_folder() {
    let work = experiment(ONE);
    let rest = "--collections ../../collections --work_dir ../../work --res_dir ../../res -q";
    for path in [".", "experiment.toml", "../test/experiment.toml"] {
        let mut command = work.command("run_experiment");
        command.current_dir(work.path("exp/test")).args(["--experiment", path]);
        let output = command.args(rest.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(work.has("res/test-planes.csv"), "{path}");
        std::fs::remove_file(work.path("res/test-planes.csv")).unwrap();
    }
}

#[test]
fn the_small_version_has_tables_of_its_own() {
    let work = experiment(&format!("{ONE}[small]\nsig_len = [4, 8]\n"));
    work.ok(&format!("{LINE} --small"));
    assert_eq!(work.read("res/test-small-planes.csv").lines().count(), 3);
    assert!(!work.has("res/test-planes.csv"));
    work.ok(LINE);
    assert_eq!(work.read("res/test-planes.csv").lines().count(), 2);
}

#[test]
fn a_dry_run_writes_nothing_and_prints_each_command_once() {
    let work = experiment(SEVERAL);
    let before = work.files();
    let ran = work.ok(&format!("{LINE} --dry_run"));
    assert_eq!(work.files(), before);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let commands: Vec<&&str> = lines.iter().filter(|line| !line.starts_with('#')).collect();
    let different: std::collections::BTreeSet<_> = commands.iter().collect();
    assert_eq!(different.len(), commands.len());
    assert_eq!(lines.len() - commands.len(), 26, "a line for every configuration");
    let counts = format!("read 26 configurations, skipped 0, wrote {} lines", lines.len());
    assert!(ran.stderr.contains(&counts), "{}", ran.stderr);
}

#[test]
fn the_experiments_of_the_project_can_be_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("exp");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.join("experiment.toml").exists() {
            count += 1;
            for small in [&["--small"][..], &[]] {
                let mut command = Work::new().command("run_experiment");
                command.arg("--experiment").arg(&path).args(["--dry_run", "-q"]).args(small);
                let output = command.current_dir(&path).output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                assert!(path.join("expected-small.csv").exists(), "{}", path.display());
            }
        }
    }
    assert_eq!(count, 9);
}
