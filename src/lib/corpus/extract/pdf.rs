//! PDF: by `pdftotext` of Poppler, which is the best of the free converters and isolates their bugs in a process of its own.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::ExtractedText;
use crate::corpus::inputs::InputArgs;
use crate::error::fallibly;

/// The first bytes of a PDF file.
pub(super) const MARK: &[u8] = b"%PDF-";
/// The last bytes of a PDF file, apart from a little garbage.
const END_MARK: &[u8] = b"%%EOF";
/// A complete file has [`END_MARK`] within this many bytes of its end.
const END_BYTES: usize = 2048;
/// Time of a conversion: a book of a thousand pages takes seconds.
const MAX_TIME: Duration = Duration::from_secs(300);
/// Time between looks at a process that has closed its output.
const POLL: Duration = Duration::from_millis(2);

/// Returns the text of a PDF file.
pub(super) fn extract(content: &[u8], args: &InputArgs) -> Result<ExtractedText, String> {
    if !is_complete(content) {
        return Err("damaged or truncated PDF: expected %%EOF at its end".into());
    }
    let mut command = Command::new("pdftotext");
    command.args(["-enc", "UTF-8", "-q", "-", "-"]);
    let outcome =
        Conversion { max_bytes: args.max_record.0, max_time: MAX_TIME }.run(&mut command, content);
    let text = outcome.map_err(|failure| match failure {
        ConversionFailure::TooLong => args.too_long(),
        failure => failure.message(content),
    })?;
    let text =
        String::from_utf8(text).map_err(|_| "pdftotext: expected UTF-8, found other bytes")?;
    // Pages end with a form feed.
    let text = text.replace('\x0c', "\n");
    match text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}') {
        "" => Err("no text layer: OCR it first".into()),
        text => Ok(ExtractedText { text: format!("{text}\n"), headings: Vec::new() }),
    }
}

/// Returns whether a file has its end: the converter would repair a truncated one and leave text out without a word.
fn is_complete(content: &[u8]) -> bool {
    let length = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let end = &content[length.saturating_sub(END_BYTES)..length];
    memchr::memmem::find(end, END_MARK).is_some()
}

/// Limits of a conversion by another program.
struct Conversion {
    max_bytes: u64,
    max_time: Duration,
}

/// The reason why there is no text.
#[derive(Debug)]
enum ConversionFailure {
    /// The program cannot be started.
    Start(io::Error),
    /// The text is longer than a record may be.
    TooLong,
    /// The program takes too long.
    TooSlow,
    /// The program's output cannot be read.
    Output(io::Error),
    /// The program failed, or was ended by a signal.
    Status,
}

impl ConversionFailure {
    fn message(self, content: &[u8]) -> String {
        let is_encrypted = || memchr::memmem::find(content, b"/Encrypt").is_some();
        match self {
            ConversionFailure::Start(error) if error.kind() == io::ErrorKind::NotFound => {
                "PDF files need pdftotext: install poppler-utils".into()
            }
            ConversionFailure::Start(error) => format!("cannot start pdftotext: {error}"),
            ConversionFailure::Output(error) => format!("cannot read from pdftotext: {error}"),
            ConversionFailure::TooSlow => {
                format!("pdftotext takes more than {} seconds", MAX_TIME.as_secs())
            }
            ConversionFailure::Status if is_encrypted() => {
                "encrypted PDF: remove its password first".into()
            }
            _ => "damaged PDF: pdftotext cannot read it".into(),
        }
    }
}

impl Conversion {
    /// Runs a program on some bytes, and returns its output. No process is left, whatever happens.
    fn run(&self, command: &mut Command, content: &[u8]) -> Result<Vec<u8>, ConversionFailure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let deadline = Instant::now() + self.max_time;
        let mut child = command.spawn().map_err(ConversionFailure::Start)?;
        let outcome = self.converse(&mut child, content, deadline);
        // Without effect on a process that has ended.
        let _ = child.kill();
        let _ = child.wait();
        outcome
    }

    /// Writes and reads at the same time: a program may write before it has read everything.
    fn converse(
        &self,
        child: &mut Child,
        content: &[u8],
        deadline: Instant,
    ) -> Result<Vec<u8>, ConversionFailure> {
        let (input, output) = (child.stdin.take(), child.stdout.take());
        thread::scope(|scope| {
            scope.spawn(move || {
                // A program that fails does not read to the end; its status tells.
                input.map(|mut input| input.write_all(content))
            });
            let (sender, receiver) = mpsc::channel();
            let max = self.max_bytes.saturating_add(1);
            scope.spawn(move || {
                let mut text = Vec::new();
                let read =
                    output.map_or(Ok(0), |o| fallibly(|| o.take(max).read_to_end(&mut text)));
                // The receiver has gone if the time is over.
                let _ = sender.send(read.map(|_| text));
            });
            let outcome = self.outcome(child, &receiver, deadline);
            // Ends both threads, which wait for the process.
            let _ = child.kill();
            outcome
        })
    }

    fn outcome(
        &self,
        child: &mut Child,
        output: &mpsc::Receiver<io::Result<Vec<u8>>>,
        deadline: Instant,
    ) -> Result<Vec<u8>, ConversionFailure> {
        let rest = deadline.saturating_duration_since(Instant::now());
        let text = output.recv_timeout(rest).map_err(|_| ConversionFailure::TooSlow)?;
        let text = text.map_err(ConversionFailure::Output)?;
        if text.len() as u64 > self.max_bytes {
            return Err(ConversionFailure::TooLong);
        }
        while Instant::now() < deadline {
            match child.try_wait().map_err(ConversionFailure::Output)? {
                Some(status) if status.success() => return Ok(text),
                Some(_) => return Err(ConversionFailure::Status),
                None => thread::sleep(POLL),
            }
        }
        Err(ConversionFailure::TooSlow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: &str, arguments: &[&str], content: &[u8], max: u64) -> Result<usize, String> {
        let max_time = Duration::from_millis(if program == "sleep" { 50 } else { 60_000 });
        let conversion = Conversion { max_bytes: max, max_time };
        let outcome = conversion.run(Command::new(program).args(arguments), content);
        outcome.map(|text| text.len()).map_err(|failure| failure.message(content))
    }

    #[test]
    fn programs_end_within_their_limits() {
        let much = vec![b'x'; 3 << 20];
        assert_eq!(run("cat", &[], &much, 3 << 20), Ok(3 << 20));
        assert!(run("cat", &[], &much, (3 << 20) - 1).is_err());
        assert!(run("yes", &[], &much, 1 << 20).is_err());
        assert_eq!(run("true", &[], &much, 10), Ok(0));
        assert_eq!(
            run("false", &[], &much, 10).unwrap_err(),
            "damaged PDF: pdftotext cannot read it"
        );
        let locked = "encrypted PDF: remove its password first";
        assert_eq!(run("false", &[], b"/Encrypt 1 0 R", 10).unwrap_err(), locked);
        assert!(run("sleep", &["1000"], &much, 10).unwrap_err().contains("seconds"));
        let missing = "PDF files need pdftotext: install poppler-utils";
        assert_eq!(run("no-such-program", &[], b"", 10).unwrap_err(), missing);
    }

    #[test]
    fn files_without_an_end_are_damaged() {
        let extract = |content: &[u8]| extract(content, &InputArgs::default()).unwrap_err();
        assert!(extract(b"%PDF-1.4\nnot one").contains("%%EOF"));
        assert!(extract(b"%PDF-1.4\nnot one\n%%EOF\n").contains("damaged PDF"));
        let late = [&b"%PDF-1.4\n%%EOF\n"[..], &[b'x'; END_BYTES], &[0; 5000]].concat();
        assert!(!is_complete(&late) && is_complete(&late[..late.len() - 5100]));
    }
}
