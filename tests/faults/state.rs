//! The files of a folder before and after a run.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::Files;
use super::index_state::canonical;

/// The end of the name of a mark: a file next to a folder that names it by device and inode while it is published.
const MARK: &str = ".lock.part";

/// Returns a file with the folder's name instead of its inode if it is a mark: inodes differ when files are restored.
pub fn portable_mark(
    name: String,
    content: Vec<u8>,
    folder: impl Fn(u64) -> Option<String>,
) -> (String, Vec<u8>) {
    let text = String::from_utf8_lossy(&content);
    let inode = text.trim_end().split_once(':').and_then(|(_, inode)| inode.parse().ok());
    match inode.filter(|_| name.ends_with(MARK)) {
        Some(inode) => (name, folder(inode).unwrap_or_default().into_bytes()),
        None => (name, content),
    }
}

/// Returns the content of a mark for a folder that it names.
fn restored_mark(root: &Path, content: &[u8]) -> Vec<u8> {
    let folder = root.join(std::str::from_utf8(content).unwrap());
    let about = fs::metadata(folder).unwrap();
    format!("{}:{}\n", about.dev(), about.ino()).into_bytes()
}

/// Returns whether a name is temporary: a part, or a file in a folder that is one.
pub fn is_part(name: &str) -> bool {
    name.split('/').any(|part| part.ends_with(".part"))
}

/// Returns the files without folders, parts and empty lock files.
pub fn regular(files: &Files) -> Files {
    let mut files = without_parts(files);
    files.retain(|name, content| {
        let is_lock = name.ends_with("/lock") && content.is_empty();
        !name.ends_with('/') && !is_lock
    });
    files
}

/// Returns the files without temporary ones.
pub fn without_parts(files: &Files) -> Files {
    let kept = files.iter().filter(|(name, _)| !is_part(name));
    kept.map(|(name, content)| (name.clone(), content.clone())).collect()
}

/// Compares two states and names the first difference. Lock files and generation numbers of an index are ignored.
pub fn differs(expected: &Files, found: &Files, when: &str) -> Result<(), String> {
    let (expected, found) = (canonical(expected), canonical(found));
    for (name, content) in &expected {
        match found.get(name) {
            None => return Err(format!("{when}: {name} is missing")),
            Some(other) if other != content => return Err(format!("{when}: {name} differs")),
            Some(_) => {}
        }
    }
    match found.keys().find(|name| !expected.contains_key(*name)) {
        Some(name) => Err(format!("{when}: {name} is left")),
        None => Ok(()),
    }
}

/// Returns a hash of names and contents.
pub fn hash_of(files: &Files) -> u64 {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    hasher.finish()
}

/// Returns all files below a folder, and its folders as names that end in `/`.
pub fn tree(folder: &Path) -> Files {
    let mut found = Files::new();
    collect(folder, "", &mut found);
    let names: Vec<String> = found.keys().filter(|name| name.ends_with('/')).cloned().collect();
    let named = |inode: u64| {
        let is_it = |name: &&String| fs::metadata(folder.join(name)).unwrap().ino() == inode;
        names.iter().find(is_it).cloned()
    };
    found.into_iter().map(|(name, content)| portable_mark(name, content, named)).collect()
}

fn collect(folder: &Path, prefix: &str, found: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
            found.insert(format!("{name}/"), Vec::new());
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

/// Gives a folder exactly these files.
pub fn restore(folder: &Path, files: &Files) {
    let found = tree(folder);
    // Files sort behind their folder, so the reverse order empties folders first.
    for name in found.keys().rev().filter(|name| !files.contains_key(*name)) {
        let path = folder.join(name);
        let removed =
            if name.ends_with('/') { fs::remove_dir(path) } else { fs::remove_file(path) };
        removed.unwrap();
    }
    let changed = files.iter().filter(|(name, content)| found.get(*name) != Some(*content));
    // Marks last, when the folders that they name exist.
    let (marks, others): (Vec<_>, Vec<_>) =
        changed.partition(|(name, content)| name.ends_with(MARK) && !content.is_empty());
    for (name, content) in others {
        let path = folder.join(name);
        match name.ends_with('/') {
            true => fs::create_dir_all(path).unwrap(),
            false => fs::write(path, content).unwrap(),
        }
    }
    for (name, content) in marks {
        fs::write(folder.join(name), restored_mark(folder, content)).unwrap();
    }
}
