//! Signatures as strings of `0` and `1`, and searches that move characters and sort strings.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use super::levels;
use super::vocabularies::Vector;

/// Returns the generator that the documentation names by seed, purpose, round and index.
fn stream(seed: u64, purpose: &str, round: u64, index: u64) -> ChaCha8Rng {
    let mut key = seed.to_le_bytes().to_vec();
    key.extend(purpose.bytes());
    key.resize(24, 0);
    key.extend(round.to_le_bytes());
    let mut generator = ChaCha8Rng::from_seed(key.try_into().unwrap());
    generator.set_stream(index);
    generator
}

/// Returns a normal number in units of 1/4096, out of sixteen bits: the sign, then one of 32,768 equally probable parts of the half, the
/// outermost first. The middle quantile of the part, found by halving intervals, rounded, at least 1.
fn normal(bits: u16) -> i64 {
    let tail = (f64::from(bits % 32768) + 0.5) / 65536.0;
    let (mut low, mut high) = (0.0, 6.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let is_below = libm::erfc(middle / std::f64::consts::SQRT_2) / 2.0 > tail;
        if is_below { low = middle } else { high = middle }
    }
    let size = (low * 4096.0).round().max(1.0) as i64;
    if bits < 32768 { size } else { -size }
}

/// All of them, computed once.
static NORMAL: LazyLock<Vec<i64>> = LazyLock::new(|| (0..=u16::MAX).map(normal).collect());

/// Component `term` of the first `bits` random vectors of normal numbers.
fn components(seed: u64, round: u64, term: usize, bits: usize) -> Vec<i64> {
    let mut generator = stream(seed, "hyperplanes", round, term as u64);
    let mut random = vec![0; 2 * bits];
    generator.fill_bytes(&mut random);
    random.chunks(2).map(|two| NORMAL[usize::from(u16::from_le_bytes([two[0], two[1]]))]).collect()
}

/// Hyperplanes: one component per bit and term; and the scale of a document's largest weight.
pub struct Planes(Vec<Vec<i64>>, f64);

/// Scales of weights for normal hyperplanes, and for those of four levels.
const FINE: f64 = 4095.0;
const COARSE: f64 = 63.0;

impl Planes {
    pub fn new(seed: u64, bits: usize, terms: usize) -> Self {
        Planes(Self::round(seed, 0, bits, terms), FINE)
    }

    fn round(seed: u64, round: u64, bits: usize, terms: usize) -> Vec<Vec<i64>> {
        let rows: Vec<Vec<i64>> =
            (0..terms).map(|term| components(seed, round, term, bits)).collect();
        by_bit(&rows, bits)
    }

    /// Random vectors whose components are −3, −1, 1 and 3.
    pub fn of_levels(seed: u64, bits: usize, terms: usize) -> Self {
        let rows: Vec<Vec<i64>> = (0..terms).map(|term| levels::row(seed, term, bits)).collect();
        Planes(by_bit(&rows, bits), COARSE)
    }

    /// Returns each vector from the first round in which more than `percent` % of its components are positive and more than
    /// `percent` % negative; `None` for the whole if a thousand rounds after the first do not bring that.
    pub fn balanced(seed: u64, bits: usize, terms: usize, percent: usize) -> Option<Self> {
        let enough = |count: usize| 100 * count > percent * terms;
        let is_balanced = |vector: &Vec<i64>| {
            enough(vector.iter().filter(|value| **value > 0).count())
                && enough(vector.iter().filter(|value| **value < 0).count())
        };
        let mut chosen: Vec<Option<Vec<i64>>> = vec![None; bits];
        for round in 0..=1000 {
            let drawn = Self::round(seed, round, bits, terms);
            for (choice, vector) in chosen.iter_mut().zip(drawn) {
                if choice.is_none() && is_balanced(&vector) {
                    *choice = Some(vector);
                }
            }
            if chosen.iter().all(Option::is_some) {
                break;
            }
        }
        chosen.into_iter().collect::<Option<_>>().map(|planes| Planes(planes, FINE))
    }

    /// Returns the hyperplanes, one per bit.
    pub fn vectors(&self) -> &[Vec<i64>] {
        &self.0
    }

    /// Returns the bits of a document, `None` if it has no direction. Weights are rounded to whole numbers, so sums are exact.
    pub fn signature(&self, vector: &Vector) -> Option<String> {
        let largest =
            vector.iter().fold(0.0f64, |most, (_, value)| most.max(f64::from(value.abs())));
        let weight = |value: f32| (f64::from(value) * self.1 / largest).round() as i64;
        let bit = |plane: &Vec<i64>| {
            let products = vector.iter().map(|(index, value)| weight(*value) * plane[*index]);
            if products.sum::<i64>() >= 0 { '1' } else { '0' }
        };
        (!vector.is_empty()).then(|| self.0.iter().map(bit).collect())
    }
}

fn by_bit(rows: &[Vec<i64>], bits: usize) -> Vec<Vec<i64>> {
    (0..bits).map(|bit| rows.iter().map(|row| row[bit]).collect()).collect()
}

/// Returns a signature in hexadecimal digits.
pub fn hexadecimal(signature: &str) -> String {
    let digits = signature.as_bytes().chunks(4).map(|four| {
        let value = four.iter().fold(0, |value, bit| 2 * value + u32::from(*bit == b'1'));
        char::from_digit(value, 16).unwrap()
    });
    digits.collect()
}

/// Returns the number of positions at which two signatures differ.
pub fn distance(left: &str, right: &str) -> usize {
    left.chars().zip(right.chars()).filter(|(l, r)| l != r).count()
}

/// Documents by signature, in the order of first documents.
#[derive(Debug, Clone)]
pub struct Groups(pub Vec<(String, Vec<String>)>);

impl Groups {
    /// Groups the documents that have a signature.
    pub fn new(documents: impl Iterator<Item = (String, Option<String>)>) -> Self {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (name, signature) in documents {
            let Some(signature) = signature else { continue };
            match groups.iter_mut().find(|(known, _)| *known == signature) {
                Some((_, names)) => names.push(name),
                None => groups.push((signature, vec![name])),
            }
        }
        Groups(groups)
    }

    /// Returns the lines of the SIG files.
    pub fn sig_lines(&self) -> Vec<String> {
        let line = |(signature, names): &(String, Vec<String>)| {
            format!("{}:{} {}\n", hexadecimal(signature), names.len(), names.join(" "))
        };
        self.0.iter().map(line).collect()
    }

    /// Returns the documents that have a signature.
    pub fn documents(&self) -> usize {
        self.0.iter().map(|(_, names)| names.len()).sum()
    }

    fn bits(&self) -> usize {
        self.0.first().map_or(0, |(signature, _)| signature.len())
    }

    /// Pairs of signatures, the lower number first, that are similar enough.
    pub fn all_pairs(&self, threshold: i64) -> BTreeSet<(usize, usize)> {
        let all = 0..self.0.len();
        let pairs = all.clone().flat_map(|low| (low + 1..all.end).map(move |high| (low, high)));
        pairs.filter(|pair| self.is_similar(*pair, threshold)).collect()
    }

    /// Returns whether 100·(K − d)/K is at least the threshold, which is in millionths of a percent.
    fn is_similar(&self, (one, other): (usize, usize), threshold: i64) -> bool {
        let agreeing = self.bits() - distance(&self.0[one].0, &self.0[other].0);
        100_000_000 * agreeing as i64 >= threshold * self.bits() as i64
    }

    /// Returns the pairs that PLEB knows after each of its iterations.
    pub fn pleb(&self, settings: Pleb, threshold: i64) -> Vec<BTreeSet<(usize, usize)>> {
        let mut strings: Vec<(Vec<u8>, usize)> =
            self.0.iter().enumerate().map(|(n, (s, _))| (s.clone().into_bytes(), n)).collect();
        let mut known = BTreeSet::new();
        let mut after_each = Vec::new();
        for iteration in 0..settings.iterations {
            strings.sort();
            for (at, (_, one)) in strings.iter().enumerate() {
                for (_, other) in strings.iter().skip(at + 1).take(settings.beam) {
                    let pair = (*one.min(other), *one.max(other));
                    if self.is_similar(pair, threshold) {
                        known.insert(pair);
                    }
                }
            }
            after_each.push(known.clone());
            settings.move_bits(iteration, self, &mut strings);
        }
        after_each
    }

    /// Returns the pairs of documents that pairs of signatures stand for and that share a signature, if one of the two
    /// is in the sample.
    pub fn document_pairs(
        &self,
        pairs: &BTreeSet<(usize, usize)>,
        is_asked: impl Fn(&str) -> bool,
    ) -> usize {
        let documents = self.0.iter().enumerate();
        let documents: Vec<(usize, &String)> = documents
            .flat_map(|(group, (_, names))| names.iter().map(move |n| (group, n)))
            .collect();
        let mut count = 0;
        for (at, (one, name)) in documents.iter().enumerate() {
            for (other, other_name) in &documents[at + 1..] {
                let is_found = one == other || pairs.contains(&(*one.min(other), *one.max(other)));
                count += usize::from(is_found && (is_asked(name) || is_asked(other_name)));
            }
        }
        count
    }

    /// Returns the result without a sample.
    pub fn result(&self, pairs: &BTreeSet<(usize, usize)>) -> String {
        let has_line = |group: &usize| {
            self.0[*group].1.len() > 1 || pairs.iter().any(|(l, h)| l == group || h == group)
        };
        let line = |group: usize| label(&self.0[group].1) + &self.matches(group, pairs) + "\n";
        (0..self.0.len()).filter(has_line).map(line).collect()
    }

    /// Returns the result for a sample; a document without a signature has no match.
    pub fn sample_result(&self, sample: &[String], pairs: &BTreeSet<(usize, usize)>) -> String {
        let line = |name: &String| match self.0.iter().position(|(_, n)| n.contains(name)) {
            Some(group) => {
                let mates = self.0[group].1.iter().filter(|other| *other != name);
                let names: Vec<String> = std::iter::once(name).chain(mates).cloned().collect();
                label(&names) + &self.matches(group, pairs) + "\n"
            }
            None => format!("{name}\n"),
        };
        sample.iter().map(line).collect()
    }

    fn matches(&self, group: usize, pairs: &BTreeSet<(usize, usize)>) -> String {
        let mut text = String::new();
        for (other, (signature, names)) in self.0.iter().enumerate() {
            if pairs.contains(&(group.min(other), group.max(other))) {
                let agreeing = self.bits() - distance(&self.0[group].0, signature);
                let similarity = (100 * agreeing) as f64 / self.bits() as f64;
                text += &format!(":{}:{similarity}", label(names));
            }
        }
        text
    }
}

/// Returns documents that share a signature as written in results.
pub fn label(names: &[String]) -> String {
    match names {
        [alone] => alone.clone(),
        _ => format!("{}({})", names[0], names[1..].join(" ")),
    }
}

/// Parameters of PLEB.
#[derive(Debug, Clone, Copy)]
pub struct Pleb {
    pub iterations: u64,
    pub beam: usize,
    /// `None` for a new permutation per iteration.
    pub shift_count: Option<usize>,
    pub seed: u64,
}

impl Pleb {
    /// Returns the flags of hamming for these parameters.
    pub fn flags(&self) -> String {
        let Pleb { iterations, beam, shift_count, seed } = self;
        let shift_count = shift_count.map_or("full".to_string(), |count| count.to_string());
        format!("-iter_count {iterations} -beam {beam} -shift_count {shift_count} -rnd_seed {seed}")
    }

    /// Permutes the bits of all signatures after an iteration. A new permutation starts from the original bits.
    fn move_bits(&self, iteration: u64, groups: &Groups, strings: &mut [(Vec<u8>, usize)]) {
        let Some(shift_count) = self.shift_count else {
            let order = self.fresh_order(iteration, groups.bits());
            for (string, number) in strings {
                let original = groups.0[*number].0.as_bytes();
                *string = order.iter().map(|bit| original[*bit]).collect();
            }
            return;
        };
        let swaps = self.transpositions(iteration, groups.bits(), shift_count);
        for (string, _) in strings {
            swaps.iter().for_each(|(one, other)| string.swap(*one, *other));
        }
    }

    /// Returns all positions, each from the last to the second swapped with one of those up to itself.
    fn fresh_order(&self, iteration: u64, bits: usize) -> Vec<usize> {
        let mut generator = stream(self.seed, "permutations", 0, iteration);
        let mut order: Vec<usize> = (0..bits).collect();
        for last in (1..bits).rev() {
            let with = generator.random_range(0..=last as u32) as usize;
            order.swap(last, with);
        }
        order
    }

    /// Returns the positions that are swapped after an iteration: one of all, then one of the others.
    fn transpositions(&self, iteration: u64, bits: usize, count: usize) -> Vec<(usize, usize)> {
        let mut generator = stream(self.seed, "transpositions", 0, iteration);
        let mut below = |limit: usize| generator.random_range(0..limit as u32) as usize;
        let mut drawn = Vec::new();
        for _ in 0..count {
            let first = below(bits);
            let second = below(bits - 1);
            drawn.push((first, if second < first { second } else { second + 1 }));
        }
        drawn
    }
}
