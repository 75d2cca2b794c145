//! Files that differ from their manifest: truncated, edited or mixed up.

use super::{Kind, STAGES, Stage, refused_without_trace, undisturbed};
use crate::common::{MANIFEST, Work, gunzip, gzip};

/// The manifest that describes an input, if there is one.
fn manifest_of(stage: &Stage, input: &str, kind: Kind) -> Option<String> {
    let is_list = |(_, kind): &&(_, Kind)| *kind == Kind::List;
    let described = match kind {
        Kind::List | Kind::Voc => Some(input),
        Kind::Data => stage.inputs.iter().find(is_list).map(|(name, _)| *name),
        _ => None,
    };
    described.map(|name| format!("{name}{MANIFEST}"))
}

/// Every input that a manifest describes, with that manifest.
fn for_each_described(check: impl Fn(&Stage, &'static str, Kind, &str)) {
    let mut seen = 0;
    for stage in &STAGES {
        for (name, kind) in stage.inputs {
            if let Some(manifest) = manifest_of(stage, name, *kind) {
                check(stage, name, *kind, &manifest);
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 18);
}

/// A valid file of the same length and other content.
fn edited(name: &str, kind: Kind) -> Vec<u8> {
    let mut content = undisturbed()[name].clone();
    let other = |digit: u8| if digit == b'1' { b'2' } else { b'1' };
    if kind == Kind::List {
        let text = String::from_utf8(content).unwrap();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let last = lines.len() - 1;
        lines.swap(last, last - 1);
        return lines.concat().into_bytes();
    }
    let at = match name.rsplit_once('.') {
        // The first digit of a signature.
        Some((_, "sig")) => 0,
        // The last digit of the first count or component.
        Some(_) => {
            let first = content.iter().position(|byte| *byte == b' ').unwrap() + 1;
            first + content[first..].iter().position(|byte| b" \n".contains(byte)).unwrap() - 1
        }
        // The last digit of a TC that can grow.
        None => (2..content.len() - 3).find(|at| is_end_of_small_count(&content[*at..])).unwrap(),
    };
    content[at] = if kind == Kind::Voc { b'9' } else { other(content[at]) };
    content
}

/// Whether a piece of a vocabulary is the last digit of a TC below 9, a space, a DC of one digit and a newline.
fn is_end_of_small_count(text: &[u8]) -> bool {
    matches!(text, [b'0'..=b'8', b' ', b'0'..=b'9', b'\n', ..])
}

fn hint(manifest: &str) -> String {
    format!("; if it was changed on purpose, delete {manifest}")
}

#[test]
fn a_file_without_its_last_line_is_refused_with_both_lengths() {
    for_each_described(|stage, name, _, manifest| {
        let content = &undisturbed()[name];
        let before_last = content[..content.len() - 1].iter().rposition(|byte| *byte == b'\n');
        let shorter = &content[..before_last.unwrap() + 1];
        let (stated, found) = (content.len(), shorter.len());
        let told = format!(
            "error: {name}: expected {stated} bytes as in {manifest}, found {found}{}",
            hint(manifest)
        );
        for work in [stage.before(), stage.over_older_outputs()] {
            work.write(name, shorter);
            refused_without_trace(&work, stage.line, &[&told]);
        }
    });
}

#[test]
fn an_edited_file_is_refused_with_both_checksums_until_the_manifest_is_deleted() {
    for_each_described(|stage, name, kind, manifest| {
        let told = format!("error: {name}: expected checksum ");
        for work in [stage.before(), stage.over_older_outputs()] {
            work.write(name, edited(name, kind));
            let place = format!(" as in {manifest}, found ");
            refused_without_trace(&work, stage.line, &[&told, &place, &hint(manifest)]);
            std::fs::remove_file(work.path(manifest)).unwrap();
            work.ok(stage.line);
        }
    });
}

#[test]
fn compressed_files_have_the_checksum_of_their_content() {
    for_each_described(|stage, name, kind, manifest| {
        let work = stage.before();
        work.write(name, gzip(&edited(name, kind)));
        refused_without_trace(&work, stage.line, &[name, "expected checksum ", manifest]);
        work.write(name, gzip(&undisturbed()[name]));
        work.ok(stage.line);
    });
}

#[test]
fn a_damaged_manifest_is_refused_by_its_name_and_line() {
    for_each_described(|stage, _, _, manifest| {
        let content = &undisturbed()[manifest];
        let work = stage.before();
        for (damaged, place) in [
            (&content[..content.len() - 3], ""),
            (&b""[..], ":1: "),
            (b"{\"format\": \"nearsig manifest 2\"}\n", ":1: "),
        ] {
            work.write(manifest, damaged);
            let place = format!("{manifest}{place}");
            refused_without_trace(&work, stage.line, &[&place, "\"nearsig manifest 1\""]);
        }
    });
}

/// Three documents in files of their own, up to their vectors.
fn small_collection() -> Work {
    let work = Work::new();
    work.collection(&[("a", "one two three"), ("b", "one two four"), ("c", "five six 7")]);
    work.ok("create_bows -doc_list doc_list -bow_paths bow_paths -bow_dir bows -bows_per_file 1");
    work.ok("create_voc -bow_paths bow_paths -voc_name voc");
    work.ok("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths");
    work
}

const SIGN: &str = "create_sigs -vec_paths vec_paths -sig_len 64 -sig_dir sigs -sig_paths";
const SEARCH: &str = "hamming_full -out ham -threshold 50 -sig_paths";

fn rename(work: &Work, from: &str, to: &str) {
    std::fs::rename(work.path(from), work.path(to)).unwrap();
}

/// A list that was renamed, after which other parameters have given its files other content.
#[test]
fn files_made_with_other_parameters_are_refused_with_both_values() {
    for (old, new, told) in [
        ("-rnd_dist levels", "", "rnd_dist levels as in old_paths.manifest.json, found gauss"),
        ("-rnd_seed 2007", "-rnd_seed 1", "rnd_seed 2007 as in old_paths.manifest.json, found 1"),
        (
            "",
            "-below_zero_percent 3",
            "below_zero_percent none as in old_paths.manifest.json, found 3.0",
        ),
    ] {
        let work = small_collection();
        work.ok(&format!("{SIGN} sig_paths {old}"));
        rename(&work, "sig_paths", "old_paths");
        rename(&work, "sig_paths.manifest.json", "old_paths.manifest.json");
        work.ok(&format!("{SEARCH} old_paths"));
        work.ok(&format!("{SIGN} sig_paths {new}"));
        work.ok(&format!("{SEARCH} sig_paths"));
        let told = format!(
            "error: sigs/sig_paths-000001.sig: expected {told} as in sig_paths.manifest.json{}",
            hint("old_paths.manifest.json")
        );
        refused_without_trace(&work, &format!("{SEARCH} old_paths"), &[&told]);
    }
}

/// What differs may be a parameter of an earlier stage.
#[test]
fn files_made_from_other_inputs_are_refused_with_the_inputs_parameter() {
    let work = small_collection();
    work.ok(&format!("{SIGN} sig_paths"));
    rename(&work, "sig_paths", "old_paths");
    rename(&work, "sig_paths.manifest.json", "old_paths.manifest.json");
    work.ok("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths -use_tf_only");
    work.ok(&format!("{SIGN} sig_paths"));
    let told = "sigs/sig_paths-000001.sig: expected use_tf_only false as in old_paths.manifest.json, found true as in";
    refused_without_trace(&work, &format!("{SEARCH} old_paths"), &[told]);
}

#[test]
fn a_list_whose_manifest_is_that_of_another_run_is_refused() {
    let work = small_collection();
    work.ok(&format!("{SIGN} sig_paths"));
    // As with awk: the same list without one of its files.
    let list = work.read("sig_paths").replace("sigs/sig_paths-000002.sig\n", "");
    work.write("sig_paths", list);
    let told = ["error: sig_paths: expected ", " bytes as in sig_paths.manifest.json, found "];
    refused_without_trace(&work, &format!("{SEARCH} sig_paths"), &told);
}

#[test]
fn a_vocabulary_of_other_bags_is_refused_with_both_values() {
    let line = "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths";
    let bags = "create_bows -doc_list doc_list -bow_paths bow_paths -bow_dir bows";
    for (change, told) in [
        ("-shingle_size 2", "expected shingle_size 2 as in bow_paths.manifest.json, found 1"),
        ("-min_word_len 4", "expected min_word_len 4 as in bow_paths.manifest.json, found 1"),
    ] {
        let work = small_collection();
        work.ok(&format!("{bags} {change} -bows_per_file 1"));
        refused_without_trace(&work, line, &[&format!("error: voc: {told}")]);
    }
    // Bags of other documents by the same rules: document frequencies differ.
    let work = small_collection();
    work.write("c", "five eight");
    work.ok(&format!("{bags} -bows_per_file 1"));
    let told = "error: voc: expected document frequency of term '";
    refused_without_trace(&work, line, &[told, "' 0 as in bow_paths, found 1"]);
}

/// Names, the number of bags per file and terms outside a vocabulary do not matter to it.
#[test]
fn a_vocabulary_whose_terms_have_the_same_frequencies_is_accepted() {
    for change in ["-id_file ids", "-bows_per_file 2", "-save_nums"] {
        let work = small_collection();
        let bags = "create_bows -doc_list doc_list -bow_paths bow_paths -bow_dir bows";
        work.ok(&format!("{bags} {change}"));
        work.ok(
            "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths",
        );
    }
}

#[test]
fn lists_that_share_a_folder_have_manifests_of_their_own() {
    let work = small_collection();
    work.ok(&format!("{SIGN} first"));
    work.ok(&format!("{SIGN} second -rnd_seed 1 -compress_sigs"));
    for list in ["first", "second"] {
        work.ok(&format!("{SEARCH} {list}"));
    }
    let gzipped = work.read_bytes("sigs/second-000001.sig.gz");
    work.write("sigs/second-000001.sig.gz", gzip(&gzipped));
    work.ok(&format!("{SEARCH} second"));
    work.write(
        "sigs/second-000001.sig.gz",
        gunzip(&gzip(&work.read_bytes("sigs/first-000001.sig"))),
    );
    let told = "sigs/second-000001.sig.gz: expected rnd_seed 1 as in second.manifest.json, found 2007 as in first.manifest.json";
    refused_without_trace(&work, &format!("{SEARCH} second"), &[told]);
}

/// Paths in a list are relative to where the executables are started, wherever the list is.
#[test]
fn a_list_in_another_folder_is_verified_if_its_manifest_is_there_too() {
    let work = small_collection();
    work.ok(&format!("{SIGN} sig_paths"));
    std::fs::create_dir(work.path("elsewhere")).unwrap();
    rename(&work, "sig_paths", "elsewhere/list");
    work.ok(&format!("{SEARCH} elsewhere/list"));
    rename(&work, "sig_paths.manifest.json", "elsewhere/list.manifest.json");
    work.ok(&format!("{SEARCH} elsewhere/list"));
    let signatures = work.read("sigs/sig_paths-000001.sig");
    work.write("sigs/sig_paths-000001.sig", signatures.replace(" a", " d"));
    let told = " as in elsewhere/list.manifest.json, found ";
    refused_without_trace(&work, &format!("{SEARCH} elsewhere/list"), &[told]);
    std::fs::remove_file(work.path("elsewhere/list.manifest.json")).unwrap();
    work.ok(&format!("{SEARCH} elsewhere/list"));
}

#[test]
fn a_list_on_standard_output_has_no_manifest() {
    let work = small_collection();
    let list = work.ok(&format!("{SIGN} -")).stdout;
    assert!(list.starts_with("VELIKOST_KOLEKCE 3\n"), "{list}");
    let is_manifest = |name: &String| name.ends_with(MANIFEST);
    let manifests: Vec<String> = work.files().into_iter().filter(is_manifest).collect();
    assert_eq!(
        manifests,
        ["bow_paths", "vec_paths", "voc"].map(|list| format!("{list}{MANIFEST}"))
    );
}
