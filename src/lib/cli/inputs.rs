//! What is to be read, as flags of the executables that read whatever people have.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::corpus::{Inputs, Shape, Streams};
use crate::error::{Error, Result};
use crate::files::is_stream;

/// What to read, and how.
#[derive(Debug, Clone, Args)]
pub struct InputFlags {
    /// Folders (every file below them is a document), files, JSON lines (.jsonl, .ndjson, .json: a document a line), or '-' for standard input; all of them also
    /// compressed (.gz, .zst)
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Of the files in folders only those whose path below the folder matches one of these globs; '*' goes over '/'
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Of the files and folders in folders none whose path below the folder matches one of these globs
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// What the inputs are
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    format: Format,
    /// Field of JSON objects, or column, that holds the text
    #[arg(long = "text_field", value_name = "NAME", default_value = "text")]
    text_field: String,
    /// Field of JSON objects, or column, that holds the document's id, a string or a number. Empty: documents are called by file and line
    #[arg(long = "id_field", value_name = "NAME", default_value = "id")]
    id_field: String,
}

/// What the inputs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What their names say; standard input is JSON lines if it begins with '{', else one document a line
    Auto,
    /// One JSON object a line
    Json,
    /// One document a line
    Lines,
    /// Lists of files, one path a line
    List,
    /// One document a file
    Text,
    /// Parquet
    Parquet,
}

impl InputFlags {
    /// What to read: first `old` documents, then those that the flags name. `rank_field` is one by which documents can be put in order; `again` says that
    /// they may be read more than once.
    pub fn inputs(
        self,
        old: Vec<PathBuf>,
        rank_field: Option<String>,
        again: bool,
    ) -> Result<Inputs> {
        let count = old.len();
        let paths: Vec<PathBuf> = old.into_iter().chain(self.inputs).collect();
        if paths.iter().filter(|path| is_stream(path)).count() > 1 {
            return Err(Error::Usage("standard input ('-') can be named once only".into()));
        }
        Ok(Inputs {
            old: count,
            paths,
            shape: self.format.shape(),
            include: self.include,
            exclude: self.exclude,
            text_field: self.text_field,
            id_field: Some(self.id_field).filter(|field| !field.is_empty()),
            rank_field,
            streams: if again { Streams::again_and_again() } else { Streams::once() },
        })
    }
}

impl Format {
    fn shape(self) -> Shape {
        match self {
            Format::Auto => Shape::Auto,
            Format::Json => Shape::Json,
            Format::Lines => Shape::Lines,
            Format::List => Shape::List,
            Format::Text => Shape::Text,
            Format::Parquet => Shape::Parquet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        inputs: InputFlags,
    }

    fn inputs(arguments: &[&str], old: &[&str]) -> Result<Inputs> {
        let arguments = std::iter::once("command").chain(arguments.iter().copied());
        let flags = Command::try_parse_from(arguments).unwrap().inputs;
        flags.inputs(old.iter().map(PathBuf::from).collect(), None, true)
    }

    #[test]
    fn flags_say_what_to_read() {
        let read = inputs(
            &["b", "-", "--format", "lines", "--include", "*.txt", "--id_field", ""],
            &["a"],
        );
        let read = read.unwrap();
        assert_eq!(read.paths, ["a", "b", "-"].map(PathBuf::from));
        assert_eq!((read.old, read.shape, read.id_field), (1, Shape::Lines, None));
        assert_eq!((read.include, read.text_field), (vec!["*.txt".to_string()], "text".into()));
        assert!(read.streams.can_repeat());
    }

    #[test]
    fn standard_input_is_one_input() {
        assert_eq!(inputs(&["-"], &["-"]).unwrap_err().exit_code(), 2);
        assert!(Command::try_parse_from(["command"]).is_err());
    }
}
