//! Known pairs, to judge others by: any form of pairs, tables without similarities, and the truth that `create_corpus` writes.

use std::path::Path;

use super::columns::{Columns, for_each_row};
use super::form::TableForm;
use super::read::{FileStart, ListedPair, PairFile};
use crate::error::Result;

/// Columns of known pairs, and those of `create_corpus`.
const COLUMNS: [Columns; 2] = [
    Columns { names: &["document_1", "document_2"], required: 2 },
    Columns { names: &["original", "copy"], required: 2 },
];

/// Calls `visit` with the line and the ids of every pair, in the order of the file.
///
/// # Errors
/// A line that is no pair, or a pair of a document with itself.
pub fn for_each_known_pair(
    path: &Path,
    mut visit: impl FnMut(u64, [&str; 2]) -> Result<()>,
) -> Result<()> {
    let start = FileStart::open(path)?;
    let Some(form) = TableForm::of_pairs(path, &start.line) else {
        let visit = |pair: &ListedPair| visit(pair.line, pair.ids);
        return PairFile { form: None, start }.for_each_pair(None, visit);
    };
    let columns = &COLUMNS[usize::from(is_of_copies(&start.line))];
    for_each_row(start, form, columns, &mut |row| {
        let ids = [&*row.values[0], &*row.values[1]];
        if ids.contains(&"") {
            return Err(row.expected("the id of a document", ""));
        }
        if ids[0] == ids[1] {
            return Err(row.expected("two documents", ids[0]));
        }
        visit(row.line, ids)
    })
}

/// Returns whether a table lists originals and copies.
fn is_of_copies(header: &str) -> bool {
    let names: Vec<&str> = header.split(['\t', ',']).collect();
    COLUMNS[1].names.iter().all(|name| names.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> Result<Vec<(u64, String)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth");
        std::fs::write(&path, content).unwrap();
        let mut found = Vec::new();
        for_each_known_pair(&path, |line, ids| {
            found.push((line, ids.join(" ")));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn pairs_are_read_with_and_without_similarities() {
        let expected = || vec![(2, "a b".to_string()), (3, "a c".to_string())];
        for content in [
            "document_1\tdocument_2\na\tb\na\tc\n",
            "similarity\tdocument_1\tdocument_2\n0.9\ta\tb\n0.8\ta\tc\n",
            "document_2,document_1\nb,a\nc,a\n",
            "original\tcopy\tedit_share\na\tb\t0.1\na\tc\t0\n",
        ] {
            assert_eq!(read(content).unwrap(), expected(), "{content}");
        }
        assert_eq!(read("a:b:90:c:80\n").unwrap(), [(1, "a b".into()), (1, "a c".into())]);
    }

    #[test]
    fn wrong_rows_are_named() {
        let error = |content| read(content).unwrap_err().to_string();
        let found = error("document_1\tdocument_2\na\ta\n");
        assert!(found.ends_with("truth:2: expected two documents, found 'a'"), "{found}");
        let found = error("left\tright\na\tb\n");
        assert!(found.contains("truth:1: expected the columns 'document_1"), "{found}");
        let found = error("original\tcopy\n\tb\n");
        assert!(found.ends_with("truth:2: expected the id of a document, found ''"), "{found}");
    }
}
