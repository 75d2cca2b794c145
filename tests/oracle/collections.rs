//! Generates small collections of edge cases, and the oracle's view of them.

use proptest::prelude::*;
use proptest::sample::Index;

use super::texts::{Rules, encoded};
use super::vocabularies::{Bag, Term, Vector, vector, vocabulary};
use crate::common::Work;

/// Words of the documents: few enough to be shared, and one of each kind that some rule treats differently.
const WORDS: [&str; 30] = [
    "a",
    "the",
    "The",
    "the,",
    "dog",
    "dogs",
    "a:b",
    "http://x",
    ":",
    "::3",
    "%20",
    "(x)",
    "1984",
    "٣٤",
    "½",
    "19a",
    "été",
    "e\u{301}te\u{301}",
    "E\u{301}TÉ",
    "ku\u{30a}ň",
    "kůň",
    "x\u{301}y",
    "\u{212b}",
    "\u{1112}\u{1161}\u{11ab}",
    "ΟΔΟΣ",
    "İ2",
    "日本",
    "a\u{200b}b",
    "-",
    "TC:1",
];

/// Separators of words: white space of several kinds, also beyond ASCII.
const SEPARATORS: [&str; 8] = [" ", "\n", "\t", "\u{a0}", "\u{3000}", "\r\n", "\u{85}", "  "];

/// Distinct names with separators, escapes and similar spellings.
const AWKWARD_NAMES: [&str; 15] = [
    "a b:(1).txt",
    "100%.txt",
    "žluťoučký kůň",
    "x%20y",
    "x y",
    "tab\there",
    "(",
    ":1",
    "%41",
    "A",
    "é",
    "e\u{301}",
    "no\u{a0}break",
    "folder of/日本.txt",
    "-dash",
];

/// A generated document.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name in `doc_list`.
    pub name: String,
    pub text: String,
}

/// The recipe of a generated document.
#[derive(Debug, Clone)]
enum Plan {
    Fresh(String),
    Empty(&'static str),
    CopyOf(Index),
    Extended(Index, String),
}

/// Returns some words in a row.
fn running_text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = (prop::sample::select(&WORDS[..]), prop::sample::select(&SEPARATORS[..]));
    prop::collection::vec(word, words)
        .prop_map(|words| words.iter().flat_map(|(word, between)| [*word, *between]).collect())
}

fn plan() -> impl Strategy<Value = Plan> {
    prop_oneof![
        6 => running_text(1..16).prop_map(Plan::Fresh),
        1 => running_text(1..9).prop_map(|text| Plan::Fresh(format!("\u{feff}{text}"))),
        1 => prop::sample::select(&["", " \n", "1984 12", "\u{feff}"][..]).prop_map(Plan::Empty),
        2 => any::<Index>().prop_map(Plan::CopyOf),
        4 => (any::<Index>(), running_text(1..4)).prop_map(|(of, more)| Plan::Extended(of, more)),
    ]
}

/// Between 2 and 15 documents that overlap, some of them equal, some empty, sometimes with names that need escapes.
pub fn documents() -> impl Strategy<Value = Vec<Document>> {
    (prop::collection::vec(plan(), 2..=15), any::<bool>()).prop_map(|(plans, awkward)| {
        let mut documents: Vec<Document> = Vec::new();
        for (number, plan) in plans.into_iter().enumerate() {
            let earlier =
                |of: Index| documents.get(of.index(number.max(1))).map_or("", |known| &known.text);
            let text = match plan {
                Plan::Fresh(text) => text,
                Plan::Empty(text) => text.to_string(),
                Plan::CopyOf(of) => earlier(of).to_string(),
                Plan::Extended(of, more) => format!("{} {more}", earlier(of)),
            };
            let name = if awkward {
                AWKWARD_NAMES[number].to_string()
            } else {
                format!("docs/{number}.txt")
            };
            documents.push(Document { name, text });
        }
        documents
    })
}

/// Returns a sample: some of the documents, in any order, each with the choice of a spelling.
pub fn picks() -> impl Strategy<Value = Vec<(Index, bool)>> {
    prop::collection::vec(any::<(Index, bool)>(), 1..6)
}

/// Writes the documents and their list.
pub fn write(work: &Work, documents: &[Document]) {
    let pairs: Vec<(&str, &str)> = documents.iter().map(|d| (&*d.name, &*d.text)).collect();
    work.collection(&pairs);
}

/// Writes a `sample_list` of the picked documents, each once, and returns their numbers. A name is written as in `doc_list`
/// or, where no other document has that name, as in the pipeline's files. Documents without a vector are named as in `doc_list`:
/// other spellings of theirs have a test of their own.
pub fn write_sample(
    work: &Work,
    documents: &[Document],
    vectors: &[Vector],
    picks: &[(Index, bool)],
) -> Vec<usize> {
    let mut numbers = Vec::new();
    let mut list = String::new();
    for (index, as_written) in picks {
        let number = index.index(documents.len());
        if numbers.contains(&number) {
            continue;
        }
        numbers.push(number);
        let name = &documents[number].name;
        let written = encoded(name);
        let is_free = documents.iter().all(|other| other.name != written);
        let is_known = is_free && !vectors[number].is_empty();
        list += if *as_written && is_known { &written } else { name };
        list += "\n";
    }
    work.write("sample_list", list);
    numbers
}

/// The expected files of a collection, up to the vectors.
pub struct Expected {
    /// Names as written in the pipeline's files.
    pub names: Vec<String>,
    pub bags: Vec<Bag>,
    pub vocabulary: Vec<Term>,
    pub vectors: Vec<Vector>,
}

impl Expected {
    /// Computes everything.
    pub fn new(documents: &[Document], rules: Rules, tf_only: bool) -> Self {
        let names = documents.iter().map(|document| encoded(&document.name)).collect();
        let bags: Vec<Bag> = documents.iter().map(|document| rules.bag(&document.text)).collect();
        let vocabulary = vocabulary(&bags);
        let vectors =
            bags.iter().map(|bag| vector(bag, &vocabulary, bags.len(), tf_only)).collect();
        Expected { names, bags, vocabulary, vectors }
    }

    /// Returns the names of some documents.
    pub fn names_of(&self, numbers: &[usize]) -> Vec<String> {
        numbers.iter().map(|number| self.names[*number].clone()).collect()
    }
}

/// Runs create_bows, create_voc and create_vecs on the written collection.
pub fn make_vectors(work: &Work, rules: Rules, tf_only: bool, bows_per_file: usize) {
    make_bows(work, rules, bows_per_file);
    work.ok("create_voc -bow_paths bow_paths -voc_name voc");
    let weights = if tf_only { "-use_tf_only" } else { "" };
    work.ok(&format!(
        "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths {weights}"
    ));
}

/// Runs create_bows on the written collection.
pub fn make_bows(work: &Work, rules: Rules, bows_per_file: usize) {
    let flags = rules.flags();
    work.ok(&format!(
        "create_bows -doc_list doc_list --lines -bow_paths bow_paths -bow_dir bows -bows_per_file {bows_per_file} {flags}"
    ));
}

/// Runs create_sigs on vectors.
pub fn make_signatures(work: &Work, bits: usize, flags: &str) {
    work.ok(&format!(
        "create_sigs -vec_paths vec_paths -sig_len {bits} -sig_dir sigs -sig_paths sig_paths {flags}"
    ));
}

/// Writes vectors over `terms` terms as create_vecs would.
pub fn write_vectors(work: &Work, terms: usize, lines: &[String]) {
    let count = lines.len();
    work.write("vecs/a", lines.concat());
    work.write(
        "vec_paths",
        format!(
            "USING_TF\nVELIKOST_SLOVNIKU {terms}\nVELIKOST_KOLEKCE {count}\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH {count}\nvecs/a\n"
        ),
    );
}

/// Returns a list of data files: the lines of its header and the texts of the files it names.
pub fn listed(work: &Work, list: &str, header_lines: usize) -> (Vec<String>, Vec<String>) {
    let text = work.read(list);
    let lines: Vec<&str> = text.lines().collect();
    let (header, paths) = lines.split_at(header_lines);
    let texts = paths.iter().map(|path| work.read(path)).collect();
    (header.iter().map(|line| line.to_string()).collect(), texts)
}
