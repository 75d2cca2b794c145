//! What a configuration can say, and what its values may be.

use std::fmt;

use crate::search::Percent;
use crate::search::pleb::Shift;
use crate::signature::MOST_BITS;
use crate::vector::Weighting;

/// A column of a configuration. The order is that of the columns, and of the loops: what is expensive to change changes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The collection's name.
    Collection,
    /// `tf` or `tf_idf`.
    Weighting,
    /// The vocabulary: terms in at least so many documents.
    MinDf,
    /// How many documents are compared with all.
    Sample,
    /// The seed of everything random.
    RndSeed,
    /// Bits of a signature.
    SigLen,
    /// From where on cosines are similar.
    ThresholdSim,
    /// From where on Hamming similarities are similar.
    ThresholdHam,
    /// From where on the search of signatures or vectors calls documents similar.
    Threshold,
    /// The executable to time.
    Method,
    /// PLEB's neighbours.
    Beam,
    /// PLEB's transpositions.
    ShiftCount,
    /// PLEB's iterations.
    IterCount,
}

impl Key {
    /// All keys, in order.
    pub const ALL: [Key; 13] = [
        Key::Collection,
        Key::Weighting,
        Key::MinDf,
        Key::Sample,
        Key::RndSeed,
        Key::SigLen,
        Key::ThresholdSim,
        Key::ThresholdHam,
        Key::Threshold,
        Key::Method,
        Key::Beam,
        Key::ShiftCount,
        Key::IterCount,
    ];

    /// The settings of PLEB.
    pub const OF_PLEB: [Key; 3] = [Key::Beam, Key::ShiftCount, Key::IterCount];

    /// How it is spelled.
    pub fn name(self) -> &'static str {
        match self {
            Key::Collection => "collection",
            Key::Weighting => "weighting",
            Key::MinDf => "min_df",
            Key::Sample => "sample",
            Key::RndSeed => "rnd_seed",
            Key::SigLen => "sig_len",
            Key::ThresholdSim => "threshold_sim",
            Key::ThresholdHam => "threshold_ham",
            Key::Threshold => "threshold",
            Key::Method => "method",
            Key::Beam => "beam",
            Key::ShiftCount => "shift_count",
            Key::IterCount => "iter_count",
        }
    }

    /// The key of this name.
    pub fn from_name(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name)
    }

    /// What its values may be, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Key::Collection => "a name of letters, digits, '_' and '-'",
            Key::Weighting => "tf, tf_idf or word_weights",
            Key::MinDf | Key::Sample | Key::Beam | Key::IterCount => "a whole number of at least 1",
            Key::RndSeed => "a whole number",
            Key::SigLen => "a multiple of 4 from 4 to 16777216",
            Key::ThresholdSim | Key::Threshold => "a percentage from 0 to 100",
            Key::ThresholdHam => "a percentage from 0 to 100, lowest or calibrated",
            Key::ShiftCount => "a whole number or full",
            Key::Method => "the name of an executable of the chain",
        }
    }

    /// Whether a value, as it was written, can be.
    pub fn accepts(self, text: &str) -> bool {
        let at_least_one = || whole(text).is_some_and(|number| number > 0);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        match self {
            Key::Collection => !text.is_empty() && text.bytes().all(is_name),
            Key::Weighting => weighting(text).is_some(),
            Key::MinDf | Key::Sample | Key::Beam | Key::IterCount => at_least_one(),
            Key::RndSeed => whole(text).is_some(),
            Key::SigLen => whole(text).is_some_and(is_length),
            Key::ThresholdSim | Key::Threshold => percent(text).is_some(),
            Key::ThresholdHam => HammingThreshold::parse(text).is_some(),
            Key::ShiftCount => shift(text).is_some(),
            Key::Method => METHODS.contains(&text),
        }
    }
}

/// The executables that can be timed, in the order of the chain.
pub const METHODS: [&str; 8] = [
    "create_bows",
    "create_voc",
    "reduce_voc",
    "create_vecs",
    "create_sigs",
    "similarity",
    "hamming_full",
    "hamming",
];

/// From where on Hamming similarities count as similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HammingThreshold {
    /// From a similarity on.
    At(Percent),
    /// From the lowest of any pair whose cosine is similar, as the thesis took it: recall is then 1.
    Lowest,
    /// Where a cosine at its threshold is expected: 100·(1 − arccos(c)/π).
    Calibrated,
}

impl HammingThreshold {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "lowest" => Some(HammingThreshold::Lowest),
            "calibrated" => Some(HammingThreshold::Calibrated),
            _ => percent(text).map(HammingThreshold::At),
        }
    }
}

/// A whole number, spelled as numbers are: one value has one spelling, and so one row.
fn whole(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

fn is_length(bits: u64) -> bool {
    bits > 0 && bits.is_multiple_of(4) && bits <= MOST_BITS as u64
}

/// A percentage that is not negative.
fn percent(text: &str) -> Option<Percent> {
    text.parse().ok().filter(|percent: &Percent| percent.value() >= 0.0)
}

fn weighting(text: &str) -> Option<Weighting> {
    match text {
        "tf" => Some(Weighting::Tf),
        "tf_idf" => Some(Weighting::TfIdf),
        "word_weights" => Some(Weighting::WordWeights),
        _ => None,
    }
}

fn shift(text: &str) -> Option<Shift> {
    match text {
        "full" => Some(Shift::Fresh),
        _ => whole(text)?.try_into().ok().map(Shift::Transpositions),
    }
}

/// One combination of values: what one row is about. Values stand as they were written; all were accepted by their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration(pub(super) Vec<(Key, String)>);

const CHECKED: &str =
    "values are checked when the experiment is read, and keys that a measure needs";

impl Configuration {
    /// The value of a key; empty where it has none.
    pub fn text(&self, key: Key) -> &str {
        self.0.iter().find(|(of, _)| *of == key).map_or("", |(_, text)| text)
    }

    fn number<N: std::str::FromStr>(&self, key: Key) -> N {
        self.text(key).parse().ok().expect(CHECKED)
    }

    /// The collection's name.
    pub fn collection(&self) -> &str {
        self.text(Key::Collection)
    }

    /// What vectors' components are.
    pub fn weighting(&self) -> Weighting {
        weighting(self.text(Key::Weighting)).expect(CHECKED)
    }

    /// The least documents that a term of the vocabulary is in.
    pub fn min_df(&self) -> u64 {
        self.number(Key::MinDf)
    }

    /// How many documents are compared with all.
    pub fn sample(&self) -> usize {
        self.number(Key::Sample)
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.number(Key::RndSeed)
    }

    /// Bits of a signature.
    pub fn bits(&self) -> usize {
        self.number(Key::SigLen)
    }

    /// From where on cosines are similar.
    pub fn threshold_sim(&self) -> Percent {
        percent(self.text(Key::ThresholdSim)).expect(CHECKED)
    }

    /// From where on Hamming similarities are similar.
    pub fn threshold_ham(&self) -> HammingThreshold {
        HammingThreshold::parse(self.text(Key::ThresholdHam)).expect(CHECKED)
    }

    /// From where on a search calls documents similar.
    pub fn threshold(&self) -> Percent {
        percent(self.text(Key::Threshold)).expect(CHECKED)
    }

    /// PLEB's neighbours.
    pub fn beam(&self) -> usize {
        self.number(Key::Beam)
    }

    /// How PLEB changes the order of bits.
    pub fn shift(&self) -> Shift {
        shift(self.text(Key::ShiftCount)).expect(CHECKED)
    }

    /// PLEB's iterations.
    pub fn iterations(&self) -> u64 {
        self.number(Key::IterCount)
    }
}

impl fmt::Display for Configuration {
    /// As people read it: `collection=debian weighting=tf …`.
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
    fn every_key_is_found_by_its_name() {
        assert!(Key::ALL.into_iter().all(|key| Key::from_name(key.name()) == Some(key)));
        assert!(Key::ALL.is_sorted(), "columns and loops have the order of the keys");
    }

    #[test]
    fn a_value_has_one_spelling() {
        for (key, right, wrong) in [
            (Key::RndSeed, ["0", "18446744073709551615"], ["+1", "18446744073709551616"]),
            (Key::Sample, ["1", "200"], ["0", "007"]),
            (Key::SigLen, ["4", "16777216"], ["2", "16777220"]),
            (Key::ShiftCount, ["0", "full"], ["-1", "Full"]),
            (Key::ThresholdSim, ["0", "79.5"], ["-1", "lowest"]),
            (Key::ThresholdHam, ["100", "lowest"], ["100.1", ""]),
            (Key::Weighting, ["tf", "tf_idf"], ["TF", "idf"]),
            (Key::Method, ["hamming", "create_bows"], ["create_corpus", ""]),
            (Key::Collection, ["a-B_1", "x"], ["", "a/b"]),
        ] {
            assert!(right.iter().all(|text| key.accepts(text)), "{}", key.name());
            assert!(!wrong.iter().any(|text| key.accepts(text)), "{}", key.name());
        }
    }
}
