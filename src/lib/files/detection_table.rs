//! Measures of found passages: one row of all passages and one per kind, as CSV and as text.

use crate::error::INFALLIBLE;
use crate::evaluate::detection::DetectionScores;

/// The columns.
const COLUMNS: [&str; 9] = [
    "kind",
    "cases",
    "detections",
    "document_precision",
    "document_recall",
    "precision",
    "recall",
    "granularity",
    "plagdet",
];

/// Returns the cells of a row; numbers have this many decimals, undefined ones are `missing`.
fn cells(
    (kind, scores): &(String, DetectionScores),
    decimals: usize,
    missing: &str,
) -> Vec<String> {
    let mut cells = vec![kind.clone(), scores.cases.to_string(), scores.detections.to_string()];
    let numbers = [
        scores.document_precision,
        scores.document_recall,
        scores.precision,
        scores.recall,
        scores.granularity,
        scores.plagdet,
    ];
    let number =
        |value: Option<f64>| value.map_or(missing.to_string(), |v| format!("{v:.decimals$}"));
    cells.extend(numbers.map(number));
    cells
}

/// Returns the table as CSV, with a header. Numbers have six decimals, undefined ones are empty.
pub fn csv_table(rows: &[(String, DetectionScores)]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).expect(INFALLIBLE);
    rows.iter().for_each(|row| writer.write_record(cells(row, 6, "")).expect(INFALLIBLE));
    writer.into_inner().expect(INFALLIBLE)
}

/// Returns the table as text, with four decimals and aligned columns.
pub fn text_table(rows: &[(String, DetectionScores)]) -> Vec<u8> {
    let mut table = vec![COLUMNS.map(String::from).to_vec()];
    table.extend(rows.iter().map(|row| cells(row, 4, "-")));
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..COLUMNS.len()).filter_map(width).collect();
    let mut text = String::new();
    for row in &table {
        let cell = |(cell, width): (&String, &usize)| format!("{cell:>width$}");
        text.push_str(&format!("{:<width$}  ", row[0], width = widths[0]));
        let rest: Vec<String> = row[1..].iter().zip(&widths[1..]).map(cell).collect();
        text.push_str(&rest.join("  "));
        text.push('\n');
    }
    text.into_bytes()
}
