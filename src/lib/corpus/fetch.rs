//! Reading some documents again, by their places.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::batch::{DocumentParser, InputDocument};
use super::find::find;
use super::inputs::{InputArgs, InputFormat, Inputs};
use super::read::scan;
use super::seek::StoredLines;
use super::source::{InputSource, SourceKind};
use crate::files::names::Names;
use crate::pool::map_parallel;
use crate::session::Session;

/// The place of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPlace {
    /// The file; of a member, that of the archive, `!` and the path in it.
    pub path: PathBuf,
    /// The record's line or row, counted from 1; 0 if the file is the document.
    pub line: u64,
    /// Bytes of the decompressed file before the record, if they are known.
    pub position: Option<u64>,
}

/// Places that a task reads: files are opened once for them.
const PLACES_PER_TASK: usize = 16;

/// Returns the texts of documents that were read before, as far as they can be read again, by several threads. Fields, encoding, markup and limits are those of
/// `args`. A record whose position is known is read from there, if the file is not compressed; for all others, each file with records is read once, as a whole.
pub fn fetch(places: &[DocumentPlace], args: &InputArgs, threads: usize) -> Vec<Option<String>> {
    let args = InputArgs {
        inputs: Vec::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        format: InputFormat::Auto,
        ..args.clone()
    };
    let mut containers: FxHashMap<PathBuf, Vec<usize>> = FxHashMap::default();
    let mut tasks: Vec<FetchTask<'_>> = Vec::new();
    for (number, place) in places.iter().enumerate() {
        match place.line == 0 && place.path.is_file() {
            true => tasks.push(FetchTask::Whole(number)),
            false => containers.entry(container(&place.path)).or_default().push(number),
        }
    }
    for (path, numbers) in &containers {
        tasks.extend(numbers.chunks(PLACES_PER_TASK).map(|some| FetchTask::Records(path, some)));
    }
    let mut texts: Vec<Option<String>> = vec![None; places.len()];
    let found = map_parallel(&tasks, threads, |task| task.run(places, &args));
    for (number, text) in found.into_iter().flatten() {
        texts[number] = text;
    }
    for (path, mut numbers) in containers {
        numbers.retain(|number| texts[*number].is_none());
        if !numbers.is_empty() {
            for (number, text) in records(&path, &numbers, places, &args) {
                texts[number] = Some(text);
            }
        }
    }
    texts
}

/// Documents that one thread reads.
enum FetchTask<'t> {
    /// A file.
    Whole(usize),
    /// Records of a file.
    Records(&'t Path, &'t [usize]),
}

impl FetchTask<'_> {
    /// Returns the texts of the documents by number; of records only if they can be read from their positions.
    fn run(&self, places: &[DocumentPlace], args: &InputArgs) -> Vec<(usize, Option<String>)> {
        match self {
            FetchTask::Whole(number) => vec![(*number, whole(&places[*number].path, args))],
            FetchTask::Records(path, numbers) => {
                let Some(mut lines) = StoredLines::open(path, args) else { return Vec::new() };
                let mut text = |number: &usize| {
                    (*number, places[*number].position.and_then(|at| lines.text_at(at)))
                };
                numbers.iter().map(&mut text).collect()
            }
        }
    }
}

/// Returns the text of a file.
fn whole(path: &Path, args: &InputArgs) -> Option<String> {
    let source = InputSource::of_file(path, SourceKind::Whole);
    let text = DocumentParser::new(&Inputs::new(args.clone()), &[]).whole(&source).ok()?;
    Some(text.text.into_owned())
}

/// Returns the file that holds a document: the archive of a member, else the file itself.
fn container(path: &Path) -> PathBuf {
    if path.is_file() {
        return path.to_path_buf();
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'!').map(|(at, _)| at);
    let mut archives = ends.map(|end| crate::files::paths::path_from_bytes(&bytes[..end]));
    archives.find(|archive| archive.is_file()).unwrap_or_else(|| path.to_path_buf())
}

/// Returns the texts of some documents of a file.
fn records(
    path: &Path,
    numbers: &[usize],
    places: &[DocumentPlace],
    args: &InputArgs,
) -> Vec<(usize, String)> {
    let inputs = Inputs::new(InputArgs { inputs: vec![path.into()], ..args.clone() });
    let Ok(files) = find(&inputs) else { return Vec::new() };
    let sources = files.source_paths();
    let place = |number: usize| (&*places[number].path, places[number].line);
    let wanted: FxHashMap<(&Path, u64), usize> =
        numbers.iter().map(|number| (place(*number), *number)).collect();
    let number_of = |document: &InputDocument<'_>| {
        let path = &sources[document.origin.source].as_ref()?.path;
        wanted.get(&(&**path, document.origin.line)).copied()
    };
    let work = |documents: &[InputDocument<'_>]| {
        let found = documents
            .iter()
            .filter_map(|document| Some((number_of(document)?, document.text.to_string())));
        (Names::default(), found.collect::<Vec<_>>())
    };
    let mut texts = Vec::new();
    // What cannot be read is missing in the result.
    let _ = scan(&inputs, files, None, &Session::silent(), work, |found, _| {
        texts.extend(found);
        Ok(Vec::new())
    });
    texts
}
