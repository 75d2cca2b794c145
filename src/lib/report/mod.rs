//! The page that sets the thesis' tables, figures and claims beside ours: reads the tables of all experiments, computes means with intervals over seeds, judges every claim by
//! a stated rule, draws the pictures, and writes it all as Markdown.
//!
//! [`write()`] is all of it. `source` reads; `chapters` say what there is to say of each experiment, as numbers, pictures
//! and claims in memory; `page` makes Markdown of them. The same tables give the same bytes, but for the lines that name machine and commit.

mod chapters;
mod markdown;
mod page;
pub mod provenance;
mod source;
mod statistics;
mod table;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};

use chapters::{Block, Body, Drawn};
use page::{Origin, PICTURES, TABLES};
use rayon::prelude::*;
use source::{Chapter, Source, file_name};

use crate::chain::Counts;
use crate::error::{Error, Result};
use crate::files::input;
use crate::files::output::Output;

/// The experiments, in the order of the page.
const EXPERIMENTS: [&str; 9] = [
    "pleb_parameters",
    "vocabulary_reduction",
    "signature_length",
    "thresholds",
    "ranges",
    "timing",
    "calibration",
    "theory",
    "recall_estimate",
];

/// What to report, and where to.
#[derive(Debug, Clone)]
pub struct Request {
    /// The folder with the tables.
    pub tables: PathBuf,
    /// What the thesis published.
    pub thesis: PathBuf,
    /// The folder with the experiments.
    pub experiments: PathBuf,
    /// The folder for the page.
    pub out: PathBuf,
    /// Whether the tables are those of the small versions.
    pub small: bool,
    /// The command line that the page names.
    pub command: String,
    /// The machine that the page names.
    pub machine: String,
    /// The commit that the page names.
    pub commit: String,
}

/// Writes the page, its pictures and copies of its tables; the page last.
pub fn write(request: &Request) -> Result<Counts> {
    let source = Source::read(request)?;
    let collections = provenance::collections(&request.experiments)?;
    let body = |chapter: &'_ Chapter| chapters::write(chapter.name, &source);
    let chapters: Vec<(&Chapter, Body)> =
        source.chapters.iter().map(|chapter| (chapter, body(chapter))).collect();
    let origin = Origin {
        command: request.command.clone(),
        machine: request.machine.clone(),
        commit: request.commit.clone(),
        collections,
        small: request.small,
    };
    let mut files = copy_tables(&source, &request.out)?;
    files += write_pictures(&chapters, &request.out)?;
    write_file(&request.out.join("README.md"), page::write(&origin, &chapters).as_bytes())?;
    let tables = || source.chapters.iter().flat_map(|chapter| &chapter.tables);
    let read = tables().filter(|one| one.table.is_some()).count() as u64;
    let missing = tables().count() as u64 - read;
    Ok(Counts {
        read: (read + missing, "tables"),
        skipped: (missing, "that are not there"),
        written: (files + 1, "files"),
        unreadable: 0,
    })
}

/// Copies of all tables and bins that are there.
fn copy_tables(source: &Source, out: &Path) -> Result<u64> {
    let folder = make_folder(out, TABLES)?;
    let mut copied = 0;
    for measured in source.chapters.iter().flat_map(|chapter| &chapter.tables) {
        let table = measured.table.iter().map(|_| &measured.path);
        let bins = measured.bins.iter().filter(|(_, bins)| bins.is_some()).map(|(path, _)| path);
        for path in table.chain(bins) {
            write_file(&folder.join(file_name(path)), &input::read_all(path)?)?;
            copied += 1;
        }
    }
    Ok(copied)
}

fn write_pictures(chapters: &[(&Chapter, Body)], out: &Path) -> Result<u64> {
    let folder = make_folder(out, PICTURES)?;
    let blocks = chapters.iter().flat_map(|(_, body)| &body.blocks);
    let pictures: Vec<&Drawn> = blocks
        .filter_map(|block| match block {
            Block::Picture(drawn) => Some(drawn),
            _ => None,
        })
        .collect();
    pictures.par_iter().try_for_each(|drawn| {
        let to = |ending: &str| folder.join(format!("{}.{ending}", drawn.name));
        write_file(&to("svg"), drawn.picture.svg().as_bytes())?;
        write_file(&to("png"), &drawn.picture.png()?)
    })?;
    Ok(2 * pictures.len() as u64)
}

fn make_folder(out: &Path, name: &str) -> Result<PathBuf> {
    let folder = out.join(name);
    fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
    Ok(folder)
}

fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let mut out = Output::create(path)?;
    out.write(content)?;
    out.finish()
}
