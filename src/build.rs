//! Writes the stop words of the supported languages to text files, which become part of the library. The crate `stop-words` has tables of 57 languages, and the loader
//! would adjust the address of each of their 35,000 words whenever an executable starts.

use std::path::PathBuf;
use std::{env, fs};

/// Codes of `StopLanguage`.
const LANGUAGES: [&str; 5] = ["en", "cs", "sk", "ru", "uk"];

fn main() {
    println!("cargo:rerun-if-changed=src/build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    for code in LANGUAGES {
        let words = stop_words::get(code).join("\n");
        let path = folder.join(format!("stop_words_{code}.txt"));
        fs::write(&path, words).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
