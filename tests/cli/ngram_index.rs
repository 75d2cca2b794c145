//! ngram_index: usage, actions, identities, errors.

use super::shared::{check_closed_pipe, check_required, check_usage, check_values};
use crate::common::Work;

const ADD: &str = "ngram_index add docs --index ix -n 2,3";

fn prepared() -> Work {
    let work = Work::new();
    work.write("docs/a.txt", "One two three four.\n\nFive six.");
    work.write("docs/b/a.txt", "one two three, and four");
    work.write("docs/empty.txt", "...");
    work
}

/// Returns the ids of an index, without the folder of the test.
fn ids(work: &Work) -> Vec<String> {
    let root = std::fs::canonicalize(work.path("")).unwrap().display().to_string();
    let list = work.ok("ngram_index list --index ix").stdout;
    let id = |line: &str| line.split('\t').next().unwrap().replace(&root, "");
    list.lines().skip(1).map(id).collect()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "ngram_index",
        "Builds and changes an index of word n-grams",
        &[
            "index",
            "store",
            "include",
            "exclude",
            "follow",
            "input_format",
            "text_field",
            "id_field",
            "encoding",
            "markup",
            "max_record",
            "max_ratio",
            "max_archive",
            "lengths",
            "prefix",
            "preset",
            "config",
            "winnow",
            "no_stems",
            "replace",
            "skip",
            "buffer",
            "format",
            "out",
            "shard",
        ],
    );
    check_required("ngram_index list --index ix", &["index"]);
    check_values(
        "ngram_index add docs --index ix",
        &[
            ("lengths", "0", "from 1 to 1000"),
            ("winnow", "0", "at least 1"),
            ("preset", "x", "possible values"),
            ("format", "csv", "possible values"),
        ],
    );
    let work = Work::new();
    assert!(work.refuses("ngram_index add --index ix").contains("add needs at least one INPUT"));
    assert!(
        work.refuses("ngram_index list x --index ix").contains("list takes no INPUT, found 'x'")
    );
    assert!(work.refuses("ngram_index export --index ix --format xml").contains("tsv and jsonl"));
    assert_eq!(work.files(), [""; 0]);
}

#[test]
fn documents_are_added_listed_and_removed() {
    let work = prepared();
    let added = work.ok(ADD);
    assert!(added.stderr.contains("1 document without an n-gram"), "{}", added.stderr);
    assert!(
        added.stderr.contains("read 3 documents, skipped 0, wrote 3 documents"),
        "{}",
        added.stderr
    );
    assert_eq!(ids(&work), ["/docs/a.txt", "/docs/b/a.txt", "/docs/empty.txt"]);
    let list = work.ok("ngram_index list --index ix").stdout;
    assert!(list.starts_with("id\tpath\tline\twords\tngrams\n"), "{list}");
    assert!(list.lines().nth(1).unwrap().ends_with("\t0\t6\t2:4,3:2,stems:4"), "{list}");
    let removed = work.ok("ngram_index remove --index ix docs/b/a.txt docs/none.txt");
    assert!(removed.stderr.contains("docs/none.txt: not in the index"), "{}", removed.stderr);
    assert!(
        removed.stderr.contains("read 2 ids, skipped 1 id without a document, wrote 1 removal"),
        "{}",
        removed.stderr
    );
    assert_eq!(ids(&work), ["/docs/a.txt", "/docs/empty.txt"]);
    let stats = work.ok("ngram_index stats --index ix --format jsonl").stdout;
    assert!(stats.starts_with("{\"documents\":2,\"removed\":1,\"segments\":1,"), "{stats}");
    work.ok("ngram_index compact --index ix");
    let stats = work.ok("ngram_index stats --index ix --format jsonl").stdout;
    assert!(stats.starts_with("{\"documents\":2,\"removed\":0,\"segments\":1,"), "{stats}");
    work.ok("ngram_index check --index ix");
    work.ok("ngram_index clear --index ix");
    assert_eq!(ids(&work), [""; 0]);
    work.ok("ngram_index check --index ix");
    work.ok("ngram_index add docs --index ix --preset mensik");
    assert_eq!(ids(&work).len(), 3, "other rules after clear");
}

#[test]
fn lists_have_three_forms() {
    let work = prepared();
    work.write("docs/b/a.txt", "x <&> y");
    work.ok(ADD);
    let xml = work.ok("ngram_index list --index ix --format xml").stdout;
    assert!(
        xml.contains("<ngrams n=\"2\" count=\"4\"/>") && xml.ends_with("</documents>\n"),
        "{xml}"
    );
    let lines = work.ok("ngram_index list --index ix --format jsonl").stdout;
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((first["words"].as_u64(), first["ngrams"][1]["n"].as_u64()), (Some(6), Some(3)));
    let stats = work.ok("ngram_index stats --index ix").stdout;
    assert!(
        stats.contains(
            "n\tpostings\tdistinct\tbytes\tbytes_per_posting\texpected_collisions\n2\t5\t5\t"
        ),
        "{stats}"
    );
    let xml = work.ok("ngram_index stats --index ix --format xml").stdout;
    assert!(
        xml.contains("<statistics documents=\"3\"")
            && xml.contains("<ngrams n=\"3\" postings=\"2\""),
        "{xml}"
    );
    check_closed_pipe(&work, "ngram_index list --index ix");
}

#[test]
fn export_writes_the_hashes_of_each_document() {
    let work = prepared();
    work.ok(ADD);
    work.ok("ngram_index export --index ix --out hashes.tsv");
    let lines: Vec<Vec<String>> = work
        .read("hashes.tsv")
        .lines()
        .map(|line| line.split('\t').map(String::from).collect())
        .collect();
    assert_eq!(lines.len(), 9);
    let kinds: Vec<&str> = lines[..3].iter().map(|line| &*line[1]).collect();
    assert_eq!(kinds, ["2", "3", "stems"]);
    assert!(lines[0][0].ends_with("/docs/a.txt") && lines[0][1] == "2");
    assert_eq!(lines[0][2].split(' ').count(), 4);
    // Both texts begin alike.
    let hashes = |line: usize| lines[line][2].split(' ').collect::<std::collections::BTreeSet<_>>();
    assert_eq!(hashes(1).intersection(&hashes(4)).count(), 1);
    assert_eq!(lines[8][2], "");
    let refused = work.fails("ngram_index export --index ix --out ix/index.json");
    assert!(refused.contains("is a file that this run reads"), "{refused}");
}

#[test]
fn repeated_documents_are_replaced_or_kept() {
    let work = prepared();
    work.ok(ADD);
    let refused = work.fails(ADD);
    assert!(
        refused.contains("a.txt': in the index already; --replace indexes such documents again"),
        "{refused}"
    );
    work.write("docs/a.txt", "other words are here");
    let kept = work.ok(&format!("{ADD} --skip"));
    assert!(
        kept.stderr.contains("skipped 3 documents of the index, wrote 0 documents"),
        "{}",
        kept.stderr
    );
    let replaced = work.ok(&format!("{ADD} --replace"));
    assert!(replaced.stderr.contains("3 documents replaced"), "{}", replaced.stderr);
    let list = work.ok("ngram_index list --index ix").stdout;
    assert!(list.contains("\t0\t4\t2:3,3:2,stems:0\n"), "{list}");
    work.ok("ngram_index check --index ix");
}

#[test]
fn identities_are_prefix_and_path_or_id_or_url() {
    let work = Work::new();
    work.write("x/a.txt", "one");
    work.write("y/a.txt", "two");
    work.write("r.jsonl", "{\"id\": \"r\", \"text\": \"three\"}\n{\"id\": \"r\", \"text\": \"four\"}\n{\"text\": \"five\"}\n");
    work.write("wiki", "<doc id=\"7\" url=\"http://w/7\" title=\"A\">\nA text.\n</doc>\n");
    for input in ["x", "y", "r.jsonl", "wiki"] {
        work.ok(&format!("ngram_index add --index ix {input} --prefix m:"));
    }
    let expected = ["m:/r.jsonl:3", "m:/x/a.txt", "m:/y/a.txt", "http://w/7", "m:r", "m:r#2"];
    let mut found = ids(&work);
    found.sort();
    let mut expected = expected.map(String::from).to_vec();
    expected.sort();
    assert_eq!(found, expected);
    // The same file by several names in one run.
    let told = work.ok("ngram_index add --index ix x/a.txt ./x/../x/a.txt x --prefix n:").stderr;
    assert!(
        told.contains("read 3 documents, skipped 2 ") && told.contains("wrote 1 document"),
        "{told}"
    );
    work.ok("ngram_index remove --index ix n:x/a.txt x/a.txt --prefix n:");
    assert_eq!(ids(&work).len(), 6);
    // The same file by another name.
    let refused = work.fails("ngram_index add --index ix x/../x/a.txt --prefix m:");
    assert!(refused.contains("in the index already"), "{refused}");
    work.ok("ngram_index remove --index ix x/a.txt m:r --prefix m:");
    assert_eq!(ids(&work).len(), 4);
}

#[test]
fn rules_are_those_of_the_index() {
    let work = prepared();
    work.write("rules.toml", "min_word_length = 4\n[types.html]\nsorted = true\n");
    work.write(
        "config.xml",
        "<c><delete_chars>.,</delete_chars><stopwords><sw>and</sw></stopwords></c>",
    );
    work.ok("ngram_index add docs/a.txt --index ix -n 2 --config rules.toml");
    work.ok("ngram_index add docs/b/a.txt --index ix -n 2");
    let list = work.ok("ngram_index list --index ix").stdout;
    assert!(
        list.contains("\t0\t3\t2:1,stems:1\n") && list.contains("\t0\t2\t2:1,stems:0\n"),
        "{list}"
    );
    let refused = work.fails("ngram_index add docs/empty.txt --index ix --preset mensik");
    assert!(
        refused.contains("ix/index.json: expected homoglyphs true as in the index, found false"),
        "{refused}"
    );
    let refused = work.fails("ngram_index add docs/empty.txt --index ix --winnow 4");
    assert!(refused.contains("expected winnow 1 as in the index, found 4"), "{refused}");
    work.ok("ngram_index add docs --index xml -n 2 --config config.xml");
    let list = work.ok("ngram_index list --index xml").stdout;
    assert!(list.contains("b/a.txt\t0\t4\t2:3,stems:2\n"), "{list}");
    work.write("wrong.toml", "sort = 1\n");
    let refused = work.fails("ngram_index add docs --index other --config wrong.toml");
    assert!(
        refused.contains("wrong.toml:1: expected n-gram rules, found unknown field"),
        "{refused}"
    );
    assert!(!work.has("other"), "no index of nothing");
}

#[test]
fn damaged_and_foreign_indexes_are_refused() {
    let work = prepared();
    work.ok(ADD);
    let (head, segment) = (work.read("ix/index.json"), work.read_bytes("ix/segment-1.bin"));
    work.write("ix/index.json", &head[..head.len() / 2]);
    let refused = work.fails("ngram_index list --index ix");
    assert!(
        refused.contains("ix/index.json:")
            && refused.contains("expected \"format\": \"nearsig ngram index 3\""),
        "{refused}"
    );
    work.write("ix/index.json", head.replace("index 3", "index 1"));
    let refused = work.fails(&format!("{ADD} --skip"));
    assert!(
        refused.contains(
            "expected \"format\": \"nearsig ngram index 3\", found 'nearsig ngram index 1'"
        ),
        "{refused}"
    );
    work.write("ix/index.json", head.replace("\"parameters\"", "\"parameter\""));
    let refused = work.fails("ngram_index list --index ix");
    assert!(refused.contains("ix/index.json: expected entries with CRC-32 "), "{refused}");
    work.write("ix/index.json", &head);
    work.write("ix/segment-1.bin", &segment[..segment.len() - 1]);
    let refused = work.fails("ngram_search docs --index ix");
    assert!(refused.contains("segment-1.bin: expected"), "{refused}");
    let mut damaged = segment.clone();
    damaged[20] ^= 1;
    work.write("ix/segment-1.bin", &damaged);
    for line in ["ngram_index check --index ix", "ngram_search docs --index ix -n 2"] {
        let refused = work.fails(line);
        assert!(refused.contains("segment-1.bin: ") && refused.contains("expected"), "{refused}");
    }
    work.write("ix/segment-1.bin", &segment);
    work.ok("find_near_dups docs --save_index near");
    let refused = work.fails("ngram_index list --index near");
    assert!(
        refused.contains("expected \"format\": \"nearsig ngram index 3\", found 'nearsig index 3'"),
        "{refused}"
    );
    let refused = work.fails("ngram_index list --index nothing");
    assert!(refused.contains("nothing/index.json: cannot read"), "{refused}");
    for action in ["remove x", "compact", "clear"] {
        work.fails(&format!("ngram_index {action} --index nothing"));
    }
    assert!(!work.has("nothing"));
}
