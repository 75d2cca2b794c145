//! Measures of copied-passage detection (Potthast, Stein, Barrón-Cedeño, Rosso: *An evaluation framework for plagiarism detection*, COLING
//! 2010), as PAN's text alignment task computes them.
//!
//! A case is a copied passage of the truth, a detection one that was found. Both are sets of characters: those of the suspicious document and
//! those of its source. A detection detects a case if they name the same documents and overlap on both sides.
//!
//! - Recall: the share of a case's characters that the detections of it have, averaged over cases (macro average).
//! - Precision: the share of a detection's characters that the cases it detects have, averaged over detections.
//! - Granularity: the number of detections per detected case, at least 1.
//! - Plagdet: F₁ / log₂(1 + granularity).

use std::collections::BTreeSet;
use std::ops::Range;

use super::f_measure;

/// A passage of a suspicious document and the passage of a source that it was copied from: a case or a detection. Ranges count characters and
/// are not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageRanges {
    /// The number of the pair of documents.
    pub pair: u32,
    /// The characters of the suspicious document.
    pub suspicious: Range<u64>,
    /// The characters of the source.
    pub source: Range<u64>,
}

impl PassageRanges {
    /// Returns whether two passages overlap in both documents.
    pub fn overlaps(&self, other: &Self) -> bool {
        let common = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
        self.pair == other.pair
            && common(&self.suspicious, &other.suspicious)
            && common(&self.source, &other.source)
    }

    fn len(&self) -> u64 {
        (self.suspicious.end - self.suspicious.start) + (self.source.end - self.source.start)
    }
}

/// Measures of detections by the cases of the truth. A share of nothing is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectionScores {
    /// The number of cases.
    pub cases: usize,
    /// The number of detections.
    pub detections: usize,
    /// Of the pairs of documents with a detection, the share with a case.
    pub document_precision: Option<f64>,
    /// Of the pairs of documents with a case, the share with a detection.
    pub document_recall: Option<f64>,
    /// The macro-averaged precision of characters.
    pub precision: Option<f64>,
    /// The macro-averaged recall of characters.
    pub recall: Option<f64>,
    /// Detections per detected case.
    pub granularity: Option<f64>,
    /// F₁ of precision and recall, divided by log₂(1 + granularity); 0 if no case is detected, `None` if there is no case.
    pub plagdet: Option<f64>,
}

/// Computes the measures.
///
/// Time: n log n in cases and detections, and their overlaps within a pair of documents.
pub fn detection_scores(cases: &[PassageRanges], detections: &[PassageRanges]) -> DetectionScores {
    let (case_index, detection_index) =
        (SortedPassages::new(cases), SortedPassages::new(detections));
    let recall = mean(cases.iter().map(|case| detection_index.covered(case)));
    let precision = mean(detections.iter().map(|detection| case_index.covered(detection)));
    let detected = cases.iter().map(|case| detection_index.overlapping(case).count());
    let granularity = mean(detected.filter(|count| *count > 0).map(|count| count as f64));
    let [with_case, with_detection] = [cases, detections].map(pairs);
    let both = with_case.intersection(&with_detection).count();
    DetectionScores {
        cases: cases.len(),
        detections: detections.len(),
        document_precision: share(both, with_detection.len()),
        document_recall: share(both, with_case.len()),
        precision,
        recall,
        granularity,
        plagdet: recall.map(|recall| plagdet(precision, recall, granularity)),
    }
}

fn plagdet(precision: Option<f64>, recall: f64, granularity: Option<f64>) -> f64 {
    let f1 = f_measure(precision, Some(recall), 1.0);
    f1.zip(granularity).map_or(0.0, |(f1, granularity)| f1 / libm::log2(1.0 + granularity))
}

fn pairs(passages: &[PassageRanges]) -> BTreeSet<u32> {
    passages.iter().map(|passage| passage.pair).collect()
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

/// Passages in the order of their pairs and starts in the suspicious document.
struct SortedPassages<'a> {
    sorted: Vec<&'a PassageRanges>,
    /// For each passage, the largest end of those up to it in the suspicious document of its pair.
    ends: Vec<(u32, u64)>,
}

impl<'a> SortedPassages<'a> {
    fn new(passages: &'a [PassageRanges]) -> Self {
        let mut sorted: Vec<&PassageRanges> = passages.iter().collect();
        sorted.sort_by_key(|passage| (passage.pair, passage.suspicious.start));
        let mut largest = (0, 0);
        let ends = sorted.iter().map(|passage| {
            largest = largest.max((passage.pair, passage.suspicious.end));
            largest
        });
        SortedPassages { ends: ends.collect(), sorted }
    }

    /// Returns the passages that overlap another one in both documents.
    fn overlapping<'b>(
        &'b self,
        other: &'b PassageRanges,
    ) -> impl Iterator<Item = &'a PassageRanges> + 'b {
        let first = self.ends.partition_point(|end| *end <= (other.pair, other.suspicious.start));
        let is_before = |passage: &&PassageRanges| {
            (passage.pair, passage.suspicious.start) < (other.pair, other.suspicious.end)
        };
        let near = self.sorted[first..].iter().copied().take_while(is_before);
        near.filter(|passage| passage.overlaps(other))
    }

    /// Returns the share of a passage's characters that those overlapping it have too.
    fn covered(&self, passage: &PassageRanges) -> f64 {
        let side = |side: fn(&PassageRanges) -> &Range<u64>| {
            let others = self.overlapping(passage).map(|other| side(other).clone());
            common_length(side(passage), others.collect())
        };
        let covered = side(|passage| &passage.suspicious) + side(|passage| &passage.source);
        covered as f64 / passage.len() as f64
    }
}

/// Returns the length of the union of ranges within another range.
fn common_length(whole: &Range<u64>, mut ranges: Vec<Range<u64>>) -> u64 {
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut length, mut end) = (0, whole.start);
    for range in ranges {
        let next = range.end.min(whole.end).max(end);
        length += next - range.start.max(end).min(next);
        end = next;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn passage(
        pair: u32,
        start: u64,
        length: u64,
        source: u64,
        source_length: u64,
    ) -> PassageRanges {
        PassageRanges {
            pair,
            suspicious: start..start + length,
            source: source..source + source_length,
        }
    }

    #[test]
    fn the_measures_are_those_of_the_paper() {
        // Two detections of one case, one of none, and a case that is missed.
        let cases = [passage(0, 0, 100, 0, 100), passage(1, 0, 10, 0, 10)];
        let found = [passage(0, 0, 50, 0, 50), passage(0, 60, 80, 60, 40), passage(2, 0, 9, 0, 9)];
        let scores = detection_scores(&cases, &found);
        assert_eq!((scores.cases, scores.detections), (2, 3));
        assert_eq!(scores.recall, Some((180.0 / 200.0) / 2.0));
        assert_eq!(scores.precision, Some((1.0 + 80.0 / 120.0) / 3.0));
        assert_eq!(scores.granularity, Some(2.0));
        assert_eq!((scores.document_precision, scores.document_recall), (Some(0.5), Some(0.5)));
        let f1 = 2.0 * 0.45 * (5.0 / 9.0) / (0.45 + 5.0 / 9.0);
        assert!((scores.plagdet.unwrap() - f1 / 3f64.log2()).abs() < 1e-12);
    }

    #[test]
    fn shares_of_nothing_are_undefined() {
        let one = [passage(0, 0, 9, 0, 9)];
        let none = detection_scores(&[], &[]);
        assert_eq!((none.precision, none.recall, none.plagdet), (None, None, None));
        let missed = detection_scores(&one, &[]);
        assert_eq!((missed.precision, missed.recall, missed.plagdet), (None, Some(0.0), Some(0.0)));
        assert_eq!((missed.granularity, missed.document_recall), (None, Some(0.0)));
        let wrong = detection_scores(&[], &one);
        assert_eq!((wrong.precision, wrong.plagdet), (Some(0.0), None));
        // An overlap on one side is no detection.
        let apart = detection_scores(&one, &[passage(0, 0, 9, 9, 9)]);
        assert_eq!((apart.precision, apart.plagdet), (Some(0.0), Some(0.0)));
    }

    /// The characters of a passage, on both sides.
    fn characters(passage: &PassageRanges) -> BTreeSet<(bool, u64)> {
        let side =
            |is_source: bool, range: &Range<u64>| range.clone().map(move |at| (is_source, at));
        side(false, &passage.suspicious).chain(side(true, &passage.source)).collect()
    }

    /// Returns the share of the characters of `one` in the passages that detect it.
    fn naive_share(one: &PassageRanges, others: &[PassageRanges]) -> f64 {
        let own = characters(one);
        let detects = |other: &&PassageRanges| {
            let common: BTreeSet<bool> =
                own.intersection(&characters(other)).map(|(side, _)| *side).collect();
            other.pair == one.pair && common.len() == 2
        };
        let all: BTreeSet<_> = others.iter().filter(detects).flat_map(characters).collect();
        own.intersection(&all).count() as f64 / own.len() as f64
    }

    fn passages() -> impl Strategy<Value = Vec<PassageRanges>> {
        let one = (0u32..3, 0u64..40, 1u64..15, 0u64..40, 1u64..15);
        prop::collection::vec(one.prop_map(|(pair, a, b, c, d)| passage(pair, a, b, c, d)), 0..12)
    }

    proptest! {
        #[test]
        fn intervals_give_what_sets_of_characters_give(cases in passages(), found in passages()) {
            let scores = detection_scores(&cases, &found);
            let average = |all: &[PassageRanges], others: &[PassageRanges]| {
                mean(all.iter().map(|one| naive_share(one, others)))
            };
            prop_assert_eq!(scores.recall, average(&cases, &found));
            prop_assert_eq!(scores.precision, average(&found, &cases));
            let counts = cases.iter().map(|case| found.iter().filter(|one| one.overlaps(case)).count());
            prop_assert_eq!(scores.granularity, mean(counts.filter(|count| *count > 0).map(|count| count as f64)));
        }
    }
}
