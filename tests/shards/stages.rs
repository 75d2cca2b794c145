//! The stages of the pipeline in shards.

use super::{COUNTS, assert_equal, json_lines, outputs, parts, run_shards, text};
use crate::common::{Work, gzip};

/// Collections of 60 documents in different containers: their names, and how `create_bows` and `create_prints` read them.
const COLLECTIONS: [(&str, &str); 5] = [
    ("files", "--doc_list doc_list --lines"),
    ("one file of JSON Lines", "--json_lines docs.jsonl"),
    ("a folder of files of records", "records"),
    ("lines of text", "--text_lines lines"),
    ("a compressed file", "docs.jsonl.gz"),
];

fn prepared() -> Work {
    let work = Work::new();
    let mut list = String::new();
    for number in 0..60 {
        let name = format!("texts/{number:02} of 60.txt");
        // Documents without terms are documents.
        work.write(&name, if number == 20 { String::new() } else { text(number) });
        list += &format!("{name}\n");
    }
    work.write("doc_list", list);
    work.write("docs.jsonl", json_lines(0..60));
    work.write("docs.jsonl.gz", gzip(json_lines(0..60).as_bytes()));
    work.write("records/a.jsonl", json_lines(0..25));
    work.write("records/b.jsonl.gz", gzip(json_lines(25..40).as_bytes()));
    work.write("records/c.txt", text(40));
    work.write("records/d.csv", "id,text\nx,one two three\ny,\"four\nfive\"\n");
    work.write("records/e.jsonl", format!("\u{feff}{}", json_lines(41..60)));
    let lines: String = (0..60)
        .map(|n| format!("{}\n", if n % 9 == 4 { String::new() } else { text(n) }))
        .collect();
    // The last line has no newline.
    work.write("lines", lines.trim_end());
    work
}

/// Runs the pipeline up to signatures, whole or in shards.
fn run(work: &Work, documents: &str, flags: &str, shards: Option<usize>) {
    let stage = |line: &str| match shards {
        Some(count) => run_shards(work, line, count),
        None => drop(work.ok(line)),
    };
    let merge = |line: &str, part: &str| {
        if let Some(count) = shards {
            work.ok(&format!("{line} {}", parts(part, count)));
        }
    };
    let gz = if flags.contains("compress") { "--compress_" } else { "" };
    let compress = |what: &str| if gz.is_empty() { String::new() } else { format!("{gz}{what}") };
    let ids = if flags.contains("ids") { "--id_file ids" } else { "" };
    stage(&format!(
        "create_bows {documents} --bow_paths bow_paths --bow_dir bows --bows_per_file 7 {ids} {}",
        compress("bows")
    ));
    merge("merge_paths --out bow_paths", "bow_paths");
    if !ids.is_empty() {
        merge("merge_paths --out ids", "ids");
    }
    match shards {
        None => drop(work.ok("create_voc --bow_paths bow_paths --voc_name voc")),
        Some(count) => (1..=count).for_each(|index| {
            let part = format!("{index}-of-{count}");
            work.ok(&format!("create_voc --bow_paths bow_paths.{part} --voc_name voc.{part}"));
        }),
    }
    merge("merge_voc --voc_name voc", "voc");
    stage(&format!(
        "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths {}",
        compress("vecs")
    ));
    merge("merge_paths --out vec_paths", "vec_paths");
    stage(&format!(
        "create_sigs --vec_paths vec_paths --sig_len 12 --sig_dir sigs --sig_paths sig_paths {}",
        compress("sigs")
    ));
    merge("merge_sigs --sig_paths sig_paths --sig_dir sigs", "sig_paths");
}

#[test]
fn merged_parts_of_the_pipeline_are_its_output() {
    for (number, (name, documents)) in COLLECTIONS.into_iter().enumerate() {
        let flags = ["", "ids", "compress", "ids compress"][number % 4];
        let whole = prepared();
        run(&whole, documents, flags, None);
        for count in COUNTS {
            let merged = prepared();
            run(&merged, documents, flags, Some(count));
            assert_equal(&whole, &merged, &format!("{name} in {count} shards"));
        }
    }
}

#[test]
fn merged_prints_are_those_of_the_whole_collection() {
    for (number, (name, documents)) in COLLECTIONS.into_iter().enumerate() {
        let (method, compress) =
            [("tf_idf", ""), ("minhash", "--compress_prints"), ("imatch", "")][number % 3];
        let line = format!(
            "create_prints {documents} --method {method} --print_dir prints --print_paths print_paths --prints_per_file 7 {compress}"
        );
        let whole = prepared();
        whole.ok(&line);
        for count in COUNTS {
            let merged = prepared();
            run_shards(&merged, &line, count);
            merged.ok(&format!("merge_paths --out print_paths {}", parts("print_paths", count)));
            assert_equal(&whole, &merged, &format!("{method} of {name} in {count} shards"));
        }
    }
}

#[test]
fn numbers_count_the_extracts_of_a_file() {
    let work = Work::new();
    for file in ["a", "b", "c", "d"] {
        let extract = |number| {
            format!(
                "<doc id=\"{number}\" url=\"http://x/{file}{number}\" title=\"t\">\nword {number}\n</doc>\n"
            )
        };
        work.write(format!("wiki/{file}"), (1..4).map(extract).collect::<String>());
    }
    let line = "create_bows wiki --bow_paths bow_paths --bow_dir bows --id_file ids";
    work.ok(line);
    let whole = work.read("ids");
    for count in COUNTS {
        run_shards(&work, line, count);
        work.ok(&format!("merge_paths --out ids {}", parts("ids", count)));
        assert_eq!(work.read("ids"), whole);
    }
}

#[test]
fn more_shards_than_documents_leave_some_empty() {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..2));
    let line = "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows";
    work.ok(line);
    let whole = work.read("bow_paths");
    run_shards(&work, line, 9);
    work.ok(&format!("merge_paths --out bow_paths {}", parts("bow_paths", 9)));
    assert_eq!(work.read("bow_paths"), whole);
}

#[test]
fn shards_are_a_part_of_the_documents_each() {
    let work = prepared();
    run_shards(&work, "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows", 3);
    let documents = |index: usize| {
        let header = work.read(format!("bow_paths.{index}-of-3"));
        header.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let counts = [1, 2, 3].map(documents);
    assert_eq!(counts.iter().sum::<u64>(), 60);
    assert!(counts.iter().all(|count| (15..=25).contains(count)), "{counts:?}");
}

/// Merged data files may be names of the shards' files. They keep their bytes when a shard runs again.
#[test]
fn merged_files_survive_a_second_merge_and_new_shards() {
    let work = prepared();
    let line = "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows --bows_per_file 7";
    let merge = format!("merge_paths --out bow_paths {}", parts("bow_paths", 3));
    run_shards(&work, line, 3);
    work.ok(&merge);
    let (merged, files) = (outputs(&work), work.files());
    assert_eq!(files.iter().filter(|name| name.ends_with(".part")).count(), 0, "{files:?}");

    work.ok(&merge);
    assert!(outputs(&work) == merged, "the second merge changed a file");
    assert_eq!(work.files(), files);

    let documents = work.read("docs.jsonl");
    work.write("docs.jsonl", json_lines(60..120));
    run_shards(&work, line, 3);
    let kept = |(name, _): &&(String, Vec<u8>)| name != "docs.jsonl";
    let after = outputs(&work);
    assert!(
        after.iter().filter(kept).eq(merged.iter().filter(kept)),
        "a shard changed merged files"
    );

    work.ok(&merge);
    let whole = Work::new();
    whole.write("docs.jsonl", json_lines(60..120));
    whole.ok(line);
    assert_eq!(work.read("bow_paths"), whole.read("bow_paths"));
    for name in whole.files().iter().filter(|name| name.starts_with("bows/")) {
        assert_eq!(work.read(name), whole.read(name), "{name}");
    }
    assert_ne!(work.read("docs.jsonl"), documents);
}

/// A merge that would replace what it reads: the list of a part, or its data files by a list of the same name in another folder.
#[test]
fn merging_into_a_part_is_refused() {
    let work = prepared();
    run_shards(&work, "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows", 1);
    work.write("other/file", "");
    let before = work.files();
    for out in ["bow_paths.1-of-1", "other/bow_paths.1-of-1"] {
        let message = work.fails(&format!("merge_paths --out {out} bow_paths.1-of-1"));
        assert!(message.contains("is a file that this run reads"), "{message}");
        assert!(message.contains("name another output"), "{message}");
        assert_eq!(work.files(), before);
    }
}

/// Most files of signatures are linked, those with a repeated signature and all after them are written; both give the bytes of the whole stage.
#[test]
fn few_repeated_signatures_are_joined() {
    // Copies of nothing, of the document before, of one in the first part, in the last two documents.
    let copies: [&[(usize, usize)]; 5] =
        [&[], &[(20, 19)], &[(35, 3)], &[(39, 38)], &[(9, 3), (20, 3), (21, 20), (39, 0)]];
    for (number, copies) in copies.into_iter().enumerate() {
        let word = |number: usize| {
            let original = copies.iter().find(|(copy, _)| *copy == number).map(|(_, text)| *text);
            original.unwrap_or(number)
        };
        let line = |number: usize| {
            let [a, b] = [word(number), word(number) / 3];
            format!("{{\"id\":\"d{number}\",\"text\":\"a{a} b{a} c{b} all\"}}\n")
        };
        let compress = if number % 2 == 1 { "--compress_sigs" } else { "" };
        let sigs = format!(
            "create_sigs --vec_paths vec_paths --sig_len 256 --sig_dir sigs --sig_paths sig_paths {compress}"
        );
        let prepared = || {
            let work = Work::new();
            work.write("docs.jsonl", (0..40).map(line).collect::<String>());
            work.ok(
                "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows --bows_per_file 6",
            );
            work.ok("create_voc --bow_paths bow_paths --voc_name voc");
            work.ok("create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths");
            work
        };
        let whole = prepared();
        whole.ok(&sigs);
        for count in COUNTS {
            let merged = prepared();
            run_shards(&merged, &sigs, count);
            let merge = format!(
                "merge_sigs --sig_paths sig_paths --sig_dir sigs {}",
                parts("sig_paths", count)
            );
            // The second merge replaces links by themselves.
            for time in ["once", "twice"] {
                merged.ok(&merge);
                let what = format!("{copies:?} in {count} shards, merged {time}");
                assert_equal(&whole, &merged, &what);
            }
        }
    }
}
