//! Text in XML.

use std::borrow::Cow;

/// The first line of every XML file.
pub(super) const XML_HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Returns a text as the value of an attribute in double quotes.
pub(super) fn attribute(text: &str) -> String {
    let escaped = quick_xml::escape::escape(legal(text)).into_owned();
    // A parser would turn these into spaces.
    escaped.replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;")
}

/// Returns a text as the content of an element.
pub(super) fn content(text: &str) -> String {
    quick_xml::escape::partial_escape(legal(text)).replace('\r', "&#13;")
}

/// Returns a text in which U+FFFD replaces characters that XML 1.0 has no form for.
fn legal(text: &str) -> Cow<'_, str> {
    let is_illegal = |character: char| matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    match text.contains(is_illegal) {
        true => Cow::Owned(text.replace(is_illegal, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(attribute("a<\"&\n\u{1}é"), "a&lt;&quot;&amp;&#10;\u{fffd}é");
        assert_eq!(content("a<b>\r\n\"&"), "a&lt;b&gt;&#13;\n\"&amp;");
    }
}
