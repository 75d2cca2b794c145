//! `--resume` keeps complete shards and runs all others.

use super::{json_lines, parts, run_shards};
use crate::common::Work;

const BOWS: &str = "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows --bows_per_file 7";
const VECS: &str =
    "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths";

/// Returns whether shard 2 of 3 runs again.
#[track_caller]
fn runs(work: &Work, line: &str) -> bool {
    let told = work.ok(&format!("{line} --shard 2/3 --resume -v")).stderr;
    let is_kept = told.contains(": complete: not run again\n");
    assert_eq!(told.contains(": not complete: "), !is_kept, "{told}");
    !is_kept
}

fn prepared() -> Work {
    let work = Work::new();
    work.write("docs.jsonl", json_lines(0..60));
    run_shards(&work, BOWS, 3);
    work.ok(&format!("merge_paths --out bow_paths {}", parts("bow_paths", 3)));
    work.ok("create_voc --bow_paths bow_paths --voc_name voc");
    run_shards(&work, VECS, 3);
    work
}

#[test]
fn complete_shards_are_kept() {
    let work = prepared();
    let part = std::fs::metadata(work.path("bow_paths.2-of-3")).unwrap().modified().unwrap();
    assert!(!runs(&work, BOWS));
    assert!(!runs(&work, VECS));
    let after = std::fs::metadata(work.path("bow_paths.2-of-3")).unwrap().modified().unwrap();
    assert_eq!(part, after);
    // Merged again, the input has another time and the same content.
    work.ok(&format!("merge_paths --out bow_paths {}", parts("bow_paths", 3)));
    assert!(!runs(&work, VECS));
    let message = work.refuses(&format!("{BOWS} --resume"));
    assert!(message.contains("--shard <I/N>"), "{message}");
}

#[test]
fn changed_and_missing_files_are_written_again() {
    let work = prepared();
    let file = "bows/bow_paths.2-of-3-000001.bow";
    let whole = work.read(file);
    // The same length: only the checksum tells.
    let damaged = whole.replacen('1', "2", 1);
    for content in [damaged, whole[..whole.len() / 2].to_string()] {
        work.write(file, content);
        assert!(runs(&work, BOWS));
        assert_eq!(work.read(file), whole);
        assert!(!runs(&work, BOWS));
    }
    for gone in [file, "bow_paths.2-of-3", "bow_paths.2-of-3.manifest.json"] {
        std::fs::remove_file(work.path(gone)).unwrap();
        assert!(runs(&work, BOWS), "{gone}");
        assert_eq!(work.read(file), whole);
    }
}

#[test]
fn other_flags_and_inputs_run_again() {
    let work = prepared();
    for line in [format!("{BOWS} --shingle_size 2"), BOWS.replace("per_file 7", "per_file 6")] {
        assert!(runs(&work, &line), "{line}");
        assert!(!runs(&work, &line), "{line}");
        assert!(runs(&work, BOWS));
    }
    assert!(runs(&work, &format!("{VECS} --use_tf_only")));
    assert!(runs(&work, VECS));
    // Other documents, then other bags for the vectors.
    work.write("docs.jsonl", json_lines(0..61));
    assert!(runs(&work, BOWS));
    run_shards(&work, BOWS, 3);
    work.ok(&format!("merge_paths --out bow_paths {}", parts("bow_paths", 3)));
    work.ok("create_voc --bow_paths bow_paths --voc_name voc");
    assert!(runs(&work, VECS));
}
