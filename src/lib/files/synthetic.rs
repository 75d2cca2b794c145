//! The files of a synthetic collection: one line a document, and the truth about its copies.
//!
//! ```text
//! JSON lines   {"id":"17","text":"…"}            ← id = the line, counted from 1
//! text lines   …
//! truth        original<TAB>copy<TAB>edit_share  ← this header, then ids and the share of edited words
//! ```

use std::io::Write;

use crate::error::INFALLIBLE;

/// Format of a document's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CorpusFormat {
    /// JSON object {"id":"17","text":"…"}; ids are line numbers from 1
    #[default]
    Json,
    /// Text alone
    Text,
}

/// The first line of the truth file.
pub const TRUTH_HEADER: &str = "original\tcopy\tedit_share\n";

/// Appends a document's line. `append_text` appends its text, which must need no escapes: no quotation mark, backslash or control character.
pub fn append_document(
    line: &mut Vec<u8>,
    format: CorpusFormat,
    id: u64,
    append_text: impl FnOnce(&mut Vec<u8>),
) {
    if format == CorpusFormat::Json {
        write!(line, "{{\"id\":\"{id}\",\"text\":\"").expect(INFALLIBLE);
    }
    append_text(line);
    line.extend_from_slice(if format == CorpusFormat::Json { b"\"}\n" } else { b"\n" });
}

/// Appends a line of the truth file.
pub fn append_truth(line: &mut Vec<u8>, original: u64, copy: u64, edit_share: f64) {
    writeln!(line, "{original}\t{copy}\t{edit_share}").expect(INFALLIBLE);
}
