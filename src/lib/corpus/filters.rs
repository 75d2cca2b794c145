//! Flags of word filters, and the lists of words and phrases that they name.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result, excerpt};
use crate::executable::FlagPath;
use crate::files::list::{self, Separator};
use crate::files::manifest::{Digest, Parameters};
use crate::files::{input, is_stream};
use crate::text::{AnalyzerOptions, FilterLists, FilterOptions, WordFilters, WordRule};

/// Word filters: arguments of every executable that splits documents into words.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Words")]
pub struct FilterArgs {
    /// The filters without files.
    #[command(flatten)]
    #[serde(flatten)]
    pub options: FilterOptions,
    /// Drop the words in FILE too, one per line
    #[arg(long, value_name = "FILE")]
    pub stop_word_file: Option<FlagPath>,
    /// Drop the phrases in FILE, one per line, wherever their words follow each other; of several the longest
    #[arg(long, value_name = "FILE")]
    pub templates: Option<FlagPath>,
}

/// Word filters of a run, ready for use.
#[derive(Default)]
pub struct LoadedFilters {
    /// The compiled filters.
    pub filters: Arc<WordFilters>,
    /// Checksums of the files by the names of their flags, for a manifest: paths say nothing of the content.
    pub parameters: Parameters,
}

impl FilterArgs {
    /// Returns the paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> + Clone {
        self.stop_word_file.as_deref().into_iter().chain(self.templates.as_deref())
    }

    /// Fails if one of the files is standard input and another one, or one of `inputs`, is too.
    pub fn check_streams<'p>(&self, inputs: impl Iterator<Item = &'p Path>) -> Result<()> {
        let own = self.paths().filter(|path| is_stream(path)).count();
        let others = inputs.filter(|path| is_stream(path)).count();
        match own > 0 && own + others > 1 {
            true => Err(Error::Usage("only one input can be standard input".into())),
            false => Ok(()),
        }
    }

    /// Fails if a filter is set, which would have no effect without the flag `needed`.
    pub fn check_unset(&self, needed: &str) -> Result<()> {
        match *self == FilterArgs::default() {
            true => Ok(()),
            false => Err(Error::Usage(format!("{} needs {needed}", self.first_flag()))),
        }
    }

    /// Reads the files and compiles the filters for the words of `analyzer`.
    ///
    /// # Errors
    /// Filters of words that are not normalized, and lines that are not UTF-8 or have no words.
    pub fn load(&self, analyzer: AnalyzerOptions) -> Result<LoadedFilters> {
        if *self == FilterArgs::default() {
            return Ok(LoadedFilters {
                parameters: self.checksums(None, None),
                ..Default::default()
            });
        }
        if analyzer.words != WordRule::Letters {
            self.check_unset("--words=letters")?;
        }
        let stop_words = self.stop_word_file.as_deref().map(ListFile::read).transpose()?;
        let templates = self.templates.as_deref().map(ListFile::read).transpose()?;
        let parameters = self.checksums(stop_words.as_ref(), templates.as_ref());
        let lines = |file: Option<ListFile>| file.map(|file| file.lines).unwrap_or_default();
        let lists = FilterLists { stop_words: lines(stop_words), templates: lines(templates) };
        let filters = Arc::new(WordFilters::new(&self.options, analyzer, &lists));
        Ok(LoadedFilters { filters, parameters })
    }

    fn checksums(&self, stop_words: Option<&ListFile>, templates: Option<&ListFile>) -> Parameters {
        let checksum = |file: Option<&ListFile>| {
            file.map_or(Value::Null, |file| file.digest.xxh3.to_string().into())
        };
        let files = [("stop_word_file", stop_words), ("templates", templates)];
        files.into_iter().map(|(flag, file)| (flag.to_string(), checksum(file))).collect()
    }

    /// Returns the first flag that is set.
    fn first_flag(&self) -> &'static str {
        let FilterOptions { stop_words, stem, drop_digits, fold_homoglyphs } = &self.options;
        let flags = [
            ("--stop_words", stop_words.is_some()),
            ("--stem", stem.is_some()),
            ("--drop_digits", *drop_digits),
            ("--fold_homoglyphs", *fold_homoglyphs),
            ("--stop_word_file", self.stop_word_file.is_some()),
        ];
        let set = flags.into_iter().find(|(_, is_set)| *is_set);
        set.map_or("--templates", |(flag, _)| flag)
    }
}

/// A list of words or phrases.
struct ListFile {
    lines: Vec<String>,
    digest: Digest,
}

impl ListFile {
    fn read(path: &Path) -> Result<Self> {
        let content = input::read_all(path)?;
        let entries = list::entries(&content, Separator::Line);
        let lines = entries.into_iter().map(|entry| {
            let (raw, line) = (entry.raw, entry.line);
            let text = String::from_utf8(raw).map_err(|error| {
                Error::parse(
                    path,
                    line,
                    "UTF-8",
                    excerpt(&String::from_utf8_lossy(error.as_bytes())),
                )
            })?;
            match text.contains(char::is_alphanumeric) || text.trim().is_empty() {
                true => Ok(text),
                false => Err(Error::parse(path, line, "a word", excerpt(&text))),
            }
        });
        Ok(ListFile { lines: lines.collect::<Result<_>>()?, digest: Digest::of(&content) })
    }
}
