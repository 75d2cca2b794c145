//! Pairs and their clusters, read from files.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clusters::components;
use crate::error::{Error, Result, excerpt};
use crate::files::ids::IdNames;
use crate::files::pairs::{ListedPair, PairFile, for_each_cluster_row};
use crate::search::Pair;

/// Pairs and clusters. Documents are numbered in the order in which the files name them.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The ids of the documents.
    pub ids: DocumentIds,
    /// All pairs, in the order of their file.
    pub pairs: Vec<PairScore>,
    /// The clusters in the order of their file, or of their first pairs; last, the pairs outside of clusters.
    pub groups: Vec<ClusterPairs>,
    /// Whether similarities are cosines: those of tables are, those of result lines may be Hamming similarities.
    pub scores_are_cosines: bool,
}

/// Two documents and their similarity, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairScore {
    pub left: u32,
    pub right: u32,
    pub similarity: f64,
}

/// Cluster with the positions of its pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClusterPairs {
    /// None for the pairs outside of clusters.
    pub number: Option<u64>,
    pub size: u64,
    pub smallest: f64,
    pub mean: f64,
    /// Whether smallest and mean cover all pairs of members.
    pub covers_all_pairs: bool,
    pub first: u32,
    /// The positions of its pairs.
    pub pairs: Vec<u32>,
}

/// Ids with their numbers and the line that names each first.
#[derive(Debug, Default)]
pub(super) struct DocumentIds {
    numbers: FxHashMap<String, u32>,
    /// The line, and whether it is one of the cluster file.
    places: Vec<(u64, bool)>,
}

impl DocumentIds {
    fn number(&mut self, id: &str, line: u64, in_clusters: bool) -> u32 {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let number = self.places.len() as u32;
        self.numbers.insert(id.to_string(), number);
        self.places.push((line, in_clusters));
        number
    }

    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of an id, if the files have it.
    pub fn get(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// Returns all ids with their numbers, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.numbers.iter().map(|(id, number)| (&**id, *number))
    }

    /// Returns the error of a document that the input lacks, at the line that names it.
    pub fn missing(&self, number: u32, pairs: &Path, clusters: Option<&Path>) -> Error {
        let (line, in_clusters) = self.places[number as usize];
        let path = if in_clusters { clusters.unwrap_or(pairs) } else { pairs };
        let id = self.numbers.iter().find(|(_, known)| **known == number).map(|(id, _)| &**id);
        let found = excerpt(id.unwrap_or_default());
        Error::parse(path, line, "the id of a document of the input", found)
    }
}

impl Findings {
    /// Reads pairs and clusters. Without a cluster file, clusters are connected components.
    pub fn read(pairs: &Path, clusters: Option<&Path>, names: Option<&IdNames>) -> Result<Self> {
        let mut findings = Findings::default();
        findings.read_pairs(pairs, names)?;
        let group_of = match clusters {
            Some(path) => findings.read_clusters(path)?,
            None => findings.connect(),
        };
        findings.assign_pairs(&group_of);
        if clusters.is_none() {
            findings.groups.iter_mut().for_each(|group| group.measure(&findings.pairs));
        }
        findings.collect_rest(&group_of);
        Ok(findings)
    }

    /// Reads pairs in any form. A pair that result lines list under both documents counts once.
    fn read_pairs(&mut self, path: &Path, names: Option<&IdNames>) -> Result<()> {
        let mut known = FxHashSet::default();
        let file = PairFile::open(path)?;
        self.scores_are_cosines = file.is_table();
        file.for_each_pair(names, |pair| {
            let [left, right] = pair.ids.map(|id| self.ids.number(id, pair.line, false));
            let similarity = page_scale(path, pair)?;
            if known.insert((left.min(right), left.max(right))) {
                self.pairs.push(PairScore { left, right, similarity });
            }
            Ok(())
        })
    }

    /// Reads the clusters. Returns for every document the position of its cluster.
    fn read_clusters(&mut self, path: &Path) -> Result<Vec<Option<u32>>> {
        let mut known = FxHashMap::default();
        let mut group_of = vec![None; self.ids.len()];
        let mut left: Vec<(u64, u64)> = Vec::new(); // missing rows, and the line of the first row
        for_each_cluster_row(path, |row| {
            let document = self.ids.number(row.document, row.line, true);
            group_of.resize(self.ids.len(), None);
            let position = *known.entry(row.cluster).or_insert(self.groups.len());
            if position == self.groups.len() {
                self.groups.push(ClusterPairs {
                    smallest: row.smallest,
                    mean: row.mean,
                    covers_all_pairs: row.covers_all_pairs,
                    ..ClusterPairs::new(Some(row.cluster), row.size, document)
                });
                left.push((row.size, row.line));
            }
            left[position].0 = left[position].0.wrapping_sub(1);
            match group_of[document as usize].replace(position as u32) {
                Some(_) => {
                    Err(Error::parse(path, row.line, "every document once", excerpt(row.document)))
                }
                None => Ok(()),
            }
        })?;
        let wrong = left.iter().position(|(rest, _)| *rest != 0);
        wrong.map_or(Ok(group_of), |position| {
            let (size, (rest, line)) = (self.groups[position].size, left[position]);
            let found = format!("{} rows", size.wrapping_sub(rest));
            let expected = format!("a cluster of {size} documents");
            Err(Error::parse(path, line, expected, found))
        })
    }

    /// Clusters documents by connected components. Returns for every document the position of its cluster.
    fn connect(&mut self) -> Vec<Option<u32>> {
        let pairs = self.pairs.iter().map(|pair| {
            let PairScore { left, right, similarity } = *pair;
            Pair { low: left.min(right), high: left.max(right), similarity: 100.0 * similarity }
        });
        let mut group_of = vec![None; self.ids.len()];
        for (position, members) in (0..).zip(components(self.ids.len(), pairs).iter()) {
            members.iter().for_each(|member| group_of[*member as usize] = Some(position));
            let (number, size) = (u64::from(position) + 1, members.len() as u64);
            self.groups.push(ClusterPairs::new(Some(number), size, members[0]));
        }
        group_of
    }

    /// Assigns each pair whose documents share a cluster to it.
    fn assign_pairs(&mut self, group_of: &[Option<u32>]) {
        for (position, pair) in self.pairs.iter().enumerate() {
            if let Some(group) = shared_group(group_of, pair) {
                self.groups[group as usize].pairs.push(position as u32);
            }
        }
    }

    /// Collects the pairs outside of clusters.
    fn collect_rest(&mut self, group_of: &[Option<u32>]) {
        let is_outside =
            |position: &u32| shared_group(group_of, &self.pairs[*position as usize]).is_none();
        let pairs: Vec<u32> = (0..self.pairs.len() as u32).filter(is_outside).collect();
        let listed = pairs.iter().map(|position| &self.pairs[*position as usize]);
        let Some(first) = listed.clone().next().map(|pair| pair.left) else { return };
        let documents: FxHashSet<u32> = listed.flat_map(|pair| [pair.left, pair.right]).collect();
        let rest = ClusterPairs::new(None, documents.len() as u64, first);
        let mut rest = ClusterPairs { pairs, ..rest };
        rest.measure(&self.pairs);
        self.groups.push(rest);
    }
}

impl ClusterPairs {
    /// Returns a cluster without pairs.
    pub fn new(number: Option<u64>, size: u64, first: u32) -> Self {
        let (smallest, mean, covers_all_pairs, pairs) = (1.0, 1.0, false, Vec::new());
        ClusterPairs { number, size, smallest, mean, covers_all_pairs, first, pairs }
    }

    /// Computes the smallest and the mean similarity of its pairs.
    fn measure(&mut self, pairs: &[PairScore]) {
        let similarities = self.pairs.iter().map(|pair| pairs[*pair as usize].similarity);
        self.smallest = similarities.clone().fold(1.0, f64::min);
        self.mean = similarities.sum::<f64>() / self.pairs.len().max(1) as f64;
    }
}

/// Returns a similarity in percent on the scale of the page, 0 to 1 with eight decimals as tables have.
fn page_scale(path: &Path, pair: &ListedPair) -> Result<f64> {
    if pair.similarity >= 0.0 {
        return Ok((pair.similarity * 1e6).round() / 1e8);
    }
    let expected = "a similarity of at least 0 percent";
    Err(Error::parse(path, pair.line, expected, pair.similarity.to_string()))
}

/// Returns the cluster of both documents of a pair.
fn shared_group(group_of: &[Option<u32>], pair: &PairScore) -> Option<u32> {
    let group = group_of[pair.left as usize]?;
    (group_of[pair.right as usize] == Some(group)).then_some(group)
}
