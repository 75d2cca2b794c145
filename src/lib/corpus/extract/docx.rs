//! DOCX: the main document, then footnotes and endnotes.

use rustc_hash::FxHashMap;

use super::ExtractedText;
use super::package::{Package, resolve};
use super::paragraphs::Paragraphs;
use super::xml::{Element, XmlEvent, XmlEvents};
use crate::text::markup::look_like_a_space;

/// Styles that a style may be based on, one on the other: chains are short, cycles are damage.
const MAX_BASES: usize = 32;
/// The deepest level of a heading. Outline level 9, counted from 0, is that of text.
const MAX_LEVEL: u8 = 9;

/// Returns the text of a document.
pub(super) fn extract(mut package: Package<'_>) -> Result<ExtractedText, String> {
    let roots = relationships(&mut package, "")?;
    let main = roots.into_iter().find(|(kind, _)| kind == "officeDocument");
    let main = main.map_or("word/document.xml".to_string(), |(_, target)| target);
    let related = relationships(&mut package, &main)?;
    let part = |kind: &str| related.iter().find(|(k, _)| k == kind).map(|(_, target)| target);
    let styles = match part("styles") {
        Some(name) => package.optional_xml(name)?,
        None => None,
    };
    let styles =
        styles.map_or_else(|| Ok(HeadingStyles::default()), |x| HeadingStyles::read(&x))?;
    let mut story = Story::new(&styles);
    for name in [Some(&main), part("footnotes"), part("endnotes")].into_iter().flatten() {
        story.read(&package.xml(name)?).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(story.paragraphs.finish())
}

/// Returns the relationships of a member as their kinds, such as `styles`, and the members they name; of the archive if the name is empty.
fn relationships(package: &mut Package<'_>, name: &str) -> Result<Vec<(String, String)>, String> {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let list = resolve("", &format!("{folder}/_rels/{file}.rels"));
    let Some(text) = package.optional_xml(&list)? else { return Ok(Vec::new()) };
    let (mut events, mut found) = (XmlEvents::new(&text), Vec::new());
    while let Some(event) = events.next().map_err(|why| format!("{list}: {why}"))? {
        let XmlEvent::Start(element) = event else { continue };
        let (kind, target) = (element.attribute("Type"), element.attribute("Target"));
        if let Some((kind, target)) = kind.zip(target) {
            // Transitional and strict documents have the same kinds in different namespaces.
            let kind = kind.rsplit('/').next().unwrap_or_default().to_string();
            found.push((kind, resolve(name, &target)));
        }
    }
    Ok(found)
}

/// Levels of paragraph styles.
#[derive(Default)]
struct HeadingStyles {
    styles: FxHashMap<String, Style>,
}

#[derive(Default)]
struct Style {
    base: Option<String>,
    /// Its own level from 1, or 0 if it is stated to be text.
    level: Option<u8>,
    /// The level in its name: names of built-in styles are English in all languages.
    named: Option<u8>,
}

impl HeadingStyles {
    fn read(text: &str) -> Result<Self, String> {
        let (mut events, mut styles) = (XmlEvents::new(text), FxHashMap::default());
        let (mut id, mut style) = (String::new(), Style::default());
        while let Some(event) = events.next().map_err(|why| format!("styles: {why}"))? {
            match event {
                XmlEvent::Start(element) => match element.name() {
                    "style" => {
                        id = element.attribute("styleId").unwrap_or_default();
                        style = Style::default();
                    }
                    "name" => style.named = value(&element).as_deref().and_then(named_level),
                    "basedOn" => style.base = value(&element),
                    "outlineLvl" => style.level = Some(outline_level(&element).unwrap_or(0)),
                    _ => {}
                },
                XmlEvent::End(name) if name == "style" => {
                    styles.insert(std::mem::take(&mut id), std::mem::take(&mut style));
                }
                _ => {}
            }
        }
        Ok(HeadingStyles { styles })
    }

    /// Returns the level of a style: its own, that in its name, or that of its base.
    fn level(&self, id: &str) -> Option<u8> {
        if self.styles.is_empty() {
            return named_level(id);
        }
        let mut style = self.styles.get(id);
        for _ in 0..MAX_BASES {
            let Style { base, level, named } = style?;
            if let Some(level) = level.or(*named) {
                return Some(level).filter(|level| *level > 0);
            }
            style = self.styles.get(base.as_ref()?);
        }
        None
    }
}

/// Returns the level of a heading from its name: `heading 1`, `Heading1`.
fn named_level(name: &str) -> Option<u8> {
    let number = name.to_ascii_lowercase().strip_prefix("heading")?.trim().parse().ok()?;
    Some(number).filter(|level| (1..=MAX_LEVEL).contains(level))
}

/// Returns the level from 1 that an outline level, counted from 0, states; `None` for text.
fn outline_level(element: &Element<'_>) -> Option<u8> {
    let level: u8 = value(element)?.parse().ok()?;
    (level < MAX_LEVEL).then_some(level + 1)
}

fn value(element: &Element<'_>) -> Option<String> {
    element.attribute("val")
}

/// Returns whether a property that is on or off is on.
fn is_on(element: &Element<'_>) -> bool {
    !matches!(value(element).as_deref(), Some("0" | "false" | "off"))
}

/// Reads the members with text.
struct Story<'a> {
    styles: &'a HeadingStyles,
    paragraphs: Paragraphs,
    /// Whether characters are text: inside `t`.
    is_text: bool,
    /// Whether the run is hidden.
    is_hidden: bool,
    /// Whether its letters are white, on no background of their own.
    is_white: bool,
    /// Whether a choice of each open alternative was read: the others are the same for other programs.
    choices: Vec<bool>,
}

impl<'a> Story<'a> {
    fn new(styles: &'a HeadingStyles) -> Self {
        let paragraphs = Paragraphs::default();
        let choices = Vec::new();
        Story { styles, paragraphs, is_text: false, is_hidden: false, is_white: false, choices }
    }

    /// Adds the text of a member.
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut events = XmlEvents::new(text);
        while let Some(event) = events.next()? {
            match event {
                XmlEvent::Start(element) if self.is_skipped(&element) => events.skip()?,
                XmlEvent::Start(element) => self.begin(&element),
                XmlEvent::End(name) => self.end(&name),
                XmlEvent::Text(text) if self.is_text && !self.is_hidden => {
                    let is_space = self.is_white && look_like_a_space(&text);
                    self.paragraphs.push_flowing(if is_space { " " } else { &text });
                }
                XmlEvent::Text(_) => {}
            }
        }
        Ok(())
    }

    /// Returns whether an element has no visible text: deleted or moved away, an earlier format, a definition of tab stops, an alternative.
    fn is_skipped(&mut self, element: &Element<'_>) -> bool {
        match element.name() {
            "del" | "moveFrom" | "pPrChange" | "rPrChange" | "tabs" | "Fallback" => true,
            "Choice" => self.choices.last_mut().is_some_and(|taken| std::mem::replace(taken, true)),
            _ => false,
        }
    }

    fn begin(&mut self, element: &Element<'_>) {
        match element.name() {
            "p" => self.paragraphs.begin(None),
            "r" => (self.is_hidden, self.is_white) = (false, false),
            "t" => self.is_text = true,
            "AlternateContent" => self.choices.push(false),
            "vanish" => self.is_hidden = is_on(element),
            "color" => {
                let color = value(element).unwrap_or_default();
                self.is_white = color.eq_ignore_ascii_case("ffffff");
            }
            "highlight" => self.is_white = false,
            "shd" => {
                let fill = element.attribute("fill").unwrap_or_default().to_ascii_lowercase();
                self.is_white &= matches!(&*fill, "" | "auto" | "ffffff");
            }
            "pStyle" => {
                let style = value(element).unwrap_or_default();
                self.paragraphs.set_level(self.styles.level(&style));
            }
            "outlineLvl" => self.paragraphs.set_level(outline_level(element)),
            "tab" | "ptab" => self.paragraphs.push("\t"),
            "br" | "cr" => self.paragraphs.push("\n"),
            "noBreakHyphen" => self.paragraphs.push("-"),
            "sym" => self.paragraphs.push(" "),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "p" => self.paragraphs.end(),
            "r" => self.is_hidden = false,
            "t" => self.is_text = false,
            "AlternateContent" => drop(self.choices.pop()),
            _ => {}
        }
    }
}
