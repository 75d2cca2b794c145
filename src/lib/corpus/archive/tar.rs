//! The members of a tar archive, found by going through it once.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use tar::{Archive, EntryType, PaxExtensions};

use super::super::inputs::InputArgs;
use super::{ArchiveFile, ArchiveReader, Directory, Member, MemberForm};
use crate::files::decompress::{Compression, decompressed};
use crate::files::limits::unreadable;

/// Read buffer of a compressed archive.
const BUFFER: usize = 1 << 18;
/// The longest extension of a header (long name, pax records) in bytes.
const MAX_EXTENSION: u64 = 1 << 20;

/// Lists the files of an archive, which may be compressed.
pub(super) fn list(path: &Path, content: File, args: &InputArgs) -> Result<Directory, String> {
    let content = plain(content, args).map_err(|error| {
        let (expected, found) = unreadable(&error);
        format!("expected {expected}, found {found}")
    })?;
    let archive = ArchiveFile::new(path, content)?;
    let reader = ArchiveReader { archive: Arc::clone(&archive), at: 0, end: archive.bytes };
    let mut directory = Directory::default();
    let mut tar = Archive::new(reader);
    let listed = tar
        .entries_with_seek()
        .map_err(|e| format!("not a tar archive: {e}"))
        .and_then(|entries| collect(entries.raw(true), &archive, &mut directory));
    match listed {
        Err(why) if directory.entries.is_empty() => Err(why),
        Err(why) => {
            directory.damage = Some(why);
            Ok(directory)
        }
        Ok(()) => Ok(directory),
    }
}

/// Returns the archive as it is, or its decompressed content in an unnamed temporary file.
fn plain(mut content: File, args: &InputArgs) -> io::Result<File> {
    let (compression, _) = Compression::detect_in(&mut content)?;
    content.rewind()?;
    if compression == Compression::Plain {
        return Ok(content);
    }
    let mut reader = decompressed(Box::new(content), BUFFER, Some(args.max_ratio))?;
    let mut file = tempfile::tempfile()?;
    let max = args.max_archive.0;
    let copied = io::copy(&mut reader.by_ref().take(max.saturating_add(1)), &mut file)?;
    if copied > max {
        let expected = format!("an archive of at most {max} decompressed bytes (--max_archive)");
        let found = "a larger one".into();
        return Err(crate::files::limits::InputFault { expected, found, line: None }.into());
    }
    Ok(file)
}

/// What the headers before a member say of it.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    /// Why the member cannot be read.
    obstacle: Option<String>,
}

fn collect<R: Read>(
    entries: tar::Entries<'_, R>,
    archive: &Arc<ArchiveFile>,
    directory: &mut Directory,
) -> Result<(), String> {
    let mut extension = Extension::default();
    for entry in entries {
        let mut entry = entry.map_err(|e| format!("damaged tar archive: {e}"))?;
        let kind = entry.header().entry_type();
        let (start, stored) = (entry.raw_file_position(), entry.size());
        match kind {
            EntryType::GNULongName => extension.name = Some(long_name(&mut entry)?),
            EntryType::XHeader => extend(&mut extension, &mut entry)?,
            EntryType::Regular | EntryType::Continuous => {
                let Extension { name, size, obstacle } = std::mem::take(&mut extension);
                let name = name.unwrap_or_else(|| entry.path_bytes().into_owned());
                // Headers have no room for large sizes, which are not read from extensions.
                if size.is_some_and(|size| size != stored) {
                    return Err("a member of more than 8 GB".into());
                }
                if start.saturating_add(stored) > archive.bytes {
                    return Err("truncated tar archive".into());
                }
                let member = match obstacle {
                    Some(why) => Err(why),
                    None => Ok(Member {
                        archive: Arc::clone(archive),
                        start,
                        stored,
                        form: MemberForm::Plain,
                    }),
                };
                // Old archives mark folders by their names only.
                if !name.ends_with(b"/") {
                    directory.push(name, member)?;
                }
            }
            EntryType::GNUSparse => {
                let Extension { name, .. } = std::mem::take(&mut extension);
                let name = name.unwrap_or_else(|| entry.path_bytes().into_owned());
                directory.push(name, Err("a sparse file".into()))?;
            }
            EntryType::Symlink | EntryType::Link => {
                directory.links += 1;
                extension = Extension::default();
            }
            EntryType::XGlobalHeader | EntryType::GNULongLink => (),
            _ => extension = Extension::default(),
        }
    }
    Ok(())
}

/// Reads the content of a header's extension.
fn content(entry: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let read = entry.take(MAX_EXTENSION + 1).read_to_end(&mut content);
    read.map_err(|e| format!("damaged tar archive: {e}"))?;
    if content.len() as u64 > MAX_EXTENSION {
        return Err(format!(
            "expected a tar header of at most {MAX_EXTENSION} bytes, found a longer one"
        ));
    }
    Ok(content)
}

fn long_name(entry: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut name = content(entry)?;
    while name.last() == Some(&0) {
        name.pop();
    }
    Ok(name)
}

/// Takes the pax records of a member.
fn extend(extension: &mut Extension, entry: &mut impl Read) -> Result<(), String> {
    let records = content(entry)?;
    for record in PaxExtensions::new(&records) {
        let record = record.map_err(|e| format!("damaged tar archive: {e}"))?;
        match record.key_bytes() {
            b"path" => extension.name = Some(record.value_bytes().to_vec()),
            b"size" => extension.size = record.value().ok().and_then(|size| size.parse().ok()),
            key if key.starts_with(b"GNU.sparse") => {
                extension.obstacle = Some("a sparse file".into());
            }
            _ => (),
        }
    }
    Ok(())
}
