//! nearsig — which executables there are, and any of them by its name.

use std::process::ExitCode;

fn main() -> ExitCode {
    nearsig::cli::overview()
}
