//! Rows of CSV and TSV files as JSON Lines.

use std::fmt;
use std::io;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::{RecordConverter, malformed, push_escaped, push_string, reject};

/// Bytes of a field that are converted at once.
const FIELD_BYTES: usize = 4 << 10;
/// The largest header in bytes. Its names are repeated in every line.
const MAX_HEADER: usize = 64 << 10;
/// Delimiters that are detected, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// How the fields of a table are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct CsvDialect {
    /// The byte between fields.
    pub delimiter: u8,
    /// Whether fields that begin with `"` end with it.
    pub has_quotes: bool,
}

impl CsvDialect {
    /// Detects the dialect from the first bytes of a table, or from `is_all` of them. Its delimiter is the most frequent one in the header, unless it
    /// is given.
    ///
    /// Quotation marks are quotes, unless the table was written without quoting: text follows a closing mark, or the only mark is never closed, and
    /// without quotes all rows have as many fields as the header.
    pub fn detect(start: &[u8], is_all: bool, delimiter: Option<u8>) -> Self {
        let delimiter = delimiter.unwrap_or_else(|| {
            let fields = |delimiter: u8| CsvDialect { delimiter, has_quotes: true }.header(start);
            let count = |delimiter: &u8| fields(*delimiter).map_or(0, |header| header.len());
            // The last of equals is chosen.
            DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',')
        });
        let [quoted, plain] = [true, false].map(|has_quotes| CsvDialect { delimiter, has_quotes });
        let is_plain = !quoted.has_clean_quotes(start, is_all) && plain.is_even(start);
        if is_plain { plain } else { quoted }
    }

    fn reader(self) -> Reader {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(self.delimiter).quoting(self.has_quotes).build()
    }

    /// Returns the column names of a table that begins like this, unless the header is longer.
    pub fn header(self, start: &[u8]) -> Option<Vec<String>> {
        let rows = self.rows(start);
        let name = |field: &Vec<u8>| String::from_utf8_lossy(field).into_owned();
        rows.first().map(|row| row.iter().map(name).collect())
    }

    /// Returns whether every quoted field of a sample ends at a delimiter or at the end of a row. The last one may go on behind the sample, or be cut
    /// off at the end of a table that has other quoted fields.
    fn has_clean_quotes(self, start: &[u8], is_all: bool) -> bool {
        let is_end = |byte: u8| byte == self.delimiter || matches!(byte, b'\r' | b'\n');
        let (mut at, mut before, mut has_closed) = (0, b'\n', false);
        while let Some(byte) = start.get(at) {
            at += 1;
            if *byte == b'"' && is_end(before) {
                let Some(length) = quoted_length(&start[at..]) else {
                    return !is_all || has_closed;
                };
                (at, has_closed) = (at + length, true);
                if start.get(at).is_some_and(|next| !is_end(*next)) {
                    return false;
                }
            }
            before = start[at - 1];
        }
        true
    }

    /// Returns whether all whole rows of a sample have equally many fields.
    fn is_even(self, start: &[u8]) -> bool {
        let rows = self.rows(start);
        rows.iter().all(|row| row.len() == rows[0].len())
    }

    /// Returns the rows of a sample that end in it.
    fn rows(self, start: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let (mut reader, mut rest) = (self.reader(), start);
        let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), vec![0; start.len().max(1)]);
        while !rest.is_empty() {
            let (result, read, written) = reader.read_field(rest, &mut field);
            rest = &rest[read..];
            let ReadFieldResult::Field { record_end } = result else { break };
            row.push(field[..written].to_vec());
            if record_end {
                rows.push(std::mem::take(&mut row));
            }
        }
        rows
    }
}

/// Returns the length of a quoted field behind its opening mark, with the closing one.
fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', &bytes[at..])? + 1;
        match bytes.get(at) {
            Some(b'"') => at += 1,
            _ => return Some(at),
        }
    }
}

/// Converts rows to objects with the names of the header. The line of an object is that of the row.
pub(in super::super) struct CsvConverter {
    reader: Reader,
    field: Vec<u8>,
    header: Vec<Vec<u8>>,
    has_header: bool,
    /// Bytes of the header.
    header_bytes: usize,
    place: Place,
    /// Number of complete fields of the row.
    fields: usize,
    /// Line breaks read and written.
    read_breaks: u64,
    written_breaks: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    BeforeRow,
    BeforeField,
    Field,
}

impl CsvConverter {
    pub fn new(dialect: CsvDialect) -> Self {
        CsvConverter {
            reader: dialect.reader(),
            field: vec![0; FIELD_BYTES],
            header: Vec::new(),
            has_header: false,
            header_bytes: 0,
            place: Place::BeforeRow,
            fields: 0,
            read_breaks: 0,
            written_breaks: 0,
        }
    }

    /// Skips the line breaks before a row, and writes as many.
    fn skip_breaks<'b>(&mut self, bytes: &'b [u8], lines: &mut Vec<u8>) -> &'b [u8] {
        let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let end = bytes.iter().position(|byte| !is_break(byte)).unwrap_or(bytes.len());
        self.count_breaks(&bytes[..end]);
        if end < bytes.len() {
            let missing = self.read_breaks.saturating_sub(self.written_breaks);
            self.write_breaks(missing, lines);
        }
        &bytes[end..]
    }

    fn count_breaks(&mut self, bytes: &[u8]) {
        self.read_breaks += memchr::memchr_iter(b'\n', bytes).count() as u64;
    }

    fn write_breaks(&mut self, count: u64, lines: &mut Vec<u8>) {
        lines.resize(lines.len() + count as usize, b'\n');
        self.written_breaks += count;
    }

    /// Reads a part of a field; returns how many bytes it took and what the part is.
    fn read_part(
        &mut self,
        bytes: &[u8],
        lines: &mut Vec<u8>,
    ) -> io::Result<(usize, ReadFieldResult)> {
        let (result, read, written) = self.reader.read_field(bytes, &mut self.field);
        self.count_breaks(&bytes[..read]);
        if result != ReadFieldResult::End {
            self.push(written, lines)?;
        }
        if let ReadFieldResult::Field { record_end } = result {
            self.end_field(record_end, lines);
        }
        Ok((read, result))
    }

    /// Appends the first `count` bytes of the field buffer to the field.
    fn push(&mut self, count: usize, lines: &mut Vec<u8>) -> io::Result<()> {
        let begins = self.place != Place::Field;
        if self.has_header {
            if begins {
                lines.push(if self.fields == 0 { b'{' } else { b',' });
                let name = self.header.get(self.fields).map_or(&b""[..], |name| name);
                push_string(name, lines);
                lines.extend_from_slice(b":\"");
            }
            push_escaped(&self.field[..count], lines);
        } else {
            if begins {
                self.header.push(Vec::new());
            }
            self.header_bytes += count;
            if self.header_bytes > MAX_HEADER {
                let expected = format!("a CSV header of at most {MAX_HEADER} bytes");
                return Err(malformed(expected, "a longer one"));
            }
            let name = self.header.last_mut().expect("a name has begun");
            name.extend_from_slice(&self.field[..count]);
        }
        self.place = Place::Field;
        Ok(())
    }

    fn end_field(&mut self, is_last: bool, lines: &mut Vec<u8>) {
        self.place = if is_last { Place::BeforeRow } else { Place::BeforeField };
        self.fields += 1;
        if self.has_header {
            lines.push(b'"');
        }
        if is_last {
            self.end_row(lines);
        }
    }

    fn end_row(&mut self, lines: &mut Vec<u8>) {
        let (expected, found) = (self.header.len(), self.fields);
        match () {
            () if !self.has_header => self.write_breaks(1, lines),
            () if expected == found => {
                lines.push(b'}');
                self.write_breaks(1, lines);
            }
            () => {
                let what = "fields as in the header";
                reject(&format!("expected {expected} {what}, found {found}"), lines);
                self.written_breaks += 1;
            }
        }
        self.has_header = true;
        self.fields = 0;
    }
}

impl RecordConverter for CsvConverter {
    fn convert(&mut self, bytes: &[u8], lines: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = bytes;
        loop {
            if self.place == Place::BeforeRow {
                rest = self.skip_breaks(rest, lines);
            }
            if rest.is_empty() {
                return Ok(());
            }
            let (read, _) = self.read_part(rest, lines)?;
            rest = &rest[read..];
        }
    }

    /// Ends the last row. A line break that becomes part of the field shows that a quotation mark is open.
    fn finish(&mut self, lines: &mut Vec<u8>) -> io::Result<()> {
        if self.place == Place::BeforeRow {
            return Ok(());
        }
        loop {
            match self.read_part(b"\n", lines)?.1 {
                ReadFieldResult::OutputFull => (),
                ReadFieldResult::Field { record_end: true } => return Ok(()),
                _ => break,
            }
        }
        reject("expected a closing quotation mark, found the end of the file", lines);
        Ok(())
    }
}

/// Returns a converted line as a row of a table again, and the header of that table. Fields keep their bytes, also in an encoding other than UTF-8.
pub(in super::super) fn csv_row(line: &[u8], dialect: CsvDialect) -> Option<[Vec<u8>; 2]> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let fields = json.deserialize_map(FieldVisitor).ok()?;
    let (names, values): (Vec<FieldBytes>, Vec<FieldBytes>) = fields.into_iter().unzip();
    let row = |fields: Vec<FieldBytes>| {
        let mut builder = ::csv::WriterBuilder::new();
        if !dialect.has_quotes {
            builder.quote_style(::csv::QuoteStyle::Never);
        }
        let mut writer = builder.delimiter(dialect.delimiter).from_writer(Vec::new());
        writer.write_record(fields.iter().map(|field| &field.0)).ok()?;
        writer.into_inner().ok()
    };
    Some([row(values)?, row(names)?])
}

/// Collects the fields of an object in their order.
struct FieldVisitor;

impl<'a> Visitor<'a> for FieldVisitor {
    type Value = Vec<(FieldBytes, FieldBytes)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

/// A string whose bytes need not be UTF-8.
struct FieldBytes(Vec<u8>);

impl<'a> Deserialize<'a> for FieldBytes {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = FieldBytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<FieldBytes, E> {
        Ok(FieldBytes(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rejection;
    use super::super::testing::converted;
    use super::*;
    use proptest::prelude::*;

    fn lines(content: &str) -> Vec<String> {
        let dialect = CsvDialect::detect(content.as_bytes(), true, None);
        let results = [1, 5, 1000].map(|size| {
            let (lines, error) = converted(CsvConverter::new(dialect), content.as_bytes(), size);
            assert_eq!(error, None);
            lines
        });
        assert!(results.iter().all(|lines| *lines == results[0]));
        results[0].split('\n').map(String::from).collect()
    }

    #[test]
    fn rows_become_objects_in_their_lines() {
        let content = "id,text\r\n\r\n1,\"a \"\"b\"\"\nc\"\r\n2,\"\"\n3,d";
        let expected = ["", "", r#"{"id":"1","text":"a \"b\"\nc"}"#, "", r#"{"id":"2","text":""}"#];
        let found = lines(content);
        assert_eq!(found[..5], expected);
        assert_eq!(found[5..], [r#"{"id":"3","text":"d"}"#, ""]);
    }

    #[test]
    fn rows_of_another_length_and_open_quotes_are_rejected() {
        let found = lines("a,b\n1,2\n3\n4,5,6\n7,\"8\n");
        let reasons: Vec<Option<String>> =
            found.iter().map(|line| rejection(line.as_bytes())).collect();
        let why = |count| Some(format!("expected 2 fields as in the header, found {count}"));
        assert_eq!(reasons[..4], [None, None, why(1), why(3)]);
        assert!(reasons[4].as_ref().unwrap().contains("closing quotation mark"));
    }

    #[test]
    fn dialects_are_detected() {
        for (content, delimiter, has_quotes) in [
            ("a,b;c,d\n", b',', true),
            ("a;b\n1,5;2\n", b';', true),
            ("a\tb\n", b'\t', true),
            ("a|b|c\n", b'|', true),
            ("text\n", b',', true),
            ("id\ttext\n1\t\"Hello\n2\tit's 5\" long\n3\t\"x\" y\n", b'\t', false),
            ("id\ttext\n1\t\"a\tb\nc\"\n", b'\t', true),
            ("id\ttext\n1\ta\n2\t\"Hello\n", b'\t', false),
            ("id\ttext\n1\t\"a\"\n2\t\"Hel", b'\t', true),
            ("id\ttext\n1\t\"a\nb\n", b'\t', true),
        ] {
            let expected = CsvDialect { delimiter, has_quotes };
            assert_eq!(CsvDialect::detect(content.as_bytes(), true, None), expected, "{content:?}");
        }
        let longer = CsvDialect::detect(b"id\ttext\n1\ta\n2\t\"Hello\n", false, None);
        assert!(longer.has_quotes);
    }

    #[test]
    fn rows_keep_bytes_that_are_not_utf_8() {
        let dialect = CsvDialect { delimiter: b',', has_quotes: true };
        let content = b"id,n\xe9v\n1,\"caf\xe9, \xff\"\n";
        let (mut lines, mut converter) = (Vec::new(), CsvConverter::new(dialect));
        converter.convert(content, &mut lines).unwrap();
        let line = lines.split(|byte| *byte == b'\n').nth(1).unwrap();
        let [row, header] = csv_row(line, dialect).unwrap();
        assert_eq!([header, row].concat(), content);
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_csv_crate_and_read_back(
            rows in prop::collection::vec(prop::collection::vec("[a\",;\t\n\r é|{\\\\]{0,6}", 3), 2..8),
            size in 1usize..30,
        ) {
            let mut writer = ::csv::Writer::from_writer(Vec::new());
            let header = ["id", "text", "other"];
            writer.write_record(header).unwrap();
            // A row of empty fields only is blank in no form with several columns.
            rows.iter().for_each(|row| writer.write_record(row).unwrap());
            let content = writer.into_inner().unwrap();
            let dialect = CsvDialect { delimiter: b',', has_quotes: true };
            let (lines, error) = converted(CsvConverter::new(dialect), &content, size);
            prop_assert_eq!(error, None);
            let objects: Vec<&str> = lines.split('\n').filter(|line| !line.is_empty()).collect();
            prop_assert_eq!(objects.len(), rows.len());
            for (object, row) in objects.iter().zip(&rows) {
                let value: serde_json::Value = serde_json::from_str(object).unwrap();
                for (name, field) in header.iter().zip(row) {
                    prop_assert_eq!(&value[name], field);
                }
                let mut again = ::csv::Writer::from_writer(Vec::new());
                again.write_record(row).unwrap();
                let [found, names] = csv_row(object.as_bytes(), dialect).unwrap();
                prop_assert_eq!(found, again.into_inner().unwrap());
                prop_assert_eq!(names, b"id,text,other\n");
            }
        }
    }
}
