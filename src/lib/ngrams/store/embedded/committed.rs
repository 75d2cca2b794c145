//! Segments of the state before a commit.

use std::collections::BTreeSet;

use super::manifest::{SegmentEntry, StoreFile};
use super::{EmbeddedStore, OpenSegment};

/// A segment of the state before, with the changes to come.
pub(super) struct CommittedSegment {
    pub(super) open: OpenSegment,
    pub(super) entry: SegmentEntry,
    pub(super) file: StoreFile,
    /// The list of its removed documents before the changes.
    pub(super) removed_file: Option<StoreFile>,
    /// Whether more documents are removed.
    pub(super) has_changed: bool,
}

impl CommittedSegment {
    /// Returns the segments of a state, unchanged.
    pub(super) fn of_store(store: EmbeddedStore) -> Vec<Self> {
        let EmbeddedStore { manifest, segments, .. } = store;
        let file = |name: &str| manifest.files.iter().find(|file| file.name == name).cloned();
        let committed = segments.into_iter().zip(&manifest.segments).filter_map(|(open, entry)| {
            let removed_file = entry.removed.as_deref().and_then(file);
            let (file, entry) = (file(&entry.name)?, entry.clone());
            Some(CommittedSegment { open, entry, file, removed_file, has_changed: false })
        });
        committed.collect()
    }

    /// Marks documents as removed.
    pub(super) fn remove(&mut self, documents: BTreeSet<u32>) {
        let all: BTreeSet<u32> = self.open.removed.iter().copied().chain(documents).collect();
        self.has_changed = all.len() > self.open.removed.len();
        self.open.removed = all.into_iter().collect();
    }

    /// Returns whether all of its documents are removed.
    pub(super) fn is_empty(&self) -> bool {
        self.open.removed.len() == self.open.segment.documents() as usize
    }
}
