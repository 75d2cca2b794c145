//! PRINT files: one print per line, with its document.
//!
//! ```text
//! name:fingerprints hex1 hex2 …
//! ```

use std::path::Path;

use crate::error::{Result, check_count};
use crate::files::content::{ContentLines, for_each_batch};
use crate::files::decimal::append_number;
use crate::files::names::Names;
use crate::files::paths::PrintPaths;
use crate::files::sig::parse_word;
use crate::files::unique::NameHashes;
use crate::prints::{Agreement, PrintTable};
use crate::text::split::for_each_item;

/// The start of a line.
const SHAPE: &str = "name:fingerprints";
/// Hexadecimal digits of the largest fingerprint.
const MAX_DIGITS: usize = 16;

/// The prints of a collection and their documents.
#[derive(Debug, Default)]
pub struct Prints {
    /// The documents, in file order.
    pub documents: Names,
    /// Their prints.
    pub table: PrintTable,
}

/// Appends the part of a line after the encoded name: the fingerprints.
pub fn append_print(line: &mut Vec<u8>, print: &[u64]) {
    line.push(b':');
    append_number(line, print.len() as u64);
    for fingerprint in print {
        line.push(b' ');
        append_hexadecimal(line, *fingerprint);
    }
    line.push(b'\n');
}

/// Appends a number without leading zeros.
fn append_hexadecimal(line: &mut Vec<u8>, number: u64) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = (u64::BITS - number.leading_zeros()).div_ceil(4).max(1);
    line.extend((0..digits).rev().map(|at| DIGITS[(number >> (4 * at)) as usize & 15]));
}

/// Reads all prints of a list, in parallel, and checks that no name occurs twice. Memory: the result, 8 bytes per name, and tens of megabytes of
/// text.
pub fn read(list: &Path, header: &PrintPaths) -> Result<Prints> {
    let mut prints = Prints::default();
    let parse = |lines: ContentLines<'_>| Prints::of(lines, header.agreement);
    for_each_batch(&header.files, parse, |_, parts| {
        for part in &parts {
            prints.documents.append(&part.documents);
            prints.table.append(&part.table);
        }
        Ok(())
    })?;
    let mut names = NameHashes::default();
    names.extend(prints.documents.iter());
    names.check(list, &header.files, |line, visit| {
        let (name, ..) = line.record(SHAPE)?;
        visit(&line.name(name)?);
        Ok(())
    })?;
    check_count(list, "documents", header.documents, prints.documents.len() as u64)?;
    Ok(prints)
}

impl Prints {
    /// Parses the prints of some lines, and checks that they have the shape of the agreement.
    fn of(mut lines: ContentLines<'_>, agreement: Agreement) -> Result<Self> {
        let (mut prints, mut print) = (Prints::default(), Vec::new());
        while let Some(line) = lines.next_line()? {
            let (name, stated, items) = line.record(SHAPE)?;
            prints.documents.push(&line.name(name)?);
            print.clear();
            let mut wrong = None;
            for_each_item(items.as_bytes(), |start, end| {
                let (number, is_wrong) = parse_word(&items.as_bytes()[start..end]);
                if is_wrong || end - start > MAX_DIGITS {
                    // The first of several errors is reported.
                    wrong = wrong.or(Some(&items[start..end]));
                }
                print.push(number);
            });
            if let Some(item) = wrong {
                return Err(line.expected("a fingerprint of up to 16 hexadecimal digits", item));
            }
            line.check_items("fingerprints", stated, print.len())?;
            agreement.check(&print).map_err(|expected| line.expected(expected, items))?;
            prints.table.push(&print);
        }
        Ok(prints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fingerprints_are_written_as_by_the_standard_library(print in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..300], 0..4)) {
            let mut line = Vec::new();
            append_print(&mut line, &print);
            let items: String = print.iter().map(|number| format!(" {number:x}")).collect();
            prop_assert_eq!(String::from_utf8(line).unwrap(), format!(":{}{items}\n", print.len()));
        }
    }
}
