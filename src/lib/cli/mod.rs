//! What every executable shares: flags in the thesis' spellings, messages on standard error, the last line of counts, exit codes.
//!
//! Exit codes: 0 for success (also when nothing was found, and when a reader closed the pipe), 1 for failure, 2 for wrong usage,
//! 3 where something could not be read and the results are of the rest.

mod documents;
mod generate;
mod inputs;
mod near_dups;
mod overview;
mod random;
mod recipe;

mod spelling;
mod terminal;
pub mod tools;
mod values;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Command, FromArgMatches, Parser};

use crate::bits::cpu::Cpu;
use crate::chain::Counts;
use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::session::Session;
pub use documents::DocumentFlags;
pub use inputs::InputFlags;
pub use near_dups::NearDupFlags;
pub use overview::overview;
pub use random::{RandomFlags, RndDist};
pub use recipe::{exponent, mean_words, share, spread, terms};
use terminal::Terminal;
pub use values::{
    SampleFlags, SignatureSearch, at_least_one, at_least_one_u64, below_half, limit,
    share_or_percent, shift, signature_bits,
};

/// Printed after the flags of every executable.
const SPELLINGS: &str = "Flags may be spelled --like_this, --like-this or -like_this. \
Files ending in .gz or .zst are written compressed; compressed input is recognised by its content. \
'-' stands for standard input or output where one file is meant.";

/// The exit code where all was done but something could not be read.
const INCOMPLETE: u8 = 3;

/// How much an executable says.
#[derive(Debug, Clone, Copy, Args)]
pub struct Manners {
    /// Tell details, such as how long each part took and the names of documents without terms
    #[arg(short, long)]
    pub verbose: bool,
    /// Tell only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// How many threads an executable uses. Results do not depend on it.
#[derive(Debug, Clone, Copy, Args)]
pub struct Threads {
    /// Number of threads, at most; 0 means one for each core. The output is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::threads)]
    pub threads: usize,
}

/// The whole of an executable's `main`: reads its arguments, with the flags that all share, runs, tells the counts or the error. `--generate` as the first
/// argument prints a man page or completions instead.
pub fn main_with<A: Parser + Send>(run: fn(A, &Session) -> Result<Counts>) -> ExitCode {
    if let Some(wanted) = generate::asked(std::env::args_os()) {
        return generate::main(&wanted, command::<A>(), generate::More::default());
    }
    let (arguments, manners, threads) = match parse::<A>() {
        Ok(parsed) => parsed,
        Err(error) => return usage_exit(&error),
    };
    let terminal = Arc::new(Terminal::new(A::command().get_name(), manners));
    let outcome = session(terminal.clone(), threads)
        .and_then(|session| session.install(|| run(arguments, &session)));
    match outcome {
        Ok(counts) => {
            terminal.finish(&counts);
            if counts.unreadable > 0 { ExitCode::from(INCOMPLETE) } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            terminal.fail(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// The variable that forces a set of vector instructions.
const CPU_VARIABLE: &str = "NEARSIG_CPU";

fn session(terminal: Arc<Terminal>, threads: usize) -> Result<Session> {
    let session = Session::silent().with_cpu(cpu()?).with_progress(terminal);
    session.with_threads(threads)
}

/// Returns the CPU features that the environment names, or the best.
fn cpu() -> Result<Cpu> {
    let Some(name) = std::env::var_os(CPU_VARIABLE) else { return Ok(Cpu::best()) };
    let wrong = |message| Error::Usage(format!("{CPU_VARIABLE}: {message}"));
    let cpu: Cpu = name.to_string_lossy().parse().map_err(wrong)?;
    if cpu > Cpu::best() {
        return Err(wrong(format!("{} is not available on this machine", cpu.name())));
    }
    Ok(cpu)
}

/// All that an executable understands: its own arguments and those that all share.
fn command<A: Parser>() -> Command {
    let own = A::command().arg_required_else_help(true);
    let about = own.get_about().cloned().unwrap_or_default();
    // Flags that are added bring descriptions of their own; the executable's is the one to show.
    let command = Manners::augment_args(Threads::augment_args(own));
    command.about(about).long_about(None).after_help(SPELLINGS)
}

/// The executable's own arguments, its manners and its number of threads.
fn parse<A: Parser>() -> Result<(A, Manners, usize), clap::Error> {
    let mut command = command::<A>();
    command.build(); // so that the flags for help and version are among the known ones
    let arguments = spelling::normalise(&command, std::env::args_os());
    let matches = command.try_get_matches_from(arguments)?;
    let threads = Threads::from_arg_matches(&matches)?.threads;
    Ok((A::from_arg_matches(&matches)?, Manners::from_arg_matches(&matches)?, threads))
}

/// Refuses flags of which more than one is standard input (or output, as `stream` says): one stream cannot be two files.
pub fn check_streams(stream: &str, flags: &[(&str, Option<&Path>)]) -> Result<()> {
    let is_used = |path: &Option<&Path>| path.is_some_and(is_stream);
    let used: Vec<&str> =
        flags.iter().filter(|(_, path)| is_used(path)).map(|(flag, _)| *flag).collect();
    if used.len() < 2 {
        return Ok(());
    }
    Err(Error::Usage(format!("only one of {} can be standard {stream}", used.join(" and "))))
}

/// What to make of an error of standard output: that its reader has closed it is none.
pub fn stdout_error(error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Error::ClosedPipe,
        _ => Error::io("write", "-", error),
    }
}

/// Shows the help or what is wrong with the arguments. A closed pipe is no reason to fail.
fn usage_exit(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    let _ = std::io::stdout().flush();
    ExitCode::from(error.exit_code() as u8)
}
