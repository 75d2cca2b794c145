//! The three spellings of a flag: `--doc_list`, `--doc-list` and the thesis' own `-doc_list`.

use std::collections::HashMap;
use std::ffi::OsString;

use clap::Command;

use crate::files::paths::path_from_bytes;

/// Rewrites every flag that the command knows to `--its_name`. A value that begins with a dash and is no flag is joined to
/// its flag, so that it is taken for a value. What looks like a misspelled flag gets two dashes, so that the answer can suggest the right one.
pub(super) fn normalise(
    command: &Command,
    arguments: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let flags = known_flags(command);
    let mut arguments = arguments;
    let mut normalised: Vec<OsString> = arguments.next().into_iter().collect(); // the executable's own name
    let mut is_value = false;
    while let Some(argument) = arguments.next() {
        if argument == "--" && !is_value {
            // What follows is no flag, whatever it looks like.
            normalised.push(argument);
            normalised.extend(arguments);
            break;
        }
        match recognise(&flags, &argument) {
            Some((spelled, needs_value)) => {
                is_value = needs_value;
                normalised.push(spelled);
                continue;
            }
            None if is_value && looks_like_a_flag(&argument) => {
                let flag = normalised.last_mut().expect("a value follows its flag");
                flag.push("=");
                flag.push(argument);
            }
            None if !is_value && is_misspelled(&argument) => {
                let mut spelled = OsString::from("-");
                spelled.push(argument);
                normalised.push(spelled);
            }
            _ => normalised.push(argument),
        }
        is_value = false;
    }
    normalised
}

/// Whether an argument begins with a dash and goes on.
fn looks_like_a_flag(argument: &OsString) -> bool {
    argument.len() > 1 && argument.as_encoded_bytes()[0] == b'-'
}

/// Whether an argument is one dash and a word: no flag of one letter has that.
fn is_misspelled(argument: &OsString) -> bool {
    let bytes = argument.as_encoded_bytes();
    bytes.len() > 2 && bytes[0] == b'-' && bytes[1..3].iter().all(u8::is_ascii_alphabetic)
}

/// Flags by their names with underscores: how to write them, and whether a value follows.
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

/// The flag that an argument is, written out, and whether its value is the next argument.
fn recognise(
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

    fn normalised(arguments: &[&str]) -> Vec<String> {
        let command = Command::new("test")
            .arg(Arg::new("doc_list").long("doc_list"))
            .arg(Arg::new("threshold").long("threshold").alias("treshold"))
            .arg(Arg::new("save_nums").long("save_nums").action(ArgAction::SetTrue))
            .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::SetTrue));
        let arguments =
            std::iter::once("test").chain(arguments.iter().copied()).map(OsString::from);
        let all = super::normalise(&command, arguments);
        all[1..].iter().map(|argument| argument.to_str().unwrap().to_string()).collect()
    }

    #[test]
    fn three_spellings_are_one() {
        for spelled in ["-doc_list", "--doc_list", "--doc-list", "-doc-list"] {
            assert_eq!(normalised(&[spelled, "x"]), ["--doc_list", "x"]);
        }
        assert_eq!(normalised(&["-doc-list=x=y"]), ["--doc_list=x=y"]);
        assert_eq!(normalised(&["-treshold", "95"]), ["--threshold", "95"]);
    }

    #[test]
    fn values_and_short_flags_stay() {
        // A flag where a value should be: the answer will be that the value is missing.
        assert_eq!(normalised(&["-doc_list", "-save_nums"]), ["--doc_list", "--save_nums"]);
        assert_eq!(normalised(&["-save-nums", "-v", "-"]), ["--save_nums", "-v", "-"]);
        assert_eq!(normalised(&["--unknown-flag"]), ["--unknown-flag"]);
    }

    #[test]
    fn values_may_begin_with_a_dash() {
        assert_eq!(normalised(&["-threshold", "-5", "-v"]), ["--threshold=-5", "-v"]);
        assert_eq!(normalised(&["-doc_list", "-x"]), ["--doc_list=-x"]);
    }

    #[test]
    fn nothing_is_a_flag_after_two_dashes() {
        assert_eq!(normalised(&["-v", "--", "-save-nums", "-x"]), ["-v", "--", "-save-nums", "-x"]);
        assert_eq!(
            normalised(&["-doc_list", "--", "-save-nums"]),
            ["--doc_list=--", "--save_nums"]
        );
    }

    #[test]
    fn what_looks_misspelled_gets_two_dashes() {
        assert_eq!(normalised(&["-thresold", "95"]), ["--thresold", "95"]);
        assert_eq!(normalised(&["-x", "-5"]), ["-x", "-5"]);
    }
}
