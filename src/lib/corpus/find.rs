//! Files and streams to read, found from the inputs that a user names.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::archive::{self, ArchiveKind};
use super::inputs::{InputFormat, Inputs};
use super::skip::SkippedInput;
use super::source::{InputSource, SourceKind};
use super::stream::BUFFER;
use crate::error::{Error, Result};
use crate::files::input::read_error;
use crate::files::is_stream;
use crate::files::limits::{self, LineLimit, MAX_LIST_BYTES};
use crate::files::list::{self, Separator};
use crate::files::paths::path_from_bytes;

/// Files and streams to read, in reading order.
#[derive(Clone, Default)]
pub struct InputFiles {
    pub(super) sources: Vec<InputSource>,
    pub(super) skips: Vec<SkippedInput>,
    /// Total size of the files as stored.
    pub(super) bytes: u64,
    /// Number of symbolic links that were not followed.
    pub(super) links: u64,
}

impl InputFiles {
    /// Returns the paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> + Clone {
        let archive = |at: usize| Some(self.sources[at].member.as_ref()?.archive_path());
        // The members of an archive follow each other.
        let is_first = move |at: &usize| {
            archive(*at).is_none_or(|path| *at == 0 || archive(at - 1) != Some(path))
        };
        let numbers = (0..self.sources.len()).filter(is_first);
        numbers.map(move |at| archive(at).unwrap_or(&self.sources[at].path))
    }
}

impl InputFiles {
    /// Returns the path of every source, by number; that of a member of an archive is `archive!member`. `None` for standard input and pipes.
    pub fn source_paths(&self) -> Vec<Option<SourcePath>> {
        let of = |source: &InputSource| {
            let archive = source.member.as_ref().map(|member| member.archive_path());
            let path = SourcePath {
                path: source.path.to_path_buf(),
                archive: archive.map(Path::to_path_buf),
            };
            (!source.is_stream).then_some(path)
        };
        self.sources.iter().map(of).collect()
    }
}

/// The path of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePath {
    /// The path; of a member, that of the archive, `!` and the path in it.
    pub path: PathBuf,
    /// The archive, if the source is a member of one.
    pub archive: Option<PathBuf>,
}

/// Finds all files that the inputs name. A missing input is an error: nothing is done yet, and it is most likely misspelled.
pub fn find(inputs: &Inputs) -> Result<InputFiles> {
    let globs =
        Globs { include: globs(&inputs.args.include)?, exclude: globs(&inputs.args.exclude)? };
    let mut search = Search { inputs, globs: &globs, found: InputFiles::default(), input: 0 };
    for (number, path) in inputs.paths().enumerate() {
        search.input = number;
        search.input(path)?;
    }
    Ok(search.found)
}

fn globs(globs: &[String]) -> Result<GlobSet> {
    let invalid = |e: globset::Error| Error::Usage(format!("invalid glob: {e}"));
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(invalid)?);
    }
    set.build().map_err(invalid)
}

/// Patterns of the files to read.
struct Globs {
    include: GlobSet,
    exclude: GlobSet,
}

impl Globs {
    /// Returns whether a file is read, by its path below the input.
    fn want(&self, below: &Path) -> bool {
        let is_included = self.include.is_empty() || self.include.is_match(below);
        is_included && !self.exclude.is_match(below)
    }
}

struct Search<'a> {
    inputs: &'a Inputs,
    globs: &'a Globs,
    found: InputFiles,
    /// The number of the current input.
    input: usize,
}

/// A folder between an input and its files.
struct Folder<'a> {
    path: &'a Path,
    /// The input above it.
    root: &'a Path,
    /// Its canonical path and those of all folders above it up to the input.
    real: &'a [PathBuf],
}

impl Search<'_> {
    fn input(&mut self, path: &Path) -> Result<()> {
        if let Some(separator) = self.inputs.list {
            return self.list(path, separator);
        }
        let metadata = || fs::metadata(path).map_err(|e| Error::io("open", path, e));
        match (!is_stream(path)).then(metadata).transpose()? {
            Some(about) if about.is_dir() => {
                let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
                self.folder(&Folder { path, root: path, real: &[real] });
            }
            Some(about) if about.is_file() => {
                let first = self.found.sources.len();
                self.file(path.to_path_buf(), 0, &about, &|_| true);
                let own = |source: &&mut InputSource| source.member.is_none();
                let own = self.found.sources[first..].iter_mut().filter(own);
                own.for_each(|source| source.is_named = true);
            }
            _ => {
                let kind = SourceKind::of_stream(self.inputs.args.format);
                let source = self.add(path.to_path_buf(), 0, kind);
                (source.is_stream, source.is_named) = (true, true);
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf, name_start: usize, kind: SourceKind) -> &mut InputSource {
        self.found.sources.push(InputSource {
            path: path.into(),
            member: None,
            name_start: u32::try_from(name_start).expect("a path is shorter than 4 GB"),
            list_line: 0,
            input: u16::try_from(self.input).unwrap_or(u16::MAX),
            kind,
            is_stream: false,
            is_new: self.input >= self.inputs.existing.len(),
            is_named: false,
            range: None,
        });
        self.found.sources.last_mut().expect("a source was added")
    }

    /// Adds a file, or the members of an archive whose names are `wanted`.
    fn file(
        &mut self,
        path: PathBuf,
        name_start: usize,
        about: &Metadata,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) {
        if let Some(kind) = ArchiveKind::of(&path) {
            return self.archive(&path, name_start, kind, wanted);
        }
        if !wanted(b"") {
            return;
        }
        let kind = SourceKind::of(self.inputs.args.format, &path);
        self.found.bytes += about.len();
        self.add(path, name_start, kind);
    }

    /// Adds the members of an archive whose names are `wanted`.
    fn archive(
        &mut self,
        path: &Path,
        name_start: usize,
        kind: ArchiveKind,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) {
        let directory = match archive::list(path, kind, &self.inputs.args) {
            Ok(directory) => directory,
            Err(why) => return self.skip(path, why),
        };
        self.found.links += directory.links;
        for entry in directory.entries.into_iter().filter(|entry| wanted(&entry.name)) {
            let mut name = path.as_os_str().as_encoded_bytes().to_vec();
            name.push(b'!');
            name.extend_from_slice(&entry.name);
            let name = path_from_bytes(&name);
            match entry.member {
                Ok(member) => {
                    self.found.bytes += member.stored;
                    let kind = SourceKind::of(self.inputs.args.format, &name);
                    self.add(name, name_start, kind).member = Some(Box::new(member));
                }
                Err(why) => self.skip(&name, why),
            }
        }
        if let Some(why) = directory.damage {
            self.skip(path, why);
        }
    }

    fn skip(&mut self, path: &Path, why: impl Into<String>) {
        self.found.skips.push(SkippedInput::file(path, why));
    }

    /// Adds all files below a folder, sorted by name.
    fn folder(&mut self, folder: &Folder<'_>) {
        let names = fs::read_dir(folder.path).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name())).collect::<Result<Vec<_>, _>>()
        });
        match names {
            Ok(mut names) => {
                names.sort_unstable();
                names.iter().for_each(|name| self.entry(folder, folder.path.join(name)));
            }
            Err(e) => self.skip(folder.path, format!("cannot read the folder: {e}")),
        }
    }

    fn entry(&mut self, folder: &Folder<'_>, path: PathBuf) {
        let below = path.strip_prefix(folder.root).unwrap_or(&path);
        if self.globs.exclude.is_match(below) || self.is_leftover(&path) {
            return;
        }
        let is_link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
        if is_link && !self.inputs.args.follow {
            self.found.links += 1;
            return;
        }
        let globs = self.globs;
        let below = below.as_os_str().as_encoded_bytes().to_vec();
        let is_only = self.inputs.only_path().is_some();
        let name_start = if is_only { path.as_os_str().len() - below.len() } else { 0 };
        // Globs apply to files, and to the members of archives.
        let wanted = move |member: &[u8]| {
            let separator: &[u8] = if member.is_empty() { b"" } else { b"!" };
            globs.want(&path_from_bytes(&[&below, separator, member].concat()))
        };
        match fs::metadata(&path) {
            Ok(about) if about.is_dir() => self.subfolder(folder, &path),
            Ok(about) if about.is_file() => self.file(path, name_start, &about, &wanted),
            _ if !wanted(b"") => {}
            Ok(_) => self.skip(&path, "neither a file nor a folder"),
            Err(e) => self.skip(&path, format!("cannot open: {e}")),
        }
    }

    /// Returns whether a killed run has left this file or folder.
    fn is_leftover(&self, path: &Path) -> bool {
        let mut same_name = self.inputs.leftovers.iter();
        same_name.any(|leftover| {
            leftover.file_name() == path.file_name()
                && fs::canonicalize(leftover).ok() == fs::canonicalize(path).ok()
        })
    }

    /// Adds a folder of a folder, unless it is a link to one above.
    fn subfolder(&mut self, above: &Folder<'_>, path: &Path) {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(e) => return self.skip(path, format!("cannot open: {e}")),
        };
        if above.real.contains(&real) {
            return self.skip(path, format!("leads back to {}", real.display()));
        }
        let real = [above.real, &[real]].concat();
        self.folder(&Folder { path, root: above.root, real: &real });
    }

    /// Adds the files that a list names. They are opened in their turn, so that a missing one is reported in order.
    fn list(&mut self, list: &Path, separator: Separator) -> Result<()> {
        let mut content = Vec::new();
        let is_pipe = !is_stream(list) && fs::metadata(list).is_ok_and(|about| !about.is_file());
        let is_stream = is_pipe || is_stream(list);
        let opened = self.inputs.streams.open_path(list, is_stream, BUFFER)?;
        let lines = LineLimit::new(opened.reader);
        let read = limits::read_to_end(lines, MAX_LIST_BYTES, &mut content);
        read.map_err(|error| read_error(list, error))?;
        for entry in list::entries(&content, separator) {
            self.listed(&entry.raw, entry.line);
        }
        Ok(())
    }

    fn listed(&mut self, name: &[u8], line: u64) {
        // A document may be called `-`; only an input can be standard input.
        let (path, name_start) =
            if name == b"-" { ("./-".into(), 2) } else { (path_from_bytes(name), 0) };
        let first = self.found.sources.len();
        let kind = ArchiveKind::of(&path).filter(|_| self.inputs.args.format == InputFormat::List);
        match kind {
            Some(kind) => self.archive(&path, name_start, kind, &|_| true),
            None => self.listed_file(path, name_start),
        }
        for source in &mut self.found.sources[first..] {
            source.list_line = u32::try_from(line).unwrap_or(u32::MAX);
        }
    }

    fn listed_file(&mut self, path: PathBuf, name_start: usize) {
        let about = fs::metadata(&path);
        let is_stream = about.as_ref().is_ok_and(|about| !about.is_file() && !about.is_dir());
        self.found.bytes += about.map_or(0, |about| about.len());
        let kind = SourceKind::of(self.inputs.args.format, &path);
        self.add(path, name_start, kind).is_stream = is_stream;
    }
}
