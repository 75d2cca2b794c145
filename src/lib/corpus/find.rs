//! From what people name to the files that are to be read.

use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::skip::Skip;
use super::source::{Kind, Source};
use super::{Inputs, Shape};
use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::files::paths::path_from_bytes;

/// What is to be read, in order.
#[derive(Default)]
pub(super) struct Found {
    pub sources: Vec<Source>,
    pub skips: Vec<Skip>,
    /// The files' sizes together, as they are stored.
    pub bytes: u64,
}

/// Looks for all files that the inputs name. A named input that is not there is an error: nothing is done yet, and it is most likely misspelled.
pub(super) fn sources(inputs: &Inputs) -> Result<Found> {
    let mut search = Search {
        inputs,
        include: globs(&inputs.include)?,
        exclude: globs(&inputs.exclude)?,
        found: Found::default(),
        is_new: true,
    };
    for (number, path) in inputs.paths.iter().enumerate() {
        search.is_new = number >= inputs.old;
        search.input(path)?;
    }
    Ok(search.found)
}

fn globs(globs: &[String]) -> Result<GlobSet> {
    let wrong = |e: globset::Error| Error::Usage(format!("no such glob: {e}"));
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

struct Search<'a> {
    inputs: &'a Inputs,
    include: GlobSet,
    exclude: GlobSet,
    found: Found,
    is_new: bool,
}

/// A folder on the way from an input to its files.
struct Folder<'a> {
    path: &'a Path,
    /// The input that it is below of.
    root: &'a Path,
    /// Where it really is, with all folders above it up to the input.
    real: &'a [PathBuf],
}

impl Search<'_> {
    fn input(&mut self, path: &Path) -> Result<()> {
        let about = if is_stream(path) {
            None
        } else {
            Some(fs::metadata(path).map_err(|e| Error::io("open", path, e))?)
        };
        if about.as_ref().is_some_and(Metadata::is_dir) {
            self.root(path);
            return Ok(());
        }
        let file = about.filter(Metadata::is_file);
        if self.inputs.shape == Shape::List {
            return self.list(path, file.is_none());
        }
        match file {
            Some(about) => self.file(path.to_path_buf(), 0, &about),
            None => self.stream(path),
        }
        Ok(())
    }

    fn stream(&mut self, path: &Path) {
        let kind = Kind::of_stream(self.inputs.shape);
        let source = Source::new(path.to_path_buf(), 0, kind, self.is_new);
        self.found.sources.push(source.stream());
    }

    fn file(&mut self, path: PathBuf, name_start: usize, about: &Metadata) {
        let kind = Kind::of(self.inputs.shape, &path);
        self.found.bytes += about.len();
        self.found.sources.push(Source::new(path, name_start, kind, self.is_new));
    }

    fn skip(&mut self, path: &Path, why: impl Into<String>) {
        self.found.skips.push(Skip::file(path, why));
    }

    fn root(&mut self, path: &Path) {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.folder(&Folder { path, root: path, real: &[real] });
    }

    /// All files below a folder, by their names.
    fn folder(&mut self, folder: &Folder<'_>) {
        let names = fs::read_dir(folder.path).and_then(|entries| {
            let mut names = Vec::new();
            for entry in entries {
                names.push(entry?.file_name());
            }
            Ok(names)
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
        if self.exclude.is_match(below) {
            return;
        }
        let name_length = below.as_os_str().len();
        let is_included = self.include.is_empty() || self.include.is_match(below);
        match fs::metadata(&path) {
            Ok(about) if about.is_dir() => self.folder_below(folder, &path),
            _ if !is_included => {}
            Ok(about) if about.is_file() => {
                let is_alone = self.inputs.paths.len() == 1;
                let name_start = if is_alone { path.as_os_str().len() - name_length } else { 0 };
                self.file(path, name_start, &about);
            }
            Ok(_) => self.skip(&path, "neither a file nor a folder"),
            Err(e) => self.skip(&path, format!("cannot open: {e}")),
        }
    }

    /// A folder of a folder. Links may lead back to where they stand.
    fn folder_below(&mut self, above: &Folder<'_>, path: &Path) {
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

    /// The files that a list names. The list itself must be there.
    fn list(&mut self, list: &Path, is_pipe: bool) -> Result<()> {
        let mut content = Vec::new();
        let mut reader = self.inputs.streams.open_path(list, is_pipe)?.reader;
        reader.read_to_end(&mut content).map_err(|e| Error::io("read", list, e))?;
        for (number, line) in (1..).zip(content.split(|byte| *byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                self.listed(list, number, line);
            }
        }
        Ok(())
    }

    fn listed(&mut self, list: &Path, number: u64, line: &[u8]) {
        // A document may be called `-`; only an input can be standard input.
        let (path, name_start) =
            if line == b"-" { ("./-".into(), 2) } else { (path_from_bytes(line), 0) };
        let place = format!("(named in {}, line {number})", list.display());
        match fs::metadata(&path) {
            Ok(about) if about.is_file() => self.file(path, name_start, &about),
            Ok(_) => self.skip(&path, format!("not a file {place}")),
            Err(e) => self.skip(&path, format!("cannot open: {e} {place}")),
        }
    }
}
