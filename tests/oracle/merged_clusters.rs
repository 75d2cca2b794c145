//! merge_clusters compared with relabelling all documents at every link.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;

use super::cases;
use crate::common::Work;

/// Parts of one: cosines have eight decimals.
const UNIT: f64 = 1e8;

/// A cluster that is read: its members, the smallest and the mean cosine in units, and whether they cover all pairs.
#[derive(Debug, Clone)]
struct ReadCluster {
    members: Vec<String>,
    smallest: u64,
    mean: u64,
    is_all: bool,
}

prop_compose! {
    /// Draws the clusters of a collection of documents that begin with a letter.
    fn clusters(letter: char)(
        labels in prop::collection::vec(prop::option::of(0..3usize), 0..9),
        figures in prop::collection::vec((50_000_000..=100_000_000u64, 0..1_000u64, any::<bool>()), 3),
    ) -> Vec<ReadCluster> {
        let mut found = Vec::new();
        for (label, (smallest, more, is_all)) in figures.into_iter().enumerate() {
            let members = (0..labels.len()).filter(|at| labels[*at] == Some(label));
            let members: Vec<String> = members.map(|at| format!("{letter}{at}")).collect();
            if members.len() > 1 {
                // Two members have one cosine.
                let more = if members.len() == 2 { 0 } else { more };
                found.push(ReadCluster { members, smallest, mean: (smallest + more).min(100_000_000), is_all });
            }
        }
        found
    }
}

/// A pair: its documents and their cosine in units.
type ReadPair = (String, String, u64);

fn pairs() -> impl Strategy<Value = Vec<ReadPair>> {
    let document = || ("[ab]", 0..9usize).prop_map(|(letter, number)| format!("{letter}{number}"));
    let pair = (document(), document(), 80_000_000..=100_000_000u64);
    prop::collection::vec(pair, 0..12).prop_map(|pairs| {
        let distinct: BTreeMap<(String, String), u64> = pairs
            .into_iter()
            .filter(|(one, other, _)| one != other)
            .map(|(one, other, units)| ((one.clone().min(other.clone()), one.max(other)), units))
            .collect();
        distinct.into_iter().map(|((one, other), units)| (one, other, units)).collect()
    })
}

fn table_of(clusters: &[ReadCluster]) -> String {
    let mut table = "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\n".to_string();
    for (number, cluster) in (1..).zip(clusters) {
        let (size, basis) =
            (cluster.members.len(), if cluster.is_all { "all" } else { "found_pairs" });
        let [smallest, mean] = [cluster.smallest, cluster.mean].map(|units| units as f64 / UNIT);
        for member in &cluster.members {
            writeln!(table, "{number}\t{size}\t{smallest:.8}\t{mean:.8}\t{basis}\t{member}")
                .unwrap();
        }
    }
    table
}

/// A merged cluster: smallest and mean cosine, whether they cover all pairs, and the members.
#[derive(Debug, Clone, PartialEq)]
struct Merged {
    smallest: f64,
    mean: f64,
    is_all: bool,
    members: Vec<String>,
}

/// Merges by the definition.
fn merged(clusters: &[ReadCluster], pairs: &[ReadPair]) -> Vec<Merged> {
    let read = clusters.iter().flat_map(|cluster| cluster.members.clone());
    let listed = pairs.iter().flat_map(|(one, other, _)| [one.clone(), other.clone()]);
    let mut documents: Vec<String> = Vec::new();
    for document in read.chain(listed) {
        if !documents.contains(&document) {
            documents.push(document);
        }
    }
    let at = |document: &String| documents.iter().position(|other| other == document).unwrap();
    let mut labels: Vec<usize> = (0..documents.len()).collect();
    let mut link = |one: usize, other: usize| {
        let (from, to) = (labels[one].max(labels[other]), labels[one].min(labels[other]));
        labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
    };
    for cluster in clusters {
        cluster.members.iter().for_each(|member| link(at(&cluster.members[0]), at(member)));
    }
    pairs.iter().for_each(|(one, other, _)| link(at(one), at(other)));
    let mut found = Vec::new();
    for label in 0..documents.len() {
        let members: Vec<usize> =
            (0..documents.len()).filter(|one| labels[*one] == label).collect();
        if members.len() < 2 {
            continue;
        }
        // The smallest cosine, the mean and its weight, and the pairs that are covered.
        let mut known: Vec<(u64, u64, u64)> = Vec::new();
        let mut covered: Vec<(usize, usize)> = Vec::new();
        for cluster in clusters.iter().filter(|cluster| labels[at(&cluster.members[0])] == label) {
            let size = cluster.members.len() as u64;
            let weight = if cluster.is_all { size * (size - 1) / 2 } else { size - 1 };
            known.push((cluster.smallest, cluster.mean, weight));
            let inside: Vec<usize> = cluster.members.iter().map(at).collect();
            let pairs =
                inside.iter().flat_map(|one| inside.iter().map(move |other| (*one, *other)));
            covered.extend(pairs.filter(|(one, other)| cluster.is_all && one < other));
        }
        for (one, other, units) in pairs.iter().filter(|(one, ..)| labels[at(one)] == label) {
            let is_inside = |cluster: &ReadCluster| {
                cluster.members.contains(one) && cluster.members.contains(other)
            };
            if !clusters.iter().any(is_inside) {
                known.push((*units, *units, 1));
                covered.push((at(one).min(at(other)), at(one).max(at(other))));
            }
        }
        let all = members.iter().flat_map(|one| members.iter().map(move |other| (*one, *other)));
        let all: Vec<(usize, usize)> = all.filter(|(one, other)| one < other).collect();
        let weight: u64 = known.iter().map(|(.., weight)| weight).sum();
        let sum: u64 = known.iter().map(|(_, mean, weight)| mean * weight).sum();
        found.push(Merged {
            smallest: known.iter().map(|(smallest, ..)| *smallest).min().unwrap() as f64 / UNIT,
            mean: sum as f64 / weight as f64 / UNIT,
            is_all: all.iter().all(|pair| covered.contains(pair)),
            members: members.iter().map(|member| documents[*member].clone()).collect(),
        });
    }
    found
}

fn read(table: &str) -> Vec<Merged> {
    let mut found: Vec<Merged> = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[0].parse::<usize>().unwrap() > found.len() {
            found.push(Merged {
                smallest: cells[2].parse().unwrap(),
                mean: cells[3].parse().unwrap(),
                is_all: cells[4] == "all",
                members: Vec::new(),
            });
        }
        let last = found.last_mut().unwrap();
        last.members.push(cells[5].to_string());
        assert!(cells[1].parse::<usize>().unwrap() >= last.members.len());
    }
    found
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn merged_clusters_equal_the_definition(a in clusters('a'), b in clusters('b'), pairs in pairs()) {
        let work = Work::new();
        work.write("a.tsv", table_of(&a));
        work.write("b.tsv", table_of(&b));
        let mut table = "similarity\tdocument_1\tdocument_2\n".to_string();
        for (one, other, units) in &pairs {
            writeln!(table, "{:.8}\t{one}\t{other}", *units as f64 / UNIT).unwrap();
        }
        work.write("pairs.tsv", table);
        work.ok("merge_clusters a.tsv b.tsv --pairs pairs.tsv --out all.tsv");
        let found = read(&work.read("all.tsv"));
        let expected = merged(&[a, b].concat(), &pairs);
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            // A mean is rounded to eight decimals.
            prop_assert!((found.mean - expected.mean).abs() < 1.001e-8, "{} {}", found.mean, expected.mean);
            prop_assert_eq!(found, &Merged { mean: found.mean, ..expected.clone() });
        }
    }
}
