//! Parts of tables: three more columns before the others.

use std::path::Path;

use super::output::{PairPart, PartManifest};
use crate::error::Result;
use crate::files::output::{Part, Publisher};
use crate::files::pairs::form::TableForm;
use crate::files::pairs::table::{
    OriginColumns, PAIR_COLUMNS, TableCell, TableFile, TableWriter, pair_cells,
};
use crate::search::{EqualGroups, Pair};

/// The columns of a part.
pub(super) const PART_COLUMNS: &[&str] =
    &["low", "high", "copy", "similarity", "document_1", "document_2", "from_1", "from_2"];
/// The count in a manifest by which a table is known.
pub(super) const COLUMN_COUNT: &str = "columns";
/// The number of rows in a manifest.
const PAIR_COUNT: &str = "pairs";
/// The number of rows with `copy` 1 in a manifest.
pub(super) const COPY_COUNT: &str = "copies";

/// Row of a part of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyedPair {
    /// The order numbers of both documents in the whole collection, the lower first. Rows ascend by them.
    pub keys: [u64; 2],
    /// Whether both documents belong to one group of equal prints or vectors.
    pub is_copy: bool,
    /// The pair, by numbers of documents in this run.
    pub pair: Pair,
}

impl KeyedPair {
    /// Returns the row of a pair of documents whose numbers are those in the whole collection; `groups` are those of equal prints or vectors.
    pub fn new(pair: Pair, groups: &EqualGroups) -> Self {
        let [low, high] = [pair.low, pair.high].map(|document| groups.group_of(document as usize));
        let keys = [pair.low, pair.high].map(u64::from);
        KeyedPair { keys, is_copy: low.is_some() && low == high, pair }
    }
}

/// The table of a part and its manifest, created before their content is known.
pub struct TablePart {
    file: TableFile,
    manifest: PartManifest,
}

impl TablePart {
    /// Begins both files; the name, with the number of the part, selects the form of the table.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        let form = TableForm::of_name(path)?;
        let (out, manifest) = PartManifest::create(publisher, path)?;
        Ok(TablePart { file: TableFile { out, form }, manifest })
    }
}

/// The table of a part, to which rows are written in several steps.
pub struct PartWriter {
    table: TableWriter,
    manifest: PartManifest,
    origins: OriginColumns,
    columns: usize,
    rows: u64,
    copies: u64,
}

impl PartWriter {
    /// Begins the table.
    pub fn begin(file: TablePart, origins: OriginColumns) -> Result<Self> {
        debug_assert!(PART_COLUMNS.ends_with(PAIR_COLUMNS));
        let columns = origins.select(PART_COLUMNS, 2);
        let table = TableWriter::begin(file.file, columns)?;
        let (manifest, columns) = (file.manifest, columns.len());
        Ok(PartWriter { table, manifest, origins, columns, rows: 0, copies: 0 })
    }

    /// Writes rows; `id` returns the id of a document. The rows of all calls come sorted by their keys.
    pub fn write<'a>(
        &mut self,
        pairs: impl Iterator<Item = KeyedPair>,
        id: impl Fn(u32) -> &'a str + Sync,
    ) -> Result<()> {
        let origins = self.origins;
        let cells = |row: &KeyedPair| {
            let [low, high] = row.keys.map(TableCell::Number);
            let [similarity, id_1, id_2, from_1, from_2] = pair_cells(row.pair, origins, &id);
            let copy = TableCell::Number(row.is_copy.into());
            [low, high, copy, similarity, id_1, id_2, from_1, from_2]
        };
        let mut copies = 0;
        let pairs = pairs.inspect(|row| copies += u64::from(row.is_copy));
        self.rows += self.table.rows(pairs, cells)?;
        self.copies += copies;
        Ok(())
    }

    /// Completes the table and its manifest. Returns the steps of their publication, and the number of rows: the content is left under its
    /// temporary name.
    pub fn close(self, part: PairPart) -> Result<(Vec<Vec<Part>>, u64)> {
        let provenance = part.provenance.count(COLUMN_COUNT, self.columns as u64);
        let provenance = provenance.count(PAIR_COUNT, self.rows).count(COPY_COUNT, self.copies);
        let part = PairPart { provenance, ..part };
        Ok((self.manifest.close(self.table.out, part)?, self.rows))
    }
}

/// Writes the part of a table at once: see [`PartWriter`].
pub fn write_pair_part<'a>(
    file: TablePart,
    pairs: impl Iterator<Item = KeyedPair>,
    origins: OriginColumns,
    id: impl Fn(u32) -> &'a str + Sync,
    part: PairPart,
) -> Result<(Vec<Vec<Part>>, u64)> {
    let mut writer = PartWriter::begin(file, origins)?;
    writer.write(pairs, id)?;
    writer.close(part)
}
