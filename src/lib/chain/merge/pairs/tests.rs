//! Merged parts against the run of the whole stage, byte for byte.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::chain::hamming::{Hamming, HammingFull};
use crate::chain::prints::MatchPrints;
use crate::chain::similarity::Similarity;

/// Numbers of shards: one, some, and more than most collections can use.
const COUNTS: [usize; 3] = [1, 3, 8];

/// A folder of inputs. In lists and command lines, `@` is the folder.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, String)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, content) in files {
            std::fs::write(folder.path(name), folder.expand(content)).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn expand(&self, text: &str) -> String {
        text.replace('@', &format!("{}/", self.0.path().display()))
    }

    /// Runs an executable.
    fn run<T: Executable>(&self, line: &str) -> Result<Counts> {
        let parsed = T::try_parse_from(self.expand(line).split_whitespace()).unwrap();
        parsed.run(&Session::silent().with_durability(false))
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Runs a stage as a whole and in shards, and compares the outputs. The output is named `stem` and `ending`.
    fn compare<T: Executable>(&self, line: &str, ending: &str) {
        self.run::<T>(&format!("{line} --out @whole{ending}")).unwrap();
        let whole = self.read(&format!("whole{ending}"));
        for count in COUNTS {
            let mut parts = String::new();
            for index in (1..=count).rev() {
                self.run::<T>(&format!("{line} --out @part{ending} --shard {index}/{count}"))
                    .unwrap();
                write!(parts, " @part.{index}-of-{count}{ending}").unwrap();
            }
            self.run::<MergePairs>(&format!("merge_pairs --out @merged{ending}{parts}")).unwrap();
            let merged = self.read(&format!("merged{ending}"));
            let [whole, merged] = [&whole, &merged].map(|bytes| String::from_utf8_lossy(bytes));
            assert_eq!(whole, merged, "{line} {ending} in {count} shards");
        }
    }
}

/// Returns files with the lines of signatures: documents grouped by signature. Signatures have 8 bits, so many are equal or near others.
fn signature_files(signatures: &[u8]) -> Vec<(&'static str, String)> {
    let mut groups: Vec<(u8, Vec<String>)> = Vec::new();
    for (number, signature) in signatures.iter().enumerate() {
        let name = format!("d{number}");
        match groups.iter_mut().find(|(known, _)| known == signature) {
            Some((_, names)) => names.push(name),
            None => groups.push((*signature, vec![name])),
        }
    }
    let line = |(signature, names): &(u8, Vec<String>)| {
        format!("{signature:02x}:{} {}\n", names.len(), names.join(" "))
    };
    let lines: String = groups.iter().map(line).collect();
    let (documents, distinct) = (signatures.len(), groups.len());
    let list = format!(
        "VELIKOST_KOLEKCE {documents}\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR {distinct}\n@sigs\n"
    );
    vec![("sig_paths", list), ("sigs", lines)]
}

/// Returns a sample of at least one document, in any order; `known` are the documents that it may name, besides others.
fn sample(picks: &[Index], known: usize, unknown: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for pick in picks {
        let name = format!("d{}", pick.index(known));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.insert(names.len() / 2, unknown.to_string());
    names.join(" ")
}

fn picks() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 1..12)
}

/// Generates sparse vectors over 7 terms: many equal, some empty, some negative.
fn vectors() -> impl Strategy<Value = Vec<BTreeMap<u32, i8>>> {
    let component = (0..7u32, select(&[1i8, 1, 2, 3, -1][..]));
    let vector = prop::collection::vec(component, 0..5).prop_map(BTreeMap::from_iter);
    prop::collection::vec(vector, 1..40)
}

fn vector_files(vectors: &[BTreeMap<u32, i8>]) -> Vec<(&'static str, String)> {
    let mut lines = String::new();
    for (number, vector) in vectors.iter().enumerate() {
        write!(lines, "d{number}:{}", vector.len()).unwrap();
        vector.iter().for_each(|(term, weight)| write!(lines, " {term}:{weight}").unwrap());
        lines.push('\n');
    }
    let count = vectors.len();
    let list = format!(
        "USING_TF\nVELIKOST_SLOVNIKU 7\nVELIKOST_KOLEKCE {count}\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH {count}\n@vecs\n"
    );
    vec![("vec_paths", list), ("vecs", lines)]
}

/// Agreements, and the lengths of prints; 0 for sets.
const AGREEMENTS: [(&str, usize); 9] = [
    ("equal", 2),
    ("coordinates 1", 3),
    ("coordinates 2", 4),
    ("bands 2 0.3", 6),
    ("resemblance 0.4", 0),
    ("containment 0.6", 0),
    ("share 0.5", 0),
    ("distance 3", 1),
    ("sentences 1.5 2 1", 10),
];

/// Generates an agreement and prints of its shape, many equal or nearly so, some empty.
fn prints() -> impl Strategy<Value = (&'static str, Vec<Vec<u64>>)> {
    select(&AGREEMENTS[..]).prop_flat_map(|(agreement, length)| {
        let print = match length {
            0 => prop::collection::btree_set(1..9u64, 0..5).prop_map(Vec::from_iter).boxed(),
            1 => (0..256u64).prop_map(|print| vec![print]).boxed(),
            length => prop::collection::vec(1..4u64, length).boxed(),
        };
        let print = prop_oneof![9 => print, 1 => Just(Vec::new())];
        (Just(agreement), prop::collection::vec(print, 0..50))
    })
}

fn print_files(agreement: &str, prints: &[Vec<u64>]) -> Vec<(&'static str, String)> {
    // Ids with what TSV, CSV and JSON escape.
    let names = ["d", "d%09t", "d%22q%2C", "d%0An", "d%5C"];
    let mut lines = String::new();
    for (number, print) in prints.iter().enumerate() {
        write!(lines, "{}{number}:{}", names[number % names.len()], print.len()).unwrap();
        print.iter().for_each(|fingerprint| write!(lines, " {fingerprint:x}").unwrap());
        lines.push('\n');
    }
    let count = prints.len();
    let list = format!("VELIKOST_KOLEKCE {count}\nMETODA any\nSHODA {agreement}\n@prints\n");
    vec![("print_paths", list), ("prints", lines)]
}

const ENDINGS: [&str; 3] = ["", ".tsv.gz", ".zst"];
const TABLE_ENDINGS: [&str; 4] = [".tsv", ".csv", ".jsonl", ".csv.gz"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn merged_signature_pairs_are_those_of_the_whole(
        signatures in prop::collection::vec(any::<u8>(), 1..60), picks in picks(), ending in select(&ENDINGS[..]),
        threshold in select(&["50", "75", "87.5", "100"][..]), shift in select(&["0", "1", "5", "full"][..]),
        iterations in 1..12usize,
    ) {
        let mut files = signature_files(&signatures);
        files.push(("sample", sample(&picks, signatures.len(), "unknown")));
        let folder = Folder::new(&files);
        let flags = format!("--sig_paths @sig_paths --threshold {threshold}");
        for sample in ["", " --sample_list @sample"] {
            for method in ["scan", "join", "auto"] {
                let line = format!("hamming_full {flags}{sample} --method {method}");
                folder.compare::<HammingFull>(&line, ending);
            }
            let line = format!("hamming {flags}{sample} --iter_count {iterations} --beam 2 --shift_count {shift}");
            folder.compare::<Hamming>(&line, ending);
        }
    }

    #[test]
    fn merged_vector_pairs_are_those_of_the_whole(
        vectors in vectors(), picks in picks(), ending in select(&ENDINGS[..]),
        threshold in select(&["-5", "0", "20", "70", "100"][..]),
        measure in select(&["cosine", "jaccard", "dice", "overlap"][..]),
    ) {
        let mut files = vector_files(&vectors);
        files.push(("sample", sample(&picks, vectors.len(), "")));
        let folder = Folder::new(&files);
        for flags in ["--method scan", "--method join", "--method auto", "--sample_list @sample"] {
            let line = format!("similarity --vec_paths @vec_paths --threshold={threshold} --sim_meth {measure} {flags}");
            folder.compare::<Similarity>(&line, ending);
        }
    }

    #[test]
    fn merged_print_pairs_are_those_of_the_whole(
        (agreement, prints) in prints(), ending in select(&TABLE_ENDINGS[..]),
        max_group in select(&["1", "2", "1000"][..]),
    ) {
        let folder = Folder::new(&print_files(agreement, &prints));
        let line = format!("match_prints --print_paths @print_paths --max_group {max_group}");
        folder.compare::<MatchPrints>(&line, ending);
    }
}

/// Two large groups, one of them listed in short by each part that knows it, and pairs of groups.
#[test]
fn large_groups_are_listed_in_short() {
    let print = |number: usize| match number {
        0..1100 if number % 11 > 0 => vec![1, 2, 3],
        0..2500 if number % 2 > 0 => vec![1, 2, 4],
        _ => vec![1, 2, number as u64 % 7 + 5],
    };
    let prints: Vec<Vec<u64>> = (0..2500).map(print).collect();
    let folder = Folder::new(&print_files("resemblance 0.5", &prints));
    folder.compare::<MatchPrints>("match_prints --print_paths @print_paths", ".tsv");
}

#[test]
fn tables_are_merged_to_any_form() {
    let prints = [vec![1, 2, 3], vec![1, 2, 3], vec![1, 2, 4], vec![], vec![1, 2, 3, 4]];
    let folder = Folder::new(&print_files("resemblance 0.3", &prints));
    let line = "match_prints --print_paths @print_paths";
    for part in TABLE_ENDINGS {
        for shard in ["1/2", "2/2"] {
            folder.run::<MatchPrints>(&format!("{line} --out @p{part} --shard {shard}")).unwrap();
        }
        for ending in TABLE_ENDINGS {
            folder.run::<MatchPrints>(&format!("{line} --out @whole{ending}")).unwrap();
            let parts = format!("@p.1-of-2{part} @p.2-of-2{part}");
            folder.run::<MergePairs>(&format!("merge_pairs --out @out{ending} {parts}")).unwrap();
            let [whole, merged] =
                ["whole", "out"].map(|name| folder.read(&format!("{name}{ending}")));
            assert_eq!(whole, merged, "{part} to {ending}");
        }
    }
}
