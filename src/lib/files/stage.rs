//! The output of a stage that writes many files and one list of them. All data files stay under temporary names until
//! every one is complete; then the old list goes, the data files take their names, and the new list takes its own last. So
//! wherever a list stands, the files it names are complete and belong together.
//!
//! Data files are called after their list (`LIST-000001.bow`), so that lists of different names can share a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::files::output::{Output, Part};

/// A stage being written.
pub struct Stage {
    list: Output,
    folder: PathBuf,
    stem: String,
    extension: String,
    /// Files of another stage that the list names first.
    before: Vec<PathBuf>,
    done: Mutex<Vec<(usize, PathBuf, Part)>>,
    beside: Vec<Part>,
    is_stream: bool,
    /// Locks the names of the data files, whatever the list is called.
    _guard: Output,
}

impl Stage {
    /// Begins a stage whose list is `list` and whose data files go to `folder` (made if missing).
    pub fn begin(list: &Path, folder: &Path, extension: &str, compress: bool) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|e| Error::io("create the folder", folder, e))?;
        let name = list.file_name().unwrap_or(extension.as_ref()).to_string_lossy();
        let stem = if is_stream(list) { extension } else { name.trim_end_matches(".gz") };
        let ending = if compress { ".gz" } else { "" };
        let stem = stem.replace(['\n', '\r'], "_");
        Ok(Stage {
            _guard: Output::create(&folder.join(format!("{stem}-lock")))?,
            list: Output::create(list)?,
            folder: folder.to_path_buf(),
            stem,
            extension: format!("{extension}{ending}"),
            before: Vec::new(),
            done: Mutex::new(Vec::new()),
            beside: Vec::new(),
            is_stream: is_stream(list),
        })
    }

    /// Names complete files of another stage in the list, before this stage's own.
    pub fn name_first(&mut self, files: &[PathBuf]) {
        self.before.extend_from_slice(files);
    }

    /// Begins data file `number` (counted from 0). It must not replace one of the files that are named first.
    pub fn create(&self, number: usize) -> Result<Output> {
        let path = self.data_path(number);
        if let Ok(target) = fs::canonicalize(&path) {
            let is_target = |old: &&PathBuf| fs::canonicalize(old).is_ok_and(|old| old == target);
            if let Some(old) = self.before.iter().find(is_target) {
                return Err(Error::Message(format!(
                    "{}: is a file of the old list; give the new list another name, or another folder",
                    old.display()
                )));
            }
        }
        Output::create(&path)
    }

    /// Takes data file `number` when it is complete.
    pub fn keep(&self, number: usize, file: Output) -> Result<()> {
        // The stage itself is locked.
        let part = file.close()?.unlocked();
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((number, self.data_path(number), part));
        Ok(())
    }

    /// Takes a complete file that belongs to the stage without standing in its list.
    pub fn keep_beside(&mut self, file: Output) -> Result<()> {
        self.beside.push(file.close()?);
        Ok(())
    }

    /// Completes the list (the header's lines and one path a line), then gives all files their names, the list last.
    pub fn commit(self, header: &[String]) -> Result<()> {
        let Stage { mut list, before, done, beside, is_stream, _guard, .. } = self;
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(number, ..)| *number);
        for line in header {
            list.write(format!("{line}\n").as_bytes())?;
        }
        for path in before.iter().chain(done.iter().map(|(_, path, _)| path)) {
            list.write(&path_line(path)?)?;
        }
        let mut parts = beside.into_iter().chain(done.into_iter().map(|(_, _, part)| part));
        if is_stream {
            // Whoever reads the list from a stream may open its files at once.
            parts.try_for_each(Part::publish)?;
            return list.finish();
        }
        let list = list.close()?;
        list.remove_old()?;
        parts.try_for_each(Part::publish)?;
        list.publish()
    }

    /// What the names of the stage's files begin with, for temporary files beside them.
    pub fn stem(&self) -> PathBuf {
        self.folder.join(&self.stem)
    }

    fn data_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}-{:06}.{}", self.stem, number + 1, self.extension))
    }
}

/// A path and a newline. A list has one path a line, so a path that holds a newline cannot stand in it.
fn path_line(path: &Path) -> Result<Vec<u8>> {
    let mut line = path.as_os_str().as_encoded_bytes().to_vec();
    if line.contains(&b'\n') {
        return Err(Error::Message(format!(
            "{:?}: a folder whose name holds a newline cannot be listed",
            path
        )));
    }
    line.push(b'\n');
    Ok(line)
}
