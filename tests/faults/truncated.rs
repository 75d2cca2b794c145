//! Truncated files. The rest of a line may still be valid, so the missing end itself must be detected.

use super::{Kind, STAGES, Stage, refused_without_trace, refuses_each, undisturbed};

/// Returns every input whose length is known from a header, a list or the other result.
fn for_each_chain_file(mut check: impl FnMut(&Stage, &'static str, Kind, &'static [u8])) {
    for stage in &STAGES {
        for (name, kind) in stage.inputs {
            if !matches!(kind, Kind::Document | Kind::Names | Kind::Ids | Kind::LoneResult) {
                check(stage, name, *kind, &undisturbed()[*name]);
            }
        }
    }
}

/// Returns where the lines of a file end, newlines included.
fn line_ends(content: &[u8]) -> Vec<usize> {
    (1..=content.len()).filter(|end| content[end - 1] == b'\n').collect()
}

/// Returns an evenly spaced subset.
fn some(all: &[usize]) -> impl Iterator<Item = usize> {
    all.iter().copied().step_by(all.len() / 6 + 1)
}

#[test]
fn a_file_cut_inside_a_line_is_refused() {
    for_each_chain_file(|stage, name, _, content| {
        let ends = line_ends(content);
        let inside = some(&ends[..ends.len() - 1]).flat_map(|end| [end + 1, end + 3]);
        let cut: Vec<_> = inside.map(|at| content[..at].to_vec()).collect();
        refuses_each(stage, name, &cut, &[]);
    });
}

#[test]
fn a_file_without_its_last_lines_is_refused() {
    for_each_chain_file(|stage, name, _, content| {
        let ends = line_ends(content);
        let mut whole_lines: Vec<_> = some(&ends[..ends.len() - 1]).collect();
        whole_lines.extend([0, ends[ends.len() - 2]]);
        let cut: Vec<_> = whole_lines.iter().map(|at| content[..*at].to_vec()).collect();
        refuses_each(stage, name, &cut, &[]);
    });
}

#[test]
fn a_file_without_its_first_line_is_refused() {
    for_each_chain_file(|stage, name, _, content| {
        let first = line_ends(content)[0];
        refuses_each(stage, name, &[content[first..].to_vec()], &[]);
    });
}

/// Checks that the last line is an error.
#[track_caller]
fn refuses_without_last_newline(stage: &Stage, name: &str, content: &[u8]) {
    let last = format!("{name}:{}: ", line_ends(content).len());
    let cut = content[..content.len() - 1].to_vec();
    refuses_each(stage, name, &[cut], &[&last, "newline"]);
}

#[test]
fn a_file_without_its_last_newline_is_refused_at_its_last_line() {
    for_each_chain_file(|stage, name, kind, content| {
        if kind != Kind::List {
            refuses_without_last_newline(stage, name, content);
        }
    });
}

/// The last path of a list may be truncated from `….vec.gz` to `….vec`, which may exist from an earlier run.
#[test]
fn a_list_without_its_last_newline_is_refused_at_its_last_line() {
    for_each_chain_file(|stage, name, kind, content| {
        if kind == Kind::List {
            refuses_without_last_newline(stage, name, content);
        }
    });
}

#[test]
fn numbers_of_documents_cut_inside_a_line_are_refused() {
    for stage in super::readers_of("ids") {
        let content = &undisturbed()["ids"];
        let ends = line_ends(content);
        let cuts = [ends[3] + 1, ends[3] + 5, content.len() - 1];
        let cut: Vec<_> = cuts.iter().map(|at| content[..*at].to_vec()).collect();
        refuses_each(stage, "ids", &cut, &["ids:", "newline"]);
    }
}

/// Either result may have more lines.
#[test]
fn results_of_different_length_are_refused() {
    let stage = STAGES.last().unwrap();
    for name in ["sim", "full"] {
        let content = &undisturbed()[name];
        let longer = [content.as_slice(), b"45\n"].concat();
        refuses_each(stage, name, &[longer], &["sample_list", "sim", "full"]);
    }
}

#[test]
fn results_out_of_step_are_refused_with_both_lines() {
    let stage = STAGES.last().unwrap();
    for name in ["sim", "full"] {
        let text = String::from_utf8(undisturbed()[name].clone()).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(1, 2);
        let swapped = lines.join("\n") + "\n";
        refuses_each(stage, name, &[swapped.into_bytes()], &["sample_list", "sim:2 ", "full:2;"]);
    }
}

/// Without a sample the number of lines is unknown, but half a line is an error.
#[test]
fn results_of_whole_collections_cut_inside_a_line_are_refused() {
    let stage = STAGES.last().unwrap();
    let line = format!("{} --all_pairs", stage.line);
    for name in ["sim", "full"] {
        let content = &undisturbed()[name];
        for work in [stage.before(), stage.over_older_outputs()] {
            for at in [2, content.len() / 2, content.len() - 1] {
                work.write(name, &content[..at]);
                refused_without_trace(&work, &line, &[&format!("{name}:"), "newline"]);
            }
        }
    }
}
