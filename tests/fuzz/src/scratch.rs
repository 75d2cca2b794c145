//! Temporary files of a target, in memory where `TMPDIR` is.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use nearsig::Session;
use nearsig::fuzzing::output::Publisher;
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder can be created");
}

/// Returns the session of all targets: one thread, so that a run is the same every time.
pub fn session() -> &'static Session {
    static SESSION: LazyLock<Session> =
        LazyLock::new(|| Session::silent().with_threads(1).expect("a thread can be started"));
    &SESSION
}

/// Returns a publisher that syncs nothing.
pub fn publisher() -> Publisher<'static> {
    Publisher::of_no_input(&session().clone().with_durability(false))
}

/// Returns a path in the thread's own folder.
pub fn path(name: &str) -> PathBuf {
    FOLDER.with(|folder| folder.path().join(name))
}

/// Writes a file and returns its path.
pub fn write(name: &str, content: &[u8]) -> PathBuf {
    let path = path(name);
    std::fs::write(&path, content).expect("a temporary file can be written");
    path
}

/// Returns the path of an empty folder.
pub fn folder(name: &str) -> PathBuf {
    let path = path(name);
    remove_folder(&path);
    std::fs::create_dir(&path).expect("a temporary folder can be created");
    path
}

/// Removes a folder, if it is there.
pub fn remove_folder(path: &Path) {
    if path.exists() {
        std::fs::remove_dir_all(path).expect("a temporary folder can be removed");
    }
}
