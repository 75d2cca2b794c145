//! `hamming` and `hamming_full`: similar signatures, by PLEB or exhaustively.

use std::ops::Range;

use clap::Parser;
use rayon::prelude::*;
use serde::Serialize;

use super::flags::SignatureSearch;
use super::shards::{pair_part, share};
use crate::corpus::{Sample, SampleList, readable};
use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, at_least_one_u64, share_or_percent};
use crate::executable::{Counts, Executable, duration, grouped};
use crate::files::manifest::{Provenance, StageKind};
use crate::files::output::Publisher;
use crate::files::pairs::{PairPart, ResultWriter, SimilarityText, append_group};
use crate::files::paths::{self, SigPaths};
use crate::files::sig::{self, Signatures};
use crate::pool::batch_size;
use crate::random::DEFAULT_SEED;
use crate::search::{AllPairsMethod, Match, MatchLists, SignaturePair, full, pleb, similarity};
use crate::session::Session;
use crate::shard::Shard;
use crate::signature::SignatureSet;

/// Finds every pair of documents with similar signatures
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "hamming_full", version, rename_all = "snake_case")]
pub struct HammingFull {
    /// The signatures to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub search: SignatureSearch,
    /// Search method; the result is the same. A sample is always compared with every signature
    #[arg(long, value_name = "METHOD", help_heading = "Search", default_value_t, value_enum)]
    pub method: AllPairsMethod,
}

impl Executable for HammingFull {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Find all pairs of signatures that agree in at least 95 % of their bits",
            "hamming_full --sig_paths sig_paths --threshold 95 --out pairs",
        ),
        (
            "Compare the documents of a sample with all others",
            "hamming_full --sig_paths sig_paths --threshold 80 --sample_list sample --out pairs",
        ),
    ];

    const UNRECORDED: &'static [&'static str] = &["method"];

    /// Compares all signatures, or those of a shard with later ones ([`full::pairs_of_rows`]). Of a sample, a shard compares consecutive documents. Memory:
    /// the signatures, the names and the pairs.
    fn run(&self, session: &Session) -> Result<Counts> {
        let provenance = self.provenance(StageKind::Pairs);
        let (collection, out) = Collection::read(&self.search, provenance, session)?;
        let (set, max) = (&collection.signatures.set, collection.max_distance);
        let Some(sample) = &collection.sample else {
            let rows = |shard| full::rows_of_shard(shard, set.len());
            let rows = collection.shard.map_or(0..set.len(), rows);
            let pairs = full::pairs_of_rows(set, rows, max, self.method, session);
            return collection.write_all(out, pairs);
        };
        let own = collection.share(sample.len());
        session.phase("comparing the sample", Some(own.len() as u64));
        collection.write_sample(out, sample, own, |queries| {
            session.advance(queries.len() as u64);
            queries.par_iter().map(|query| full::matches(set, *query, max, session)).collect()
        })
    }
}

/// Finds pairs of documents with similar signatures by PLEB: sort, compare neighbors, permute bits, repeat
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "hamming", version, rename_all = "snake_case")]
pub struct Hamming {
    /// The signatures to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub search: SignatureSearch,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = at_least_one_u64)]
    pub iter_count: u64,
    /// Compare each signature with the next N in sort order
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = at_least_one)]
    pub beam: usize,
    /// Random transpositions of bit positions after each iteration, up to about BITS * log2(BITS); 'full' draws a new permutation instead
    #[arg(long, value_name = "N", help_heading = "Search", default_value = "1")]
    pub shift_count: pleb::Shift,
    /// Stop when this share of all signature pairs is found: 0.99, or 99 or 99% for percent. Chao's estimator, per distance, estimates the share
    /// from repeated finds, which takes independent permutations: --shift_count full
    #[arg(long, value_name = "R", help_heading = "Search", value_parser = share_or_percent)]
    pub target_recall: Option<f64>,
    /// Seed of the transpositions
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = DEFAULT_SEED)]
    pub rnd_seed: u64,
}

impl Executable for Hamming {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Run 100 iterations with a beam of 10",
            "hamming --sig_paths sig_paths --threshold 95 --iter_count 100 --beam 10 --out pairs",
        ),
        (
            "Stop at an estimated recall of 99 %",
            "hamming --sig_paths sig_paths --threshold 95 --iter_count 1000 --beam 10 --shift_count full --target_recall 0.99 --out pairs",
        ),
    ];

    /// Searches by PLEB and reports the pairs found after every iteration, with a target also their estimated share. A shard does consecutive iterations,
    /// and of those before only the transpositions.
    fn run(&self, session: &Session) -> Result<Counts> {
        if self.target_recall.is_some() && self.search.shards.shard.is_some() {
            return Err(Error::Usage(
                "--target_recall excludes --shard: when to stop depends on the pairs of all iterations".into(),
            ));
        }
        if self.target_recall.is_some() && self.shift_count != pleb::Shift::Fresh {
            return Err(Error::Usage(
                "--target_recall needs --shift_count full: transpositions leave most bits in place, so the same pairs are found again and the recall is overestimated".into(),
            ));
        }
        let provenance = self.provenance(StageKind::Pairs);
        let (collection, out) = Collection::read(&self.search, provenance, session)?;
        let set = &collection.signatures.set;
        self.check_shift(set.bits())?;
        self.announce(set, session);
        let in_sample = collection.in_sample.as_ref();
        let is_query =
            |signature: u32| in_sample.is_none_or(|counts| counts[signature as usize] > 0);
        let wanted = |one: u32, other: u32| is_query(one) || is_query(other);
        let others = |signature| collection.others(signature);
        let own = collection.share(set.len());
        let mut known = pairs_in_groups(&collection.signatures, own, others);
        let report = |progress: pleb::PlebProgress<'_>| {
            known += document_pairs(&collection.signatures, progress.fresh, others);
            let estimate = self.target_recall.map(|_| estimate(progress.estimate));
            let (iteration, estimate) = (progress.iteration, estimate.unwrap_or_default());
            session.info(&format!("iteration {iteration}: {known} pairs found{estimate}"));
        };
        let max = collection.max_distance;
        let pairs = pleb::pairs(set, max, self.settings(), &wanted, session, report);
        let Some(sample) = &collection.sample else { return collection.write_all(out, pairs) };
        let rows = MatchLists::new(set.len(), &pairs);
        collection.write_sample(out, sample, 0..sample.len(), |queries| {
            queries.iter().map(|query| rows.get(*query).to_vec()).collect()
        })
    }
}

/// Seconds from which on the expected time is announced.
const LONG: f64 = 60.0;

impl Hamming {
    /// Refuses more transpositions than mix the positions of a signature.
    fn check_shift(&self, bits: usize) -> Result<()> {
        let max = pleb::Shift::max_transpositions(bits);
        match self.shift_count {
            pleb::Shift::Transpositions(count) if count > max => Err(Error::Usage(format!(
                "--shift_count: expected at most {max} for {bits} bits, found {count}; 'full' draws a new permutation, which more cannot outdo"
            ))),
            _ => Ok(()),
        }
    }

    /// Announces a search that takes long.
    fn announce(&self, set: &SignatureSet, session: &Session) {
        let threads = session.install(rayon::current_num_threads);
        let seconds = self.settings().expected_seconds(set.len(), set.bits(), threads);
        if seconds >= LONG {
            let own = self.iterations();
            let counts = [own.end - own.start, set.len() as u64].map(grouped);
            let most = if self.target_recall.is_some() { "at most " } else { "" };
            session.info(&format!(
                "{} iterations over {} signatures: {most}about {}",
                counts[0],
                counts[1],
                duration(seconds)
            ));
        }
    }

    /// Returns the iterations to do.
    fn iterations(&self) -> Range<u64> {
        self.search.shards.shard.map_or(0..self.iter_count, |shard| shard.range(self.iter_count))
    }

    fn settings(&self) -> pleb::PlebSettings {
        let own = self.iterations();
        pleb::PlebSettings {
            iterations: own.end,
            skipped: own.start,
            beam: self.beam,
            shift: self.shift_count,
            seed: self.rnd_seed,
            target_recall: self.target_recall,
        }
    }
}

/// Formats the estimated share of pairs found.
fn estimate(share: Option<f64>) -> String {
    match share {
        Some(share) => format!(", an estimated {:.2} % of all", 100.0 * share),
        None => ", too few to estimate their share".into(),
    }
}

/// Returns the number of document pairs with a query that pairs of signatures stand for. `others` counts a signature's documents that are no
/// queries.
pub fn document_pairs(
    signatures: &Signatures,
    pairs: &[SignaturePair],
    others: impl Fn(usize) -> u64,
) -> u64 {
    let of_pair = |pair: &SignaturePair| {
        let (low, high) = (pair.low as usize, pair.high as usize);
        signatures.size(low) * signatures.size(high) - others(low) * others(high)
    };
    pairs.iter().map(of_pair).sum()
}

/// Returns the number of document pairs with a query that share one of some signatures. `others` counts a signature's documents that are no queries.
pub fn pairs_in_groups(
    signatures: &Signatures,
    range: Range<usize>,
    others: impl Fn(usize) -> u64,
) -> u64 {
    let pairs = |size: u64| size * size.saturating_sub(1) / 2;
    let of_group = |signature| pairs(signatures.size(signature)) - pairs(others(signature));
    range.map(of_group).sum()
}

/// The signatures of a search and its queries: the documents of a sample, or all.
struct Collection {
    signatures: Signatures,
    /// The maximum distance of similar signatures.
    max_distance: u32,
    /// The similarity of each distance as text.
    similarity_text: SimilarityText,
    sample: Option<Vec<Sample>>,
    /// With a sample, the number of its documents per signature.
    in_sample: Option<Vec<u32>>,
    shard: Option<Shard>,
    /// The description of the pairs of a shard.
    part: Option<PairPart>,
}

impl Collection {
    /// Begins the output and reads the signatures. `provenance` describes the pairs.
    fn read(
        search: &SignatureSearch,
        provenance: Provenance,
        session: &Session,
    ) -> Result<(Self, ResultWriter)> {
        let sample = search.sample.list("sig_paths", &search.sig_paths)?;
        let list = SigPaths::read(&search.sig_paths)?;
        let reads = paths::reads(&search.sig_paths, &list.files);
        let publisher = Publisher::new(session, reads.into_iter().chain(search.sample.reads()));
        let (shard, path) = (search.shards.shard, search.shards.path("out", &search.out)?);
        let out = match shard {
            Some(_) => ResultWriter::create_part(&publisher, &path)?,
            None => ResultWriter::create(&publisher, &path)?,
        };
        session.phase("reading signatures", None);
        let signatures = sig::read(&search.sig_paths, &list)?;
        let bits = signatures.set.bits();
        let max_distance = search.threshold.max_distance(bits);
        let similarity_text =
            SimilarityText::new(max_distance, move |distance| similarity(bits, distance));
        let mut collection = Collection {
            signatures,
            max_distance,
            similarity_text,
            sample: None,
            in_sample: None,
            shard,
            part: None,
        };
        if let Some(sample) = &sample {
            collection.take_sample(sample, session)?;
        }
        let (names, sample) = (&collection.signatures.documents, collection.sample.as_deref());
        let input = list.provenance.as_ref();
        collection.part = shard.map(|shard| pair_part(shard, provenance, input, names, sample));
        Ok((collection, out))
    }

    fn take_sample(&mut self, list: &SampleList, session: &Session) -> Result<()> {
        let sample = list.find(&self.signatures.documents, true)?;
        let mut in_sample = vec![0; self.signatures.set.len()];
        for document in &sample {
            match document.number {
                Some(number) => in_sample[self.signatures.signature_of(number)] += 1,
                None => session.info(&format!(
                    "{}: '{}' has no signature (no terms, or not in the collection)",
                    list.path.display(),
                    readable(&document.name)
                )),
            }
        }
        (self.sample, self.in_sample) = (Some(sample), Some(in_sample));
        Ok(())
    }

    /// Returns the number of a signature's documents that are no queries.
    fn others(&self, signature: usize) -> u64 {
        let in_sample = self.in_sample.as_ref().map(|counts| u64::from(counts[signature]));
        in_sample.map_or(0, |queries| self.signatures.size(signature) - queries)
    }

    /// Returns the share of the shard, or all, of some equal items.
    fn share(&self, count: usize) -> Range<usize> {
        share(self.shard, count)
    }

    /// Writes one line per signature that has a match or more than one document; in a shard, the latter only for its share of the signatures.
    fn write_all(&self, mut out: ResultWriter, pairs: Vec<SignaturePair>) -> Result<Counts> {
        let own = self.share(self.signatures.set.len());
        let found = pairs_in_groups(&self.signatures, own.clone(), |_| 0)
            + document_pairs(&self.signatures, &pairs, |_| 0);
        let rows = MatchLists::new(self.signatures.set.len(), &pairs);
        drop(pairs);
        for signature in 0..self.signatures.set.len() {
            let matches = rows.get(signature);
            let is_group = self.signatures.size(signature) > 1 && own.contains(&signature);
            if is_group || !matches.is_empty() {
                let mut head = String::new();
                out.numbers().append(&mut head, signature);
                self.append_label(&mut head, signature);
                self.write_line(&mut out, &head, matches)?;
            }
        }
        out.finish_part(self.part.clone())?;
        Ok(self.counts(0, (found, "pairs")))
    }

    fn write_line(&self, out: &mut ResultWriter, head: &str, matches: &[Match<u32>]) -> Result<()> {
        let numbers = out.numbers();
        out.line(head, matches, |line, found| {
            numbers.append(line, found.other as usize);
            self.append_label(line, found.other as usize);
            self.similarity_text.append(line, found.similarity);
        })
    }

    /// Writes one line per document of the sample at some positions; a shard leaves out those without matches that are not in its share. `answer` returns
    /// the matches of a batch of signatures.
    fn write_sample(
        &self,
        mut out: ResultWriter,
        sample: &[Sample],
        positions: Range<usize>,
        answer: impl Fn(&[usize]) -> Vec<Vec<Match<u32>>>,
    ) -> Result<Counts> {
        let own = self.share(sample.len());
        let (mut found, mut next) = (0, positions.start);
        for batch in sample[positions].chunks(batch_size()) {
            let numbers = batch.iter().filter_map(|document| document.number);
            let queries: Vec<usize> = numbers.map(|n| self.signatures.signature_of(n)).collect();
            let mut answers = queries.iter().zip(answer(&queries));
            for (position, document) in (next..).zip(batch) {
                let mut head = String::new();
                out.numbers().append(&mut head, position);
                let is_own = own.contains(&position);
                let Some(number) = document.number else {
                    head.push_str(&document.name);
                    if is_own {
                        out.line(&head, &[], |_, _: &()| {})?;
                    }
                    continue;
                };
                let (signature, matches) = answers.next().expect("every query has an answer");
                if !is_own && matches.is_empty() {
                    continue;
                }
                self.append_label_from(&mut head, *signature, number);
                self.write_line(&mut out, &head, &matches)?;
                found += if is_own { self.signatures.size(*signature) - 1 } else { 0 };
                found += matches
                    .iter()
                    .map(|found| self.signatures.size(found.other as usize))
                    .sum::<u64>();
            }
            next += batch.len();
        }
        let unsigned = sample[own].iter().filter(|document| document.number.is_none()).count();
        out.finish_part(self.part.clone())?;
        Ok(self.counts(unsigned as u64, (found, "matches of the sample")))
    }

    fn counts(&self, unsigned: u64, written: (u64, &'static str)) -> Counts {
        let read = (self.signatures.documents.len() as u64, "signed documents");
        let skipped = (unsigned, "of the sample without a signature");
        Counts { skipped, ..Counts::new(read, written) }
    }

    /// Appends the names of a signature's documents, the first of the collection first.
    fn append_label(&self, line: &mut String, signature: usize) {
        self.append_label_from(line, signature, self.signatures.group(signature).start);
    }

    /// Appends the names of a signature's documents, `first` first.
    fn append_label_from(&self, line: &mut String, signature: usize, first: usize) {
        let names = &self.signatures.documents;
        let others = self.signatures.group(signature).filter(|document| *document != first);
        append_group(line, names.get(first), others.map(|document| names.get(document)));
    }
}
