//! Code pages of RTF: those of Windows by encoding_rs, those of DOS by tables.

use std::borrow::Cow;

use encoding_rs::{Encoding, MACINTOSH, UTF_8, WINDOWS_1252};

/// The upper half of code page 437.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
/// The upper half of code page 850.
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";
/// The upper half of code page 852.
const CP852: &str = "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}";

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodePage {
    /// An encoding of the web.
    Encoding(&'static Encoding),
    /// ASCII, and the characters of the bytes from 128 on.
    Table(&'static str),
    /// A font of pictures: its bytes are no characters.
    Symbols,
    /// A code page without an implementation, by its number.
    Unknown(i32),
}

impl CodePage {
    /// The code page of Western Windows.
    pub const WESTERN: CodePage = CodePage::Encoding(WINDOWS_1252);
    /// The code page of the first Macintosh.
    pub const MACINTOSH: CodePage = CodePage::Encoding(MACINTOSH);
    /// The code page of the first PC.
    pub const PC: CodePage = CodePage::Table(CP437);

    /// Returns the code page with a number.
    pub fn numbered(number: i32) -> Self {
        let label = match number {
            0 => return CodePage::WESTERN,
            437 => return CodePage::PC,
            850 => return CodePage::Table(CP850),
            852 => return CodePage::Table(CP852),
            10000 => return CodePage::MACINTOSH,
            65001 => return CodePage::Encoding(UTF_8),
            866 => "ibm866".into(),
            932 => "shift_jis".into(),
            936 => "gbk".into(),
            949 => "euc-kr".into(),
            950 => "big5".into(),
            20866 => "koi8-r".into(),
            21866 => "koi8-u".into(),
            28591..=28606 => format!("iso-8859-{}", number - 28590),
            54936 => "gb18030".into(),
            number => format!("windows-{number}"),
        };
        Encoding::for_label(label.as_bytes()).map_or(CodePage::Unknown(number), CodePage::Encoding)
    }

    /// Returns the code page of a font's character set; `None` for that of the document.
    pub fn of_charset(charset: i32) -> Option<Self> {
        let number = match charset {
            0 => 1252,
            2 => return Some(CodePage::Symbols),
            77 => 10000,
            128 => 932,
            129 => 949,
            130 => 1361,
            134 => 936,
            136 => 950,
            161 => 1253,
            162 => 1254,
            163 => 1258,
            177 => 1255,
            178 => 1256,
            186 => 1257,
            204 => 1251,
            222 => 874,
            238 => 1250,
            254 => 437,
            255 => 850,
            _ => return None,
        };
        Some(CodePage::numbered(number))
    }

    /// Decodes some bytes.
    ///
    /// # Errors
    /// Undecodable bytes: none is replaced.
    pub fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>, String> {
        if bytes.is_ascii() && self != CodePage::Symbols {
            return Ok(String::from_utf8_lossy(bytes));
        }
        match self {
            CodePage::Encoding(encoding) => encoding
                .decode_without_bom_handling_and_without_replacement(bytes)
                .ok_or_else(|| format!("expected {}, found undecodable bytes", encoding.name())),
            CodePage::Table(upper) => Ok(bytes.iter().map(|byte| of_table(upper, *byte)).collect()),
            CodePage::Symbols => Ok(Cow::Borrowed(" ")),
            CodePage::Unknown(number) => Err(format!("code page {number} is not supported")),
        }
    }
}

fn of_table(upper: &str, byte: u8) -> char {
    let at = byte.checked_sub(128).map(usize::from);
    at.and_then(|at| upper.chars().nth(at)).unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_pages_decode_all_of_their_bytes_or_none() {
        for (number, bytes, expected) in [
            (1250, &b"\xe8"[..], "č"),
            (852, b"\x9f", "č"),
            (437, b"\xe1", "ß"),
            (850, b"\xe1", "ß"),
            (932, b"\x93\xfa\x96{", "日本"),
            (65001, "č".as_bytes(), "č"),
            (28592, b"\xe8", "č"),
            (1361, b"ascii", "ascii"),
        ] {
            assert_eq!(CodePage::numbered(number).decode(bytes).unwrap(), expected, "{number}");
        }
        assert!(CodePage::numbered(1361).decode(b"\x88").unwrap_err().contains("1361"));
        assert!(CodePage::numbered(932).decode(b"\x93").unwrap_err().contains("Shift_JIS"));
        for table in [CP437, CP850, CP852] {
            assert_eq!(table.chars().count(), 128);
        }
    }
}
