//! Control words of RTF.

/// Groups without text of the document: definitions, pictures, comments, page headers and footers, entries of indexes, numbers of lists for
/// programs without lists, and the second form of text boxes. Sorted.
pub(super) const SKIPPED: [&str; 48] = [
    "annotation",
    "atnauthor",
    "atndate",
    "atnicn",
    "atnid",
    "atnparent",
    "atnref",
    "atntime",
    "atrfend",
    "atrfstart",
    "author",
    "background",
    "bkmkend",
    "bkmkstart",
    "colortbl",
    "comment",
    "company",
    "datafield",
    "do",
    "doccomm",
    "filetbl",
    "fldinst",
    "footer",
    "footerf",
    "footerl",
    "footerr",
    "ftncn",
    "ftnsep",
    "ftnsepc",
    "header",
    "headerf",
    "headerl",
    "headerr",
    "info",
    "listtext",
    "mmathPr",
    "nonshppict",
    "objdata",
    "pict",
    "pntext",
    "private",
    "rxe",
    "shprslt",
    "sp",
    "stylesheet",
    "tc",
    "template",
    "xe",
];
/// Groups that programs may ignore, but have text.
pub(super) const TEXT_STARS: [&str; 1] = ["shpinst"];

/// Returns the number at the start of some bytes, and its length.
pub(super) fn number(bytes: &[u8]) -> (Option<i32>, usize) {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let digits = bytes[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return (None, 0);
    }
    let text = str::from_utf8(&bytes[..sign + digits]).unwrap_or_default();
    let bound = if sign > 0 { i32::MIN } else { i32::MAX };
    (Some(text.parse().unwrap_or(bound)), sign + digits)
}

/// Returns the characters that a control word stands for.
pub(super) fn character(word: &str) -> &'static str {
    match word {
        "tab" => "\t",
        "line" | "page" | "column" | "softline" | "lbr" => "\n",
        "emspace" | "enspace" | "qmspace" => " ",
        "emdash" => "—",
        "endash" => "–",
        "bullet" => "•",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "zwj" => "\u{200d}",
        "zwnj" => "\u{200c}",
        _ => "",
    }
}
