//! Spellings of a flag: `--doc_list`, `--doc-list` and `-doc_list` as in the thesis.

use std::collections::HashMap;
use std::ffi::OsString;

use clap::Command;

use crate::files::paths::path_from_bytes;

/// Rewrites every known flag to `--its_name`. A value that begins with a dash and is no flag is joined to its flag. An apparently
/// misspelled flag gets two dashes, so that clap suggests the right one.
pub(super) fn normalize(
    command: &Command,
    arguments: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let flags = known_flags(command);
    let mut arguments = arguments;
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

/// Returns flags by their names with underscores: the canonical spelling, and whether a value follows.
fn known_flags(command: &Command) -> HashMap<String, (String, bool)> {
    let mut flags = HashMap::new();
    for argument in command.get_arguments() {
        let Some(name) = argument.get_long() else { continue };
        let takes_value = argument.get_action().takes_values();
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
    let name = name.strip_prefix("--").or_else(|| name.strip_prefix('-'))?;
    let (spelled, takes_value) = flags.get(&name.replace('-', "_"))?;
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
            .arg(Arg::new("threshold").long("threshold").alias("treshold"))
            .arg(Arg::new("save_nums").long("save_nums").action(ArgAction::SetTrue))
            .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::SetTrue));
        let arguments =
            std::iter::once("test").chain(arguments.iter().copied()).map(OsString::from);
        let all = super::normalize(&command, arguments);
        all[1..].iter().map(|argument| argument.to_str().unwrap().to_string()).collect()
    }

    #[test]
    fn three_spellings_are_one() {
        for spelled in ["-doc_list", "--doc_list", "--doc-list", "-doc-list"] {
            assert_eq!(normalized(&[spelled, "x"]), ["--doc_list", "x"]);
        }
        assert_eq!(normalized(&["-doc-list=x=y"]), ["--doc_list=x=y"]);
        assert_eq!(normalized(&["-treshold", "95"]), ["--threshold", "95"]);
    }

    #[test]
    fn values_and_short_flags_stay() {
        // A flag in place of a value: clap reports the missing value.
        assert_eq!(normalized(&["-doc_list", "-save_nums"]), ["--doc_list", "--save_nums"]);
        assert_eq!(normalized(&["-save-nums", "-v", "-"]), ["--save_nums", "-v", "-"]);
        assert_eq!(normalized(&["--unknown-flag"]), ["--unknown-flag"]);
    }

    #[test]
    fn values_may_begin_with_a_dash() {
        assert_eq!(normalized(&["-threshold", "-5", "-v"]), ["--threshold=-5", "-v"]);
        assert_eq!(normalized(&["-doc_list", "-x"]), ["--doc_list=-x"]);
    }

    #[test]
    fn arguments_after_two_dashes_are_positional() {
        assert_eq!(normalized(&["-v", "--", "-save-nums", "-x"]), ["-v", "--", "-save-nums", "-x"]);
        assert_eq!(
            normalized(&["-doc_list", "--", "-save-nums"]),
            ["--doc_list=--", "--save_nums"]
        );
    }

    #[test]
    fn misspelled_flags_get_two_dashes() {
        assert_eq!(normalized(&["-thresold", "95"]), ["--thresold", "95"]);
        assert_eq!(normalized(&["-x", "-5"]), ["-x", "-5"]);
    }
}
