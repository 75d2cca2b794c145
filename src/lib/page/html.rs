//! The HTML file: a template filled with style, data and script.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{PageDocument, PairPage};

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

/// Writes the report. The same page gives the same bytes.
pub fn write(page: &PairPage, out: &mut dyn Write) -> io::Result<()> {
    let script = script();
    let mut template = TEMPLATE;
    while let Some((before, rest)) = template.split_once("{{") {
        let (name, after) = rest.split_once("}}").expect("placeholders are closed");
        out.write_all(before.as_bytes())?;
        match name {
            "title" => out.write_all(escape_markup(&page.title).as_bytes())?,
            "policy" => out.write_all(policy(&script).as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "script" => out.write_all(script.as_bytes())?,
            "data" => write_data(page, out)?,
            other => unreachable!("the template has no placeholder {other}"),
        }
        template = after;
    }
    out.write_all(template.as_bytes())
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

fn write_data(page: &PairPage, out: &mut dyn Write) -> io::Result<()> {
    write_element(out, "findings", page)?;
    let ends = page.text_parts.iter().skip(1).copied().chain([page.documents.len()]);
    for (number, (start, end)) in page.text_parts.iter().copied().zip(ends).enumerate() {
        let texts: Vec<&str> = page.documents[start..end].iter().map(|one| &*one.text).collect();
        out.write_all(b"\n")?;
        write_element(out, &format!("texts-{number}"), &texts)?;
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

fn write_element(out: &mut dyn Write, id: &str, content: &impl Serialize) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" id=\"{id}\">")?;
    serde_json::to_writer(ScriptSafe(out), content)?;
    out.write_all(b"</script>")
}

/// Writer that escapes `<` as `\u003c`. In JSON it occurs in strings only, where both mean the same; without it, no text can end the script
/// element.
struct ScriptSafe<'a>(&'a mut dyn Write);

impl Write for ScriptSafe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (number, piece) in bytes.split(|byte| *byte == b'<').enumerate() {
            if number > 0 {
                self.0.write_all(b"\\u003c")?;
            }
            self.0.write_all(piece)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests;
