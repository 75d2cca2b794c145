//! Settings of a configuration and their legal values.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::Deserialize;

use super::measure::Measurement;
use crate::search::Percent;
use crate::search::pleb::Shift;
use crate::signature::MAX_SIGNATURE_BITS;
use crate::vector::Weighting;

/// A key of a grid. All but the first are columns of its table, in this order, which is also that of the loops: what is expensive to change
/// changes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Deserialize)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum GridKey {
    /// Name of the measurement.
    Measure,
    /// Name of the collection.
    Collection,
    /// Weighting of terms: `tf`, `tf_idf` or `word_weights`.
    Weighting,
    /// Minimum document frequency of a term in the vocabulary.
    MinDf,
    /// Number of documents compared with all.
    Sample,
    /// Seed of the hyperplanes and of PLEB.
    RndSeed,
    /// Signature length in bits.
    SigLen,
    /// Minimum cosine of a similar pair.
    ThresholdSim,
    /// Minimum Hamming similarity of a similar pair.
    ThresholdHam,
    /// Minimum similarity in a search of signatures or vectors.
    Threshold,
    /// Executable to time.
    Method,
    /// Beam of PLEB.
    Beam,
    /// Transpositions of PLEB.
    ShiftCount,
    /// Iterations of PLEB.
    IterCount,
}

/// The executables that can be timed, in the order of the pipeline.
const METHODS: &str =
    "create_bows create_voc reduce_voc create_vecs create_sigs similarity hamming_full hamming";

impl GridKey {
    /// The settings of PLEB.
    pub const OF_PLEB: [GridKey; 3] = [GridKey::Beam, GridKey::ShiftCount, GridKey::IterCount];

    /// Returns whether a value is legal as written, and a description of the legal values.
    pub fn check(self, text: &str) -> (bool, &'static str) {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let is_length = |bits: u64| bits.is_multiple_of(4) && bits <= MAX_SIGNATURE_BITS as u64;
        let positive = integer(text).filter(|number| *number > 0);
        match self {
            GridKey::Measure => (
                Measurement::from_str(text, false).is_ok(),
                "one of approximation, vocabulary, pleb, planes, density, timing",
            ),
            GridKey::Collection => (
                !text.is_empty() && text.bytes().all(is_name),
                "a name of letters, digits, '_' and '-'",
            ),
            GridKey::Weighting => {
                (Weighting::from_str(text, false).is_ok(), "tf, tf_idf or word_weights")
            }
            GridKey::MinDf | GridKey::Sample | GridKey::Beam | GridKey::IterCount => {
                (positive.is_some(), "an integer of at least 1")
            }
            GridKey::RndSeed => (integer(text).is_some(), "an integer of at least 0"),
            GridKey::SigLen => {
                (positive.is_some_and(is_length), "a multiple of 4 from 4 to 16777216")
            }
            GridKey::ThresholdSim | GridKey::Threshold => {
                (percent(text).is_some(), "a percentage from 0 to 100")
            }
            GridKey::ThresholdHam => (
                HammingThreshold::from_str(text).is_ok(),
                "a percentage from 0 to 100, lowest or calibrated",
            ),
            GridKey::ShiftCount => (
                text.parse().is_ok_and(|shift: Shift| shift.to_string() == text),
                "an integer of at least 0, or full",
            ),
            GridKey::Method => {
                (METHODS.split(' ').any(|method| method == text), "the name of a pipeline stage")
            }
        }
    }
}

impl fmt::Display for GridKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name_of(self))
    }
}

/// Returns the name of an enum value.
pub(super) fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

/// Minimum Hamming similarity of a similar pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HammingThreshold {
    /// A fixed similarity.
    At(Percent),
    /// The lowest similarity of any pair with a similar cosine, as in the thesis: recall is 1.
    Lowest,
    /// The expected similarity of a pair at the cosine threshold c: 100·(1 − arccos(c)/π).
    Calibrated,
}

impl FromStr for HammingThreshold {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "lowest" => Ok(HammingThreshold::Lowest),
            "calibrated" => Ok(HammingThreshold::Calibrated),
            _ => percent(text).map(HammingThreshold::At).ok_or(()),
        }
    }
}

/// Parses an integer in its canonical form: one value has one spelling, and so one row.
fn integer(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

/// Parses a percentage of at least 0.
fn percent(text: &str) -> Option<Percent> {
    text.parse().ok().filter(|percent: &Percent| percent.value() >= 0.0)
}

/// One combination of values, the subject of one row. Values are kept as written; their keys have accepted them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration(pub(super) Vec<(GridKey, String)>);

const CHECKED: &str = "keys and values are checked when the experiment is read";

impl Configuration {
    /// Returns the value of a key as written, empty if it has none.
    pub fn text(&self, key: GridKey) -> &str {
        self.0.iter().find(|(of, _)| *of == key).map_or("", |(_, text)| text)
    }

    /// Returns the value of a key that has one.
    pub fn get<T: FromStr>(&self, key: GridKey) -> T {
        self.text(key).parse().ok().expect(CHECKED)
    }

    /// Returns the weighting of terms.
    pub fn weighting(&self) -> Weighting {
        Weighting::from_str(self.text(GridKey::Weighting), false).expect(CHECKED)
    }

    /// Returns the signature length in bits.
    pub fn bits(&self) -> usize {
        self.get(GridKey::SigLen)
    }

    /// Returns the values in the order of the keys.
    pub fn values(&self) -> Vec<String> {
        self.0.iter().map(|(_, value)| value.clone()).collect()
    }
}

impl fmt::Display for Configuration {
    /// Formats as `collection=debian weighting=tf …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings: Vec<String> =
            self.0.iter().map(|(key, value)| format!("{key}={value}")).collect();
        f.write_str(&settings.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_spelling() {
        for (key, right, wrong) in [
            (GridKey::RndSeed, ["0", "18446744073709551615"], ["+1", "18446744073709551616"]),
            (GridKey::Sample, ["1", "200"], ["0", "007"]),
            (GridKey::SigLen, ["4", "16777216"], ["2", "16777220"]),
            (GridKey::ShiftCount, ["0", "full"], ["-1", "Full"]),
            (GridKey::ThresholdSim, ["0", "79.5"], ["-1", "lowest"]),
            (GridKey::ThresholdHam, ["100", "lowest"], ["100.1", ""]),
            (GridKey::Weighting, ["tf", "tf_idf"], ["TF", "idf"]),
            (GridKey::Method, ["hamming", "create_bows"], ["create_corpus", ""]),
            (GridKey::Collection, ["a-B_1", "x"], ["", "a/b"]),
        ] {
            assert!(right.iter().all(|text| key.check(text).0), "{key}");
            assert!(!wrong.iter().any(|text| key.check(text).0), "{key}");
        }
        assert!(GridKey::value_variants().is_sorted(), "the order of columns and loops");
    }
}
