//! Measures of how well one set of similarities approximates another. Sees percentages only: the reference (`sim`, a cosine) and its
//! approximation (`ham`, a Hamming similarity).
//!
//! The thesis observed that Hamming similarities hardly fall below 45 % and called this irremovable. It follows from
//! h = 1 − arccos(c)/π; [`calibrated`] is the inverse and estimates the cosine from a Hamming similarity.
//!
//! [`detection`] measures found passages by known ones.
//!
//! [`randomness`] tests the random numbers of hyperplanes. [`string_similarity`] compares two texts by their characters, and [`resampling`] computes
//! intervals of measures of pairs.

mod bins;
pub mod detection;
mod measures;
pub mod randomness;
pub mod resampling;
pub mod string_similarity;
pub mod tails;

use std::f64::consts::PI;

use bins::Bins;
pub use measures::{MeasureValue, Measures, f_measure};

/// Returns the cosine that a Hamming similarity estimates, both in percent: 100·cos(π(1 − h)).
pub fn calibrated(hamming: f64) -> f64 {
    100.0 * libm::cos(PI * (1.0 - hamming / 100.0))
}

/// Returns the expected Hamming similarity at a cosine, both in percent: 100·(1 − arccos(c)/π).
pub fn expected_hamming(cosine: f64) -> f64 {
    100.0 * (1.0 - libm::acos((cosine / 100.0).clamp(-1.0, 1.0)) / PI)
}

/// Returns the expected absolute difference, in percent, of a cosine and its calibrated estimate from signatures of `bits` bits. The Hamming
/// similarity is binomial, approximately normal with deviation √(p(1 − p)/K); calibration scales it by π·sin θ.
pub fn expected_difference(cosine: f64, bits: u64) -> f64 {
    let p = expected_hamming(cosine) / 100.0;
    let deviation = (p * (1.0 - p) / bits as f64).sqrt();
    100.0 * (2.0 / PI).sqrt() * PI * libm::sin(PI * (1.0 - p)) * deviation
}

/// Similarities of one pair in the reference and in the approximation, where they have it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScorePair {
    /// The reference, in percent.
    pub sim: Option<f64>,
    /// The approximation, in percent.
    pub ham: Option<f64>,
}

/// Parameters of the measures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EvaluationSettings {
    /// Minimum similarity of a relevant pair in the reference.
    pub threshold_sim: Option<f64>,
    /// Minimum similarity of a retrieved pair in the approximation.
    pub threshold_ham: Option<f64>,
    /// Signature length in bits, for the values that theory predicts.
    pub bits: Option<u64>,
}

/// Accumulator of the measures, document by document, in constant memory.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    settings: EvaluationSettings,
    documents: u64,
    sim_only: u64,
    ham_only: u64,
    raw: Approximation,
    calibrated: Approximation,
    /// Sum of the expected calibrated differences.
    sampling: f64,
}

impl Evaluation {
    /// Creates an evaluation without documents.
    pub fn new(settings: EvaluationSettings) -> Self {
        Evaluation { settings, ..Evaluation::default() }
    }

    /// Adds a document with its similarities to others.
    pub fn add_document(&mut self, others: &[ScorePair]) {
        self.documents += 1;
        for ScorePair { sim, ham } in others {
            match (sim, ham) {
                (Some(sim), Some(ham)) => {
                    self.raw.add_pair(*sim, *ham, self.settings.bits);
                    self.calibrated.add_pair(*sim, calibrated(*ham), None);
                    if let Some(bits) = self.settings.bits {
                        self.sampling += expected_difference(*sim, bits);
                    }
                }
                (Some(_), None) => self.sim_only += 1,
                (None, Some(_)) => self.ham_only += 1,
                (None, None) => {}
            }
        }
        let Some(threshold_sim) = self.settings.threshold_sim else { return };
        if let Some(threshold_ham) = self.settings.threshold_ham {
            self.raw.retrieval.add_document(others, threshold_sim, threshold_ham);
        }
        let is_found = |ham: f64| calibrated(ham) >= threshold_sim;
        self.calibrated.retrieval.add(others, threshold_sim, is_found);
    }

    /// Returns this evaluation with the precision and recall of another `threshold_ham`, for which the same documents were added to
    /// `retrieval`. The differences, which take longer, are shared.
    pub fn with_retrieval(&self, threshold_ham: f64, retrieval: &Retrieval) -> Evaluation {
        let mut evaluation = self.clone();
        evaluation.settings.threshold_ham = Some(threshold_ham);
        evaluation.raw.retrieval = retrieval.clone();
        evaluation
    }
}

/// Differences and retrieval of one approximation.
#[derive(Debug, Clone, Default)]
struct Approximation {
    pairs: u64,
    absolute: f64,
    squared: f64,
    largest: f64,
    bins: Bins,
    retrieval: Retrieval,
}

impl Approximation {
    fn add_pair(&mut self, reference: f64, estimate: f64, bits: Option<u64>) {
        let difference = (reference - estimate).abs();
        self.pairs += 1;
        self.absolute += difference;
        self.squared += difference * difference;
        self.largest = self.largest.max(difference);
        self.bins.add(reference, estimate, bits);
    }
}

/// Precision and recall, averaged over documents and pooled over pairs.
#[derive(Debug, Clone, Default)]
pub struct Retrieval {
    precision: Mean,
    recall: Mean,
    true_found: u64,
    found: u64,
    relevant: u64,
}

impl Retrieval {
    /// Adds a document with its similarities to others; those at or above the thresholds count.
    pub fn add_document(&mut self, others: &[ScorePair], threshold_sim: f64, threshold_ham: f64) {
        self.add(others, threshold_sim, |ham| ham >= threshold_ham);
    }

    fn add(&mut self, others: &[ScorePair], threshold_sim: f64, is_found: impl Fn(f64) -> bool) {
        let (mut both, mut found, mut relevant) = (0, 0, 0);
        for other in others {
            let is_relevant = other.sim.is_some_and(|sim| sim >= threshold_sim);
            let is_found = other.ham.is_some_and(&is_found);
            relevant += u64::from(is_relevant);
            found += u64::from(is_found);
            both += u64::from(is_relevant && is_found);
        }
        self.precision.add_ratio(both, found);
        self.recall.add_ratio(both, relevant);
        self.true_found += both;
        self.found += found;
        self.relevant += relevant;
    }
}

/// Mean of ratios; those with denominator 0 are ignored.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    count: u64,
    sum: f64,
}

impl Mean {
    fn add_ratio(&mut self, part: u64, whole: u64) {
        if whole > 0 {
            self.count += 1;
            self.sum += part as f64 / whole as f64;
        }
    }
}
