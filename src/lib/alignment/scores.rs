//! Measures of found passages, of all and per kind of obfuscation.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::evaluate::detection::{DetectionScores, PassageRanges, detection_scores};
use crate::files::pairs::{KnownPassage, SuspectedPair};

/// The name of the row of all passages.
pub(super) const ALL: &str = "all";

/// Known and found passages of numbered pairs of documents.
#[derive(Default)]
pub(super) struct SearchScores {
    numbers: FxHashMap<[String; 2], u32>,
    /// Whether only listed pairs count.
    is_restricted: bool,
    /// The pairs of each kind.
    kinds: BTreeMap<String, BTreeSet<u32>>,
    cases: Vec<(PassageRanges, String)>,
    found: Vec<PassageRanges>,
    /// Known and found passages of pairs that do not count.
    pub ignored: [u64; 2],
}

impl SearchScores {
    /// Creates scores that count the passages of the listed pairs, or of all pairs.
    pub fn new(pairs: Option<&[SuspectedPair]>) -> Self {
        let mut scores = SearchScores::default();
        for pair in pairs.into_iter().flatten() {
            if let Some(number) = scores.number(&pair.suspicious, &pair.source) {
                scores.add_kind(number, &pair.kind);
            }
        }
        scores.is_restricted = pairs.is_some();
        scores
    }

    /// Returns the number of a pair; `None` if it does not count.
    fn number(&mut self, suspicious: &str, source: &str) -> Option<u32> {
        let next = self.numbers.len() as u32;
        let key = [suspicious.to_string(), source.to_string()];
        match self.is_restricted {
            true => self.numbers.get(&key).copied(),
            false => Some(*self.numbers.entry(key).or_insert(next)),
        }
    }

    fn add_kind(&mut self, pair: u32, kind: &str) {
        if !kind.is_empty() {
            self.kinds.entry(kind.to_string()).or_default().insert(pair);
        }
    }

    fn ranges(&mut self, passage: &KnownPassage) -> Option<PassageRanges> {
        let pair = self.number(&passage.suspicious, &passage.source)?;
        let range = |[offset, length]: [u64; 2]| offset..offset + length;
        let (suspicious, source) = (range(passage.place), range(passage.source_place));
        Some(PassageRanges { pair, suspicious, source })
    }

    /// Adds a known passage. Its kind is its own, or that of its pair.
    pub fn add_case(&mut self, passage: KnownPassage) {
        let Some(ranges) = self.ranges(&passage) else {
            self.ignored[0] += 1;
            return;
        };
        let is_of_pair = |(_, pairs): &(&String, &BTreeSet<u32>)| pairs.contains(&ranges.pair);
        let kind = match passage.kind.is_empty() {
            true => self.kinds.iter().find(is_of_pair).map(|(kind, _)| kind.clone()),
            false => Some(passage.kind),
        };
        let kind = kind.unwrap_or_default();
        self.add_kind(ranges.pair, &kind);
        self.cases.push((ranges, kind));
    }

    /// Adds a found passage.
    pub fn add_found(&mut self, passage: &KnownPassage) {
        match self.ranges(passage) {
            Some(ranges) => self.found.push(ranges),
            None => self.ignored[1] += 1,
        }
    }

    /// Returns whether known and found passages name no pair in common.
    pub fn are_disjoint(&self) -> bool {
        let pairs: BTreeSet<u32> = self.cases.iter().map(|(case, _)| case.pair).collect();
        let is_known = self.found.iter().any(|found| pairs.contains(&found.pair));
        !is_known && !pairs.is_empty() && !self.found.is_empty()
    }

    /// Returns the measures of all passages, then those of each kind.
    pub fn rows(&self) -> Vec<(String, DetectionScores)> {
        let cases: Vec<PassageRanges> = self.cases.iter().map(|(case, _)| case.clone()).collect();
        let all = (ALL.to_string(), detection_scores(&cases, &self.found));
        let of_kind = |(kind, pairs)| (String::clone(kind), self.of_kind(kind, pairs));
        [all].into_iter().chain(self.kinds.iter().map(of_kind)).collect()
    }

    /// Returns the measures of a kind: its cases, and what was found in its pairs but is no case of another kind.
    fn of_kind(&self, kind: &str, pairs: &BTreeSet<u32>) -> DetectionScores {
        let (own, other): (Vec<_>, Vec<_>) = self
            .cases
            .iter()
            .filter(|(case, _)| pairs.contains(&case.pair))
            .partition(|(_, of)| of == kind);
        let others: Vec<&PassageRanges> = other.iter().map(|(case, _)| case).collect();
        let is_own = |found: &&PassageRanges| {
            pairs.contains(&found.pair) && !others.iter().any(|case| case.overlaps(found))
        };
        let found: Vec<PassageRanges> = self.found.iter().filter(is_own).cloned().collect();
        let own: Vec<PassageRanges> = own.iter().map(|(case, _)| case.clone()).collect();
        detection_scores(&own, &found)
    }
}
