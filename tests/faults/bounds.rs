//! Hostile input: endless lines and files, decompression bombs, headers that state sizes without bound, deep nesting. Every run has a limit
//! on its memory: an unbounded allocation is an abort, not a slow machine.

use std::io::{self, Read};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::{Kind, STAGES, assert_failed, assert_unchanged, snapshot};
use crate::common::{Outcome, Work, executable_path};

/// Memory of a run in kilobytes: enough for two threads, and little compared with the input.
const LITTLE: u64 = 900 << 10;
/// Enough for the longest line of a file of the pipeline.
const MUCH: u64 = 5 << 20;
/// Two near-duplicates.
const DOCUMENTS: &str = "{\"id\":\"one\",\"text\":\"some words of a text\"}\n{\"id\":\"two\",\"text\":\"some words of a text\"}\n";

/// Runs a command line with a limit on its memory in kilobytes.
fn run(work: &Work, line: &str, kilobytes: u64) -> Outcome {
    let mut words = line.split_whitespace();
    let script = format!("ulimit -c 0; ulimit -v {kilobytes}; exec \"$0\" \"$@\" --threads 2");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(executable_path(words.next().unwrap())).args(words);
    command.current_dir(work.path(".")).stdin(Stdio::null());
    Outcome::from(command.output().unwrap())
}

/// Runs a command line that must end with this exit code, and returns its messages.
#[track_caller]
pub fn ends(work: &Work, line: &str, code: i32) -> String {
    let ran = run(work, line, LITTLE);
    assert_eq!(ran.code, Some(code), "{line}\n{}", ran.stderr);
    ran.stderr
}

fn gzip_of(content: impl Read) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    io::copy(&mut { content }, &mut encoder).unwrap();
    encoder.finish().unwrap()
}

fn zeros(megabytes: u64) -> impl Read {
    io::repeat(0).take(megabytes << 20)
}

/// Returns a folder with documents, their pairs, and bombs of 300 MB of zeros.
fn with_bombs() -> Work {
    let work = Work::new();
    work.write("good.jsonl", DOCUMENTS);
    work.write("pairs.tsv", "similarity\tdocument_1\tdocument_2\n1.0000\tone\ttwo\n");
    work.ok("ngram_index add --index known -n 2 good.jsonl");
    work.write("bomb.jsonl.gz", gzip_of(zeros(300)));
    work.write("bomb.txt.gz", gzip_of(zeros(300)));
    work.write("bomb.jsonl.zst", zstd::encode_all(zeros(300), 1).unwrap());
    work
}

const READERS: [(&str, i32); 6] = [
    ("find_near_dups --out out.tsv good.jsonl", 3),
    ("report_pairs --pairs pairs.tsv --out page.html good.jsonl", 3),
    ("create_bows --bow_paths bow_paths --bow_dir bows good.jsonl", 1),
    ("create_prints --method tf --print_paths print_paths --print_dir prints good.jsonl", 1),
    ("ngram_index add --index ix -n 2 --skip good.jsonl", 3),
    ("ngram_search --index known --out found good.jsonl", 3),
];

#[test]
fn a_bomb_is_unreadable_input_of_every_reader_of_documents() {
    let work = with_bombs();
    for (line, code) in READERS {
        for (input, told) in [
            (
                "bomb.jsonl.gz --max_record 1M",
                "bomb.jsonl.gz:1: expected a record of at most 1048576 bytes (--max_record), found more than 67108864",
            ),
            (
                "bomb.jsonl.gz --max_record 8M",
                "bomb.jsonl.gz:1: expected a record of at most 8388608 bytes (--max_record), found a longer one",
            ),
            (
                "bomb.jsonl.zst --max_record 8M",
                "bomb.jsonl.zst:1: expected at most 20000 bytes per compressed byte (--max_ratio), found more: a decompression bomb?",
            ),
            (
                "bomb.jsonl.gz --max_ratio 100",
                "bomb.jsonl.gz:1: expected at most 100 bytes per compressed byte (--max_ratio), found more: a decompression bomb?",
            ),
            (
                "bomb.txt.gz --max_record 8M",
                "bomb.txt.gz: expected a record of at most 8388608 bytes (--max_record), found a longer one",
            ),
            (
                "bomb.txt.gz --max_ratio 100",
                "bomb.txt.gz: expected at most 100 bytes per compressed byte (--max_ratio), found more: a decompression bomb?",
            ),
        ] {
            let stderr = ends(&work, &format!("{line} {input}"), code);
            assert!(stderr.contains(told), "{line} {input}\n{stderr}");
        }
    }
}

/// Returns a DOCX file whose text is this content.
fn docx_of(content: impl Read) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let deflated = zip::CompressionMethod::Deflated;
    let options = zip::write::SimpleFileOptions::default().compression_method(deflated);
    writer.start_file("[Content_Types].xml", options).unwrap();
    io::copy(&mut &b"wordprocessingml"[..], &mut writer).unwrap();
    writer.start_file("word/document.xml", options).unwrap();
    io::copy(&mut { content }, &mut writer).unwrap();
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_bomb_in_an_office_document_is_unreadable_input() {
    let work = with_bombs();
    let text = b"<p><t>".chain(io::repeat(b' ').take(300 << 20)).chain(&b"</t></p>"[..]);
    work.write("bomb.docx", docx_of(text));
    let laughs: String = (1..40).map(|n| format!("<!ENTITY l{n} '&l{0};&l{0};'>", n - 1)).collect();
    let laughs =
        format!("<!DOCTYPE p [<!ENTITY l0 'ha'>{laughs}]><p><r><t>&l39; some words</t></r></p>");
    work.write("laughs.docx", docx_of(laughs.as_bytes()));
    let depth = 100_000;
    let nested = |open: &str, close: &str| {
        [&open.repeat(depth), "deep words", &close.repeat(depth)].concat()
    };
    work.write("deep.docx", docx_of(nested("<p><r><t>", "</t></r></p>").as_bytes()));
    work.write("deep.rtf", format!("{{\\rtf1 {}}}", nested("{\\b ", "}")));
    for (line, code) in READERS {
        for (flags, told) in [
            (
                "--max_record 8M",
                "expected a record of at most 8388608 bytes (--max_record), found a longer one",
            ),
            (
                "--max_ratio 100",
                "expected at most 100 bytes per compressed byte (--max_ratio), found more: a decompression bomb?",
            ),
        ] {
            let stderr = ends(&work, &format!("{line} bomb.docx {flags}"), code);
            assert!(stderr.contains(&format!("bomb.docx: {told}")), "{line}\n{stderr}");
        }
        ends(&work, &format!("{line} laughs.docx deep.docx deep.rtf"), 0);
    }
    let pairs = work.read("out.tsv");
    assert!(pairs.contains("1.0000\tdeep.docx\tdeep.rtf"), "{pairs}");
}

#[test]
fn endless_devices_are_given_up() {
    let work = with_bombs();
    for (line, code) in READERS {
        for (format, place) in [("json", "/dev/zero:1:"), ("text", "/dev/zero:")] {
            // As whole files, the other documents have other names than the pairs.
            let code = if line.starts_with("report") && format == "text" { 1 } else { code };
            // Results of n-gram searches have a format, too.
            let flag = if line.starts_with("ngram") { "input_format" } else { "format" };
            let line = format!("{line} /dev/zero --{flag} {format} --max_record 1M");
            let stderr = ends(&work, &line, code);
            let told = format!(
                "{place} expected a record of at most 1048576 bytes (--max_record), found "
            );
            assert!(stderr.contains(&told), "{line}\n{stderr}");
        }
    }
    // Spooled, because it is copied.
    let spooled =
        "find_near_dups good.jsonl /dev/zero --format json --max_record 1M --dedup kept.jsonl";
    let stderr = ends(&work, spooled, 3);
    assert!(stderr.contains("/dev/zero:1: expected a record of at most 1048576 bytes"), "{stderr}");
    assert_eq!(work.read("kept.jsonl").lines().count(), 1);
}

#[test]
fn reading_goes_on_after_a_long_record() {
    let work = Work::new();
    let long = format!("{{\"id\":\"long\",\"text\":\"{}\"}}\n", "word ".repeat(1 << 20));
    let (one, two) = DOCUMENTS.split_at(DOCUMENTS.len() / 2);
    let longer = long.replace("long", "longer");
    work.write("docs.jsonl", [one, &long, &longer, two].concat());
    let line = "find_near_dups docs.jsonl --max_record 1M --out pairs.tsv --dedup kept.jsonl -v";
    let stderr = ends(&work, line, 3);
    for number in [2, 3] {
        let told = format!(
            "docs.jsonl:{number}: expected a record of at most 1048576 bytes (--max_record), found a longer one"
        );
        assert!(stderr.contains(&told), "{stderr}");
    }
    assert!(work.read("pairs.tsv").ends_with("\tone\ttwo\n"));
    assert_eq!(work.read("kept.jsonl"), one);
    work.ok("find_near_dups docs.jsonl --out pairs.tsv");
    assert_eq!(work.run("find_near_dups docs.jsonl --max_record 0 --out x").code, Some(2));
}

/// Links an input to a device that never ends, and returns the outcome. No other file may change.
fn with_endless_input(
    stage: &super::Stage,
    name: &str,
    has_manifests: bool,
    kilobytes: u64,
) -> Outcome {
    let work = stage.before();
    if !has_manifests {
        work.delete_manifests();
    }
    std::fs::remove_file(work.path(name)).unwrap();
    symlink("/dev/zero", work.path(name)).unwrap();
    let before = snapshot(&work);
    let ran = run(&work, stage.line, kilobytes);
    assert_unchanged(&before, &snapshot(&work), &format!("after: {}", stage.line));
    ran
}

#[test]
fn an_endless_file_of_the_pipeline_is_an_error_with_little_memory() {
    for stage in &STAGES {
        for (name, _) in stage.inputs {
            for has_manifests in [true, false] {
                let ran = with_endless_input(stage, name, has_manifests, LITTLE);
                assert_failed(&ran, stage.line, &[name]);
                // create_prints tells its bands first.
                let messages = ran.stderr.lines().filter(|line| !line.contains(" bands of "));
                assert_eq!(messages.count(), 1, "{}", ran.stderr);
            }
        }
    }
}

#[test]
fn an_endless_line_of_the_pipeline_is_an_error_at_its_place() {
    let told = ":1: expected a line of at most 1073741824 bytes, found a longer one";
    for (executable, name) in [
        ("hamming_full", "sig_paths"),
        ("compare_results", "sim"),
        ("create_voc", "bows/bow_paths-000002.bow"),
        ("match_prints", "prints/print_paths-000002.print"),
    ] {
        let stage = STAGES.iter().find(|stage| stage.executable() == executable).unwrap();
        let ran = with_endless_input(stage, name, false, MUCH);
        assert_failed(&ran, stage.line, &[&format!("{name}{told}")]);
    }
}

#[test]
fn a_compressed_bomb_is_an_error_in_every_data_file() {
    let bomb = zstd::encode_all(zeros(200), 1).unwrap();
    for stage in &STAGES {
        for (name, _) in
            stage.inputs.iter().filter(|(_, kind)| *kind == Kind::Data || *kind == Kind::Voc)
        {
            let work = stage.before();
            work.write(name, &bomb);
            let before = snapshot(&work);
            assert_failed(
                &run(&work, stage.line, LITTLE),
                stage.line,
                &[name, " bytes as in ", "found more"],
            );
            assert_unchanged(&before, &snapshot(&work), stage.line);
            work.delete_manifests();
            let told = ":1: expected at most 20000 bytes per compressed byte, found more: a decompression bomb?";
            assert_failed(&run(&work, stage.line, LITTLE), stage.line, &[&format!("{name}{told}")]);
        }
    }
}

#[test]
fn headers_that_state_any_size_are_no_reason_to_allocate_it() {
    for stage in &STAGES {
        for (name, kind) in
            stage.inputs.iter().filter(|(_, kind)| matches!(kind, Kind::List | Kind::Voc))
        {
            let work = stage.before();
            work.delete_manifests();
            let text = work.read(name);
            for (at, line) in
                text.lines().enumerate().filter(|(_, line)| !line.contains('/')).take(4)
            {
                let Some((word, _)) = line.split_once(' ').filter(|(word, _)| word.contains('_'))
                else {
                    continue;
                };
                for size in ["4294967292", "99999999999", "18446744073709551615"] {
                    let mut lines: Vec<&str> = text.lines().collect();
                    let header = format!("{word} {size}");
                    lines[at] = &header;
                    work.write(name, lines.join("\n") + "\n");
                    let ran = run(&work, stage.line, LITTLE);
                    // A vocabulary may be larger than the terms in use, and may lack rare terms of any number of documents.
                    let is_harmless = word == "VELIKOST_SLOVNIKU" || *kind == Kind::Voc;
                    assert!(
                        ran.code == Some(1) || (is_harmless && ran.code == Some(0)),
                        "{header}: {}\n{}",
                        stage.line,
                        ran.stderr
                    );
                }
            }
        }
    }
}

#[test]
fn ids_and_sort_keys_beyond_64_bits_stay_different() {
    let work = Work::new();
    let number = |last: u8| format!("12345678901234567890123456789{last}");
    let line = |last: u8| {
        format!("{{\"id\":{0},\"text\":\"the same text twice\",\"n\":{0}}}\n", number(last))
    };
    work.write("docs.jsonl", [line(0), line(2), line(1)].concat());
    work.ok("find_near_dups docs.jsonl --out pairs.tsv --keep largest:n --dedup kept.jsonl");
    assert_eq!(work.read("kept.jsonl"), line(2));
    let pairs = work.read("pairs.tsv");
    assert_eq!(pairs.lines().count(), 4);
    assert!(pairs.contains(&format!("\t{}\t{}\n", number(0), number(2))), "{pairs}");
    work.ok("create_bows --json_lines docs.jsonl --bow_paths bow_paths --bow_dir bows");
    let bow = work.read("bows/bow_paths-000001.bow");
    assert!(bow.lines().nth(1).unwrap().starts_with(&format!("{}:", number(2))), "{bow}");
}

#[test]
fn nesting_without_end_overflows_no_stack() {
    let work = Work::new();
    let depth = 3_000_000;
    let nested = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let record =
        format!("{{\"meta\":{nested},\"id\":\"deep\",\"text\":\"some words of a text\"}}\n");
    work.write("docs.jsonl", [DOCUMENTS, &record].concat());
    work.write(
        "page.html",
        format!(
            "<html>{}an entirely different page{}",
            "<div>".repeat(depth),
            "</div>".repeat(depth)
        ),
    );
    work.ok("find_near_dups docs.jsonl page.html --out pairs.tsv --keep largest:meta --dedup kept.jsonl");
    assert_eq!(work.read("pairs.tsv").lines().count(), 4);
    work.write(
        "pairs.jsonl",
        format!("{{\"similarity\":{nested},\"document_1\":\"a\",\"document_2\":\"b\"}}\n"),
    );
    let told = ends(&work, "report_pairs docs.jsonl --pairs pairs.jsonl --out page", 1);
    assert!(told.contains("pairs.jsonl:1: expected a JSON object"), "{told}");
}

/// Returns a ZIP archive of deflated members.
fn zip_of(members: Vec<(&str, Box<dyn Read>)>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, mut content) in members {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        io::copy(&mut content, &mut writer).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn bombs_in_archives_are_skipped() {
    let work = with_bombs();
    let members: Vec<(&str, Box<dyn Read>)> = vec![
        ("bomb.txt", Box::new(zeros(300))),
        ("bomb.jsonl", Box::new(zeros(300))),
        ("bomb.csv", Box::new(io::Cursor::new("text\n\"").chain(zeros(300)))),
        ("../../../tmp/slip.txt", Box::new(io::Cursor::new("some words of a text"))),
    ];
    work.write("bombs.zip", zip_of(members));
    let line = "find_near_dups good.jsonl bombs.zip --max_record 1M --out out.tsv -v";
    let stderr = ends(&work, line, 3);
    for name in ["bomb.txt:", "bomb.jsonl:1:", "bomb.csv:2:"] {
        let told = format!("bombs.zip!{name} expected a record of at most 1048576 bytes");
        assert!(stderr.contains(&told), "{stderr}");
    }
    assert!(work.read("out.tsv").contains("bombs.zip!../../../tmp/slip.txt"));
    let stderr =
        ends(&work, "find_near_dups good.jsonl bombs.zip --max_ratio 500 --out out.tsv -v", 3);
    assert_eq!(
        stderr.matches("at most 500 bytes per compressed byte (--max_ratio)").count(),
        4,
        "{stderr}"
    );
}

#[test]
fn members_that_share_bytes_are_refused() {
    let work = with_bombs();
    let mut archive = zip_of(vec![("a.txt", Box::new(zeros(1))), ("b.txt", Box::new(zeros(1)))]);
    // The directory's entry of the second member gets the place of the first.
    let entry = memchr::memmem::rfind(&archive, b"PK\x01\x02").unwrap();
    archive[entry + 42..entry + 46].fill(0);
    work.write("shared.zip", archive);
    let stderr = ends(&work, "find_near_dups good.jsonl shared.zip --out out.tsv", 3);
    assert!(stderr.contains("shared.zip: members share their bytes"), "{stderr}");
}

#[test]
fn compressed_archives_have_a_limit() {
    let work = with_bombs();
    let mut header = tar::Header::new_gnu();
    header.set_path("a.jsonl").unwrap();
    header.set_size(300 << 20);
    header.set_cksum();
    let content = || io::Cursor::new(header.as_bytes().to_vec()).chain(zeros(300)).chain(zeros(1));
    work.write("bomb.tar.gz", gzip_of(content()));
    let line = "find_near_dups good.jsonl bomb.tar.gz --max_record 1M --out out.tsv";
    let stderr = ends(&work, &format!("{line} --max_archive 100M"), 3);
    assert!(stderr.contains("at most 104857600 decompressed bytes (--max_archive)"), "{stderr}");
    let stderr = ends(&work, line, 3);
    assert!(stderr.contains("bomb.tar.gz!a.jsonl:1: expected a record"), "{stderr}");
    // A name without end.
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_cksum();
    let content = io::Cursor::new(header.as_bytes().to_vec()).chain(zeros(301));
    work.write("name.tar.gz", gzip_of(content));
    let stderr = ends(&work, "find_near_dups good.jsonl name.tar.gz --out out.tsv", 3);
    assert!(stderr.contains("name.tar.gz: expected a tar header of at most"), "{stderr}");
}
