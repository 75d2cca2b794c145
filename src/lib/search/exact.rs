//! Exact similarities of sparse vectors, by adding up the products of the terms they share.
//!
//! For each vector the postings of its terms are walked, so that vectors without a common term cost nothing. A pair's products are added in
//! the order of the terms, whichever vector asks, so both directions give the same number.

use rayon::prelude::*;
use sprs::CsMatI;

use super::{Match, Pair};
use crate::vector;
use crate::watch::Watch;

/// How two vectors are compared. All but the cosine look only at which terms a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The cosine of the angle between the vectors.
    #[default]
    Cosine,
    /// Common terms over all terms of the two.
    Jaccard,
    /// Twice the common terms over the sum of the two numbers of terms.
    Dice,
    /// Common terms over the smaller number of terms.
    Overlap,
}

impl Method {
    /// What a component counts in the sum over common terms.
    fn weight(self, value: f32) -> f64 {
        if self == Method::Cosine { f64::from(value) } else { 1.0 }
    }

    /// The similarity in per cent, rounded to [`STEPS_PER_PERCENT`] so that the last bits of a sum decide nothing: what is
    /// printed, what is compared with a threshold and what is read back are one number.
    fn similarity(self, common: f64, size: f64, other_size: f64) -> f64 {
        let share = match self {
            Method::Cosine => common / (size * other_size),
            Method::Jaccard => common / (size + other_size - common),
            Method::Dice => 2.0 * common / (size + other_size),
            Method::Overlap => common / size.min(other_size),
        };
        // Adding 0 turns the negative zero into the ordinary one.
        (share * 100.0 * STEPS_PER_PERCENT).round() / STEPS_PER_PERCENT + 0.0
    }
}

/// Similarities are multiples of a millionth of a per cent.
const STEPS_PER_PERCENT: f64 = 1e6;

/// Vectors ready to be compared.
pub struct Comparison {
    method: Method,
    threshold: f64,
    vectors: CsMatI<f32, u32, usize>,
    /// The same by terms: for each the vectors that have it, by ascending number.
    postings: CsMatI<f32, u32, usize>,
    /// The length of each vector for the cosine, its number of terms otherwise; 0 for a vector without components.
    sizes: Vec<f64>,
}

impl Comparison {
    /// Prepares the rows of `vectors`. A vector without components has no direction and is similar to nothing.
    pub fn new(vectors: CsMatI<f32, u32, usize>, method: Method, threshold: f64) -> Self {
        let postings = vectors.to_csc();
        let size = |values: &[f32]| match method {
            Method::Cosine => vector::norm(values),
            _ => values.len() as f64,
        };
        let sizes = vectors.outer_iterator().map(|row| size(row.data())).collect();
        Comparison { method, threshold, vectors, postings, sizes }
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.vectors.rows()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs at or above the threshold, sorted.
    pub fn pairs(&self, watch: &dyn Watch) -> Vec<Pair> {
        watch.begin("comparing vectors", Some(self.len() as u64));
        let rows: Vec<Vec<Pair>> = (0..self.len())
            .into_par_iter()
            .map_init(
                || Sums::new(self.len()),
                |sums, low| {
                    watch.advance(1);
                    let pair = |m: Match| Pair {
                        low: low as u32,
                        high: m.other,
                        similarity: m.similarity,
                    };
                    self.row(sums, low, low + 1).into_iter().map(pair).collect()
                },
            )
            .collect();
        super::pairs::joined(rows)
    }

    /// What vectors `queries` are similar to, themselves left out, by ascending number; one list a query.
    pub fn matches(&self, queries: &[usize]) -> Vec<Vec<Match>> {
        let row = |sums: &mut Sums, query: &usize| self.row(sums, *query, 0);
        queries.par_iter().map_init(|| Sums::new(self.len()), row).collect()
    }

    /// What one vector is similar to among those numbered `first` and up.
    fn row(&self, sums: &mut Sums, query: usize, first: usize) -> Vec<Match> {
        if self.sizes[query] == 0.0 {
            return Vec::new();
        }
        self.add_up(sums, query, first);
        let similarity = |other: usize, common| {
            self.method.similarity(common, self.sizes[query], self.sizes[other])
        };
        let matching = |(other, common): (usize, f64)| {
            let similarity = similarity(other, common);
            (other != query && similarity >= self.threshold)
                .then_some(Match { other: other as u32, similarity })
        };
        if self.threshold > 0.0 {
            return sums.drain_met().filter_map(matching).collect();
        }
        // At 0 and below, vectors that share no term match too.
        let all = (first..self.len()).filter(|other| self.sizes[*other] > 0.0);
        let found = all.map(|other| (other, sums.values[other])).filter_map(matching).collect();
        sums.drain_met().for_each(drop);
        found
    }

    fn add_up(&self, sums: &mut Sums, query: usize, first: usize) {
        let vector = self.vectors.outer_view(query).expect("a query is one of the vectors");
        for (term, value) in vector.iter() {
            let weight = self.method.weight(*value);
            let postings = self.postings.outer_view(term).expect("a component's index is a term");
            let from = postings.indices().partition_point(|other| (*other as usize) < first);
            for (other, value) in postings.indices()[from..].iter().zip(&postings.data()[from..]) {
                sums.add(*other, weight * self.method.weight(*value));
            }
        }
    }
}

/// Sums for all vectors, of which few are met by a query.
struct Sums {
    values: Vec<f64>,
    is_met: Vec<bool>,
    met: Vec<u32>,
}

impl Sums {
    fn new(vectors: usize) -> Self {
        Sums { values: vec![0.0; vectors], is_met: vec![false; vectors], met: Vec::new() }
    }

    fn add(&mut self, other: u32, product: f64) {
        let at = other as usize;
        if !self.is_met[at] {
            self.is_met[at] = true;
            self.met.push(other);
        }
        self.values[at] += product;
    }

    /// The vectors that were met, by ascending number, with their sums; all sums are 0 afterwards.
    fn drain_met(&mut self) -> impl Iterator<Item = (usize, f64)> {
        self.met.sort_unstable();
        let (values, is_met) = (&mut self.values, &mut self.is_met);
        self.met.drain(..).map(|other| {
            let at = other as usize;
            is_met[at] = false;
            (at, std::mem::take(&mut values[at]))
        })
    }
}
