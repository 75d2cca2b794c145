//! The merge of tables.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::read::merge_records;
use super::rows::{PartRow, PartRows, values};
use super::table::{COLUMN_COUNT, COPY_COUNT, PART_COLUMNS};
use crate::error::{Error, Result, excerpt};
use crate::files::output::Publisher;
use crate::files::pairs::form::TableForm;
use crate::files::pairs::table::{PAIR_COLUMNS, TableCell, TableFile, TableWriter};
use crate::files::parts::Parts;

/// Maximum number of documents in a group of copies of which every pair is listed.
const MAX_LISTED_COPIES: usize = 1000;
/// Flag that lists all of them.
const ALL_COPIES: &str = "all_copies";

/// Merges the rows of all parts and returns their number.
pub(super) fn merge(parts: &Parts, publisher: &Publisher<'_>, out: &Path) -> Result<u64> {
    merge_short(parts, publisher, out, MAX_LISTED_COPIES)
}

/// [`merge`] with a given maximum of listed copies.
pub(super) fn merge_short(
    parts: &Parts,
    publisher: &Publisher<'_>,
    out: &Path,
    max_copies: usize,
) -> Result<u64> {
    let file = TableFile::create(publisher, out)?;
    let is_wide = column_count(parts)? == PART_COLUMNS.len();
    let columns = if is_wide { PAIR_COLUMNS } else { &PAIR_COLUMNS[..PAIR_COLUMNS.len() - 2] };
    let mut table = TableWriter::begin(file, columns)?;
    let unlisted = unlisted(parts, max_copies)?;
    let mut count = 0;
    for_each_row(parts, |form, part, [low, high], row| {
        let is_short = unlisted.contains(&high) && !row.is_copy;
        if is_short || unlisted.contains(&low) {
            return Ok(());
        }
        count += 1;
        if form == table.form {
            table.out.write(row.text.as_bytes())?;
            return table.out.write(b"\n");
        }
        let wrong = || {
            let path = &parts.paths[part];
            Error::parse(path, row.line, "a row of a table of pairs", excerpt(&row.text))
        };
        let values = values(form, &row.text).ok_or_else(wrong)?;
        let mut cells: Vec<TableCell> = values.iter().map(|text| TableCell::Text(text)).collect();
        let cosine: f64 = values[0].parse().map_err(|_| wrong())?;
        // Cosines have at most eight decimals.
        cells[0] = TableCell::Similarity((cosine * 1e8).round() / 1e6);
        if cells.len() != columns.len() {
            return Err(wrong());
        }
        table.row(&cells)
    })?;
    publisher.publish(vec![vec![table.out.close()?]])?;
    Ok(count)
}

/// Returns the number of columns of the parts, which is the same for all.
fn column_count(parts: &Parts) -> Result<usize> {
    let count = |part: usize| parts.manifests[part].provenance.counted(COLUMN_COUNT).unwrap_or(0);
    let first = count(0);
    match (1..parts.paths.len()).find(|part| count(*part) != first) {
        None => Ok(first as usize),
        Some(other) => {
            let found = count(other).to_string();
            let paths = &parts.paths;
            Err(Error::mismatch(
                &paths[other],
                "number of columns",
                first.to_string(),
                &paths[0],
                &found,
            ))
        }
    }
}

/// Returns the documents of groups of more than `max` copies but the first of each, of which only the pair with that first is listed.
///
/// Parts may list more, because they know only a part of a group. Rows come by their lower document, so the first of a large group is the lowest of
/// it: it has a row with each of the others, which are known from then on.
fn unlisted(parts: &Parts, max: usize) -> Result<FxHashSet<u64>> {
    let mut unlisted = FxHashSet::default();
    let provenances = || parts.manifests.iter().map(|part| &part.provenance);
    let copies: u64 = provenances().filter_map(|one| one.counted(COPY_COUNT)).sum();
    if provenances().any(|one| one.has_flag(ALL_COPIES)) || copies < max as u64 {
        return Ok(unlisted);
    }
    let (mut first, mut others) = (0, Vec::new());
    let mut end = |first: u64, others: &[u64]| {
        if others.len() >= max && !unlisted.contains(&first) {
            unlisted.extend(others);
        }
    };
    for_each_row(parts, |_, _, [low, high], row| {
        if low != first {
            end(first, &others);
            (first, others) = (low, Vec::new());
        }
        if row.is_copy {
            others.push(high);
        }
        Ok(())
    })?;
    end(first, &others);
    Ok(unlisted)
}

/// Calls `visit` with the form of the parts and every row of all, by ascending keys, and the position of its part. Rows of several parts come once.
pub(super) fn for_each_row(
    parts: &Parts,
    mut visit: impl FnMut(TableForm, usize, [u64; 2], &PartRow) -> Result<()>,
) -> Result<()> {
    let open = |position| PartRows::open(parts, position);
    let opened = (0..parts.paths.len()).map(open).collect::<Result<Vec<_>>>()?;
    let form = common_form(parts, &opened)?;
    merge_records(opened, |keys, rows| {
        let (first, row) = &rows[0];
        for (other, found) in &rows[1..] {
            if row.text != found.text || row.is_copy != found.is_copy {
                let what = format!("row {} {}", keys[0], keys[1]);
                let [expected, found] = [row, found].map(|row| excerpt(&row.text));
                let [first, other] = [first, other].map(|part| &parts.paths[*part]);
                return Err(Error::mismatch(other, &what, expected, first, &found));
            }
        }
        visit(form, *first, keys, row)
    })
}

/// Returns the form of all parts that have rows.
fn common_form(parts: &Parts, opened: &[PartRows]) -> Result<TableForm> {
    let mut forms = opened.iter().enumerate().filter_map(|(at, rows)| Some((at, rows.form?)));
    let Some((first, form)) = forms.next() else { return Ok(TableForm::JsonLines) };
    match forms.find(|(_, other)| *other != form) {
        None => Ok(form),
        Some((at, _)) => {
            let first = parts.paths[first].display();
            let message = format!("expected a table in the form of {first}, found another one");
            Err(Error::in_file(&parts.paths[at], message))
        }
    }
}
