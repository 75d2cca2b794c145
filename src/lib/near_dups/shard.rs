//! A part of the search, for a process of its own: tiles of parts of the collection.
//!
//! The collection is cut into k consecutive parts ([`InputFiles::part`]), k about √(2N) for N shards. A shard compares its tiles one after the other.
//! Memory is that of a search in two parts; all shards together read the collection k times. `merge_pairs` joins the pairs of all shards to those of the
//! whole search: a pair's cosine depends on its two documents only, and every two documents meet in one tile.

use std::borrow::Cow;
use std::path::PathBuf;

use super::collection::Collection;
use super::duplicates::Likeness;
use super::outputs::WrittenOutput;
use super::summary::grouped;
use super::tiles::Tile;
use super::{Duplicates, FindNearDups};
use crate::corpus::{self, InputFiles, Inputs};
use crate::error::{Error, Result};
use crate::executable::{Counts, Executable, FlagPath, counted};
use crate::files::is_stream;
use crate::files::manifest::{self, ShardEntry, StageKind};
use crate::files::output::{Publisher, temporary_names};
use crate::files::pairs::{KeyedPair, OriginColumns, PairPart, PartWriter, TablePart};
use crate::search::exact::Prepared;
use crate::session::Session;
use crate::shard::Shard;

/// Bits of an order number for the place of a document in its part; the number of the part is above them.
const PLACE_BITS: u32 = 40;

/// Why a shard writes pairs only.
const ALL_PAIRS: &str = "needs the pairs of all shards: join them with merge_pairs, and cluster them with merge_clusters";
/// Why a shard has no existing documents.
const ONE_COLLECTION: &str = "excludes --shard, which compares parts of one collection";

/// Counts of a shard.
#[derive(Default)]
struct ShardCounts {
    documents: u64,
    unreadable: u64,
    without_words: u64,
    pairs: u64,
}

impl FindNearDups {
    /// Checks that the other flags describe work that can be done in shards. Returns the output.
    fn check_shard(&self) -> Result<FlagPath> {
        let (outputs, existing) = (&self.outputs, &self.existing);
        let refused = [
            ("clusters", outputs.clusters.is_some(), ALL_PAIRS),
            ("dedup", outputs.dedup.is_some(), ALL_PAIRS),
            ("removed", outputs.removed.is_some(), ALL_PAIRS),
            ("against", !existing.against.is_empty(), ONE_COLLECTION),
            ("index", existing.index.is_some(), ONE_COLLECTION),
            ("save_index", existing.save_index.is_some(), ONE_COLLECTION),
            ("plan", self.plan, "excludes --shard: plan the whole search"),
            ("prints", self.prints.is_some(), "excludes --shard: match_prints has it"),
        ];
        if let Some((flag, _, why)) = refused.iter().find(|(_, is_set, _)| *is_set) {
            return Err(Error::Usage(format!("--{flag} {why}")));
        }
        if self.inputs.inputs.iter().any(|input| is_stream(input)) {
            let why = "--shard needs files: standard input ('-') cannot be read by several shards";
            return Err(Error::Usage(why.into()));
        }
        let missing =
            "--shard needs --out FILE for the part of the pairs; merge_pairs joins all parts";
        outputs.out.clone().ok_or_else(|| Error::Usage(missing.into()))
    }

    /// Returns the name of the part of the pairs.
    fn part_path(&self) -> Result<FlagPath> {
        Ok(self.shard.path("out", &self.check_shard()?)?.into())
    }

    /// Returns the temporary names of the part and of its manifest.
    pub(super) fn part_leftovers(&self) -> Result<Vec<PathBuf>> {
        let path = self.part_path()?;
        Ok([temporary_names(&path), temporary_names(&manifest::path_of(&path))].concat())
    }

    /// Finds the pairs of the shard's tiles and writes them, sorted by document.
    pub(super) fn run_shard(
        &self,
        shard: Shard,
        inputs: &Inputs,
        session: &Session,
    ) -> Result<Counts> {
        self.load_filters(inputs)?;
        let (files, path) = (corpus::find(inputs)?, self.part_path()?);
        let collection = files.checksum(inputs)?;
        let publisher = Publisher::new(session, inputs.paths().chain(files.paths()).map(Cow::from));
        let table = TablePart::create(&publisher, &path)?;
        let mut writer = PartWriter::begin(table, OriginColumns(0))?;
        let (tiles, mut counts) = (Tile::of_shard(shard), ShardCounts::default());
        for (number, tile) in (1..).zip(&tiles) {
            let session = session.within(format!("tile {number} of {}", tiles.len()));
            session.detail(&format!("tile {number} of {}: {}", tiles.len(), described(tile)));
            self.add_tile(*tile, &files, inputs, &mut writer, &mut counts, &session)?;
        }
        let provenance = self.provenance(StageKind::Pairs).count("documents", counts.documents);
        let shard = ShardEntry::new(shard).with_collection(collection);
        let (steps, rows) = writer.close(PairPart { provenance, shard })?;
        publisher.publish(steps)?;
        WrittenOutput::new(&path, rows, "pairs").report(session);
        session.info(&self.shard_summary(&tiles, &counts));
        Ok(Counts {
            read: (counts.documents, "documents"),
            skipped: (counts.unreadable, "unreadable files or records"),
            written: (rows, "pairs"),
            unreadable: counts.unreadable,
        })
    }

    /// Finds and writes the pairs of a tile.
    fn add_tile(
        &self,
        tile: Tile,
        files: &InputFiles,
        inputs: &Inputs,
        writer: &mut PartWriter,
        counts: &mut ShardCounts,
        session: &Session,
    ) -> Result<()> {
        let found = self.find_in_tile(tile, files, inputs, session)?;
        counts.documents += found.collection.len() as u64;
        counts.unreadable += found.collection.source.skipped;
        counts.without_words += found.summary().without_words;
        counts.pairs += found.pairs.count();
        session.phase("writing pairs", None);
        let first_of_high =
            if tile.is_diagonal() { u32::MAX } else { found.collection.first_new as u32 };
        let key = |document: u32| match document.checked_sub(first_of_high) {
            Some(place) => order_number(tile.high, place),
            None => order_number(tile.low, document),
        };
        let rows = found.listing(self.outputs.all_copies).iter().map(|pair| KeyedPair {
            keys: [key(pair.low), key(pair.high)],
            is_copy: found.pairs.are_equal(&pair),
            pair,
        });
        writer.write(rows, |document| found.id(document))
    }

    /// Finds the pairs of a tile: those of two parts, or all of one.
    fn find_in_tile(
        &self,
        tile: Tile,
        files: &InputFiles,
        inputs: &Inputs,
        session: &Session,
    ) -> Result<Duplicates> {
        let part = files.part(tile.low, inputs)?;
        let files = match tile.is_diagonal() {
            true => part,
            false => part.followed_by(files.part(tile.high, inputs)?),
        };
        let options = &self.search;
        let mut collection = Collection::read(inputs, files, None, false, options, session)?;
        let (threshold, first_new) = (options.threshold, collection.first_new);
        let vectors = Prepared::new(collection.take_vectors(), session);
        let percent = threshold * 100.0;
        let pairs = match tile.is_diagonal() {
            true => vectors.pairs(percent, first_new, session),
            false => vectors.bipartite_pairs(percent, first_new, session),
        };
        let likeness = Likeness::Vectors { vectors, threshold };
        Ok(Duplicates::of_pairs(collection, pairs, likeness, true))
    }

    fn shard_summary(&self, tiles: &[Tile], counts: &ShardCounts) -> String {
        let tiles: Vec<String> = tiles.iter().map(described).collect();
        let without_words = match counts.without_words {
            0 => String::new(),
            count => format!(", {} without words", grouped(count)),
        };
        let documents = counted(counts.documents, "documents");
        let (pairs, threshold) = (counted(counts.pairs, "pairs"), self.search.threshold);
        let tiles = tiles.join(", ");
        format!("{tiles}: {documents}{without_words}; {pairs} with cosine >= {threshold}")
    }
}

/// Returns the order number of a document, by the part and its place there.
fn order_number(part: Shard, place: u32) -> u64 {
    u64::from(part.index()) << PLACE_BITS | u64::from(place)
}

/// Describes a tile: `part 1 against part 3 of 4`.
fn described(tile: &Tile) -> String {
    let Tile { low, high } = tile;
    match tile.is_diagonal() {
        true => format!("part {} of {}", low.index(), low.count()),
        false => format!("part {} against part {} of {}", low.index(), high.index(), high.count()),
    }
}
