//! Changes to an index, and the commit that makes them count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Crc;

use super::EmbeddedStore;
use super::committed::CommittedSegment;
use super::manifest::{IndexShard, SegmentEntry, StoreFile, StoreManifest, names};
use super::merge::{MergeSource, NO_NAMES, merge};
use super::parts::{StoreParts, check_empty};
use super::run::DocumentRun;
use super::segment::Segment;
use super::segment_writer::WrittenFile;
use super::tiers::{MergePolicy, first_merged};
use crate::error::{Error, Result};
use crate::files::disk;
use crate::files::index::{HEAD, IndexLock};
use crate::files::output::{Part, Publisher};
use crate::ngrams::store::{
    DeferredWrite, DocumentKey, IndexParameters, NewDocument, NgramStore, NgramWriter,
};
use crate::session::Session;

/// Postings that are kept in memory before they are written: about 200 MB with the memory to sort them.
pub const POSTINGS_PER_RUN: u64 = 8 << 20;
/// Changes to an index that do not count yet. One run at a time has a writer: another one waits.
pub struct EmbeddedWriter {
    // Parts must be gone before the lock, which may remove the folder.
    runs: Arc<Mutex<BTreeMap<usize, WrittenFile>>>,
    run: DocumentRun,
    next_run: usize,
    publisher: Arc<Publisher<'static>>,
    store: Option<EmbeddedStore>,
    parameters: Option<IndexParameters>,
    /// The part of an index that is written.
    shard: Option<IndexShard>,
    /// The generation of the part that it replaces.
    replaced: u64,
    removed: BTreeMap<usize, BTreeSet<u32>>,
    postings_per_run: u64,
    session: Session,
    lock: IndexLock,
}

impl EmbeddedWriter {
    /// Locks an index, created if missing, and opens its state. Waits for another run that writes it.
    ///
    /// # Errors
    /// An unreadable index, or a part of one.
    pub fn open(folder: &Path, session: &Session) -> Result<Self> {
        let lock = IndexLock::acquire(folder, session)?;
        let exists = folder.join(HEAD).exists();
        let store = exists.then(|| EmbeddedStore::open(folder, session)).transpose()?;
        if let Some(shard) = store.as_ref().and_then(|store| store.manifest.shard.as_ref()) {
            let part = shard.name();
            let message = format!("is shard {part} of an index, which is merged, not changed");
            return Err(Error::in_file(folder, message));
        }
        Ok(Self::with_lock(lock, store, session))
    }

    /// Locks a new part of an index. Its documents keep repeated identities, which the merge of all parts numbers. With `replaces`, it takes the place of an
    /// older one of the same number.
    ///
    /// # Errors
    /// A folder that has an index.
    pub fn open_shard(
        folder: &Path,
        shard: IndexShard,
        replaces: bool,
        session: &Session,
    ) -> Result<Self> {
        let lock = IndexLock::acquire(folder, session)?;
        let (exists, name) = (folder.join(HEAD).exists(), shard.name());
        let old = match replaces && exists {
            true => Some(StoreManifest::read(folder)?),
            false => None,
        };
        let old = old.filter(|old| old.shard.as_ref().is_some_and(|old| old.name() == name));
        if exists && old.is_none() {
            return Err(occupied(folder, &format!("shard {name}")));
        }
        let replaced = old.map_or(0, |old| old.generation);
        let writer = Self::with_lock(lock, None, session);
        Ok(EmbeddedWriter { shard: Some(shard), replaced, ..writer })
    }

    /// Writes the index of all parts to a new folder: the bytes of the index to which all documents were added at once. Returns the number of documents. A
    /// folder that has this index, because a run was killed at its end, stays as it is.
    ///
    /// # Errors
    /// A folder that has another index; a damaged part.
    pub fn merge_parts(parts: &StoreParts, folder: &Path, session: &Session) -> Result<u64> {
        check_empty(folder, names::is_own)?;
        let lock = IndexLock::acquire(folder, session)?;
        let exists = folder.join(HEAD).exists();
        let old = exists.then(|| StoreManifest::read(folder)).transpose()?;
        let mut writer = Self::with_lock(lock, None, session);
        writer.parameters = parts.parameters().cloned();
        let (generation, other) = (writer.generation(), || occupied(folder, "the merged index"));
        if old.as_ref().is_some_and(|old| {
            (old.generation, &old.parameters) != (generation, &writer.parameters)
                || old.shard.is_some()
        }) {
            return Err(other());
        }
        parts.check_files(session)?;
        let plan = parts.plan()?;
        session.phase("writing the index", None);
        let name = names::segment(generation);
        let output = writer.publisher.create(&folder.join(&name))?;
        let (file, documents, postings) = merge(&plan.sources(parts), output)?;
        if documents == 0 {
            return Err(Error::Message("no document in any shard".into()));
        }
        let entry = SegmentEntry { name, documents, postings, removed: None };
        match old {
            None => writer.publish(generation, Vec::new(), Some((entry, file)))?,
            Some(old) if old.is_only(folder, &entry, &file) => {
                drop(file);
                remove_others(folder, &old.file_names());
            }
            Some(_) => return Err(other()),
        }
        Ok(documents.into())
    }

    fn with_lock(lock: IndexLock, store: Option<EmbeddedStore>, session: &Session) -> Self {
        let parameters = store.as_ref().and_then(|store| store.manifest.parameters.clone());
        EmbeddedWriter {
            lock,
            publisher: Arc::new(Publisher::of_no_input(session)),
            parameters,
            shard: None,
            replaced: 0,
            store,
            run: DocumentRun::default(),
            next_run: 0,
            runs: Arc::default(),
            removed: BTreeMap::new(),
            postings_per_run: POSTINGS_PER_RUN,
            session: session.clone(),
        }
    }

    /// Opens an index that must exist.
    pub fn open_existing(folder: &Path, session: &Session) -> Result<Self> {
        // Without one, the lock would create the folder.
        StoreManifest::read(folder)?;
        Self::open(folder, session)
    }

    /// Sets the number of postings that are kept in memory before they are written. The state after the commit does not depend on it.
    pub fn with_postings_per_run(self, postings_per_run: u64) -> Self {
        EmbeddedWriter { postings_per_run, ..self }
    }

    fn generation(&self) -> u64 {
        self.store.as_ref().map_or(self.replaced, |store| store.manifest.generation) + 1
    }

    fn finish(mut self, policy: MergePolicy) -> Result<()> {
        let generation = self.generation();
        let old = std::mem::take(&mut self.store);
        let had_parameters = old.as_ref().is_some_and(|old| old.manifest.parameters.is_some());
        let names = old.as_ref().map(|old| old.manifest.file_names()).unwrap_or_default();
        let loses_parameters = had_parameters && self.parameters.is_none();
        let mut segments = old.map_or_else(Vec::new, CommittedSegment::of_store);
        for (segment, removed) in std::mem::take(&mut self.removed) {
            segments[segment].remove(removed);
        }
        let before = segments.len();
        match policy {
            MergePolicy::Clear => segments.clear(),
            _ => segments.retain(|segment| !segment.is_empty()),
        }
        let is_changed = |segment: &CommittedSegment| segment.has_changed;
        let has_changed =
            loses_parameters || before != segments.len() || segments.iter().any(is_changed);
        let postings = self.postings()?;
        let has_new = self.run.documents() > 0 || self.next_run > 0;
        let first = first_merged(&segments, has_new.then_some(postings), policy);
        if !has_new && first == segments.len() && !has_changed && self.shard.is_none() {
            remove_others(self.lock.folder(), &names);
            return Ok(());
        }
        self.session.phase("writing the index", None);
        let merged: Vec<CommittedSegment> = segments.split_off(first);
        let segment = match has_new || !merged.is_empty() {
            true => self.new_segment(generation, &merged)?,
            false => None,
        };
        self.publish(generation, segments, segment)
    }

    /// Returns the number of new postings.
    fn postings(&self) -> Result<u64> {
        let mut postings = self.run.postings;
        for run in self.runs.lock().unwrap_or_else(PoisonError::into_inner).values() {
            let segment = open_part(run)?;
            postings += segment.sections().iter().map(|section| section.postings).sum::<u64>();
        }
        Ok(postings)
    }

    /// Writes the segment of the new documents and of those of older segments.
    fn new_segment(
        &mut self,
        generation: u64,
        older: &[CommittedSegment],
    ) -> Result<Option<(SegmentEntry, WrittenFile)>> {
        let name = names::segment(generation);
        let output = self.publisher.create(&self.lock.folder().join(&name))?;
        let run = std::mem::take(&mut self.run);
        let entry = |documents, postings| SegmentEntry { name, documents, postings, removed: None };
        if older.is_empty() && self.next_run == 0 {
            let entry = entry(run.documents(), run.postings);
            return Ok(Some((entry, run.write(output)?)));
        }
        if run.documents() > 0 {
            self.write_run(run)()?;
        }
        let runs = std::mem::take(&mut *self.runs.lock().unwrap_or_else(PoisonError::into_inner));
        let opened: Vec<Segment> = runs.values().map(open_part).collect::<Result<_>>()?;
        let older = older.iter().map(|segment| MergeSource {
            segment: &segment.open.segment,
            removed: &segment.open.removed,
            renamed: &NO_NAMES,
        });
        let new =
            opened.iter().map(|segment| MergeSource { segment, removed: &[], renamed: &NO_NAMES });
        let sources: Vec<MergeSource<'_>> = older.chain(new).collect();
        let (file, documents, postings) = merge(&sources, output)?;
        Ok((documents > 0).then(|| (entry(documents, postings), file)))
    }

    /// Returns the work that writes a run.
    fn write_run(&mut self, run: DocumentRun) -> DeferredWrite {
        let (number, generation) = (self.next_run, self.generation());
        self.next_run += 1;
        let path = self.lock.folder().join(names::run(number, generation));
        let (publisher, runs) = (self.publisher.clone(), self.runs.clone());
        Box::new(move || {
            let written = run.write(publisher.create(&path)?)?;
            runs.lock().unwrap_or_else(PoisonError::into_inner).insert(number, written);
            Ok(())
        })
    }

    /// Publishes all new files, then the manifest, and removes old files.
    fn publish(
        self,
        generation: u64,
        segments: Vec<CommittedSegment>,
        new: Option<(SegmentEntry, WrittenFile)>,
    ) -> Result<()> {
        let folder = self.lock.folder().to_path_buf();
        let mut manifest = StoreManifest {
            generation,
            parameters: self.parameters,
            ..StoreManifest::new(self.shard)
        };
        let mut parts: Vec<Part> = Vec::new();
        let mut add = |name: String, written: WrittenFile| {
            let WrittenFile { part, bytes, crc32 } = written;
            parts.push(part);
            StoreFile { name, bytes, crc32 }
        };
        for mut segment in segments {
            manifest.files.push(segment.file);
            if segment.has_changed {
                let name = names::removed(&segment.entry.name, generation);
                let path = folder.join(&name);
                let written = write_removed(&self.publisher, &path, &segment.open.removed)?;
                manifest.files.push(add(name.clone(), written));
                segment.entry.removed = Some(name);
            } else {
                manifest.files.extend(segment.removed_file);
            }
            manifest.segments.push(segment.entry);
        }
        if let Some((entry, written)) = new {
            manifest.files.push(add(entry.name.clone(), written));
            manifest.segments.push(entry);
        }
        let mut head = self.publisher.create(&folder.join(HEAD))?;
        head.write(&manifest.to_text())?;
        let head = head.close()?;
        let names = manifest.file_names();
        self.publisher.publish_and(vec![parts, vec![head]], || remove_others(&folder, &names))
    }
}

impl NgramWriter for EmbeddedWriter {
    fn store(&self) -> Option<&dyn NgramStore> {
        self.store.as_ref().map(|store| store as &dyn NgramStore)
    }

    fn set_parameters(&mut self, parameters: IndexParameters) -> Result<()> {
        if let Some(old) = self.parameters.as_ref().filter(|old| **old != parameters) {
            let (name, expected, found) = old.difference(&parameters);
            let message = format!("expected {name} {expected} as in the index, found {found}");
            return Err(Error::in_file(&self.lock.folder().join(HEAD), message));
        }
        self.parameters = Some(parameters);
        Ok(())
    }

    fn add(&mut self, documents: Vec<NewDocument>) -> Result<Option<DeferredWrite>> {
        documents.into_iter().for_each(|document| self.run.push(document));
        if self.run.postings < self.postings_per_run {
            return Ok(None);
        }
        let run = std::mem::take(&mut self.run);
        Ok(Some(self.write_run(run)))
    }

    fn remove(&mut self, document: DocumentKey) -> Result<()> {
        let (segment, document) = EmbeddedStore::place(document);
        self.removed.entry(segment).or_default().insert(document);
        Ok(())
    }

    /// Writes the new documents, merged with older segments of their size, and publishes the new state.
    fn commit(self: Box<Self>) -> Result<()> {
        self.finish(MergePolicy::Tiers)
    }

    /// Merges all segments into one without removed documents.
    fn compact(self: Box<Self>) -> Result<()> {
        self.finish(MergePolicy::All)
    }

    fn clear(mut self: Box<Self>) -> Result<()> {
        self.parameters = None;
        self.finish(MergePolicy::Clear)
    }
}

/// Returns the error of a folder that has an index where a new one is written.
fn occupied(folder: &Path, what: &str) -> Error {
    let hint = "remove it, or choose another folder";
    let message = format!("expected no index where {what} is written, found one; {hint}");
    Error::in_file(folder, message)
}

/// Opens a complete file under its temporary name.
fn open_part(written: &WrittenFile) -> Result<Segment> {
    let path = written.part.path().expect("an index is in files");
    Segment::open(path, written.bytes)
}

fn write_removed(publisher: &Publisher<'_>, path: &Path, removed: &[u32]) -> Result<WrittenFile> {
    let bytes: Vec<u8> = removed.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut crc = Crc::new();
    crc.update(&bytes);
    let mut output = publisher.create(path)?;
    output.write(&bytes)?;
    Ok(WrittenFile { part: output.close()?, bytes: bytes.len() as u64, crc32: crc.sum() })
}

/// Removes the files of other states than that with these names, and what killed runs have left. A failure is ignored: the next run removes what is
/// left.
fn remove_others(folder: &Path, names: &BTreeSet<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_old = |name: &str| names::is_own(name) && !names.contains(name);
        if name.to_str().is_some_and(is_old) {
            let _ = disk::remove_file(&entry.path());
        }
    }
}
