//! The promises of the reader, on files made for the tests.

mod bad;
mod copies;
mod encodings;
mod formats;
mod parquet;
mod reading;
mod records;
mod surveys;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::*;
use crate::session::Session;

/// A temporary folder.
pub struct Work(tempfile::TempDir);

impl Work {
    pub fn new() -> Self {
        Work(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns inputs of the folder.
    pub fn inputs(&self, names: &[&str]) -> Inputs {
        Inputs::of_paths(names.iter().map(|name| self.path(name).into()).collect())
    }

    /// Returns inputs of one format.
    pub fn formatted(&self, format: InputFormat, names: &[&str]) -> Inputs {
        Inputs::new(InputArgs { format, ..self.inputs(names).args })
    }

    /// Writes a file, compressed as its name says, and returns its path.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(&name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let content = match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => gzip(content.as_ref()),
            Some("zst") => zstd::encode_all(content.as_ref(), 1).unwrap(),
            _ => content.as_ref().to_vec(),
        };
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(crate::files::input::read_all(&self.path(name)).unwrap()).unwrap()
    }

    /// Returns a text without the folder's own name before all that is in it.
    pub fn relative(&self, text: impl ToString) -> String {
        text.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }

    /// Reads the inputs and returns relative ids and texts.
    pub fn texts(&self, inputs: &Inputs) -> Texts {
        let read = read_silently(inputs).batches.concat();
        read.into_iter().map(|(id, text)| (self.relative(id), text)).collect()
    }

    /// Reads the inputs and returns relative ids, separated by commas.
    pub fn ids(&self, inputs: &Inputs) -> String {
        self.texts(inputs).into_iter().map(|(id, _)| id).collect::<Vec<_>>().join(",")
    }

    /// Returns the error of inputs without documents.
    pub fn error(&self, inputs: &Inputs) -> String {
        self.relative(read_all(inputs, &Session::silent()).unwrap_err())
    }

    /// Creates a named pipe and writes `content` to it from a thread.
    #[cfg(unix)]
    #[allow(unsafe_code)]
    pub fn pipe(&self, name: &str, content: &[u8]) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        let (path, content) = (self.path(name), content.to_vec());
        let c_path = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the path ends in a zero and lives until the call is over.
        assert_eq!(unsafe { libc::mkfifo(c_path.as_ptr(), 0o600) }, 0);
        let target = path.clone();
        std::thread::spawn(move || {
            let file = std::fs::OpenOptions::new().write(true).open(target);
            // The reader may have gone.
            let _ = file.map(|mut file| file.write_all(&content));
        });
        path
    }
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Ids and texts.
pub type Texts = Vec<(String, String)>;

/// Reads everything; each batch as its documents' ids and texts. What is remembered of documents must be what the work was given.
pub fn read_all(inputs: &Inputs, session: &Session) -> crate::Result<Documents<Texts>> {
    let read = read(inputs, find(inputs)?, session, |documents| {
        documents.iter().map(|d| (d.id.to_string(), d.text.to_string())).collect::<Texts>()
    })?;
    let all = read.batches.concat();
    assert!(read.batches.iter().all(|batch| !batch.is_empty()));
    assert!(read.ids.iter().zip(&all).all(|(id, (raw, _))| id == raw || unnumbered(id) == raw));
    assert!(read.lengths.iter().map(|length| *length as usize).eq(all.iter().map(|d| d.1.len())));
    let hash = |text: &str| twox_hash::XxHash3_64::oneshot(text.as_bytes());
    let hash = |text: &str| hash(if text.trim().is_empty() { "" } else { text });
    assert!(read.text_hashes.iter().copied().eq(all.iter().map(|(_, text)| hash(text))));
    assert_eq!(read.places.documents, all.len());
    assert_eq!(read.sort_keys.len(), if inputs.sort_field.is_some() { all.len() } else { 0 });
    Ok(read)
}

/// Reads everything that can be read.
pub fn read_silently(inputs: &Inputs) -> Documents<Texts> {
    read_all(inputs, &Session::silent()).unwrap()
}

/// The given ids and texts as those of documents.
pub fn expected(documents: &[(&str, &str)]) -> Texts {
    documents.iter().map(|(id, text)| (id.to_string(), text.to_string())).collect()
}

/// Returns inputs whose text is in another field.
pub fn with_text_field(field: &str, mut inputs: Inputs) -> Inputs {
    inputs.args.text_field = field.into();
    inputs
}

/// Returns inputs whose records are named by their places.
pub fn without_ids(mut inputs: Inputs) -> Inputs {
    inputs.args.id_field.clear();
    inputs
}
