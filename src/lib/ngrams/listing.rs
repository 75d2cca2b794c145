//! Documents, counts and hashes of an index as tables.

use clap::ValueEnum;
use serde::Serialize;
use serde_json::json;

use super::kinds::NgramKind;
use super::store::{CatalogueEntry, LengthCounts, NgramStore, StoreCounts};
use super::xml::{XML_HEAD, attribute};
use crate::error::Result;
use crate::files::output::Output;
use crate::files::pairs::escape;

/// Form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListForm {
    /// Tab-separated values with a header
    #[default]
    Tsv,
    /// One JSON object per line
    Jsonl,
    /// XML
    Xml,
}

/// Writes all documents. Returns their number.
pub(super) fn write_documents(
    store: &dyn NgramStore,
    form: ListForm,
    out: &mut Output,
) -> Result<u64> {
    out.write(
        match form {
            ListForm::Tsv => "id\tpath\tline\twords\tngrams\n".into(),
            ListForm::Jsonl => String::new(),
            ListForm::Xml => format!("{XML_HEAD}<documents>\n"),
        }
        .as_bytes(),
    )?;
    let mut documents = 0;
    store.for_each_entry(&mut |_, entry| {
        documents += 1;
        out.write(document_line(&entry, form).as_bytes())
    })?;
    if form == ListForm::Xml {
        out.write(b"</documents>\n")?;
    }
    Ok(documents)
}

/// Returns the kinds of n-grams with their counts.
fn kinds(ngrams: &[(usize, u64)]) -> impl Iterator<Item = (NgramKind, u64)> {
    ngrams.iter().map(|(key, count)| (NgramKind::of_key(*key), *count))
}

fn document_line(entry: &CatalogueEntry, form: ListForm) -> String {
    let CatalogueEntry { id, line, words, ngrams, .. } = entry;
    let path = entry.path.to_string_lossy();
    match form {
        ListForm::Tsv => {
            let counts = kinds(ngrams).map(|(kind, count)| format!("{kind}:{count}"));
            let counts = counts.collect::<Vec<_>>().join(",");
            format!("{}\t{}\t{line}\t{words}\t{counts}\n", escape(id), escape(&path))
        }
        ListForm::Jsonl => {
            let count = |(kind, count): (NgramKind, u64)| json!({"n": kind, "count": count});
            let counts: Vec<_> = kinds(ngrams).map(count).collect();
            let object =
                json!({"id": id, "path": path, "line": line, "words": words, "ngrams": counts});
            format!("{object}\n")
        }
        ListForm::Xml => {
            let count = |(kind, count): (NgramKind, u64)| {
                format!("    <ngrams n=\"{kind}\" count=\"{count}\"/>\n")
            };
            let counts: String = kinds(ngrams).map(count).collect();
            let (id, path) = (attribute(id), attribute(&path));
            format!(
                "  <document id=\"{id}\" path=\"{path}\" line=\"{line}\" words=\"{words}\">\n{counts}  </document>\n"
            )
        }
    }
}

/// Returns the expected number of pairs of different n-grams with the same hash of 64 bits.
fn expected_collisions(distinct: u64) -> f64 {
    let distinct = distinct as f64;
    distinct * (distinct - 1.0).max(0.0) / 2.0 / 2f64.powi(64)
}

/// Returns counts of an index as a table.
pub(super) fn statistics(counts: &StoreCounts, form: ListForm) -> String {
    let StoreCounts { documents, removed, segments, bytes, lengths } = counts;
    let per_posting = |own: &LengthCounts| own.bytes as f64 / (own.postings.max(1)) as f64;
    let row = |(key, own): &(usize, LengthCounts)| {
        let kind = NgramKind::of_key(*key);
        let LengthCounts { postings, distinct, bytes } = own;
        let (each, collisions) = (per_posting(own), expected_collisions(*distinct));
        match form {
            ListForm::Tsv => {
                format!("{kind}\t{postings}\t{distinct}\t{bytes}\t{each:.3}\t{collisions:.3e}\n")
            }
            ListForm::Jsonl => json!({
                "n": kind, "postings": postings, "distinct": distinct, "bytes": bytes,
                "bytes_per_posting": each, "expected_collisions": collisions,
            })
            .to_string(),
            ListForm::Xml => format!(
                "  <ngrams n=\"{kind}\" postings=\"{postings}\" distinct=\"{distinct}\" bytes=\"{bytes}\" bytes_per_posting=\"{each:.3}\" expected_collisions=\"{collisions:.3e}\"/>\n"
            ),
        }
    };
    let rows: Vec<String> = lengths.iter().map(row).collect();
    match form {
        ListForm::Tsv => format!(
            "documents\tremoved\tsegments\tbytes\n{documents}\t{removed}\t{segments}\t{bytes}\n\nn\tpostings\tdistinct\tbytes\tbytes_per_posting\texpected_collisions\n{}",
            rows.concat()
        ),
        ListForm::Jsonl => format!(
            "{{\"documents\":{documents},\"removed\":{removed},\"segments\":{segments},\"bytes\":{bytes},\"ngrams\":[{}]}}\n",
            rows.join(",")
        ),
        ListForm::Xml => format!(
            "{XML_HEAD}<statistics documents=\"{documents}\" removed=\"{removed}\" segments=\"{segments}\" bytes=\"{bytes}\">\n{}</statistics>\n",
            rows.concat()
        ),
    }
}

/// Writes the hashes of all documents, one line per document and kind: id, n, hashes in hexadecimal. Returns the number of lines.
pub(super) fn write_hashes(
    store: &dyn NgramStore,
    form: ListForm,
    out: &mut Output,
) -> Result<u64> {
    let mut lines = 0;
    store.for_each_hash_list(&mut |entry, key, hashes| {
        let kind = NgramKind::of_key(key);
        lines += 1;
        let spelled: Vec<String> = hashes.iter().map(|hash| format!("{hash:016x}")).collect();
        let line = match form {
            ListForm::Jsonl => {
                format!("{}\n", json!({"id": entry.id, "n": kind, "hashes": spelled}))
            }
            _ => format!("{}\t{kind}\t{}\n", escape(&entry.id), spelled.join(" ")),
        };
        out.write(line.as_bytes())
    })?;
    Ok(lines)
}
