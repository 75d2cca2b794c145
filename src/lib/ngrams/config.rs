//! Configuration files of n-gram rules: TOML with the keys of [`NgramRules`], or the XML elements of Pekař's `config.xml`.
//!
//! ```toml
//! paragraphs = "lines"
//! delete_chars = ".,:;!"
//! stop_words = ["a", "the"]
//!
//! [types.html]              # other rules for files that end in .html
//! paragraphs = "blank_lines"
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde::Deserialize;

use super::rules::{NgramConfig, NgramRules, ParagraphRule};
use crate::error::{Error, Result, excerpt};
use crate::files::input;
use crate::text::WordRule;

/// The table of rules by file type.
const TYPES: &str = "types";

/// Reads a configuration file. A file that begins with `<` is XML.
///
/// # Errors
/// An unknown key or element, or a value of the wrong kind, with its line.
pub fn read_config(path: &Path) -> Result<NgramConfig> {
    let content = input::read_all(path)?;
    let text = String::from_utf8(content)
        .map_err(|_| Error::in_file(path, "expected UTF-8, found other bytes"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match text.trim_start().starts_with('<') {
        true => XmlConfig::read(text).map_err(|(at, expected, found)| {
            Error::parse(path, line_of(text, at), expected, found)
        }),
        false => read_toml(path, text),
    }
}

fn line_of(text: &str, at: usize) -> u64 {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u64
}

fn read_toml(path: &Path, text: &str) -> Result<NgramConfig> {
    let wrong = |error: toml::de::Error| {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
        Error::parse(path, line, "n-gram rules", error.message())
    };
    let mut table: toml::Table = toml::from_str(text).map_err(wrong)?;
    let types = table.remove(TYPES);
    let rules = NgramRules::deserialize(table.clone()).map_err(wrong)?;
    let types = types.map(BTreeMap::<String, toml::Table>::deserialize).transpose();
    let merged = |(name, own): (String, toml::Table)| {
        let mut all = table.clone();
        all.extend(own);
        Ok((name.to_lowercase(), NgramRules::deserialize(all).map_err(wrong)?))
    };
    let types = types.map_err(wrong)?.unwrap_or_default().into_iter().map(merged);
    Ok(NgramConfig { rules, types: types.collect::<Result<_>>()? })
}

/// A place in the file, what was expected there, and what was found.
type XmlFault = (usize, &'static str, String);

/// The elements of Pekař's configuration. Words are between spaces and keep their case.
struct XmlConfig {
    rules: NgramRules,
    /// The open elements, except the root.
    open: Vec<String>,
}

/// Elements that are read.
const ELEMENTS: &str =
    "new_line, new_line_tags, nlt, delete_tags, dt, delete_chars, stopwords, sw, host or index";

impl XmlConfig {
    /// Reads the elements below any root, or without one.
    fn read(text: &str) -> Result<NgramConfig, XmlFault> {
        let rules = NgramRules {
            words: WordRule::WhiteSpace,
            fold: false,
            homoglyphs: false,
            paragraphs: ParagraphRule::Lines,
            ..NgramRules::default()
        };
        let mut config = XmlConfig { rules, open: Vec::new() };
        let mut reader = Reader::from_str(text);
        loop {
            let at = reader.buffer_position() as usize;
            let event = reader.read_event().map_err(|e| (at, "XML", e.to_string()))?;
            match event {
                Event::Start(element) => config.open(element.name().as_ref().to_string(), at)?,
                Event::End(_) => _ = config.open.pop(),
                Event::Text(content) => config.add(&content, at)?,
                Event::CData(content) => config.add(&content, at)?,
                Event::GeneralRef(name) => {
                    let character = name.resolve_char_ref().ok().flatten().map(String::from);
                    let entity = || quick_xml::escape::resolve_xml_entity(&name).map(String::from);
                    let content = character.or_else(entity);
                    let content = content.ok_or((at, "an entity of XML", excerpt(&name)))?;
                    config.add(&content, at)?;
                }
                Event::Eof if !config.open.is_empty() => {
                    return Err((at, "the end of all elements", "the end of the file".into()));
                }
                Event::Eof => return Ok(NgramConfig { rules: config.rules, ..Default::default() }),
                _ => {}
            }
        }
    }

    fn open(&mut self, name: String, at: usize) -> Result<(), XmlFault> {
        let is_known = ELEMENTS.split([',', ' ']).any(|known| known == name);
        match is_known || self.open.is_empty() {
            true => self.open.push(name),
            false => return Err((at, ELEMENTS, excerpt(&name))),
        }
        // Each of these elements is one entry, also if its content comes in pieces.
        match self.open.last().map(String::as_str) {
            Some("nlt") => self.rules.new_line_tags.push(String::new()),
            Some("dt") => self.rules.delete_tags.push(String::new()),
            Some("sw") => self.rules.stop_words.push(String::new()),
            _ => {}
        }
        Ok(())
    }

    /// Adds content of the innermost element.
    fn add(&mut self, content: &str, at: usize) -> Result<(), XmlFault> {
        let rules = &mut self.rules;
        let list = match self.open.last().map(String::as_str) {
            Some("new_line") => {
                rules.paragraphs = match content.trim() {
                    "true" | "1" => ParagraphRule::Lines,
                    "false" | "0" => ParagraphRule::None,
                    other => return Err((at, "true or false", excerpt(other))),
                };
                return Ok(());
            }
            Some("delete_chars") => {
                rules.delete_chars.push_str(content.trim());
                return Ok(());
            }
            Some("nlt") => &mut rules.new_line_tags,
            Some("dt") => &mut rules.delete_tags,
            Some("sw") => &mut rules.stop_words,
            _ => return Ok(()),
        };
        if let Some(last) = list.last_mut() {
            last.push_str(content);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ngrams::rules::NgramPreset;

    fn config(text: &str) -> Result<NgramConfig> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        std::fs::write(&path, text).unwrap();
        read_config(&path)
    }

    #[test]
    fn toml_has_rules_by_file_type() {
        let read = config("sorted = true\nmin_word_length = 4\n\n[types.HTML]\nsorted = false\n");
        let read = read.unwrap();
        assert!(read.rules.sorted && !read.types["html"].sorted);
        assert_eq!(read.types["html"].min_word_length, 4);
        assert_eq!(config("").unwrap(), NgramPreset::Default.config());
        for (wrong, told) in [
            ("a = 1\nsort = 2\n", ":1: expected n-gram rules, found unknown field"),
            ("\n\nsorted = 3", "found invalid type"),
            ("types = 3", "found invalid type"),
            ("[types.html]\nx = 1", "found unknown field"),
        ] {
            let error = config(wrong).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn xml_has_the_elements_of_the_manual() {
        let text = "<?xml version=\"1.0\"?>\n<config><host>localhost:9200</host> <index>x</index>
<new_line>false</new_line>
<new_line_tags><nlt><![CDATA[<p>]]></nlt><nlt>&lt;br&gt;</nlt></new_line_tags>
<delete_tags><dt><![CDATA[<b>]]></dt></delete_tags>
<delete_chars>.,:;!-_-/\\`(){}'</delete_chars>
<stopwords><sw>a</sw><sw>the</sw></stopwords></config>";
        let rules = config(text).unwrap().rules;
        assert_eq!(rules.new_line_tags, ["<p>", "<br>"]);
        assert_eq!(
            (rules.delete_tags, rules.stop_words),
            (vec!["<b>".into()], vec!["a".into(), "the".into()])
        );
        assert_eq!(
            (&*rules.delete_chars, rules.paragraphs),
            (".,:;!-_-/\\`(){}'", ParagraphRule::None)
        );
        let error = config("<c>\n<stop>a</stop></c>").unwrap_err().to_string();
        assert!(error.ends_with(":2: expected new_line, new_line_tags, nlt, delete_tags, dt, delete_chars, stopwords, sw, host or index, found 'stop'"), "{error}");
        let text = "\u{feff}<c><delete_tags><dt>&#60;i&#x3e;</dt></delete_tags></c>";
        assert_eq!(config(text).unwrap().rules.delete_tags, ["<i>"]);
        for cut in ["<c>\n<new_line>false</new_line>\n<stopwords><sw>a</sw>", "<c>\n\n"] {
            let error = config(cut).unwrap_err().to_string();
            let told = ":3: expected the end of all elements, found the end of the file";
            assert!(error.ends_with(told), "{error}");
        }
        let error = config("<c><new_line>x</new_line></c>").unwrap_err().to_string();
        assert!(error.ends_with("expected true or false, found 'x'"), "{error}");
    }
}
