//! What a disturbed run promises about its outputs.

use super::Files;
use super::run_state::{all_violation, described_violation, is_description, timeless};

/// The promise about the outputs of a disturbed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Outputs are old or new.
    Outputs,
    /// The run appends rows to a table; its working files are its own affair.
    Table(&'static str),
    /// The same as of outputs, and before they change the run keeps complete runs of methods in a folder. Measured seconds may differ.
    Runs(&'static str),
}

impl Rules {
    /// Returns the table to which the run appends.
    pub fn table(self) -> Option<&'static str> {
        if let Rules::Table(table) = self { Some(table) } else { None }
    }

    /// Returns the folder of the runs of methods.
    fn runs(self) -> Option<&'static str> {
        if let Rules::Runs(folder) = self { Some(folder) } else { None }
    }

    /// Returns files without the differences that are allowed.
    pub fn comparable(self, files: Files) -> Files {
        if self.runs().is_some() { timeless(files) } else { files }
    }

    /// Returns files without the runs of methods.
    pub fn outputs(self, mut files: Files) -> Files {
        files.retain(|name, _| !self.runs().is_some_and(|folder| name.starts_with(folder)));
        files
    }

    /// Returns whether a file is the description of a method's run.
    pub fn is_description(self, name: &str) -> bool {
        self.runs().is_some_and(|folder| name.starts_with(folder) && is_description(name))
    }

    /// Fails unless every run of a method is all old or all new.
    pub fn run_violation(self, known: [&Files; 2], state: &Files) -> Result<(), String> {
        self.runs().map_or(Ok(()), |folder| all_violation(folder, known, state))
    }

    /// Fails unless every run of a method that has a description is all old or all new.
    pub fn described_violation(self, known: [&Files; 2], state: &Files) -> Result<(), String> {
        self.runs().map_or(Ok(()), |folder| described_violation(folder, known, state))
    }
}
