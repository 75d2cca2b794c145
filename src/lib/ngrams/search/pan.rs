//! Results in the XML of PAN's text alignment: one `document` per suspicious document, one `feature` per passage.

use std::borrow::Cow;
use std::fmt::Write;

use super::aligned::LocatedPassage;
use super::report::SearchReport;
use crate::ngrams::store::CatalogueEntry;
use crate::ngrams::xml::attribute;

impl SearchReport<'_> {
    /// Appends the document as the root element of PAN's evaluators.
    pub fn write_pan(&self, out: &mut String) {
        let _ = writeln!(out, "<document reference=\"{}\">", attribute(&reference(self.entry)));
        for source in self.sources {
            let id = attribute(&reference(&source.entry));
            source.passages.iter().for_each(|passage| write_feature(passage, &id, out));
        }
        out.push_str("</document>\n");
    }
}

/// Appends a passage; one without a place in the source has none here.
fn write_feature(passage: &LocatedPassage, source: &str, out: &mut String) {
    let (offset, length) = passage.characters;
    let _ = write!(
        out,
        "  <feature name=\"detected-plagiarism\" this_offset=\"{offset}\" this_length=\"{length}\" source_reference=\"{source}\""
    );
    if let Some((_, (offset, length))) = &passage.source {
        let _ = write!(out, " source_offset=\"{offset}\" source_length=\"{length}\"");
    }
    out.push_str("/>\n");
}

/// Returns how PAN refers to a document: the name of its file without folders; the id of a record.
fn reference(entry: &CatalogueEntry) -> Cow<'_, str> {
    let name = entry.path.file_name().map(|name| name.to_string_lossy());
    name.filter(|name| entry.id.ends_with(&**name)).unwrap_or(Cow::Borrowed(&entry.id))
}

/// Returns the name of a document's results without the extension `.xml`. Evaluators look at most one folder deep, so it has no folder.
pub(super) fn pan_name(entry: &CatalogueEntry) -> String {
    let name = reference(entry);
    let is_file = name != entry.id || !entry.path.as_os_str().is_empty() && entry.line == 0;
    let stem = name.rsplit_once('.').filter(|(stem, _)| is_file && !stem.is_empty());
    stem.map_or(&*name, |(stem, _)| stem).replace('/', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_without_folders_and_records_by_their_ids() {
        let entry = |id: &str, path: &str, line| CatalogueEntry {
            id: id.into(),
            path: path.into(),
            line,
            ..CatalogueEntry::default()
        };
        let file = entry("p:/a/suspicious-document1.txt", "/a/suspicious-document1.txt", 0);
        assert_eq!(
            (&*reference(&file), &*pan_name(&file)),
            ("suspicious-document1.txt", "suspicious-document1")
        );
        let record = entry("x/1.5", "/a/all.jsonl", 7);
        assert_eq!((&*reference(&record), &*pan_name(&record)), ("x/1.5", "x_1.5"));
        let line = entry("/a/all.txt:7", "/a/all.txt", 7);
        assert_eq!((&*reference(&line), &*pan_name(&line)), ("/a/all.txt:7", "_a_all.txt:7"));
        let pipe = entry("-", "", 0);
        assert_eq!((&*reference(&pipe), &*pan_name(&pipe)), ("-", "-"));
    }
}
