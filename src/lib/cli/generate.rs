//! Man pages and shell completions of an executable, made of the flags that it reads: `NAME --generate man`, `bash`, `zsh` or `fish` prints them on standard
//! output. It is no flag like others: it stands first and alone, and no help tells of it, because only `scripts/install.sh` needs it.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::process::ExitCode;

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::terminal::Terminal;
use super::{Verbosity, stdout_error, tools};
use crate::error::{Error, Result};

/// What the exit codes of all executables mean.
const EXIT_CODES: [(&str, &str); 4] = [
    (
        "0",
        "Success, also if nothing was found, and if the reader of standard output has closed it.",
    ),
    ("1", "Failure: one line on standard error tells where and why. No half-written file is left."),
    ("2", "Wrong usage."),
    (
        "3",
        "Something could not be read; it is named on standard error, and the results are of the rest.",
    ),
];

/// Where man pages of this project belong.
const MANUAL: &str = "nearsig";

/// What `--generate` asks for, if it is the first of the arguments (which begin with the executable's name).
pub(super) fn asked(mut arguments: impl Iterator<Item = OsString>) -> Option<OsString> {
    let first = arguments.nth(1)?;
    (first == "--generate" || first == "-generate").then(|| arguments.next().unwrap_or_default())
}

/// What only some executables add.
#[derive(Default)]
pub(super) struct More {
    /// Sections of the man page after its options.
    pub(super) sections: Roff,
    /// Lines at the end of the completions for bash.
    pub(super) bash: String,
}

/// Prints what was asked for.
pub(super) fn main(wanted: &OsStr, command: Command, more: More) -> ExitCode {
    let name = command.get_name().to_string();
    match print(wanted, command, more) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            Terminal::new(&name, Verbosity::default()).fail(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn print(wanted: &OsStr, command: Command, more: More) -> Result<()> {
    let text = match wanted.to_str() {
        Some("man") => man_page(command, &more.sections),
        Some("bash") => completions(Shell::Bash, command, &more.bash),
        Some("zsh") => completions(Shell::Zsh, command, ""),
        Some("fish") => completions(Shell::Fish, command, ""),
        _ => return Err(Error::Usage("--generate is followed by man, bash, zsh or fish".into())),
    };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&text).and_then(|()| stdout.flush()).map_err(stdout_error)
}

/// The completions of a shell.
fn completions(shell: Shell, command: Command, more: &str) -> Vec<u8> {
    let name = command.get_name().to_string();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command.mut_args(with_hint), name, &mut text);
    text.extend_from_slice(more.as_bytes());
    text
}

/// An argument whose values are completed by what their name says they are: without, numbers would be completed by names of files.
fn with_hint(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let hint = match names.first().map(|name| name.as_str()) {
        _ if !argument.get_action().takes_values() => return argument,
        _ if !argument.get_possible_values().is_empty() => return argument,
        Some("FILE") => ValueHint::FilePath,
        Some("DIR") => ValueHint::DirPath,
        _ if argument.get_value_hint() != ValueHint::Unknown => return argument,
        _ => ValueHint::Other,
    };
    argument.value_hint(hint)
}

/// A man page: name, synopsis, description, options, `more`, notes, exit status, see also.
fn man_page(mut command: Command, more: &Roff) -> Vec<u8> {
    const INFALLIBLE: &str = "writing to memory does not fail";
    let (head, tail) = (head(&mut command), tail(&command));
    let mut page = Vec::new();
    head.to_writer(&mut page).expect(INFALLIBLE);
    Man::new(command).render_options_section(&mut page).expect(INFALLIBLE);
    more.to_writer(&mut page).expect(INFALLIBLE);
    tail.to_writer(&mut page).expect(INFALLIBLE);
    page
}

/// What stands before the options.
fn head(command: &mut Command) -> Roff {
    let name = command.get_name().to_string();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let line = tools::find(&name).map_or(&*about, |tool| tool.line);
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let arguments = usage.strip_prefix(&*name).unwrap_or(usage);
    let source = format!("nearsig {}", env!("CARGO_PKG_VERSION"));
    let mut head = Roff::new();
    // No date: a page of the same version is the same.
    head.control("TH", [&*name, "1", "\"\"", &*source, MANUAL]);
    // Words of a synopsis are not to be pulled apart, and names not to be divided.
    head.control("ad", ["l"]).control("nh", []);
    head.control("SH", ["NAME"]).text([roman(format!("{name} - {line}"))]);
    head.control("SH", ["SYNOPSIS"]).text([bold(&*name), roman(arguments)]);
    head.control("SH", ["DESCRIPTION"]).text([roman(format!("{about}."))]);
    head
}

/// What stands after the options.
fn tail(command: &Command) -> Roff {
    let mut tail = Roff::new();
    if let Some(notes) = command.get_after_help() {
        tail.control("SH", ["NOTES"]).text([roman(notes.to_string())]);
    }
    tail.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        tail.control("TP", []).text([bold(code)]).text([roman(meaning)]);
    }
    tail.control("SH", ["SEE ALSO"]);
    let names = neighbours(command.get_name());
    for (place, name) in names.iter().enumerate() {
        let comma = if place + 1 < names.len() { "," } else { "" };
        tail.text([bold(*name), roman(format!("(1){comma}"))]);
    }
    tail
}

/// The executables that a man page points to: those beside a tool and `nearsig`, or all from `nearsig`.
fn neighbours(name: &str) -> Vec<&'static str> {
    match tools::find(name) {
        Some(tool) => tool.neighbours.iter().copied().chain(["nearsig"]).collect(),
        None => tools::ALL.iter().map(|tool| tool.name).collect(),
    }
}
