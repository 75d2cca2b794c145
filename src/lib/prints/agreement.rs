//! When two prints agree, as data: lists of prints state it in their headers.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Similarity of two sets of fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetMeasure {
    /// Common fingerprints over all of both (Jaccard)
    Resemblance,
    /// Common fingerprints over those of the smaller set
    Containment,
    /// Common fingerprints over those of the larger set
    Share,
}

/// When two prints agree. A print without fingerprints agrees with none, equal prints always agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Agreement {
    /// The prints are equal.
    Equal,
    /// At least `min` fingerprints at the same position are equal, or all if a print has fewer; 0 is a missing fingerprint.
    Coordinates {
        /// The number of equal fingerprints.
        min: usize,
    },
    /// The prints agree on a band: `rows` consecutive hashes from a multiple of `rows` on. Their similarity, the share of equal hashes, is at least
    /// the threshold.
    Bands {
        /// Hashes per band.
        rows: usize,
        /// The minimum share of equal hashes.
        threshold: f64,
    },
    /// Ascending sets are similar.
    Sets {
        /// Their similarity.
        measure: SetMeasure,
        /// The minimum similarity.
        threshold: f64,
        /// The number of smallest fingerprints that were kept, if not all were. The resemblance is then that of the smallest fingerprints of both sets
        /// together (Broder 1997).
        smallest: Option<usize>,
    },
    /// The only fingerprints differ in at most `max` bits.
    Distance {
        /// The number of bits.
        max: u32,
    },
    /// The rules of `sent_words`.
    Sentences(SequenceRules),
}

/// When two records of `sent_words` agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceRules {
    /// The maximum ratio of lengths in words.
    pub length_ratio: f64,
    /// The maximum ratio of the numbers of sentences.
    pub sentence_ratio: f64,
    /// The minimum number of equal longest words, if both documents have at least that many.
    pub common_words: usize,
    /// Whether all of the longest sentences must be equal, not the longest alone.
    pub all_sentences: bool,
}

impl Agreement {
    /// Returns the same agreement with another threshold.
    ///
    /// # Errors
    /// There is no threshold.
    pub fn with_threshold(self, threshold: f64) -> Result<Self, String> {
        match self {
            Agreement::Bands { rows, .. } => Ok(Agreement::Bands { rows, threshold }),
            Agreement::Sets { measure, smallest, .. } => {
                Ok(Agreement::Sets { measure, threshold, smallest })
            }
            _ => Err("prints of this method agree or not; they have no threshold".into()),
        }
    }

    /// Checks that a print has the shape that the agreement takes.
    ///
    /// # Errors
    /// A description of that shape.
    pub fn check(&self, print: &[u64]) -> Result<(), String> {
        let (is_legal, expected) = match self {
            _ if print.is_empty() => return Ok(()),
            Agreement::Equal => return Ok(()),
            Agreement::Bands { rows, .. } => {
                (print.len().is_multiple_of(*rows), format!("bands of {rows} hashes"))
            }
            Agreement::Coordinates { min } => {
                let is_feasible = combinations(print.len(), *min) <= MAX_COMBINATIONS;
                (is_feasible, format!("few enough fingerprints for agreement on {min} of them"))
            }
            Agreement::Sets { .. } => {
                (print.is_sorted_by(|one, other| one < other), "ascending fingerprints".into())
            }
            Agreement::Distance { .. } => (print.len() == 1, "one fingerprint".into()),
            Agreement::Sentences(_) => {
                (print.len() == RECORD_LENGTH, format!("{RECORD_LENGTH} numbers"))
            }
        };
        if is_legal { Ok(()) } else { Err(expected) }
    }

    /// Returns the similarity of two prints in percent. Prints that are equal have 100.
    pub fn similarity(&self, one: &[u64], other: &[u64]) -> f64 {
        let percent = |common: usize, all: usize| 100.0 * common as f64 / all.max(1) as f64;
        let equal = || one.iter().zip(other).filter(|(a, b)| a == b && **a != 0).count();
        match self {
            _ if one == other => 100.0,
            Agreement::Equal => 0.0,
            Agreement::Coordinates { .. } | Agreement::Bands { .. } => {
                percent(equal(), one.len().max(other.len()))
            }
            Agreement::Sets { measure, smallest, .. } => {
                100.0 * measure.similarity(one, other, *smallest)
            }
            Agreement::Distance { .. } => match (one, other) {
                ([one], [other]) => percent(64 - (one ^ other).count_ones() as usize, 64),
                _ => 0.0,
            },
            Agreement::Sentences(_) => match (one.get(2..), other.get(2..)) {
                (Some(one), Some(other)) => {
                    let signs = |print: &[u64]| print.iter().filter(|sign| **sign != 0).count();
                    percent(common(one, other), signs(one).max(signs(other)))
                }
                _ => 0.0,
            },
        }
    }
}

/// Numbers of a record of `sent_words`: words, sentences, three sentences, five words.
const RECORD_LENGTH: usize = 10;
/// Combinations of positions that prints are sorted by.
const MAX_COMBINATIONS: f64 = 10_000.0;

/// Returns the number of combinations of `count` of `all` positions.
fn combinations(all: usize, count: usize) -> f64 {
    (0..count.min(all)).map(|at| (all - at) as f64 / (at + 1) as f64).product()
}

/// Counts the numbers other than 0 of one list that occur in the other.
pub(super) fn common(one: &[u64], other: &[u64]) -> usize {
    one.iter().filter(|sign| **sign != 0 && other.contains(sign)).count()
}

impl SetMeasure {
    /// Returns the similarity of two ascending sets, not both empty.
    pub fn similarity(self, one: &[u64], other: &[u64], smallest: Option<usize>) -> f64 {
        let ratio = |common: usize, all: usize| common as f64 / all.max(1) as f64;
        match (self, smallest) {
            (SetMeasure::Resemblance, Some(limit)) => {
                let (common, all) = overlap(one, other, limit);
                ratio(common, all)
            }
            (measure, _) => {
                let (common, all) = overlap(one, other, usize::MAX);
                match measure {
                    SetMeasure::Resemblance => ratio(common, all),
                    SetMeasure::Containment => ratio(common, one.len().min(other.len())),
                    SetMeasure::Share => ratio(common, one.len().max(other.len())),
                }
            }
        }
    }
}

/// Returns the sizes of the intersection and the union of two ascending sets, among the `limit` smallest of the union.
fn overlap(one: &[u64], other: &[u64], limit: usize) -> (usize, usize) {
    let (mut at, mut to, mut common, mut all) = (0, 0, 0, 0);
    while all < limit && at < one.len() && to < other.len() {
        let (a, b) = (one[at], other[to]);
        common += usize::from(a == b);
        at += usize::from(a <= b);
        to += usize::from(b <= a);
        all += 1;
    }
    let rest = (one.len() - at) + (other.len() - to);
    (common, all.saturating_add(rest).min(limit))
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agreement::Equal => f.write_str("equal"),
            Agreement::Coordinates { min } => write!(f, "coordinates {min}"),
            Agreement::Bands { rows, threshold } => write!(f, "bands {rows} {threshold}"),
            Agreement::Sets { measure, threshold, smallest } => {
                let name = measure.to_possible_value().expect("every measure has a name");
                write!(f, "{} {threshold}", name.get_name())?;
                smallest.map_or(Ok(()), |smallest| write!(f, " {smallest}"))
            }
            Agreement::Distance { max } => write!(f, "distance {max}"),
            Agreement::Sentences(rules) => {
                let SequenceRules { length_ratio, sentence_ratio, common_words, all_sentences } =
                    rules;
                let all = if *all_sentences { " all" } else { "" };
                write!(f, "sentences {length_ratio} {sentence_ratio} {common_words}{all}")
            }
        }
    }
}

impl FromStr for Agreement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            "expected equal, coordinates, bands, resemblance, containment, share, distance or sentences with their numbers".into()
        })
    }
}

fn parse(text: &str) -> Option<Agreement> {
    fn number<T: FromStr>(text: &str) -> Option<T> {
        text.parse().ok()
    }
    let share = |text: &str| number(text).filter(|share| (0.0..=1.0).contains(share));
    let ratio = |text: &str| number(text).filter(|ratio: &f64| *ratio >= 1.0 && ratio.is_finite());
    let size = |text: &str| number::<usize>(text).filter(|size| *size > 0);
    Some(match *text.split(' ').collect::<Vec<_>>() {
        ["equal"] => Agreement::Equal,
        ["coordinates", min] => Agreement::Coordinates { min: size(min)? },
        ["bands", rows, threshold] => {
            Agreement::Bands { rows: size(rows)?, threshold: share(threshold)? }
        }
        ["distance", max] => Agreement::Distance { max: number(max).filter(|max| *max < 64)? },
        ["sentences", length, sentences, words, ref all @ ..] if matches!(all, [] | ["all"]) => {
            Agreement::Sentences(SequenceRules {
                length_ratio: ratio(length)?,
                sentence_ratio: ratio(sentences)?,
                common_words: number(words)?,
                all_sentences: !all.is_empty(),
            })
        }
        [measure, threshold, ref smallest @ ..] if smallest.len() < 2 => Agreement::Sets {
            measure: SetMeasure::from_str(measure, false).ok()?,
            threshold: share(threshold)?,
            smallest: smallest.first().map(|text| size(text).ok_or(())).transpose().ok()?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn agreements_read_back() {
        for text in [
            "equal",
            "coordinates 2",
            "bands 8 0.5",
            "resemblance 0.5 100",
            "containment 1",
            "share 0.25",
            "distance 3",
            "sentences 1.15 1.2 2",
            "sentences 1.15 1.2 2 all",
        ] {
            assert_eq!(text.parse::<Agreement>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "equals",
            "coordinates 0",
            "bands 8 2",
            "distance 64",
            "share 0.5 0",
            "share x",
            "sentences 1 1 1 al",
        ] {
            assert!(text.parse::<Agreement>().is_err(), "{text}");
        }
    }

    #[test]
    fn prints_of_another_shape_are_refused() {
        for (agreement, legal, illegal) in [
            ("distance 3", vec![5], vec![5, 6]),
            ("bands 2 0", vec![7; 4], vec![7; 3]),
            ("share 0.5", vec![1, 2], vec![1, 1]),
            ("sentences 1.15 1.2 2", vec![1; 10], vec![1; 9]),
            ("coordinates 3", vec![1; 20], vec![1; 1000]),
        ] {
            let agreement: Agreement = agreement.parse().unwrap();
            assert_eq!(agreement.check(&legal), Ok(()), "{agreement}");
            assert!(agreement.check(&illegal).is_err(), "{agreement}");
            assert_eq!(agreement.check(&[]), Ok(()));
        }
    }

    proptest! {
        #[test]
        fn similarities_are_those_of_sets(
            one in prop::collection::btree_set(0u64..40, 1..20),
            other in prop::collection::btree_set(0u64..40, 1..20),
            limit in 1usize..30,
        ) {
            let lists = [&one, &other].map(|set| set.iter().copied().collect::<Vec<_>>());
            let of = |measure: SetMeasure, smallest| measure.similarity(&lists[0], &lists[1], smallest);
            let (common, all) = (one.intersection(&other).count() as f64, one.union(&other).count() as f64);
            prop_assert_eq!(of(SetMeasure::Resemblance, None), common / all);
            prop_assert_eq!(of(SetMeasure::Share, None), common / one.len().max(other.len()) as f64);
            prop_assert_eq!(of(SetMeasure::Containment, None), common / one.len().min(other.len()) as f64);
            let union: BTreeSet<u64> = one.union(&other).copied().take(limit).collect();
            let both = union.iter().filter(|value| one.contains(value) && other.contains(value)).count();
            prop_assert_eq!(of(SetMeasure::Resemblance, Some(limit)), both as f64 / union.len() as f64);
        }
    }
}
