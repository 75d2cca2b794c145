//! Time per phase of a search, summed over documents and threads.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Time of one phase.
#[derive(Default)]
pub(super) struct PhaseTime(AtomicU64);

impl PhaseTime {
    /// Runs `work` and adds its time.
    pub fn measure<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }
}

impl fmt::Display for PhaseTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms", self.0.load(Ordering::Relaxed) as f64 / 1e6)
    }
}

/// Times of all phases.
#[derive(Default)]
pub(super) struct SearchTimes {
    /// Words, n-grams and their hashes.
    pub ngrams: PhaseTime,
    /// From hashes to sources: all that depends on the size of the index.
    pub lookup: PhaseTime,
    /// Texts of sources read again, and passages in them.
    pub passages: PhaseTime,
}

impl fmt::Display for SearchTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n-grams {}, lookup {}, passages {}", self.ngrams, self.lookup, self.passages)
    }
}
