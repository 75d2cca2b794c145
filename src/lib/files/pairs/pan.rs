//! Passages as PAN's text alignment task writes them: one XML file per suspicious document or pair, with one `feature` element per passage.
//!
//! ```xml
//! <document reference="suspicious-document00001.txt">
//!   <feature name="plagiarism" obfuscation="random" this_offset="0" this_length="100"
//!            source_reference="source-document00001.txt" source_offset="50" source_length="98"/>
//! </document>
//! ```

use std::io::Read;
use std::path::{Path, PathBuf};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::passages::{KnownPassage, PLACE, is_place};
use super::read::FileStart;
use crate::error::{Error, Result, excerpt};
use crate::files::extension;

/// Returns whether a path is a folder.
pub(super) fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.is_dir())
}

/// Reads all XML files below a folder, in the order of their paths.
pub(super) fn read_folder(path: &Path) -> Result<Vec<KnownPassage>> {
    let mut paths = Vec::new();
    find(path, &mut paths)?;
    paths.sort();
    let mut passages = Vec::new();
    for path in paths {
        passages.extend(read_file(FileStart::open(&path)?)?);
    }
    Ok(passages)
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let unreadable = |error| Error::io("read", folder, error);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if is_folder(&path) {
            find(&path, found)?;
        } else if extension(&path) == "xml" {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads an XML file.
pub(super) fn read_file(start: FileStart) -> Result<Vec<KnownPassage>> {
    let FileStart { path, mut reader, .. } = start;
    let mut text = String::new();
    let read = reader.read_to_string(&mut text);
    read.map_err(|error| Error::io("read", &path, error))?;
    PanFile { path: &path, text: &text, suspicious: None, passages: Vec::new() }.read()
}

/// An XML file being read.
struct PanFile<'a> {
    path: &'a Path,
    text: &'a str,
    /// The id of the suspicious document.
    suspicious: Option<String>,
    passages: Vec<KnownPassage>,
}

impl PanFile<'_> {
    fn read(mut self) -> Result<Vec<KnownPassage>> {
        let mut reader = Reader::from_str(self.text);
        loop {
            let event = reader.read_event();
            let at = reader.buffer_position().max(reader.error_position());
            match event.map_err(|error| self.wrong(at, "XML", error.to_string()))? {
                Event::Eof => return Ok(self.passages),
                Event::Start(element) | Event::Empty(element) => self.add(&element, at)?,
                _ => {}
            }
        }
    }

    fn add(&mut self, element: &BytesStart<'_>, at: u64) -> Result<()> {
        match element.local_name().as_ref() {
            "document" => self.suspicious = attribute(element, "reference"),
            // Others describe the document: its authors, its language.
            "feature" if attribute(element, "this_offset").is_some() => {
                let passage = self.passage(element, at)?;
                self.passages.push(passage);
            }
            _ => {}
        }
        Ok(())
    }

    fn passage(&self, element: &BytesStart<'_>, at: u64) -> Result<KnownPassage> {
        let reference = "the attribute 'reference' of a document before its features";
        let missing = || self.wrong(at, reference, "'<feature>'".into());
        Ok(KnownPassage {
            suspicious: self.suspicious.clone().ok_or_else(missing)?,
            place: self.place(element, at, ["this_offset", "this_length"])?,
            source: self.need(element, at, "source_reference")?,
            source_place: self.place(element, at, ["source_offset", "source_length"])?,
            kind: attribute(element, "obfuscation").unwrap_or_default(),
        })
    }

    /// Returns the value of a required attribute.
    fn need(&self, element: &BytesStart<'_>, at: u64, name: &str) -> Result<String> {
        let missing = || self.wrong(at, &format!("the attribute '{name}'"), "none".into());
        attribute(element, name).ok_or_else(missing)
    }

    fn place(&self, element: &BytesStart<'_>, at: u64, names: [&str; 2]) -> Result<[u64; 2]> {
        let number = |name: &str| {
            let text = self.need(element, at, name)?;
            let expected = format!("a whole number in {name}");
            text.parse().map_err(|_| self.wrong(at, &expected, excerpt(&text)))
        };
        let place: [u64; 2] = [number(names[0])?, number(names[1])?];
        let wrong = || self.wrong(at, PLACE, excerpt(&place[1].to_string()));
        is_place(place).then_some(place).ok_or_else(wrong)
    }

    /// Returns an error at a position.
    fn wrong(&self, at: u64, expected: &str, found: String) -> Error {
        let before = &self.text.as_bytes()[..(at as usize).min(self.text.len())];
        let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        Error::parse(self.path, line, expected, found)
    }
}

/// Returns the value of an attribute.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    // Duplicates would be searched in quadratic time.
    let mut attributes = attributes.with_checks(false).flatten();
    let attribute = attributes.find(|attribute| attribute.key.local_name().as_ref() == name)?;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0);
    Some(value.map_or_else(|_| attribute.value.to_string(), |value| value.into_owned()))
}
