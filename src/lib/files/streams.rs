//! Standard input and output (`-`) that were closed when the process started.
//!
//! The standard library opens `/dev/null` in their place: output would vanish and input would be empty, both without an error. Executables
//! record the streams before that; users of the library need not.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// A standard stream that carries data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardStream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
}

static IS_INPUT_CLOSED: AtomicBool = AtomicBool::new(false);
static IS_OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

impl StandardStream {
    /// Both streams.
    pub const ALL: [StandardStream; 2] = [StandardStream::Input, StandardStream::Output];

    fn is_closed_flag(self) -> &'static AtomicBool {
        match self {
            StandardStream::Input => &IS_INPUT_CLOSED,
            StandardStream::Output => &IS_OUTPUT_CLOSED,
        }
    }

    /// Records that the stream is closed.
    pub fn record_closed(self) {
        self.is_closed_flag().store(true, Ordering::Relaxed);
    }

    /// Returns whether the stream was recorded as closed.
    pub fn is_closed(self) -> bool {
        self.is_closed_flag().load(Ordering::Relaxed)
    }

    /// Fails if the stream is closed.
    pub(crate) fn check(self) -> Result<()> {
        let name = match self {
            StandardStream::Input => "input",
            StandardStream::Output => "output",
        };
        match self.is_closed() {
            true => Err(Error::Message(format!("standard {name} is closed"))),
            false => Ok(()),
        }
    }
}
