//! The inputs again, without some of their documents.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::batch::{Batch, Spot};
use super::drive::{Made, drive};
use super::source::{Kind, Source};
use super::{Inputs, Places};
use crate::error::{Error, Result};
use crate::files::output::{Output, with_suffix};
use crate::session::Session;

/// Writes the new documents that are `kept` and returns how many these are.
///
/// - If all inputs are JSON lines, or all have one document a line: the lines of these documents byte for byte (as UTF-8 if they were marked as UTF-16), one input after the other.
/// - If all are files of their own and `out` ends in `/` or is an empty folder: copies of the files below it, with the paths that their ids are. A folder that is not empty is refused.
/// - Else JSON lines with the fields that the inputs are read with: records as they stand if they are JSON, and objects with id and text for all other documents.
///
/// The result gets its name when it is complete. What was read must not have changed since; it is an error if documents are no longer where they were.
pub fn copy(
    inputs: &Inputs,
    places: &Places,
    kept: impl Fn(usize) -> bool + Sync,
    out: &Path,
    session: &Session,
) -> Result<u64> {
    let is_new = |(source, _): &(usize, Range<usize>)| places.source(*source).is_new;
    let mut wanted: Vec<_> = places.by_source().filter(is_new).collect();
    let is_folder = out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/");
    let form = Form::of(wanted.iter().map(|(source, _)| places.source(*source)), is_folder)?;
    wanted.retain(|(_, documents)| documents.clone().any(&kept));
    session.phase("copying what is kept", None);
    match form {
        Form::Folder => to_folder(wanted.iter().map(|(source, _)| places.source(*source)), out),
        form => to_file(&Task { inputs, places, wanted: &wanted, form }, kept, out, session),
    }
}

/// What the copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Lines as they stand.
    Lines,
    /// JSON lines.
    Json,
    /// A folder of files.
    Folder,
}

impl Form {
    fn of<'a>(sources: impl Iterator<Item = &'a Source> + Clone, is_folder: bool) -> Result<Self> {
        let all = |kind: Kind| sources.clone().all(|source| source.kind == kind);
        let are_files = all(Kind::Whole) && !sources.clone().any(|source| source.is_stream);
        match is_folder {
            true if are_files => Ok(Form::Folder),
            true => Err(Error::Usage(
                "a folder can take documents that are files of their own; these are not: name a file, such as kept.jsonl".into(),
            )),
            false if all(Kind::Json) || all(Kind::Lines) => Ok(Form::Lines),
            false => Ok(Form::Json),
        }
    }
}

/// What is copied to a file.
struct Task<'a> {
    inputs: &'a Inputs,
    places: &'a Places,
    /// The sources that have something to keep, with their documents.
    wanted: &'a [(usize, Range<usize>)],
    form: Form,
}

fn to_file(
    task: &Task<'_>,
    kept: impl Fn(usize) -> bool + Sync,
    out: &Path,
    session: &Session,
) -> Result<u64> {
    let mut output = Output::create(out)?;
    let source = |(source, _): &(usize, Range<usize>)| task.places.source(*source).clone();
    let sources: Vec<Source> = task.wanted.iter().map(source).collect();
    let mut documents = task.wanted.iter().flat_map(|(_, documents)| documents.clone());
    let mut written = 0;
    let work = |batch: &Batch<'_>| task.lines(batch, &sources);
    drive(task.inputs, &sources, session, work, |made: Made<Vec<Vec<u8>>>| {
        for (spot, line) in made.spots.iter().zip(made.result.iter().flatten()) {
            let document = task.check(documents.next(), Some(*spot))?;
            if document.is_some_and(&kept) {
                output.write(line)?;
                written += 1;
            }
        }
        Ok(())
    })?;
    task.check(documents.next(), None)?;
    output.finish()?;
    Ok(written)
}

impl Task<'_> {
    /// The lines of a batch's documents in the copy.
    fn lines(&self, batch: &Batch<'_>, sources: &[Source]) -> Vec<Vec<u8>> {
        let line = |(at, spot): (usize, &Spot)| {
            let is_json = sources[spot.source].kind == Kind::Json;
            match batch.lines.get(at) {
                Some(line) if self.form == Form::Lines || is_json => [line, &b"\n"[..]].concat(),
                _ => self.object(&batch.documents[at]),
            }
        };
        batch.spots.iter().enumerate().map(line).collect()
    }

    /// A document as a JSON object in a line.
    fn object(&self, document: &super::Document<'_>) -> Vec<u8> {
        const INFALLIBLE: &str = "text is JSON, and memory can be written";
        let string = |text: &str| serde_json::to_string(text).expect(INFALLIBLE);
        let id_field = self.inputs.id_field.as_deref().unwrap_or("id");
        let text_field = &self.inputs.text_field;
        let (id, text) = (string(&document.id), string(&document.text));
        format!("{{{}:{id},{}:{text}}}\n", string(id_field), string(text_field)).into_bytes()
    }

    /// The document that was expected next, if it stands where it stood before.
    fn check(&self, expected: Option<usize>, found: Option<Spot>) -> Result<Option<usize>> {
        let before = expected.map(|document| self.places.spot(document));
        let now = found.map(|spot| Spot { source: self.wanted[spot.source].0, ..spot });
        if before == now {
            return Ok(expected);
        }
        let source = before.or(now).map_or(0, |spot| spot.source);
        let path = self.places.source(source).path.display();
        Err(Error::Message(format!("{path}: changed while it was read")))
    }
}

/// A folder that is removed again unless it is kept.
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Nothing can be done about a folder that cannot be removed; the error that led here is the one to tell.
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Copies files to a folder, which gets its name when all are there.
fn to_folder<'a>(sources: impl Iterator<Item = &'a Source>, out: &Path) -> Result<u64> {
    let create = |e| Error::io("create the folder", out, e);
    let target: PathBuf = fs::canonicalize(out).unwrap_or_else(|_| out.components().collect());
    let exists = target.is_dir();
    if exists && fs::read_dir(&target).map_err(create)?.next().is_some() {
        let message = "the folder is not empty: the copy would mix with what is there";
        return Err(Error::Message(format!("{}: {message}", out.display())));
    }
    if let Some(above) = target.parent() {
        fs::create_dir_all(above).map_err(create)?;
    }
    let part = with_suffix(&target, ".part");
    fs::create_dir(&part).map_err(|e| Error::io("create the folder", &part, e))?;
    let mut unfinished = Unfinished(Some(part.clone()));
    let written = copy_files(sources, &part)?;
    if exists {
        fs::remove_dir(&target).map_err(|e| Error::io("replace", &target, e))?;
    }
    fs::rename(&part, &target).map_err(|e| Error::io("write", &target, e))?;
    unfinished.0 = None;
    Ok(written)
}

fn copy_files<'a>(sources: impl Iterator<Item = &'a Source>, folder: &Path) -> Result<u64> {
    let mut taken = BTreeSet::new();
    for source in sources {
        let below = path_below(source);
        let target = folder.join(&below);
        if !taken.insert(below) {
            let path = source.path.display();
            return Err(Error::Message(format!(
                "{path}: another input has a file of that name; copy them to a .jsonl file"
            )));
        }
        let above = target.parent().unwrap_or(folder);
        fs::create_dir_all(above).map_err(|e| Error::io("create the folder", above, e))?;
        fs::copy(&source.path, &target).map_err(|e| Error::io("copy", &source.path, e))?;
    }
    Ok(taken.len() as u64)
}

/// Where a file goes below a folder: its name without what would lead out of that.
fn path_below(source: &Source) -> PathBuf {
    let name = crate::files::paths::path_from_bytes(source.raw_name());
    let is_normal = |part: &Component<'_>| matches!(part, Component::Normal(_));
    name.components().filter(is_normal).collect()
}
