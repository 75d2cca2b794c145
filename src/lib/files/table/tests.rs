//! Every table in every format.

use super::*;
use crate::clusters::{Keep, cohesion, components, removals};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["a b.txt", "tab\there", "say \"x\", back\\slash", "žluť\nkůň"];

fn name(document: u32) -> &'static str {
    NAMES[document as usize]
}

fn pairs() -> Vec<Pair> {
    let pair = |low, high, similarity| Pair { low, high, similarity };
    vec![pair(0, 1, 93.125), pair(1, 2, 80.000001), pair(2, 3, 100.0)]
}

/// What a table holds when written under this name.
fn written(name: &str, write: impl Fn(&Path) -> Result<Part>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&path).unwrap().publish().unwrap();
    std::fs::read_to_string(path).unwrap()
}

fn write_pairs(path: &Path) -> Result<Part> {
    let mut table = PairTable::create(path, Sides::new(0))?;
    pairs().iter().try_for_each(|pair| table.pair(pair, name))?;
    table.close()
}

#[test]
fn pairs_in_every_format() {
    let tsv = "similarity\tdocument_1\tdocument_2\n\
        0.93125\ta b.txt\ttab\\there\n\
        0.80000001\ttab\\there\tsay \"x\", back\\\\slash\n\
        1.0000\tsay \"x\", back\\\\slash\tžluť\\nkůň\n";
    assert_eq!(written("pairs.tsv", write_pairs), tsv);
    assert_eq!(written("pairs", write_pairs), tsv);
    let csv = "similarity,document_1,document_2\n\
        0.93125,a b.txt,tab\there\n\
        0.80000001,tab\there,\"say \"\"x\"\", back\\slash\"\n\
        1.0000,\"say \"\"x\"\", back\\slash\",\"žluť\nkůň\"\n";
    assert_eq!(written("pairs.csv", write_pairs), csv);
    let jsonl = "{\"similarity\":0.93125,\"document_1\":\"a b.txt\",\"document_2\":\"tab\\there\"}\n\
        {\"similarity\":0.80000001,\"document_1\":\"tab\\there\",\"document_2\":\"say \\\"x\\\", back\\\\slash\"}\n\
        {\"similarity\":1.0000,\"document_1\":\"say \\\"x\\\", back\\\\slash\",\"document_2\":\"žluť\\nkůň\"}\n";
    assert_eq!(written("pairs.jsonl", write_pairs), jsonl);
}

#[test]
fn clusters_in_every_format() {
    let pairs = &pairs()[..2];
    let clusters = components(4, pairs.iter().copied());
    let cohesion = cohesion(&clusters, &[0, 1, 2, 3], pairs, |_, _| 12.5);
    let write = |path: &Path| write_clusters(path, &clusters, &cohesion, Sides::new(0), name);
    let rows = "1\t3\t0.1250\t0.61875\tall\t";
    let tsv = format!(
        "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\n{rows}a b.txt\n{rows}tab\\there\n{rows}say \"x\", back\\\\slash\n"
    );
    assert_eq!(written("clusters.tsv", write), tsv);
    let jsonl = "{\"cluster\":1,\"size\":3,\"smallest\":0.1250,\"mean\":0.61875,\"cohesion\":\"all\",\
        \"documents\":[\"a b.txt\",\"tab\\there\",\"say \\\"x\\\", back\\\\slash\"]}\n";
    assert_eq!(written("clusters.jsonl", write), jsonl);
    let csv = written("clusters.csv", write);
    assert!(
        csv.starts_with(
            "cluster,size,smallest,mean,cohesion,document\n1,3,0.1250,0.61875,all,a b.txt\n"
        ),
        "{csv}"
    );
}

#[test]
fn removed_documents_in_every_format() {
    let clusters = components(4, pairs()[..1].iter().copied());
    let removals = removals(&clusters, Keep::First, 0);
    let write = |path: &Path| write_removals(path, &removals, Sides::new(0), name);
    assert_eq!(written("removed.tsv", write), "removed\tkept\ntab\\there\ta b.txt\n");
    assert_eq!(written("removed.csv", write), "removed,kept\ntab\there,a b.txt\n");
    let jsonl = "{\"removed\":\"tab\\there\",\"kept\":\"a b.txt\"}\n";
    assert_eq!(written("removed.jsonl", write), jsonl);
}

#[test]
fn endings_choose_the_format() {
    for (name, format) in [
        ("x.tsv", TableFormat::Tsv),
        ("x.TSV.gz", TableFormat::Tsv),
        ("-", TableFormat::Tsv),
        ("a.b/x", TableFormat::Tsv),
        ("/dev/stdout", TableFormat::Tsv),
        ("x.y.csv", TableFormat::Csv),
        ("x.jsonl.gz", TableFormat::Jsonl),
    ] {
        assert_eq!(TableFormat::of(Path::new(name)).unwrap(), format, "{name}");
    }
    let refusal = TableFormat::of(Path::new("x.xlsx")).unwrap_err();
    assert_eq!(refusal.exit_code(), 2);
    assert!(refusal.to_string().starts_with("x.xlsx: the name must end in .tsv"), "{refusal}");
}

#[test]
fn names_longer_than_a_row_of_csv_are_whole() {
    let long = "x,".repeat(5000);
    let mut text = Vec::new();
    append_csv(&mut text, &[Cell::Text(&long), Cell::Number(7)]);
    assert_eq!(String::from_utf8(text).unwrap(), format!("\"{long}\",7\n"));
}

proptest! {
    #[test]
    fn cosines_are_spelled_to_a_millionth_of_a_per_cent(parts in 0u64..=100_000_000) {
        let mut text = Vec::new();
        append_cosine(&mut text, parts as f64 / 1e6);
        let text = String::from_utf8(text).unwrap();
        let decimals = text.split_once('.').unwrap().1;
        prop_assert!((4..=8).contains(&decimals.len()) && (decimals.len() == 4 || !decimals.ends_with('0')));
        prop_assert_eq!((text.parse::<f64>().unwrap() * 1e8).round() as u64, parts);
    }

    #[test]
    fn every_name_survives(name in "[a-c\t\n\r\\\\ ntrž]{0,20}") {
        let escaped = escape(&name);
        prop_assert!(!escaped.contains(['\t', '\n', '\r']));
        prop_assert_eq!(unescape(&escaped).unwrap(), name.as_str());
    }
}

#[test]
fn a_broken_escape_is_refused() {
    assert_eq!((unescape("a\\"), unescape("\\x")), (None, None));
}
