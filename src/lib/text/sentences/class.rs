//! Classes of characters in the rules of sentences: Unicode's property `Sentence_Break` (UAX #29, table 4, version 17).
//!
//! Letters, marks and white space are those of the standard library and of `unicode-normalization`; the tables list the rest.

use crate::text::characters::is_mark;

/// Class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceClass {
    /// Full stop.
    ATerm,
    /// Any other mark that ends a sentence.
    STerm,
    /// Closing or opening mark: bracket or quotation mark.
    Close,
    /// Mark within a sentence, such as a comma.
    SContinue,
    /// White space within a line.
    Sp,
    /// Any end of a line or paragraph.
    LineBreak,
    /// Lower-case letter.
    Lower,
    /// Upper-case letter.
    Upper,
    /// Letter without case.
    OLetter,
    /// Digit.
    Numeric,
    /// Combining mark or invisible character: belongs to the character before it.
    Ignored,
    /// Any other character.
    Other,
}

/// Bytes that may begin a line break or a mark that ends a sentence. Tests check all characters.
const CANDIDATES: [bool; 256] = {
    let mut candidates = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        candidates[byte] = matches!(
            byte as u8,
            b'.' | b'!' | b'?' | b'\n' | b'\r' | 0xc2 | 0xd6 | 0xd8 | 0xdb | 0xdc | 0xdf | 0xe0
                ..=0xe3 | 0xea | 0xef | 0xf0
        );
        byte += 1;
    }
    candidates
};

/// Returns whether a byte may begin a character that ends a sentence.
#[inline(always)]
pub(super) fn is_candidate(byte: u8) -> bool {
    CANDIDATES[usize::from(byte)]
}

/// Returns the class of the character at a position, and its end. `None` at the end of the text.
pub(super) fn class_at(text: &str, at: usize) -> Option<(SentenceClass, usize)> {
    let character = text[at..].chars().next()?;
    Some((class_of(character), at + character.len_utf8()))
}

/// Returns the class of the last character before a position that is not ignored.
pub(super) fn class_before(text: &str, at: usize) -> Option<SentenceClass> {
    let classes = text[..at].chars().rev().map(class_of);
    classes.into_iter().find(|class| *class != SentenceClass::Ignored)
}

/// Returns the position behind ignored characters.
pub(super) fn skip_ignored(text: &str, mut at: usize) -> usize {
    while let Some((SentenceClass::Ignored, end)) = class_at(text, at) {
        at = end;
    }
    at
}

/// Returns the class of the next letter in the same paragraph, if no mark that ends a sentence comes before it (rule SB8).
pub(super) fn letter_after(text: &str, mut at: usize) -> Option<SentenceClass> {
    use SentenceClass::{ATerm, LineBreak, Lower, OLetter, STerm, Upper};
    loop {
        match class_at(text, at)? {
            (class @ (Lower | Upper | OLetter), _) => return Some(class),
            (ATerm | STerm, _) => return None,
            (LineBreak, _) => {
                let breaks = super::LineBreaks::at(text, at);
                if breaks.is_paragraph {
                    return None;
                }
                at = breaks.end;
            }
            (_, end) => at = end,
        }
    }
}

/// Returns the class of a character.
pub(super) fn class_of(character: char) -> SentenceClass {
    match character {
        'a'..='z' => SentenceClass::Lower,
        'A'..='Z' => SentenceClass::Upper,
        '0'..='9' => SentenceClass::Numeric,
        ' ' | '\t' | '\u{b}' | '\u{c}' => SentenceClass::Sp,
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => SentenceClass::LineBreak,
        '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}' => SentenceClass::ATerm,
        '!' | '?' => SentenceClass::STerm,
        ',' | '-' | ':' | ';' => SentenceClass::SContinue,
        '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' => SentenceClass::Close,
        '\0'..='\x7f' => SentenceClass::Other,
        _ => class_beyond_ascii(character),
    }
}

fn class_beyond_ascii(character: char) -> SentenceClass {
    match character {
        _ if is_mark(character) || is_ignored(character) => SentenceClass::Ignored,
        _ if character.is_whitespace() => SentenceClass::Sp,
        _ if is_digit(character) => SentenceClass::Numeric,
        _ if has_no_case(character) => SentenceClass::OLetter,
        _ if character.is_lowercase() => SentenceClass::Lower,
        _ if character.is_uppercase() || is_title_case(character) => SentenceClass::Upper,
        _ if character.is_alphabetic() => SentenceClass::OLetter,
        _ if is_terminal(character) => SentenceClass::STerm,
        _ if is_continuing(character) => SentenceClass::SContinue,
        _ if is_closing(character) => SentenceClass::Close,
        _ => SentenceClass::Other,
    }
}

/// Returns whether a character counts as a letter without case: Georgian, whose upper case is used for whole texts only, and the geresh.
fn has_no_case(character: char) -> bool {
    let is_georgian = matches!(
        character,
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' | '\u{1c90}'..='\u{1cba}' | '\u{1cbd}'..='\u{1cbf}'
    );
    is_georgian || character == '\u{5f3}'
}

/// Returns whether a letter is in title case, such as ǅ: its first part is in upper case.
fn is_title_case(character: char) -> bool {
    matches!(
        character,
        '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}'
        | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}' | '\u{1fa8}'..='\u{1faf}' | '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}'
    )
}

/// Returns whether a character is invisible or a mark, without being one by its category.
fn is_ignored(character: char) -> bool {
    matches!(
        character,
        '\u{200c}'..='\u{200d}' | '\u{ff9e}'..='\u{ff9f}' | '\u{e0020}'..='\u{e007f}'
        | '\u{ad}' | '\u{61c}' | '\u{70f}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'
    )
}

/// Returns whether a character beyond ASCII ends a sentence.
fn is_terminal(character: char) -> bool {
    matches!(
        character,
        '\u{589}' | '\u{61d}'..='\u{61f}' | '\u{6d4}' | '\u{700}'..='\u{702}' | '\u{7f9}' | '\u{837}' | '\u{839}' | '\u{83d}'..='\u{83e}'
        | '\u{964}'..='\u{965}' | '\u{104a}'..='\u{104b}' | '\u{1362}' | '\u{1367}'..='\u{1368}' | '\u{166e}' | '\u{1735}'..='\u{1736}'
        | '\u{17d4}'..='\u{17d5}' | '\u{1803}' | '\u{1809}' | '\u{1944}'..='\u{1945}' | '\u{1aa8}'..='\u{1aab}' | '\u{1b4e}'..='\u{1b4f}'
        | '\u{1b5a}'..='\u{1b5b}' | '\u{1b5e}'..='\u{1b5f}' | '\u{1b7d}'..='\u{1b7f}' | '\u{1c3b}'..='\u{1c3c}' | '\u{1c7e}'..='\u{1c7f}'
        | '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}' | '\u{2cf9}'..='\u{2cfb}' | '\u{2e2e}' | '\u{2e3c}' | '\u{2e53}'..='\u{2e54}'
        | '\u{3002}' | '\u{a4ff}' | '\u{a60e}'..='\u{a60f}' | '\u{a6f3}' | '\u{a6f7}' | '\u{a876}'..='\u{a877}' | '\u{a8ce}'..='\u{a8cf}'
        | '\u{a92f}' | '\u{a9c8}'..='\u{a9c9}' | '\u{aa5d}'..='\u{aa5f}' | '\u{aaf0}'..='\u{aaf1}' | '\u{abeb}' | '\u{fe12}'
        | '\u{fe15}'..='\u{fe16}' | '\u{fe56}'..='\u{fe57}' | '\u{ff01}' | '\u{ff1f}' | '\u{ff61}' | '\u{10a56}'..='\u{10a57}'
        | '\u{10f55}'..='\u{10f59}' | '\u{10f86}'..='\u{10f89}' | '\u{11047}'..='\u{11048}' | '\u{110be}'..='\u{110c1}'
        | '\u{11141}'..='\u{11143}' | '\u{111c5}'..='\u{111c6}' | '\u{111cd}' | '\u{111de}'..='\u{111df}' | '\u{11238}'..='\u{11239}'
        | '\u{1123b}'..='\u{1123c}' | '\u{112a9}' | '\u{113d4}'..='\u{113d5}' | '\u{1144b}'..='\u{1144c}' | '\u{115c2}'..='\u{115c3}'
        | '\u{115c9}'..='\u{115d7}' | '\u{11641}'..='\u{11642}' | '\u{1173c}'..='\u{1173e}' | '\u{11944}' | '\u{11946}'
        | '\u{11a42}'..='\u{11a43}' | '\u{11a9b}'..='\u{11a9c}' | '\u{11c41}'..='\u{11c42}' | '\u{11ef7}'..='\u{11ef8}'
        | '\u{11f43}'..='\u{11f44}' | '\u{16a6e}'..='\u{16a6f}' | '\u{16af5}' | '\u{16b37}'..='\u{16b38}' | '\u{16b44}'
        | '\u{16d6e}'..='\u{16d6f}' | '\u{16e98}' | '\u{1bc9f}' | '\u{1da88}'
    )
}

/// Returns whether a character beyond ASCII stands within a sentence.
fn is_continuing(character: char) -> bool {
    matches!(
        character,
        '\u{37e}' | '\u{55d}' | '\u{60c}'..='\u{60d}' | '\u{7f8}' | '\u{1802}' | '\u{1808}' | '\u{2013}'..='\u{2014}' | '\u{3001}'
        | '\u{fe10}'..='\u{fe11}' | '\u{fe13}'..='\u{fe14}' | '\u{fe31}'..='\u{fe32}' | '\u{fe50}'..='\u{fe51}' | '\u{fe54}'..='\u{fe55}'
        | '\u{fe58}' | '\u{fe63}' | '\u{ff0c}'..='\u{ff0d}' | '\u{ff1a}'..='\u{ff1b}' | '\u{ff64}'
    )
}

/// Returns whether a character beyond ASCII is a bracket or quotation mark.
fn is_closing(character: char) -> bool {
    matches!(
        character,
        '\u{ab}' | '\u{bb}' | '\u{f3a}'..='\u{f3d}' | '\u{169b}'..='\u{169c}' | '\u{2018}'..='\u{201f}' | '\u{2039}'..='\u{203a}'
        | '\u{2045}'..='\u{2046}' | '\u{207d}'..='\u{207e}' | '\u{208d}'..='\u{208e}' | '\u{2308}'..='\u{230b}' | '\u{2329}'..='\u{232a}'
        | '\u{275b}'..='\u{2760}' | '\u{2768}'..='\u{2775}' | '\u{27c5}'..='\u{27c6}' | '\u{27e6}'..='\u{27ef}' | '\u{2983}'..='\u{2998}'
        | '\u{29d8}'..='\u{29db}' | '\u{29fc}'..='\u{29fd}' | '\u{2e00}'..='\u{2e0d}' | '\u{2e1c}'..='\u{2e1d}' | '\u{2e20}'..='\u{2e29}'
        | '\u{2e42}' | '\u{2e55}'..='\u{2e5c}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301b}' | '\u{301d}'..='\u{301f}'
        | '\u{fd3e}'..='\u{fd3f}' | '\u{fe17}'..='\u{fe18}' | '\u{fe35}'..='\u{fe44}' | '\u{fe47}'..='\u{fe48}' | '\u{fe59}'..='\u{fe5e}'
        | '\u{ff08}'..='\u{ff09}' | '\u{ff3b}' | '\u{ff3d}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff60}' | '\u{ff62}'..='\u{ff63}'
        | '\u{1f676}'..='\u{1f678}'
    )
}

/// Returns whether a character beyond ASCII is a digit, or a mark of numbers.
fn is_digit(character: char) -> bool {
    matches!(
        character,
        '\u{600}'..='\u{605}' | '\u{660}'..='\u{669}' | '\u{66b}'..='\u{66c}' | '\u{6dd}' | '\u{6f0}'..='\u{6f9}' | '\u{7c0}'..='\u{7c9}'
        | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{966}'..='\u{96f}' | '\u{9e6}'..='\u{9ef}' | '\u{a66}'..='\u{a6f}' | '\u{ae6}'..='\u{aef}'
        | '\u{b66}'..='\u{b6f}' | '\u{be6}'..='\u{bef}' | '\u{c66}'..='\u{c6f}' | '\u{ce6}'..='\u{cef}' | '\u{d66}'..='\u{d6f}'
        | '\u{de6}'..='\u{def}' | '\u{e50}'..='\u{e59}' | '\u{ed0}'..='\u{ed9}' | '\u{f20}'..='\u{f29}' | '\u{1040}'..='\u{1049}'
        | '\u{1090}'..='\u{1099}' | '\u{17e0}'..='\u{17e9}' | '\u{1810}'..='\u{1819}' | '\u{1946}'..='\u{194f}' | '\u{19d0}'..='\u{19da}'
        | '\u{1a80}'..='\u{1a89}' | '\u{1a90}'..='\u{1a99}' | '\u{1b50}'..='\u{1b59}' | '\u{1bb0}'..='\u{1bb9}' | '\u{1c40}'..='\u{1c49}'
        | '\u{1c50}'..='\u{1c59}' | '\u{a620}'..='\u{a629}' | '\u{a8d0}'..='\u{a8d9}' | '\u{a900}'..='\u{a909}' | '\u{a9d0}'..='\u{a9d9}'
        | '\u{a9f0}'..='\u{a9f9}' | '\u{aa50}'..='\u{aa59}' | '\u{abf0}'..='\u{abf9}' | '\u{ff10}'..='\u{ff19}' | '\u{104a0}'..='\u{104a9}'
        | '\u{10d30}'..='\u{10d39}' | '\u{10d40}'..='\u{10d49}' | '\u{11066}'..='\u{1106f}' | '\u{110bd}' | '\u{110cd}'
        | '\u{110f0}'..='\u{110f9}' | '\u{11136}'..='\u{1113f}' | '\u{111d0}'..='\u{111d9}' | '\u{112f0}'..='\u{112f9}'
        | '\u{11450}'..='\u{11459}' | '\u{114d0}'..='\u{114d9}' | '\u{11650}'..='\u{11659}' | '\u{116c0}'..='\u{116c9}'
        | '\u{116d0}'..='\u{116e3}' | '\u{11730}'..='\u{11739}' | '\u{118e0}'..='\u{118e9}' | '\u{11950}'..='\u{11959}'
        | '\u{11bf0}'..='\u{11bf9}' | '\u{11c50}'..='\u{11c59}' | '\u{11d50}'..='\u{11d59}' | '\u{11da0}'..='\u{11da9}'
        | '\u{11de0}'..='\u{11de9}' | '\u{11f50}'..='\u{11f59}' | '\u{16130}'..='\u{16139}' | '\u{16a60}'..='\u{16a69}'
        | '\u{16ac0}'..='\u{16ac9}' | '\u{16b50}'..='\u{16b59}' | '\u{16d70}'..='\u{16d79}' | '\u{1ccf0}'..='\u{1ccf9}'
        | '\u{1d7ce}'..='\u{1d7ff}' | '\u{1e140}'..='\u{1e149}' | '\u{1e2f0}'..='\u{1e2f9}' | '\u{1e4f0}'..='\u{1e4f9}'
        | '\u{1e5f1}'..='\u{1e5fa}' | '\u{1e950}'..='\u{1e959}' | '\u{1fbf0}'..='\u{1fbf9}'
    )
}
