//! Copies of the inputs without some of their documents.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;

use super::batch::{Batch, DocumentParser, InputDocument, Spot};
use super::drive::{Delivery, drive};
use super::inputs::Inputs;
use super::places::Places;
use super::read::text_hash;
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result};
use crate::files::disk;
use crate::files::output::{Output, OutputFolder, Part, Publisher};
use crate::session::Session;

/// Where a copy is written.
pub enum CopyTarget {
    /// A file.
    File(Box<Output>),
    /// A folder with one document per file.
    Folder(OutputFolder),
}

impl CopyTarget {
    /// Begins a folder if the path ends in `/` or is a folder, else a file.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        Ok(match is_folder {
            true => CopyTarget::Folder(publisher.create_folder(path)?),
            false => CopyTarget::File(Box::new(publisher.create(path)?)),
        })
    }
}

/// A copy of documents that were read before.
pub struct DocumentCopy<'a> {
    /// The request that read them.
    pub inputs: &'a Inputs,
    /// Where they were.
    pub places: &'a Places,
    /// The hashes of their texts.
    pub text_hashes: &'a [u64],
}

impl DocumentCopy<'_> {
    /// Writes the new documents that are `kept`; returns their number, and the copy under its temporary name.
    ///
    /// - To a file, if all inputs are JSON Lines, or all have one document per line: the lines of these documents byte for byte (UTF-16 as UTF-8), one input
    ///   after the other.
    /// - To any other file: JSON Lines with the field names of the inputs: JSON records unchanged, and an object with id and text for every other document.
    /// - To a folder, if all inputs are whole files: copies of the files, with their ids as paths.
    ///
    /// # Errors
    /// A text that is not the one that was read; inputs that a folder cannot hold.
    pub fn write(
        &self,
        kept: impl Fn(usize) -> bool + Sync,
        target: CopyTarget,
        session: &Session,
    ) -> Result<(u64, Part)> {
        let is_new = |(source, _): &(usize, Range<usize>)| self.places.source(*source).is_new;
        let mut wanted: Vec<_> = self.places.by_source().filter(is_new).collect();
        let is_folder = matches!(target, CopyTarget::Folder(_));
        let form = self.form(&wanted, is_folder)?;
        wanted.retain(|(_, documents)| documents.clone().any(&kept));
        session.phase("copying kept documents", None);
        let task = CopyTask { documents: self, wanted: &wanted, form };
        match target {
            CopyTarget::Folder(folder) => task.to_folder(folder),
            CopyTarget::File(file) => task.to_file(kept, *file, session),
        }
    }

    fn form(&self, wanted: &[(usize, Range<usize>)], is_folder: bool) -> Result<CopyForm> {
        CopyForm::of(wanted.iter().map(|(source, _)| self.places.source(*source)), is_folder)
    }

    /// Fails if a text is not the one that was read.
    fn check_text(&self, document: usize, hash: u64) -> Result<()> {
        if self.text_hashes[document] == hash {
            return Ok(());
        }
        Err(Error::Message(format!("{}: changed while it was read", self.places.get(document))))
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

/// Copying some sources.
struct CopyTask<'a> {
    documents: &'a DocumentCopy<'a>,
    /// The sources with a kept document, and their documents.
    wanted: &'a [(usize, Range<usize>)],
    form: CopyForm,
}

impl CopyTask<'_> {
    fn to_file(
        &self,
        kept: impl Fn(usize) -> bool + Sync,
        mut output: Output,
        session: &Session,
    ) -> Result<(u64, Part)> {
        let sources: Vec<InputSource> = self.sources().cloned().collect();
        let mut documents = self.wanted.iter().flat_map(|(_, documents)| documents.clone());
        let mut written = 0;
        let work = |batch: &Batch<'_>| self.lines(batch, &sources);
        drive(self.documents.inputs, &sources, session, work, |(lines, facts)| {
            for (spot, (line, hash)) in facts.spots.iter().zip(lines.iter().flatten()) {
                let Some(document) = self.check(documents.next(), Some(*spot))? else { continue };
                self.documents.check_text(document, *hash)?;
                if kept(document) {
                    output.write(line)?;
                    written += 1;
                }
            }
            Ok(Delivery::default())
        })?;
        self.check(documents.next(), None)?;
        Ok((written, output.close()?))
    }

    fn sources(&self) -> impl Iterator<Item = &InputSource> {
        self.wanted.iter().map(|(source, _)| self.documents.places.source(*source))
    }

    /// Returns the lines of a batch's documents in the copy, and the hashes of their texts.
    fn lines(&self, batch: &Batch<'_>, sources: &[InputSource]) -> Vec<(Vec<u8>, u64)> {
        let line = |(at, spot): (usize, &Spot)| {
            let is_json = sources[spot.source].kind == SourceKind::Json;
            let document = &batch.documents[at];
            let line = match batch.lines.get(at) {
                Some(line) if self.form == CopyForm::Lines || is_json => [*line, b"\n"].concat(),
                _ => self.object(document),
            };
            (line, text_hash(&document.text))
        };
        batch.facts.spots.iter().enumerate().map(line).collect()
    }

    /// Returns a document as a line with a JSON object.
    fn object(&self, document: &InputDocument<'_>) -> Vec<u8> {
        const INFALLIBLE: &str = "strings are valid JSON";
        let string = |text: &str| serde_json::to_string(text).expect(INFALLIBLE);
        let inputs = self.documents.inputs;
        let (id_field, text_field) = (inputs.id_field().unwrap_or("id"), &inputs.args.text_field);
        let (id, text) = (string(&document.id), string(&document.text));
        format!("{{{}:{id},{}:{text}}}\n", string(id_field), string(text_field)).into_bytes()
    }

    /// Returns the expected document, if it is still at its place.
    fn check(&self, expected: Option<usize>, found: Option<Spot>) -> Result<Option<usize>> {
        let places = self.documents.places;
        let before = expected.map(|document| places.spot(document));
        let now = found.map(|spot| Spot { source: self.wanted[spot.source].0, ..spot });
        if before == now {
            return Ok(expected);
        }
        let source = before.or(now).map_or(0, |spot| spot.source);
        Err(Error::in_file(&places.source(source).path, "changed while it was read"))
    }

    /// Copies files to a folder.
    fn to_folder(&self, folder: OutputFolder) -> Result<(u64, Part)> {
        let mut taken = BTreeSet::new();
        for source in self.sources() {
            if !taken.insert(path_below(source)) {
                let message = "another input has a file of that name; copy them to a .jsonl file";
                return Err(Error::in_file(&source.path, message));
            }
        }
        let above = taken.iter().filter_map(|path| path.parent()).collect::<BTreeSet<_>>();
        for above in above.into_iter().map(|above| folder.path().join(above)) {
            disk::create_folders(&above, false)
                .map_err(|e| Error::io("create the folder", &above, e))?;
        }
        let copy = |wanted: &(usize, Range<usize>)| self.copy_file(wanted, folder.path());
        let copied: Vec<Result<()>> = self.wanted.par_iter().map(copy).collect();
        copied.into_iter().collect::<Result<()>>()?;
        Ok((taken.len() as u64, folder.close()?))
    }

    /// Copies a file, and checks that the copy has the text that was read.
    fn copy_file(&self, wanted: &(usize, Range<usize>), folder: &Path) -> Result<()> {
        let DocumentCopy { inputs, places, .. } = self.documents;
        let source = places.source(wanted.0);
        let target = folder.join(path_below(source));
        disk::copy(&source.path, &target).map_err(|e| Error::io("copy", &source.path, e))?;
        let copied = source.at(target);
        let text = DocumentParser::new(inputs, &[]).whole(&copied);
        let text = text.map_err(|why| Error::in_file(&source.path, why))?;
        self.documents.check_text(wanted.1.start, text_hash(&text.text))
    }
}

/// Returns the path of a file below a folder: its name without components that lead out of it.
fn path_below(source: &InputSource) -> PathBuf {
    let name = crate::files::paths::path_from_bytes(source.raw_name());
    let is_normal = |part: &Component<'_>| matches!(part, Component::Normal(_));
    name.components().filter(is_normal).collect()
}
