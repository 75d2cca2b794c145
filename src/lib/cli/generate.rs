//! Man pages and shell completions, generated from the flags: `NAME --generate man`, `bash`, `zsh` or `fish` prints them on standard output.
//! `--generate` must be the first argument. The help text omits it, because only `scripts/install.sh` needs it.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::terminal::Terminal;
use super::{General, SPELLINGS, print, tools};
use crate::error::{Error, INFALLIBLE, Result};

/// Exit codes of all executables.
const EXIT_CODES: [(&str, &str); 4] = [
    ("0", "Success, also if no pair was found or the reader closed standard output."),
    (
        "1",
        "Failure. One line on standard error names the place and the reason. No partial output is left.",
    ),
    ("2", "Usage error."),
    ("3", "Some input was unreadable. It is named on standard error; the results cover the rest."),
];

/// The manual of the man pages.
const MANUAL: &str = "nearsig";

/// Returns the value of `--generate` if it is the first argument after the executable's name.
pub(super) fn requested(mut arguments: impl Iterator<Item = OsString>) -> Option<OsString> {
    let first = arguments.nth(1)?;
    (first == "--generate" || first == "-generate").then(|| arguments.next().unwrap_or_default())
}

/// Parts that only some executables add.
#[derive(Default)]
pub(super) struct Extras {
    /// Example runs: the purpose of each and its command line.
    pub(super) examples: &'static [(&'static str, &'static str)],
    /// Man page sections after the options.
    pub(super) sections: Roff,
    /// Lines after the completions for bash.
    pub(super) bash: String,
}

/// Prints the requested page or completions.
pub(super) fn main(kind: &OsStr, command: Command, extras: Extras) -> ExitCode {
    let name = command.get_name().to_string();
    let outcome = text(kind, command, extras).and_then(|text| print(&text));
    outcome.unwrap_or_else(|error| Terminal::new(&name, General::default()).fail(&error))
}

fn text(kind: &OsStr, command: Command, extras: Extras) -> Result<Vec<u8>> {
    Ok(match kind.to_str() {
        Some("man") => man_page(command, &extras),
        Some("bash") => completions(Shell::Bash, command, &extras.bash),
        Some("zsh") => completions(Shell::Zsh, command, ""),
        Some("fish") => completions(Shell::Fish, command, ""),
        _ => return Err(Error::Usage("expected man, bash, zsh or fish after --generate".into())),
    })
}

/// Returns the completions of a shell.
fn completions(shell: Shell, command: Command, extra: &str) -> Vec<u8> {
    let name = command.get_name().to_string();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command.mut_args(with_hint), name, &mut text);
    text.extend_from_slice(extra.as_bytes());
    text
}

/// Sets the completion of an argument by its value name. Without, shells would complete numbers by file names.
fn with_hint(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let hint = match names.first().map(|name| name.as_str()) {
        _ if !argument.get_action().takes_values() => return argument,
        _ if !argument.get_possible_values().is_empty() => return argument,
        Some("FILE") => ValueHint::FilePath,
        Some("DIR") => ValueHint::DirPath,
        Some("INPUT" | "PATH") => ValueHint::AnyPath,
        _ => ValueHint::Other,
    };
    argument.value_hint(hint)
}

/// Returns a man page: name, synopsis, description, options, extra sections, examples, notes, exit status, see also.
fn man_page(mut command: Command, extras: &Extras) -> Vec<u8> {
    let (head, tail) = (head(&mut command), tail(&command, extras.examples));
    let mut page = Vec::new();
    head.to_writer(&mut page).expect(INFALLIBLE);
    page.extend_from_slice(options(command).as_bytes());
    extras.sections.to_writer(&mut page).expect(INFALLIBLE);
    tail.to_writer(&mut page).expect(INFALLIBLE);
    page
}

/// Returns the section of options, with help headings as subsections.
fn options(command: Command) -> String {
    let mut section = Vec::new();
    Man::new(command).render_options_section(&mut section).expect(INFALLIBLE);
    let section = String::from_utf8_lossy(&section);
    match section.split_once(".SH ") {
        Some((_, rest)) if rest.starts_with("OPTIONS") => section.into_owned(),
        _ => section.replacen(".SH ", ".SH OPTIONS\n.SH ", 1).replace(".SH ", ".SS ").replacen(
            ".SS OPTIONS",
            ".SH OPTIONS",
            1,
        ),
    }
}

/// Returns the sections before the options.
fn head(command: &mut Command) -> Roff {
    let name = command.get_name().to_string();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let purpose = tools::find(&name).map_or_else(|| about.clone(), |tool| tool.purpose());
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let arguments = usage.strip_prefix(&*name).unwrap_or(usage);
    let source = format!("nearsig {}", env!("CARGO_PKG_VERSION"));
    let mut head = Roff::new();
    // No date: pages of one version are equal.
    head.control("TH", [&*name, "1", "\"\"", &*source, MANUAL]);
    // Neither justify the synopsis nor hyphenate names.
    head.control("ad", ["l"]).control("nh", []);
    head.control("SH", ["NAME"]).text([roman(format!("{name} - {purpose}"))]);
    head.control("SH", ["SYNOPSIS"]).text([bold(&*name), roman(arguments)]);
    head.control("SH", ["DESCRIPTION"]).text([roman(format!("{about}."))]);
    head
}

/// Returns the sections after the options.
fn tail(command: &Command, examples: &[(&str, &str)]) -> Roff {
    let mut tail = Roff::new();
    if !examples.is_empty() {
        tail.control("SH", ["EXAMPLES"]);
    }
    for (purpose, line) in examples {
        tail.control("TP", []).text([roman(format!("{purpose}:"))]).text([bold(*line)]);
    }
    tail.control("SH", ["NOTES"]).text([roman(SPELLINGS)]);
    tail.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        tail.control("TP", []).text([bold(code)]).text([roman(meaning)]);
    }
    tail.control("SH", ["SEE ALSO"]);
    let names = related(command.get_name());
    for (place, name) in names.iter().enumerate() {
        let comma = if place + 1 < names.len() { "," } else { "" };
        tail.text([bold(*name), roman(format!("(1){comma}"))]);
    }
    tail
}

/// Returns the executables for SEE ALSO: those related to a tool and `nearsig`, or all for `nearsig`.
fn related(name: &str) -> Vec<&'static str> {
    match tools::find(name) {
        Some(tool) => tool.related.iter().copied().chain(["nearsig"]).collect(),
        None => tools::all().map(|tool| tool.name).collect(),
    }
}
