//! Documents of the stages that read them.

use clap::Args;
use serde::Serialize;

use crate::corpus::{InputArgs, InputFormat, Inputs, ReadPolicy};
use crate::executable::FlagPath;
use crate::executable::values::at_least_one;
use crate::files::list::Separator;

/// The documents of a stage. The flags of the thesis' pipeline are forms of one reader.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct DocumentFlags {
    /// The documents.
    #[command(flatten)]
    #[serde(flatten)]
    pub documents: InputArgs,
    /// Read the documents whose paths are listed in FILE, separated by white space, each file one document
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents",
        conflicts_with_all = ["inputs", "json_lines", "text_lines", "format", "include", "exclude", "text_field", "id_field"]
    )]
    pub doc_list: Option<FlagPath>,
    /// Read one path per line from --doc_list, so that paths may contain spaces
    #[arg(long, help_heading = "Documents", conflicts_with_all = ["inputs", "json_lines", "text_lines"])]
    pub lines: bool,
    /// Read one JSON object per line from the files; every object must have an id
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents", num_args = 1..,
        conflicts_with_all = ["inputs", "text_lines", "format", "include", "exclude"]
    )]
    pub json_lines: Vec<FlagPath>,
    /// Read one document per line from FILE, blank lines included, named by line number
    #[arg(
        long, value_name = "FILE", help_heading = "Documents", group = "documents",
        conflicts_with_all = ["inputs", "format", "include", "exclude", "text_field", "id_field"]
    )]
    pub text_lines: Option<FlagPath>,
    /// Read only the first N documents
    #[arg(long, value_name = "N", help_heading = "Documents", value_parser = at_least_one)]
    pub doc_count: Option<usize>,
}

impl DocumentFlags {
    /// Returns the documents to read. The first unreadable one is an error.
    pub(super) fn inputs(&self) -> Inputs {
        let strict = |args: InputArgs| Inputs { policy: ReadPolicy::Strict, ..Inputs::new(args) };
        let of_files = |paths: &[FlagPath], format: InputFormat| {
            strict(InputArgs { inputs: paths.to_vec(), format, ..self.documents.clone() })
        };
        if let Some(path) = &self.doc_list {
            let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
            let list = of_files(std::slice::from_ref(path), InputFormat::Text);
            return Inputs { list: Some(separator), ..list };
        }
        if !self.json_lines.is_empty() {
            return Inputs { names_by_line: true, ..of_files(&self.json_lines, InputFormat::Json) };
        }
        if let Some(path) = &self.text_lines {
            let inputs = of_files(std::slice::from_ref(path), InputFormat::Lines);
            return Inputs { names_by_line: true, keeps_blank_lines: true, ..inputs };
        }
        strict(self.documents.clone())
    }
}
