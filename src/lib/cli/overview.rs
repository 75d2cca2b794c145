//! `nearsig`: which executables there are, and any of them by its name.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_mangen::roff::{Roff, bold, roman};

use super::terminal::Terminal;
use super::tools::{self, Group, Tool};
use super::{Verbosity, generate, spelling, stdout_error, usage_exit};
use crate::error::{Error, Result};

/// Printed above the list.
const ABOUT: &str =
    "Finds near-duplicate documents in collections of millions, and says how accurate it was";

/// Printed under the list.
const HINT: &str = "'nearsig NAME ARGUMENT...' runs NAME, 'nearsig help NAME' tells its flags, 'man NAME' where man pages are installed.";

/// Behind the name of an executable, bash completes as it does for that executable; NAMES stands for the names of all.
const BASH: &str = r#"
_nearsig_and_others() {
    local name=${COMP_WORDS[1]}
    case "$COMP_CWORD NAMES " in
        [01]\ *) _nearsig "$@"; return ;;
        *" $name "*) ;;
        *) return ;;
    esac
    declare -F "_$name" > /dev/null || source <("$1" "$name" --generate bash 2> /dev/null)
    declare -F "_$name" > /dev/null || return
    COMP_WORDS=("${COMP_WORDS[@]:1}")
    COMP_CWORD=$((COMP_CWORD - 1))
    "_$name" "$name" "$2" "$3"
}
complete -F _nearsig_and_others -o bashdefault -o default nearsig
"#;

/// What `nearsig` was asked to do.
enum Wish<'a> {
    /// To list the executables.
    List,
    /// To run one of them with these arguments.
    Run(&'static Tool, &'a [OsString]),
    /// To tell the flags of one of them.
    Help(&'static Tool),
    /// Something about itself, or nothing that it knows.
    Other,
}

/// The whole of `nearsig`: runs the executable that its first argument names, or lists all.
pub fn overview() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(wanted) = generate::asked(arguments.iter().cloned()) {
        let bash = BASH.replace("NAMES", &names().collect::<Vec<_>>().join(" "));
        return generate::main(&wanted, command(), generate::More { sections: sections(), bash });
    }
    let outcome = wish(arguments.get(1..).unwrap_or_default()).and_then(|wish| match wish {
        Wish::List => print(&overview_text()),
        Wish::Run(tool, rest) => run(tool, rest),
        Wish::Help(tool) => run(tool, &["--help".into()]),
        Wish::Other => Ok(parse(&arguments)),
    });
    outcome.unwrap_or_else(|error| {
        Terminal::new("nearsig", Verbosity::default()).fail(&error);
        ExitCode::from(error.exit_code())
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    tools::ALL.iter().map(|tool| tool.name)
}

/// What the arguments ask for. The rest of what runs an executable is its own, whatever it looks like.
fn wish(arguments: &[OsString]) -> Result<Wish<'_>> {
    let words: Vec<&str> =
        arguments.iter().take(3).map(|word| word.to_str().unwrap_or("")).collect();
    match words[..] {
        [] | ["help"] => Ok(Wish::List),
        ["help", name] if !name.starts_with('-') => known(name).map(Wish::Help),
        ["help", ..] => Ok(Wish::Other),
        [name, ..] if name.starts_with('-') => Ok(Wish::Other),
        [name, ..] => known(name).map(|tool| Wish::Run(tool, &arguments[1..])),
    }
}

/// The executable of this name; of any other name the error names the nearest.
fn known(name: &str) -> Result<&'static Tool> {
    let unknown = || {
        let hint = nearest(name).map(|nearest| format!(": did you mean '{nearest}'?"));
        let hint = hint.unwrap_or_else(|| "; 'nearsig' alone lists all".into());
        Error::Usage(format!("there is no executable '{name}'{hint}"))
    };
    tools::find(name).ok_or_else(unknown)
}

/// The name that the fewest edits make of a wrong one, of several the first; none if it would have to be made anew.
fn nearest(wrong: &str) -> Option<&'static str> {
    let (edits, name) =
        names().map(|name| (edits(wrong, name), name)).min_by_key(|(edits, _)| *edits)?;
    (edits * 2 <= name.len()).then_some(name)
}

/// How many letters must be put in, left out or replaced to make one word of another (Levenshtein's distance).
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in other.chars().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The arguments of `nearsig` itself; the executables are known here for its completions.
fn command() -> Command {
    let name = Arg::new("name").value_name("NAME").value_parser(PossibleValuesParser::new(names()));
    let help = Command::new("help").about("Tells the flags of an executable").arg(name);
    let of_tool = |tool: &Tool| Command::new(tool.name).about(tool.line);
    Command::new("nearsig")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .override_usage("nearsig NAME [ARGUMENT]...")
        .override_help(overview_text())
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands(tools::ALL.iter().map(of_tool))
        .subcommand(help)
}

/// Tells what the flags of `nearsig` itself ask for, or what is wrong with them.
fn parse(arguments: &[OsString]) -> ExitCode {
    let mut command = command();
    command.build();
    let arguments = spelling::normalise(&command, arguments.iter().cloned());
    match command.try_get_matches_from(arguments) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => usage_exit(&error),
    }
}

/// What `nearsig` alone prints.
fn overview_text() -> String {
    let width = names().map(str::len).max().unwrap_or(0);
    let mut text = format!("{ABOUT}\n\nUsage: nearsig NAME [ARGUMENT]...\n");
    for group in Group::ALL.into_iter().filter(|group| group.tools().next().is_some()) {
        let _ = write!(text, "\n{}:\n", group.heading());
        for tool in group.tools() {
            let _ = writeln!(text, "  {:width$}  {}", tool.name, tool.line);
        }
    }
    let _ = write!(text, "\n{HINT}\n");
    text
}

/// The list as sections of the man page.
fn sections() -> Roff {
    let mut sections = Roff::new();
    for group in Group::ALL.into_iter().filter(|group| group.tools().next().is_some()) {
        sections.control("SH", [&*group.heading().to_uppercase()]);
        for tool in group.tools() {
            sections.control("TP", []).text([bold(tool.name), roman("(1)")]);
            sections.text([roman(tool.line)]);
        }
    }
    sections
}

fn print(text: &str) -> Result<ExitCode> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(stdout_error)?;
    Ok(ExitCode::SUCCESS)
}

/// Becomes an executable, with these arguments.
fn run(tool: &Tool, arguments: &[OsString]) -> Result<ExitCode> {
    let path = executable(tool.name, std::env::current_exe().ok().as_deref());
    let mut command = std::process::Command::new(&path);
    command.args(arguments);
    become_command(command).map_err(|e| Error::io("run", path, e))
}

/// Where an executable is: beside `own`, or else its bare name, which is looked for in `PATH`.
fn executable(name: &str, own: Option<&Path>) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = own.map(|own| own.with_file_name(&file)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| file.into())
}

#[cfg(unix)]
fn become_command(mut command: std::process::Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    // Returns only where it cannot be run.
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_command(mut command: std::process::Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("žluť", "zlut", 2),
        ] {
            assert_eq!(
                (edits(one, other), edits(other, one)),
                (expected, expected),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        assert_eq!(nearest("create_bow"), Some("create_bows"));
        assert_eq!(nearest("hammingfull"), Some("hamming_full"));
        assert_eq!(nearest("frobnicate_it_all"), None);
    }
}
