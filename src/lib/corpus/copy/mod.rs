//! Copies of the inputs without some of their documents.

mod form;
mod records;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;

use self::form::{CopyForm, check_target};
use self::records::{CopiedRecord, RecordWriter};
use super::batch::{Batch, DocumentParser, InputDocument, Spot};
use super::drive::{Delivery, drive};
use super::find::InputFiles;
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
    /// A folder with the files of the inputs.
    Folder(OutputFolder),
}

impl CopyTarget {
    /// Begins a folder if the path ends in `/` or is a folder, else a file.
    ///
    /// # Errors
    /// A form that cannot hold the documents of these files.
    pub fn create(
        publisher: &Publisher<'_>,
        path: &Path,
        inputs: &Inputs,
        files: &InputFiles,
    ) -> Result<Self> {
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        check_target(path, is_folder, inputs, &files.sources)?;
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
    /// - To a file, if all inputs have one form: their records in that form, one input after the other. Lines stay byte for byte (UTF-16 as UTF-8); rows of
    ///   tables, which must have the same columns, are quoted anew.
    /// - To any other file: JSON Lines with the field names of the inputs: JSON records unchanged, and an object with id and text for every other document.
    /// - To a folder: the files of the inputs with their ids as paths; copies of whole files, and files with the kept records.
    ///
    /// # Errors
    /// A text that is not the one that was read; inputs that the target cannot hold.
    pub fn write(
        &self,
        kept: impl Fn(usize) -> bool + Sync,
        target: CopyTarget,
        session: &Session,
    ) -> Result<(u64, Part)> {
        let is_new = |(source, _): &(usize, Range<usize>)| self.places.source(*source).is_new;
        let mut wanted: Vec<_> = self.places.by_source().filter(is_new).collect();
        let sources = wanted.iter().map(|(source, _)| self.places.source(*source));
        let form = match &target {
            CopyTarget::Folder(_) => CopyForm::of_folder(sources)?,
            CopyTarget::File(file) => CopyForm::of_file(file.path(), sources)?,
        };
        // Files with records stay, also if none is kept.
        let is_needed = |(source, documents): &(usize, Range<usize>)| {
            let is_whole = self.places.source(*source).kind == SourceKind::Whole;
            documents.clone().any(&kept) || (form == CopyForm::Folder && !is_whole)
        };
        wanted.retain(is_needed);
        session.phase("copying kept documents", None);
        let task = CopyTask { documents: self, wanted: &wanted, form };
        match target {
            CopyTarget::Folder(folder) => task.to_folder(kept, folder, session),
            CopyTarget::File(file) => task.to_file(kept, *file, session),
        }
    }

    /// Fails if a text is not the one that was read.
    fn check_text(&self, document: usize, hash: u64) -> Result<()> {
        if self.text_hashes[document] == hash {
            return Ok(());
        }
        Err(Error::Message(format!("{}: changed while it was read", self.places.get(document))))
    }
}

/// Copying some sources.
struct CopyTask<'a> {
    documents: &'a DocumentCopy<'a>,
    /// The sources to copy, and their documents.
    wanted: &'a [(usize, Range<usize>)],
    form: CopyForm,
}

impl CopyTask<'_> {
    fn to_file(
        &self,
        kept: impl Fn(usize) -> bool + Sync,
        output: Output,
        session: &Session,
    ) -> Result<(u64, Part)> {
        let mut writer = RecordWriter::new(output, self.form.kind());
        let written = self.copy_records(self.wanted, kept, session, |_, record, is_kept| {
            writer.add(record, is_kept)
        })?;
        Ok((written, writer.close()?))
    }

    /// Reads some sources again, and passes every document on, with its source's place in `wanted`, and whether it is kept. Returns the number of kept ones.
    fn copy_records(
        &self,
        wanted: &[(usize, Range<usize>)],
        kept: impl Fn(usize) -> bool + Sync,
        session: &Session,
        mut write: impl FnMut(usize, &CopiedRecord, bool) -> Result<()> + Send,
    ) -> Result<u64> {
        let sources: Vec<InputSource> = self.sources(wanted).cloned().collect();
        let mut documents = wanted.iter().flat_map(|(_, documents)| documents.clone());
        let mut written = 0;
        let work = |batch: &Batch<'_>| self.records(batch, &sources);
        drive(self.documents.inputs, &sources, session, work, |(records, facts)| {
            for (spot, record) in facts.spots.iter().zip(records.iter().flatten()) {
                let document = self.check(wanted, documents.next(), Some(*spot))?;
                let Some(document) = document else { continue };
                self.documents.check_text(document, record.text_hash)?;
                let is_kept = kept(document);
                write(spot.source, record, is_kept)?;
                written += u64::from(is_kept);
            }
            Ok(Delivery::default())
        })?;
        self.check(wanted, documents.next(), None)?;
        Ok(written)
    }

    fn sources(&self, wanted: &[(usize, Range<usize>)]) -> impl Iterator<Item = &InputSource> {
        wanted.iter().map(|(source, _)| self.documents.places.source(*source))
    }

    /// Returns a batch's documents as they are in the copy.
    fn records(&self, batch: &Batch<'_>, sources: &[InputSource]) -> Vec<CopiedRecord> {
        let text_field = &*self.documents.inputs.args.text_field;
        let record = |(at, spot): (usize, &Spot)| {
            let (document, kind) = (&batch.documents[at], sources[spot.source].kind);
            let hash = text_hash(&document.text);
            match batch.lines.get(at).filter(|_| self.form.keeps(kind)) {
                Some(line) => {
                    let kind = if self.form == CopyForm::Json { SourceKind::Json } else { kind };
                    CopiedRecord::of_line(kind, line, text_field, hash)
                }
                None => CopiedRecord::plain(self.object(document), hash),
            }
        };
        batch.facts.spots.iter().enumerate().map(record).collect()
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
    fn check(
        &self,
        wanted: &[(usize, Range<usize>)],
        expected: Option<usize>,
        found: Option<Spot>,
    ) -> Result<Option<usize>> {
        let places = self.documents.places;
        let before = expected.map(|document| places.spot(document));
        let now = found.map(|spot| Spot { source: wanted[spot.source].0, ..spot });
        if before == now {
            return Ok(expected);
        }
        let source = before.or(now).map_or(0, |spot| spot.source);
        Err(Error::in_file(&places.source(source).path, "changed while it was read"))
    }

    /// Copies files to a folder.
    fn to_folder(
        &self,
        kept: impl Fn(usize) -> bool + Sync,
        folder: OutputFolder,
        session: &Session,
    ) -> Result<(u64, Part)> {
        let mut taken = BTreeSet::new();
        for source in self.sources(self.wanted) {
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
        let is_whole = |(source, _): &&(usize, Range<usize>)| {
            self.documents.places.source(*source).kind == SourceKind::Whole
        };
        let (whole, shards): (Vec<_>, Vec<_>) = self.wanted.iter().partition(is_whole);
        let copy = |wanted: &&(usize, Range<usize>)| self.copy_file(wanted, folder.path());
        let copied: Vec<Result<()>> = whole.par_iter().map(copy).collect();
        copied.into_iter().collect::<Result<()>>()?;
        let shards: Vec<_> = shards.into_iter().cloned().collect();
        let records = self.copy_shards(&shards, kept, &folder, session)?;
        Ok((whole.len() as u64 + records, folder.close()?))
    }

    /// Writes files with the kept records of files with records. Returns the number of records.
    fn copy_shards(
        &self,
        shards: &[(usize, Range<usize>)],
        kept: impl Fn(usize) -> bool + Sync,
        folder: &OutputFolder,
        session: &Session,
    ) -> Result<u64> {
        let sources: Vec<&InputSource> = self.sources(shards).collect();
        let mut open: Option<(usize, RecordWriter)> = None;
        let written = self.copy_records(shards, kept, session, |shard, record, is_kept| {
            if open.as_ref().is_none_or(|(current, _)| *current != shard) {
                let output = folder.create_file(&path_below(sources[shard]), session)?;
                let next = RecordWriter::new(output, sources[shard].kind);
                if let Some((_, complete)) = open.replace((shard, next)) {
                    complete.close().map(drop)?;
                }
            }
            let (_, writer) = open.as_mut().expect("a writer was opened");
            writer.add(record, is_kept)
        })?;
        open.map_or(Ok(()), |(_, last)| last.close().map(drop))?;
        Ok(written)
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
