//! Runs of every executable that writes, over older outputs and without.

use super::outputs::{SMALL_FILES_CHAIN, small_files};
use super::rules::Rules;
use super::scenario::Scenario;
use super::{STAGES, Stage};
use crate::cli::run_experiment::{LINE, documents, experiment};
use crate::common::{Work, setting};

/// Every stage of the pipeline.
pub fn stages() -> Vec<Scenario> {
    STAGES.iter().flat_map(|stage| with_and_without_older(stage, stage.line)).collect()
}

fn with_and_without_older(stage: &Stage, line: &str) -> [Scenario; 2] {
    [stage.before(), stage.over_older_outputs()].map(|work| Scenario::new(work, line))
}

/// Stages with a list over the outputs of an earlier run with other flags.
pub fn repeated_stages() -> Vec<Scenario> {
    let changes = SMALL_FILES_CHAIN.iter().filter(|(_, change)| !change.is_empty());
    let scenario =
        |(line, change): &(&str, &str)| Scenario::new(small_files(5), &format!("{line} {change}"));
    changes.map(scenario).collect()
}

/// Stages with compressed outputs, with hyperplanes on disk, and with documents that are read twice.
pub fn compressed_stages() -> Vec<Scenario> {
    let compressed = STAGES.iter().map(|stage| (stage, stage.compressed_line()));
    let signing = STAGES.iter().find(|stage| stage.executable() == "create_sigs").unwrap();
    let on_disk = [" -use_hdd 1", " -use_hdd 1 -compress_rnd_vecs"];
    let on_disk = on_disk.map(|switch| (signing, format!("{}{switch}", signing.line)));
    let printing = STAGES.iter().find(|stage| stage.executable() == "create_prints").unwrap();
    let read_twice = (printing, printing.line.replace("minhash", "imatch_random"));
    compressed
        .chain(on_disk)
        .chain([read_twice])
        .flat_map(|(stage, line)| with_and_without_older(stage, &line))
        .collect()
}

/// Executables beside the pipeline.
pub fn tools() -> Vec<Scenario> {
    let lines = [
        (
            "create_corpus --doc_count 12 --mean_words 9 --out docs.jsonl --truth truth.tsv",
            "docs.jsonl truth.tsv",
        ),
        ("create_corpus --doc_count 12 --mean_words 9 --out docs.zst", "docs.zst"),
        ("analyze_rnd_vecs_quality --term_count 20 --sig_len 8 --out quality.csv", "quality.csv"),
        ("report_pairs old.jsonl --pairs known.tsv --out report.html", "report.html"),
        ("match_prints --print_paths print_paths --out pairs.tsv", "pairs.tsv"),
        ("match_prints --print_paths print_paths --out pairs.tsv --shard 2/3", "pairs.2-of-3.tsv"),
        ("merge_pairs --out merged.tsv matched.1-of-1.tsv", "merged.tsv"),
        (
            "compare_sections texts/0/0.txt texts/0/2.txt --out sections.txt --page sections.html",
            "sections.txt sections.html",
        ),
        ("align_passages texts/0/0.txt texts/0/2.txt --out passages.jsonl", "passages.jsonl"),
        (
            "align_passages old.jsonl --pairs listed.tsv --out passages.jsonl.gz",
            "passages.jsonl.gz",
        ),
        ("evaluate_search found.jsonl --truth cases.tsv --out scores.csv", "scores.csv"),
    ];
    let scenarios = lines.iter().flat_map(|(line, outputs)| over_older(line, outputs));
    scenarios.chain(evaluations()).chain(shards()).collect()
}

/// A shard of a stage with a second output, and the mergers.
fn shards() -> Vec<Scenario> {
    let lines = [
        "create_bows old.jsonl --bow_paths bow_paths --bow_dir bows --id_file ids --shard 2/3",
        "merge_paths --out merged bagged.1-of-1",
        "merge_paths --out merged_ids ids.1-of-1",
        "merge_voc --voc_name merged counted.1-of-1",
        "merge_sigs --sig_paths merged --sig_dir sigs signed.1-of-1",
    ];
    lines.iter().map(|line| Scenario::new(parts(), line)).collect()
}

/// Returns a folder with documents, and the parts of stages in one shard.
fn parts() -> Work {
    let work = Work::new();
    work.write("old.jsonl", documents(9));
    for line in [
        "create_bows old.jsonl --bow_paths bagged --bow_dir bows --id_file ids --shard 1/1",
        "create_voc --bow_paths bagged.1-of-1 --voc_name counted.1-of-1",
        "create_vecs --bow_paths bagged.1-of-1 --voc_name counted.1-of-1 --vec_dir vecs --vec_paths vec_paths",
        "create_sigs --vec_paths vec_paths --sig_len 16 --sig_dir sigs --sig_paths signed --shard 1/1",
    ] {
        work.ok(line);
    }
    work
}

/// Evaluations of methods: with complete runs, whose times are in the working folder, without any, and over runs of other documents.
fn evaluations() -> Vec<Scenario> {
    let line = "evaluate_methods old.jsonl --methods shingles,cosine --work runs --out methods.csv --markdown methods.md";
    let with_runs_of = |documents: &str| {
        let work = collection();
        work.ok(&line.replace("old.jsonl", documents));
        work.write("methods.csv", "older\n");
        work.write("methods.md", "older\n");
        work
    };
    let runs = [collection(), with_runs_of("new.jsonl")];
    let runs = runs.map(|work| Scenario::with_rules(work, line, Rules::Runs("runs/")));
    [Scenario::new(with_runs_of("old.jsonl"), line)].into_iter().chain(runs).collect()
}

/// Runs a line in a folder of documents without and with older outputs.
fn over_older(line: &str, outputs: &str) -> [Scenario; 2] {
    let older = collection();
    for output in outputs.split(' ').filter(|output| !output.ends_with('/')) {
        older.write(output, format!("older {output}\n"));
    }
    for folder in outputs.split(' ').filter(|output| output.ends_with('/')) {
        std::fs::create_dir(older.path(folder)).unwrap();
    }
    [collection(), older].map(|work| Scenario::new(work, line))
}

/// Returns a folder with two collections of documents, a folder of files, an index and pairs.
fn collection() -> Work {
    let work = Work::new();
    let count = setting("NEARSIG_SOAK_DOCUMENTS", 16);
    let lines = documents(count);
    let at = lines.match_indices('\n').nth(count / 2 + 1).unwrap().0 + 1;
    work.write("old.jsonl", &lines[..at]);
    work.write("new.jsonl", &lines[at..]);
    for (number, line) in lines.lines().enumerate() {
        work.write(format!("texts/{}/{number}.txt", number % 2), line);
    }
    work.write("shards/a.jsonl", &lines[..at]);
    work.write("shards/b/c.jsonl", &lines[at..]);
    work.write("listed.tsv", "suspicious\tsource\nd0\td2\nd2\td0\n");
    let passage =
        "\"offset\":0,\"length\":9,\"source\":\"d2\",\"source_offset\":0,\"source_length\":9";
    let passage = format!("{{\"suspicious\":\"d0\",{passage},\"similarity\":1.0,\"run\":2}}\n");
    work.write("found.jsonl", passage);
    let header = "suspicious\toffset\tlength\tsource\tsource_offset\tsource_length\tkind";
    work.write("cases.tsv", format!("{header}\nd0\t0\t9\td2\t0\t9\tnone\n"));
    work.ok("find_near_dups old.jsonl --out known.tsv --save_index ix");
    work.ok(
        "create_prints old.jsonl --method shingles --print_paths print_paths --print_dir printed",
    );
    work.ok("match_prints --print_paths print_paths --out matched.tsv --shard 1/1");
    work
}

/// Searches without an index.
pub fn searches() -> Vec<Scenario> {
    let lines = [
        (
            "find_near_dups old.jsonl --out pairs.tsv --clusters clusters.csv --removed removed.jsonl --dedup kept.jsonl",
            "pairs.tsv clusters.csv removed.jsonl kept.jsonl",
        ),
        (
            "find_near_dups old.jsonl --out pairs.tsv.gz --clusters clusters.tsv.bz2 --removed removed.tsv.xz --dedup kept.jsonl.zst",
            "pairs.tsv.gz clusters.tsv.bz2 removed.tsv.xz kept.jsonl.zst",
        ),
        (
            "find_near_dups texts --out pairs.tsv --removed removed.tsv --dedup clean/",
            "pairs.tsv removed.tsv clean/",
        ),
        ("find_near_dups texts --dedup kept.jsonl", "kept.jsonl"),
        ("find_near_dups shards --out pairs.tsv --dedup clean/", "pairs.tsv clean/"),
    ];
    lines.iter().flat_map(|(line, outputs)| over_older(line, outputs)).collect()
}

/// Searches that write an index: a new one, over an older one, and the one that they read.
pub fn index_updates() -> Vec<Scenario> {
    let lines = [
        ("find_near_dups new.jsonl --save_index other --out pairs.tsv", "pairs.tsv"),
        ("find_near_dups new.jsonl --save_index ix", ""),
        ("find_near_dups new.jsonl --index ix --save_index ix", ""),
        (
            "find_near_dups new.jsonl --index ix --save_index ix --out pairs.tsv --clusters clusters.tsv --removed removed.tsv --dedup kept.jsonl",
            "pairs.tsv clusters.tsv removed.tsv kept.jsonl",
        ),
        (
            "find_near_dups texts --index ix --save_index ix --out pairs.tsv --dedup clean/",
            "pairs.tsv clean/",
        ),
    ];
    let scenarios = lines.iter().flat_map(|(line, outputs)| match *outputs {
        "" => vec![Scenario::new(collection(), line)],
        outputs => over_older(line, outputs).into(),
    });
    scenarios.collect()
}

/// Changes of an n-gram index with two segments and a removed document, and a search in it.
pub fn ngram_updates() -> Vec<Scenario> {
    let lines = [
        "ngram_index add new.jsonl --index other -n 2 --skip",
        // Several runs are written and merged.
        "ngram_index add new.jsonl --index ng -n 2,3 --skip --buffer 100",
        "ngram_index add new.jsonl --index part -n 2 --shard 2/3 --resume",
        "merge_index --index merged shard.1-of-2 shard.2-of-2",
        "ngram_index remove d0 d2 d9 --index ng",
        "ngram_index compact --index ng",
        "ngram_index clear --index ng",
        "ngram_index export --index ng --out hashes.tsv",
        "ngram_search new.jsonl --index ng --format xml -a 1 --out found.xml",
    ];
    let scenario = |line: &&str| {
        let work = collection();
        work.ok("ngram_index add old.jsonl --index ng -n 2,3");
        work.ok("ngram_index add texts --index ng -n 2");
        work.ok("ngram_index remove d1 --index ng");
        for part in ["1/2", "2/2"] {
            work.ok(&format!("ngram_index add new.jsonl --index shard -n 2 --shard {part}"));
        }
        Scenario::new(work, line)
    };
    lines.iter().map(scenario).collect()
}

/// Runs that do not sync their outputs.
pub fn unsynced() -> Vec<Scenario> {
    let [first, ..] = &STAGES;
    let update = "find_near_dups new.jsonl --index ix --save_index ix --out pairs.tsv --no_sync";
    let stage = with_and_without_older(first, &format!("{} --no_sync", first.line));
    stage.into_iter().chain(over_older(update, "pairs.tsv")).collect()
}

/// Two rows and their working files.
const GRID: &str = "[[grid]]\nmeasure = \"planes\"\ncollection = \"tiny\"\nweighting = \"tf\"\nmin_df = 1\nrnd_seed = [1, 2]\nsig_len = 16\n";

/// An experiment from the beginning, and one that goes on with an incomplete table.
pub fn experiments() -> Vec<Scenario> {
    let begun = experiment(GRID);
    begun.ok(LINE);
    let table = begun.read("res/test-planes.csv");
    begun.write("res/test-planes.csv", &table[..table.len() - 20]);
    let scenario =
        |work: Work| Scenario::with_rules(work, LINE, Rules::Table("res/test-planes.csv"));
    [experiment(GRID), begun].map(scenario).into()
}
