//! Tables of clusters and of removed documents, in the forms of tables of pairs.

use std::path::Path;

use super::columns::{Columns, for_each_row};
use super::form::TableForm;
use super::read::FileStart;
use super::table::{OriginColumns, TableCell, TableFile, TableWriter, append_object};
use crate::clusters::{Clusters, Cohesion, CohesionBasis, Removal};
use crate::error::{INFALLIBLE, Result};
use crate::files::output::Part;

/// Columns of a table of clusters.
const CLUSTER_COLUMNS: &[&str] =
    &["cluster", "size", "smallest", "mean", "cohesion", "document", "from"];

/// Columns of a table of removed documents.
const REMOVAL_COLUMNS: &[&str] = &["removed", "kept", "kept_from"];

/// Writes clusters and the cohesion of each; `id` returns the id of a document. The content is left under its temporary name.
pub fn write_clusters<'a>(
    file: TableFile,
    clusters: &Clusters,
    cohesion: &[Cohesion],
    origins: OriginColumns,
    id: impl Fn(u32) -> &'a str,
) -> Result<Part> {
    assert_eq!(clusters.len(), cohesion.len(), "each cluster has its cohesion");
    let mut table = TableWriter::begin(file, origins.select(CLUSTER_COLUMNS, 1))?;
    for (number, (members, cohesion)) in (1..).zip(clusters.iter().zip(cohesion)) {
        let head = cluster_cells(number, members.len(), cohesion);
        if table.form == TableForm::JsonLines {
            table.out.write(&cluster_object(&head, members, origins, &id))?;
            continue;
        }
        for member in members {
            let [number, size, smallest, mean, basis] = head;
            let [document, from] = [id(*member), origins.of(*member)].map(TableCell::Text);
            table.row(&[number, size, smallest, mean, basis, document, from])?;
        }
    }
    table.out.close()
}

/// Returns the cells of a cluster that all its members share.
fn cluster_cells(number: u64, size: usize, cohesion: &Cohesion) -> [TableCell<'static>; 5] {
    let basis = match cohesion.basis {
        CohesionBasis::AllPairs => "all",
        CohesionBasis::FoundPairs => "found_pairs",
    };
    [
        TableCell::Number(number),
        TableCell::Number(size as u64),
        TableCell::Similarity(cohesion.smallest),
        TableCell::Similarity(cohesion.mean),
        TableCell::Text(basis),
    ]
}

/// Returns a cluster as a line of JSON.
fn cluster_object<'a>(
    head: &[TableCell; 5],
    members: &[u32],
    origins: OriginColumns,
    id: &impl Fn(u32) -> &'a str,
) -> Vec<u8> {
    let mut line = Vec::new();
    append_object(&mut line, &CLUSTER_COLUMNS[..head.len()], head);
    line.truncate(line.len() - "}\n".len());
    line.extend_from_slice(b",\"documents\":");
    append_list(&mut line, members, id);
    if origins.is_shown() {
        line.extend_from_slice(b",\"from\":");
        append_list(&mut line, members, |member| origins.of(member));
    }
    line.extend_from_slice(b"}\n");
    line
}

fn append_list<'a>(line: &mut Vec<u8>, members: &[u32], text: impl Fn(u32) -> &'a str) {
    let texts: Vec<&str> = members.iter().map(|member| text(*member)).collect();
    serde_json::to_writer(line, &texts).expect(INFALLIBLE);
}

/// Writes removed documents, each with the one kept for it; `id` returns the id of a document. The content is left under its
/// temporary name.
pub fn write_removals<'a>(
    file: TableFile,
    removals: &[Removal],
    origins: OriginColumns,
    id: impl Fn(u32) -> &'a str,
) -> Result<Part> {
    let mut table = TableWriter::begin(file, origins.select(REMOVAL_COLUMNS, 1))?;
    for Removal { document, kept } in removals {
        table.row(&[id(*document), id(*kept), origins.of(*kept)].map(TableCell::Text))?;
    }
    table.out.close()
}

/// Member of a cluster, with the figures of its cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterRow<'a> {
    /// The line number, from 1.
    pub line: u64,
    /// The cluster's number.
    pub cluster: u64,
    /// The cluster's number of documents.
    pub size: u64,
    /// The smallest cosine of two members, 0 to 1.
    pub smallest: f64,
    /// The mean cosine of two members, 0 to 1.
    pub mean: f64,
    /// Whether these two cover all pairs of members.
    pub covers_all_pairs: bool,
    /// The id of the member.
    pub document: &'a str,
}

/// Calls `visit` with every row of a table of clusters, in the form and compression recognised by its content.
pub fn for_each_cluster_row(
    path: &Path,
    mut visit: impl FnMut(&ClusterRow) -> Result<()>,
) -> Result<()> {
    let start = FileStart::open(path)?;
    let form = TableForm::of_content(path, &start.line);
    let names = &["cluster", "size", "smallest", "mean", "document", "cohesion"];
    let columns = Columns { names, required: 5 };
    for_each_row(start, form, &columns, &mut |row| {
        visit(&ClusterRow {
            line: row.line,
            cluster: row.count(0)?,
            size: row.count(1)?,
            smallest: row.cosine(2)?,
            mean: row.cosine(3)?,
            covers_all_pairs: row.values[5] == "all",
            document: &row.values[4],
        })
    })
}
