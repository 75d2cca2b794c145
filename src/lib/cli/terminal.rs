//! Messages and progress of one run on standard error.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::General;
#[cfg(unix)]
use super::process::DeferredSignals;
use crate::error::{Error, Result};
use crate::executable::Counts;
use crate::session::{Progress, Session};

/// Prints messages and progress on standard error, prefixed with the executable's name.
pub(super) struct Terminal {
    name: String,
    flags: General,
    start: Instant,
    /// The current phase and its start.
    phase: Mutex<Option<(String, Instant)>>,
    bar: Mutex<ProgressBar>,
    #[cfg(unix)]
    signals: OnceLock<DeferredSignals>,
}

impl Terminal {
    pub(super) fn new(name: &str, flags: General) -> Self {
        let (phase, bar) = (Mutex::new(None), Mutex::new(ProgressBar::hidden()));
        Terminal {
            name: name.to_string(),
            flags,
            start: Instant::now(),
            phase,
            bar,
            #[cfg(unix)]
            signals: OnceLock::new(),
        }
    }

    /// Lets signals end the process, but only between phases if they arrive while the session's outputs get their names.
    pub(super) fn defer_signals(&self, session: &Session) -> Result<()> {
        #[cfg(unix)]
        {
            let failed = |e| Error::Message(format!("cannot handle signals: {e}"));
            let signals = DeferredSignals::register(session.interruptible()).map_err(failed)?;
            let _ = self.signals.set(signals);
        }
        Ok(())
    }

    /// Prints the last line: counts, time and peak memory.
    pub(super) fn finish(&self, counts: &Counts) {
        self.end_phase(None);
        self.with_bar(ProgressBar::finish_and_clear);
        let skipped = match counts.skipped {
            (0, _) => "0".to_string(),
            (number, why) => format!("{number} {why}"),
        };
        let ((read, items), (written, results)) = (counts.read, counts.written);
        let seconds = self.start.elapsed().as_secs_f64();
        let memory =
            peak_memory().map_or_else(String::new, |mb| format!(", peak memory {mb:.1} MB"));
        self.info(&format!("read {read} {items}, skipped {skipped}, wrote {written} {results}; {seconds:.2} s{memory}"));
    }

    /// Prints the line of an error and returns its exit code. A closed pipe is no error.
    pub(super) fn fail(&self, error: &Error) -> ExitCode {
        self.with_bar(ProgressBar::finish_and_clear);
        if !matches!(error, Error::ClosedPipe) {
            print(&format!("{}: error: {error}", self.name));
        }
        ExitCode::from(error.exit_code())
    }

    /// Ends the current phase, reports its time as a detail, and starts the next.
    fn end_phase(&self, next: Option<&str>) {
        let next = next.map(|name| (name.to_string(), Instant::now()));
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, since)) = std::mem::replace(&mut *phase, next) {
            self.detail(&format!("{name}: {:.3} s", since.elapsed().as_secs_f64()));
        }
    }

    fn with_bar<T>(&self, act: impl FnOnce(&ProgressBar) -> T) -> T {
        act(&self.bar.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Progress for Terminal {
    fn phase(&self, name: &str, steps: Option<u64>) {
        #[cfg(unix)]
        self.signals.get().inspect(|signals| signals.deliver());
        self.end_phase(Some(name));
        if self.flags.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.finish_and_clear();
        let template = match steps {
            Some(_) => "{prefix}: {msg} {bar:30} {pos}/{len} {per_sec} {eta} left",
            None => "{prefix}: {msg} {spinner} {elapsed}",
        };
        let style = ProgressStyle::with_template(template).expect("the templates are valid");
        *bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr())
            .with_style(style)
            .with_prefix(self.name.clone())
            .with_message(printable(name));
        bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn advance(&self, steps: u64) {
        self.with_bar(|bar| bar.inc(steps));
    }

    fn info(&self, message: &str) {
        if !self.flags.quiet {
            self.with_bar(|bar| bar.suspend(|| print(&format!("{}: {message}", self.name))));
        }
    }

    fn shows_details(&self) -> bool {
        self.flags.verbose && !self.flags.quiet
    }

    fn detail(&self, message: &str) {
        if self.flags.verbose {
            self.info(message);
        }
    }
}

/// Prints one line, with control characters escaped. A closed standard error is ignored.
fn print(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable(line));
}

/// Returns a text in which a terminal shows every character in its place: control characters, line ends and characters that change the
/// direction of text become `\n` or `\u{1b}`. File names and documents may contain any of them.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_printable(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    shown
}

fn is_printable(character: char) -> bool {
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm; line and paragraph separators.
    let changes_layout = matches!(character, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !character.is_control() && !changes_layout
}

/// Returns the peak memory of this process in megabytes, if the system reports it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_are_escaped() {
        let text = "a\u{1b}[2Jb\r\n\tc\0\u{7f}\u{85}\u{9b}\u{202e}d\u{2066}\u{2029}";
        let shown = r"a\u{1b}[2Jb\r\n\tc\u{0}\u{7f}\u{85}\u{9b}\u{202e}d\u{2066}\u{2029}";
        assert_eq!(printable(text), shown);
        let plain = r"C:\dir 'žluťoučký kůň' 日本 🎉 עברית e\u{301}";
        assert_eq!(printable(plain), plain);
    }

    proptest! {
        #[test]
        fn printable_text_stays_and_has_no_control_characters(text in any::<String>()) {
            let shown = printable(&text);
            prop_assert!(shown.chars().all(is_printable));
            prop_assert_eq!(printable(&shown), shown.clone());
            let kept: String = text.chars().filter(|character| is_printable(*character)).collect();
            prop_assert!(text.chars().any(|character| !is_printable(character)) || shown == kept);
        }
    }
}
