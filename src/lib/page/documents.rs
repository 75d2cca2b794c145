//! Documents of the report: texts, truncated if they are long, and the bags of all their terms; clusters with the top terms of their pairs.

use rustc_hash::FxHashMap;

use super::findings::{ClusterPairs, Findings};
use super::top_terms::{NumberedBag, TermNumbers};
use super::{PageCluster, PageDocument, PagePair};
use crate::text::AnalyzerOptions;

/// Characters of a snippet.
const SNIPPET: usize = 140;

/// Documents of the report, in fixed positions.
pub(super) struct DocumentTable {
    text_limit: usize,
    rules: AnalyzerOptions,
    /// The documents with their bags; empty until they are set.
    pub documents: Vec<(PageDocument, NumberedBag)>,
    /// Terms of all documents.
    pub terms: TermNumbers,
}

impl DocumentTable {
    /// Creates a table of `count` documents, with texts of at most `text_limit` bytes and terms by these rules.
    pub fn new(count: usize, text_limit: usize, rules: AnalyzerOptions) -> Self {
        let documents = vec![Default::default(); count];
        DocumentTable { text_limit, rules, documents, terms: TermNumbers::new(rules) }
    }

    /// Sets the document at a position.
    pub fn set(&mut self, position: usize, id: &str, text: &str, is_old: bool) {
        let bag = self.terms.bag(text);
        // One word per shingle, plus those that the last shingle has besides its first.
        let words = match bag.iter().map(|(_, count)| count).sum() {
            0 => 0,
            shingles => shingles + self.rules.shingle_size as u64 - 1,
        };
        let document =
            PageDocument { is_old, ..PageDocument::new(id, text, words, self.text_limit) };
        self.documents[position] = (document, bag);
    }
}

/// Returns the longest prefix of a text with at most `limit` bytes.
pub(super) fn truncated(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.expect("0 is a boundary")]
}

/// Returns the beginning of a text as one line.
fn snippet(text: &str) -> String {
    let mut line = String::new();
    let mut remaining = SNIPPET;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(remaining));
        remaining = remaining.saturating_sub(word.chars().take(remaining).count() + 1);
        if remaining == 0 {
            line.push('…');
            break;
        }
    }
    line
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_truncated_between_characters() {
        assert_eq!(truncated("aé", 3), "aé");
        assert_eq!(truncated("aé", 2), "a");
        assert_eq!(truncated("aé", 1), "a");
        assert_eq!(truncated("é", 1), "");
    }

    #[test]
    fn snippets_are_one_short_line() {
        assert_eq!(snippet(" a\n\tb  c "), "a b c");
        assert_eq!(snippet(""), "");
        let long = snippet(&"é".repeat(1000));
        assert_eq!(long, "é".repeat(SNIPPET) + "…");
        let words = snippet(&"word ".repeat(1000));
        assert!(words.ends_with('…') && words.chars().count() <= SNIPPET + 1, "{words}");
    }
}
