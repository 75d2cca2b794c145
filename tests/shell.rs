//! Tests of man pages and shell completions, which every executable generates, and of the script that installs them.

use std::process::Command;

use crate::common::{Outcome, Work, executable_path};
use crate::scripts;
use nearsig::cli::tools;

/// Returns the names of all executables.
fn names() -> Vec<&'static str> {
    tools::all().map(|tool| tool.name).chain(["nearsig"]).collect()
}

/// Returns the flags in an executable's help, with their dashes.
fn flags(work: &Work, name: &str) -> Vec<String> {
    if name == "nearsig" {
        return vec!["--help".into(), "--version".into()];
    }
    let help = work.ok(&format!("{name} -h")).stdout;
    let flag = |line: &str| {
        let text = line.trim_start_matches(' ');
        // Deeper indentation holds descriptions, which may begin with anything.
        let indentation = line.len() - text.len();
        let is_flag = text.starts_with('-') && (2..="  -v, ".len()).contains(&indentation);
        let (_, flag) = text.split_once("--").filter(|_| is_flag)?;
        Some(format!("--{}", flag.split([' ', '[']).next()?))
    };
    help.lines().filter_map(flag).collect()
}

/// Runs bash on a script, with arguments.
fn bash(work: &Work, script: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash"]).args(arguments).current_dir(work.path(""));
    command.env("NEARSIG", executable_path("nearsig").parent().unwrap());
    Outcome::from(command.output().unwrap())
}

/// Returns whether the system has a program.
fn has(program: &str) -> bool {
    bash(&Work::new(), "command -v \"$1\"", &[program]).code == Some(0)
}

#[test]
fn man_pages_have_every_flag() {
    let work = Work::new();
    for name in names() {
        let page = work.ok(&format!("{name} --generate man")).stdout;
        let title = page.lines().find(|line| line.starts_with(".TH ")).expect("a title");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(title, format!(".TH {name} 1 \"\" \"nearsig {version}\" nearsig"));
        let mut rest = &*page;
        for section in
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "\"SEE ALSO\""]
        {
            let heading = format!("\n.SH {section}\n");
            rest = rest.split_once(&heading).unwrap_or_else(|| panic!("{name}: {section}")).1;
        }
        for flag in flags(&work, name) {
            assert!(
                page.contains(&format!("\\fB{}\\fR", flag.replace('-', "\\-"))),
                "{name} {flag}"
            );
        }
        assert!(!page.contains("generate"), "{name}: --generate is for the installer only");
    }
    let page = work.ok("create_bows --generate man").stdout;
    assert!(page.contains("\ncreate_bows \\- Makes a bag of words of every document\n"), "{page}");
    assert!(page.contains("\n\\fBcreate_vecs\\fR(1),\n\\fBnearsig\\fR(1)\n"), "{page}");
    let page = work.ok("nearsig --generate man").stdout;
    for tool in tools::all() {
        assert!(page.contains(&format!("\n\\fB{}\\fR(1)\n", tool.name)), "{}", tool.name);
    }
}

/// Runs a program on every man page and checks its output. Does nothing if the system does not have the program.
fn check_pages(program: &str, arguments: &[&str], check: impl Fn(&str, &Outcome)) {
    if !has(program) {
        return;
    }
    let work = Work::new();
    for name in names() {
        let file = format!("{name}.1");
        work.write(&file, work.ok(&format!("{name} --generate man")).stdout);
        let mut command = Command::new(program);
        command.args(arguments).arg(&file).current_dir(work.path(""));
        command.env("LC_ALL", "C.UTF-8").env("MANWIDTH", "80");
        let ran = Outcome::from(command.output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{program} {name}");
        check(name, &ran);
    }
}

#[test]
fn man_and_groff_accept_the_pages() {
    check_pages("man", &["--warnings", "-E", "UTF-8", "-l"], |_, _| {});
    check_pages("groff", &["-man", "-ww", "-k", "-Tutf8"], |_, _| {});
    check_pages("lexgrog", &[], |name, ran| {
        assert!(ran.stdout.contains(&format!(": \"{name} - ")), "{}", ran.stdout);
    });
}

#[test]
fn shells_accept_their_completions() {
    for (shell, flag_of) in [
        ("bash", (|flag: &str| flag.to_string()) as fn(&str) -> String),
        ("zsh", |flag| flag.to_string()),
        ("fish", |flag| format!("-l {}", &flag[2..])),
    ] {
        let work = Work::new();
        let is_there = has(shell);
        for name in names() {
            let text = work.ok(&format!("{name} --generate {shell}")).stdout;
            for flag in flags(&work, name) {
                assert!(text.contains(&flag_of(&flag)), "{shell} {name} {flag}");
            }
            if is_there {
                work.write("completions", text);
                let ran = bash(&work, "\"$1\" -n completions", &[shell]);
                assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{shell} {name}");
            }
        }
    }
}

/// Returns the completions bash offers for the last word of a line.
fn offered(work: &Work, words: &[&str]) -> Vec<String> {
    let text = work.ok(&format!("{} --generate bash", words[0])).stdout;
    work.write(".completions", text);
    let script = r#"
        PATH=$NEARSIG:$PATH
        source .completions
        function=$(complete -p "$1" | sed 's/.* -F \([^ ]*\) .*/\1/')
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        compopt() { :; } # fails outside of interactive completion
        "$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let ran = bash(work, script, words);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{words:?}");
    let mut offered: Vec<String> =
        ran.stdout.lines().filter(|line| !line.is_empty()).map(Into::into).collect();
    offered.sort();
    offered
}

#[test]
fn bash_offers_the_flags_of_every_executable() {
    let work = Work::new();
    for name in names() {
        let mut expected = flags(&work, name);
        expected.sort();
        assert_eq!(offered(&work, &[name, "--"]), expected, "{name}");
    }
}

#[test]
fn bash_offers_values_and_files() {
    let work = Work::new();
    work.write("doc list", "");
    work.write("documents/a", "");
    assert_eq!(offered(&work, &["create_sigs", "--rnd_dist", ""]), ["gauss", "levels"]);
    assert_eq!(offered(&work, &["create_sigs", "--rnd_dist", "l"]), ["levels"]);
    assert_eq!(
        offered(&work, &["create_bows", "--bow"]),
        ["--bow_dir", "--bow_paths", "--bows_per_file"]
    );
    let files = offered(&work, &["create_bows", "--words", "--doc_list", "doc"]);
    assert_eq!(files, ["doc list", "documents"]);
    assert_eq!(offered(&work, &["create_bows", "--doc_count", "d"]), ["d"]);
}

#[test]
fn bash_offers_the_names_of_executables() {
    let work = Work::new();
    let expected = [
        "create_bows",
        "create_corpus",
        "create_prints",
        "create_sigs",
        "create_vecs",
        "create_voc",
    ];
    assert_eq!(offered(&work, &["nearsig", "create_"]), expected);
    let mut all: Vec<&str> = names();
    all.retain(|name| *name != "nearsig");
    all.extend(["help", "--help", "--version", "-h", "-V"]);
    all.sort();
    assert_eq!(offered(&work, &["nearsig", ""]), all);
    assert_eq!(offered(&work, &["nearsig", "create_bow"]), ["create_bows"]);
}

#[test]
fn bash_completes_nearsig_name_like_the_executable() {
    let work = Work::new();
    work.write("doc list", "");
    for words in [
        &["create_bows", "--"][..],
        &["create_bows", "--words", "--doc_list", "do"],
        &["create_sigs", "--rnd_dist", ""],
    ] {
        let expected = offered(&work, words);
        assert!(!expected.is_empty());
        assert_eq!(offered(&work, &[&["nearsig"], words].concat()), expected);
    }
    assert_eq!(offered(&work, &["nearsig", "no_such_name", "--"]), [""; 0]);
}

#[test]
fn unknown_generate_target_is_an_error() {
    let work = Work::new();
    for name in ["create_bows", "nearsig"] {
        for line in [format!("{name} --generate"), format!("{name} --generate csh")] {
            let refusal = work.refuses(&line);
            let message = "expected man, bash, zsh or fish after --generate";
            assert_eq!(refusal, format!("{name}: error: {message}\n"));
        }
    }
    // Elsewhere it is an unknown flag.
    let refusal = work.refuses("create_bows -q --generate man");
    assert!(refusal.contains("unexpected argument '--generate'"), "{refusal}");
}

/// Creates a folder of small scripts that run the executables under test, which are too large to copy often.
fn stand_ins(work: &Work) {
    let folder = executable_path("nearsig").parent().unwrap().to_str().unwrap().to_string();
    let script = r#"
        mkdir -p stand-ins
        folder=$1
        shift
        for name; do
            printf '#!/bin/sh\nexec "%s" "$@"\n' "$folder/$name" > "stand-ins/$name"
            chmod +x "stand-ins/$name"
        done"#;
    let mut arguments = vec![&*folder];
    arguments.extend(names());
    assert_eq!(bash(work, script, &arguments).code, Some(0));
}

/// Runs install.sh with these scripts as executables.
fn install(work: &Work, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("bash");
    command.arg(scripts::path("install.sh")).args(arguments).current_dir(work.path(""));
    command.env("NEARSIG_BIN", "stand-ins");
    Outcome::from(command.output().unwrap())
}

/// Returns the files below the prefix.
fn installed(work: &Work) -> Vec<String> {
    let files = work.files().into_iter();
    files.filter_map(|file| file.strip_prefix("a prefix/").map(Into::into)).collect()
}

#[test]
fn install_and_uninstall_touch_only_their_files() {
    let work = Work::new();
    stand_ins(&work);
    work.write("a prefix/bin/mine", "");
    for prefix in [vec!["--prefix", "a prefix"], vec!["--prefix=a prefix"]] {
        let ran = install(&work, &prefix);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("a prefix/bin is not in PATH"), "{}", ran.stdout);
        let mut expected = vec!["bin/mine".to_string(), "share/nearsig/installed".to_string()];
        for name in names() {
            expected.extend([
                format!("bin/{name}"),
                format!("share/man/man1/{name}.1"),
                format!("share/bash-completion/completions/{name}"),
                format!("share/zsh/site-functions/_{name}"),
                format!("share/fish/vendor_completions.d/{name}.fish"),
            ]);
        }
        expected.sort();
        assert_eq!(installed(&work), expected);
    }
    let page = work.read("a prefix/share/man/man1/create_bows.1");
    assert_eq!(page, work.ok("create_bows --generate man").stdout);
    let ran = bash(&work, "'a prefix/bin/nearsig' help create_voc", &[]);
    assert_eq!(ran.stdout, work.ok("create_voc --help").stdout);

    for count in [5 * names().len(), 0] {
        let ran = install(&work, &["--uninstall", "--prefix", "a prefix"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.ends_with(&format!("a prefix: {count} files\n")), "{}", ran.stdout);
        assert_eq!(installed(&work), ["bin/mine"]);
    }
}

#[test]
fn install_keeps_foreign_files_and_removes_obsolete_ones() {
    let work = Work::new();
    stand_ins(&work);
    work.write("a prefix/bin/similarity", "somebody else's");
    let ran = install(&work, &["--prefix", "a prefix"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("a prefix/bin/similarity was not installed by"), "{}", ran.stderr);
    assert_eq!(installed(&work), ["bin/similarity"]);

    std::fs::remove_file(work.path("a prefix/bin/similarity")).unwrap();
    work.write("a prefix/bin/old_name", "");
    work.write("a prefix/outside", "");
    work.write("outside", "");
    let list = "bin/old_name\nbin/../outside\n../outside\noutside\n/etc/hostname\n";
    work.write("a prefix/share/nearsig/installed", list);
    assert_eq!(install(&work, &["--prefix", "a prefix"]).code, Some(0));
    assert!(!work.has("a prefix/bin/old_name") && work.has("a prefix/bin/similarity"));
    assert!(work.has("a prefix/outside") && work.has("outside"));
}

#[test]
fn install_prints_its_usage() {
    for arguments in [&["-h"][..], &["--help"], &["--prefix"], &["--uninstall"], &["somewhere"]] {
        let work = Work::new();
        let ran = scripts::run(&work, "install.sh", arguments);
        let usage = "usage: install.sh [--prefix DIR [--uninstall]]\n";
        assert_eq!((ran.code, &*ran.stderr), (Some(2), usage), "{arguments:?}");
        assert_eq!(work.files(), [""; 0]);
    }
}
