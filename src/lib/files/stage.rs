//! The output of a stage: many data files, one list of them, and a manifest.
//!
//! All files stay under temporary names until every one is complete. Then they are published in an order that never leaves a list whose
//! files or manifest belong to another run, wherever the run is killed: the old list and its manifest go first; the data files get their
//! names, then the manifest, the list last. So where a list exists, its stage is complete. A run that fails restores the old files.
//!
//! Data files are named after their list (`LIST-000001.bow`), so that lists of different names can share a folder.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::files::content::Content;
use crate::files::manifest::{
    DataFile, Digest, FileEntry, Manifest, ManifestOutput, Provenance, ShardEntry, StageKind,
};
use crate::files::output::{Output, Part, Publisher};
use crate::files::{is_stream, without_compression};

/// A stage being written.
pub struct Stage {
    publisher: Publisher<'static>,
    list: Output,
    manifest: ManifestOutput,
    folder: PathBuf,
    stem: String,
    extension: String,
    /// Files of another stage that the list names first.
    earlier: Vec<DataFile>,
    complete: Mutex<Vec<CompleteFile>>,
    companions: Vec<Part>,
    /// The part of the stage's work, if it is not all.
    shard: Option<ShardEntry>,
    is_stream: bool,
    /// Locks the names of the data files, whatever the list is called.
    _guard: Output,
}

/// A complete data file under its temporary name.
struct CompleteFile {
    number: usize,
    path: PathBuf,
    digest: Digest,
    part: Part,
}

impl Stage {
    /// Begins a stage whose list is `list` and whose data files go to `folder`, created if missing. Fails if the run reads a file that the
    /// stage may replace.
    pub fn begin(
        publisher: &Publisher<'_>,
        list: &Path,
        folder: &Path,
        kind: StageKind,
        compress: bool,
    ) -> Result<Self> {
        publisher.create_folders(folder)?;
        let extension = kind.extension();
        let name = list.file_name().unwrap_or(extension.as_ref()).to_string_lossy();
        let stem = if is_stream(list) { extension } else { without_compression(&name) };
        let ending = if compress { ".gz" } else { "" };
        let stem = stem.replace(['\n', '\r'], "_");
        check_data_files(publisher, folder, &stem)?;
        Ok(Stage {
            _guard: publisher.create(&folder.join(format!("{stem}-lock")))?,
            list: publisher.create(list)?.with_digest(),
            manifest: ManifestOutput::create(publisher, list)?,
            publisher: publisher.after_checks(),
            folder: folder.to_path_buf(),
            stem,
            extension: format!("{extension}{ending}"),
            earlier: Vec::new(),
            complete: Mutex::new(Vec::new()),
            companions: Vec::new(),
            shard: None,
            is_stream: is_stream(list),
        })
    }

    /// Names complete files of another stage in the list, before this stage's own.
    pub fn name_first(&mut self, files: &[DataFile]) {
        self.earlier.extend_from_slice(files);
    }

    /// Describes the output as a part of the stage's work, or as all of it.
    pub fn set_shard(&mut self, shard: Option<ShardEntry>) {
        self.shard = shard;
    }

    /// Begins data file `number` (from 0).
    pub fn create(&self, number: usize) -> Result<Output> {
        Ok(self.publisher.create(&self.data_path(number))?.with_digest())
    }

    /// Takes data file `number` when it is complete.
    pub fn keep(&self, number: usize, file: Output) -> Result<()> {
        let digest = file.digest().expect("data files are created with a digest");
        // The stage itself is locked.
        let part = file.close()?.unlocked();
        let file = CompleteFile { number, path: self.data_path(number), digest, part };
        self.complete.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        Ok(())
    }

    /// Fails if one of the files that the run reads has the name of a data file of the stage, which it would replace. Other names of the same files may be
    /// replaced: see [`Stage::link`].
    pub fn check_other_names(&self, read: &[DataFile]) -> Result<()> {
        let prefix = format!("{}-", self.stem);
        let own = self.folder.canonicalize().ok();
        let has_name = |file: &&DataFile| {
            let name = file.path.file_name().unwrap_or_default().as_encoded_bytes();
            let folder = file.path.canonicalize().ok();
            name.starts_with(prefix.as_bytes())
                && folder.as_deref().and_then(Path::parent) == own.as_deref()
        };
        match read.iter().find(has_name) {
            Some(file) => Err(Error::in_file(
                &file.path,
                "is a file that this run reads and would replace; name another output",
            )),
            None => Ok(()),
        }
    }

    /// Takes a complete file as data file `number`, as another name of it. Returns whether that was possible; if not, its bytes have to be written.
    pub fn link(&self, number: usize, file: &DataFile) -> Result<bool> {
        let path = self.data_path(number);
        let Some(digest) = file.digest().filter(|_| path.extension() == file.path.extension())
        else {
            return Ok(false);
        };
        let Some(part) = self.publisher.link(&file.path, &path)? else { return Ok(false) };
        let file = CompleteFile { number, path, digest, part };
        self.complete.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        Ok(true)
    }

    /// Takes a complete file that belongs to the stage but is not in its list.
    pub fn keep_beside(&mut self, file: Output) -> Result<()> {
        self.companions.push(file.close()?);
        Ok(())
    }

    /// Takes the manifest of a part of a file that belongs to the stage.
    pub fn describe_beside(&mut self, out: ManifestOutput, manifest: &Manifest) -> Result<()> {
        self.companions.push(out.close(manifest)?);
        Ok(())
    }

    /// Completes the list (the header, then one path per line) and the manifest, then gives all files their names.
    pub fn commit(self, header: &str, provenance: Provenance) -> Result<()> {
        let Stage { publisher, mut list, manifest, earlier, complete, companions, shard, .. } =
            self;
        let mut complete = complete.into_inner().unwrap_or_else(PoisonError::into_inner);
        complete.sort_by_key(|file| file.number);
        list.write(header.as_bytes())?;
        let own = complete.iter().map(|file| &file.path);
        for path in earlier.iter().map(|file| &file.path).chain(own) {
            list.write(&path_line(path)?)?;
        }
        let mut files = earlier.iter().map(entry_of).collect::<Result<Vec<_>>>()?;
        files.extend(complete.iter().map(|file| FileEntry::new(&file.path, file.digest)));
        let description = Manifest::new(provenance, list.digest(), files).of_shard(shard);
        let manifest = manifest.close(&description)?;
        let parts = companions.into_iter().chain(complete.into_iter().map(|file| file.part));
        let parts = parts.collect();
        if self.is_stream {
            // A reader of the stream may open the data files as soon as it reads their names.
            publisher.publish(vec![parts])?;
            return list.finish();
        }
        let list = list.close()?;
        publisher.publish(vec![parts, vec![manifest.parked(), list.parked()]])
    }

    /// Returns the path that the names of the stage's files begin with, for temporary files next to them.
    pub fn stem(&self) -> PathBuf {
        self.folder.join(&self.stem)
    }

    fn data_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}-{:06}.{}", self.stem, number + 1, self.extension))
    }
}

/// Fails if the run reads a file of the folder that has the name of a data file.
fn check_data_files(publisher: &Publisher<'_>, folder: &Path, stem: &str) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io("read", folder, e))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let prefix = format!("{stem}-");
    let is_data = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(prefix.as_bytes())
    };
    paths.filter(is_data).try_for_each(|path| publisher.check(&path))
}

/// Returns the manifest's entry of a file of another stage, which has one already or is read for it.
fn entry_of(file: &DataFile) -> Result<FileEntry> {
    let digest = match file.digest() {
        Some(digest) => digest,
        None => Content::open(file)?.digest(),
    };
    Ok(FileEntry::new(&file.path, digest))
}

/// Returns a path and a newline. A list has one path per line, so a path that holds a newline cannot be listed.
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
