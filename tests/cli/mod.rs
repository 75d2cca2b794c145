//! One module an executable: its usage, each of its flags, each of its error messages.

mod analyze_rnd_vecs_quality;
mod compare_results;
mod compare_results_of_names;
mod compare_results_of_whole;
mod create_bows;
mod create_bows_of_one_file;
mod create_corpus;
mod create_sigs;
mod create_vecs;
mod create_voc;
mod extract_similarities;
mod find_near_dups;
mod find_near_dups_of_copies;
mod formats;
mod hamming;
mod hamming_full;
mod implant_rnd_vecs;
mod inputs;
mod languages;
mod nearsig;
mod pair_forms;
mod process;
mod reduce_voc;
mod report_pairs;
pub mod run_experiment;
mod shared;
mod similarity;
