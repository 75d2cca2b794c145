//! The shared part of all executables: spellings of flags, messages on standard error, the last line of counts, exit codes.
//!
//! Exit codes: 0 success (also if no pair was found, or the reader closed the pipe), 1 failure, 2 usage error, 3 unreadable input where the
//! results cover the rest.

mod generate;
mod overview;
mod process;
mod spelling;
mod terminal;
pub mod tools;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::bits::cpu::{Cpu, InstructionSet};
use crate::error::{Error, Result};
use crate::executable::{Completeness, Counts, Executable, values};
use crate::files::output::Output;
use crate::session::Session;
use generate::Extras;
pub use overview::overview;
pub use process::{ExecutableAllocator, record_closed_streams};
use terminal::{Terminal, printable};

/// The end of every help text.
const SPELLINGS: &str = "Flags may be spelled --like_this, --like-this or -like_this. \
Output names ending in .gz, .zst, .bz2 or .xz select compression; compressed input is recognized by its content. \
'-' stands for standard input or output wherever a flag takes one file.";

/// The exit code of results that do not cover unreadable input.
const INCOMPLETE: u8 = 3;

/// Flags that all executables share. Results do not depend on them.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(rename_all = "snake_case")]
struct General {
    /// Number of threads, 0 for one per core; the output is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads, help_heading = GENERAL)]
    threads: usize,
    /// Do not sync outputs to disk: faster, but a power failure may lose them
    #[arg(long, help_heading = GENERAL)]
    no_sync: bool,
    /// Print details such as time per phase and the names of documents without terms
    #[arg(short, long, help_heading = GENERAL)]
    verbose: bool,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose", help_heading = GENERAL)]
    quiet: bool,
}

/// Heading of the flags that all executables share.
const GENERAL: &str = "General";

/// The `main` of an executable: parses its arguments and the flags that all share, runs it, prints the counts or the error. `--generate` as
/// the first argument prints a man page or completions instead.
pub fn execute<T: Executable + Send + Sync>() -> ExitCode {
    let command = command::<T>();
    if let Some(kind) = generate::requested(std::env::args_os()) {
        let extras = Extras { examples: &T::EXAMPLES, ..Extras::default() };
        return generate::main(&kind, command, extras);
    }
    let name = command.get_name().to_string();
    process::set_name(&name);
    let (task, flags) = match parse::<T>(command) {
        Ok(parsed) => parsed,
        Err(error) => return usage_exit(&error),
    };
    let terminal = Arc::new(Terminal::new(&name, flags));
    let outcome = session(terminal.clone(), flags).and_then(|session| {
        terminal.defer_signals(&session)?;
        session.install(|| run(&task, &session))
    });
    match outcome {
        Ok(counts) => {
            terminal.finish(&counts);
            if counts.unreadable > 0 { ExitCode::from(INCOMPLETE) } else { ExitCode::SUCCESS }
        }
        Err(error) => terminal.fail(&error),
    }
}

/// Runs a task, unless it is a shard that is complete.
fn run<T: Executable>(task: &T, session: &Session) -> Result<Counts> {
    match task.completeness()? {
        Completeness::Complete(files) => {
            session.info("complete: not run again");
            Ok(Counts::new((files, "files"), (0, "files")))
        }
        Completeness::Incomplete(why) => {
            session.detail(&format!("not complete: {why}"));
            task.run(session)
        }
        Completeness::Unasked => task.run(session),
    }
}

/// The environment variable that selects CPU features.
const CPU_VARIABLE: &str = "NEARSIG_CPU";

fn session(terminal: Arc<Terminal>, flags: General) -> Result<Session> {
    let session = Session::silent().with_cpu(cpu()?).with_progress(terminal);
    session.with_durability(!flags.no_sync).with_threads(flags.threads)
}

/// Returns the CPU features that the environment names, or the best.
fn cpu() -> Result<Cpu> {
    let Some(name) = std::env::var_os(CPU_VARIABLE) else { return Ok(Cpu::best()) };
    let wrong = |message| Error::Usage(format!("{CPU_VARIABLE}: {message}"));
    let set: InstructionSet = name.to_string_lossy().parse().map_err(wrong)?;
    Cpu::new(set).ok_or_else(|| wrong(format!("{} is not available on this machine", set.name())))
}

/// Returns the command of an executable: its own arguments, those that all share, and its examples.
fn command<T: Executable>() -> Command {
    let own = with_short_flags(T::command().arg_required_else_help(true));
    let about = own.get_about().cloned().unwrap_or_default();
    // Added flags bring descriptions of their own; keep the executable's.
    let command = General::augment_args(own);
    let flag = |name, short, action, help| {
        Arg::new(name).short(short).long(name).action(action).help(help).help_heading(GENERAL)
    };
    command
        .about(about)
        .long_about(None)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(flag("help", 'h', ArgAction::Help, "Print help"))
        .arg(flag("version", 'V', ArgAction::Version, "Print version"))
        .after_help(after_help(&T::EXAMPLES))
}

/// Flags of executables that have a short form too. `-t` is the threshold; no executable has it for anything else, not for threads either.
const SHORT_FLAGS: [(&str, char); 2] = [("out", 'o'), ("threshold", 't')];

/// Adds the short forms of the flags that an executable has.
fn with_short_flags(command: Command) -> Command {
    SHORT_FLAGS.into_iter().fold(command, |command, (name, short)| {
        let has_flag = command.get_arguments().any(|argument| argument.get_id() == name);
        if has_flag { command.mut_arg(name, |argument| argument.short(short)) } else { command }
    })
}

/// Returns the end of a help text: examples and a note on spelling.
fn after_help(examples: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (number, (purpose, command)) in examples.iter().enumerate() {
        let heading = if number == 0 { "Examples:\n" } else { "" };
        text.push_str(&format!("{heading}  {purpose}:\n    {}\n", broken(command)));
    }
    text + "\n" + SPELLINGS
}

/// The maximum length of a line of an example.
const EXAMPLE_WIDTH: usize = 74;

/// Breaks a long command line before flags, so that it can be copied from a narrow terminal.
fn broken(command: &str) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for (number, flag) in command.split(" --").enumerate() {
        let separator = if number == 0 { "" } else { " --" };
        if width + separator.len() + flag.len() > EXAMPLE_WIDTH {
            text.push_str(" \\\n       ");
            width = 0;
        }
        text.push_str(separator);
        text.push_str(flag);
        width += separator.len() + flag.len();
    }
    text
}

/// Parses the executable's own arguments and those that all share.
fn parse<T: Executable>(mut command: Command) -> Result<(T, General), clap::Error> {
    command.build();
    let arguments = spelling::normalize(&command, std::env::args_os());
    let matches = matches(command, arguments)?;
    Ok((T::from_arg_matches(&matches)?, General::from_arg_matches(&matches)?))
}

/// Matches arguments with a command. An error shows their control characters escaped.
fn matches(command: Command, arguments: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command.clone().try_get_matches_from(&arguments).map_err(|error| {
        let shown = arguments.iter().map(|argument| printable(&argument.to_string_lossy()));
        let outcome = command.try_get_matches_from(shown.map(OsString::from));
        // Escaping may have removed the reason of the error.
        outcome.err().unwrap_or_else(|| {
            let text = error.render().to_string();
            let lines: Vec<String> = text.lines().map(printable).collect();
            clap::Error::raw(error.kind(), lines.join("\n") + "\n")
        })
    })
}

/// Prints text on standard output.
fn print(text: &[u8]) -> Result<ExitCode> {
    let mut out = Output::stdout()?;
    out.write(text)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the help text or the usage error. A closed pipe is no failure.
fn usage_exit(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    let _ = std::io::stdout().flush();
    ExitCode::from(error.exit_code() as u8)
}
