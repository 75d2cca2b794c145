//! S: the variance of estimates within bins of the reference.

use super::expected_hamming;

/// Number of bins: bin `i` holds references in (i, i + 1] percent.
const BINS: usize = 100;

/// Variance of estimates per bin.
#[derive(Debug, Clone)]
pub(super) struct Bins(Vec<Bin>);

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    estimates: Moments,
    /// Expected Hamming similarities.
    expected: Moments,
    /// Sum of the binomial variances of the estimates.
    sampling: f64,
}

impl Default for Bins {
    fn default() -> Self {
        Bins(vec![Bin::default(); BINS])
    }
}

impl Bins {
    /// Adds a pair. As in the thesis, references of at most 0 are in no bin.
    pub(super) fn add(&mut self, reference: f64, estimate: f64, bits: Option<u64>) {
        if reference <= 0.0 || reference > BINS as f64 {
            return;
        }
        let bin = &mut self.0[reference.ceil() as usize - 1];
        bin.estimates.add(estimate);
        if let Some(bits) = bits {
            let expected = expected_hamming(reference);
            bin.expected.add(expected);
            bin.sampling += expected * (100.0 - expected) / bits as f64;
        }
    }

    /// Returns the number of bins with at least two pairs.
    pub(super) fn count(&self) -> u64 {
        self.filled().count() as u64
    }

    /// Returns S, the mean variance of the bins.
    pub(super) fn scatter(&self) -> Option<f64> {
        self.mean(|bin| bin.estimates.variance())
    }

    /// Returns the expected S from sampling alone: the mean over bins of 10⁴·p(1 − p)/K.
    pub(super) fn sampling(&self) -> Option<f64> {
        self.mean(|bin| bin.sampling / bin.estimates.count as f64)
    }

    /// Returns the expected S from sampling and from the spread of references within a bin.
    pub(super) fn sampling_and_width(&self) -> Option<f64> {
        self.mean(|bin| bin.sampling / bin.estimates.count as f64 + bin.expected.variance())
    }

    fn filled(&self) -> impl Iterator<Item = &Bin> {
        self.0.iter().filter(|bin| bin.estimates.count >= 2)
    }

    fn mean(&self, value: impl Fn(&Bin) -> f64) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.filled().map(value).sum::<f64>() / count as f64)
    }
}

/// Mean and variance of a stream of numbers (Welford, 1962).
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Returns the unbiased variance of at least two numbers.
    fn variance(&self) -> f64 {
        self.squares / (self.count - 1) as f64
    }
}
