//! Where the documents of a collection are, as flags of `create_bows`.

use std::path::PathBuf;

use clap::Args;

use crate::chain::bows::Source;
use crate::corpus::record::RecordShape;
use crate::files::list::Separator;

/// Where the documents are, and how they stand there.
#[derive(Debug, Clone, Args)]
pub struct DocumentFlags {
    #[command(flatten)]
    input: Input,
    /// The list has one path a line, so that paths may hold spaces
    #[arg(long, conflicts_with_all = ["json_lines", "text_lines"])]
    lines: bool,
    /// Field of the JSON objects that holds the text
    #[arg(
        long = "text_field",
        value_name = "NAME",
        default_value = "text",
        conflicts_with_all = ["doc_list", "text_lines"]
    )]
    text_field: String,
    /// Field of the JSON objects that holds the document's name, a string or a whole number. Empty: documents are called by their
    /// lines' numbers
    #[arg(long = "id_field", value_name = "NAME", default_value = "id", conflicts_with_all = ["doc_list", "text_lines"])]
    id_field: String,
}

/// Exactly one of these is given.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
struct Input {
    /// List of the documents' paths, separated by white space
    #[arg(long = "doc_list", value_name = "FILE")]
    doc_list: Option<PathBuf>,
    /// File with one JSON object a line, each a document
    #[arg(long = "json_lines", value_name = "FILE")]
    json_lines: Option<PathBuf>,
    /// File with one document a line, called by the line's number
    #[arg(long = "text_lines", value_name = "FILE")]
    text_lines: Option<PathBuf>,
}

impl DocumentFlags {
    /// Where the documents are.
    pub fn source(self) -> Source {
        let separator = if self.lines { Separator::Line } else { Separator::WhiteSpace };
        let id = Some(self.id_field).filter(|field| !field.is_empty());
        let json = RecordShape::Json { text: self.text_field, id };
        let Input { doc_list, json_lines, text_lines } = self.input;
        let list = doc_list.map(|path| Source::List { path, separator });
        let json = json_lines.map(|path| Source::Records { path, shape: json });
        let text = text_lines.map(|path| Source::Records { path, shape: RecordShape::Text });
        list.or(json).or(text).expect("the group requires one")
    }
}
