//! `merge_clusters`: clusters of different collections, joined by the pairs between them.

use std::borrow::Cow;
use std::path::Path;

use clap::Parser;
use serde::Serialize;

use crate::clusters::{ClusterMerger, Cohesion, CohesionBasis};
use crate::error::{Error, Result, excerpt};
use crate::executable::{Counts, Executable, FlagPath, counted};
use crate::files::is_stream;
use crate::files::names::NameTable;
use crate::files::output::Publisher;
use crate::files::pairs::{
    ClusterRow, OriginColumns, PairFile, PairTableParts, TableFile, for_each_cluster_row,
    write_clusters,
};
use crate::session::Session;

/// Joins clusters of different collections by the pairs between them: documents that clusters or pairs connect form one cluster
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "merge_clusters", version, rename_all = "snake_case")]
pub struct MergeClusters {
    /// Clusters of find_near_dups --clusters, as .tsv, .csv or .jsonl; without any, the pairs alone are clustered
    #[arg(value_name = "CLUSTERS", help_heading = "Input")]
    pub clusters: Vec<FlagPath>,
    /// Pairs between the collections, in any form of pairs; or all parts of the pairs of find_near_dups --shard
    #[arg(long, value_name = "FILE", num_args = 1.., required = true, help_heading = "Input")]
    pub pairs: Vec<FlagPath>,
    /// Write the clusters to FILE as .tsv, .csv or .jsonl; '-' for standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
}

impl Executable for MergeClusters {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Join the clusters of two collections",
            "merge_clusters old.tsv new.tsv --pairs cross.tsv --out clusters.tsv",
        ),
        (
            "Cluster the pairs of a search in three shards",
            "merge_clusters --pairs pairs.1-of-3.tsv pairs.2-of-3.tsv pairs.3-of-3.tsv --out clusters.tsv",
        ),
    ];

    /// Merges the clusters. Pairs are read once and not kept. Memory: the documents' names and about 200 bytes for each.
    fn run(&self, session: &Session) -> Result<Counts> {
        self.check()?;
        let paths = self.clusters.iter().chain(&self.pairs).map(|path| Cow::from(&**path));
        let publisher = Publisher::new(session, paths);
        let file = TableFile::create(&publisher, &self.out)?;
        let merge = self.read(session)?;
        session.phase("writing results", None);
        let (order, pairs) = (merge.order(self.clusters.is_empty()), merge.pairs);
        let (clusters, cohesion) = merge.merger.finish(&order);
        let id = |place: u32| merge.documents.names().get(order[place as usize] as usize);
        let part = write_clusters(file, &clusters, &cohesion, OriginColumns(0), id)?;
        publisher.publish(vec![vec![part]])?;
        let written = clusters.len() as u64;
        session.output(&self.out.display().to_string(), written, "clusters");
        let (read, joined) = (counted(merge.read, "clusters"), counted(pairs, "pairs"));
        let members = clusters.iter().map(|members| members.len() as u64).sum();
        let (clusters, members) = (counted(written, "clusters"), counted(members, "documents"));
        session.info(&format!("{read} and {joined}: {clusters} with {members}"));
        Ok(Counts::new((pairs, "pairs"), (written, "clusters")))
    }
}

impl MergeClusters {
    fn check(&self) -> Result<()> {
        let streams = self.clusters.iter().chain(&self.pairs).filter(|path| is_stream(path));
        if streams.count() > 1 {
            return Err(Error::Usage("standard input ('-') can be named only once".into()));
        }
        Ok(())
    }

    /// Reads the clusters and the pairs.
    fn read(&self, session: &Session) -> Result<ClusterMerge> {
        let mut merge = ClusterMerge::default();
        session.phase("reading clusters", None);
        self.clusters.iter().try_for_each(|path| merge.add_clusters(path))?;
        if merge.repeated > 0 {
            let verb = if merge.repeated == 1 { "joins its" } else { "join their" };
            let repeated = counted(merge.repeated, "documents");
            session.info(&format!("{repeated} of several tables of clusters {verb} clusters"));
        }
        session.phase("reading pairs", None);
        match PairTableParts::read(&self.pairs)? {
            Some(parts) => merge.add_parts(&parts)?,
            None => self.pairs.iter().try_for_each(|path| merge.add_pairs(path))?,
        }
        Ok(merge)
    }
}

/// Documents, and what connects them.
#[derive(Default)]
struct ClusterMerge {
    documents: NameTable,
    merger: ClusterMerger,
    /// The last table of clusters that has each document, counted from 1; 0 for none.
    tables: Vec<u32>,
    /// The order number of each document, where pairs have them.
    keys: Vec<u64>,
    /// Number of clusters, and of pairs, that were read.
    read: u64,
    pairs: u64,
    /// Number of tables read, and of documents in several of them.
    table: u32,
    repeated: u64,
}

/// A cluster being read.
struct OpenCluster {
    number: u64,
    size: u64,
    cohesion: Cohesion,
    members: Vec<u32>,
}

impl ClusterMerge {
    /// Adds a table of clusters, whose rows list one cluster after the other.
    ///
    /// # Errors
    /// A document that is listed twice, or a cluster without as many documents as it says.
    fn add_clusters(&mut self, path: &Path) -> Result<()> {
        self.table += 1;
        let mut open: Option<OpenCluster> = None;
        for_each_cluster_row(path, |row| {
            if open.as_ref().is_some_and(|open| open.number != row.cluster) {
                self.close(path, open.take())?;
            }
            let document = self.member(path, row)?;
            open.get_or_insert_with(|| OpenCluster::new(row)).members.push(document);
            Ok(())
        })?;
        self.close(path, open)
    }

    /// Returns the number of a member, which is in no other row of the table.
    fn member(&mut self, path: &Path, row: &ClusterRow) -> Result<u32> {
        if row.document.is_empty() {
            return Err(Error::parse(path, row.line, "the id of a document", "''"));
        }
        let document = self.documents.number(row.document);
        self.tables.resize(self.documents.names().len(), 0);
        let table = std::mem::replace(&mut self.tables[document as usize], self.table);
        if table == self.table {
            let (path, line) = (path.display(), row.line);
            let name = excerpt(row.document);
            return Err(Error::Message(format!("{path}:{line}: duplicate document name {name}")));
        }
        self.repeated += u64::from(table > 0);
        Ok(document)
    }

    fn close(&mut self, path: &Path, open: Option<OpenCluster>) -> Result<()> {
        let Some(OpenCluster { number, size, cohesion, members }) = open else { return Ok(()) };
        if members.len() as u64 != size {
            let found = members.len();
            let message = format!("cluster {number}: expected {size} documents, found {found}");
            return Err(Error::in_file(path, message));
        }
        self.merger.add_cluster(&members, &cohesion);
        self.read += 1;
        Ok(())
    }

    /// Adds pairs in any form.
    fn add_pairs(&mut self, path: &Path) -> Result<()> {
        PairFile::open(path)?.for_each_pair(None, |pair| {
            self.add_pair(pair.ids, pair.similarity);
            Ok(())
        })
    }

    /// Adds all parts of a table of pairs, and the order of its documents.
    fn add_parts(&mut self, parts: &PairTableParts) -> Result<()> {
        parts.for_each_pair(|keys, ids, similarity| {
            let documents = self.add_pair(ids, similarity);
            self.keys.resize(self.documents.names().len(), u64::MAX);
            for (document, key) in documents.into_iter().zip(keys) {
                self.keys[document as usize] = key;
            }
        })
    }

    /// Adds a pair and returns the numbers of its documents.
    fn add_pair(&mut self, ids: [&str; 2], similarity: f64) -> [u32; 2] {
        let [one, other] = ids.map(|id| self.documents.number(id));
        self.merger.add_pair(one, other, similarity);
        self.pairs += 1;
        [one, other]
    }

    /// Returns the documents in the order of the collection, if pairs alone were read and have order numbers, else in that of their first occurrence.
    fn order(&self, has_pairs_only: bool) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.documents.names().len() as u32).collect();
        if has_pairs_only && self.keys.len() == order.len() {
            order.sort_by_key(|document| self.keys[*document as usize]);
        }
        order
    }
}

impl OpenCluster {
    fn new(row: &ClusterRow) -> Self {
        let basis = match row.covers_all_pairs {
            true => CohesionBasis::AllPairs,
            false => CohesionBasis::FoundPairs,
        };
        let cohesion = Cohesion { smallest: 100.0 * row.smallest, mean: 100.0 * row.mean, basis };
        OpenCluster { number: row.cluster, size: row.size, cohesion, members: Vec::new() }
    }
}
