//! Paragraphs of a text.

use std::ops::Range;

use super::rules::ParagraphRule;

/// A line of more bytes is a paragraph of its own: nobody wraps text there.
const MAX_WRAPPED: usize = 200;

/// Calls `visit` with the range of every paragraph, in order. They do not overlap; some may have no word.
pub(super) fn for_each_paragraph(
    text: &str,
    rule: ParagraphRule,
    mut visit: impl FnMut(Range<usize>),
) {
    match rule {
        ParagraphRule::None => visit(0..text.len()),
        ParagraphRule::Lines => for_each_line(text, visit),
        ParagraphRule::BlankLines => {
            let mut open: Option<Range<usize>> = None;
            for_each_line(text, |line| {
                let is_blank = text[line.clone()].trim().is_empty();
                let is_alone = is_blank || line.len() > MAX_WRAPPED;
                match &mut open {
                    Some(paragraph) if !is_alone => paragraph.end = line.end,
                    _ => {
                        open.take().into_iter().for_each(&mut visit);
                        match (is_blank, is_alone) {
                            (true, _) => {}
                            (_, true) => visit(line),
                            _ => open = Some(line),
                        }
                    }
                }
            });
            open.into_iter().for_each(visit);
        }
    }
}

/// Calls `visit` with the range of every line without its line break.
fn for_each_line(text: &str, mut visit: impl FnMut(Range<usize>)) {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        visit(start..end);
        start = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraphs(text: &str, rule: ParagraphRule) -> Vec<&str> {
        let mut found = Vec::new();
        for_each_paragraph(text, rule, |range| found.push(&text[range]));
        found
    }

    #[test]
    fn rules_end_paragraphs() {
        let text = "a b\nc\r\n \t\r\n\nd\ne\n";
        assert_eq!(paragraphs(text, ParagraphRule::BlankLines), ["a b\nc\r", "d\ne"]);
        assert_eq!(paragraphs("a\nb", ParagraphRule::Lines), ["a", "b"]);
        assert_eq!(paragraphs(text, ParagraphRule::None), [text]);
        assert_eq!(paragraphs("", ParagraphRule::BlankLines), [""; 0]);
        let long = "x".repeat(201);
        let text = format!("a\n{long}\nb\nc");
        assert_eq!(paragraphs(&text, ParagraphRule::BlankLines), ["a", &long, "b\nc"]);
    }
}
