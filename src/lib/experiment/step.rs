//! One stage of the chain with all its arguments: to be run here, or shown as the command line that does the same.

use std::path::{Path, PathBuf};

use crate::chain::flags::{HyperplaneFlags, SampleFlags, SignatureSearch};
use crate::chain::hamming::{Hamming, HammingFull};
use crate::chain::sigs::CreateSigs;
use crate::chain::vecs::Vecs;
use crate::chain::voc::{CreateVoc, ReduceVoc};
use crate::chain::{Counts, Search, bows, corpus, similarity, vecs};
use crate::corpus::SampleList;
use crate::corpus::record::RecordShape;
use crate::corpus::synthetic::Recipe;
use crate::error::Result;
use crate::executable::Executable;
use crate::files::list::Separator;
use crate::files::synthetic::Form;
use crate::random::DEFAULT_SEED;
use crate::search::exact::Method;
use crate::search::pleb::Shift;
use crate::search::{Percent, full};
use crate::session::Session;
use crate::text::TermRules;
use crate::vector::Weighting;

/// Bags of words in one BOW file, as `create_bows` has it where nothing is said.
const BOWS_PER_FILE: usize = 1000;

/// A stage and its arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// `create_corpus`.
    Corpus {
        /// How many documents.
        documents: u64,
        /// The collection.
        out: PathBuf,
    },
    /// `create_bows`.
    Bows {
        /// The collection.
        collection: PathBuf,
        /// The list, beside which the data are.
        bow_paths: PathBuf,
    },
    /// `create_voc`.
    Voc {
        /// The bags.
        bow_paths: PathBuf,
        /// The vocabulary.
        voc_name: PathBuf,
    },
    /// `reduce_voc`.
    Reduce {
        /// The whole vocabulary.
        old: PathBuf,
        /// The reduced one.
        new: PathBuf,
        /// Documents that hold a term, at least.
        min_df: u64,
    },
    /// `create_vecs`.
    Vecs {
        /// The bags.
        bow_paths: PathBuf,
        /// The vocabulary.
        voc_name: PathBuf,
        /// The list, beside which the data are.
        vec_paths: PathBuf,
        /// What components are.
        weighting: Weighting,
    },
    /// `create_sigs`.
    Sigs {
        /// The vectors.
        vec_paths: PathBuf,
        /// The list, beside which the data are.
        sig_paths: PathBuf,
        /// Bits of a signature.
        bits: usize,
        /// The seed of the random vectors.
        seed: u64,
    },
    /// `similarity`.
    Similarity(Searched),
    /// `hamming_full`.
    HammingFull(Searched),
    /// `hamming`.
    Hamming {
        /// What every search has.
        searched: Searched,
        /// How often to sort and compare.
        iterations: u64,
        /// With how many neighbours.
        beam: usize,
        /// How the order of bits changes.
        shift: Shift,
        /// The seed of the changes.
        seed: u64,
    },
}

/// What every search is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// The vectors or signatures.
    pub paths: PathBuf,
    /// The result.
    pub out: PathBuf,
    /// From where on documents are similar.
    pub threshold: Percent,
    /// The documents that are compared with all, if not all are.
    pub sample: Option<PathBuf>,
}

/// The folder for the data files of a list.
pub fn data_folder(list: &Path) -> PathBuf {
    crate::files::output::with_suffix(list, ".data")
}

impl Step {
    /// Runs the stage.
    pub fn run(&self, session: &Session) -> Result<Counts> {
        match self {
            Step::Corpus { documents, out } => corpus::create(&synthetic(*documents, out), session),
            Step::Bows { collection, bow_paths } => {
                bows::create(&bags(collection, bow_paths), session)
            }
            Step::Voc { bow_paths, voc_name } => {
                CreateVoc { bow_paths: bow_paths.clone(), voc_name: voc_name.clone() }.run(session)
            }
            Step::Reduce { old, new, min_df } => reduction(old, new, *min_df).run(session),
            Step::Vecs { bow_paths, voc_name, vec_paths, weighting } => {
                let task = Vecs {
                    bow_paths: bow_paths.clone(),
                    voc_name: voc_name.clone(),
                    vec_dir: data_folder(vec_paths),
                    vec_paths: vec_paths.clone(),
                    weighting: *weighting,
                    compress: false,
                };
                vecs::create(&task, session)
            }
            Step::Sigs { vec_paths, sig_paths, bits, seed } => {
                signing(vec_paths, sig_paths, *bits, *seed).run(session)
            }
            Step::Similarity(searched) => {
                similarity::run(&searched.task(), Method::Cosine, session)
            }
            Step::HammingFull(searched) => {
                HammingFull { search: searched.search(), method: full::Method::Auto }.run(session)
            }
            Step::Hamming { searched, iterations, beam, shift, seed } => Hamming {
                search: searched.search(),
                iter_count: *iterations,
                beam: *beam,
                shift_count: *shift,
                target_recall: None,
                rnd_seed: *seed,
            }
            .run(session),
        }
    }

    /// The command line that does the same.
    pub fn command(&self) -> String {
        match self {
            Step::Corpus { documents, out } => {
                format!("create_corpus --doc_count {documents} --out {}", quoted(out))
            }
            Step::Bows { collection, bow_paths } => format!(
                "create_bows --json_lines {} --bow_paths {} --bow_dir {}",
                quoted(collection),
                quoted(bow_paths),
                quoted(&data_folder(bow_paths))
            ),
            Step::Voc { bow_paths, voc_name } => {
                format!(
                    "create_voc --bow_paths {} --voc_name {}",
                    quoted(bow_paths),
                    quoted(voc_name)
                )
            }
            Step::Reduce { old, new, min_df } => format!(
                "reduce_voc --old_voc_name {} --new_voc_name {} --min_df {min_df} --max_df inf",
                quoted(old),
                quoted(new)
            ),
            Step::Vecs { bow_paths, voc_name, vec_paths, weighting } => format!(
                "create_vecs --bow_paths {} --voc_name {} --vec_dir {} --vec_paths {}{}",
                quoted(bow_paths),
                quoted(voc_name),
                quoted(&data_folder(vec_paths)),
                quoted(vec_paths),
                match weighting {
                    Weighting::Tf => " --use_tf_only",
                    Weighting::TfIdf => "",
                    Weighting::WordWeights => " --word_weights",
                }
            ),
            Step::Sigs { vec_paths, sig_paths, bits, seed } => format!(
                "create_sigs --vec_paths {} --sig_len {bits} --rnd_seed {seed} --sig_dir {} --sig_paths {}",
                quoted(vec_paths),
                quoted(&data_folder(sig_paths)),
                quoted(sig_paths)
            ),
            Step::Similarity(searched) => searched.command("similarity", "vec_paths"),
            Step::HammingFull(searched) => searched.command("hamming_full", "sig_paths"),
            Step::Hamming { searched, iterations, beam, shift, seed } => {
                let shift = match shift {
                    Shift::Fresh => "full".to_string(),
                    Shift::Transpositions(count) => count.to_string(),
                };
                format!(
                    "{} --iter_count {iterations} --beam {beam} --shift_count {shift} --rnd_seed {seed}",
                    searched.command("hamming", "sig_paths")
                )
            }
        }
    }
}

impl Searched {
    fn task(&self) -> Search {
        let list = |path: &PathBuf| SampleList {
            path: path.clone(),
            separator: Separator::Line,
            id_file: None,
        };
        Search {
            paths: self.paths.clone(),
            out: self.out.clone(),
            threshold: self.threshold,
            sample: self.sample.as_ref().map(list),
        }
    }

    fn search(&self) -> SignatureSearch {
        SignatureSearch {
            sig_paths: self.paths.clone(),
            out: self.out.clone(),
            threshold: self.threshold,
            sample: self.sample.clone().map(SampleFlags::of_lines).unwrap_or_default(),
        }
    }

    fn command(&self, name: &str, list: &str) -> String {
        self.command_at(name, list, &self.threshold.to_string())
    }

    /// The command line with a threshold that a shell finds out.
    pub fn command_at(&self, name: &str, list: &str, threshold: &str) -> String {
        let sample = self.sample.as_deref();
        let sample = sample.map(|path| format!(" --sample_list {} --lines", quoted(path)));
        format!(
            "{name} --{list} {} --out {} --threshold {threshold}{}",
            quoted(&self.paths),
            quoted(&self.out),
            sample.unwrap_or_default()
        )
    }
}

fn synthetic(documents: u64, out: &Path) -> corpus::Corpus {
    let recipe = Recipe::usual(documents, DEFAULT_SEED);
    corpus::Corpus { recipe, out: out.to_path_buf(), form: Form::Json, truth: None }
}

fn bags(collection: &Path, bow_paths: &Path) -> bows::Bows {
    let shape = RecordShape::Json { text: "text".into(), id: Some("id".into()) };
    bows::Bows {
        source: bows::Source::Records { path: collection.to_path_buf(), shape },
        doc_count: None,
        rules: TermRules::default(),
        bow_paths: bow_paths.to_path_buf(),
        bow_dir: data_folder(bow_paths),
        compress: false,
        per_file: BOWS_PER_FILE,
        id_file: None,
    }
}

fn reduction(old: &Path, new: &Path, min_df: u64) -> ReduceVoc {
    ReduceVoc {
        old_voc_name: old.to_path_buf(),
        new_voc_name: new.to_path_buf(),
        min_tf: None,
        max_tf: None,
        min_df: Some(min_df as f64),
        max_df: Some(f64::INFINITY),
        min_tf_idf: None,
        max_tf_idf: None,
        count: None,
    }
}

fn signing(vec_paths: &Path, sig_paths: &Path, bits: usize, seed: u64) -> CreateSigs {
    CreateSigs {
        vec_paths: vec_paths.to_path_buf(),
        sig_dir: data_folder(sig_paths),
        sig_paths: sig_paths.to_path_buf(),
        compress_sigs: false,
        hyperplanes: HyperplaneFlags::gauss(bits, seed),
        no_norm: false,
        use_hdd: None,
        compress_rnd_vecs: false,
    }
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+=:,@%".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_path_as_it_is() {
        for (path, expected) in
            [("exp/work-1/a_b.c", "exp/work-1/a_b.c"), ("a b", "'a b'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
