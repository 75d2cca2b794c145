//! `nearsig`: which executables there are, and any of them by its name.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_mangen::roff::{Roff, bold, roman};

use super::tools::{self, Group, Tool};
use super::{Manners, Session, generate, spelling, stdout_error, usage_exit};
use crate::error::{Error, Result};

/// Printed above the list.
const ABOUT: &str =
    "Finds near-duplicate documents in collections of millions, and says how accurate it was";

/// Printed under the list.
const HINT: &str = "'nearsig NAME ARGUMENT...' runs NAME, 'nearsig help NAME' tells its flags, 'man NAME' where man pages are installed.";

/// The whole of `nearsig`: runs the executable that its first argument names, or lists all.
pub fn overview() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(wanted) = generate::asked(arguments.iter().cloned()) {
        return generate::main(&wanted, command(), sections());
    }
    let named = arguments.get(1).and_then(|name| tools::find(name.to_str()?));
    let outcome = match (named, arguments.len()) {
        (Some(tool), _) => run(tool, &arguments[2..]),
        (None, 0 | 1) => print(&overview_text()),
        (None, _) => match parse(arguments) {
            Ok(Some(tool)) => run(tool, &["--help".into()]),
            Ok(None) => print(&overview_text()),
            Err(error) => return usage_exit(&error),
        },
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            Session::new("nearsig", Manners { verbose: false, quiet: false }).fail(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// The arguments of `nearsig` itself, for all that does not run an executable: its names are known here so that misspelled ones find their nearest.
fn command() -> Command {
    let names = PossibleValuesParser::new(tools::ALL.iter().map(|tool| tool.name));
    let name = Arg::new("name").value_name("NAME").value_parser(names);
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

/// The executable whose help is wanted, or none if all are.
fn parse(arguments: Vec<OsString>) -> Result<Option<&'static Tool>, clap::Error> {
    let mut command = command();
    command.build();
    let arguments = spelling::normalise(&command, arguments.into_iter());
    let matches = command.try_get_matches_from(arguments)?;
    let help = matches.subcommand().map(|(_, matches)| matches.get_one::<String>("name"));
    Ok(help.flatten().and_then(|name| tools::find(name)))
}

/// What `nearsig` alone prints.
fn overview_text() -> String {
    let width = tools::ALL.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
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
