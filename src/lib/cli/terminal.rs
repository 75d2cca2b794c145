//! Messages and progress of one run on standard error.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::General;
#[cfg(unix)]
use super::process::DeferredSignals;
use crate::error::{Error, Result};
use crate::executable::{Counts, counted, duration, noun};
use crate::session::{Progress, Session};

/// Prints messages and progress on standard error, prefixed with the executable's name.
pub(super) struct Terminal {
    name: String,
    flags: General,
    start: Instant,
    /// The current phase and its start.
    phase: Mutex<Option<(String, Instant)>>,
    bar: Mutex<ProgressBar>,
    /// Complete outputs, with their counts.
    outputs: Mutex<Vec<String>>,
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
            outputs: Mutex::default(),
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
            (number, why) => format!("{number} {}", noun(number, why)),
        };
        let (read, items) = counts.read;
        let (items, written) = (noun(read, items), self.written(counts.written));
        let seconds = self.start.elapsed().as_secs_f64();
        let memory =
            peak_memory().map_or_else(String::new, |mb| format!(", peak memory {mb:.1} MB"));
        self.info(&format!(
            "read {read} {items}, skipped {skipped}, wrote {written}; {seconds:.2} s{memory}"
        ));
    }

    /// Returns what was written: the outputs by name, or the number of items where no output was named.
    fn written(&self, (number, items): (u64, &str)) -> String {
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        match outputs.is_empty() {
            true => format!("{number} {}", noun(number, items)),
            false => outputs.join(", "),
        }
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

impl Terminal {
    /// Starts a phase whose steps are shown as `unit` says.
    fn start_phase(&self, name: &str, steps: Option<u64>, unit: &str) {
        #[cfg(unix)]
        self.signals.get().inspect(|signals| signals.deliver());
        self.end_phase(Some(name));
        if self.flags.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.finish_and_clear();
        *bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr())
            .with_style(style(steps.map(|_| unit)))
            .with_prefix(self.name.clone())
            .with_message(printable(name));
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

impl Progress for Terminal {
    fn phase(&self, name: &str, steps: Option<u64>) {
        self.start_phase(name, steps, STEPS);
    }

    fn byte_phase(&self, name: &str, bytes: Option<u64>) {
        self.start_phase(name, bytes, BYTES);
    }

    fn output(&self, name: &str, count: u64, items: &str) {
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.push(format!("{name} ({})", counted(count, items)));
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

    fn ask(&self, question: &str, answers: &[&str]) -> Option<usize> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        self.with_bar(|bar| {
            bar.suspend(|| {
                loop {
                    print(&format!("{}: {question} [{}]", self.name, answers.join(", ")));
                    let mut line = String::new();
                    if !std::io::stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                        return None;
                    }
                    let chosen = chosen_answer(&line, answers);
                    if chosen.is_some() {
                        return chosen;
                    }
                }
            })
        })
    }
}

/// Returns the answer that a line begins, in any case.
fn chosen_answer(line: &str, answers: &[&str]) -> Option<usize> {
    let line = line.trim().to_lowercase();
    let is_begun = |answer: &&str| !line.is_empty() && answer.starts_with(&*line);
    answers.iter().position(is_begun)
}

/// Steps of a phase that are counted: 1,200 of 3,400.
const STEPS: &str = "{human_pos} of {human_len}";
/// Steps of a phase that are bytes: 1.20 GB of 3.40 GB.
const BYTES: &str = "{decimal_bytes} of {decimal_total_bytes}";
/// A bar shows no estimate before this time: the first steps are not typical.
const ESTIMATE_FROM: Duration = Duration::from_secs(3);

/// Returns the style of a bar: with steps as `unit` shows them, or without a known number of steps.
fn style(unit: Option<&str>) -> ProgressStyle {
    let template = match unit {
        Some(unit) => format!("{{prefix}}: {{msg}} {{bar:30}} {unit}{{left}}"),
        None => "{prefix}: {msg} {spinner} {elapsed}".to_string(),
    };
    let left = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        let is_known = state.elapsed() >= ESTIMATE_FROM && state.pos() > 0;
        let _ = is_known.then(|| write!(text, ", {}", time_left(state.eta())));
    };
    let style = ProgressStyle::with_template(&template).expect("the templates are valid");
    style.with_key("left", left)
}

/// Describes a remaining time, which is smoothed, so roughly that it seldom changes but to become less.
fn time_left(rest: Duration) -> String {
    let seconds = rest.as_secs();
    match seconds {
        0..10 => "a few seconds left".into(),
        10..120 => format!("about {} s left", seconds.next_multiple_of(10)),
        _ => format!("about {} left", duration(seconds as f64)),
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

    #[test]
    fn answers_may_be_abbreviated() {
        let answers = ["yes", "no", "all", "skip all"];
        for (line, chosen) in
            [("Y\n", Some(0)), ("no\n", Some(1)), ("skip", Some(3)), ("\n", None), ("x", None)]
        {
            assert_eq!(chosen_answer(line, &answers), chosen, "{line}");
        }
    }

    #[test]
    fn remaining_times_are_rough() {
        for (seconds, text) in [
            (0, "a few seconds left"),
            (9, "a few seconds left"),
            (10, "about 10 s left"),
            (41, "about 50 s left"),
            (119, "about 120 s left"),
            (150, "about 3 min left"),
            (7_300, "about 2 h left"),
        ] {
            assert_eq!(time_left(Duration::from_secs(seconds)), text);
        }
    }

    /// A terminal that keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct Screen(std::sync::Arc<Mutex<String>>);

    impl indicatif::TermLike for Screen {
        fn width(&self) -> u16 {
            200
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn bars_have_units_for_people() {
        let shown = |unit, steps| {
            let terminal = Screen::default();
            let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
            let bar =
                ProgressBar::with_draw_target(Some(2 * steps), target).with_style(style(unit));
            bar.set_position(steps);
            bar.force_draw();
            terminal.0.lock().unwrap().trim_end().to_string()
        };
        let steps = shown(Some(STEPS), 1_234_567);
        assert!(steps.ends_with(" 1,234,567 of 2,469,134"), "{steps}");
        let bytes = shown(Some(BYTES), 1_200_000_000);
        assert!(bytes.ends_with(" 1.20 GB of 2.40 GB"), "{bytes}");
        let _ = style(None);
    }

    #[test]
    fn the_last_line_names_outputs_where_there_are_some() {
        let terminal = Terminal::new("test", General::default());
        assert_eq!(terminal.written((1, "bags of words")), "1 bag of words");
        assert_eq!(terminal.written((1438800, "pairs")), "1438800 pairs");
        terminal.output("pairs.tsv", 1, "pairs");
        terminal.output("clean/", 1234, "documents");
        assert_eq!(terminal.written((9, "pairs")), "pairs.tsv (1 pair), clean/ (1,234 documents)");
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
