//! Copies of the inputs without some of their documents.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::batch::{Batch, InputDocument, Spot};
use super::drive::{Delivery, drive};
use super::inputs::Inputs;
use super::places::Places;
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result};
use crate::files::output::{Output, with_suffix};
use crate::session::Session;

/// Writes the new documents that are `kept` and returns their number.
///
/// - If all inputs are JSON Lines, or all have one document per line: the lines of these documents byte for byte (UTF-16 as UTF-8), one input after the other.
/// - If all are whole files and `out` ends in `/` or is an empty folder: copies of the files, with their ids as paths. A folder that is not empty is refused.
/// - Else JSON Lines with the field names of the inputs: JSON records unchanged, and an object with id and text for every other document.
///
/// Output is renamed into place when complete. Fails if the inputs changed since they were read.
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
    let form = CopyForm::of(wanted.iter().map(|(source, _)| places.source(*source)), is_folder)?;
    wanted.retain(|(_, documents)| documents.clone().any(&kept));
    session.phase("copying kept documents", None);
    match form {
        CopyForm::Folder => to_folder(wanted.iter().map(|(source, _)| places.source(*source)), out),
        form => to_file(&CopyTask { inputs, places, wanted: &wanted, form }, kept, out, session),
    }
}

/// Form of the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopyForm {
    /// Lines unchanged.
    Lines,
    /// JSON Lines.
    Json,
    /// A folder of files.
    Folder,
}

impl CopyForm {
    fn of<'a>(
        sources: impl Iterator<Item = &'a InputSource> + Clone,
        is_folder: bool,
    ) -> Result<Self> {
        let all = |kind: SourceKind| sources.clone().all(|source| source.kind == kind);
        let are_files = all(SourceKind::Whole) && !sources.clone().any(|source| source.is_stream);
        match is_folder {
            true if are_files => Ok(CopyForm::Folder),
            true => Err(Error::Usage(
                "a folder holds one document per file, and these inputs do not: name a file such as kept.jsonl".into(),
            )),
            false if all(SourceKind::Json) || all(SourceKind::Lines) => Ok(CopyForm::Lines),
            false => Ok(CopyForm::Json),
        }
    }
}

/// Copying to a file.
struct CopyTask<'a> {
    inputs: &'a Inputs,
    places: &'a Places,
    /// The sources with a kept document, and their documents.
    wanted: &'a [(usize, Range<usize>)],
    form: CopyForm,
}

fn to_file(
    task: &CopyTask<'_>,
    kept: impl Fn(usize) -> bool + Sync,
    out: &Path,
    session: &Session,
) -> Result<u64> {
    let mut output = Output::create(out)?;
    let source = |(source, _): &(usize, Range<usize>)| task.places.source(*source).clone();
    let sources: Vec<InputSource> = task.wanted.iter().map(source).collect();
    let mut documents = task.wanted.iter().flat_map(|(_, documents)| documents.clone());
    let mut written = 0;
    let work = |batch: &Batch<'_>| task.lines(batch, &sources);
    drive(task.inputs, &sources, session, work, |(lines, facts)| {
        for (spot, line) in facts.spots.iter().zip(lines.iter().flatten()) {
            let document = task.check(documents.next(), Some(*spot))?;
            if document.is_some_and(&kept) {
                output.write(line)?;
                written += 1;
            }
        }
        Ok(Delivery::default())
    })?;
    task.check(documents.next(), None)?;
    output.finish()?;
    Ok(written)
}

impl CopyTask<'_> {
    /// Returns the lines of a batch's documents in the copy.
    fn lines(&self, batch: &Batch<'_>, sources: &[InputSource]) -> Vec<Vec<u8>> {
        let line = |(at, spot): (usize, &Spot)| {
            let is_json = sources[spot.source].kind == SourceKind::Json;
            match batch.lines.get(at) {
                Some(line) if self.form == CopyForm::Lines || is_json => [*line, b"\n"].concat(),
                _ => self.object(&batch.documents[at]),
            }
        };
        batch.facts.spots.iter().enumerate().map(line).collect()
    }

    /// Returns a document as a line with a JSON object.
    fn object(&self, document: &InputDocument<'_>) -> Vec<u8> {
        const INFALLIBLE: &str = "strings are valid JSON";
        let string = |text: &str| serde_json::to_string(text).expect(INFALLIBLE);
        let id_field = self.inputs.id_field().unwrap_or("id");
        let text_field = &self.inputs.args.text_field;
        let (id, text) = (string(&document.id), string(&document.text));
        format!("{{{}:{id},{}:{text}}}\n", string(id_field), string(text_field)).into_bytes()
    }

    /// Returns the expected document, if it is still at its place.
    fn check(&self, expected: Option<usize>, found: Option<Spot>) -> Result<Option<usize>> {
        let before = expected.map(|document| self.places.spot(document));
        let now = found.map(|spot| Spot { source: self.wanted[spot.source].0, ..spot });
        if before == now {
            return Ok(expected);
        }
        let source = before.or(now).map_or(0, |spot| spot.source);
        Err(Error::in_file(&self.places.source(source).path, "changed while it was read"))
    }
}

/// Copies files to a folder, which is renamed into place when complete.
fn to_folder<'a>(sources: impl Iterator<Item = &'a InputSource>, out: &Path) -> Result<u64> {
    let create = |e| Error::io("create the folder", out, e);
    let target: PathBuf = fs::canonicalize(out).unwrap_or_else(|_| out.components().collect());
    let exists = target.is_dir();
    if exists && fs::read_dir(&target).map_err(create)?.next().is_some() {
        let message = "the folder is not empty: the copy would mix with its files";
        return Err(Error::in_file(out, message));
    }
    if let Some(above) = target.parent() {
        fs::create_dir_all(above).map_err(create)?;
    }
    let part = with_suffix(&target, ".part");
    fs::create_dir(&part).map_err(|e| Error::io("create the folder", &part, e))?;
    let written = copy_files(sources, &part).and_then(|written| {
        if exists {
            fs::remove_dir(&target).map_err(|e| Error::io("replace", &target, e))?;
        }
        fs::rename(&part, &target).map_err(|e| Error::io("write", &target, e))?;
        Ok(written)
    });
    if written.is_err() {
        // The error that led here is the one to report.
        let _ = fs::remove_dir_all(&part);
    }
    written
}

fn copy_files<'a>(sources: impl Iterator<Item = &'a InputSource>, folder: &Path) -> Result<u64> {
    let mut taken = BTreeSet::new();
    for source in sources {
        let below = path_below(source);
        let target = folder.join(&below);
        if !taken.insert(below) {
            let message = "another input has a file of that name; copy them to a .jsonl file";
            return Err(Error::in_file(&source.path, message));
        }
        let above = target.parent().unwrap_or(folder);
        fs::create_dir_all(above).map_err(|e| Error::io("create the folder", above, e))?;
        fs::copy(&source.path, &target).map_err(|e| Error::io("copy", &source.path, e))?;
    }
    Ok(taken.len() as u64)
}

/// Returns the path of a file below a folder: its name without components that lead out of it.
fn path_below(source: &InputSource) -> PathBuf {
    let name = crate::files::paths::path_from_bytes(source.raw_name());
    let is_normal = |part: &Component<'_>| matches!(part, Component::Normal(_));
    name.components().filter(is_normal).collect()
}
