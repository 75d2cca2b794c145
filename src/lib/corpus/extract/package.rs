//! The ZIP archive of an office document. Its members are read into memory by name, within the limits of a record.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::DocumentFormat;
use super::xml;
use crate::corpus::inputs::InputArgs;
use crate::error::fallibly;
use crate::files::decompress::{RATIO_FROM, ratio_fault};

/// Memory that a member's entry in the directory counts for; a larger share than it takes.
const BYTES_PER_MEMBER: u64 = 4 << 10;
/// The mark of a member's entry in the directory.
const ENTRY_MARK: &[u8] = b"PK\x01\x02";
/// Bytes of the longest media type in the member `mimetype`.
const MEDIA_TYPE_BYTES: u64 = 200;
/// Members of the archives in use that are read to tell the format.
const CONTENT_TYPES: &str = "[Content_Types].xml";

/// The archive of a document.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    args: &'a InputArgs,
    /// Bytes decompressed so far.
    given: u64,
}

/// Detects the format of an archive, if it is a document.
///
/// # Errors
/// A damaged archive.
pub(super) fn detect(content: &[u8]) -> Result<Option<DocumentFormat>, String> {
    let args = InputArgs::default();
    let mut package = Package::open(content, &args)?;
    if let Some(media_type) = package.start("mimetype", MEDIA_TYPE_BYTES)? {
        let format = match media_type.trim_ascii() {
            b"application/epub+zip" => Some(DocumentFormat::Epub),
            media_type if media_type.starts_with(ODT_TYPE) => Some(DocumentFormat::Odt),
            _ => None,
        };
        return Ok(format);
    }
    if package.has("META-INF/container.xml") && !package.has(CONTENT_TYPES) {
        return Ok(Some(DocumentFormat::Epub));
    }
    let types = package.start(CONTENT_TYPES, 1 << 20)?.unwrap_or_default();
    let is_word = memchr::memmem::find(&types, b"wordprocessingml").is_some()
        || memchr::memmem::find(&types, b"ms-word.document").is_some();
    Ok(is_word.then_some(DocumentFormat::Docx))
}

/// The media type of OpenDocument texts and their templates.
const ODT_TYPE: &[u8] = b"application/vnd.oasis.opendocument.text";

impl<'a> Package<'a> {
    /// Opens an archive. Its directory is read, its members are not.
    pub fn open(content: &'a [u8], args: &'a InputArgs) -> Result<Self, String> {
        let max = args.max_record.0 / BYTES_PER_MEMBER + 1;
        if memchr::memmem::find_iter(content, ENTRY_MARK).take(max as usize + 1).count() as u64
            > max
        {
            return Err(format!("expected at most {max} members (--max_record), found more"));
        }
        let archive = ZipArchive::new(Cursor::new(content)).map_err(damaged)?;
        Ok(Package { archive, args, given: 0 })
    }

    /// Returns whether there is a member of this name.
    pub fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// Returns at most `max` bytes from the beginning of a member.
    fn start(&mut self, name: &str, max: u64) -> Result<Option<Vec<u8>>, String> {
        if !self.has(name) {
            return Ok(None);
        }
        let (mut bytes, member) = (Vec::new(), self.archive.by_name(name).map_err(damaged)?);
        member.take(max).read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(Some(bytes))
    }

    /// Returns the bytes of a member.
    ///
    /// # Errors
    /// A missing, damaged or encrypted member, and one beyond the limits.
    pub fn bytes(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let missing = || format!("expected the member {name}, found none (damaged document?)");
        let index = self.archive.index_for_name(name).ok_or_else(missing)?;
        let member = self.archive.by_index(index).map_err(damaged)?;
        let rest = self.args.max_record.0.saturating_sub(self.given);
        let by_ratio = member.compressed_size().saturating_mul(self.args.max_ratio).max(RATIO_FROM);
        let (mut bytes, max) = (Vec::new(), rest.min(by_ratio));
        let mut member = member.take(max.saturating_add(1));
        fallibly(|| member.read_to_end(&mut bytes)).map_err(unreadable)?;
        self.given += bytes.len() as u64;
        match bytes.len() as u64 > max {
            true if rest > by_ratio => Err(ratio_fault(Some(self.args.max_ratio)).to_string()),
            true => Err(self.args.too_long()),
            false => Ok(bytes),
        }
    }

    /// Returns a member that is XML, decoded.
    pub fn xml(&mut self, name: &str) -> Result<String, String> {
        xml::decode(self.bytes(name)?).map_err(|why| format!("{name}: {why}"))
    }

    /// Returns a member that is XML, if there is one of this name.
    pub fn optional_xml(&mut self, name: &str) -> Result<Option<String>, String> {
        if self.has(name) { self.xml(name).map(Some) } else { Ok(None) }
    }
}

fn damaged(error: ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            "encrypted: save it without a password".into()
        }
        error => format!("damaged or truncated document: {error}"),
    }
}

fn unreadable(error: std::io::Error) -> String {
    format!("damaged or truncated document: {error}")
}

/// Returns the name of the member that `target` names in the member `base`. Components that lead out of the archive lead nowhere.
pub(super) fn resolve(base: &str, target: &str) -> String {
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').collect(),
    };
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_to_their_member_and_stay_in_the_archive() {
        for (base, target, expected) in [
            ("word/document.xml", "styles.xml", "word/styles.xml"),
            ("word/document.xml", "/custom/styles.xml", "custom/styles.xml"),
            ("word/document.xml", "../notes.xml", "notes.xml"),
            ("a/b.opf", "../../../../etc/passwd", "etc/passwd"),
            ("content.opf", "./text//one.xhtml", "text/one.xhtml"),
            ("", "word/document.xml", "word/document.xml"),
        ] {
            assert_eq!(resolve(base, target), expected);
        }
    }
}
