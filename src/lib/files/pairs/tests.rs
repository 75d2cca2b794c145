//! Every form: output, input and errors.

mod round_trip;

use super::*;
use crate::clusters::{cohesion, components};
use crate::error::Result;
use crate::files::output::{Part, Publisher};
use crate::search::Pair;

const IDS: [&str; 4] = ["a b.txt", "tab\there", "say \"x\", back\\slash", "žluť\nkůň"];

fn id(document: u32) -> &'static str {
    IDS[document as usize]
}

fn pairs() -> Vec<Pair> {
    let pair = |low, high, similarity| Pair { low, high, similarity };
    vec![pair(0, 1, 93.125), pair(1, 2, 80.000001), pair(2, 3, 100.0)]
}

/// Returns the content of a table written under a name.
fn written(name: &str, write: impl Fn(TableFile) -> Result<Part>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let publisher = Publisher::silent();
    let part = write(TableFile::create(&publisher, &path).unwrap()).unwrap();
    publisher.publish(vec![vec![part]]).unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn pairs_are_written_in_every_form() {
    let write = |file: TableFile| write_pairs(file, pairs().into_iter(), OriginColumns(0), id);
    let tsv = "similarity\tdocument_1\tdocument_2\n\
        0.93125\ta b.txt\ttab\\there\n\
        0.80000001\ttab\\there\tsay \"x\", back\\\\slash\n\
        1.0000\tsay \"x\", back\\\\slash\tžluť\\nkůň\n";
    assert_eq!(written("pairs.tsv", write), tsv);
    assert_eq!(written("pairs", write), tsv);
    let csv = "similarity,document_1,document_2\n\
        0.93125,a b.txt,tab\there\n\
        0.80000001,tab\there,\"say \"\"x\"\", back\\slash\"\n\
        1.0000,\"say \"\"x\"\", back\\slash\",\"žluť\nkůň\"\n";
    assert_eq!(written("pairs.csv", write), csv);
    let jsonl = "{\"similarity\":0.93125,\"document_1\":\"a b.txt\",\"document_2\":\"tab\\there\"}\n\
        {\"similarity\":0.80000001,\"document_1\":\"tab\\there\",\"document_2\":\"say \\\"x\\\", back\\\\slash\"}\n\
        {\"similarity\":1.0000,\"document_1\":\"say \\\"x\\\", back\\\\slash\",\"document_2\":\"žluť\\nkůň\"}\n";
    assert_eq!(written("pairs.jsonl", write), jsonl);
}

#[test]
fn clusters_are_written_in_every_form() {
    let pairs = &pairs()[..2];
    let clusters = components(4, pairs.iter().copied());
    let cohesion = cohesion(&clusters, &[0, 1, 2, 3], pairs, |_, _| 12.5);
    let write = |file: TableFile| write_clusters(file, &clusters, &cohesion, OriginColumns(0), id);
    let rows = "1\t3\t0.1250\t0.61875\tall\t";
    let tsv = format!(
        "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\n{rows}a b.txt\n{rows}tab\\there\n{rows}say \"x\", back\\\\slash\n"
    );
    assert_eq!(written("clusters.tsv", write), tsv);
    let jsonl = "{\"cluster\":1,\"size\":3,\"smallest\":0.1250,\"mean\":0.61875,\"cohesion\":\"all\",\
        \"documents\":[\"a b.txt\",\"tab\\there\",\"say \\\"x\\\", back\\\\slash\"]}\n";
    assert_eq!(written("clusters.jsonl", write), jsonl);
    let csv = written("clusters.csv", write);
    let start = "cluster,size,smallest,mean,cohesion,document\n1,3,0.1250,0.61875,all,a b.txt\n";
    assert!(csv.starts_with(start), "{csv}");
}

/// Line, ids and similarity of a pair.
type ReadPair = (u64, [String; 2], f64);

/// Writes a file and reads its pairs.
fn read(name: &str, content: impl AsRef<[u8]>) -> Result<Vec<ReadPair>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let mut found = Vec::new();
    PairFile::open(&path)?.for_each_pair(None, |pair| {
        found.push((pair.line, pair.ids.map(str::to_string), pair.similarity));
        Ok(())
    })?;
    Ok(found)
}

#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, expected: &[(u64, [&str; 2], f64)]) {
    let expected: Vec<ReadPair> = expected
        .iter()
        .map(|(line, ids, similarity)| (*line, ids.map(str::to_string), *similarity))
        .collect();
    assert_eq!(read(name, content).unwrap(), expected, "{name}");
}

#[test]
fn all_forms_are_read_under_any_name() {
    let pair = |line| (line, ["\\b\tc\n", "7"], 29.0);
    for name in ["f", "f.tsv", "f.csv", "f.jsonl", "f.txt"] {
        check(name, "document_1\tx\tsimilarity\tdocument_2\n\\\\b\\tc\\n\t\t0.29\t7\n", &[pair(2)]);
        check(name, "similarity,document_1,document_2\n0.29,\"\\b\tc\n\",7\n", &[pair(2)]);
        let json =
            "{\"similarity\":0.29,\"document_1\":\"\\\\b\\tc\\n\",\"document_2\":7,\"x\":[]}\n";
        check(name, json, &[pair(1)]);
        check(name, "%5Cb%09c%0a:7:29\n", &[pair(1)]);
    }
}

#[test]
fn small_similarities_are_the_same_in_every_form() {
    let row = |line| (line, ["a", "b"], 0.00001);
    check("f", "similarity,document_1,document_2\n0.0000001,a,b\n1e-7,a,b\n", &[row(2), row(3)]);
    check("f", "{\"similarity\":0.0000001,\"document_1\":\"a\",\"document_2\":\"b\"}\n", &[row(1)]);
    check(
        "f",
        "{\"similarity\":\"1E-9999999999\",\"document_1\":\"a\",\"document_2\":\"b\"}\n",
        &[(1, ["a", "b"], 0.0)],
    );
}

#[test]
fn lines_are_those_of_the_file() {
    let rows = [(2, ["a", "b\nc"], 50.0), (4, ["b", "c"], 5.0)];
    check("f", "similarity,document_1,document_2\n0.5,a,\"b\nc\"\n0.05,b,c\n", &rows);
}

#[test]
fn groups_of_result_lines_are_expanded() {
    let expected = [
        (1, ["a", "b"], 100.0),
        (1, ["a", "c d"], 7.5),
        (1, ["b", "c d"], 7.5),
        (1, ["a", "e"], 7.5),
        (1, ["b", "e"], 7.5),
    ];
    check("f", "a(b):c%20d(e):7.5\ng\n", &expected);
}

#[test]
fn marks_and_crlf_are_accepted() {
    let pair = |line| (line, ["a", "b"], 50.0);
    check("f", "\u{feff}similarity\tdocument_1\tdocument_2\r\n0.5\ta\tb\r\n", &[pair(2)]);
    check("f", "\u{feff}similarity,document_1,document_2\r\n0.5,a,b\r\n", &[pair(2)]);
    let json = "\u{feff}{\"similarity\":0.5,\"document_1\":\"a\",\"document_2\":\"b\"}\r\n";
    check("f", json, &[pair(1)]);
    check("f", "\u{feff}a:b:50\r\nc\r\n", &[pair(1)]);
}

#[test]
fn files_without_pairs_are_legal_where_the_form_has_no_header() {
    for (name, content) in [
        ("f", ""),
        ("f.jsonl", ""),
        ("f", "similarity\tdocument_1\tdocument_2\n"),
        ("f", "similarity,document_1,document_2\n"),
        ("f", "a\nb\n"),
    ] {
        check(name, content, &[]);
    }
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let tsv = "similarity\tdocument_1\tdocument_2\n";
    let csv = "similarity,document_1,document_2\n";
    let columns = "1: expected the columns 'similarity";
    for (name, content, expected) in [
        ("f.tsv", String::new(), columns),
        ("f.csv", String::new(), columns),
        ("f.tsv", "similarity\n".into(), columns),
        ("f", "document_1\tdocument_2\n".into(), columns),
        ("f", "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\n".into(), columns),
        ("f", "cluster,size,smallest,mean,cohesion,document\n".into(), columns),
        ("f", "removed,kept\nb,a\n".into(), columns),
        ("f", "a\tb\n".into(), columns),
        (
            "f",
            "similarity\tdocument_1\tdocument_1\tdocument_2\n".into(),
            "1: expected one column 'document_1'",
        ),
        (
            "f",
            "similarity,document_1,document_2,similarity\n".into(),
            "1: expected one column 'similarity'",
        ),
        ("f", format!("{tsv}1\ta\n"), "2: expected 3 values, found '1\\ta'"),
        ("f", format!("{tsv}1\ta\tb\tc\n"), "2: expected 3 values"),
        ("f", format!("{csv}1,a,b\n1,a\n"), "3: expected 3 values, found 2"),
        ("f", format!("{csv}1,a,b,c\n"), "2: expected 3 values, found 4"),
        ("f", format!("{tsv}1\ta\tb"), "2: expected a newline at the end of the line"),
        ("f", format!("{csv}1,a,b"), "2: expected a newline at the end of the line"),
        ("f", format!("{csv}1,a,\"b"), "2: expected a newline at the end of the line"),
        ("f", "a:b:90".into(), "1: expected a newline at the end of the line"),
        ("f", format!("{tsv}1\t\\x\tb\n"), "2: expected values with"),
        ("f", format!("{tsv}1.5\ta\tb\n"), "2: expected a similarity from 0 to 1, found '1.5'"),
        ("f", format!("{tsv}nan\ta\tb\n"), "2: expected a similarity from 0 to 1, found 'nan'"),
        ("f", format!("{csv}1e400,a,b\n"), "2: expected a similarity from 0 to 1, found '1e400'"),
        ("f", format!("{csv},a,b\n"), "2: expected a similarity from 0 to 1, found ''"),
        ("f", format!("{csv}1,a,a\n"), "2: expected two documents, found 'a'"),
        ("f", format!("{csv}1,,a\n"), "2: expected the id of a document, found ''"),
        ("f", format!("{tsv}1\ta\t\n"), "2: expected the id of a document, found ''"),
        ("f", "{\"similarity\":1}\n".into(), "1: expected the field 'document_1'"),
        (
            "f",
            "{\"similarity\":null}\n".into(),
            "1: expected a string or a number in the field 'similarity', found 'null'",
        ),
        ("f", "{\"similarity\":0.5,\"docu".into(), "1: expected a newline at the end"),
        ("f", "{\"similarity\":0.5,\"docu\n".into(), "1: expected a JSON object"),
        ("f", "a:b:101\n".into(), "1: expected a similarity in percent, found '101'"),
        ("f", "\n".into(), "1: expected a document or doc1(doc2"),
        ("f", "8f3a:2 doc1 doc2\n".into(), "1: expected document:similarity, found '2 doc1 doc2'"),
        ("f", "VELIKOST_KOLEKCE 5\n".into(), "1: expected a document or doc1(doc2"),
    ] {
        let error = read(name, &content).unwrap_err().to_string();
        assert!(error.contains(&format!("{name}:{expected}")), "{content:?}: {error}");
    }
    let error = read("f", b"\x00\xff\xfe\n").unwrap_err().to_string();
    assert!(error.contains("f:1: expected UTF-8"), "{error}");
    let error = read("f", b"similarity,document_1,document_2\n1,\xff,b\n").unwrap_err();
    assert!(error.to_string().contains("f:2: expected UTF-8"), "{error}");
}
