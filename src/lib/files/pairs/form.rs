//! Forms of pair files: selected by name when writing, recognised by content when reading.

use std::path::Path;

use serde::de::IgnoredAny;

use super::results;
use crate::error::{Error, Result};
use crate::files::extension;
use crate::files::input::Line;

/// Form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// Columns separated by tabs, `.tsv`.
    Tsv,
    /// Columns separated by commas, `.csv`.
    Csv,
    /// One JSON object per line, `.jsonl`.
    JsonLines,
}

/// Columns of the tables of this crate, which distinguish a CSV header from a result line whose name contains commas.
const KNOWN_COLUMNS: [&str; 9] = [
    "similarity",
    "document_1",
    "document_2",
    "document",
    "cluster",
    "removed",
    "kept",
    "measure",
    "test",
];

impl TableForm {
    /// Returns the form that a file name selects, before that of compressed files. A name without an extension, as that of standard output,
    /// selects TSV. Fails for any other extension.
    pub fn of_name(path: &Path) -> Result<Self> {
        match &*extension(path) {
            "tsv" | "" => Ok(TableForm::Tsv),
            "csv" => Ok(TableForm::Csv),
            "jsonl" => Ok(TableForm::JsonLines),
            _ => Err(Error::Usage(format!(
                "{}: expected a name ending in .tsv, .csv or .jsonl, optionally followed by .gz, .zst, .bz2 or .xz",
                path.display()
            ))),
        }
    }

    /// Returns the form of the table that begins with `line`. The name of a file without separators, which may be empty, tells the
    /// header that is missing from a table without rows.
    pub(super) fn of_content(path: &Path, line: &str) -> Self {
        if line.trim_start().starts_with('{') {
            TableForm::JsonLines
        } else if line.contains('\t') {
            TableForm::Tsv
        } else if line.contains(',') {
            TableForm::Csv
        } else {
            match &*extension(path) {
                "tsv" => TableForm::Tsv,
                "csv" => TableForm::Csv,
                _ if line.is_empty() => TableForm::JsonLines,
                _ => TableForm::Tsv,
            }
        }
    }

    /// Returns the form of the pair file that begins with `line`, `None` for result lines. An empty file is a result without a line,
    /// unless its name promises a header.
    pub(super) fn of_pairs(path: &Path, line: &str) -> Option<Self> {
        let is_table = if line.trim_start().starts_with('{') {
            is_object(line) || !is_result_line(path, line)
        } else {
            line.contains('\t') || has_known_column(line) || has_table_name(path, line)
        };
        is_table.then(|| TableForm::of_content(path, line))
    }
}

/// Whether a first line without matches is the header of a table because the file name says so.
fn has_table_name(path: &Path, line: &str) -> bool {
    !line.contains(':') && matches!(&*extension(path), "tsv" | "csv")
}

fn has_known_column(line: &str) -> bool {
    let mut columns = line.split(',').map(|column| column.trim_matches('"'));
    line.contains(',') && columns.any(|column| KNOWN_COLUMNS.contains(&column))
}

fn is_object(line: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(line).is_ok()
}

fn is_result_line(path: &Path, text: &str) -> bool {
    results::parse(&Line { text, path, number: 1 }, None).is_ok()
}

#[cfg(test)]
mod tests {
    use super::TableForm::*;
    use super::*;

    #[test]
    fn names_select_the_form_to_write() {
        for (name, form) in [
            ("x.tsv", Tsv),
            ("x.TSV.gz", Tsv),
            ("x.tsv.zst", Tsv),
            ("x.gz", Tsv),
            ("-", Tsv),
            ("a.b/x", Tsv),
            ("/dev/stdout", Tsv),
            ("x.y.csv", Csv),
            ("x.csv.zst", Csv),
            ("x.jsonl.gz", JsonLines),
            ("x.tsv.bz2", Tsv),
            ("x.csv.XZ", Csv),
        ] {
            assert_eq!(TableForm::of_name(Path::new(name)).unwrap(), form, "{name}");
        }
        for name in ["x.xlsx", "x.tsv.lz4", "x.gz.zst"] {
            let refusal = TableForm::of_name(Path::new(name)).unwrap_err();
            assert_eq!(refusal.exit_code(), 2);
            let expected = format!("{name}: expected a name ending in .tsv, .csv or .jsonl");
            assert!(refusal.to_string().starts_with(&expected), "{refusal}");
        }
    }

    #[test]
    fn content_tells_the_form_to_read() {
        for (name, line, form) in [
            ("x", "similarity\tdocument_1\tdocument_2", Some(Tsv)),
            ("x.csv", "similarity\tdocument_1\tdocument_2", Some(Tsv)),
            ("x.jsonl", "document_2,similarity,document_1", Some(Csv)),
            ("x", "\"similarity\",\"document_1\",\"document_2\"", Some(Csv)),
            ("x", "cluster,size,smallest,mean,cohesion,document", Some(Csv)),
            ("x.tsv", " {\"similarity\":1}", Some(JsonLines)),
            ("x", "{}", Some(JsonLines)),
            ("x", "{\"similarity\":1", Some(JsonLines)),
            ("x.tsv", "", Some(Tsv)),
            ("x.csv.gz", "", Some(Csv)),
            ("x.tsv", "similarity", Some(Tsv)),
            ("x", "", None),
            ("x.jsonl", "", None),
            ("x", "similarity", None),
            ("x.tsv", "a:b:90", None),
            ("x.csv", "a,b:c:90", None),
            ("x", "a,b", None),
            ("x", "{a}:b:90", None),
            ("x", "{\"a\":b:90", None),
        ] {
            assert_eq!(TableForm::of_pairs(Path::new(name), line), form, "{name}: {line}");
        }
    }
}
