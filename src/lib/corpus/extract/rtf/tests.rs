//! RTF written by hand and at random.

use super::*;
use proptest::prelude::*;

fn text(rtf: &str) -> String {
    extract(rtf.as_bytes()).unwrap().text
}

#[test]
fn text_is_read_by_groups_and_words() {
    for (rtf, expected) in [
        (r"{\rtf1 one\par two\line three\tab four}", "one\ntwo\nthree\tfour\n"),
        (r"{\rtf1 th{\b r}ee \{\\\}}", "three {\\}\n"),
        ("{\\rtf1 a\r\nb\\\nc}", "ab\nc\n"),
        (
            r"{\rtf1{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\stylesheet{\s1 no;}}{\info{\title no}}yes}",
            "yes\n",
        ),
        (r"{\rtf1{\*\generator no {no}}{\header no}{\pict 00ff}yes{\*\unknown no}}", "yes\n"),
        (r"{\rtf1\trowd a\cell b\cell\row c}", "a\nb\nc\n"),
        (r"{\rtf1 a{\v no}b{\deleted no}c\v no\v0 d\deleted no\plain e}", "abcde\n"),
        (r"{\rtf1{\field{\*\fldinst HYPERLINK no}{\fldrslt link}}}", "link\n"),
        (
            r"{\rtf1 wo{\super\chftn}{\footnote\pard a note\par second}rd\par next}",
            "word\na note\nsecond\nnext\n",
        ),
        (
            r"{\rtf1{\shp{\*\shpinst{\sp{\sn no}{\sv no}}{\shptxt box\par}}{\shprslt no}}after}",
            "after\nbox\n",
        ),
        (r"{\rtf1 a\bin3 {}\b}", "ab\n"),
        (r"{\rtf1 a\emdash b\~c\_d\-e\rquote s}", "a—b\u{a0}c-de’s\n"),
        (r"{\rtf1 x}trailing", "x\n"),
        (r"{\rtf1}", ""),
    ] {
        assert_eq!(text(rtf), expected, "{rtf}");
    }
}

#[test]
fn characters_are_those_of_code_pages_and_unicode() {
    for (rtf, expected) in [
        (r"{\rtf1\ansi\ansicpg1250 \'e8e\'9aka}", "češka\n"),
        (
            r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset238 B;}}\'e8{\f1\'e8}\f1\'e8\plain\'e8}",
            "èččè\n",
        ),
        (r"{\rtf1\ansi{\fonttbl{\f7\fcharset128 M;}}\f7\'93\'fa\'96\'7b}", "日本\n"),
        (r"{\rtf1{\fonttbl{\f5\fcharset2 Symbol;}}a{\f5 b\'b7}c}", "a c\n"),
        (r"{\rtf1\mac \'8e}", "é\n"),
        (r"{\rtf1\pc \'82}", "é\n"),
        (r"{\rtf1\u269?\u-10179?\u-8704?}", "č😀\n"),
        (r"{\rtf1\uc0\u269x{\uc2\u269\'63\'63y}\u269 z}", "čxčyčz\n"),
        (r"{\rtf1\u269\'c4\u269{x}}", "ččx\n"),
    ] {
        assert_eq!(text(rtf), expected, "{rtf}");
    }
}

#[test]
fn headings_have_outline_levels() {
    let rtf = r"{\rtf1\pard\outlinelevel0 One\par\pard text\par{\pard\outlinelevel2 Three\par}\outlinelevel9 text\par}";
    let read = extract(rtf.as_bytes()).unwrap();
    let headings: Vec<(&str, u8)> =
        read.headings.iter().map(|h| (&read.text[h.range.clone()], h.level)).collect();
    assert_eq!(headings, [("One", 1), ("Three", 3)]);
}

#[test]
fn names_of_skipped_groups_are_sorted() {
    assert!(SKIPPED.is_sorted());
}

#[test]
fn damage_is_an_error() {
    for (rtf, why) in [
        (r"{\rtf1 open", "not closed"),
        (r"{\rtf1 {\b}", "not closed"),
        (r"{\rtf1 \'g0}", "hexadecimal"),
        (r"{\rtf1 \u-8704?}", "half"),
        (r"{\rtf1 \u-10179?x}", "half"),
        (r"{\rtf1 \u-10179?}", "half"),
        (r"{\rtf1 \u-10179?\u269?}", "half"),
        (r"{\rtf1{\fonttbl{\f7\fcharset128 M;}}\f7\'93{\b x}", "Shift_JIS"),
        (r"{\rtf1\ansicpg1361 \'88}", "code page 1361"),
        ("{\\rtf1 \\bin99999999999 }", "not closed"),
        ("{\\rtf1\\", "not closed"),
    ] {
        assert!(extract(rtf.as_bytes()).unwrap_err().contains(why), "{rtf}");
    }
    let deep = |depth: usize| {
        ["{\\rtf1".to_string(), "{".repeat(depth), "x".into(), "}".repeat(depth + 1)].concat()
    };
    assert_eq!(text(&deep(100_000)), "x\n");
    assert!(extract(deep(MAX_DEPTH).as_bytes()).unwrap_err().contains("nested groups"));
}

/// Writes a text as RTF: characters outside of ASCII as UTF-16, with substitutes.
fn written(text: &str, substitute: &str) -> String {
    let mut rtf = format!("{{\\rtf1\\ansi\\uc{} ", usize::from(!substitute.is_empty()));
    for character in text.chars() {
        match character {
            '\n' => rtf += "\\par ",
            '\\' | '{' | '}' => rtf += &format!("\\{character}"),
            ' '..='~' => rtf.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    rtf += &format!("\\u{} {substitute}", *unit as i16);
                }
            }
        }
    }
    rtf + "}"
}

proptest! {
    #[test]
    fn texts_read_back(lines in prop::collection::vec("[!-~á-žа-яあ-ん😀-😎]([ -~á-ž]{0,9}[!-~])?", 1..6), substitute in prop_oneof![Just(""), Just("?"), Just("\\'3f")]) {
        let expected = lines.join("\n") + "\n";
        prop_assert_eq!(text(&written(&lines.join("\n"), substitute)), expected);
    }

    #[test]
    fn any_bytes_are_text_or_an_error(bytes in "(\\\\|\\{|\\}|'|u|uc|f|bin|par|\\*|fonttbl|fcharset|footnote|128|-1|9| |x|é|\n){0,60}") {
        let _ = extract(format!("{{\\rtf1{bytes}").as_bytes());
        if let Ok(read) = extract(format!("{{\\rtf1{bytes}}}").as_bytes()) {
            prop_assert!(read.headings.iter().all(|h| read.text.get(h.range.clone()).is_some()));
        }
    }
}
