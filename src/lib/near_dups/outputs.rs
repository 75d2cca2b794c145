//! What is written of found pairs.

use std::collections::HashSet;

use super::collection::Collection;
use super::summary::{Summary, way};
use super::{ClusterBy, KeepRule, NearDups};
use crate::clusters::{self, Clusters, Keep, Removal};
use crate::corpus::{self, Rank};
use crate::error::Result;
use crate::files::output::Part;
use crate::files::table::{self, PairTable, Sides};
use crate::search::GroupedPairs;
use crate::search::exact::Prepared;
use crate::search::near::SearchPlan;
use crate::session::Session;
use crate::vector::gather::WordVectors;

/// Pairs and what follows from them.
pub(super) struct Found<'a> {
    pub task: &'a NearDups,
    pub collection: &'a Collection,
    pub vectors: &'a Prepared<WordVectors>,
    pub pairs: &'a GroupedPairs,
    /// For each document the first of those with the same vector.
    original_of: Vec<u32>,
    clusters: Clusters,
    removals: Vec<Removal>,
}

impl<'a> Found<'a> {
    /// Clusters the pairs and chooses who stays.
    pub fn new(
        task: &'a NearDups,
        collection: &'a Collection,
        vectors: &'a Prepared<WordVectors>,
        pairs: &'a GroupedPairs,
    ) -> Self {
        let groups = pairs.groups();
        let original = |document: usize| match groups.group_of(document) {
            Some(group) => groups.first(group) as u32,
            None => document as u32,
        };
        let original_of: Vec<u32> = (0..collection.len()).map(original).collect();
        let between = match task.wanted.cluster_by {
            ClusterBy::Connected => {
                clusters::components(collection.len(), pairs.between().iter().copied())
            }
            ClusterBy::Complete => clusters::complete(collection.len(), pairs.between()),
        };
        let first_new = collection.first_new as u32;
        let mut clusters = between.with_copies(&original_of);
        // Copies among the old documents are no news.
        clusters.retain(|members| members.last().is_some_and(|last| *last >= first_new));
        let removals = removals(task, collection, &clusters);
        Found { task, collection, vectors, pairs, original_of, clusters, removals }
    }

    /// Writes what is wanted. Files get their names when all of them are complete.
    pub fn write(&self, session: &Session) -> Result<()> {
        let wanted = &self.task.wanted;
        session.phase("writing results", None);
        let mut parts = Vec::new();
        if let Some(path) = &wanted.pairs {
            let mut out = PairTable::create(path, self.sides())?;
            self.pairs.iter().try_for_each(|pair| out.pair(&pair, |document| self.id(document)))?;
            parts.push(out.close()?);
        }
        if let Some(path) = &wanted.clusters {
            let similarity =
                |one: u32, other: u32| self.vectors.similarity(one as usize, other as usize);
            let (clusters, between) = (&self.clusters, self.pairs.between());
            let cohesion = clusters::cohesion(clusters, &self.original_of, between, similarity);
            parts.push(table::write_clusters(
                path,
                clusters,
                &cohesion,
                self.sides(),
                |document| self.id(document),
            )?);
        }
        if let Some(path) = &wanted.removed {
            parts.push(table::write_removals(path, &self.removals, self.sides(), |document| {
                self.id(document)
            })?);
        }
        self.copy(session)?;
        parts.into_iter().try_for_each(Part::publish)
    }

    /// Copies the input without what is removed.
    fn copy(&self, session: &Session) -> Result<()> {
        let (Some(path), Some(places)) = (&self.task.wanted.dedup, &self.collection.source.places)
        else {
            return Ok(());
        };
        let before = self.collection.source.before;
        let mut stays = vec![true; self.collection.len() - before];
        for removal in &self.removals {
            stays[removal.document as usize - before] = false;
        }
        corpus::copy(&self.task.inputs, places, |document| stays[document], path, session)?;
        Ok(())
    }

    fn id(&self, document: u32) -> &str {
        self.collection.ids.get(document as usize)
    }

    /// Where the new documents begin, if there are old ones.
    fn sides(&self) -> Sides {
        Sides::new(self.collection.first_new as u32)
    }

    /// What people want to know.
    pub fn summary(&self, plan: &SearchPlan) -> Summary {
        let collection = self.collection;
        let without_words = (0..collection.len())
            .filter(|document| self.pairs.groups().group_of(*document).is_none())
            .count();
        Summary {
            documents: collection.len() as u64,
            old: collection.first_new as u64,
            without_words: without_words as u64,
            copies: self.copies(),
            pairs: self.pairs.count(),
            clusters: self.clusters.len() as u64,
            removed: self.removals.len() as u64,
            threshold: self.task.threshold / 100.0,
            way: way(plan),
        }
    }

    /// New documents whose text an earlier document has, byte for byte.
    fn copies(&self) -> u64 {
        let groups = self.pairs.groups();
        let mut texts = HashSet::new();
        let mut copies = 0;
        for group in 0..groups.len() {
            let members = groups.members(group);
            if members.len() < 2 {
                continue;
            }
            texts.clear();
            for member in members {
                let is_first = texts.insert(self.collection.text_hashes[*member as usize]);
                copies += u64::from(!is_first && *member as usize >= self.collection.first_new);
            }
        }
        copies
    }
}

fn removals(task: &NearDups, collection: &Collection, clusters: &Clusters) -> Vec<Removal> {
    let first_new = collection.first_new as u32;
    let ranks = || clusters::ranks(&collection.ranks, Rank::cmp);
    match &task.wanted.keep {
        KeepRule::First => clusters::removals(clusters, Keep::First, first_new),
        KeepRule::Longest => {
            clusters::removals(clusters, Keep::Longest(&collection.lengths), first_new)
        }
        KeepRule::Largest(_) => clusters::removals(clusters, Keep::Largest(&ranks()), first_new),
        KeepRule::Smallest(_) => clusters::removals(clusters, Keep::Smallest(&ranks()), first_new),
    }
}
