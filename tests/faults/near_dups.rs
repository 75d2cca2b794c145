//! find_near_dups on a full disk.

use super::outputs::limited;
use crate::common::{Outcome, Work};

#[test]
fn a_full_disk_is_told_and_what_was_there_stays() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 1500 --out docs.jsonl --mean_words 60");
    work.ok("find_near_dups docs.jsonl --out pairs.tsv --dedup kept.jsonl --save_index index");
    let state = |work: &Work| -> Vec<(String, Vec<u8>)> {
        work.files().into_iter().map(|name| (name.clone(), work.read_bytes(name))).collect()
    };
    let before = state(&work);
    for line in [
        "find_near_dups docs.jsonl --threshold 0.7 --out pairs.tsv",
        "find_near_dups docs.jsonl --threshold 0.7 --dedup kept.jsonl",
        "find_near_dups docs.jsonl --threshold 0.7 --save_index index",
    ] {
        let ran = Outcome::from(limited(&work, line, 4).output().unwrap());
        assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("cannot write"), "{line}\n{}", ran.stderr);
        let now = state(&work);
        assert!(before.iter().all(|file| now.contains(file)), "{line}");
    }
    work.ok("find_near_dups docs.jsonl --index index --out again.tsv");
}
