//! The files of a folder before and after a run.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::Files;
use super::index_state::canonical;

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
    found
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
    for (name, content) in files.iter().filter(|(name, content)| found.get(*name) != Some(*content))
    {
        let path = folder.join(name);
        match name.ends_with('/') {
            true => fs::create_dir_all(path).unwrap(),
            false => fs::write(path, content).unwrap(),
        }
    }
}
