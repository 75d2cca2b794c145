//! Chosen fragments of a document: `3-5` are sections, `lines:10-20` lines, `bytes:0-999` bytes.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::Serialize;

use super::document::SectionText;
use super::lines::LineStarts;
use crate::error::{Error, Result};

/// Fragments of a document. Sections and lines count from 1, the last one included; bytes count from 0, the last one excluded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Fragments {
    unit: FragmentUnit,
    /// Pairs of first and last.
    ranges: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FragmentUnit {
    Sections,
    Lines,
    Bytes,
}

const EXPECTED: &str =
    "expected sections such as 3 or 3-5,8, or lines:10-20, or bytes:0-999, ascending";

impl FragmentUnit {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (FragmentUnit::Sections, "sections:", "section"),
        (FragmentUnit::Lines, "lines:", "line"),
        (FragmentUnit::Bytes, "bytes:", "byte"),
    ];

    /// Returns the prefix of a value, and the noun.
    fn names(self) -> (&'static str, &'static str) {
        let known = Self::ALL.iter().find(|(unit, ..)| *unit == self);
        known.map_or(("", ""), |(_, prefix, noun)| (prefix, noun))
    }
}

impl FromStr for Fragments {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let prefixed = FragmentUnit::ALL
            .iter()
            .find_map(|(unit, prefix, _)| text.strip_prefix(prefix).map(|rest| (*unit, rest)));
        let (unit, list) = prefixed.unwrap_or((FragmentUnit::Sections, text));
        let first = if unit == FragmentUnit::Bytes { 0 } else { 1 };
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for part in list.split(',') {
            let range =
                parse_range(part, unit).filter(|(start, end)| *start >= first && start <= end);
            let range =
                range.filter(|(start, _)| ranges.last().is_none_or(|last| last.1 <= *start));
            ranges.push(range.ok_or(EXPECTED)?);
        }
        Ok(Fragments { unit, ranges })
    }
}

/// Parses `3-5`, or `3` for a single one.
fn parse_range(text: &str, unit: FragmentUnit) -> Option<(usize, usize)> {
    match text.split_once('-') {
        Some((start, end)) => Some((start.parse().ok()?, end.parse().ok()?)),
        None if unit == FragmentUnit::Bytes => None,
        None => text.parse().ok().map(|number| (number, number)),
    }
}

impl fmt::Display for Fragments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unit != FragmentUnit::Sections {
            f.write_str(self.unit.names().0)?;
        }
        for (position, (start, end)) in self.ranges.iter().enumerate() {
            let comma = if position > 0 { "," } else { "" };
            match start == end && self.unit != FragmentUnit::Bytes {
                true => write!(f, "{comma}{start}")?,
                false => write!(f, "{comma}{start}-{end}")?,
            }
        }
        Ok(())
    }
}

impl From<Fragments> for String {
    fn from(fragments: Fragments) -> String {
        fragments.to_string()
    }
}

impl Fragments {
    /// Returns the bytes of the fragments, in order.
    ///
    /// # Errors
    /// A fragment beyond the end of the document.
    pub(super) fn resolve(&self, document: &SectionText<'_>) -> Result<Vec<Range<usize>>> {
        let (text, sections) = (document.text(), &document.sections);
        let lines = LineStarts::new(text);
        let last = match self.unit {
            FragmentUnit::Sections => sections.len(),
            FragmentUnit::Lines => lines.count(),
            FragmentUnit::Bytes => text.len(),
        };
        let found = self.ranges.last().map_or(0, |(_, end)| *end);
        if found > last {
            let noun = self.unit.names().1;
            let message =
                format!("--only: expected at most {noun} {last}, the last one, found {found}");
            return Err(Error::Message(message));
        }
        let bytes = |(start, end): &(usize, usize)| match self.unit {
            FragmentUnit::Sections => sections[start - 1].bytes.start..sections[end - 1].bytes.end,
            FragmentUnit::Lines => lines.bytes(*start).start..lines.bytes(*end).end,
            FragmentUnit::Bytes => *start..*end,
        };
        Ok(self.ranges.iter().map(bytes).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::SectionOptions;

    #[test]
    fn values_are_spelled_as_they_are_parsed() {
        for text in ["1", "3-5", "1,3-5,8", "lines:10-20", "lines:7", "bytes:0-10,20-20"] {
            assert_eq!(text.parse::<Fragments>().unwrap().to_string(), text);
        }
        assert_eq!("sections:2".parse::<Fragments>().unwrap().to_string(), "2");
        for wrong in
            ["", "0", "5-3", "a", "1-", "-1", "lines:", "bytes:5", "3,2", "1,,2", "words:1"]
        {
            assert_eq!(wrong.parse::<Fragments>(), Err(EXPECTED.to_string()), "{wrong}");
        }
    }

    #[test]
    fn fragments_beyond_the_end_are_refused() {
        for (only, last) in [("3", "section 2"), ("lines:4-9", "line 3"), ("bytes:0-99", "byte 8")]
        {
            let mut document = SectionText::new("# a\n# b\n", &[], &SectionOptions::default());
            let told = document.restrict(&only.parse().unwrap()).unwrap_err().to_string();
            assert!(told.starts_with(&format!("--only: expected at most {last}")), "{told}");
        }
    }
}
