//! `nearsig`: lists the executables and runs any of them by name.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_mangen::roff::{Roff, bold, roman};

use super::terminal::Terminal;
use super::tools::{self, Tool};
use super::{General, generate, matches, print, process, spelling, usage_exit};
use crate::error::{Error, Result};

/// The first line of the overview.
const ABOUT: &str =
    "Finds near-duplicate documents in collections of millions and states the recall it guarantees";

/// The last line of the overview.
const HINT: &str = "Run 'nearsig NAME ARGUMENT...' to run NAME and 'nearsig help NAME' for its flags; 'man NAME' works where man pages are installed.";

/// Bash completions after the name of an executable are those of the executable. NAMES is replaced by all names.
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

/// The `main` of `nearsig`: runs the executable that the first argument names, or lists all.
pub fn overview() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(kind) = generate::requested(arguments.iter().cloned()) {
        let bash = BASH.replace("NAMES", &names().collect::<Vec<_>>().join(" "));
        let extras = generate::Extras { examples: &[], sections: sections(), bash };
        return generate::main(&kind, command(), extras);
    }
    let outcome = act(&arguments);
    outcome.unwrap_or_else(|error| Terminal::new("nearsig", General::default()).fail(&error))
}

/// Lists the executables, or runs one. Arguments after its name are passed on unchanged; others are flags of `nearsig` itself.
fn act(arguments: &[OsString]) -> Result<ExitCode> {
    let words = arguments.iter().skip(1).take(3).map(|word| word.to_str().unwrap_or(""));
    match words.collect::<Vec<_>>()[..] {
        [] | ["help"] => print(overview_text().as_bytes()),
        ["help", name] if !name.starts_with('-') => run(known(name)?, &["--help".into()]),
        [name, ..] if name != "help" && !name.starts_with('-') => {
            run(known(name)?, &arguments[2..])
        }
        _ => Ok(parse(arguments)),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    tools::all().map(|tool| tool.name)
}

/// Returns the executable of this name. The error for any other name suggests the most similar one.
fn known(name: &str) -> Result<&'static Tool> {
    let unknown = || {
        let hint = nearest(name).map(|nearest| format!(": did you mean '{nearest}'?"));
        let hint = hint.unwrap_or_else(|| "; run 'nearsig' for a list".into());
        Error::Usage(format!("unknown executable '{name}'{hint}"))
    };
    tools::find(name).ok_or_else(unknown)
}

/// Returns the first of the names with the fewest edits to a wrong one, if these are at most half of its letters.
fn nearest(wrong: &str) -> Option<&'static str> {
    let distances = names().map(|name| (strsim::levenshtein(wrong, name), name));
    let (edits, name) = distances.min_by_key(|(edits, _)| *edits)?;
    (edits * 2 <= name.len()).then_some(name)
}

/// Returns the command of `nearsig` itself, with the executables as subcommands for its completions.
fn command() -> Command {
    let name = Arg::new("name").value_name("NAME").value_parser(PossibleValuesParser::new(names()));
    let help = Command::new("help").about("Prints the help text of an executable").arg(name);
    let of_tool = |tool: &Tool| Command::new(tool.name).about(tool.purpose());
    Command::new("nearsig")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .override_usage("nearsig NAME [ARGUMENT]...")
        .override_help(overview_text())
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands(tools::all().map(of_tool))
        .subcommand(help)
}

/// Parses flags of `nearsig` itself: prints help, version or the usage error.
fn parse(arguments: &[OsString]) -> ExitCode {
    let mut command = command();
    command.build();
    let arguments = spelling::normalize(&command, arguments.iter().cloned());
    match matches(command, arguments) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => usage_exit(&error),
    }
}

/// Returns the overview.
fn overview_text() -> String {
    let width = names().map(str::len).max().unwrap_or(0);
    let mut text = format!("{ABOUT}\n\nUsage: nearsig NAME [ARGUMENT]...\n");
    for (heading, tools) in tools::GROUPS {
        let _ = write!(text, "\n{heading}:\n");
        for tool in tools {
            let _ = writeln!(text, "  {:width$}  {}", tool.name, tool.purpose());
        }
    }
    let _ = write!(text, "\n{HINT}\n");
    text
}

/// Returns the overview as sections of the man page.
fn sections() -> Roff {
    let mut sections = Roff::new();
    for (heading, tools) in tools::GROUPS {
        sections.control("SH", [&*heading.to_uppercase()]);
        for tool in tools {
            sections.control("TP", []).text([bold(tool.name), roman("(1)")]);
            sections.text([roman(tool.purpose())]);
        }
    }
    sections
}

/// Replaces this process by an executable.
fn run(tool: &Tool, arguments: &[OsString]) -> Result<ExitCode> {
    let path = executable(tool.name, std::env::current_exe().ok().as_deref());
    let mut command = std::process::Command::new(&path);
    command.args(arguments);
    process::close_closed_streams();
    become_command(command).map_err(|e| Error::io("run", path, e))
}

/// Returns the path of an executable next to `own`, or its bare name to search in `PATH`.
fn executable(name: &str, own: Option<&Path>) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = own.map(|own| own.with_file_name(&file)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| file.into())
}

#[cfg(unix)]
fn become_command(mut command: std::process::Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    // Returns only on failure.
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_command(mut command: std::process::Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
