//! The files that configurations share: made when they are first asked for, and again only if what they are made of has changed.
//!
//! A file is complete when it has its name (lists are written last), so that a killed run leaves nothing that looks complete. Runs that use
//! the same folder at once take turns, collection by collection.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::keys::Configuration;
use super::step::{Step, data_folder, quoted};
use crate::error::{Error, Result};
use crate::files::bow::{self, Bag, Bags};
use crate::files::input::Line;
use crate::files::output::Output;
use crate::files::paths::BowPaths;
use crate::files::sig::{self, Signatures};
use crate::session::Session;
use crate::text::Key;
use crate::vector::Weighting;

/// What the names of collections that are made begin with; their size follows.
const SYNTHETIC: &str = "synthetic-";

/// Where files are.
#[derive(Debug, Clone)]
pub struct Folders {
    /// The collections, as `NAME.jsonl` or `NAME.jsonl.gz`.
    pub collections: PathBuf,
    /// What is made of them.
    pub work: PathBuf,
}

impl Folders {
    /// Whether a collection is there, or can be made.
    pub fn has(&self, collection: &str) -> bool {
        synthetic_size(collection).is_some() || self.path(collection).is_file()
    }

    /// The file of a collection.
    pub fn path(&self, collection: &str) -> PathBuf {
        let plain = self.collections.join(format!("{collection}.jsonl"));
        let compressed = self.collections.join(format!("{collection}.jsonl.gz"));
        if compressed.is_file() && !plain.is_file() { compressed } else { plain }
    }

    /// Keeps other runs from what is made of a collection for as long as the answer lives; waits until they let go of it.
    pub fn hold(&self, collection: &str) -> Result<File> {
        let path = self.made(collection, "lock");
        make_folder_of(&path)?;
        let opened = File::options().write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|e| Error::io("create", &path, e))?;
        file.lock().map_err(|e| Error::io("lock", &path, e))?;
        Ok(file)
    }

    /// A file made of a collection.
    pub fn made(&self, collection: &str, name: &str) -> PathBuf {
        self.work.join(collection).join(name)
    }
}

/// The number of documents of a collection that is made.
fn synthetic_size(collection: &str) -> Option<u64> {
    collection.strip_prefix(SYNTHETIC)?.parse().ok().filter(|documents| *documents > 0)
}

fn spelled(weighting: Weighting) -> &'static str {
    match weighting {
        Weighting::Tf => "tf",
        Weighting::TfIdf => "tf_idf",
        Weighting::WordWeights => "word_weights",
    }
}

/// The steps that lead to a configuration's vectors, in order, each with the file that it makes and the one that it mainly reads.
pub fn to_vectors(folders: &Folders, configuration: &Configuration) -> Vec<Made> {
    let (name, min_df) = (configuration.collection(), configuration.min_df());
    let weighting = configuration.weighting();
    let collection = folders.path(name);
    let bow_paths = folders.made(name, "bow_paths");
    let whole = folders.made(name, "voc-1");
    let voc_name = folders.made(name, &format!("voc-{min_df}"));
    let vec_paths = vec_paths(folders, configuration);
    let mut steps = Vec::new();
    if let Some(documents) = synthetic_size(name) {
        let step = Step::Corpus { documents, out: collection.clone() };
        steps.push(Made { step, of: None, file: collection.clone() });
    }
    let mut add = |step, of: &Path, file: &Path| {
        steps.push(Made { step, of: Some(of.into()), file: file.into() });
    };
    add(
        Step::Bows { collection: collection.clone(), bow_paths: bow_paths.clone() },
        &collection,
        &bow_paths,
    );
    add(Step::Voc { bow_paths: bow_paths.clone(), voc_name: whole.clone() }, &bow_paths, &whole);
    if min_df > 1 {
        let step = Step::Reduce { old: whole.clone(), new: voc_name.clone(), min_df };
        add(step, &whole, &voc_name);
    }
    let step = Step::Vecs {
        bow_paths,
        voc_name: voc_name.clone(),
        vec_paths: vec_paths.clone(),
        weighting,
    };
    add(step, &voc_name, &vec_paths);
    steps
}

/// The list of a configuration's vectors.
pub fn vec_paths(folders: &Folders, configuration: &Configuration) -> PathBuf {
    let weighting = spelled(configuration.weighting());
    let name = format!("{weighting}-{}.vec_paths", configuration.min_df());
    folders.made(configuration.collection(), &name)
}

/// The list of a configuration's signatures of so many bits.
pub fn sig_paths(folders: &Folders, configuration: &Configuration, bits: usize) -> PathBuf {
    let (weighting, min_df) = (spelled(configuration.weighting()), configuration.min_df());
    let name = format!("{weighting}-{min_df}-{bits}-{}.sig_paths", configuration.seed());
    folders.made(configuration.collection(), &name)
}

/// The step that signs a configuration's vectors.
pub fn signing(folders: &Folders, configuration: &Configuration, bits: usize) -> Step {
    Step::Sigs {
        vec_paths: vec_paths(folders, configuration),
        sig_paths: sig_paths(folders, configuration, bits),
        bits,
        seed: configuration.seed(),
    }
}

/// The list of sample documents.
pub fn sample_list(folders: &Folders, collection: &str, size: usize) -> PathBuf {
    folders.made(collection, &format!("sample-{size}"))
}

/// The command that makes the list of sample documents.
pub fn sample_command(folders: &Folders, collection: &str, size: usize) -> String {
    let bow_paths = quoted(&folders.made(collection, "bow_paths"));
    let list = quoted(&sample_list(folders, collection, size));
    let chosen = r"int(NR * wanted / all) > int((NR - 1) * wanted / all) { print $1 }";
    format!(
        "all=$(head -n 1 {bow_paths} | cut -d ' ' -f 2); tail -n +2 {bow_paths} | tr '\\n' '\\0' | xargs -0 cat | awk -F : -v wanted={size} -v all=\"$all\" '{chosen}' >{list}"
    )
}

/// Whether a document is in a sample: evenly spread over the collection, `size` of them, or all if there are fewer.
pub fn is_chosen(number: usize, size: usize, documents: usize) -> bool {
    size >= documents || (number + 1) * size / documents > number * size / documents
}

/// A step, what it reads and what it makes.
pub struct Made {
    /// The step.
    pub step: Step,
    of: Option<PathBuf>,
    file: PathBuf,
}

/// Makes shared files.
pub struct Stages<'a> {
    /// Where they are.
    pub folders: &'a Folders,
    /// Who is told.
    pub session: &'a Session,
}

impl Stages<'_> {
    /// The list of a configuration's vectors, after making whatever is missing.
    pub fn vectors(&self, configuration: &Configuration) -> Result<PathBuf> {
        for made in to_vectors(self.folders, configuration) {
            if !is_fresh(&made.file, made.of.as_deref()) {
                make_folder_of(&made.file)?;
                made.step.run(self.session)?;
            }
        }
        Ok(vec_paths(self.folders, configuration))
    }

    /// A configuration's signatures with so many bits. Their files are removed again: they are large, and soon made.
    pub fn signatures(&self, configuration: &Configuration, bits: usize) -> Result<Signatures> {
        signing(self.folders, configuration, bits).run(self.session)?;
        let list = sig_paths(self.folders, configuration, bits);
        let signatures = sig::read(&list)?;
        fs::remove_file(&list).map_err(|e| Error::io("remove", &list, e))?;
        let folder = data_folder(&list);
        fs::remove_dir_all(&folder).map_err(|e| Error::io("remove", &folder, e))?;
        Ok(signatures)
    }

    /// Makes the files of a configuration's signatures, if they are not there, and leaves them.
    pub fn keep_signatures(&self, configuration: &Configuration) -> Result<()> {
        let bits = configuration.bits();
        let signed = sig_paths(self.folders, configuration, bits);
        if !is_fresh(&signed, Some(&vec_paths(self.folders, configuration))) {
            signing(self.folders, configuration, bits).run(self.session)?;
        }
        Ok(())
    }

    /// The list of sample documents, written if it is not there. The collection's bags are.
    pub fn sample(&self, collection: &str, size: usize) -> Result<PathBuf> {
        let path = sample_list(self.folders, collection, size);
        let bow_paths = self.folders.made(collection, "bow_paths");
        if is_fresh(&path, Some(&bow_paths)) {
            return Ok(path);
        }
        let list = BowPaths::read(&bow_paths)?;
        let out = Output::create(&path)?;
        let documents = list.documents as usize;
        let mut chosen = Chosen { out, size, documents, met: 0 };
        list.files.iter().try_for_each(|file| bow::for_each(file, &mut chosen))?;
        chosen.out.finish()?;
        Ok(path)
    }
}

/// Writes the names of the sample's documents while bags go by.
struct Chosen {
    out: Output,
    size: usize,
    documents: usize,
    met: usize,
}

impl Bags for Chosen {
    fn expect(&self, _: &Key) {}

    fn take(&mut self, _: &Line<'_>, bag: Bag<'_, '_>) -> Result<()> {
        if is_chosen(self.met, self.size, self.documents) {
            self.out.write(format!("{}\n", bag.name).as_bytes())?;
        }
        self.met += 1;
        Ok(())
    }
}

fn make_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))
}

/// Whether a file is there and not older than what it is made of.
fn is_fresh(file: &Path, of: Option<&Path>) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    match (time(file), of) {
        (Some(_), None) => true,
        (Some(made), Some(of)) => time(of).is_some_and(|source| source <= made),
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_size_and_is_spread_evenly() {
        for (size, documents) in [(1, 1), (3, 10), (10, 10), (7, 100), (200, 19_041), (5, 3)] {
            let chosen: Vec<usize> =
                (0..documents).filter(|n| is_chosen(*n, size, documents)).collect();
            assert_eq!(chosen.len(), size.min(documents), "{size} of {documents}");
            let gap = documents.div_ceil(size);
            assert!(chosen.windows(2).all(|two| two[1] - two[0] <= gap));
        }
    }
}
