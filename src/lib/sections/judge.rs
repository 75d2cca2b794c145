//! Verdict on a block: whether one part of the source holds more of its fingerprints than the threshold.

use super::layout::Layout;
use super::options::{Decision, SectionOptions, SourcePart};
use super::postings::Postings;

/// Judges blocks against a source.
///
/// Counts of all parts of the source grow together, one fingerprint of the block at a time, so only parts that share a fingerprint cost time.
pub(super) struct Judge {
    postings: Postings,
    decision: Decision,
    stops_early: bool,
    /// Common fingerprints by part; zero between blocks.
    counts: Vec<u32>,
    /// Parts with common fingerprints.
    touched: Vec<u32>,
    /// Fingerprints of the block in the order in which they are looked up, with their numbers of places.
    order: Vec<(usize, u64)>,
}

/// Verdict on a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockVerdict {
    pub is_copied: bool,
    /// The part of the source with the most common fingerprints, as far as they were compared; the first of equals.
    pub best: Option<u32>,
    /// Their number.
    pub common: usize,
    /// Parts of the source that were compared.
    pub compared: usize,
    /// Fingerprints that were looked up.
    pub lookups: usize,
}

impl Judge {
    /// Indexes a source.
    pub fn new(source: &Layout, options: &SectionOptions) -> Self {
        let mut entries = Vec::new();
        for (number, section) in (0..).zip(&source.sections) {
            for block in section.blocks.clone() {
                let part = match options.look_in {
                    SourcePart::Block => block as u32,
                    SourcePart::Section => number,
                    SourcePart::Document => 0,
                };
                entries.extend(source.prints(block).iter().map(|print| (*print, part)));
            }
        }
        Judge {
            postings: Postings::new(entries),
            decision: options.decision(),
            stops_early: !options.no_early_stop,
            counts: vec![0; source.block_count().max(1)],
            touched: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Judges a block by its distinct fingerprints.
    pub fn judge(&mut self, prints: &[u64]) -> BlockVerdict {
        self.set_order(prints);
        let (mut max, mut lookups, total) = (0, 0, prints.len());
        let enough = self.decision.min_exceeding(total);
        'prints: for (_, print) in &self.order {
            lookups += 1;
            for part in self.postings.get(*print) {
                let count = &mut self.counts[*part as usize];
                if *count == 0 {
                    self.touched.push(*part);
                }
                *count += 1;
                max = max.max(*count as usize);
                if self.stops_early && max >= enough {
                    break 'prints;
                }
            }
            if self.stops_early && max + (total - lookups) < enough {
                break;
            }
        }
        self.verdict(max, lookups, total)
    }

    /// Sets the order of fingerprints. With early stopping, rare ones come first: they tell texts apart soonest.
    fn set_order(&mut self, prints: &[u64]) {
        self.order.clear();
        if !self.stops_early {
            return self.order.extend(prints.iter().map(|print| (0, *print)));
        }
        let places = |print: &u64| (self.postings.get(*print).len(), *print);
        self.order.extend(prints.iter().map(places));
        self.order.sort_unstable();
    }

    fn verdict(&mut self, common: usize, lookups: usize, total: usize) -> BlockVerdict {
        let counts = &mut self.counts;
        let is_best = |part: &&u32| counts[**part as usize] as usize == common;
        let best = self.touched.iter().filter(is_best).min().copied();
        let compared = self.touched.len();
        self.touched.drain(..).for_each(|part| counts[part as usize] = 0);
        let is_copied = self.decision.is_exceeded(common, total);
        BlockVerdict { is_copied, best, common, compared, lookups }
    }
}
