//! `hamming` and `hamming_full`: similar signatures, by PLEB or by looking at all pairs.

use rayon::prelude::*;

use super::results::{ResultWriter, batch_size};
use super::{Counts, Search};
use crate::corpus::{Sample, SampleList, readable};
use crate::error::Result;
use crate::files::result::{Spellings, append_group};
use crate::files::sig::{self, Signatures};
use crate::search::{Close, Match, Rows, full, pleb, similarity};
use crate::session::Session;

/// `hamming_full`: every pair of signatures.
pub fn run_full(task: &Search, method: full::Method, session: &Session) -> Result<Counts> {
    let collection = Collection::read(task, session)?;
    let out = ResultWriter::create(&task.out)?;
    let (set, most, cpu) = (&collection.signatures.set, collection.most, session.cpu());
    let Some(sample) = &collection.sample else {
        return collection.write_all(out, full::pairs(set, most, method, cpu, session));
    };
    session.phase("comparing the sample", Some(sample.len() as u64));
    collection.write_sample(out, sample, |queries| {
        session.advance(queries.len() as u64);
        queries.par_iter().map(|query| full::matches(set, *query, most, cpu)).collect()
    })
}

/// `hamming`: pairs of signatures by PLEB. The pairs known are told after every iteration, and with a target the share they are estimated to be.
pub fn run_pleb(task: &Search, settings: pleb::Settings, session: &Session) -> Result<Counts> {
    let collection = Collection::read(task, session)?;
    let out = ResultWriter::create(&task.out)?;
    let set = &collection.signatures.set;
    let wanted = |one: u32, other: u32| {
        collection.asked(one as usize) > 0 || collection.asked(other as usize) > 0
    };
    let mut known = collection.pairs_in_groups();
    let report = |progress: pleb::Progress<'_>| {
        known += collection.document_pairs(progress.fresh);
        let estimate = settings.target_recall.map(|_| estimate(progress.estimate));
        let estimate = estimate.unwrap_or_default();
        session.info(&format!("iteration {}: {known} pairs known{estimate}", progress.iteration));
    };
    let most = collection.most;
    let pairs = pleb::pairs(set, most, settings, &wanted, session.cpu(), session, report);
    let Some(sample) = &collection.sample else { return collection.write_all(out, pairs) };
    let rows = Rows::new(set.len(), &pairs);
    collection.write_sample(out, sample, |queries| {
        queries.iter().map(|query| rows.get(*query).to_vec()).collect()
    })
}

/// What is told of an estimate.
fn estimate(share: Option<f64>) -> String {
    match share {
        Some(share) => format!(", an estimated {:.2} % of all", 100.0 * share),
        None => ", too few to estimate their share".into(),
    }
}

/// Signatures, and which documents are asked for.
struct Collection {
    signatures: Signatures,
    /// The greatest distance of similar signatures.
    most: u32,
    /// How distances are written.
    spellings: Spellings,
    sample: Option<Vec<Sample>>,
    /// With a sample, for each signature how many of its documents are in it.
    in_sample: Option<Vec<u32>>,
}

impl Collection {
    fn read(task: &Search, session: &Session) -> Result<Self> {
        session.phase("reading signatures", None);
        let signatures = sig::read(&task.paths)?;
        let bits = signatures.set.bits();
        let most = task.threshold.max_distance(bits);
        let spellings = Spellings::new(most, move |distance| similarity(bits, distance));
        let mut collection =
            Collection { signatures, most, spellings, sample: None, in_sample: None };
        if let Some(list) = &task.sample {
            collection.take_sample(list, session)?;
        }
        Ok(collection)
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

    /// How many of a signature's documents are asked for: those of the sample, or all.
    fn asked(&self, signature: usize) -> u64 {
        match &self.in_sample {
            Some(counts) => u64::from(counts[signature]),
            None => self.size(signature),
        }
    }

    fn size(&self, signature: usize) -> u64 {
        self.signatures.group(signature).len() as u64
    }

    /// The pairs of documents, at least one of them asked for, that pairs of signatures stand for.
    fn document_pairs(&self, pairs: &[Close]) -> u64 {
        let unasked = |signature| self.size(signature) - self.asked(signature);
        let of_pair = |pair: &Close| {
            let (low, high) = (pair.low as usize, pair.high as usize);
            self.size(low) * self.size(high) - unasked(low) * unasked(high)
        };
        pairs.iter().map(of_pair).sum()
    }

    /// The pairs of documents, at least one of them asked for, that share a signature.
    fn pairs_in_groups(&self) -> u64 {
        let pairs = |size: u64| size * size.saturating_sub(1) / 2;
        let of_group = |signature| {
            pairs(self.size(signature)) - pairs(self.size(signature) - self.asked(signature))
        };
        (0..self.signatures.set.len()).map(of_group).sum()
    }

    /// Writes a line for every signature with a match, or with more than one document.
    fn write_all(&self, mut out: ResultWriter, pairs: Vec<Close>) -> Result<Counts> {
        let found = self.pairs_in_groups() + self.document_pairs(&pairs);
        let rows = Rows::new(self.signatures.set.len(), &pairs);
        drop(pairs);
        for signature in 0..self.signatures.set.len() {
            let matches = rows.get(signature);
            if self.size(signature) > 1 || !matches.is_empty() {
                let mut head = String::new();
                self.append_label(&mut head, signature);
                self.write_line(&mut out, &head, matches)?;
            }
        }
        out.finish(self.counts(0, (found, "pairs")))
    }

    fn write_line(&self, out: &mut ResultWriter, head: &str, matches: &[Match<u32>]) -> Result<()> {
        let label = |line: &mut String, other| self.append_label(line, other);
        out.line_of(head, matches, label, |line, distance| self.spellings.append(line, distance))
    }

    /// Writes a line for every document of the sample; `answer` gives the matches of some signatures.
    fn write_sample(
        &self,
        mut out: ResultWriter,
        sample: &[Sample],
        answer: impl Fn(&[usize]) -> Vec<Vec<Match<u32>>>,
    ) -> Result<Counts> {
        let mut found = 0;
        for batch in sample.chunks(batch_size()) {
            let numbers = batch.iter().filter_map(|document| document.number);
            let queries: Vec<usize> = numbers.map(|n| self.signatures.signature_of(n)).collect();
            let mut answers = queries.iter().zip(answer(&queries));
            for document in batch {
                let Some(number) = document.number else {
                    out.line(&document.name, &[], |_, _| {})?;
                    continue;
                };
                let (signature, matches) = answers.next().expect("every query has an answer");
                let mut head = String::new();
                self.append_label_from(&mut head, *signature, number);
                self.write_line(&mut out, &head, &matches)?;
                found += self.size(*signature) - 1;
                found += matches.iter().map(|found| self.size(found.other as usize)).sum::<u64>();
            }
        }
        let unsigned = sample.iter().filter(|document| document.number.is_none()).count();
        out.finish(self.counts(unsigned as u64, (found, "matches of the sample")))
    }

    fn counts(&self, unsigned: u64, written: (u64, &'static str)) -> Counts {
        let read = (self.signatures.documents.len() as u64, "signed documents");
        Counts {
            read,
            skipped: (unsigned, "of the sample without a signature"),
            written,
            unreadable: 0,
        }
    }

    /// A signature's documents, the first in the collection standing for all.
    fn append_label(&self, line: &mut String, signature: usize) {
        self.append_label_from(line, signature, self.signatures.group(signature).start);
    }

    /// A signature's documents, `first` standing for all.
    fn append_label_from(&self, line: &mut String, signature: usize, first: usize) {
        let names = &self.signatures.documents;
        let others = self.signatures.group(signature).filter(|document| *document != first);
        append_group(line, names.get(first), others.map(|document| names.get(document)));
    }
}
