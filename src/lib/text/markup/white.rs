//! White letters: letters in the colour of the page that stand where a reader sees a space, so that two words look like one to a program.

use super::{element, tag};

/// White elements with more characters may be a title on a dark background.
const MAX_LETTERS: usize = 3;
/// Elements that only change the look of their content.
const ELEMENTS: [&str; 2] = ["font", "span"];
/// Spellings of white, in lower case and without spaces.
const WHITE: [&str; 4] = ["white", "#fff", "#ffffff", "rgb(255,255,255)"];

/// Returns whether these characters are letters that a reader takes for a space if they are white.
pub(crate) fn look_like_a_space(letters: &str) -> bool {
    let mut characters = letters.chars();
    let is_short = characters.by_ref().take(MAX_LETTERS).all(|c| !c.is_whitespace());
    is_short && !letters.is_empty() && characters.next().is_none()
}

/// Returns the length of the content of a white element and its closing tag, if the content is a few letters. `page` is its tag and all that follows.
pub(super) fn white_letters(name: &str, page: (&[u8], &[u8])) -> Option<usize> {
    let (opening, content) = page;
    if !ELEMENTS.contains(&name) {
        return None;
    }
    let most = &content[..content.len().min(MAX_LETTERS * char::MAX.len_utf8() + 1)];
    let letters = &most[..most.iter().position(|byte| *byte == b'<')?];
    let closing = &content[letters.len()..];
    let is_closed = closing.starts_with(b"</") && element(&closing[2..]) == name;
    let is_white = is_closed
        && str::from_utf8(letters).is_ok_and(look_like_a_space)
        && is_white(&String::from_utf8_lossy(opening));
    is_white.then(|| letters.len() + tag(closing))
}

/// Returns whether a tag sets the colour of its content to white, and no background.
fn is_white(opening: &str) -> bool {
    let mut plain = opening.to_ascii_lowercase();
    plain.retain(|c| !c.is_ascii_whitespace() || c == ' ');
    if plain.contains("background") || plain.contains("bgcolor") {
        return false;
    }
    plain.match_indices("color").any(|(at, property)| {
        let is_property = !plain[..at].ends_with(|c: char| c == '-' || c.is_ascii_alphanumeric());
        let value = plain[at + property.len()..].trim_start().strip_prefix([':', '=']);
        is_property && value.is_some_and(starts_with_white)
    })
}

/// Returns whether a value of a property or an attribute is white.
fn starts_with_white(value: &str) -> bool {
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find([';', '"', '\'', '>', '!']).unwrap_or(value.len());
    let value: String = value[..end].chars().filter(|c| *c != ' ').collect();
    // An attribute without quotation marks ends at the first space: `<font color=white face=x>`.
    WHITE.iter().any(|white| {
        value.strip_prefix(white).is_some_and(|rest| rest.is_empty() || rest.contains('='))
    })
}

#[cfg(test)]
mod tests {
    use super::super::strip;
    use proptest::prelude::*;

    #[test]
    fn white_letters_are_spaces() {
        for page in [
            "one<font color=white>x</font>two",
            "one<font color=white face=serif>x</font>two",
            "one<FONT COLOR=\"#FFFFFF\">abc</FONT>two",
            "one<span style='color: #fff;'>q</span>two",
            "one<span class=a style=\"font-size:1pt; color : rgb(255, 255, 255) !important\">é</span >two",
        ] {
            assert_eq!(strip(page), "one two", "{page}");
        }
    }

    #[test]
    fn other_letters_stay() {
        for (page, expected) in [
            ("one<font color=black>x</font>two", "onextwo"),
            ("one<font color=whitesmoke>x</font>two", "onextwo"),
            ("one<span style='color:#fff000'>x</span>two", "onextwo"),
            ("one<span style='background-color:white'>x</span>two", "onextwo"),
            ("one<span style='color:white;background:navy'>x</span>two", "onextwo"),
            ("one<span style='border-color:white'>x</span>two", "onextwo"),
            ("<font color=white>A title</font>", "A title"),
            ("<font color=white>Four</font>", "Four"),
            ("one<font color=white>x", "onex"),
            ("one<font color=white>x</span>two", "onextwo"),
            ("one<font color=white></font>two", "onetwo"),
            ("one<font color=white> </font>two", "one two"),
            ("one<b color=white>x</b>two", "onextwo"),
        ] {
            assert_eq!(strip(page), expected, "{page}");
        }
    }

    proptest! {
        #[test]
        fn spaces_replaced_by_white_letters_are_seen(words in prop::collection::vec("[a-z]{1,8}", 1..20), letter in "[a-zé]{1,3}") {
            let page = words.join(&format!("<span style=\"color:white\">{letter}</span>"));
            prop_assert_eq!(strip(&page), words.join(" "));
        }
    }
}
