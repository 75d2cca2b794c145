//! The HTML file: a template filled with style, data and script.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{PageDocument, PairPage};
use crate::error::Result;

const TEMPLATE: &str = include_str!("assets/page.html");
/// Style of all pages.
const STYLE: &str = include_str!("assets/page.css");
/// Data elements, DOM elements and themes: scripts of all pages, in order of dependency.
const SHARED_SCRIPTS: [&str; 3] = [
    include_str!("assets/data.js"),
    include_str!("assets/dom.js"),
    include_str!("assets/theme.js"),
];
/// Style of texts side by side with marked passages.
const PANE_STYLE: &str = include_str!("assets/panes.css");
/// Navigation between comparisons, and texts side by side with marked passages; after the shared scripts.
const PANE_SCRIPTS: [&str; 2] = [include_str!("assets/views.js"), include_str!("assets/panes.js")];
const KEYS: &str = include_str!("assets/keys.html");
/// In order of dependency, after the shared ones.
const SCRIPTS: [&str; 5] = [
    include_str!("assets/diff.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/cluster.js"),
    include_str!("assets/pair.js"),
    include_str!("assets/page.js"),
];

/// Bytes of texts per part, which the script parses at once: few elements, and pairs that open without delay.
const BYTES_PER_PART: usize = 1 << 18;

/// Passes the report to `out`, part by part. The same page gives the same bytes.
pub(super) fn write(page: &PairPage, mut out: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let scripts: Vec<&str> = SHARED_SCRIPTS.into_iter().chain(SCRIPTS).collect();
    let parts = PageParts { title: &page.title, keys: KEYS, style: STYLE, scripts: &scripts };
    parts.write(&mut out, |out| {
        out(&element("findings", page))?;
        write_texts(&page.documents, &page.text_parts, out)
    })
}

/// Receives a page, part by part.
pub(crate) type PageSink<'a> = dyn FnMut(&[u8]) -> Result<()> + 'a;

/// What distinguishes a page from others.
struct PageParts<'a> {
    /// The title.
    pub title: &'a str,
    /// The list of keys in the help, as markup.
    pub keys: &'a str,
    /// The style.
    pub style: &'a str,
    /// The scripts, in order of dependency.
    pub scripts: &'a [&'a str],
}

impl PageParts<'_> {
    /// Passes the page to `out`; `write_data` writes its data elements.
    pub fn write(
        &self,
        out: &mut PageSink<'_>,
        write_data: impl Fn(&mut PageSink<'_>) -> Result<()>,
    ) -> Result<()> {
        let script = self.script();
        let mut template = TEMPLATE;
        while let Some((before, rest)) = template.split_once("{{") {
            let (name, after) = rest.split_once("}}").expect("placeholders are closed");
            out(before.as_bytes())?;
            match name {
                "title" => out(escape_markup(self.title).as_bytes())?,
                "policy" => out(self.policy(&script).as_bytes())?,
                "style" => out(self.style.as_bytes())?,
                "keys" => out(self.keys.trim_end().as_bytes())?,
                "script" => out(script.as_bytes())?,
                "data" => write_data(out)?,
                other => unreachable!("the template has no placeholder {other}"),
            }
            template = after;
        }
        out(template.as_bytes())
    }

    /// Returns all scripts as one, with a scope of its own.
    fn script(&self) -> String {
        format!("(() => {{\n\"use strict\";\n{}}})();\n", self.scripts.join("\n"))
    }

    /// Returns the Content-Security-Policy: no requests, and no script or style but those with these hashes.
    fn policy(&self, script: &str) -> String {
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        let (style, script) = (hash(self.style), hash(script));
        format!(
            "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"
        )
    }
}

/// A page of comparisons with texts side by side.
pub(crate) struct PanePage<'a> {
    /// The title.
    pub title: &'a str,
    /// The list of keys in the help, as markup.
    pub keys: &'a str,
    /// The style besides the shared one.
    pub style: &'a str,
    /// The script after the shared ones.
    pub script: &'a str,
}

impl PanePage<'_> {
    /// Passes the page with these findings and the texts of these documents to `out`.
    pub fn write(
        &self,
        findings: &impl Serialize,
        documents: &[PageDocument],
        text_parts: &[usize],
        out: &mut PageSink<'_>,
    ) -> Result<()> {
        let scripts = [&SHARED_SCRIPTS[..], &PANE_SCRIPTS, &[self.script]].concat();
        let style = [STYLE, PANE_STYLE, self.style].concat();
        let (title, keys) = (self.title, self.keys);
        PageParts { title, keys, style: &style, scripts: &scripts }.write(out, |out| {
            out(&element("findings", findings))?;
            write_texts(documents, text_parts, out)
        })
    }
}

/// Escapes text for HTML.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Passes the texts of documents to `out`, one element per part.
fn write_texts(documents: &[PageDocument], parts: &[usize], out: &mut PageSink<'_>) -> Result<()> {
    let ends = parts.iter().skip(1).copied().chain([documents.len()]);
    for (number, (start, end)) in parts.iter().copied().zip(ends).enumerate() {
        let texts: Vec<&str> = documents[start..end].iter().map(|one| &*one.text).collect();
        out(b"\n")?;
        out(&element(&format!("texts-{number}"), &texts))?;
    }
    Ok(())
}

/// Returns the first document of each part of the texts.
pub(crate) fn text_parts(documents: &[PageDocument]) -> Vec<usize> {
    let mut parts = Vec::new();
    let mut length = BYTES_PER_PART;
    for (position, document) in documents.iter().enumerate() {
        if length >= BYTES_PER_PART {
            parts.push(position);
            length = 0;
        }
        length += document.text.len();
    }
    parts
}

/// Returns a data element. `<` is escaped as `\u003c`: in JSON it occurs in strings only, where both mean the same; without it, no text can end the
/// element.
fn element(id: &str, content: &impl Serialize) -> Vec<u8> {
    let json = serde_json::to_string(content).expect("the page has no maps with other keys");
    let json = json.replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{json}</script>").into_bytes()
}
