//! Output does not depend on threads, CPU features, `use_hdd` or compression.

use std::collections::BTreeMap;

use nearsig::bits::cpu::{Cpu, InstructionSet};

use crate::common::{MANIFEST, Work, gunzip};

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

const DOCUMENTS: usize = 240;
const THREADS: [usize; 3] = [1, 2, 7];

/// Settings of a pipeline run that must not change its results.
#[derive(Clone, Copy)]
struct RunSettings {
    threads: usize,
    bows_per_file: usize,
    compress: bool,
    numbered: bool,
    seed: u64,
}

const USUAL: RunSettings =
    RunSettings { threads: 2, bows_per_file: 50, compress: false, numbered: false, seed: 2007 };

/// A minimal random generator (multiply and shift): texts need variety, not quality.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit
    }

    /// Returns a number; small ones are likelier, like frequent words.
    fn word(&mut self) -> String {
        let number = self.below(1500) * self.below(1500) / 1500;
        let syllable = |n: u64| ["ka", "lo", "mi", "řu", "se", "to", "vy", "ní"][n as usize % 8];
        format!("{}{}{}", syllable(number / 64), syllable(number / 8), syllable(number))
            + ["", "r", "n.", ":x"][number as usize % 4]
    }

    fn text(&mut self, words: u64) -> Vec<String> {
        (0..words).map(|_| self.word()).collect()
    }
}

/// Returns documents by name: near-duplicates, duplicates, empty ones, ones without terms, and names that need escapes.
pub fn generated_documents(count: usize) -> Vec<(String, String)> {
    let mut dice = Dice(11);
    let mut words: Vec<String> = Vec::new();
    let mut documents = Vec::new();
    for number in 0..count {
        match number % 10 {
            1 | 4 | 6 => {
                let changed = number % 7 + 1;
                (0..changed).for_each(|_| {
                    let at = dice.below(words.len() as u64) as usize;
                    words[at] = dice.word();
                });
            }
            2 => {}
            _ => {
                let length = 30 + dice.below(60);
                words = dice.text(length);
            }
        }
        let text = match number % 40 {
            7 => String::new(),
            17 => " 12\t34\n".to_string(),
            _ => words.join(if number % 3 == 0 { "\n" } else { " " }) + " 2007\n",
        };
        let name = if number % 30 == 9 {
            format!("docs/a b:({number}).txt")
        } else {
            format!("docs/{number:04}.txt")
        };
        documents.push((name, text));
    }
    documents
}

/// Writes the documents, a `doc_list` and a `sample_list`.
pub fn write_collection(work: &Work, count: usize) {
    let documents = generated_documents(count);
    let borrowed: Vec<_> = documents.iter().map(|(name, text)| (&**name, &**text)).collect();
    work.collection(&borrowed);
    let sample: Vec<&str> = borrowed.iter().step_by(7).map(|(name, _)| *name).collect();
    work.write("sample_list", sample.join("\n") + "\n");
}

/// Runs the whole pipeline, each executable with and without the flags that change its algorithm.
fn run_chain(work: &Work, manner: RunSettings) {
    let RunSettings { threads, bows_per_file, compress, numbered, seed } = manner;
    let gz = if compress { ".gz" } else { "" };
    let switch = |name: &str| if compress { format!(" -compress_{name}") } else { String::new() };
    let ids = if numbered { format!("-id_file ids{gz}") } else { String::new() };
    let go = |line: &str| drop(work.ok(&format!("{line} --threads {threads}")));
    go(&format!(
        "create_bows -doc_list doc_list --lines -bow_paths bow_paths{gz} -bow_dir bows {ids} \
         -bows_per_file {bows_per_file}{}",
        switch("bows")
    ));
    go(&format!("create_voc -bow_paths bow_paths{gz} -voc_name voc{gz}"));
    work.ok(&format!(
        "reduce_voc -old_voc_name voc{gz} -new_voc_name small{gz} -min_tf_idf 1 -count 900"
    ));
    go(&format!(
        "create_vecs -bow_paths bow_paths{gz} -voc_name small{gz} -vec_dir vecs -vec_paths vec_paths{gz}{}",
        switch("vecs")
    ));
    go(&format!(
        "create_sigs -vec_paths vec_paths{gz} -sig_len 256 -sig_dir sigs -sig_paths sig_paths{gz} -rnd_seed {seed}{}",
        switch("sigs")
    ));
    search_and_compare(work, gz, &ids, seed, go);
}

fn search_and_compare(work: &Work, gz: &str, ids: &str, seed: u64, go: impl Fn(&str)) {
    let ways =
        [("sample", format!("-sample_list sample_list --lines {ids}")), ("all", String::new())];
    for (way, sample) in &ways {
        go(&format!(
            "similarity -vec_paths vec_paths{gz} -out sim_{way}{gz} -threshold 20 {sample}"
        ));
        go(&format!(
            "similarity -vec_paths vec_paths{gz} -out jaccard_{way}{gz} -threshold 20 -sim_meth jaccard {sample}"
        ));
        go(&format!(
            "hamming_full -sig_paths sig_paths{gz} -out full_{way}{gz} -threshold 55 {sample}"
        ));
        go(&format!(
            "hamming -sig_paths sig_paths{gz} -out ham_{way}{gz} -threshold 60 -iter_count 12 -beam 6 \
             -shift_count 40 -rnd_seed {seed} {sample}"
        ));
        let all = if *way == "all" { "--all_pairs" } else { "" };
        for (ham, ending) in [("full", "csv"), ("ham", "json")] {
            work.ok(&format!(
                "compare_results -sim sim_{way}{gz} -ham {ham}_{way}{gz} -out compare_{ham}_{way}{gz} {all} {ids} \
                 -summary measures_{ham}_{way}.{ending}{gz} -threshold_sim 80 -threshold_ham 79 -sig_len 256"
            ));
        }
    }
}

/// Returns a folder after a whole pipeline run.
fn chain(manner: RunSettings) -> Work {
    chain_in(Work::new(), manner)
}

fn chain_in(work: Work, manner: RunSettings) -> Work {
    write_collection(&work, DOCUMENTS);
    run_chain(&work, manner);
    work
}

/// Returns the content of all files.
fn snapshot(work: &Work) -> Files {
    let bytes = |name: &String| std::fs::read(work.path(name)).unwrap();
    work.files().into_iter().map(|name| (name.clone(), bytes(&name))).collect()
}

/// Leaves out manifests, which name the data files and so depend on compression and on the number of bags per file.
fn without_manifests(files: Files) -> Files {
    files.into_iter().filter(|(name, _)| !name.ends_with(MANIFEST)).collect()
}

/// Compares files and names the one that differs.
#[track_caller]
fn assert_same(one: &Files, other: &Files, when: &str) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{when}");
    for (name, content) in one {
        assert!(*content == other[name], "{name} differs {when}");
    }
}

/// Returns the concatenated data files of a list.
fn listed_content(work: &Work, list: &str) -> Vec<u8> {
    let list = work.read(list);
    let is_path = |line: &&str| line.contains('/');
    list.lines().filter(is_path).flat_map(|path| work.read_bytes(path)).collect()
}

/// Returns each document's signature in hexadecimal digits.
fn signatures(work: &Work, list: &str) -> BTreeMap<String, String> {
    let content = String::from_utf8(listed_content(work, list)).unwrap();
    let mut found = BTreeMap::new();
    for line in content.lines() {
        let (hex, documents) = line.split_once(':').unwrap();
        for name in documents.split(' ').skip(1) {
            assert_eq!(found.insert(name.to_string(), hex.to_string()), None, "{name} twice");
        }
    }
    found
}

#[test]
fn the_collection_has_something_of_everything() {
    let work = chain(USUAL);
    assert!(work.read("full_all").lines().any(|line| line.contains('(')), "no duplicates");
    assert!(work.read("sim_all").lines().count() > DOCUMENTS / 2, "no near-duplicates");
    assert!(work.read("ham_sample").lines().any(|line| !line.contains(':')), "all have matches");
    assert!(listed_content(&work, "bow_paths").windows(3).any(|w| w == b":0\n"), "none is empty");
    assert!(work.read("full_all").contains("docs/a%20b%3A%289%29.txt"), "no name needs an escape");
    assert!(work.read("bow_paths").lines().count() > 4, "one BOW file tests no order of files");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let expected = snapshot(&chain(RunSettings { threads: THREADS[0], ..USUAL }));
    for threads in THREADS {
        let found = snapshot(&chain(RunSettings { threads, ..USUAL }));
        assert_same(&expected, &found, &format!("with {threads} threads"));
    }
}

#[test]
fn any_processor_gives_the_same_bytes() {
    let expected = snapshot(&chain(USUAL));
    for cpu in Cpu::available() {
        let work = Work::with_variable("NEARSIG_CPU", cpu.name());
        let found = snapshot(&chain_in(work, USUAL));
        assert_same(&expected, &found, &format!("on {}", cpu.name()));
    }
}

#[test]
fn a_processor_that_is_not_there_is_refused() {
    let line = "create_voc -bow_paths bow_paths -voc_name voc";
    let told = Work::with_variable("NEARSIG_CPU", "sse").refuses(line);
    assert!(told.contains("NEARSIG_CPU: expected scalar, avx2 or avx512, found 'sse'"), "{told}");
    let sets = [InstructionSet::Avx2, InstructionSet::Avx512].into_iter();
    for set in sets.filter(|set| Cpu::new(*set).is_none()) {
        let told = Work::with_variable("NEARSIG_CPU", set.name()).refuses(line);
        assert!(
            told.contains(&format!("{} is not available on this machine", set.name())),
            "{told}"
        );
    }
}

#[test]
fn any_number_of_threads_gives_the_same_compressed_bytes() {
    let compressed = RunSettings { compress: true, ..USUAL };
    let expected = snapshot(&chain(RunSettings { threads: THREADS[0], ..compressed }));
    for threads in THREADS {
        let found = snapshot(&chain(RunSettings { threads, ..compressed }));
        assert_same(&expected, &found, &format!("with {threads} threads"));
    }
}

/// Sample documents without a signature must be named by their numbers, too.
#[test]
fn numbers_for_names_change_the_names_alone() {
    let expected = chain(USUAL);
    for threads in THREADS {
        let numbered = chain(RunSettings { numbered: true, threads, ..USUAL });
        for name in expected.files().iter().filter(|name| name.starts_with("compare_")) {
            assert!(expected.read(name) == numbered.read(name), "{name} with {threads} threads");
        }
    }
}

#[test]
fn compressed_files_hold_what_the_others_hold() {
    let expected = without_manifests(snapshot(&chain(USUAL)));
    let compressed = snapshot(&chain(RunSettings { compress: true, ..USUAL }));
    assert!(compressed.keys().filter(|name| name.ends_with(".gz")).count() > 20);
    let plain = |(name, content): (String, Vec<u8>)| match name.strip_suffix(".gz") {
        None => (name, content),
        Some(plain) if plain.ends_with("_paths") => {
            let list = String::from_utf8(gunzip(&content)).unwrap();
            (plain.to_string(), list.replace(".gz\n", "\n").into_bytes())
        }
        Some(plain) => (plain.to_string(), gunzip(&content)),
    };
    let found: Files = without_manifests(compressed).into_iter().map(plain).collect();
    assert_same(&expected, &found, "when decompressed");
}

#[test]
fn a_second_run_over_the_outputs_gives_the_same_bytes() {
    for compress in [false, true] {
        let manner = RunSettings { compress, ..USUAL };
        let work = chain(manner);
        let first = snapshot(&work);
        run_chain(&work, manner);
        assert_same(&first, &snapshot(&work), "the second time");
    }
}

#[test]
fn outputs_of_another_run_do_not_shine_through() {
    let work = chain(RunSettings { seed: 1, ..USUAL });
    let expected = snapshot(&chain(USUAL));
    let other = snapshot(&work);
    assert!(other["sigs/sig_paths-000001.sig"] != expected["sigs/sig_paths-000001.sig"]);
    run_chain(&work, USUAL);
    assert_same(&expected, &snapshot(&work), "over another seed's outputs");
}

#[test]
fn the_cut_into_files_changes_nothing_but_the_lists() {
    let expected = chain(USUAL);
    let is_cut = |name: &String| {
        ["bows/", "vecs/", "sigs/"].iter().any(|folder| name.starts_with(folder))
            || name.ends_with("_paths")
            || name.ends_with(MANIFEST)
    };
    for bows_per_file in [1, 7, 64, 1000] {
        let found = chain(RunSettings { bows_per_file, ..USUAL });
        for list in ["bow_paths", "vec_paths", "sig_paths"] {
            let contents = [&expected, &found].map(|work| listed_content(work, list));
            assert!(!contents[0].is_empty() && contents[0] == contents[1], "{list}");
        }
        let files = [&expected, &found].map(|work| {
            snapshot(work).into_iter().filter(|(name, _)| !is_cut(name)).collect::<Files>()
        });
        assert_same(&files[0], &files[1], &format!("with {bows_per_file} bags a file"));
        let headers = [&expected, &found].map(|work| {
            let list = work.read("sig_paths");
            list.lines().take(3).map(String::from).collect::<Vec<_>>()
        });
        assert_eq!(headers[0], headers[1]);
    }
}

#[test]
fn fewer_files_than_before_are_listed_without_the_old_ones() {
    let expected = snapshot(&chain(USUAL));
    let work = chain(RunSettings { bows_per_file: 3, ..USUAL });
    run_chain(&work, USUAL);
    let found = snapshot(&work);
    for (name, content) in &expected {
        assert!(*content == found[name], "{name} differs");
    }
}

#[test]
fn a_shorter_signature_begins_a_longer_one() {
    let work = chain(USUAL);
    let lengths = [4, 60, 64, 100, 256, 1024];
    let by_length = lengths.map(|bits| {
        work.ok(&format!(
            "create_sigs -vec_paths vec_paths -sig_len {bits} -sig_dir s{bits} -sig_paths s{bits}/list"
        ));
        signatures(&work, &format!("s{bits}/list"))
    });
    let longest = &by_length[lengths.len() - 1];
    for (bits, found) in lengths.iter().zip(&by_length) {
        assert_eq!(found.keys().collect::<Vec<_>>(), longest.keys().collect::<Vec<_>>());
        for (name, hex) in found {
            assert_eq!(hex.len(), bits / 4);
            assert!(longest[name].starts_with(hex), "{name} at {bits} bits");
        }
    }
    let distinct: std::collections::BTreeSet<_> = longest.values().collect();
    assert!(distinct.len() > DOCUMENTS / 2, "signatures that are all alike test nothing");
}

/// Writes vectors over a vocabulary whose hyperplanes do not fit into one megabyte.
fn write_wide_vectors(work: &Work, terms: u64) {
    const FILES: u64 = 3;
    const VECTORS: u64 = 20;
    let mut dice = Dice(5);
    let mut list = format!(
        "USING_TF\nVELIKOST_SLOVNIKU {terms}\nVELIKOST_KOLEKCE {}\n\
         POCET_ZAZNAMU_VE_VEC_SOUBORECH {VECTORS}\n",
        FILES * VECTORS
    );
    for file in 0..FILES {
        let mut lines = String::new();
        for vector in 0..VECTORS {
            let count = if vector == 3 { 0 } else { 20 + dice.below(200) };
            let components: BTreeMap<u64, u64> =
                (0..count).map(|_| (dice.below(terms), 1 + dice.below(9))).collect();
            lines += &format!("d{file}-{vector}:{}", components.len());
            components.iter().for_each(|(index, value)| lines += &format!(" {index}:{value}.5"));
            lines.push('\n');
        }
        work.write(format!("vecs/{file}.vec"), lines);
        list += &format!("vecs/{file}.vec\n");
    }
    work.write("vec_paths", list);
}

/// Returns the files of `create_sigs` with these flags.
fn signed(work: &Work, flags: &str) -> Files {
    work.ok(&format!(
        "create_sigs -vec_paths vec_paths -sig_dir sigs -sig_paths sigs/list {flags}"
    ));
    let files = snapshot(work).into_iter().filter(|(name, _)| name.starts_with("sigs/")).collect();
    std::fs::remove_dir_all(work.path("sigs")).unwrap();
    files
}

#[test]
fn random_vectors_on_disk_give_the_same_bytes() {
    let work = Work::new();
    write_wide_vectors(&work, 20_000);
    let expected = signed(&work, "-sig_len 1024");
    let is_output = |name: &String| name.starts_with("sigs/list") || name.ends_with(".sig");
    assert!(expected.keys().all(is_output));
    // One megabyte holds 13 of these vectors, so 1024 bits take 79 blocks; 1000 MB hold them all.
    for (megabytes, threads) in [(1, 2), (6, 1), (17, 7), (1000, 2)] {
        let flags = format!("-sig_len 1024 -use_hdd {megabytes} --threads {threads}");
        assert_same(&expected, &signed(&work, &flags), &flags);
    }
}

#[test]
fn random_vectors_drawn_again_or_compressed_on_disk_give_the_same_bytes() {
    let work = Work::new();
    write_wide_vectors(&work, 20_000);
    let plain = signed(&work, "-sig_len 100");
    for balance in ["", "-below_zero_percent 49.5"] {
        let expected = signed(&work, &format!("-sig_len 100 {balance} --threads 1"));
        assert_eq!(expected == plain, balance.is_empty(), "no vector was drawn again");
        for disk in ["-use_hdd 1", "-use_hdd 1 -compress_rnd_vecs", "-use_hdd 9 -compress_rnd_vecs"]
        {
            let flags = format!("-sig_len 100 {balance} {disk}");
            assert_same(&expected, &signed(&work, &flags), &flags);
        }
    }
}

#[test]
fn signatures_compressed_in_two_runs_are_the_same_bytes() {
    let work = Work::new();
    write_wide_vectors(&work, 3000);
    let expected = signed(&work, "-sig_len 64 -compress_sigs --threads 1");
    assert!(expected.contains_key("sigs/list-000001.sig.gz"));
    let flags = "-sig_len 64 -compress_sigs -use_hdd 1 --threads 7";
    assert_same(&expected, &signed(&work, flags), flags);
}

#[test]
fn ngram_indexes_do_not_depend_on_threads_or_memory() {
    // Identities are paths, so all runs are in one folder.
    let work = Work::new();
    let indexed = |threads: usize, buffer: usize| {
        let _ = std::fs::remove_dir_all(work.path("ix"));
        let documents = generated_documents(DOCUMENTS);
        let line = |(id, text): &(String, String)| {
            format!("{}\n", serde_json::json!({"id": id, "text": text}))
        };
        let lines: Vec<String> = documents.iter().map(line).collect();
        work.write("a.jsonl", lines[..150].concat());
        work.write("b.jsonl", lines[150..].concat());
        let common = format!("--index ix -n 2,5 --threads {threads}");
        work.ok(&format!("ngram_index add a.jsonl {common} --buffer {buffer}"));
        work.ok(&format!("ngram_index add b.jsonl {common} --buffer {buffer} --replace"));
        work.ok(&format!("ngram_search b.jsonl {common} --format xml --out found.xml -a 1")
            .replace("-n 2,5", "-n 2"));
        work.ok(&format!("ngram_index compact --index ix --threads {threads}"));
        snapshot(&work)
    };
    let expected = indexed(1, 1_000_000);
    for (threads, buffer) in [(2, 1_000_000), (7, 1_000_000), (1, 300), (3, 300)] {
        assert_same(&indexed(threads, buffer), &expected, &format!("{threads} threads, {buffer}"));
    }
}

#[test]
fn prints_and_their_pairs_do_not_depend_on_threads() {
    let written = |threads: usize| {
        let work = Work::new();
        let documents = generated_documents(DOCUMENTS);
        let record = |(name, text): &(String, String)| {
            let text = text.replace('\n', ". ");
            format!("{{\"id\":{name:?},\"text\":{text:?}}}\n")
        };
        work.write("docs.jsonl", documents.iter().map(record).collect::<String>());
        for method in crate::cli::create_prints::METHODS {
            let flags = format!("--threads {threads} --quiet");
            work.ok(&format!("create_prints --json_lines docs.jsonl --method {method} --print_paths {method} --print_dir prints {flags}"));
            work.ok(&format!("match_prints --print_paths {method} --out {method}.tsv {flags}"));
            work.ok(&format!("find_near_dups docs.jsonl --prints {method} --out {method}_2.tsv --clusters {method}_clusters.tsv {flags}"));
            // Equal texts are copies for find_near_dups, also without fingerprints.
            let found = work.read(format!("{method}_2.tsv"));
            let rows: std::collections::HashSet<&str> = found.lines().collect();
            let pairs = work.read(format!("{method}.tsv"));
            assert!(pairs.lines().all(|pair| rows.contains(pair)), "{method}");
        }
        snapshot(&work)
    };
    let expected = written(1);
    assert!(expected["shingles.tsv"].len() > 1000);
    assert_same(&expected, &written(2), "with two threads");
    assert_same(&expected, &written(7), "with seven threads");
}

/// The sample texts: real words, real near-duplicates.
#[test]
fn the_sample_collection_gives_the_same_bytes_with_any_number_of_threads() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/exp/sample");
    let chains = THREADS.map(|threads| {
        let work = Work::new();
        for list in ["doc_list", "sample_list"] {
            let text = std::fs::read_to_string(format!("{sample}/{list}")).unwrap();
            work.write(list, text);
        }
        copy_texts(&work, sample);
        run_chain(&work, RunSettings { threads, ..USUAL });
        let is_output = |name: &String| !name.starts_with("exp/");
        snapshot(&work).into_iter().filter(|(name, _)| is_output(name)).collect::<Files>()
    });
    assert!(chains[0]["full_sample"].len() > 1000);
    assert_same(&chains[0], &chains[1], "with two threads");
    assert_same(&chains[0], &chains[2], "with seven threads");
}

/// Copies the texts to the paths in the lists.
fn copy_texts(work: &Work, sample: &str) {
    let list = work.read("doc_list");
    for path in list.split_whitespace() {
        let from = path.strip_prefix("exp/sample/").expect("paths are relative to the project");
        work.write(path, std::fs::read(format!("{sample}/{from}")).unwrap());
    }
}
