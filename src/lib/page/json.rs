//! Findings and texts as JSON, short where there are many: pairs and documents are lists whose places have fixed meanings.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Cluster, Document, Histogram, Page, ReportPair, SharedTerm};

/// How many characters of a cluster's first document stand in the table.
const SNIPPET: usize = 140;

/// Everything but the texts. `parts` are the positions of the documents with which the parts of the texts begin.
pub(super) fn write_findings(page: &Page, parts: &[usize], out: impl Write) -> io::Result<()> {
    let mut json = serde_json::Serializer::new(out);
    let mut map = json.serialize_map(None)?;
    map.serialize_entry("title", &page.title)?;
    map.serialize_entry("made_by", &page.made_by)?;
    map.serialize_entry("score", page.score)?;
    map.serialize_entry("threshold", &page.threshold)?;
    map.serialize_entry("least", &page.histogram.least)?;
    let pairs_shown: usize = page.clusters.iter().map(|cluster| cluster.pairs.len()).sum();
    let clusters_shown = page.clusters.iter().filter(|cluster| cluster.number.is_some()).count();
    for (name, count) in [
        ("documents_total", page.documents_total),
        ("copies", page.copies),
        ("removable", page.removable),
        ("pairs_total", page.pairs_total),
        ("pairs_shown", pairs_shown as u64),
        ("clusters_total", page.clusters_total),
        ("clusters_shown", clusters_shown as u64),
        ("text_limit", page.text_limit),
    ] {
        map.serialize_entry(name, &count)?;
    }
    map.serialize_entry("histogram", &page.histogram)?;
    map.serialize_entry("terms", &page.terms)?;
    map.serialize_entry("documents", &page.documents)?;
    map.serialize_entry("text_parts", parts)?;
    map.serialize_entry("clusters", &Clusters(page))?;
    Ok(SerializeMap::end(map)?)
}

/// The texts of some documents.
pub(super) fn write_texts(documents: &[Document], out: impl Write) -> io::Result<()> {
    let texts = documents.iter().map(|document| &document.text);
    Ok(serde_json::Serializer::new(out).collect_seq(texts)?)
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let mut map = json.serialize_map(None)?;
        map.serialize_entry("low", &self.low)?;
        map.serialize_entry("step", &self.step)?;
        map.serialize_entry("counts", &self.counts)?;
        map.end()
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let (is_cut, is_old) = (u8::from(self.is_cut), u8::from(self.is_old));
        (&self.id, self.characters, self.words, is_cut, is_old).serialize(json)
    }
}

/// The clusters, with a look at their first documents.
struct Clusters<'a>(&'a Page);

impl Serialize for Clusters<'_> {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let Clusters(page) = self;
        json.collect_seq(page.clusters.iter().map(|cluster| {
            let text = &page.documents[cluster.first as usize].text;
            WithSnippet(cluster, snippet(text))
        }))
    }
}

struct WithSnippet<'a>(&'a Cluster, String);

impl Serialize for WithSnippet<'_> {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let WithSnippet(cluster, snippet) = self;
        let mut map = json.serialize_map(None)?;
        map.serialize_entry("number", &cluster.number)?;
        map.serialize_entry("size", &cluster.size)?;
        map.serialize_entry("smallest", &cluster.smallest)?;
        map.serialize_entry("mean", &cluster.mean)?;
        map.serialize_entry("is_of_all", &cluster.is_of_all)?;
        map.serialize_entry("first", &cluster.first)?;
        map.serialize_entry("snippet", snippet)?;
        map.serialize_entry("pairs_total", &cluster.pairs_total)?;
        map.serialize_entry("pairs", &cluster.pairs)?;
        map.end()
    }
}

impl Serialize for ReportPair {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        let flat = |shared: &SharedTerm| {
            let SharedTerm { term, share, counts } = *shared;
            [term.into(), share.into(), counts.0, counts.1]
        };
        let terms: Vec<u64> = self.terms.iter().flat_map(flat).collect();
        (self.left, self.right, self.similarity, terms).serialize(json)
    }
}

/// The beginning of a text in one line.
fn snippet(text: &str) -> String {
    let mut line = String::new();
    let mut left = SNIPPET;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(left));
        left = left.saturating_sub(word.chars().take(left).count() + 1);
        if left == 0 {
            line.push('…');
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_one_short_line() {
        assert_eq!(snippet(" a\n\tb  c "), "a b c");
        assert_eq!(snippet(""), "");
        let long = snippet(&"é".repeat(1000));
        assert_eq!(long, "é".repeat(SNIPPET) + "…");
        let words = snippet(&"word ".repeat(1000));
        assert!(words.ends_with('…') && words.chars().count() <= SNIPPET + 1, "{words}");
    }
}
