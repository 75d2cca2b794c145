//! Clusters of the report, with the top terms of their pairs.

use rustc_hash::FxHashMap;

use super::documents::{DocumentTable, snippet};
use super::findings::{ClusterPairs, Findings};
use super::{PageCluster, PagePair};

/// Builds the clusters of the report and numbers the terms that they name.
pub(super) struct PageBuilder<'a> {
    findings: &'a Findings,
    /// The documents shown, ascending.
    shown: &'a [u32],
    table: &'a DocumentTable,
    /// Positions of the terms named so far.
    positions: FxHashMap<u32, u32>,
    terms: Vec<String>,
}

impl<'a> PageBuilder<'a> {
    /// Creates a builder for the documents shown, which `table` holds in the same order.
    pub fn new(findings: &'a Findings, shown: &'a [u32], table: &'a DocumentTable) -> Self {
        PageBuilder { findings, shown, table, positions: FxHashMap::default(), terms: Vec::new() }
    }

    /// Returns the clusters with a selected pair, and the terms they name.
    pub fn clusters(mut self, selected: &[Vec<u32>]) -> (Vec<PageCluster>, Vec<String>) {
        let groups = self.findings.groups.iter().zip(selected);
        let shown = groups.filter(|(_, pairs)| !pairs.is_empty());
        let clusters = shown.map(|(group, pairs)| self.cluster(group, pairs)).collect();
        (clusters, self.terms)
    }

    fn cluster(&mut self, group: &ClusterPairs, pairs: &[u32]) -> PageCluster {
        let first = self.position(group.first);
        PageCluster {
            number: group.number,
            size: group.size,
            smallest: group.smallest,
            mean: group.mean,
            is_of_all: group.covers_all_pairs,
            first,
            snippet: snippet(&self.table.documents[first as usize].0.text),
            pairs_total: group.pairs.len() as u64,
            pairs: pairs.iter().map(|pair| self.pair(*pair)).collect(),
        }
    }

    fn pair(&mut self, pair: u32) -> PagePair {
        let pair = self.findings.pairs[pair as usize];
        let (left, right) = (self.position(pair.left), self.position(pair.right));
        let bag = |position: u32| &self.table.documents[position as usize].1;
        let mut terms = self.table.terms.top(bag(left), bag(right));
        for shared in &mut terms {
            shared.term = self.term(shared.term);
        }
        PagePair { left, right, similarity: pair.similarity, terms }
    }

    /// Returns the position of a document in the report.
    fn position(&self, number: u32) -> u32 {
        self.shown.binary_search(&number).expect("documents of pairs are shown") as u32
    }

    /// Returns the position of a term in the report.
    fn term(&mut self, term: u32) -> u32 {
        let next = self.terms.len() as u32;
        let position = *self.positions.entry(term).or_insert(next);
        if position == next {
            self.terms.push(self.table.terms.text(term).to_string());
        }
        position
    }
}
