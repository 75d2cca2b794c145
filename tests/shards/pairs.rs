//! The stages that find pairs in shards, and `merge_pairs`.

use super::{COUNTS, json_lines, run_shards};
use crate::common::{MANIFEST, Work};

/// Lines of the stages, without `--out`, each with the name of its output.
const STAGES: [(&str, &str); 9] = [
    ("hamming_full --sig_paths sig_paths --threshold 70", "all"),
    ("hamming_full --sig_paths sig_paths --threshold 70 --sample_list sample", "all.zst"),
    ("hamming --sig_paths sig_paths --threshold 70 --iter_count 9 --beam 2", "pleb.gz"),
    (
        "hamming --sig_paths sig_paths --threshold 70 --iter_count 5 --beam 3 --shift_count full --sample_list sample",
        "pleb",
    ),
    ("similarity --vec_paths vec_paths --threshold 50", "sim"),
    ("similarity --vec_paths vec_paths --threshold 30 --sim_meth jaccard", "sim.gz"),
    ("similarity --vec_paths vec_paths --threshold 10 --sample_list sample", "sim"),
    ("match_prints --print_paths print_paths --threshold 0.1", "pairs.csv"),
    ("match_prints --print_paths print_paths --all_copies --max_group 3", "pairs.jsonl.gz"),
];

fn prepared() -> Work {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..60));
    work.write("sample", "d3 d41 d0 d12");
    work.ok("create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows");
    work.ok("create_voc --bow_paths bow_paths --voc_name voc");
    work.ok(
        "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths",
    );
    work.ok("create_sigs --vec_paths vec_paths --sig_len 24 --sig_dir sigs --sig_paths sig_paths");
    work.ok("create_prints docs.jsonl --method shingles --shingle_size 1 --print_dir prints --print_paths print_paths");
    work
}

/// Returns the names of the parts of a file with an extension.
fn parts(name: &str, count: usize) -> String {
    let (stem, ending) =
        name.split_once('.').map_or((name, ""), |(stem, _)| (stem, &name[stem.len()..]));
    (1..=count)
        .map(|index| format!("{stem}.{index}-of-{count}{ending}"))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn merged_parts_are_the_pairs_of_the_whole_stage() {
    let work = prepared();
    for (line, out) in STAGES {
        work.ok(&format!("{line} --out {out}"));
        let whole = std::fs::read(work.path(out)).unwrap();
        assert!(work.read_bytes(out).len() > 100 || out.ends_with(".zst"), "{line}");
        assert!(!work.has(format!("{out}{MANIFEST}")));
        for count in COUNTS {
            run_shards(&work, &format!("{line} --out {out}"), count);
            work.ok(&format!("merge_pairs --out {out} {}", parts(out, count)));
            let merged = std::fs::read(work.path(out)).unwrap();
            assert!(merged == whole, "{line} in {count} shards");
            assert!(!work.has(format!("{out}{MANIFEST}")));
        }
    }
}

#[test]
fn parts_number_heads_and_matches() {
    let work = Work::new();
    work.write(
        "sig_paths",
        "VELIKOST_KOLEKCE 4\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR 3\nsigs\n",
    );
    work.write("sigs", "00:2 a b\n01:1 c\n03:1 d\n");
    let line = "hamming_full --sig_paths sig_paths --threshold 80 --out out";
    let ran = work.ok(&format!("{line} --shard 1/2"));
    assert!(ran.stderr.contains("wrote 2 pairs"), "{}", ran.stderr);
    assert_eq!(work.read("out.1-of-2"), "0 a(b):1 c:87.5\n1 c:0 a(b):87.5\n");
    work.ok(&format!("{line} --shard 2/2"));
    assert_eq!(work.read("out.2-of-2"), "1 c:2 d:87.5\n2 d:1 c:87.5\n");
    let ran = work.ok("merge_pairs --out out out.2-of-2 out.1-of-2");
    assert_eq!(work.read("out"), "a(b):c:87.5\nc:a(b):87.5:d:87.5\nd:c:87.5\n");
    assert!(ran.stderr.contains("read 2 shards, skipped 0, wrote 3 lines"), "{}", ran.stderr);
    let manifest = work.read("out.1-of-2.manifest.json");
    for entry in
        ["\"kind\": \"pairs\"", "\"program\": \"hamming_full\"", "\"index\": 1", "\"count\": 2"]
    {
        assert!(manifest.contains(entry), "{entry}: {manifest}");
    }
    assert!(!manifest.contains("\"shard\": \""), "{manifest}");
}

#[test]
fn parts_of_tables_have_order_numbers() {
    let work = Work::new();
    work.write("print_paths", "VELIKOST_KOLEKCE 4\nMETODA md5\nSHODA resemblance 0.5\nprints\n");
    work.write("prints", "a:2 1 2\nb:0\nc:2 1 2\nd:3 1 2 3\n");
    for ending in ["tsv", "csv", "jsonl"] {
        work.ok(&format!("match_prints --print_paths print_paths --out p.{ending} --shard 1/1"));
    }
    let expected = "low\thigh\tcopy\tsimilarity\tdocument_1\tdocument_2\n0\t2\t1\t1.0000\ta\tc\n0\t3\t0\t0.6667\ta\td\n2\t3\t0\t0.6667\tc\td\n";
    assert_eq!(work.read("p.1-of-1.tsv").replace("0.66666667", "0.6667"), expected);
    assert!(work.read("p.1-of-1.csv").starts_with("low,high,copy,similarity,"));
    let object = "{\"low\":0,\"high\":2,\"copy\":1,\"similarity\":1.0000,\"document_1\":\"a\",\"document_2\":\"c\"}\n";
    assert!(work.read("p.1-of-1.jsonl").starts_with(object));
}

/// Fails unless a command line fails with this message, without an output.
#[track_caller]
fn refused(work: &Work, line: &str, message: &str) {
    let ran = work.run(line);
    assert!(ran.stderr.contains(message), "{line}\n{}", ran.stderr);
    assert!(matches!(ran.code, Some(1 | 2)), "{line}");
    assert!(!work.has("merged") && !work.has("merged.part"), "{line}");
}

#[test]
fn gaps_repeats_and_strangers_are_refused_by_name() {
    let work = prepared();
    let line = "hamming_full --sig_paths sig_paths --threshold 70 --out p";
    run_shards(&work, line, 3);
    let merge = "merge_pairs --out merged";
    refused(&work, &format!("{merge} p.1-of-3 p.3-of-3"), "missing shards: 2/3");
    let all = parts("p", 3);
    refused(&work, &format!("{merge} {all} p.2-of-3"), "shard 2/3 is also p.2-of-3");
    refused(
        &work,
        &format!("{merge} - {all}"),
        "expected files of shards with their manifests, found '-'",
    );
    refused(&work, &format!("merge_paths --out merged {all}"), "merge it with merge_pairs");
    refused(&work, &format!("merge_pairs --out p.1-of-3 {all}"), "p.1-of-3");
    work.ok(&format!("{line} --shard 2/3 --threshold 71").replace("--threshold 70 ", ""));
    refused(
        &work,
        &format!("{merge} {all}"),
        "p.2-of-3: expected threshold 70 as in p.1-of-3, found 71",
    );
    work.ok(&format!("{line} --sample_list sample --shard 2/3"));
    refused(&work, &format!("{merge} {all}"), "p.2-of-3: expected sample_list none as in p.1-of-3");
    work.ok(
        "hamming --sig_paths sig_paths --threshold 70 --iter_count 3 --beam 2 --out p --shard 2/3",
    );
    refused(
        &work,
        &format!("{merge} {all}"),
        "expected executable hamming_full as in p.1-of-3, found hamming",
    );
    work.ok("create_sigs --vec_paths vec_paths --sig_len 24 --rnd_seed 3 --sig_dir sigs --sig_paths sig_paths");
    work.ok(&format!("{line} --shard 2/3"));
    refused(
        &work,
        &format!("{merge} {all}"),
        "p.2-of-3: expected rnd_seed 2007 as in p.1-of-3, found 3",
    );
    run_shards(&work, "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows", 1);
    refused(&work, &format!("{merge} bow_paths.1-of-1"), "merge it with merge_paths");
}

#[test]
fn damaged_parts_are_refused() {
    let work = prepared();
    for (line, out) in [STAGES[0], STAGES[7]] {
        run_shards(&work, &format!("{line} --out {out}"), 2);
        let names = parts(out, 2);
        let (first, _) = names.split_once(' ').unwrap();
        let merge = format!(
            "merge_pairs --out merged{} {names}",
            &out[out.find('.').unwrap_or(out.len())..]
        );
        let content = work.read(first);
        let whole_lines = &content[..content.trim_end().rfind('\n').unwrap() + 1];
        for (damaged, message) in [
            (
                whole_lines.to_string(),
                format!(
                    "{first}: expected {} bytes as in {first}.manifest.json, found {}",
                    content.len(),
                    whole_lines.len()
                ),
            ),
            (
                content[..content.len() - 3].to_string(),
                "expected a newline at the end of the line".into(),
            ),
            (content.replacen('8', "9", 1), format!("{first}: expected checksum ")),
            (String::new(), format!("{first}: expected {} bytes", content.len())),
        ] {
            work.write(first, damaged);
            refused(&work, &merge, &message);
        }
        work.write(first, &content);
        work.ok(&merge);
        std::fs::remove_file(work.path(merge.split(' ').nth(2).unwrap())).unwrap();
        std::fs::remove_file(work.path(format!("{first}{MANIFEST}"))).unwrap();
        refused(&work, &merge, "expected a shard with a manifest");
    }
}

#[test]
fn flags_that_exclude_shards_are_refused() {
    let work = Work::new();
    let search = "--sig_paths sig_paths --threshold 70";
    let full = format!("hamming_full {search} --out - --shard 1/2");
    let pleb = format!(
        "hamming {search} --iter_count 5 --beam 2 --shift_count full --target_recall 0.9 --out p --shard 1/2"
    );
    let message = work.refuses(&pleb);
    assert!(message.contains("--target_recall excludes --shard"), "{message}");
    let prepared = prepared();
    let message = prepared.refuses(&full);
    assert!(message.contains("--out: expected a file with --shard, found '-'"), "{message}");
}
