//! `--store` of ngram_index and ngram_search without a cluster: usage and errors. `scripts/dev/redis_tests.sh` has the rest.

use std::net::TcpListener;

use super::shared::check_values;
use crate::common::Work;

#[test]
fn an_index_is_in_one_place() {
    let work = Work::new();
    for line in ["ngram_index list", "ngram_search suspect.txt"] {
        let refusal = work.refuses(line);
        assert!(refusal.contains("--index <DIR>|--store <URL>"), "{refusal}");
        let refusal = work.refuses(&format!("{line} --index ix --store redis://localhost"));
        assert!(refusal.contains("cannot be used with"), "{refusal}");
    }
}

#[test]
fn addresses_are_checked() {
    let line = "ngram_index list --store redis://localhost";
    let wrong = ["localhost:7001", "redis://", "redis://localhost:x", "redis://localhost/a/b"];
    check_values(line, &wrong.map(|address| ("store", address, "expected redis://HOST:PORT")));
}

#[test]
fn a_node_that_is_not_there_is_named() {
    let work = Work::new();
    work.write("suspect.txt", "A text.");
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let store = format!("redis://me:secret@127.0.0.1:{port}/a?timeout=1");
    for line in ["ngram_index add suspect.txt", "ngram_search suspect.txt", "ngram_index list"] {
        let message = work.fails(&format!("{line} --store {store}"));
        let expected = format!("redis://127.0.0.1:{port}/a: 127.0.0.1:{port}: ");
        assert!(message.contains(&expected) && message.contains("refused"), "{message}");
        assert!(message.contains("tried for 1 s") && !message.contains("secret"), "{message}");
    }
}
