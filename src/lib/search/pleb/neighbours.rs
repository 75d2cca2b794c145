//! Comparison of signatures with their neighbors in sort order.

use rayon::prelude::*;

use super::super::SignaturePair;
use super::super::pairs::sorted;
use crate::bits::cpu::Cpu;
use crate::bits::vector::{BitVector, Kernel};
use crate::bits::{distance, distance_within};
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Signatures per task: their leading words stay in L2.
const SIGNATURES_PER_TASK: usize = 4096;

/// Returns the pairs at most `max` apart among each signature and the next `beam` in sort order, sorted.
pub(super) fn neighbours(
    set: &SignatureSet,
    order: &[u64],
    max: u32,
    beam: usize,
    wanted: &(dyn Fn(u32, u32) -> bool + Sync),
    cpu: Cpu,
) -> Vec<SignaturePair> {
    let lead = leading_words(set.bits(), max);
    let tasks = order.len().div_ceil(SIGNATURES_PER_TASK);
    let found = (0..tasks).into_par_iter().map(|task| {
        let first = task * SIGNATURES_PER_TASK;
        let end = (first + SIGNATURES_PER_TASK).min(order.len());
        let reach = end.saturating_add(beam).min(order.len());
        let (order, count) = (&order[first..reach], end - first);
        cpu.run(Window { set, order, count, max, beam, lead, wanted })
    });
    sorted(found.collect())
}

/// Returns the number of leading words that rule out almost every unrelated pair: of b bits, b/2 ± √b/2 differ.
fn leading_words(bits: usize, max: u32) -> usize {
    /// Standard deviations; one pair in a thousand remains.
    const DEVIATIONS: f64 = 3.0;
    let is_enough = |words: &usize| {
        let bits = (words * BITS_PER_WORD) as f64;
        bits / 2.0 - DEVIATIONS * bits.sqrt() / 2.0 > f64::from(max)
    };
    let fits = |words: &usize| words * BITS_PER_WORD <= bits;
    [2, 3, 4, 6, 8, 12, 16].into_iter().filter(fits).find(is_enough).unwrap_or(0)
}

/// Part of the sort order; the first `count` signatures are compared with their neighbors.
struct Window<'a> {
    set: &'a SignatureSet,
    order: &'a [u64],
    count: usize,
    max: u32,
    beam: usize,
    lead: usize,
    wanted: &'a (dyn Fn(u32, u32) -> bool + Sync),
}

impl Kernel for Window<'_> {
    type Output = Vec<SignaturePair>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<SignaturePair> {
        match self.lead {
            2 => self.by_leading_words::<2>(),
            3 => self.by_leading_words::<3>(),
            4 => self.by_leading_words::<4>(),
            6 => self.by_leading_words::<6>(),
            8 => self.by_leading_words::<8>(),
            12 => self.by_leading_words::<12>(),
            16 => self.by_leading_words::<16>(),
            _ => self.by_leading_words::<0>(),
        }
    }
}

impl Window<'_> {
    /// Copies the leading words in sort order and compares them first; without any, every pair is compared in full.
    #[inline(always)]
    fn by_leading_words<const LEAD: usize>(self) -> Vec<SignaturePair> {
        let mut leading = vec![[0u64; LEAD]; self.order.len()];
        for (words, entry) in leading.iter_mut().zip(self.order) {
            words.copy_from_slice(&self.set.get(*entry as u32 as usize)[..LEAD]);
        }
        let mut found = Vec::new();
        for at in 0..self.count {
            let one = leading[at];
            let end = (at + 1).saturating_add(self.beam).min(leading.len());
            for (other, words) in leading[at + 1..end].iter().enumerate() {
                if distance(&one, words) <= self.max {
                    self.compare(at, at + 1 + other, &mut found);
                }
            }
        }
        found
    }

    #[inline(always)]
    fn compare(&self, one: usize, other: usize, found: &mut Vec<SignaturePair>) {
        let (one, other) = (self.order[one] as u32, self.order[other] as u32);
        let (left, right) = (self.set.get(one as usize), self.set.get(other as usize));
        if let Some(distance) = distance_within(left, right, self.max)
            && (self.wanted)(one, other)
        {
            found.push(SignaturePair::new(one, other, distance));
        }
    }
}
