//! `extract_similarities`: the pairs of a result as lines of plain numbers.
//!
//! Lines come in the order of the result, fields separated by tabs, names as in the pipeline's files (they hold no tab and no space, so they
//! can be joined with those files): `document other similarity`, or the similarity alone, or per document the number and share of others
//! with a similarity above 0. Similarities are in percent. Memory: one line of the result at a time.

use std::borrow::Cow;
use std::fmt::Write;

use clap::Parser;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::error::{Error, INFALLIBLE, Result};
use crate::executable::values::at_least_one_u64;
use crate::executable::{Counts, Executable, FlagPath, check_streams};
use crate::files::list::{self, Separator};
use crate::files::name;
use crate::files::output::Publisher;
use crate::files::pairs::{PairFile, ResultRow};
use crate::session::Session;

/// Writes the pairs of a result as lines of document, other document and similarity in percent, separated by tabs. Names stay encoded as in
/// the pipeline's files
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "extract_similarities", version, rename_all = "snake_case")]
pub struct ExtractSimilarities {
    /// Result of similarity, hamming or hamming_full, or a table of find_near_dups (TSV, CSV, JSON Lines)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub result: FlagPath,
    /// List every document of a group, not only the first: for results of a whole collection, not of a sample. Tables imply it
    #[arg(long, help_heading = "Input")]
    pub all_pairs: bool,
    /// Write the lines to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// Write the similarities alone
    #[arg(long, help_heading = "Output")]
    pub values_only: bool,
    /// Write per document the number of others with a similarity above 0, and their share of the collection. For a result of similarity
    /// with threshold 0: the share of documents with a positive cosine
    #[arg(
        long,
        help_heading = "Share of positive similarities",
        conflicts_with = "values_only",
        requires = "collection_size"
    )]
    pub positive_share: bool,
    /// Number of documents in the collection
    #[arg(
        long,
        value_name = "N",
        help_heading = "Share of positive similarities",
        requires = "positive_share",
        value_parser = at_least_one_u64
    )]
    pub collection_size: Option<u64>,
    /// Documents that do not count: names separated by white space, such as the list of implanted vectors written by implant_rnd_vecs
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Share of positive similarities",
        requires = "positive_share"
    )]
    pub leave_out: Option<FlagPath>,
    /// Read one name per line from --leave_out, so that names may contain spaces
    #[arg(long, help_heading = "Share of positive similarities", requires = "leave_out")]
    pub lines: bool,
}

impl Executable for ExtractSimilarities {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Write the similarities of a sample for a histogram",
            "extract_similarities --result sim --values_only --out values",
        ),
        (
            "Write the pairs of find_near_dups under both of their documents",
            "extract_similarities --result pairs.tsv.zst --out lines",
        ),
    ];

    /// Writes the lines. Memory: one line of the result; of a table, the names of its documents.
    fn run(&self, session: &Session) -> Result<Counts> {
        let inputs = [("result", Some(&*self.result)), ("leave_out", self.leave_out.as_deref())];
        check_streams("input", &inputs)?;
        let ignored = self.ignored()?;
        let reads = inputs.iter().filter_map(|(_, path)| path.map(Cow::from));
        let mut out = Publisher::new(session, reads).create(&self.out)?;
        let file = PairFile::open(&self.result)?;
        let all_pairs = self.all_pairs || file.is_table();
        let mut rows = file.rows(None, &self.out)?;
        let (mut documents, mut written, mut lines) = (0, 0, String::new());
        while let Some(row) = rows.next_row()? {
            let heads = if all_pairs { row.head.len() } else { 1 };
            documents += heads as u64;
            for document in &row.head[..heads] {
                written += self.append(&mut lines, &row, document, &ignored)?;
            }
            out.write(lines.as_bytes())?;
            lines.clear();
        }
        out.finish()?;
        let what = if self.positive_share { "shares" } else { "similarities" };
        Ok(Counts::new((documents, "documents"), (written, what)))
    }
}

impl ExtractSimilarities {
    /// Appends the lines of one document, and returns their number.
    fn append(
        &self,
        lines: &mut String,
        row: &ResultRow<'_>,
        document: &str,
        ignored: &FxHashSet<String>,
    ) -> Result<u64> {
        if let Some(collection_size) = self.collection_size {
            let positive = self.positive(row, document, collection_size, ignored)?;
            let share = positive as f64 / collection_size as f64;
            writeln!(lines, "{document}\t{positive}\t{share}").expect(INFALLIBLE);
            return Ok(1);
        }
        let mut written = 0;
        for (other, value) in row.matches_of(document) {
            if self.values_only {
                writeln!(lines, "{value}").expect(INFALLIBLE);
            } else {
                writeln!(lines, "{document}\t{other}\t{value}").expect(INFALLIBLE);
            }
            written += 1;
        }
        Ok(written)
    }

    /// Counts the others with a similarity above 0. Fails if there are more than documents.
    fn positive(
        &self,
        row: &ResultRow<'_>,
        document: &str,
        collection_size: u64,
        ignored: &FxHashSet<String>,
    ) -> Result<u64> {
        let counts = |(other, value): &(&str, f64)| *value > 0.0 && !ignored.contains(*other);
        let positive = row.matches_of(document).filter(counts).count() as u64;
        if positive <= collection_size {
            return Ok(positive);
        }
        let expected = format!(
            "at most {collection_size} documents with a similarity above 0 (--collection_size; --leave_out names those that do not count)"
        );
        Err(Error::parse(&self.result, row.number, expected, format!("'{positive}'")))
    }

    /// Reads the names of --leave_out in both spellings they may have: raw as in a `doc_list`, and encoded as in the pipeline's files.
    fn ignored(&self) -> Result<FxHashSet<String>> {
        let mut names = FxHashSet::default();
        let Some(path) = &self.leave_out else { return Ok(names) };
        let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
        for entry in list::read(path, separator)? {
            let text = std::str::from_utf8(&entry.raw).ok();
            names.extend(text.and_then(name::canonical).map(|written| written.into_owned()));
            names.insert(entry.encoded());
        }
        Ok(names)
    }
}
