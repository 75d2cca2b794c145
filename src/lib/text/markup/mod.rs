//! HTML to its text: tags, comments and the content of scripts and styles go, references become characters, and elements that are not part of
//! a line of text separate words. One pass from left to right: what is not closed ends with the page, so that no search is made twice.

mod entities;

use memchr::{memchr, memchr2, memmem};

use entities::reference;

/// Elements whose tags stand inside words and sentences. All others separate words.
const INLINE: [&str; 33] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];
/// Elements whose content is no text.
const HIDDEN: [&str; 2] = ["script", "style"];
/// Names of elements are compared up to so many bytes; no known one is longer.
const LONGEST_NAME: usize = 12;
/// How files with pages are called.
const ENDINGS: [&str; 3] = ["html", "htm", "xhtml"];
/// How pages begin, after white space.
const BEGINNINGS: [&str; 2] = ["<!doctype html", "<html"];

/// Whether a file is a page, by the ending of its name (in lower case) or by its first characters.
pub(crate) fn is_page(ending: &str, text: &str) -> bool {
    let start = text.trim_start().as_bytes();
    let begins = |with: &&str| {
        start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    ENDINGS.contains(&ending) || BEGINNINGS.iter().any(begins)
}

/// The text of a page.
pub(crate) fn text(page: &str) -> String {
    let mut stripped = String::with_capacity(page.len() / 2);
    let mut rest = page;
    while let Some(at) = memchr2(b'<', b'&', rest.as_bytes()) {
        stripped.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.as_bytes()[0] {
            b'&' => push_reference(&mut stripped, rest),
            _ => push_markup(&mut stripped, rest),
        };
        rest = &rest[length..];
    }
    stripped.push_str(rest);
    stripped
}

/// Appends the character that `rest`, which begins with `&`, refers to, and returns the length of the reference.
fn push_reference(stripped: &mut String, rest: &str) -> usize {
    let (character, length) = reference(rest).unwrap_or(('&', 1));
    stripped.push(character);
    length
}

/// Appends what stands for the markup at the beginning of `rest`, which begins with `<`, and returns its length.
fn push_markup(stripped: &mut String, rest: &str) -> usize {
    let bytes = rest.as_bytes();
    match bytes.get(1) {
        Some(b'!') if bytes.starts_with(b"<!--") => comment(bytes),
        Some(b'!' | b'?') => up_to_bracket(bytes),
        Some(b'/') => match bytes.get(2) {
            Some(letter) if letter.is_ascii_alphabetic() => {
                separate(stripped, &element(&bytes[2..]));
                tag(bytes)
            }
            Some(_) => up_to_bracket(bytes),
            None => bytes.len(),
        },
        Some(letter) if letter.is_ascii_alphabetic() => {
            let name = element(&bytes[1..]);
            separate(stripped, &name);
            let length = tag(bytes);
            if HIDDEN.contains(&&*name) { length + hidden(&bytes[length..], &name) } else { length }
        }
        _ => {
            stripped.push('<');
            1
        }
    }
}

/// Ends the line unless the element stands inside of one.
fn separate(stripped: &mut String, name: &str) {
    if !INLINE.contains(&name) && !stripped.ends_with('\n') {
        stripped.push('\n');
    }
}

/// The name at the beginning, in lower case.
fn element(bytes: &[u8]) -> String {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let name = bytes.iter().take(LONGEST_NAME).take_while(|byte| !is_end(byte));
    name.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// The length of a comment. `<!-->` and `<!--->` are whole ones.
fn comment(bytes: &[u8]) -> usize {
    memmem::find(&bytes[2..], b"-->").map_or(bytes.len(), |at| 2 + at + 3)
}

fn up_to_bracket(bytes: &[u8]) -> usize {
    memchr(b'>', bytes).map_or(bytes.len(), |at| at + 1)
}

/// The length of a tag: up to the first `>` that does not stand between quotation marks, which count only where a value begins.
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

/// The length of the content of an element up to its closing tag.
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
    fn pages_become_their_text() {
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
            ("<scripting>kept</scripting>", "kept"),
            ("a<unheard-of-long-element>b", "a b"),
        ] {
            assert_eq!(words(&text(page)), words(expected), "{page}");
        }
    }

    #[test]
    fn pages_are_known_by_name_or_beginning() {
        assert!(is_page("html", "x") && is_page("htm", "") && is_page("xhtml", ""));
        assert!(is_page("txt", " \n<!DOCTYPE HTML><p>") && is_page("", "<HTML lang=x>"));
        assert!(
            !is_page("txt", "<p>") && !is_page("", "<!doctype xml") && !is_page("md", "é<html")
        );
    }

    #[test]
    fn long_pages_of_openings_take_no_longer_than_others() {
        for opening in ["<", "<!--", "<script", "<a b='", "&", "</", "<script></", "&#x", "<!"] {
            assert!(text(&opening.repeat(300_000)).len() <= 1_500_000, "{opening}");
        }
    }

    /// A well-formed piece of a page, with the words that its text has. What must not be seen holds `hidden`.
    fn piece() -> impl Strategy<Value = (String, String)> {
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
        fn well_formed_pages_keep_their_words_and_nothing_else((page, expected) in piece()) {
            let stripped = text(&page);
            prop_assert_eq!(words(&stripped), words(&expected));
            prop_assert!(!stripped.contains("hidden"));
        }

        #[test]
        fn nothing_makes_it_fail(page in "([<>/!?&;#=\"' -]|script|style|p|&amp;|é|x|\\n){0,60}", any_text: String) {
            for page in [page, any_text] {
                let stripped = text(&page);
                prop_assert!(stripped.len() <= page.len() + page.matches('<').count());
            }
        }

        #[test]
        fn what_has_no_markup_stays(plain in "[^<&]{0,80}") {
            prop_assert_eq!(text(&plain), plain);
        }
    }
}
