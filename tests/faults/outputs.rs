//! Unwritable outputs, and outputs that are not regular files.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use super::{STAGES, Stage, assert_failed, assert_unchanged, refused_without_trace, snapshot};
use super::{described, is_in, undisturbed};
use crate::common::{MANIFEST, Outcome, Work, executable_path};

/// Returns a command line with a limit on the size of its files in blocks, as on a full disk: a write beyond it fails.
pub fn limited(work: &Work, line: &str, blocks: u32) -> Command {
    let mut words = line.split_whitespace();
    let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(executable_path(words.next().unwrap())).args(words);
    command.current_dir(work.path("."));
    command
}

/// Checks that a full disk is reported and no file changes.
#[track_caller]
pub fn fails_on_a_full_disk(work: &Work, line: &str, blocks: u32) {
    let before = snapshot(work);
    let ran = Outcome::from(limited(work, line, blocks).output().unwrap());
    assert_failed(&ran, line, &["cannot write"]);
    assert_unchanged(&before, &snapshot(work), &format!("on a full disk: {line}\n{}", ran.stderr));
}

/// Returns a collection whose lists are longer than any data file.
pub fn many_small_files() -> Work {
    small_files(150)
}

/// Returns a collection of documents with one data file each.
pub fn small_files(count: usize) -> Work {
    let work = Work::new();
    let documents: Vec<_> =
        (0..count).map(|n| (format!("d/{n:03}"), format!("all w{} x{n} {n}", n % 7))).collect();
    let borrowed: Vec<_> = documents.iter().map(|(name, text)| (&**name, &**text)).collect();
    work.collection(&borrowed);
    SMALL_FILES_CHAIN.iter().for_each(|(line, _)| drop(work.ok(line)));
    work
}

/// The stages with lists, each with a flag that changes its data.
pub const SMALL_FILES_CHAIN: [(&str, &str); 5] = [
    (
        "create_bows -doc_list doc_list -bow_paths bow_paths -bow_dir bows -bows_per_file 1",
        "-save_nums",
    ),
    ("create_voc -bow_paths bow_paths -voc_name voc", ""),
    (
        "create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths",
        "-use_tf_only",
    ),
    (
        "create_sigs -vec_paths vec_paths -sig_len 64 -sig_dir sigs -sig_paths sig_paths",
        "-rnd_seed 1",
    ),
    (
        "create_prints -doc_list doc_list --method minhash -hashes 8 -groups 2 -print_dir prints -print_paths print_paths -prints_per_file 1",
        "-rnd_seed 1",
    ),
];

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    for stage in &STAGES {
        for work in [stage.before(), stage.over_older_outputs()] {
            [0, 1].iter().for_each(|blocks| fails_on_a_full_disk(&work, stage.line, *blocks));
        }
    }
}

#[test]
fn a_full_disk_leaves_everything_as_it_was_when_compressing() {
    for stage in &STAGES {
        let line = stage.compressed_line();
        for work in [stage.before(), stage.over_older_outputs()] {
            fails_on_a_full_disk(&work, &line, 0);
        }
    }
}

#[test]
fn a_disk_too_full_for_random_vectors_leaves_everything_as_it_was() {
    let stage = STAGES.iter().find(|stage| stage.executable() == "create_sigs").unwrap();
    for disk in ["-use_hdd 1", "-use_hdd 1 -compress_rnd_vecs"] {
        for work in [stage.before(), stage.over_older_outputs()] {
            fails_on_a_full_disk(&work, &format!("{} {disk}", stage.line), 8);
        }
    }
}

/// The list is written last and is the first file that does not fit.
#[test]
fn a_disk_too_full_for_the_list_leaves_everything_as_it_was() {
    let work = many_small_files();
    for (line, change) in SMALL_FILES_CHAIN.iter().filter(|(_, change)| !change.is_empty()) {
        fails_on_a_full_disk(&work, &format!("{line} {change}"), 2);
    }
}

/// Returns all outputs that are single files.
fn single_outputs() -> impl Iterator<Item = (&'static Stage, &'static str)> {
    let outputs = STAGES.iter().flat_map(|stage| stage.outputs.iter().map(move |o| (stage, *o)));
    outputs.filter(|(_, output)| !output.ends_with('/'))
}

fn is_list(output: &str) -> bool {
    output.ends_with("_paths")
}

/// Returns a name for a device; the name of a summary keeps its extension.
fn link_to(work: &Work, device: &str, output: &str) -> String {
    let link = if output.ends_with(".csv") { "device.csv" } else { "device" };
    let _ = fs::remove_file(work.path(link));
    symlink(device, work.path(link)).unwrap();
    link.to_string()
}

#[cfg(target_os = "linux")]
#[track_caller]
fn fails_on_the_full_device(stage: &Stage, output: &str) {
    for work in [stage.before(), stage.over_older_outputs()] {
        let link = link_to(&work, "/dev/full", output);
        refused_without_trace(&work, &stage.line_with(output, &link), &[&link, "cannot write"]);
        assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_that_is_full_is_an_error() {
    for (stage, output) in single_outputs().filter(|(_, output)| !is_list(output)) {
        if output != "measures.csv" {
            fails_on_the_full_device(stage, output);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_on_a_device_that_is_full_leaves_no_data_files() {
    single_outputs()
        .filter(|(_, output)| is_list(output))
        .for_each(|(stage, output)| fails_on_the_full_device(stage, output));
}

#[cfg(target_os = "linux")]
#[test]
fn measures_on_a_device_that_is_full_leave_no_comparison() {
    fails_on_the_full_device(STAGES.last().unwrap(), "measures.csv");
}

#[test]
fn the_null_device_stays_one() {
    for (stage, output) in single_outputs() {
        let work = stage.before();
        let link = link_to(&work, "/dev/null", output);
        work.ok(&stage.line_with(output, &link));
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let others = |name: &&String| stage.is_output(name) && described(name) != output;
        let others: Vec<_> = undisturbed().keys().filter(others).collect();
        // Data files are named after their list, so different lists do not collide.
        if !is_list(output) {
            let found = snapshot(&work);
            assert!(
                others.iter().all(|name| found[*name] == undisturbed()[*name]),
                "{}",
                stage.line
            );
        }
        assert!(!work.has(output) && !work.has(format!("{output}.part")));
        assert!(work.files().iter().all(|name| !name.starts_with(&link) || *name == link));
    }
}

#[test]
fn a_named_pipe_is_written_and_stays_one() {
    for (stage, output) in single_outputs().filter(|(_, output)| !is_list(output)) {
        let work = stage.before();
        let pipe = work.path(output);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
        work.ok(stage.line);
        let received = reader.wait_with_output().unwrap().stdout;
        assert!(received == undisturbed()[output], "{output}");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo(), "{output}");
        assert!(!work.has(format!("{output}.part")) && !work.has(format!("{output}{MANIFEST}")));
    }
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    for (stage, output) in single_outputs() {
        for (_, other) in single_outputs().filter(|(s, o)| s.line == stage.line && *o != output) {
            for work in [stage.before(), stage.over_older_outputs()] {
                // The extension of a summary is its format, so the other output takes the name.
                let line = match other {
                    "measures.csv" => stage.line_with(output, other),
                    _ => stage.line_with(other, output),
                };
                refused_without_trace(&work, &line, &[]);
            }
        }
    }
}

#[test]
fn a_folder_in_the_place_of_an_output_is_refused_by_its_name() {
    for (stage, output) in single_outputs() {
        let work = stage.before();
        work.write(format!("{output}/inside"), "older\n");
        refused_without_trace(&work, stage.line, &[output, "directory"]);
    }
}

#[test]
fn a_folder_in_the_place_of_a_data_file_is_refused_by_its_name() {
    for stage in STAGES.iter().filter(|stage| stage.outputs[0].ends_with("_paths")) {
        let folder = stage.outputs[1];
        let data: Vec<_> = undisturbed().keys().filter(|name| is_in(name, folder)).collect();
        for name in [data[0], data[data.len() - 1]] {
            let work = stage.over_older_outputs();
            fs::remove_file(work.path(name)).unwrap();
            work.write(format!("{name}/inside"), "older\n");
            refused_without_trace(&work, stage.line, &[name, "directory"]);
        }
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused_by_its_name() {
    for stage in &STAGES {
        for folder in stage.outputs.iter().filter_map(|output| output.strip_suffix('/')) {
            let work = stage.before();
            work.write(folder, "older\n");
            refused_without_trace(&work, stage.line, &[&format!("error: {folder}: ")]);
        }
    }
}

#[test]
fn an_output_in_a_folder_that_is_none_is_refused_by_its_name() {
    for (stage, output) in single_outputs() {
        for work in [stage.before(), stage.over_older_outputs()] {
            work.write("file", "older\n");
            for place in ["nowhere", "file"] {
                let other = format!("{place}/{output}");
                refused_without_trace(&work, &stage.line_with(output, &other), &[&other]);
            }
        }
    }
}

/// As root, permissions do not apply and the run must succeed.
#[test]
fn a_folder_without_the_right_to_write_is_refused_by_its_name() {
    for (stage, output) in single_outputs() {
        let work = stage.before();
        fs::create_dir(work.path("locked")).unwrap();
        fs::set_permissions(work.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
        let line = stage.line_with(output, &format!("locked/{output}"));
        if fs::metadata(work.path("locked")).unwrap().uid() == 0 {
            work.ok(&line);
            assert!(work.has(format!("locked/{output}")), "{line}");
        } else {
            refused_without_trace(&work, &line, &[&format!("locked/{output}")]);
        }
        fs::set_permissions(work.path("locked"), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// The output is a symbolic link: its target is replaced, the link stays.
#[track_caller]
fn writes_through_a_link(stage: &Stage, output: &str) {
    let work = stage.over_older_outputs();
    work.write("elsewhere/file", "older\n");
    fs::remove_file(work.path(output)).unwrap();
    symlink(work.path("elsewhere/file"), work.path(output)).unwrap();
    work.ok(stage.line);
    assert!(work.path(output).is_symlink(), "{output} is no longer a link");
    assert!(fs::read(work.path("elsewhere/file")).unwrap() == undisturbed()[output], "{output}");
}

#[test]
fn a_link_in_the_place_of_an_output_stays() {
    for (stage, output) in single_outputs().filter(|(_, output)| !is_list(output)) {
        writes_through_a_link(stage, output);
    }
}

#[test]
fn a_link_in_the_place_of_a_list_stays() {
    for (stage, output) in single_outputs().filter(|(_, output)| is_list(output)) {
        writes_through_a_link(stage, output);
    }
}

#[test]
fn a_link_in_the_place_of_a_data_file_stays() {
    for stage in STAGES.iter().filter(|stage| is_list(stage.outputs[0])) {
        let is_data = |name: &&String| is_in(name, stage.outputs[1]);
        writes_through_a_link(stage, undisturbed().keys().find(is_data).unwrap());
    }
}

/// A dangling link creates its target, like the shell's `>`.
#[test]
fn a_link_to_a_file_yet_to_be_made_stays() {
    for (stage, output) in single_outputs() {
        let work = stage.before();
        fs::create_dir(work.path("elsewhere")).unwrap();
        symlink(work.path("elsewhere/file"), work.path(output)).unwrap();
        work.ok(stage.line);
        assert!(work.path(output).is_symlink(), "{output} is no longer a link");
        assert!(
            fs::read(work.path("elsewhere/file")).unwrap() == undisturbed()[output],
            "{output}"
        );
    }
}

#[test]
fn a_link_in_the_place_of_the_folder_stays() {
    for stage in STAGES.iter().filter(|stage| is_list(stage.outputs[0])) {
        let folder = stage.outputs[1].trim_end_matches('/');
        let work = stage.before();
        let _ = fs::remove_dir_all(work.path(folder));
        fs::create_dir(work.path("elsewhere")).unwrap();
        symlink(work.path("elsewhere"), work.path(folder)).unwrap();
        work.ok(stage.line);
        assert!(work.path(folder).is_symlink(), "{folder} is no longer a link");
        for name in undisturbed().keys().filter(|name| is_in(name, stage.outputs[1])) {
            assert!(fs::read(work.path(name)).unwrap() == undisturbed()[name], "{name}");
        }
    }
}
