//! The table of `evaluate_methods`: one row per method, as CSV and as Markdown.

use crate::error::INFALLIBLE;

/// Columns of shares between the number of pairs and the time: recall, precisions and F, then those by the truth.
pub const SHARES: [&str; 7] = [
    "recall_union",
    "precision_string",
    "precision_cosine",
    "f1",
    "precision_truth",
    "recall_truth",
    "f1_truth",
];

/// Row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRow {
    /// The name of the method.
    pub method: String,
    /// The number of pairs that it proposes.
    pub pairs: u64,
    /// The values of [`SHARES`]; `None` where undefined.
    pub shares: [Option<f64>; SHARES.len()],
    /// Time to create the fingerprints and to match them.
    pub seconds: f64,
    /// Bytes of fingerprints per document.
    pub bytes_per_document: f64,
    /// Bounds of each share, if requested.
    pub intervals: Option<[Option<(f64, f64)>; SHARES.len()]>,
}

impl MethodRow {
    /// Returns the cells in the order of the columns; shares have this many decimals.
    fn cells(&self, decimals: usize) -> Vec<String> {
        let share =
            |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.decimals$}"));
        let mut cells = vec![self.method.clone(), self.pairs.to_string()];
        cells.extend(self.shares.map(share));
        cells.extend([format!("{:.3}", self.seconds), format!("{:.1}", self.bytes_per_document)]);
        for bounds in self.intervals.iter().flatten() {
            cells.extend([share(bounds.map(|(low, _)| low)), share(bounds.map(|(_, high)| high))]);
        }
        cells
    }
}

/// Returns the names of the columns; with `intervals`, two more per share at the end.
fn columns(intervals: bool) -> Vec<String> {
    let mut columns = vec!["method".to_string(), "pairs".to_string()];
    columns.extend(SHARES.map(String::from));
    columns.extend(["seconds".to_string(), "bytes_per_document".to_string()]);
    if intervals {
        columns.extend(
            SHARES.iter().flat_map(|share| [format!("{share}_low"), format!("{share}_high")]),
        );
    }
    columns
}

/// Returns the table as CSV, with a header. Shares have six decimals, undefined ones are empty.
pub fn csv_table(rows: &[MethodRow], intervals: bool) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns(intervals)).expect(INFALLIBLE);
    rows.iter().for_each(|row| writer.write_record(row.cells(6)).expect(INFALLIBLE));
    writer.into_inner().expect(INFALLIBLE)
}

/// Returns the table as Markdown, with three decimals, followed by notes.
pub fn markdown_table(rows: &[MethodRow], intervals: bool, notes: &[String]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let columns = columns(intervals);
    let rule = (0..columns.len()).map(|column| if column == 0 { "---" } else { "---:" });
    let mut text = line(rule.map(String::from).collect());
    text.insert_str(0, &line(columns));
    rows.iter().for_each(|row| text.push_str(&line(row.cells(3))));
    notes.iter().for_each(|note| text.push_str(&format!("\n{note}\n")));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> MethodRow {
        MethodRow {
            method: "md5".into(),
            pairs: 3,
            shares: [Some(0.5), None, Some(1.0), None, Some(2.0 / 3.0), Some(0.0), None],
            seconds: 0.0625,
            bytes_per_document: 8.0,
            intervals: None,
        }
    }

    #[test]
    fn undefined_shares_are_empty() {
        let table = String::from_utf8(csv_table(&[row()], false)).unwrap();
        let expected = "method,pairs,recall_union,precision_string,precision_cosine,f1,precision_truth,recall_truth,f1_truth,seconds,bytes_per_document\n\
                        md5,3,0.500000,,1.000000,,0.666667,0.000000,,0.062,8.0\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn intervals_follow_the_fixed_columns() {
        let intervals = Some([Some((0.25, 0.75)), None, None, None, None, None, None]);
        let row = MethodRow { intervals, ..row() };
        let table = String::from_utf8(csv_table(&[row], true)).unwrap();
        let (header, values) = table.split_once('\n').unwrap();
        assert!(header.contains(
            ",bytes_per_document,recall_union_low,recall_union_high,precision_string_low,"
        ));
        assert!(
            values.starts_with("md5,3,")
                && values.ends_with(",8.0,0.250000,0.750000,,,,,,,,,,,,\n"),
            "{values}"
        );
    }

    #[test]
    fn markdown_has_a_rule_and_notes() {
        let text = markdown_table(&[row()], false, &["A note.".into()]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("| method | pairs | recall_union |"));
        assert!(lines[1].starts_with("| --- | ---: |"));
        assert!(lines[2].starts_with("| md5 | 3 | 0.500 |  | 1.000 |"));
        assert_eq!(lines[3..], ["", "A note."]);
    }
}
