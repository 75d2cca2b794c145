//! One module an executable: its usage, each of its flags, each of its error messages.

mod check_experiments;
mod compare_results;
mod create_bows;
mod create_bows_of_one_file;
mod create_corpus;
mod create_sigs;
mod create_vecs;
mod create_voc;
mod hamming;
mod hamming_full;
mod reduce_voc;
pub mod run_experiment;
mod shared;
mod similarity;
