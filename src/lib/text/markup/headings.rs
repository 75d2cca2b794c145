//! Headings of a page: the text of its elements h1 to h6.

use std::ops::Range;

use super::TagObserver;

/// Collects headings while markup is stripped.
#[derive(Debug, Default)]
pub(super) struct HeadingTracker {
    /// The start of an open heading in the text, and its level.
    open: Option<(usize, u8)>,
    found: Vec<(Range<usize>, u8)>,
}

impl TagObserver for HeadingTracker {
    #[inline]
    fn observe(&mut self, markup: &[u8], before: usize, after: usize) {
        let Some((level, is_end)) = heading_tag(markup) else { return };
        // A heading that begins inside of another one ends it, as its end does.
        if let Some((start, level)) = self.open.take() {
            self.found.push((start..before, level));
        }
        if !is_end {
            self.open = Some((after, level));
        }
    }
}

impl HeadingTracker {
    /// Returns the headings, without the white space around them; blank ones and one that is never closed are none.
    pub fn finish(self, text: &str) -> Vec<(Range<usize>, u8)> {
        let trimmed = |(range, level): (Range<usize>, u8)| {
            // An empty heading that follows a line end has no text in front of its end.
            let content = text.get(range.clone())?;
            let start = range.end - content.trim_start().len();
            let end = start + text[start..range.end].trim_end().len();
            (start < end).then_some((start..end, level))
        };
        self.found.into_iter().filter_map(trimmed).collect()
    }
}

/// Returns the level of a tag of a heading, and whether it is a closing one.
#[inline]
fn heading_tag(markup: &[u8]) -> Option<(u8, bool)> {
    let (name, is_end) = match markup {
        [b'<', b'/', name @ ..] => (name, true),
        [b'<', name @ ..] => (name, false),
        _ => return None,
    };
    match name {
        [
            b'h' | b'H',
            level @ b'1'..=b'6',
            b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r' | 0x0c,
            ..,
        ] => Some((level - b'0', is_end)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::strip_with_headings;
    use proptest::prelude::*;

    fn headings(page: &str) -> Vec<(String, u8)> {
        let (text, headings) = strip_with_headings(page);
        headings.into_iter().map(|(range, level)| (text[range].to_string(), level)).collect()
    }

    #[test]
    fn headings_have_their_text_and_level() {
        for (page, expected) in [
            (
                "<h1>One</h1>text<H2 class='x>y'> T&amp;<b>w</b>o\n</H2 >",
                vec![("One", 1), ("T&wo", 2)],
            ),
            ("<p>a<h3>b<h4>c</h4>d", vec![("b", 3), ("c", 4)]),
            ("<h1></h1><h2> </h2><h1/>a<p><h2><br></h2>", vec![("a", 1)]),
            ("<hr><h7>x</h7><header>y</header><h1", vec![]),
            ("<h1>never closed", vec![]),
            ("</h1>a</h2>", vec![]),
            ("<script><h1>no</h1></script><!--<h1>no</h1>-->", vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(t, l)| (t.to_string(), l)).collect();
            assert_eq!(headings(page), expected, "{page}");
        }
    }

    proptest! {
        #[test]
        fn headings_are_parts_of_the_text_in_order(page in "(<h1>|</h1>|<h2 a='b'>|</h2>|<br>|<p>|a|é|\\n| |&amp;|<){0,40}") {
            let (text, headings) = strip_with_headings(&page);
            let mut end = 0;
            for (range, level) in headings {
                prop_assert!(range.start >= end && range.start < range.end && range.end <= text.len());
                prop_assert!((1..=2).contains(&level) && !text[range.clone()].trim().is_empty());
                end = range.end;
            }
        }
    }
}
