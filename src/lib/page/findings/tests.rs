use super::*;

const PAIRS: &str = "similarity\tdocument_1\tdocument_2\n0.9\ta\tb\n0.8\tc\td\n0.85\tb\te\n";

fn read(pairs: &str, clusters: Option<&str>) -> Result<Findings> {
    let folder = tempfile::tempdir().unwrap();
    let (pairs_path, clusters_path) = (folder.path().join("p"), folder.path().join("c"));
    std::fs::write(&pairs_path, pairs).unwrap();
    std::fs::write(&clusters_path, clusters.unwrap_or_default()).unwrap();
    Findings::read(&pairs_path, clusters.map(|_| &*clusters_path), None)
}

#[test]
fn connected_components_replace_a_cluster_file() {
    let findings = read(PAIRS, None).unwrap();
    let expected = [(1, 3, 0, 0.85, 0.875, vec![0, 2]), (2, 2, 2, 0.8, 0.8, vec![1])];
    let expected = expected.map(|(number, size, first, smallest, mean, pairs)| {
        let cluster = ClusterPairs::new(Some(number), size, first);
        ClusterPairs { smallest, mean, pairs, ..cluster }
    });
    assert_eq!(findings.groups, expected);
    assert_eq!((findings.ids.get("e"), findings.ids.get("f")), (Some(4), None));
}

#[test]
fn errors_name_file_and_line() {
    let columns = "cluster\tsize\tsmallest\tmean\tdocument\n";
    for (rows, expected) in [
        ("1\t2\t1\t1\ta\n", "c:2: expected a cluster of 2 documents, found 1 rows"),
        ("1\t1\t1\t1\ta\n1\t1\t1\t1\tb\n", "c:2: expected a cluster of 1 documents, found 2 rows"),
        ("1\t1\t1\t1\ta\n2\t1\t1\t1\ta\n", "c:3: expected every document once, found 'a'"),
        ("x\t1\t1\t1\ta\n", "c:2: expected a whole number, found 'x'"),
    ] {
        let clusters = format!("{columns}{rows}");
        let error = read(PAIRS, Some(&clusters)).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}
