//! Settings of a configuration and their legal values.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;

use crate::search::Percent;
use crate::search::pleb::Shift;
use crate::signature::MAX_SIGNATURE_BITS;
use crate::vector::Weighting;

/// A key of a grid and a column of its table. The order is that of the columns and of the loops: what is expensive to change changes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum GridKey {
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

impl GridKey {
    /// The settings of PLEB.
    pub const OF_PLEB: [GridKey; 3] = [GridKey::Beam, GridKey::ShiftCount, GridKey::IterCount];

    /// Returns the name of the key.
    pub fn name(self) -> String {
        name_of(&self)
    }

    /// Describes the legal values.
    pub fn legal_values(self) -> &'static str {
        match self {
            GridKey::Collection => "a name of letters, digits, '_' and '-'",
            GridKey::Weighting => "tf, tf_idf or word_weights",
            GridKey::MinDf | GridKey::Sample | GridKey::Beam | GridKey::IterCount => {
                "an integer of at least 1"
            }
            GridKey::RndSeed => "an integer of at least 0",
            GridKey::SigLen => "a multiple of 4 from 4 to 16777216",
            GridKey::ThresholdSim | GridKey::Threshold => "a percentage from 0 to 100",
            GridKey::ThresholdHam => "a percentage from 0 to 100, lowest or calibrated",
            GridKey::ShiftCount => "an integer of at least 0, or full",
            GridKey::Method => "the name of a pipeline stage",
        }
    }

    /// Returns whether a value is legal as written.
    pub fn accepts(self, text: &str) -> bool {
        let is_positive = || integer(text).is_some_and(|number| number > 0);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        match self {
            GridKey::Collection => !text.is_empty() && text.bytes().all(is_name),
            GridKey::Weighting => weighting(text).is_some(),
            GridKey::MinDf | GridKey::Sample | GridKey::Beam | GridKey::IterCount => is_positive(),
            GridKey::RndSeed => integer(text).is_some(),
            GridKey::SigLen => integer(text).is_some_and(is_length),
            GridKey::ThresholdSim | GridKey::Threshold => percent(text).is_some(),
            GridKey::ThresholdHam => HammingThreshold::parse(text).is_some(),
            GridKey::ShiftCount => shift(text).is_some(),
            GridKey::Method => METHODS.contains(&text),
        }
    }
}

/// Returns the name of an enum value.
pub(super) fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

/// The executables that can be timed, in the order of the pipeline.
const METHODS: [&str; 8] = [
    "create_bows",
    "create_voc",
    "reduce_voc",
    "create_vecs",
    "create_sigs",
    "similarity",
    "hamming_full",
    "hamming",
];

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

impl HammingThreshold {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "lowest" => Some(HammingThreshold::Lowest),
            "calibrated" => Some(HammingThreshold::Calibrated),
            _ => percent(text).map(HammingThreshold::At),
        }
    }
}

/// Parses an integer in its canonical form: one value has one spelling, and so one row.
fn integer(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

fn is_length(bits: u64) -> bool {
    bits > 0 && bits.is_multiple_of(4) && bits <= MAX_SIGNATURE_BITS as u64
}

/// Parses a percentage of at least 0.
fn percent(text: &str) -> Option<Percent> {
    text.parse().ok().filter(|percent: &Percent| percent.value() >= 0.0)
}

fn weighting(text: &str) -> Option<Weighting> {
    Weighting::from_str(text, false).ok()
}

fn shift(text: &str) -> Option<Shift> {
    text.parse().ok().filter(|shift: &Shift| shift.to_string() == text)
}

/// One combination of values, the subject of one row. Values are kept as written; their keys have accepted them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration(pub(super) Vec<(GridKey, String)>);

const CHECKED: &str = "keys and values are checked when the experiment is read";

impl Configuration {
    /// Returns the value of a key, empty if it has none.
    pub fn text(&self, key: GridKey) -> &str {
        self.0.iter().find(|(of, _)| *of == key).map_or("", |(_, text)| text)
    }

    fn parsed<T: FromStr>(&self, key: GridKey) -> T {
        self.text(key).parse().ok().expect(CHECKED)
    }

    /// Returns the name of the collection.
    pub fn collection(&self) -> &str {
        self.text(GridKey::Collection)
    }

    /// Returns the weighting of terms.
    pub fn weighting(&self) -> Weighting {
        weighting(self.text(GridKey::Weighting)).expect(CHECKED)
    }

    /// Returns the minimum document frequency of a term.
    pub fn min_df(&self) -> u64 {
        self.parsed(GridKey::MinDf)
    }

    /// Returns the number of documents compared with all.
    pub fn sample(&self) -> usize {
        self.parsed(GridKey::Sample)
    }

    /// Returns the seed of the hyperplanes and of PLEB.
    pub fn seed(&self) -> u64 {
        self.parsed(GridKey::RndSeed)
    }

    /// Returns the signature length in bits.
    pub fn bits(&self) -> usize {
        self.parsed(GridKey::SigLen)
    }

    /// Returns the minimum cosine of a similar pair.
    pub fn threshold_sim(&self) -> Percent {
        self.parsed(GridKey::ThresholdSim)
    }

    /// Returns the minimum Hamming similarity of a similar pair.
    pub fn threshold_ham(&self) -> HammingThreshold {
        HammingThreshold::parse(self.text(GridKey::ThresholdHam)).expect(CHECKED)
    }

    /// Returns the minimum similarity in a search.
    pub fn threshold(&self) -> Percent {
        self.parsed(GridKey::Threshold)
    }

    /// Returns the beam of PLEB.
    pub fn beam(&self) -> usize {
        self.parsed(GridKey::Beam)
    }

    /// Returns the permutation step of PLEB.
    pub fn shift(&self) -> Shift {
        self.parsed(GridKey::ShiftCount)
    }

    /// Returns the number of iterations of PLEB.
    pub fn iterations(&self) -> u64 {
        self.parsed(GridKey::IterCount)
    }
}

impl fmt::Display for Configuration {
    /// Formats as `collection=debian weighting=tf …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (key, value)) in self.0.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{}={value}", key.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_and_found_by_name() {
        let all = GridKey::value_variants();
        assert!(all.iter().all(|key| GridKey::from_str(&key.name(), false) == Ok(*key)));
        assert!(all.is_sorted(), "columns and loops have the order of the keys");
    }

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
            assert!(right.iter().all(|text| key.accepts(text)), "{}", key.name());
            assert!(!wrong.iter().any(|text| key.accepts(text)), "{}", key.name());
        }
    }
}
