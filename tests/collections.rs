//! Tests of the scripts that create text collections: parts, checksums, missing tools. They fetch nothing.

use std::process::Command;

use crate::common::{Outcome, Work};
use crate::scripts;

/// Runs a Python file of scripts/collect in the folder.
fn python(work: &Work, file: &str, arguments: &str) -> Outcome {
    let collect = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/collect");
    let mut command = Command::new("python3");
    command.arg("-B").arg(collect.join(file)).args(arguments.split_whitespace());
    Outcome::from(command.current_dir(work.path("")).output().unwrap())
}

#[track_caller]
fn python_ok(work: &Work, file: &str, arguments: &str) -> String {
    let ran = python(work, file, arguments);
    assert_eq!(ran.code, Some(0), "{file} {arguments}\n{}", ran.stderr);
    ran.stdout
}

/// Returns a document of `words` distinct words, each twice, and a number, which is not counted.
fn document(id: &str, words: usize) -> String {
    let words: Vec<String> = (0..words).map(|word| format!("w{word} w{word}")).collect();
    format!("{{\"id\": \"{id}\", \"text\": \"{} 1987\"}}\n", words.join("\\n"))
}

/// Returns the lines at some positions.
fn lines(documents: &[String], places: &[usize]) -> String {
    places.iter().map(|&place| documents[place].as_str()).collect()
}

#[test]
fn parts_have_the_fewest_and_the_most_distinct_words() {
    // Many documents tie, some have no words, and one has a name that is escaped in BOW files.
    let counts: Vec<usize> = (0..57).map(|place| place * 31 % 57 / 4).collect();
    let mut documents: Vec<String> = counts
        .iter()
        .enumerate()
        .map(|(place, &words)| document(&format!("d{place}"), words))
        .collect();
    documents[40] = document("forty (40): a%b", counts[40]);
    let work = Work::new();
    work.write("all.jsonl", documents.concat());
    work.ok("create_bows --json_lines all.jsonl --bow_paths bow_paths --bow_dir bows --bows_per_file 10");
    let messages = python_ok(&work, "parts.py", "all.jsonl bow_paths small.jsonl large.jsonl");

    // A document is in a part if fewer than a tenth precede it.
    let tenth = counts.len() / 10;
    let few = |place: usize| {
        let before =
            |other: &usize| counts[*other] > 0 && (counts[*other], *other) < (counts[place], place);
        counts[place] > 0 && (0..counts.len()).filter(before).count() < tenth
    };
    let many = |place: usize| {
        let key = |place: usize| (usize::MAX - counts[place], place);
        (0..counts.len()).filter(|&other| key(other) < key(place)).count() < tenth
    };
    let small: Vec<usize> = (0..counts.len()).filter(|&place| few(place)).collect();
    let large: Vec<usize> = (0..counts.len()).filter(|&place| many(place)).collect();
    assert_eq!((small.len(), large.len()), (5, 5));
    assert_eq!(work.read("small.jsonl"), lines(&documents, &small));
    assert_eq!(work.read("large.jsonl"), lines(&documents, &large));
    let range = "5 with 1 to 2 distinct words; large: 5 with 13 to 14 distinct words";
    assert_eq!(messages, format!("57 documents; small: {range}\n"));
}

#[test]
fn bows_of_another_collection_are_an_error() {
    let work = Work::new();
    work.write("all.jsonl", document("a", 2) + &document("b", 1));
    work.write("other.jsonl", document("b", 1) + &document("a", 2));
    work.ok("create_bows --json_lines other.jsonl --bow_paths bow_paths --bow_dir bows");
    let ran = python(&work, "parts.py", "all.jsonl bow_paths small large");
    assert_eq!(ran.code, Some(1));
    let message = "bow_paths: expected the documents of all.jsonl in their order, found others\n";
    assert_eq!(ran.stderr, message);
    assert!(!work.has("small") && !work.has("large"));
}

/// Creates a folder `made` with two collections of one and two documents, and records their checksums.
fn recorded() -> Work {
    let work = Work::new();
    for (name, text) in [("tiny", document("a", 2)), ("other", document("a", 1) + "{}\n")] {
        work.write(format!("made/{name}.jsonl"), &text);
        work.write(format!("made/{name}-small.jsonl"), "");
        work.write(format!("made/{name}.source"), format!("package {name} 1.0\n"));
        python_ok(&work, "check.py", &format!("record sums made {name}"));
    }
    work.write("made/tiny.truth.tsv", "document_1\tdocument_2\na\tb\n");
    python_ok(&work, "check.py", "record sums made tiny");
    work
}

#[test]
fn checksums_are_recorded_with_documents_and_source() {
    let work = recorded();
    let sums = work.read("sums");
    for line in ["# tiny: package tiny 1.0", "# tiny.truth.tsv: 1 pairs"] {
        assert!(sums.contains(&format!("\n{line}\n")), "{sums}");
    }
    // SHA-256 of the empty file.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let line = format!("# other-small.jsonl: 0 documents\n{empty}  other-small.jsonl\n");
    assert!(sums.contains(&line) && sums.contains("\n# other.jsonl: 2 documents\n"), "{sums}");
    for name in ["tiny", "other"] {
        python_ok(&work, "check.py", &format!("check sums made {name}"));
    }
}

#[test]
fn changed_file_is_an_error_with_both_values() {
    let work = recorded();
    let before = work.read("sums");
    work.write("made/tiny.jsonl", document("a", 2) + &document("b", 2));
    work.write("made/tiny.source", "package tiny 1.1\n");
    std::fs::remove_file(work.path("made/tiny.truth.tsv")).unwrap();
    work.write("made/tiny-large.jsonl", "");
    let ran = python(&work, "check.py", "check sums made tiny");
    assert_eq!(ran.code, Some(1));
    let messages: Vec<&str> = ran.stderr.lines().collect();
    let [large, all, truth, source] = messages[..] else { panic!("{messages:?}") };
    assert_eq!(large, "collections.sh: error: tiny-large.jsonl: not recorded");
    assert!(all.starts_with("collections.sh: error: tiny.jsonl: 2 documents, sha256 "), "{all}");
    assert!(all.contains("; recorded: 1 documents, sha256 "), "{all}");
    assert_eq!(truth, "collections.sh: error: tiny.truth.tsv: missing");
    let sources = "tiny comes from package tiny 1.1; recorded: package tiny 1.0";
    assert_eq!(source, format!("collections.sh: error: {sources}"));

    let ran = python(&work, "check.py", "check sums made tiny changes");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr.matches("collections.sh: note: ").count(), 4, "{}", ran.stderr);
    python_ok(&work, "check.py", "check sums made other");
    assert_eq!(work.read("sums"), before);
}

/// Creates a folder with the files of a collection, with content the script would not create.
fn cached(name: &str) -> Work {
    let work = Work::new();
    for end in [".jsonl", "-small.jsonl", "-large.jsonl", ".source"] {
        work.write(format!("exp/collections/{name}{end}"), document("a", 2));
    }
    work
}

#[test]
fn existing_collection_is_checked_and_kept() {
    let work = cached("reuters");
    let before = work.files();
    let ran = scripts::run(&work, "collect/collections.sh", &["reuters"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let messages = "error: reuters.jsonl: 1 documents, sha256 ";
    assert!(ran.stderr.contains(messages), "{}", ran.stderr);
    assert!(ran.stderr.contains("; recorded: 19043 documents, sha256 "), "{}", ran.stderr);
    assert_eq!(work.files(), before);

    let work = cached("debian");
    let before = work.files();
    let ran = scripts::run(&work, "collect/collections.sh", &["debian"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: debian.jsonl: 1 documents"), "{}", ran.stderr);
    assert_eq!(work.files(), before);
}

#[test]
fn wrong_arguments_print_usage() {
    let usage = "usage: collections.sh [reuters|bible|books|debian|sample|synthetic|manpages|licences|\
        crates|package_docs|all] [--record]\n";
    for arguments in [&["-h"][..], &["koran"], &["bible", "--force"], &["bible", "--record", "x"]] {
        let work = Work::new();
        let ran = scripts::run(&work, "collect/collections.sh", arguments);
        assert_eq!((ran.code, &*ran.stderr), (Some(2), usage), "{arguments:?}");
        assert_eq!(work.files(), [""; 0]);
    }
}

#[test]
#[cfg(unix)]
fn missing_tool_is_named_with_its_collection() {
    let work = Work::new();
    // PATH has only the tools of the script itself.
    let tools = ["bash", "basename", "dirname", "mkdir", "mktemp", "rm"];
    let found = |tool: &str| {
        let path = std::env::var_os("PATH").unwrap();
        std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.exists())
    };
    std::fs::create_dir(work.path("tools")).unwrap();
    for tool in tools {
        std::os::unix::fs::symlink(found(tool).unwrap(), work.path("tools").join(tool)).unwrap();
    }
    let messages = || {
        let mut command = Command::new("bash");
        command
            .arg(scripts::path("collect/collections.sh"))
            .arg("all")
            .env("PATH", work.path("tools"));
        command.env("NEARSIG_BIN", work.path("tools"));
        command.env("NEARSIG_EXP", work.path("exp")).env("NEARSIG_RES", work.path("res"));
        let ran = Outcome::from(command.output().unwrap());
        assert_eq!(ran.code, Some(1));
        ran.stderr
    };
    let line = |name: &str, tool: &str| {
        format!("collections.sh: the collection {name} needs {tool}, which is missing\n")
    };
    let names = "reuters bible books debian sample synthetic manpages licences crates package_docs";
    let all: String = names.split(' ').map(|name| line(name, "python3")).collect();
    let end = format!("collections.sh: failed: {names}\n");
    assert_eq!(messages(), all + &end);

    // A python3 without pip, and create_bows but no create_corpus.
    for tool in ["python3", "create_bows"] {
        work.write(format!("tools/{tool}"), "#!/bin/sh\ntest \"$1\" = --version\n");
        let allowed = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(work.path("tools").join(tool), allowed).unwrap();
    }
    let messages = messages();
    for (name, tool) in [
        ("reuters", "npm"),
        ("bible", "python3 -m pip"),
        ("books", "npm"),
        ("debian", "apt-get"),
        ("manpages", "apt-get"),
        ("licences", "python3 -m pip"),
        ("crates", "cargo"),
    ] {
        assert!(messages.contains(&line(name, tool)), "{messages}");
    }
    assert!(messages.contains("create_corpus") && messages.ends_with(&end), "{messages}");
    let files = work.files();
    assert!(files.iter().all(|file| file.starts_with("tools/")), "{files:?}");
}

#[test]
fn texts_of_a_folder_are_decompressed_and_decoded() {
    let work = Work::new();
    work.write("made/b/two.html", "two");
    work.write("made/a.txt", "---\nkey: a\n---\n\none\n");
    work.write("made/blank.txt", " \n");
    work.write("made/binary.txt", "a\0b");
    work.write("made/picture.png", "png");
    work.write("made/latin.txt", b"caf\xe9");
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", work.path("made/link.txt")).unwrap();
    let gzip = "import gzip; gzip.open('made/c.txt.gz', 'w').write(b'three')";
    let ran = Command::new("python3").args(["-c", gzip]).current_dir(work.path("")).status();
    assert!(ran.unwrap().success());
    python_ok(&work, "texts.py", "--body out.jsonl made *.txt *.html");
    let expected =
        [("a.txt", "one\\n"), ("b/two.html", "two"), ("c.txt.gz", "three"), ("latin.txt", "café")];
    let line = |(id, text): (&str, &str)| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n");
    assert_eq!(work.read("out.jsonl"), expected.map(line).concat());
    python_ok(&work, "texts.py", "out.jsonl made a.txt");
    assert!(work.read("out.jsonl").contains("key: a"));
}

#[test]
fn sample_needs_no_network() {
    let work = Work::new();
    let ran = scripts::run(&work, "collect/collections.sh", &["sample"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("sample: 300 documents; small: 30 with "), "{}", ran.stderr);
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_to_string(project.join("exp/sample/doc_list")).unwrap();
    let collection = work.read("exp/collections/sample.jsonl");
    assert_eq!(collection.lines().count(), 300);
    for (name, line) in names.lines().zip(collection.lines()) {
        assert!(line.starts_with(&format!("{{\"id\": \"{name}\", \"text\": \"")), "{line}");
    }
    let truth = std::fs::read_to_string(project.join("exp/sample/truth.tsv")).unwrap();
    assert_eq!(work.read("exp/collections/sample.truth.tsv"), truth);
    let ran = scripts::run(&work, "collect/collections.sh", &["sample"]);
    assert!(ran.code == Some(0) && ran.stderr.contains("sample: unchanged in "), "{}", ran.stderr);
}
