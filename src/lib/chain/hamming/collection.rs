//! The signatures and the sample of a search, and its result lines.

use std::ops::Range;

use super::{document_pairs, pairs_in_groups};
use crate::chain::flags::SignatureSearch;
use crate::chain::shards::{pair_part, result_writer, share};
use crate::corpus::{Sample, SampleList, readable};
use crate::error::Result;
use crate::executable::Counts;
use crate::files::manifest::Provenance;
use crate::files::output::Publisher;
use crate::files::pairs::{PairPart, ResultWriter, SimilarityText, append_group};
use crate::files::paths::{self, SigPaths};
use crate::files::sig::{self, Signatures};
use crate::pool::batch_size;
use crate::search::{Match, MatchLists, SignaturePair, similarity};
use crate::session::Session;
use crate::shard::Shard;

/// The signatures of a search and its queries: the documents of a sample, or all.
pub(super) struct Collection {
    pub signatures: Signatures,
    /// The maximum distance of similar signatures.
    pub max_distance: u32,
    /// The similarity of each distance as text.
    similarity_text: SimilarityText,
    pub sample: Option<Vec<Sample>>,
    /// With a sample, the number of its documents per signature.
    pub in_sample: Option<Vec<u32>>,
    pub shard: Option<Shard>,
    /// The description of the pairs of a shard.
    part: Option<PairPart>,
}

impl Collection {
    /// Begins the output and reads the signatures. `provenance` describes the pairs.
    pub fn read(
        search: &SignatureSearch,
        provenance: Provenance,
        session: &Session,
    ) -> Result<(Self, ResultWriter)> {
        let sample = search.sample.list("sig_paths", &search.sig_paths)?;
        let list = SigPaths::read(&search.sig_paths)?;
        let reads = paths::reads(&search.sig_paths, &list.files);
        let publisher = Publisher::new(session, reads.into_iter().chain(search.sample.reads()));
        let shard = search.shards.shard;
        let out = result_writer(&publisher, search.shards, &search.out)?;
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
    pub fn others(&self, signature: usize) -> u64 {
        let in_sample = self.in_sample.as_ref().map(|counts| u64::from(counts[signature]));
        in_sample.map_or(0, |queries| self.signatures.size(signature) - queries)
    }

    /// Returns the share of the shard, or all, of some equal items.
    pub fn share(&self, count: usize) -> Range<usize> {
        share(self.shard, count)
    }

    /// Writes one line per signature that has a match or more than one document; in a shard, the latter only for its share of the signatures.
    pub fn write_all(&self, mut out: ResultWriter, pairs: Vec<SignaturePair>) -> Result<Counts> {
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
    pub fn write_sample(
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
