//! Results of a search: XML, PAN's XML, JSON Lines, and text with the copied words in capitals.

use std::fmt::Write;
use std::ops::Range;

use serde::Serialize;

use super::aligned::LocatedPassage;
use super::batch::KnownSource;
use super::characters::CharacterCounts;
use super::matches::ParagraphMatch;
use super::query::NgramQuery;
use crate::executable::counted;
use crate::ngrams::store::CatalogueEntry;
use crate::ngrams::xml::{attribute, content};

/// A suspicious document with its sources as results show them, the most similar first.
pub(super) struct SearchReport<'d> {
    /// Its identity and place.
    pub entry: &'d CatalogueEntry,
    pub query: &'d NgramQuery,
    pub sources: &'d [KnownSource],
    /// The number of sources, with those that are not shown.
    pub source_count: usize,
    /// Candidates without a passage.
    pub candidates: &'d [KnownSource],
    /// Whether details are wanted.
    pub has_details: bool,
}

/// A line of JSON Lines.
#[derive(Serialize)]
struct PassageLine<'l> {
    suspicious: &'l str,
    offset: usize,
    length: usize,
    source: &'l str,
    source_offset: Option<usize>,
    source_length: Option<usize>,
    similarity: f64,
    run: usize,
    #[serde(flatten)]
    details: Option<PassageDetails<'l>>,
}

/// What details add to a line.
#[derive(Serialize)]
struct PassageDetails<'l> {
    bytes: [usize; 2],
    source_bytes: Option<[usize; 2]>,
    text: &'l str,
}

/// Returns a share of n-grams.
fn share(common: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

impl SearchReport<'_> {
    /// Returns the share of n-grams that a source holds.
    pub fn share(&self, source: &KnownSource) -> f64 {
        share(source.found.common, self.query.ngrams.len())
    }

    /// Returns the listed paragraphs, each with its matches by source.
    fn paragraphs(&self) -> Vec<(usize, Vec<(usize, &ParagraphMatch)>)> {
        let mut by_paragraph: std::collections::BTreeMap<usize, Vec<(usize, &ParagraphMatch)>> =
            Default::default();
        for (number, source) in self.sources.iter().enumerate() {
            for own in &source.found.paragraphs {
                by_paragraph.entry(own.paragraph).or_default().push((number, own));
            }
        }
        let mut all: Vec<_> = by_paragraph.into_iter().collect();
        // The most similar source first; of equals the one that is more similar on the whole.
        let rank = |(number, own): &(usize, &ParagraphMatch)| {
            (std::cmp::Reverse((own.common, own.run)), *number)
        };
        all.iter_mut().for_each(|(_, sources)| sources.sort_by_key(rank));
        all
    }

    /// Returns the words of a paragraph.
    fn paragraph_words(&self, paragraph: usize) -> Range<usize> {
        let (number, _) = self.query.paragraphs[paragraph];
        self.query.normal.paragraphs()[number].clone()
    }

    /// Appends the document as an element.
    pub fn write_xml(&self, out: &mut String) {
        let query = self.query;
        let counts = CharacterCounts::new(&query.text);
        let (words, ngrams) = (query.normal.len(), query.ngrams.len());
        let id = attribute(&self.entry.id);
        let _ = writeln!(
            out,
            "  <document id=\"{id}\" words=\"{words}\" ngrams=\"{ngrams}\" sources=\"{}\">",
            self.sources.len()
        );
        for source in self.sources {
            self.write_source_xml(source, out);
        }
        for candidate in self.candidates.iter().filter(|_| self.has_details) {
            let (id, score) = (attribute(&candidate.entry.id), candidate.score.unwrap_or(0.0));
            let _ = writeln!(out, "    <candidate id=\"{id}\" score=\"{score:.2}\"/>");
        }
        for (paragraph, sources) in self.paragraphs() {
            let (number, range) = &query.paragraphs[paragraph];
            let bytes = query.normal.bytes(self.paragraph_words(paragraph));
            let (offset, length) = counts.range(bytes.clone());
            let (number, all) = (number + 1, range.len());
            let _ = writeln!(
                out,
                "    <paragraph number=\"{number}\" offset=\"{offset}\" length=\"{length}\" ngrams=\"{all}\">"
            );
            for (source, own) in sources {
                let id = attribute(&self.sources[source].entry.id);
                let (common, run) = (own.common, own.run);
                let share = share(common, all);
                let _ = writeln!(
                    out,
                    "      <source id=\"{id}\" similarity=\"{share:.4}\" ngrams=\"{common}\" run=\"{run}\"/>"
                );
            }
            if self.has_details {
                let _ = writeln!(out, "      <text>{}</text>", content(&query.text[bytes]));
            }
            out.push_str("    </paragraph>\n");
        }
        out.push_str("  </document>\n");
    }

    fn write_source_xml(&self, source: &KnownSource, out: &mut String) {
        let KnownSource { entry, found, passages, .. } = source;
        let (id, share) = (attribute(&entry.id), self.share(source));
        let _ = write!(
            out,
            "    <source id=\"{id}\" similarity=\"{share:.4}\" ngrams=\"{}\" run=\"{}\" by=\"{}\"",
            found.common,
            found.run,
            if found.reaches_limits { "ngrams" } else { "passages" }
        );
        if self.has_details {
            let (path, words) = (attribute(&entry.path.to_string_lossy()), entry.words);
            let _ = write!(out, " path=\"{path}\" line=\"{}\" words=\"{words}\"", entry.line);
            if let Some(score) = source.score {
                let _ = write!(out, " score=\"{score:.2}\"");
            }
        }
        if passages.is_empty() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        for own in passages {
            let ((offset, length), run) = (own.characters, own.run);
            let _ = write!(out, "      <passage offset=\"{offset}\" length=\"{length}\"");
            if let Some((_, (offset, length))) = &own.source {
                let _ = write!(out, " source_offset=\"{offset}\" source_length=\"{length}\"");
            }
            let similarity = own.similarity;
            let _ = writeln!(out, " similarity=\"{similarity:.4}\" run=\"{run}\"/>");
        }
        out.push_str("    </source>\n");
    }

    /// Appends one line per passage.
    pub fn write_jsonl(&self, out: &mut String) {
        for source in self.sources {
            for own in &source.passages {
                let line = serde_json::to_string(&self.passage_line(source, own));
                let _ = writeln!(out, "{}", line.expect("strings and numbers are JSON"));
            }
        }
    }

    fn passage_line<'l>(
        &'l self,
        source: &'l KnownSource,
        own: &LocatedPassage,
    ) -> PassageLine<'l> {
        let LocatedPassage { bytes, characters: (offset, length), similarity, run, .. } = own;
        let place = own.source.as_ref();
        let details = self.has_details.then(|| PassageDetails {
            bytes: [bytes.start, bytes.len()],
            source_bytes: place.map(|(bytes, _)| [bytes.start, bytes.len()]),
            text: &self.query.text[bytes.clone()],
        });
        PassageLine {
            suspicious: &self.entry.id,
            offset: *offset,
            length: *length,
            source: &source.entry.id,
            source_offset: place.map(|(_, (offset, _))| *offset),
            source_length: place.map(|(_, (_, length))| *length),
            similarity: *similarity,
            run: *run,
            details,
        }
    }

    /// Appends a report to read.
    pub fn write_text(&self, out: &mut String) {
        let query = self.query;
        let _ = writeln!(
            out,
            "{}\n  {}, {}, {}",
            self.entry.id,
            counted(query.normal.len() as u64, "words"),
            counted(query.ngrams.len() as u64, "n-grams"),
            counted(self.sources.len() as u64, "sources")
        );
        for source in self.sources {
            let (share, run) = (100.0 * self.share(source), source.found.run);
            let _ = writeln!(out, "  {share:6.2} %  run {run:4}  {}", source.entry.id);
        }
        for (paragraph, sources) in self.paragraphs() {
            let (number, range) = &query.paragraphs[paragraph];
            let _ = writeln!(out, "\n  paragraph {}:", number + 1);
            for (source, own) in &sources {
                let share = 100.0 * share(own.common, range.len());
                let id = &self.sources[*source].entry.id;
                let _ = writeln!(out, "  {share:6.2} %  run {:4}  {id}", own.run);
            }
            let _ = writeln!(out, "    {}", self.marked(paragraph, &sources));
        }
        self.write_passages_text(out);
        out.push('\n');
    }

    /// Appends the passages to read, in the order of the text.
    fn write_passages_text(&self, out: &mut String) {
        let mut all = Vec::new();
        for source in self.sources {
            all.extend(source.passages.iter().map(|own| (own, source)));
        }
        if all.is_empty() {
            return;
        }
        out.push_str("\n  passages:\n");
        all.sort_by_key(|(own, _)| (own.bytes.start, std::cmp::Reverse(own.bytes.end)));
        for (own, source) in all {
            let range = |(offset, length): (usize, usize)| format!("{offset}-{}", offset + length);
            let similarity = 100.0 * own.similarity;
            let (here, run, id) = (range(own.characters), own.run, &source.entry.id);
            let _ = write!(out, "  {similarity:6.2} %  run {run:4}  characters {here} from {id}");
            if let Some((_, characters)) = &own.source {
                let _ = write!(out, " {}", range(*characters));
            }
            out.push('\n');
        }
    }

    /// Returns the text of a paragraph with the words that its sources hold in capitals, on one line.
    fn marked(&self, paragraph: usize, sources: &[(usize, &ParagraphMatch)]) -> String {
        let (query, words) = (self.query, self.paragraph_words(paragraph));
        let mut is_copied = vec![false; words.len()];
        for (source, _) in sources {
            let own = &query.paragraphs[paragraph].1;
            let runs = self.sources[*source].found.runs.iter();
            for run in runs.filter(|run| own.start <= run.start && run.end <= own.end) {
                let copied = query.words(run.clone());
                is_copied[copied.start - words.start..copied.end - words.start].fill(true);
            }
        }
        let mut marked = String::new();
        let mut at = query.normal.bytes(words.clone()).start;
        for (word, is_copied) in words.zip(is_copied) {
            let range = query.normal.bytes(word..word + 1);
            let range = range.start.max(at)..range.end.max(at);
            marked.push_str(&query.text[at..range.start]);
            let own = &query.text[range.clone()];
            if is_copied {
                marked.push_str(&own.to_uppercase())
            } else {
                marked.push_str(own)
            }
            at = range.end;
        }
        marked.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
