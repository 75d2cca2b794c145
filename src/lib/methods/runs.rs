//! Runs of methods: from texts to pairs, or from the working folder.

use std::path::Path;
use std::time::Instant;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::names::COSINE;
use super::texts::CollectionTexts;
use crate::chain::prints::GroupFlags;
use crate::corpus::LoadedFilters;
use crate::error::{Error, Result};
use crate::executable::counted;
use crate::files::method_runs::{RunKey, RunRecord, read_record, read_run, write_run};
use crate::files::output::Publisher;
use crate::near_dups::NearDups;
use crate::prints::{METHODS, PrintOptions, Printer};
use crate::search::{GroupedPairs, Pair};
use crate::session::Session;
use crate::text::FilterOptions;

/// Bytes of a fingerprint.
const FINGERPRINT_BYTES: u64 = 8;

/// Pairs of a method, and what they cost.
pub(super) struct MethodRun {
    pub method: &'static str,
    pub pairs: Vec<Pair>,
    /// Time to create the prints and to match them.
    pub seconds: f64,
    /// Bytes of prints of all documents: eight per fingerprint.
    pub bytes: u64,
}

/// Runs methods on one collection.
pub(super) struct MethodRunner<'a> {
    pub collection: &'a CollectionTexts,
    /// Filters of the words of fingerprint methods.
    pub filters: &'a LoadedFilters,
    /// The options that the filters come from.
    pub filter_options: &'a FilterOptions,
    /// Minimum length of a word, in place of the methods' own.
    pub min_word_len: Option<usize>,
    /// Minimum cosine of the exact search.
    pub cosine: f64,
    /// Bounds of the work on large groups.
    pub groups: GroupFlags,
    /// Maximum number of documents with equal prints of which every pair is listed.
    pub max_copies: usize,
    pub seed: u64,
    /// Folder of complete runs.
    pub work: Option<&'a Path>,
    pub session: &'a Session,
}

impl MethodRunner<'_> {
    /// Returns the run of a method, from the working folder if it has the same documents and options.
    pub fn run(&self, method: &'static str) -> Result<MethodRun> {
        let Some(folder) = self.work else { return self.compute(method) };
        let key = self.key(method);
        if let Some(run) = self.stored(folder, method, &key)? {
            return Ok(run);
        }
        let run = self.compute(method)?;
        let MethodRun { pairs, seconds, bytes, .. } = &run;
        let record = RunRecord { key, pairs: pairs.len() as u64, seconds: *seconds, bytes: *bytes };
        let id = |document: u32| self.collection.ids.get(document as usize);
        write_run(&Publisher::of_no_input(self.session), folder, &record, pairs, id)?;
        Ok(run)
    }

    /// Reads a run from the working folder, unless it is one of other documents or options.
    fn stored(
        &self,
        folder: &Path,
        method: &'static str,
        key: &RunKey,
    ) -> Result<Option<MethodRun>> {
        let Some(record) = read_record(folder, method)? else { return Ok(None) };
        let name = folder.join(method);
        if record.key != *key {
            let what = "a run of other documents, options or another version; it is replaced";
            self.session.info(&format!("{}.json: {what}", name.display()));
            return Ok(None);
        }
        let numbers: FxHashMap<&str, usize> = self.collection.ids.index();
        let number = |id: &str| numbers.get(id).map(|number| *number as u32);
        let pairs = read_run(folder, &record, number)?;
        let found = counted(record.pairs, "pairs");
        self.session.info(&format!("{method}: {found} from {}.tsv.zst", name.display()));
        Ok(Some(MethodRun { method, pairs, seconds: record.seconds, bytes: record.bytes }))
    }

    /// Returns what a run depends on.
    fn key(&self, method: &'static str) -> RunKey {
        let parameters = match method {
            COSINE => {
                json!({ "threshold": self.cosine, "groups": self.groups, "max_copies": self.max_copies })
            }
            _ => json!({
                "options": self.options(method),
                "filters": self.filter_options,
                "filter_files": Value::Object(self.filters.parameters.clone()),
                "groups": self.groups,
                "max_copies": self.max_copies,
            }),
        };
        RunKey {
            version: env!("CARGO_PKG_VERSION").into(),
            method: method.into(),
            parameters,
            documents: self.collection.len() as u64,
            digest: self.collection.digest,
        }
    }

    fn compute(&self, method: &'static str) -> Result<MethodRun> {
        let start = Instant::now();
        let (found, bytes) = match method {
            COSINE => self.find_cosines()?,
            _ => self.match_prints(method)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let listing = found.listing(self.max_copies);
        let (listed, all) = (listing.count(), found.count());
        if listed < all {
            let of = format!("{} of {}", counted(listed, "pairs"), counted(all, "pairs"));
            let groups = counted(listing.short_groups() as u64, "groups of equal documents");
            self.session
                .info(&format!("{method}: {groups} listed in short: {of}; see --max_copies"));
        }
        let pairs: Vec<Pair> = listing.iter().collect();
        let found = counted(pairs.len() as u64, "pairs");
        self.session.info(&format!("{method}: {found}, {seconds:.1} s"));
        Ok(MethodRun { method, pairs, seconds, bytes })
    }
}

impl MethodRunner<'_> {
    /// Finds the pairs of `find_near_dups`. Bytes are those of the word vectors.
    fn find_cosines(&self) -> Result<(GroupedPairs, u64)> {
        let documents = self.collection.ids.iter().zip(&self.collection.texts);
        let found = NearDups::new().threshold(self.cosine).session(self.session.clone());
        let found = found.find(documents)?;
        Ok((found.grouped_pairs().clone(), found.compared_bytes()))
    }

    /// Prints all texts and finds the prints that agree.
    fn match_prints(&self, method: &'static str) -> Result<(GroupedPairs, u64)> {
        let printer = Printer::new(method, &self.options(method)).map_err(Error::Usage)?;
        let mut printer = printer.with_filters(self.filters.filters.clone());
        self.session.phase(&format!("creating prints of {method}"), None);
        let prints = printer.print_all(&self.collection.texts, self.session);
        let bytes = FINGERPRINT_BYTES * prints.fingerprints() as u64;
        let found = self.groups.matches(&prints, printer.agreement(), 0, self.session);
        Ok((found.pairs, bytes))
    }

    /// Returns the options of a method: the defaults, with the length of words and, where it has one, the seed.
    fn options(&self, method: &str) -> PrintOptions {
        let entry = METHODS.iter().find(|entry| entry.name == method);
        let has_seed = entry.is_some_and(|entry| entry.has_option("rnd_seed"));
        let (rnd_seed, min_word_len) = (has_seed.then_some(self.seed), self.min_word_len);
        PrintOptions { rnd_seed, min_word_len, ..PrintOptions::default() }
    }
}
