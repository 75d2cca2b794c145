//! Spellings of a flag: `--doc_list`, `--doc-list` and `-doc_list` as in the thesis.

use std::collections::HashMap;
use std::ffi::OsString;

use clap::Command;

use crate::files::paths::path_from_bytes;

/// Rewrites every known flag to `--its_name`. A value that begins with a dash and is no flag is joined to its flag. An apparently
/// misspelled flag gets two dashes, so that clap suggests the right one.
pub(super) fn normalize(
    command: &Command,
    mut arguments: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let flags = known_flags(command);
    // The first argument is the executable's name.
    let mut normalized: Vec<OsString> = arguments.next().into_iter().collect();
    let mut is_value = false;
    while let Some(argument) = arguments.next() {
        if argument == "--" && !is_value {
            // Positional arguments follow.
            normalized.push(argument);
            normalized.extend(arguments);
            break;
        }
        match recognize(&flags, &argument) {
            Some((spelled, needs_value)) => {
                is_value = needs_value;
                normalized.push(spelled);
                continue;
            }
            None if is_value && looks_like_a_flag(&argument) => {
                let flag = normalized.last_mut().expect("a value follows its flag");
                flag.push("=");
                flag.push(argument);
            }
            None if !is_value && is_misspelled(&argument) => {
                let mut spelled = OsString::from("-");
                spelled.push(argument);
                normalized.push(spelled);
            }
            _ => normalized.push(argument),
        }
        is_value = false;
    }
    normalized
}

/// Returns whether an argument begins with a dash and is longer.
fn looks_like_a_flag(argument: &OsString) -> bool {
    argument.len() > 1 && argument.as_encoded_bytes()[0] == b'-'
}

/// Returns whether an argument is one dash and a word; short flags have one letter.
fn is_misspelled(argument: &OsString) -> bool {
    let bytes = argument.as_encoded_bytes();
    bytes.len() > 2 && bytes[0] == b'-' && bytes[1..3].iter().all(u8::is_ascii_alphabetic)
}

/// Returns flags by their names with underscores, short ones that take a value by their dash and letter: the canonical spelling, and whether a
/// value follows.
fn known_flags(command: &Command) -> HashMap<String, (String, bool)> {
    let mut flags = HashMap::new();
    for argument in command.get_arguments() {
        let Some(name) = argument.get_long() else { continue };
        let takes_value = argument.get_action().takes_values();
        let short = argument.get_short().filter(|_| takes_value);
        flags.extend(short.map(|short| (format!("-{short}"), (format!("--{name}"), true))));
        let aliases = argument.get_all_aliases().unwrap_or_default();
        for spelling in std::iter::once(name).chain(aliases) {
            flags.insert(spelling.replace('-', "_"), (format!("--{name}"), takes_value));
        }
    }
    flags
}

/// Returns the canonical spelling of a flag, and whether its value is the next argument.
fn recognize(
    flags: &HashMap<String, (String, bool)>,
    argument: &OsString,
) -> Option<(OsString, bool)> {
    let bytes = argument.as_encoded_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let (name, value) = (std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end..]);
    let long = name.strip_prefix("--").or_else(|| name.strip_prefix('-'))?;
    let (spelled, takes_value) = flags.get(&long.replace('-', "_")).or_else(|| flags.get(name))?;
    let mut written = OsString::from(spelled);
    written.push(path_from_bytes(value));
    Some((written, *takes_value && value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction};

    fn normalized(arguments: &[&str]) -> Vec<String> {
        let command = Command::new("test")
            .arg(Arg::new("doc_list").long("doc_list"))
            .arg(Arg::new("threshold").short('t').long("threshold").alias("treshold"))
            .arg(Arg::new("save_nums").long("save_nums").action(ArgAction::SetTrue))
            .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::SetTrue));
        let arguments =
            std::iter::once("test").chain(arguments.iter().copied()).map(OsString::from);
        let all = super::normalize(&command, arguments);
        all[1..].iter().map(|argument| argument.to_str().unwrap().to_string()).collect()
    }

    #[test]
    fn every_spelling_of_a_flag_becomes_one() {
        for (arguments, expected) in [
            (&["-doc_list", "x"][..], &["--doc_list", "x"][..]),
            (&["--doc_list", "x"], &["--doc_list", "x"]),
            (&["--doc-list", "x"], &["--doc_list", "x"]),
            (&["-doc-list", "x"], &["--doc_list", "x"]),
            (&["-doc-list=x=y"], &["--doc_list=x=y"]),
            (&["-treshold", "95"], &["--threshold", "95"]),
            // A flag in place of a value: clap reports the missing value.
            (&["-doc_list", "-save_nums"], &["--doc_list", "--save_nums"]),
            (&["-save-nums", "-v", "-"], &["--save_nums", "-v", "-"]),
            (&["--unknown-flag"], &["--unknown-flag"]),
            // Values may begin with a dash.
            (&["-threshold", "-5", "-v"], &["--threshold=-5", "-v"]),
            (&["-doc_list", "-x"], &["--doc_list=-x"]),
            // Arguments after two dashes are positional.
            (&["-v", "--", "-save-nums", "-x"], &["-v", "--", "-save-nums", "-x"]),
            (&["-doc_list", "--", "-save-nums"], &["--doc_list=--", "--save_nums"]),
            // Short flags.
            (&["-t", "-5"], &["--threshold=-5"]),
            (&["-t", "95", "-v"], &["--threshold", "95", "-v"]),
            (&["-t=95", "-t95"], &["--threshold=95", "-t95"]),
            (&["--t", "95"], &["--t", "95"]),
            (&["-tres", "95"], &["--tres", "95"]),
            // Misspelled flags get two dashes.
            (&["-thresold", "95"], &["--thresold", "95"]),
            (&["-x", "-5"], &["-x", "-5"]),
        ] {
            assert_eq!(normalized(arguments), expected);
        }
    }
}
