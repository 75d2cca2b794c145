//! A temporary folder per test, and a runner of the executables.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The end of a manifest's name.
pub const MANIFEST: &str = ".manifest.json";

/// A temporary folder. All names are relative to it.
pub struct Work {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, &'static str)>,
}

/// The outcome of a run.
pub struct Outcome {
    /// Its exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// Content of standard output.
    pub stdout: String,
    /// Content of standard error.
    pub stderr: String,
}

impl Work {
    /// Returns an empty folder.
    pub fn new() -> Self {
        Work { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// Returns an empty folder whose executables see this variable in their environment.
    pub fn with_variable(name: &'static str, value: &'static str) -> Self {
        Work { variables: vec![(name, value)], ..Work::new() }
    }

    /// Returns the full path of a name in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, creating its parent folders.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Returns the bytes of a file, decompressed if its name ends in `.gz`.
    pub fn read_bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let name = name.as_ref();
        let content =
            std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{}: {e}", name.display()));
        if name.extension().is_some_and(|e| e == "gz") { gunzip(&content) } else { content }
    }

    /// Returns the text of a file, decompressed if its name ends in `.gz`.
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.read_bytes(name)).unwrap()
    }

    /// Returns whether the folder has this file.
    pub fn has(&self, name: impl AsRef<Path>) -> bool {
        self.path(name).exists()
    }

    /// Returns all files below the folder, as sorted relative names.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }

    /// Deletes all manifests, so that the files are read unverified.
    pub fn delete_manifests(&self) {
        let manifests = self.files().into_iter().filter(|name| name.ends_with(MANIFEST));
        manifests.for_each(|name| std::fs::remove_file(self.path(name)).unwrap());
    }

    /// Returns an executable, ready to be run in the folder.
    pub fn command(&self, executable: &str) -> Command {
        let mut command = Command::new(executable_path(executable));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.envs(self.variables.iter().copied());
        command
    }

    /// Runs a command line: the executable and its arguments, separated by spaces.
    pub fn run(&self, line: &str) -> Outcome {
        let mut words = line.split_whitespace();
        let mut command = self.command(words.next().unwrap());
        command.args(words);
        Outcome::from(command.output().unwrap())
    }

    /// Runs a command line with standard input.
    pub fn run_with_input(&self, line: &str, input: &[u8]) -> Outcome {
        let mut words = line.split_whitespace();
        let mut command = self.command(words.next().unwrap());
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Outcome::from(output)
    }

    /// Runs a command line that must succeed.
    #[track_caller]
    pub fn ok(&self, line: &str) -> Outcome {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
        ran
    }

    /// Runs a command line that must fail with exit code 1, and returns its message.
    #[track_caller]
    pub fn fails(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(1), "{line}\n{}", ran.stderr);
        ran.stderr
    }

    /// Runs a command line that must fail with exit code 2 (usage), and returns its message.
    #[track_caller]
    pub fn refuses(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(2), "{line}\n{}", ran.stderr);
        ran.stderr
    }

    /// Writes texts as documents and a `doc_list` of them.
    pub fn collection(&self, documents: &[(&str, &str)]) {
        documents.iter().for_each(|(name, text)| self.write(name, text));
        let names: Vec<&str> = documents.iter().map(|(name, _)| *name).collect();
        self.write("doc_list", names.join("\n") + "\n");
    }

    /// Runs create_bows to create_sigs on `doc_list` with the default names and signatures of `bits` bits.
    #[track_caller]
    pub fn chain(&self, bits: usize) {
        self.ok("create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows");
        self.ok("create_voc -bow_paths bow_paths -voc_name voc");
        self.ok(
            "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths",
        );
        self.ok(&format!(
            "create_sigs -vec_paths vec_paths -sig_len {bits} -sig_dir sigs -sig_paths sig_paths"
        ));
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Returns the path of an executable built by cargo.
pub fn executable_path(name: &str) -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    folder.join(name)
}

/// Returns a number of the environment, by which a script makes a test longer.
pub fn setting(name: &str, default: usize) -> usize {
    let parse = |text: String| text.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
    std::env::var(name).map_or(default, parse)
}

/// Compresses with gzip.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Decompresses gzip.
pub fn gunzip(content: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(content), &mut plain)
        .unwrap();
    plain
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        }
    }
}
