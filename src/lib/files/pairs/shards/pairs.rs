//! The pairs of all parts of a table, without a file for the whole.

use std::ops::Deref;
use std::path::Path;

use super::rows::values;
use super::table::COLUMN_COUNT;
use super::tables::for_each_row;
use crate::error::{Error, Result, excerpt};
use crate::files::is_stream;
use crate::files::manifest::{Manifest, StageKind};
use crate::files::parts::Parts;

/// All parts of a table of pairs.
pub struct PairTableParts(Parts);

impl PairTableParts {
    /// Returns the parts of a table, or `None` if none of the files is one.
    ///
    /// # Errors
    /// Parts and other files; parts that do not belong together or are not all; parts of result lines.
    pub fn read(paths: &[impl Deref<Target = Path>]) -> Result<Option<Self>> {
        let is_part = |path: &Path| -> Result<bool> {
            let manifest = if is_stream(path) { None } else { Manifest::beside(path)? };
            Ok(manifest.is_some_and(|manifest| manifest.shard.is_some()))
        };
        let mut has_part = false;
        for path in paths {
            has_part = has_part || is_part(path)?;
        }
        if !has_part {
            return Ok(None);
        }
        let parts = Parts::read(paths)?;
        let is_table = parts.manifests[0].provenance.counted(COLUMN_COUNT).is_some();
        if parts.kind() != StageKind::Pairs || !is_table {
            let why = "expected a part of a table of pairs; merge_pairs joins other parts";
            return Err(Error::in_file(&parts.paths[0], why));
        }
        Ok(Some(PairTableParts(parts)))
    }

    /// Calls `visit` with the order numbers, the ids and the similarity in percent of every pair, by ascending order numbers.
    pub fn for_each_pair(&self, mut visit: impl FnMut([u64; 2], [&str; 2], f64)) -> Result<()> {
        for_each_row(&self.0, |form, part, keys, row| {
            let pair = values(form, &row.text).and_then(|values| {
                let [cosine, one, other, ..] = &values[..] else { return None };
                let cosine: f64 = cosine.parse().ok().filter(|it| (0.0..=1.0).contains(it))?;
                // Cosines have at most eight decimals.
                visit(keys, [one, other], (cosine * 1e8).round() / 1e6);
                Some(())
            });
            pair.ok_or_else(|| {
                let path = &self.0.paths[part];
                Error::parse(path, row.line, "a row of a table of pairs", excerpt(&row.text))
            })
        })
    }
}
