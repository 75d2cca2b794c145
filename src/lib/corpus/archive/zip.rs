//! The directory of a ZIP archive.

use std::sync::Arc;

use zip::{CompressionMethod, ZipArchive};

use super::super::inputs::InputArgs;
use super::{ArchiveFile, ArchiveReader, Directory, Member, MemberForm};

/// Decompressed bytes from which on the ratio of a member counts, as for compressed files.
const RATIO_FROM: u64 = 64 << 20;

/// Lists the files of an archive. Memory grows with its directory.
pub(super) fn list(archive: Arc<ArchiveFile>, args: &InputArgs) -> Result<Directory, String> {
    let reader = ArchiveReader { archive: Arc::clone(&archive), at: 0, end: archive.bytes };
    let mut zip = ZipArchive::new(reader).map_err(|e| format!("not a ZIP archive: {e}"))?;
    let mut directory = Directory::default();
    if zip.has_duplicate_names() {
        directory.damage = Some("several members have one name: only the last is read".into());
    }
    for number in 0..zip.len() {
        let name = zip.name_for_index(number).and_then(Result::ok);
        let name = name.map_or_else(|| format!("member {number}"), |name| name.into_owned());
        let file = match zip.by_index_raw(number) {
            Ok(file) => file,
            Err(error) => {
                directory.push(name.into_bytes(), Err(format!("cannot read: {error}")))?;
                continue;
            }
        };
        if file.is_symlink() {
            directory.links += 1;
        } else if file.is_file() {
            let name = file.name().map_or_else(|_| file.name_raw().to_vec(), |_| name.into_bytes());
            let start = file.data_start().ok_or("cannot read: a member without data")?;
            let stored = file.compressed_size();
            let form = form(&file, args);
            let member =
                form.map(|form| Member { archive: Arc::clone(&archive), start, stored, form });
            directory.push(name, member)?;
        }
    }
    check_ranges(&directory)?;
    Ok(directory)
}

/// Returns how a file is stored, or why it cannot be read.
fn form<R: std::io::Read>(
    file: &zip::read::ZipFile<'_, R>,
    args: &InputArgs,
) -> Result<MemberForm, String> {
    let (size, checksum) = (file.size(), file.crc32());
    if file.encrypted() {
        return Err("encrypted".into());
    }
    match file.compression() {
        CompressionMethod::Stored => Ok(MemberForm::Stored { checksum }),
        CompressionMethod::Deflated => {
            let max = file.compressed_size().saturating_mul(args.max_ratio);
            if size > RATIO_FROM && size > max {
                let ratio = args.max_ratio;
                return Err(format!(
                    "expected at most {ratio} bytes per compressed byte (--max_ratio), found more: a decompression bomb?"
                ));
            }
            Ok(MemberForm::Deflated { size, checksum })
        }
        other => Err(format!("compressed by {other}, which is not supported")),
    }
}

/// Fails if members share bytes: a small archive could then have any size.
fn check_ranges(directory: &Directory) -> Result<(), String> {
    let members = directory.entries.iter().filter_map(|entry| entry.member.as_ref().ok());
    let mut ranges: Vec<(u64, u64)> =
        members.map(|member| (member.start, member.start.saturating_add(member.stored))).collect();
    ranges.sort_unstable();
    match ranges.windows(2).any(|two| two[1].0 < two[0].1) {
        true => Err("members share their bytes: a decompression bomb?".into()),
        false => Ok(()),
    }
}
