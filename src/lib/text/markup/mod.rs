//! Character filter that strips HTML markup.
//!
//! Tags, comments and the content of scripts and styles go; character references are decoded; tags of elements outside of running text separate
//! words. A white letter between words is a space. One pass from left to right: an unclosed tag or comment ends with the page, so that no part is searched twice.

mod entities;
mod headings;
mod white;

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use self::entities::reference;
use self::headings::HeadingTracker;
pub(crate) use self::white::look_like_a_space;
use self::white::white_letters;
use super::mapped::{MappedText, TextSink};

/// Elements inside of words and sentences. All others separate words.
const INLINE: [&str; 33] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];
/// Elements without visible content.
const HIDDEN: [&str; 2] = ["script", "style"];
/// Bytes of an element's name that are compared; no name above is longer.
const MAX_NAME: usize = 12;
/// Extensions of HTML files.
const EXTENSIONS: [&str; 3] = ["html", "htm", "xhtml"];
/// Starts of HTML files, after white space.
const STARTS: [&str; 2] = ["<!doctype html", "<html"];

/// Returns whether a file is HTML, by its extension (in lower case) or its first characters.
pub(crate) fn is_html(extension: &str, text: &str) -> bool {
    let bytes = text.trim_start().as_bytes();
    let starts_with = |start: &&str| {
        bytes.get(..start.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(start.as_bytes()))
    };
    EXTENSIONS.contains(&extension) || STARTS.iter().any(starts_with)
}

/// Returns the text of a page.
pub fn strip(page: &str) -> String {
    let mut text = String::with_capacity(page.len() / 2);
    strip_into(page, &mut text, &mut ());
    text
}

/// Returns the text of a page, and the places of its headings there with their levels from 1.
pub(crate) fn strip_with_headings(page: &str) -> (String, Vec<(Range<usize>, u8)>) {
    let mut text = String::with_capacity(page.len() / 2);
    let mut headings = HeadingTracker::default();
    strip_into(page, &mut text, &mut headings);
    let headings = headings.finish(&text);
    (text, headings)
}

/// Observes the tags of a page.
trait TagObserver {
    /// Takes note of markup that starts with `<`. The text has the length `before` in front of it and `after` behind it.
    fn observe(&mut self, markup: &[u8], before: usize, after: usize);
}

/// Observes nothing.
impl TagObserver for () {
    #[inline]
    fn observe(&mut self, _markup: &[u8], _before: usize, _after: usize) {}
}

/// Returns the text of a page with its positions there.
pub(super) fn strip_mapped(page: &str) -> MappedText {
    let mut text = MappedText::default();
    strip_into(page, &mut text, &mut ());
    text
}

fn strip_into(page: &str, text: &mut impl TextSink, tags: &mut impl TagObserver) {
    let mut at = 0;
    while let Some(length) = memchr2(b'<', b'&', &page.as_bytes()[at..]) {
        text.push_copy(&page[at..at + length], at);
        at += length;
        at += match page.as_bytes()[at] {
            b'&' => push_reference(text, page, at),
            _ => push_markup(text, page, at, tags),
        };
    }
    text.push_copy(&page[at..], at);
}

/// Decodes the reference at `at`, and returns its length.
fn push_reference(text: &mut impl TextSink, page: &str, at: usize) -> usize {
    let Some((characters, length)) = reference(&page[at..]) else {
        text.push_copy("&", at);
        return 1;
    };
    text.push_replacement(&characters, at..at + length);
    length
}

/// Replaces the markup at `at`, and returns its length.
fn push_markup(
    text: &mut impl TextSink,
    page: &str,
    at: usize,
    tags: &mut impl TagObserver,
) -> usize {
    let Some((length, separator)) = markup(&page.as_bytes()[at..]) else {
        text.push_copy("<", at);
        return 1;
    };
    let before = text.as_str().len();
    if !text.as_str().ends_with(separator) {
        text.push_replacement(separator, at..at + length);
    }
    tags.observe(&page.as_bytes()[at..at + length], before, text.as_str().len());
    length
}

/// The length of the markup at the start of `bytes`, which start with `<`, and what separates the words around it; `None` if `<` stands for itself.
fn markup(bytes: &[u8]) -> Option<(usize, &'static str)> {
    match bytes.get(1)? {
        b'!' if bytes.starts_with(b"<!--") => Some((comment(bytes), "")),
        b'!' | b'?' => Some((up_to_bracket(bytes), "")),
        b'/' => Some(closing_tag(bytes)),
        letter if letter.is_ascii_alphabetic() => {
            let (name, length) = (element(&bytes[1..]), tag(bytes));
            if let Some(letters) = white_letters(&name, bytes.split_at(length)) {
                return Some((length + letters, " "));
            }
            let content = HIDDEN.contains(&&*name).then(|| hidden(&bytes[length..], &name));
            Some((length + content.unwrap_or(0), separator(&name)))
        }
        _ => None,
    }
}

fn closing_tag(bytes: &[u8]) -> (usize, &'static str) {
    match bytes.get(2) {
        Some(letter) if letter.is_ascii_alphabetic() => {
            (tag(bytes), separator(&element(&bytes[2..])))
        }
        Some(_) => (up_to_bracket(bytes), ""),
        None => (bytes.len(), ""),
    }
}

/// What separates the words around a tag.
fn separator(name: &str) -> &'static str {
    if INLINE.contains(&name) { "" } else { "\n" }
}

/// The name at the start, in lower case.
fn element(bytes: &[u8]) -> String {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let name = bytes.iter().take(MAX_NAME).take_while(|byte| !is_end(byte));
    name.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// The length of a comment. `<!-->` and `<!--->` are complete ones.
fn comment(bytes: &[u8]) -> usize {
    memmem::find(&bytes[2..], b"-->").map_or(bytes.len(), |at| 2 + at + 3)
}

fn up_to_bracket(bytes: &[u8]) -> usize {
    memchr(b'>', bytes).map_or(bytes.len(), |at| at + 1)
}

/// The length of a tag: up to the first `>` outside of quotation marks, which count only at the start of an attribute's value.
fn tag(bytes: &[u8]) -> usize {
    let mut at = 1;
    let mut before = b' ';
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'>' => return at,
            quote @ (b'"' | b'\'') if before == b'=' => match memchr(*quote, &bytes[at..]) {
                Some(end) => at += end + 1,
                None => return bytes.len(),
            },
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = *byte;
        }
    }
    bytes.len()
}

/// The length of an element's content up to its closing tag.
fn hidden(bytes: &[u8], name: &str) -> usize {
    let mut at = 0;
    while let Some(next) = memmem::find(&bytes[at..], b"</") {
        at += next;
        if element(&bytes[at + 2..]) == name {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn markup_is_stripped() {
        for (page, expected) in [
            ("<p>one</p><p>two</p>", "one two"),
            ("th<b>r</b>ee<br>four<hr/>five", "three four five"),
            ("<SCRIPT type='a>b'>if (a</b) x();</Script >six", "six"),
            ("<style>p{}</styles></style>seven", "seven"),
            ("<!-- <p>no</p> -->eight<!---->nine<!-->ten", "eightnineten"),
            ("a &lt;b&gt; &amp;amp; &nbsp; 5 < 6 & 7", "a <b> &amp; 5 < 6 & 7"),
            ("<a href=\"x>y\" title='<p>'>link</a>", "link"),
            ("<a href=it's>link</a> isn't", "link isn't"),
            ("<?xml version='1'?><!DOCTYPE html>text</>end", "textend"),
            ("open <p", "open"),
            ("open <p a='", "open"),
            ("open <script>never closed", "open"),
            ("open <!-- never closed", "open"),
            ("a<", "a<"),
            ("a</", "a"),
            ("<td>1</td><td>2</td>", "1 2"),
            ("<title>t&eacute;</title>", "té"),
            ("&Ccaron;esk&yacute &notanentity;", "Český ¬anentity;"),
            ("<scripting>kept</scripting>", "kept"),
            ("a<unheard-of-long-element>b", "a b"),
        ] {
            assert_eq!(words(&strip(page)), words(expected), "{page}");
        }
    }

    #[test]
    fn html_is_recognised_by_extension_or_start() {
        assert!(is_html("html", "x") && is_html("htm", "") && is_html("xhtml", ""));
        assert!(is_html("txt", " \n<!DOCTYPE HTML><p>") && is_html("", "<HTML lang=x>"));
        assert!(
            !is_html("txt", "<p>") && !is_html("", "<!doctype xml") && !is_html("md", "é<html")
        );
    }

    #[test]
    fn unclosed_markup_takes_linear_time() {
        for opening in ["<", "<!--", "<script", "<a b='", "&", "</", "<script></", "&#x", "<!"] {
            assert!(strip(&opening.repeat(300_000)).len() <= 1_500_000, "{opening}");
        }
    }

    /// A well-formed fragment of a page with its visible words. Invisible parts contain `hidden`.
    fn fragment() -> impl Strategy<Value = (String, String)> {
        let word = prop_oneof![
            "[a-z]{1,5}".prop_map(|word| (word.clone(), word)),
            Just(("&lt;p&gt;".to_string(), "<p>".to_string())),
            Just(("&#382;lu&#x165;".to_string(), "žluť".to_string())),
        ];
        let outside = prop_oneof![
            Just("<!-- hidden <p> 'a -->"),
            Just("<script>hidden('</p>' < \"</b>\")</script>"),
            Just("<STYLE media='x'>hidden > p { }</STYLE>"),
            Just("<br class=\"hidden>hidden\"/>"),
            Just("<img alt='hidden'>"),
        ];
        let leaf = prop_oneof![
            3 => word,
            1 => outside.prop_map(|markup| (markup.to_string(), String::new())),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let element = prop_oneof![Just("p"), Just("div"), Just("LI"), Just("h1"), Just("td")];
            let value =
                prop_oneof![Just(""), Just(" a"), Just(" a=hidden"), Just(" a = \"hidden>\"")];
            (element, value, prop::collection::vec(inner, 0..6)).prop_map(|(name, value, inner)| {
                let (pages, texts): (Vec<_>, Vec<_>) = inner.into_iter().unzip();
                (format!("<{name}{value}>{}</{name}>", pages.join("\n")), texts.join(" "))
            })
        })
    }

    proptest! {
        #[test]
        fn well_formed_pages_keep_exactly_their_words((page, expected) in fragment()) {
            let stripped = strip(&page);
            prop_assert_eq!(words(&stripped), words(&expected));
            prop_assert!(!stripped.contains("hidden"));
        }

        #[test]
        fn any_input_is_accepted(page in "([<>/!?&;#=\"' -]|script|style|p|&amp;|é|x|\\n){0,60}", any_text: String) {
            for page in [page, any_text] {
                let stripped = strip(&page);
                prop_assert!(stripped.len() <= page.len() + page.matches('<').count());
                prop_assert!(strip_mapped(&page).as_str() == stripped);
                prop_assert_eq!(&strip_with_headings(&page).0, &stripped);
            }
        }

        #[test]
        fn text_without_markup_is_unchanged(plain in "[^<&]{0,80}") {
            prop_assert_eq!(strip(&plain), plain);
        }
    }
}
