//! Files of results: one for all documents, or a folder with one per document.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::page::{PageHead, SearchedPage, SourcePage};
use super::pan::pan_name;
use super::shards::ResultTarget;
use crate::error::{Error, Result};
use crate::files::disk;
use crate::files::output::{Output, OutputFolder, Part, Publisher};
use crate::ngrams::store::CatalogueEntry;
use crate::ngrams::xml::XML_HEAD;
use crate::session::Session;

/// Form of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchForm {
    /// Sources, paragraphs with the copied words in capitals, and passages
    #[default]
    Text,
    /// XML: documents, sources, passages, paragraphs
    Xml,
    /// Passages in the XML of PAN's evaluators, one document per file
    Pan,
    /// One JSON object per passage
    Jsonl,
    /// Self-contained HTML page: passages coloured by source, the source beside them
    Html,
}

impl SearchForm {
    pub(super) fn extension(self) -> &'static str {
        match self {
            SearchForm::Text => "out.txt",
            SearchForm::Xml => "out.xml",
            SearchForm::Pan => "xml",
            SearchForm::Jsonl => "out.jsonl",
            SearchForm::Html => "out.html",
        }
    }

    /// Returns the name of the results of a document below a folder, without extension.
    pub(super) fn file_name(self, id: &str, entry: &CatalogueEntry) -> String {
        if self == SearchForm::Pan { pan_name(entry) } else { id.to_string() }
    }

    /// Returns what every file begins with: nothing that depends on the store, so that all stores give the same bytes.
    fn head(self) -> String {
        match self {
            SearchForm::Xml => format!("{XML_HEAD}<search>\n"),
            SearchForm::Pan => XML_HEAD.to_string(),
            SearchForm::Text | SearchForm::Jsonl | SearchForm::Html => String::new(),
        }
    }

    fn tail(self) -> &'static [u8] {
        if self == SearchForm::Xml { b"</search>\n" } else { b"" }
    }
}

/// The results of a document.
pub(super) struct SearchResult {
    /// The name of its file, without extension.
    pub name: String,
    pub content: ResultContent,
}

/// Results in their form.
pub(super) enum ResultContent {
    Text(String),
    Page(Box<SearchedPage>),
}

/// Where results are written.
pub(super) struct ResultFiles {
    form: SearchForm,
    /// What each file begins with.
    head: String,
    page_head: PageHead,
    place: ResultPlace,
}

enum ResultPlace {
    /// One file for all documents, with their number; a page is written when it is complete.
    File { output: Box<Output>, page: SourcePage, documents: u64 },
    /// A folder with one file per document.
    Folder { folder: OutputFolder, session: Session, names: BTreeSet<PathBuf> },
}

impl ResultFiles {
    /// Begins the results.
    pub fn create(
        form: SearchForm,
        target: ResultTarget,
        page_head: PageHead,
        publisher: &Publisher<'_>,
        session: &Session,
    ) -> Result<Self> {
        let head = form.head();
        let ResultTarget { path, is_folder, taken } = target;
        let place = if is_folder {
            let (folder, session) = (publisher.create_folder(&path)?, session.clone());
            ResultPlace::Folder { folder, session, names: taken }
        } else {
            let mut output = Box::new(publisher.create(&path)?);
            output.write(head.as_bytes())?;
            ResultPlace::File { output, page: SourcePage::new(page_head.clone()), documents: 0 }
        };
        Ok(ResultFiles { form, head, page_head, place })
    }

    /// Adds the results of the next document.
    ///
    /// # Errors
    /// A second document in a file of PAN's form, which has one.
    pub fn add(&mut self, result: SearchResult) -> Result<()> {
        let form = self.form;
        match &mut self.place {
            ResultPlace::File { documents: 1, .. } if form == SearchForm::Pan => {
                Err(Error::Usage("--format pan: expected one document per file, found several: write them to a folder with --out FOLDER/".into()))
            }
            ResultPlace::File { output, page, documents } => {
                *documents += 1;
                match result.content {
                    ResultContent::Text(text) => output.write(text.as_bytes()),
                    ResultContent::Page(searched) => {
                        page.add(*searched);
                        Ok(())
                    }
                }
            }
            ResultPlace::Folder { folder, session, names } => {
                let name = free_name(&result.name, form.extension(), names);
                let output = create_below(folder, &name, session)?;
                self.write_alone(output, result.content)
            }
        }
    }

    /// Writes the file of one document.
    fn write_alone(&self, mut output: Output, content: ResultContent) -> Result<()> {
        output.write(self.head.as_bytes())?;
        match content {
            ResultContent::Text(text) => output.write(text.as_bytes())?,
            ResultContent::Page(searched) => {
                let mut page = SourcePage::new(self.page_head.clone());
                page.add(*searched);
                page.write(&mut output)?;
            }
        }
        output.write(self.form.tail())?;
        output.close().map(drop)
    }

    /// Completes the results.
    pub fn close(self) -> Result<Vec<Part>> {
        match self.place {
            ResultPlace::File { mut output, page, .. } => {
                if self.form == SearchForm::Html {
                    page.write(&mut output)?;
                }
                output.write(self.form.tail())?;
                Ok(vec![output.close()?])
            }
            ResultPlace::Folder { folder, .. } => Ok(vec![folder.close()?]),
        }
    }
}

fn create_below(folder: &OutputFolder, name: &Path, session: &Session) -> Result<Output> {
    if let Some(above) = name.parent() {
        let above = folder.path().join(above);
        let created = disk::create_folders(&above, false);
        created.map_err(|e| Error::io("create the folder", &above, e))?;
    }
    folder.create_file(name, session)
}

/// The longest part of a name that is kept.
const MAX_NAME: usize = 200;

/// Returns the name of a document's results below the folder, without extension: its name without parts that lead out of it.
pub(super) fn base_name(name: &str) -> String {
    let shortened = |part: &str| {
        let end = (0..=MAX_NAME.min(part.len())).rev().find(|at| part.is_char_boundary(*at));
        part[..end.unwrap_or(0)].to_string()
    };
    let normal = Path::new(name).components().filter_map(|part| match part {
        Component::Normal(part) => Some(shortened(&part.to_string_lossy())),
        _ => None,
    });
    let parts: Vec<String> = normal.collect();
    if parts.is_empty() { "document".to_string() } else { parts.join("/") }
}

/// Returns the file of a document's results below the folder: its name, and a number if another document has that.
pub(super) fn free_name(name: &str, extension: &str, names: &mut BTreeSet<PathBuf>) -> PathBuf {
    let base = base_name(name);
    let numbered = (1..).map(|number: u64| match number {
        1 => PathBuf::from(format!("{base}.{extension}")),
        number => PathBuf::from(format!("{base}#{number}.{extension}")),
    });
    let mut free = numbered.filter(|name| !names.contains(name));
    let name = free.next().unwrap_or_default();
    names.insert(name.clone());
    name
}
