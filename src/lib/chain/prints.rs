//! `create_prints` and `match_prints`: documents to prints, and prints to pairs.

use std::borrow::Cow;

use clap::{Args, Parser};
use serde::Serialize;

use super::data_files::{BatchLines, DataFileWriter};
use super::documents::DocumentFlags;
use super::shards::pair_part;
use crate::corpus::{self, FilterArgs, InputDocument, InputFiles, Inputs, Streams, readable};
use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, share};
use crate::executable::{Counts, Executable, FlagPath, ShardFlags, counted};
use crate::files::manifest::{Parameters, ShardEntry, StageKind};
use crate::files::name;
use crate::files::names::Names;
use crate::files::output::Publisher;
use crate::files::pairs::{
    KeyedPair, OriginColumns, TableFile, TablePart, write_pair_part, write_pairs,
};
use crate::files::paths::{self, PrintPaths};
use crate::files::print;
use crate::files::stage::Stage;
use crate::pool::ObjectPool;
use crate::prints::matching::{self, MatchLimits, Matches};
use crate::prints::{Knowledge, METHODS, PrintOptions, PrintTable, Printer};
use crate::session::Session;
use crate::shard::Shard;

/// Makes fingerprints of every document by one of the classic methods
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_prints", version, rename_all = "snake_case", after_long_help = methods())]
pub struct CreatePrints {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: DocumentFlags,
    /// Fingerprint method: md5, sif, koala, shingles, supershingles, megashingles, long_sent, heavy_sent, tf, tf_idf, imatch, imatch_random,
    /// descr_words, a1, a2, sent_words, minhash, simhash or winnowing
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    pub method: String,
    /// The parameters of the method.
    #[command(flatten)]
    #[serde(flatten)]
    pub options: PrintOptions,
    /// The filters of words.
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: FilterArgs,
    /// Write the list of PRINT files to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub print_paths: FlagPath,
    /// Folder of the PRINT files, created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub print_dir: FlagPath,
    /// Compress the PRINT files with gzip
    #[arg(long, help_heading = "Output")]
    pub compress_prints: bool,
    /// Prints per PRINT file
    #[arg(long, value_name = "N", help_heading = "Output", default_value_t = 1000, value_parser = at_least_one)]
    pub prints_per_file: usize,
    /// The part of the documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

/// Describes all methods, for the end of a help text.
pub(crate) fn methods() -> String {
    let line =
        |entry: &crate::prints::MethodEntry| format!("\n  {:<14} {}", entry.name, entry.about);
    format!("Methods:{}", METHODS.iter().map(line).collect::<String>())
}

impl Executable for CreatePrints {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Fingerprints of the two longest sentences of each file",
            "create_prints docs/ --method long_sent --print_dir prints --print_paths print_paths",
        ),
        (
            "Min-wise hashes in bands for resemblances from 0.7 on",
            "create_prints docs.jsonl --method minhash --threshold 0.7 --print_dir prints --print_paths print_paths",
        ),
    ];

    const UNRECORDED: &'static [&'static str] =
        &["compress_prints", "prints_per_file", "max_record", "max_ratio"];

    /// Makes the prints. Methods that weigh words read all documents twice; shards of these read all documents once, and their part once more. Memory: the names, a few megabytes per thread, and what the method must
    /// know of the collection: about 20 bytes per distinct word.
    fn run(&self, session: &Session) -> Result<Counts> {
        let printer = Printer::new(&self.method, &self.options).map_err(Error::Usage)?;
        let mut inputs = self.inputs(&printer);
        inputs.check_decoded()?;
        self.filters.check_streams(inputs.paths())?;
        let filters = self.filters.load(printer.words())?;
        let mut printer = printer.with_filters(filters.filters);
        let list = self.shards.path("print_paths", &self.print_paths)?;
        let all = corpus::find(&inputs)?;
        let mut part = self.documents.part(self.shards, &mut inputs, &all, self.prints_per_file)?;
        let reads = inputs.paths().chain(all.paths()).chain(self.filters.paths());
        let publisher = Publisher::new(session, reads.map(Cow::from));
        let (folder, kind) = (&self.print_dir, StageKind::Print);
        let mut stage = Stage::begin(&publisher, &list, folder, kind, self.compress_prints)?;
        stage.set_shard(part.entry);
        drop(publisher);
        printer.notice().iter().for_each(|notice| session.info(notice));
        learn(&mut printer, &inputs, &all, self.documents.doc_count, session)?;
        let before = part.count_before(self.shards, &inputs, &all, session)?.unwrap_or(0);
        let (documents, without) =
            self.write_prints(&printer, &inputs, part.files, &stage, before, session)?;
        let provenance = self.provenance(kind).with_parameters(filters.parameters);
        let provenance = provenance.count("documents", documents);
        stage.commit(
            &PrintPaths::header(documents, &self.method, printer.agreement()),
            provenance,
        )?;
        if without > 0 {
            let what = counted(without, "documents");
            session.info(&format!("{what} without fingerprints, which match no other"));
        }
        Ok(Counts::new((documents, "documents"), (documents, "prints")))
    }

    fn shard_entry(&self, shard: Shard) -> Result<(ShardEntry, Parameters)> {
        let printer = Printer::new(&self.method, &self.options).map_err(Error::Usage)?;
        let filters = self.filters.load(printer.words())?;
        let entry = self.documents.entry(shard, self.inputs(&printer), self.prints_per_file)?;
        Ok((entry, filters.parameters))
    }
}

impl CreatePrints {
    fn inputs(&self, printer: &Printer) -> Inputs {
        Inputs { streams: streams(printer), ..self.documents.inputs() }
    }

    /// Writes the PRINT files. Returns the number of documents, and of those without fingerprints.
    fn write_prints(
        &self,
        printer: &Printer,
        inputs: &Inputs,
        files: InputFiles,
        stage: &Stage,
        before: u64,
        session: &Session,
    ) -> Result<(u64, u64)> {
        let (scratches, mut without) = (ObjectPool::default(), 0);
        let work = |documents: &[InputDocument<'_>]| {
            let scratch = || printer.scratch(session.cpu());
            scratches.with(scratch, |scratch| {
                let (mut names, mut lines, mut empty) =
                    (Names::default(), BatchLines::default(), Vec::new());
                let mut print = Vec::new();
                for (number, document) in documents.iter().enumerate() {
                    let name = document.encoded_name();
                    print.clear();
                    printer.append(&document.text, scratch, &mut print);
                    if print.is_empty() {
                        empty.push((number, name.clone()));
                    }
                    lines.text.extend_from_slice(name.as_bytes());
                    print::append_print(&mut lines.text, &print);
                    lines.ends.push(lines.text.len());
                    names.push(&name);
                }
                (names, (lines, empty))
            })
        };
        let per_file = self.prints_per_file;
        let mut writer = DataFileWriter::new(stage, per_file, self.compress_prints, false, before);
        let limit = self.documents.doc_count;
        let listing =
            corpus::scan(inputs, files, limit, session, work, |(lines, empty), count| {
                for (_, name) in empty.iter().filter(|(number, _)| *number < count) {
                    without += 1;
                    session.detail(&format!("{}: no fingerprints", readable(name)));
                }
                writer.add(&lines, count)
            })?;
        writer.finish()?;
        Ok((listing.documents as u64, without))
    }
}

/// Returns how often a method reads standard input.
pub(crate) fn streams(printer: &Printer) -> Streams {
    match printer.knowledge() {
        Knowledge::Nothing => Streams::once(),
        _ => Streams::spooled(),
    }
}

/// Reads all documents for what a method must know of the collection, if anything. Files are not found again: a list of documents may be a pipe, and
/// the folders of documents may contain temporary files of the outputs by now.
pub(crate) fn learn(
    printer: &mut Printer,
    inputs: &Inputs,
    files: &InputFiles,
    limit: Option<usize>,
    session: &Session,
) -> Result<()> {
    if printer.knowledge() == Knowledge::Nothing {
        return Ok(());
    }
    session.phase("counting words", None);
    let collectors = ObjectPool::default();
    let work = |documents: &[InputDocument<'_>]| {
        let create = || printer.collector();
        collectors.with(create, |collector| {
            documents.iter().for_each(|document| printer.collect(collector, &document.text));
        });
        (Names::default(), ())
    };
    // Unreadable documents are named when they are read again.
    corpus::scan(inputs, files.clone(), limit, &session.quiet(), work, |(), _| Ok(Vec::new()))?;
    let mut statistics = collectors.into_all().into_iter().map(|(collector, _)| collector.finish());
    let mut all = statistics.next().unwrap_or_default();
    statistics.for_each(|other| all.merge(other));
    printer.learn(all);
    Ok(())
}

/// Bounds of the work on large groups.
#[derive(Debug, Clone, Copy, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct GroupFlags {
    /// Compare all prints that share a fingerprint with each other up to this number; of more, each with the first only
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = 1000, value_parser = at_least_one)]
    pub max_group: usize,
}

impl Default for GroupFlags {
    fn default() -> Self {
        GroupFlags { max_group: MatchLimits::default().max_group }
    }
}

impl GroupFlags {
    /// Finds the pairs of prints that agree, and tells what was left out.
    pub(crate) fn matches(
        self,
        prints: &PrintTable,
        agreement: crate::prints::Agreement,
        first_new: usize,
        session: &Session,
    ) -> Matches {
        let limits = MatchLimits { max_group: self.max_group };
        self.report(matching::pairs(prints, agreement, first_new, limits, session), session)
    }

    /// Finds the pairs of a shard, or all, like [`GroupFlags::matches`].
    fn matches_of_shard(
        self,
        prints: &PrintTable,
        agreement: crate::prints::Agreement,
        shard: Option<Shard>,
        session: &Session,
    ) -> Matches {
        let limits = MatchLimits { max_group: self.max_group };
        let found = matching::pairs_of_shard(prints, agreement, limits, shard, session);
        self.report(found, session)
    }

    fn report(self, found: Matches, session: &Session) -> Matches {
        found.notice.iter().for_each(|notice| session.detail(notice));
        if found.large_groups > 0 {
            let what = counted(found.large_groups, "fingerprints");
            let [verb, each] = if found.large_groups == 1 { ["is", "it"] } else { ["are", "one"] };
            session.info(&format!(
                "{what} {verb} shared by more than {} different prints, which are not all compared with each other: pairs that share only {each} may be missing (see --max_group)",
                self.max_group
            ));
        }
        found
    }
}

/// Finds pairs of documents whose fingerprints agree
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "match_prints", version, rename_all = "snake_case")]
pub struct MatchPrints {
    /// List of PRINT files, from create_prints
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub print_paths: FlagPath,
    /// Write the pairs to FILE as .tsv, .csv or .jsonl
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// List every pair of documents with equal prints, also of more than 1,000, which are listed in short otherwise: each paired with the first
    #[arg(long, help_heading = "Output")]
    pub all_copies: bool,
    /// Minimum similarity, 0 to 1, in place of that of create_prints; for methods that have one
    #[arg(long, value_name = "T", help_heading = "Search", value_parser = share)]
    pub threshold: Option<f64>,
    /// The bounds of the work.
    #[command(flatten)]
    #[serde(flatten)]
    pub groups: GroupFlags,
    /// The part of the search.
    #[command(flatten)]
    #[serde(flatten)]
    pub shards: ShardFlags,
}

impl Executable for MatchPrints {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "List the pairs of documents with equal fingerprints",
            "match_prints --print_paths print_paths --out pairs.tsv",
        ),
        (
            "List the pairs with at least 70 % of their shingles in common",
            "match_prints --print_paths print_paths --threshold 0.7 --out pairs.jsonl.gz",
        ),
    ];

    /// Finds the pairs, or those of a shard ([`matching::pairs_of_shard`]). Memory: twice the prints, the names and the pairs of different prints.
    fn run(&self, session: &Session) -> Result<Counts> {
        let list = PrintPaths::read(&self.print_paths)?;
        let reads = paths::reads(&self.print_paths, &list.files);
        let publisher = Publisher::new(session, reads);
        let (shard, path) = (self.shards.shard, self.shards.path("out", &self.out)?);
        let file = match shard {
            Some(shard) => {
                MatchOutput::Part(Box::new(TablePart::create(&publisher, &path)?), shard)
            }
            None => MatchOutput::Whole(Box::new(TableFile::create(&publisher, &path)?)),
        };
        let agreement = match self.threshold {
            Some(threshold) => list
                .agreement
                .with_threshold(threshold)
                .map_err(|why| Error::Usage(format!("--threshold: {}: {why}", list.method)))?,
            None => list.agreement,
        };
        session.phase("reading prints", None);
        let prints = print::read(&self.print_paths, &list)?;
        let found = self.groups.matches_of_shard(&prints.table, agreement, shard, session);
        let listing =
            found.pairs.listing(if self.all_copies { usize::MAX } else { MAX_LISTED_COPIES });
        report_short(listing.count(), found.pairs.count(), session);
        let ids = ids(&prints.documents);
        let id = |document: u32| ids.get(document as usize);
        let steps = match file {
            MatchOutput::Whole(file) => {
                vec![vec![write_pairs(*file, listing.iter(), OriginColumns(0), id)?]]
            }
            MatchOutput::Part(file, shard) => {
                let provenance = self.provenance(StageKind::Pairs);
                let input = list.provenance.as_ref();
                let part = pair_part(shard, provenance, input, &prints.documents, None);
                let groups = found.pairs.groups();
                let rows = listing.iter().map(|pair| KeyedPair::new(pair, groups));
                write_pair_part(*file, rows, OriginColumns(0), id, part)?.0
            }
        };
        publisher.publish(steps)?;
        let read = (prints.documents.len() as u64, "prints");
        Ok(Counts::new(read, (listing.count(), "pairs")))
    }
}

/// The table of pairs, or a part of it.
enum MatchOutput {
    Whole(Box<TableFile>),
    Part(Box<TablePart>, Shard),
}

/// Returns the ids that names of files spell.
fn ids(names: &Names) -> Names {
    let mut ids = Names::default();
    for encoded in names.iter() {
        ids.push(&name::decode(encoded).map_or(encoded.into(), |raw| name::id_of_bytes(&raw)));
    }
    ids
}

/// Maximum number of documents with equal prints of which every pair is listed.
const MAX_LISTED_COPIES: usize = 1000;

/// Tells how many pairs are not listed, if any.
fn report_short(listed: u64, all: u64, session: &Session) {
    if listed < all {
        session.info(&format!(
            "groups of more than {MAX_LISTED_COPIES} documents with equal prints are listed in short: {listed} of {all} pairs; --all_copies lists all"
        ));
    }
}
