//! How long work tells what it is doing, without knowing whether anybody looks.

/// Receives what a stage has to say while it runs. The executables show it on standard error; a program
/// that calls the library may pass [`Silent`].
pub trait Watch: Sync {
    /// A part of the work begins: its name and, where known, how many steps it has.
    fn begin(&self, part: &str, steps: Option<u64>);
    /// So many more steps are done.
    fn advance(&self, steps: u64);
    /// Something everybody should read.
    fn say(&self, message: &str);
    /// Something for those who asked for details.
    fn detail(&self, message: &str);
}

/// Nobody is looking.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {
    fn begin(&self, _part: &str, _steps: Option<u64>) {}
    fn advance(&self, _steps: u64) {}
    fn say(&self, _message: &str) {}
    fn detail(&self, _message: &str) {}
}
