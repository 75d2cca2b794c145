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
fn pairs_outside_of_clusters_come_last() {
    let clusters = "cluster\tsize\tsmallest\tmean\tdocument\n7\t2\t0.9\t0.9\tb\n7\t2\t0.9\t0.9\ta\n8\t2\t0.8\t0.8\tc\n8\t2\t0.8\t0.8\td\n";
    let groups = read(PAIRS, Some(clusters)).unwrap().groups;
    let seen: Vec<_> =
        groups.iter().map(|group| (group.number, group.size, &*group.pairs)).collect();
    assert_eq!(seen, [(Some(7), 2, &[0][..]), (Some(8), 2, &[1]), (None, 2, &[2])]);
    assert_eq!(groups[0].first, 1);
    assert_eq!((groups[2].smallest, groups[2].mean), (0.85, 0.85));
}

#[test]
fn cluster_tables_of_every_form_are_read() {
    let tables = [
        (
            "c.tsv",
            "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\tfrom\n1\t2\t0.9\t0.95\tall\ta\told\n1\t2\t0.9\t0.95\tall\tb\tnew\n2\t1\t1.0\t1.0\tfound_pairs\tc\tnew\n",
        ),
        (
            "c.jsonl",
            "{\"cluster\":1,\"size\":2,\"smallest\":0.9,\"mean\":0.95,\"cohesion\":\"all\",\"documents\":[\"a\",\"b\"],\"from\":[\"old\",\"new\"]}\n{\"cluster\":2,\"size\":1,\"smallest\":1.0,\"mean\":1.0,\"cohesion\":\"found_pairs\",\"documents\":[\"c\"]}\n",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let pairs = folder.path().join("p");
    std::fs::write(&pairs, PAIRS).unwrap();
    for (name, content) in tables {
        let clusters = folder.path().join(name);
        std::fs::write(&clusters, content).unwrap();
        let groups = Findings::read(&pairs, Some(&clusters), None).unwrap().groups;
        let seen: Vec<_> =
            groups.iter().map(|g| (g.number, g.size, g.mean, g.covers_all_pairs)).collect();
        assert_eq!(seen[..2], [(Some(1), 2, 0.95, true), (Some(2), 1, 1.0, false)], "{name}");
    }
}

#[test]
fn errors_name_file_and_line() {
    let head = "similarity\tdocument_1\tdocument_2\n";
    let clusters = "cluster\tsize\tsmallest\tmean\tdocument\n";
    for (pairs, groups, expected) in [
        (format!("{head}1.5\ta\tb\n"), None, "p:2: expected a similarity from 0 to 1, found '1.5'"),
        (format!("{head}x\ta\tb\n"), None, "p:2: expected a similarity from 0 to 1, found 'x'"),
        (format!("{head}1\ta\ta\n"), None, "p:2: expected two documents, found 'a'"),
        (
            head.into(),
            Some("1\t2\t1\t1\ta\n"),
            "c:2: expected a cluster of 2 documents, found 1 rows",
        ),
        (
            head.into(),
            Some("1\t1\t1\t1\ta\n1\t1\t1\t1\tb\n"),
            "c:2: expected a cluster of 1 documents, found 2 rows",
        ),
        (
            head.into(),
            Some("1\t1\t1\t1\ta\n2\t1\t1\t1\ta\n"),
            "c:3: expected every document once, found 'a'",
        ),
        (head.into(), Some("x\t1\t1\t1\ta\n"), "c:2: expected a whole number, found 'x'"),
    ] {
        let groups = groups.map(|rows| format!("{clusters}{rows}"));
        let error = read(&pairs, groups.as_deref()).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}
