//! The HTML file: a template filled with style, data and script.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{PageDocument, PairPage};
use crate::error::Result;

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
/// In order of dependency.
const SCRIPTS: [&str; 7] = [
    include_str!("assets/diff.js"),
    include_str!("assets/data.js"),
    include_str!("assets/dom.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/cluster.js"),
    include_str!("assets/pair.js"),
    include_str!("assets/page.js"),
];

/// Bytes of texts per part, which the script parses at once: few elements, and pairs that open without delay.
const BYTES_PER_PART: usize = 1 << 18;

/// Passes the report to `out`, part by part. The same page gives the same bytes.
pub fn write(page: &PairPage, mut out: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let script = script();
    let mut template = TEMPLATE;
    while let Some((before, rest)) = template.split_once("{{") {
        let (name, after) = rest.split_once("}}").expect("placeholders are closed");
        out(before.as_bytes())?;
        match name {
            "title" => out(escape_markup(&page.title).as_bytes())?,
            "policy" => out(policy(&script).as_bytes())?,
            "style" => out(STYLE.as_bytes())?,
            "script" => out(script.as_bytes())?,
            "data" => write_data(page, &mut out)?,
            other => unreachable!("the template has no placeholder {other}"),
        }
        template = after;
    }
    out(template.as_bytes())
}

/// Returns all scripts as one, with a scope of its own.
fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.join("\n"))
}

/// Returns the Content-Security-Policy: no requests, and no script or style but those with these hashes.
fn policy(script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let (style, script) = (hash(STYLE), hash(script));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"
    )
}

/// Escapes text for HTML.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn write_data(page: &PairPage, out: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    out(&element("findings", page))?;
    let ends = page.text_parts.iter().skip(1).copied().chain([page.documents.len()]);
    for (number, (start, end)) in page.text_parts.iter().copied().zip(ends).enumerate() {
        let texts: Vec<&str> = page.documents[start..end].iter().map(|one| &*one.text).collect();
        out(b"\n")?;
        out(&element(&format!("texts-{number}"), &texts))?;
    }
    Ok(())
}

/// Returns the first document of each part of the texts.
pub(super) fn text_parts(documents: &[PageDocument]) -> Vec<usize> {
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
