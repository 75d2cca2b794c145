//! The file: a frame of HTML with style, data and script in their places.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::{Page, json};

const FRAME: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
/// In the order in which they need each other.
const SCRIPTS: [&str; 7] = [
    include_str!("assets/diff.js"),
    include_str!("assets/data.js"),
    include_str!("assets/dom.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/cluster.js"),
    include_str!("assets/pair.js"),
    include_str!("assets/page.js"),
];

/// Texts in one part, which the script reads at once: enough that there are not too many elements, few enough that a pair opens at once.
const PART_BYTES: usize = 1 << 18;

/// Writes the page. The same page gives the same bytes.
pub fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let script = script();
    let mut frame = FRAME;
    while let Some((before, rest)) = frame.split_once("{{") {
        let (name, after) = rest.split_once("}}").expect("the frame closes its places");
        out.write_all(before.as_bytes())?;
        match name {
            "title" => out.write_all(as_markup(&page.title).as_bytes())?,
            "policy" => out.write_all(policy(&script).as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "script" => out.write_all(script.as_bytes())?,
            "data" => write_data(page, out)?,
            other => unreachable!("the frame has no place called {other}"),
        }
        frame = after;
    }
    out.write_all(frame.as_bytes())
}

/// All scripts as one, whose names are its own.
fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.join("\n"))
}

/// Nothing may be fetched, and nothing may run or be styled but by what has these hashes.
fn policy(script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let (style, script) = (hash(STYLE), hash(script));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"
    )
}

/// Text where markup is read.
fn as_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn write_data(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let parts = parts(page);
    write_element(out, "findings", |data| json::write_findings(page, &parts, data))?;
    let ends = parts.iter().skip(1).copied().chain([page.documents.len()]);
    for (number, (start, end)) in parts.iter().copied().zip(ends).enumerate() {
        let documents = &page.documents[start..end];
        out.write_all(b"\n")?;
        write_element(out, &format!("texts-{number}"), |data| json::write_texts(documents, data))?;
    }
    Ok(())
}

/// The positions of the documents with which the parts of the texts begin.
fn parts(page: &Page) -> Vec<usize> {
    let mut parts = Vec::new();
    let mut filled = PART_BYTES;
    for (position, document) in page.documents.iter().enumerate() {
        if filled >= PART_BYTES {
            parts.push(position);
            filled = 0;
        }
        filled += document.text.len();
    }
    parts
}

fn write_element(
    out: &mut dyn Write,
    id: &str,
    write: impl FnOnce(&mut WithoutMarkup) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" id=\"{id}\">")?;
    write(&mut WithoutMarkup(out))?;
    out.write_all(b"</script>")
}

/// JSON in which every `<` is written as an escape. It can stand in strings only, where the escape means the same.
pub(super) struct WithoutMarkup<'a>(&'a mut dyn Write);

impl Write for WithoutMarkup<'_> {
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
