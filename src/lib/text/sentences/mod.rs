//! Sentences of a text, by the rules of Unicode (UAX #29, section 5) with two changes:
//!
//! - A single line break is a space: text files are wrapped at some column, within sentences. Blank lines and U+2029 end a sentence.
//! - No sentence ends after an abbreviation, initials or an ordinal: [`abbreviations`].
//!
//! Only the bytes that can end a sentence are looked at, so time is linear in the text and hardly more than one pass over it. Tests prove the
//! boundaries equal to those of the crate `unicode-segmentation`, whose own search is quadratic in runs of spaces.

mod abbreviations;
mod class;
#[cfg(test)]
mod tests;

use std::ops::Range;

use abbreviations::{Follower, is_abbreviated};
use class::{SentenceClass, class_at, class_before, is_candidate, letter_after, skip_ignored};

/// Calls `visit` with the range of every sentence of a text, in order. The ranges cover the text: white space belongs to the sentence before it.
///
/// ```
/// use nearsig::text::sentences::for_each_sentence;
///
/// let text = "Dr. J. K. Novák\npaid 3.14 Kč. He left!\n\nThe end";
/// let mut sentences = Vec::new();
/// for_each_sentence(text, |range| sentences.push(&text[range]));
/// assert_eq!(sentences, ["Dr. J. K. Novák\npaid 3.14 Kč. ", "He left!\n\n", "The end"]);
/// ```
pub fn for_each_sentence(text: &str, mut visit: impl FnMut(Range<usize>)) {
    let (mut start, mut at) = (0, 0);
    while let Some(skipped) = text.as_bytes()[at..].iter().position(|byte| is_candidate(*byte)) {
        let step = step_at(text, start, at + skipped);
        let is_end = matches!(step, Step::End(_));
        at = step.position();
        if is_end {
            visit(start..at);
            start = at;
        }
    }
    if start < text.len() {
        visit(start..text.len());
    }
}

/// The position where the search continues.
enum Step {
    /// Within the same sentence.
    Within(usize),
    /// At the end of the sentence.
    End(usize),
}

impl Step {
    fn position(self) -> usize {
        match self {
            Step::Within(at) | Step::End(at) => at,
        }
    }
}

/// Looks at a candidate in a sentence that begins at `start`.
fn step_at(text: &str, start: usize, at: usize) -> Step {
    match class_at(text, at) {
        Some((SentenceClass::LineBreak, _)) => match LineBreaks::at(text, at) {
            LineBreaks { end, is_paragraph: true } => Step::End(end),
            LineBreaks { end, .. } => Step::Within(end),
        },
        Some((mark @ (SentenceClass::ATerm | SentenceClass::STerm), end)) => {
            let mark = Mark { start: at, end: skip_ignored(text, end), class: mark };
            step_after(text, start, &mark)
        }
        Some((_, end)) => Step::Within(end),
        None => Step::Within(text.len()),
    }
}

/// A mark that may end a sentence, with the ignored characters after it.
struct Mark {
    start: usize,
    end: usize,
    class: SentenceClass,
}

/// Decides whether a sentence ends after a mark, closing marks and spaces.
fn step_after(text: &str, start: usize, mark: &Mark) -> Step {
    let closed = skip_closing_marks(text, mark.end);
    let next = match skip_spaces(text, closed) {
        Step::Within(next) => next,
        end => return end,
    };
    match class_at(text, next) {
        None => Step::Within(next),
        // Rule SB8a. The next mark decides.
        Some((SentenceClass::ATerm | SentenceClass::STerm, _)) => Step::Within(next),
        Some((SentenceClass::SContinue, end)) => Step::Within(end),
        Some((class, _)) => {
            let is_full_stop = mark.class == SentenceClass::ATerm;
            let goes_on = is_full_stop
                && (continues(text, mark, next, class)
                    || letter_after(text, next) == Some(SentenceClass::Lower)
                    || closed == mark.end
                        && is_abbreviated(&text[start..mark.start], class.into()));
            if goes_on { Step::Within(next) } else { Step::End(next) }
        }
    }
}

/// Returns whether a full stop stands between the digits of a number (rule SB6) or the letters of an abbreviation (SB7).
fn continues(text: &str, mark: &Mark, next: usize, class: SentenceClass) -> bool {
    let is_letter = |class| matches!(class, SentenceClass::Upper | SentenceClass::Lower);
    next == mark.end
        && match class {
            SentenceClass::Numeric => true,
            SentenceClass::Upper => class_before(text, mark.start).is_some_and(is_letter),
            _ => false,
        }
}

fn skip_closing_marks(text: &str, mut at: usize) -> usize {
    while let Some((SentenceClass::Close, end)) = class_at(text, at) {
        at = skip_ignored(text, end);
    }
    at
}

/// Returns the position behind spaces and single line breaks, or the end of the paragraph.
fn skip_spaces(text: &str, mut at: usize) -> Step {
    loop {
        at = match class_at(text, at) {
            Some((SentenceClass::Sp, end)) => skip_ignored(text, end),
            Some((SentenceClass::LineBreak, _)) => match LineBreaks::at(text, at) {
                LineBreaks { end, is_paragraph: true } => return Step::End(end),
                LineBreaks { end, .. } => skip_ignored(text, end),
            },
            _ => return Step::Within(at),
        }
    }
}

/// White space that begins with a line break.
struct LineBreaks {
    end: usize,
    /// Whether it contains a blank line or a paragraph separator.
    is_paragraph: bool,
}

impl LineBreaks {
    /// Returns the white space at a line break.
    fn at(text: &str, mut at: usize) -> Self {
        let mut breaks = 0;
        loop {
            let rest = &text.as_bytes()[at..];
            at = match class_at(text, at) {
                Some((SentenceClass::Sp, end)) => end,
                Some((SentenceClass::LineBreak, end)) => {
                    let is_crlf = rest.starts_with(b"\r\n");
                    let is_separator = rest.starts_with(PARAGRAPH_SEPARATOR);
                    breaks += if is_separator { 2 } else { 1 };
                    end + usize::from(is_crlf)
                }
                _ => return LineBreaks { end: at, is_paragraph: breaks > 1 },
            }
        }
    }
}

/// U+2029 in UTF-8.
const PARAGRAPH_SEPARATOR: &[u8] = "\u{2029}".as_bytes();

impl From<SentenceClass> for Follower {
    fn from(class: SentenceClass) -> Self {
        match class {
            SentenceClass::Upper => Follower::Capital,
            SentenceClass::Numeric => Follower::Digit,
            _ => Follower::Other,
        }
    }
}
