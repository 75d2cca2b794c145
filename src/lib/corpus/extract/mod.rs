//! Office documents to text: DOCX, ODT, EPUB, RTF and PDF.
//!
//! A paragraph is a line. Table cells, tabs and line breaks separate words; the pieces a word was stored in are joined. Deleted text, hidden
//! text, field codes, comments, page headers and page footers are left out. Notes and text boxes follow the paragraph they belong to, or the
//! main text if the format stores them apart.
//!
//! **Hostile documents.** The members of an archive together have at most [`InputArgs::max_record`] bytes, each at most
//! [`InputArgs::max_ratio`] bytes per compressed byte. Names of members are never names of files. Entities of a DTD are not expanded and no
//! external ones are read. Nesting takes memory, never stack, and has a limit.

mod code_pages;
mod docx;
mod epub;
mod odt;
mod package;
mod paragraphs;
mod pdf;
mod rtf;
#[cfg(test)]
mod tests;
mod xml;

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding;

use self::package::Package;
use super::decode::{DecodedText, TextEncoding};
use super::inputs::InputArgs;

/// A PDF file has its mark within this many bytes.
const PDF_MARK_BYTES: usize = 1024;

/// A heading of a document: its bytes in the text, and its level from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The bytes of the heading in the text.
    pub range: Range<usize>,
    /// The level: 1 for the most general headings.
    pub level: u8,
}

/// Text of an office document, with its headings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractedText {
    /// The text, one line per paragraph.
    pub text: String,
    /// The headings in the order of the text.
    pub headings: Vec<Heading>,
}

/// Text of a whole file: decoded or extracted.
pub(super) struct WholeText {
    pub text: Cow<'static, str>,
    /// The encoding, if it was guessed.
    pub guess: Option<&'static Encoding>,
    pub headings: Vec<Heading>,
}

impl From<DecodedText<'static>> for WholeText {
    fn from(decoded: DecodedText<'static>) -> Self {
        WholeText { text: decoded.text, guess: decoded.guess, headings: Vec::new() }
    }
}

impl From<ExtractedText> for WholeText {
    fn from(extracted: ExtractedText) -> Self {
        let ExtractedText { text, headings } = extracted;
        WholeText { text: text.into(), guess: None, headings }
    }
}

/// Format of an office document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// Office Open XML: Word.
    Docx,
    /// OpenDocument text.
    Odt,
    /// EPUB.
    Epub,
    /// Rich Text Format.
    Rtf,
    /// Portable Document Format.
    Pdf,
}

impl DocumentFormat {
    /// Detects the format of a file by its content. Its extension, in lower case, counts only for damaged archives and for PDF files with other
    /// bytes before their mark.
    pub fn detect(content: &[u8], extension: &str) -> Option<Self> {
        if content.starts_with(b"{\\rtf") {
            return Some(DocumentFormat::Rtf);
        }
        if content.starts_with(b"PK\x03\x04") {
            return package::detect(content).unwrap_or_else(|_| DocumentFormat::archive(extension));
        }
        let start = &content[..content.len().min(PDF_MARK_BYTES)];
        let is_marked = || memchr::memmem::find(start, pdf::MARK).is_some();
        let is_pdf = start.starts_with(pdf::MARK) || (extension == "pdf" && is_marked());
        is_pdf.then_some(DocumentFormat::Pdf)
    }

    /// Detects the format of a file, unless its bytes are to be kept.
    ///
    /// # Errors
    /// A file that is not what its name says, such as an error page that was saved instead of a PDF file.
    pub(super) fn of(
        content: &[u8],
        extension: &str,
        encoding: TextEncoding,
    ) -> Result<Option<Self>, String> {
        if encoding == TextEncoding::Bytes {
            return Ok(None);
        }
        match DocumentFormat::detect(content, extension) {
            None if ["pdf", "docx", "odt", "epub"].contains(&extension) => {
                let name = extension.to_ascii_uppercase();
                Err(format!("expected a document in the format {name}, found other content"))
            }
            format => Ok(format),
        }
    }

    /// Returns the format that is an archive and has this extension.
    fn archive(extension: &str) -> Option<Self> {
        match extension {
            "docx" | "docm" | "dotx" => Some(DocumentFormat::Docx),
            "odt" | "ott" => Some(DocumentFormat::Odt),
            "epub" => Some(DocumentFormat::Epub),
            _ => None,
        }
    }

    /// Returns the text of a document.
    ///
    /// # Errors
    /// The reason why it is unreadable: damaged, encrypted, beyond the limits of `args`, or without text.
    pub fn extract(self, content: &[u8], args: &InputArgs) -> Result<ExtractedText, String> {
        match self {
            DocumentFormat::Docx => docx::extract(Package::open(content, args)?),
            DocumentFormat::Odt => odt::extract(Package::open(content, args)?),
            DocumentFormat::Epub => epub::extract(Package::open(content, args)?),
            DocumentFormat::Rtf => rtf::extract(content),
            DocumentFormat::Pdf => pdf::extract(content, args),
        }
    }
}
