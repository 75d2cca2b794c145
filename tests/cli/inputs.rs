//! Inputs as people have them, through the executables.

use crate::common::{Work, gzip};

const FOX: &str = "the quick brown fox jumps over the lazy dog and runs away into the dark wood";

/// Returns the last line of a table of pairs, without the score.
fn last_pair(work: &Work) -> String {
    let pairs = work.read("pairs.tsv");
    let last = pairs.lines().last().unwrap_or_default();
    last.split_once('\t').map_or_else(String::new, |(_, ids)| ids.to_string())
}

#[test]
fn rows_of_tables_are_documents() {
    let work = Work::new();
    let quoted = FOX.replace("fox ", "\"\"fox\"\"\n");
    work.write("a.csv", format!("id,lang,text\n1,en,{FOX}\n2,en,\"{quoted}\"\n3,de,anders\n"));
    let ran =
        work.ok("find_near_dups a.csv -v --out pairs.tsv --dedup kept.csv --removed removed.tsv");
    assert_eq!(last_pair(&work), "1\t2");
    assert_eq!(work.read("kept.csv"), format!("id,lang,text\n1,en,{FOX}\n3,de,anders\n"));
    assert!(ran.stderr.contains("find_near_dups: a.csv: 3 documents\n"), "{}", ran.stderr);
    work.write("b.tsv", format!("key\tbody\n1\t{FOX}\n2\t{FOX}!\n"));
    work.ok("find_near_dups b.tsv --text_field body --id_field key --out pairs.tsv");
    assert_eq!(last_pair(&work), "1\t2");
    let told = work.fails("find_near_dups b.tsv --out pairs.tsv");
    assert!(
        told.contains("b.tsv: expected the field 'text' (--text_field), found 'key', 'body'"),
        "{told}"
    );
}

#[test]
fn arrays_and_nested_fields_are_read() {
    let work = Work::new();
    work.write("a.json", format!("[{{\"meta\":{{\"id\":\"x\"}},\"text\":\"{FOX}\"}},\n {{\"meta\":{{\"id\":\"y\"}},\"text\":\"{FOX}\"}}]"));
    work.ok("find_near_dups a.json --id_field meta.id --out pairs.tsv --dedup kept.json");
    assert_eq!(last_pair(&work), "x\ty");
    assert_eq!(
        work.read("kept.json"),
        format!("[\n{{\"meta\":{{\"id\":\"x\"}},\"text\":\"{FOX}\"}}\n]\n")
    );
    let ran =
        work.run_with_input("find_near_dups - --id_field meta.id", work.read("a.json").as_bytes());
    assert!(ran.stdout.ends_with("\tx\ty\n"), "{}", ran.stderr);
}

#[test]
fn a_missing_field_is_an_error_that_lists_the_fields() {
    let work = Work::new();
    work.write("a.jsonl", "{\"body\":\"x\",\"title\":\"y\"}\n");
    let told = work.fails("find_near_dups a.jsonl");
    assert!(
        told.contains("expected the field 'text' (--text_field), found 'body', 'title'"),
        "{told}"
    );
}

#[test]
fn ordinary_json_files_in_a_folder_are_documents() {
    let work = Work::new();
    let content = format!("{{\n  \"description\": \"{FOX}\"\n}}\n");
    work.write("in/one/package.json", &content);
    work.write("in/two/package.json", &content);
    let ran = work.ok("find_near_dups in --out pairs.tsv");
    assert_eq!(last_pair(&work), "one/package.json\ttwo/package.json");
    assert!(!ran.stderr.contains("skipped in"), "{}", ran.stderr);
}

#[test]
fn links_in_folders_are_not_followed() {
    let work = Work::new();
    work.write("in/a.1", FOX);
    std::os::unix::fs::symlink("a.1", work.path("in/b.1")).unwrap();
    let ran = work.ok("find_near_dups in --out pairs.tsv");
    assert!(ran.stderr.contains("1 symbolic link not followed (see --follow)"), "{}", ran.stderr);
    assert_eq!(work.read("pairs.tsv").lines().count(), 1);
    work.ok("find_near_dups in --follow --out pairs.tsv");
    assert_eq!(last_pair(&work), "a.1\tb.1");
}

#[test]
fn repeated_ids_are_numbered_and_the_report_knows_them() {
    let work = Work::new();
    let dump = format!("{{\"id\":7,\"text\":\"{FOX}\"}}\n");
    work.write("dump.jsonl", dump.repeat(3));
    let ran = work
        .ok("find_near_dups dump.jsonl --out pairs.tsv --clusters clusters.tsv --dedup kept.jsonl");
    assert!(
        ran.stderr.contains("2 repeated ids: dump.jsonl:2 has the id '7' again"),
        "{}",
        ran.stderr
    );
    assert_eq!((last_pair(&work), work.read("kept.jsonl")), ("7#2\t7#3".into(), dump));
    work.ok("report_pairs dump.jsonl --pairs pairs.tsv --clusters clusters.tsv --out page.html");
    assert!(work.read("page.html").contains("7#3"));
}

#[test]
fn a_copy_is_refused_by_name_before_anything_is_read() {
    let work = Work::new();
    work.write("a.jsonl", "{\"text\":\"x\"}\nnot JSON\n");
    for target in ["c.parquet", "c.csv", "c.zip", "c.docx", "c.warc.gz"] {
        let ran = work.run(&format!("find_near_dups a.jsonl --dedup {target}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(target) && !ran.stderr.contains("skipped"), "{}", ran.stderr);
        assert!(!work.has(target) && !work.has(format!("{target}.part")));
    }
}

#[test]
fn a_folder_of_shards_is_copied_shard_by_shard() {
    let work = Work::new();
    let record = |id: u32, text: &str| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
    work.write("in/1.jsonl", record(1, FOX) + &record(2, "something else entirely"));
    work.write(
        "in/sub/2.jsonl.gz",
        gzip((record(3, FOX) + &record(4, "and one more text here")).as_bytes()),
    );
    work.write("in/3.jsonl", record(5, FOX));
    for threads in [1, 2] {
        work.ok(&format!("find_near_dups in --dedup clean{threads}/ --threads {threads}"));
        let clean = |name: &str| work.read(format!("clean{threads}/{name}"));
        assert_eq!(clean("1.jsonl"), record(1, FOX) + &record(2, "something else entirely"));
        assert_eq!(clean("3.jsonl"), "");
        assert_eq!(clean("sub/2.jsonl.gz"), record(4, "and one more text here"));
    }
}

#[test]
fn archives_are_read_member_by_member() {
    let work = Work::new();
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in
        [("one.txt", FOX.to_string()), ("docs/two.html", format!("<p>{FOX}</p>"))]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    work.write("all.tar.gz", gzip(&builder.into_inner().unwrap()));
    work.ok("find_near_dups all.tar.gz --out pairs.tsv");
    assert_eq!(last_pair(&work), "all.tar.gz!one.txt\tall.tar.gz!docs/two.html");
    work.ok("report_pairs all.tar.gz --pairs pairs.tsv --out page.html");
    work.ok("create_bows all.tar.gz --bow_paths bow_paths --bow_dir bows --words");
}

/// Returns archives in archives, of which only the innermost has a document.
fn nested_tar(depth: usize) -> Vec<u8> {
    const END: usize = 1024;
    let padded = |size: usize| size.next_multiple_of(512);
    let header = |name: &str, size: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_size(size as u64);
        header.set_cksum();
        header.as_bytes().to_vec()
    };
    let innermost = 512 + padded(FOX.len()) + END;
    let level = |level: usize| innermost + level * (512 + END);
    let outer = (0..depth).rev().flat_map(|inside| header("a.tar", level(inside)));
    let mut content: Vec<u8> = outer.chain(header("a.txt", FOX.len())).collect();
    content.extend(FOX.as_bytes());
    content.resize(padded(content.len()) + (depth + 1) * END, 0);
    content
}

#[test]
fn archives_in_archives_are_skipped() {
    let work = Work::new();
    work.write("good.txt", FOX);
    work.write("one.tar", nested_tar(0));
    work.ok("find_near_dups one.tar good.txt --out pairs.tsv");
    assert_eq!(last_pair(&work), "one.tar!a.txt\tgood.txt");
    work.write("deep.tar", nested_tar(10_000));
    work.write("deep.tar.gz", gzip(&nested_tar(10_000)));
    for name in ["deep.tar", "deep.tar.gz"] {
        let ran = work.run(&format!("find_near_dups {name} good.txt --out pairs.tsv"));
        let told = format!("skipped {name}!a.tar: an archive in an archive");
        assert!(ran.code == Some(3) && ran.stderr.contains(&told), "{}", ran.stderr);
    }
}
