//! Refusal of duplicates: document names of a stage's files and files of a list.
//!
//! Readers keep 8 bytes per name, its hash. Only if two hashes are equal are the files read once more, to compare the names and to find their
//! lines.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use twox_hash::XxHash3_64;

use super::blocks::{Block, BlockReader};
use super::input::Line;
use super::manifest::DataFile;
use crate::error::{Error, Result, excerpt};

/// Bytes read at once.
const BLOCK_BYTES: usize = 1 << 20;

/// Hashes of the names of a stage's files.
#[derive(Debug, Clone, Default)]
pub struct NameHashes(Vec<u64>);

/// Calls a function with each document name of a line, in its canonical spelling.
pub type NameVisitor = fn(&Line<'_>, &mut dyn FnMut(&str)) -> Result<()>;

impl NameHashes {
    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.0.push(hash(name));
    }

    /// Adds some names.
    pub fn extend<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.0.extend(names.map(hash));
    }

    /// Adds the names of others.
    pub fn append(&mut self, mut other: NameHashes) {
        self.0.append(&mut other.0);
    }

    /// Checks that the names, those of all lines of the files, are distinct. `names_of` finds the names of a line; `list` is the list of the
    /// files. Sorts the hashes; reads the files again only if two are equal.
    ///
    /// # Errors
    /// The first line with a name of an earlier line, or twice the same.
    pub fn check(self, list: &Path, files: &[DataFile], names_of: NameVisitor) -> Result<()> {
        let suspects = repeated(self.0);
        if suspects.is_empty() {
            return Ok(());
        }
        // A pipe can be read only once.
        if files.iter().any(|file| !file.path.is_file()) {
            return Err(Error::in_file(list, "duplicate document name"));
        }
        let mut first = FxHashMap::default();
        for file in files {
            let (mut reader, mut block) = (BlockReader::open(file)?, Block::default());
            while !block.is_last {
                reader.read(&mut block, BLOCK_BYTES)?;
                let mut lines = block.lines(&file.path);
                while let Some(line) = lines.next_line()? {
                    check_line(&line, &suspects, &mut first, names_of)?;
                }
            }
        }
        Ok(())
    }
}

/// Checks the names of a line that have suspicious hashes against those of earlier lines, and adds them.
fn check_line(
    line: &Line<'_>,
    suspects: &FxHashSet<u64>,
    first: &mut FxHashMap<String, (PathBuf, u64)>,
    names_of: NameVisitor,
) -> Result<()> {
    let mut found = Ok(());
    names_of(line, &mut |name| {
        if found.is_err() || !suspects.contains(&hash(name)) {
            return;
        }
        let place = (line.path.to_path_buf(), line.number);
        if let Some(before) = first.insert(name.to_string(), place.clone()) {
            found = Err(duplicate("document name", name, &place, &before));
        }
    })?;
    found
}

/// Returns the error of a duplicate, given the place where it stands and that of the first.
pub fn duplicate(what: &str, name: &str, place: &(PathBuf, u64), first: &(PathBuf, u64)) -> Error {
    let at = |(path, line): &(PathBuf, u64)| format!("{}:{line}", path.display());
    let (name, first) = (excerpt(name), at(first));
    Error::Message(format!("{}: duplicate {what} {name} (first at {first})", at(place)))
}

/// Returns the position of the first text that equals an earlier one, and the position of that one. Memory: 8 bytes per text.
pub fn first_duplicate<'a>(
    count: usize,
    text: impl Fn(usize) -> &'a str + Sync,
) -> Option<(usize, usize)> {
    let hashes = (0..count).into_par_iter().map(|number| hash(text(number))).collect();
    let suspects = repeated(hashes);
    if suspects.is_empty() {
        return None;
    }
    let mut first = FxHashMap::default();
    let mut numbers = (0..count).filter(|number| suspects.contains(&hash(text(*number))));
    numbers.find_map(|number| first.insert(text(number), number).map(|before| (number, before)))
}

fn hash(name: &str) -> u64 {
    XxHash3_64::oneshot(name.as_bytes())
}

/// Returns the hashes that occur more than once.
fn repeated(mut hashes: Vec<u64>) -> FxHashSet<u64> {
    hashes.par_sort_unstable();
    hashes.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect()
}

/// The regular files of a list, each once under any spelling.
#[derive(Debug, Default)]
pub struct ListedFiles(FxHashMap<(u64, u64), (PathBuf, u64)>);

impl ListedFiles {
    /// Adds the file at a path, in line `line`. Returns the line of the same file, if it was added before.
    #[cfg(unix)]
    pub fn add(&mut self, path: &Path, about: &std::fs::Metadata, line: u64) -> Option<u64> {
        use std::os::unix::fs::MetadataExt;
        if !about.is_file() {
            return None;
        }
        let place = (path.to_path_buf(), line);
        let before = self.0.insert((about.dev(), about.ino()), place);
        // Some file systems give several files one number. Links of a file have it in common, and files with one link a path.
        let is_same = |before: &Path| about.nlink() > 1 || canonical(before) == canonical(path);
        before.filter(|(before, _)| is_same(before)).map(|(_, line)| line)
    }

    /// Adds the file at a path, in line `line`. Returns the line of the same file, if it was added before.
    #[cfg(not(unix))]
    pub fn add(&mut self, path: &Path, about: &std::fs::Metadata, line: u64) -> Option<u64> {
        let name = canonical(path).filter(|_| about.is_file())?;
        let key = (hash(&name.to_string_lossy()), 0);
        self.0.insert(key, (name, line)).map(|(_, line)| line)
    }
}

fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_duplicate_is_found(texts in prop::collection::vec("[a-h]{1,2}", 0..12)) {
            let found = first_duplicate(texts.len(), |number| &texts[number]);
            let expected = (0..texts.len()).find_map(|number| {
                let before = texts[..number].iter().position(|text| *text == texts[number])?;
                Some((number, before))
            });
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn equal_hashes_of_different_names_are_no_duplicates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names");
        std::fs::write(&path, "one\ntwo\none\n").unwrap();
        let files = [DataFile::unverified(path.clone())];
        let visit: NameVisitor = |line, visit| {
            visit(line.text);
            Ok(())
        };
        let hashes = |names: &[&str]| NameHashes(names.iter().map(|name| hash(name)).collect());
        assert!(hashes(&["two", "two"]).check(&path, &files, visit).is_ok());
        let error = hashes(&["one", "one"]).check(&path, &files, visit).unwrap_err();
        let (path, names) = (path.display(), "duplicate document name 'one'");
        assert_eq!(error.to_string(), format!("{path}:3: {names} (first at {path}:1)"));
    }
}
