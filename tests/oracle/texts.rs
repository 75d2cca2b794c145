//! Words, bags of words and names, one character at a time.

/// All white space characters of Unicode.
const WHITE_SPACE: [char; 25] = [
    '\t', '\n', '\u{b}', '\u{c}', '\r', ' ', '\u{85}', '\u{a0}', '\u{1680}', '\u{2000}',
    '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}',
    '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}',
];

/// NFC of the sequences in the generated texts.
const COMPOSED: [(&str, &str); 5] = [
    ("e\u{301}", "\u{e9}"),
    ("u\u{30a}", "\u{16f}"),
    ("E\u{301}", "\u{c9}"),
    ("\u{212b}", "\u{c5}"),
    ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
];

/// The mark in the generated texts that composes with some letters and stays after others.
const ACCENT: char = '\u{301}';
/// The invisible character in the generated texts.
const INVISIBLE: char = '\u{200b}';

/// How a text becomes terms.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Words are runs of letters, digits and marks in lower case, instead of runs without white space.
    pub letters_and_digits: bool,
    /// Whether words made of digits stay.
    pub keep_numbers: bool,
    /// Words in a term.
    pub shingle_size: usize,
}

/// The pipeline's defaults.
pub const PLAIN: Rules = Rules { letters_and_digits: false, keep_numbers: false, shingle_size: 1 };

impl Rules {
    /// Returns the flags of create_bows for these rules.
    pub fn flags(&self) -> String {
        let words = if self.letters_and_digits { "--words" } else { "" };
        let numbers = if self.keep_numbers { "-save_nums" } else { "" };
        format!("{words} {numbers} -shingle_size {}", self.shingle_size)
    }

    /// Returns the words of a text, without numbers unless they are kept.
    fn words(&self, text: &str) -> Vec<String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let found = if self.letters_and_digits {
            cut(&compose(text), |c| !c.is_alphanumeric() && c != ACCENT)
        } else {
            cut(text, |c| WHITE_SPACE.contains(&c))
        };
        let kept = found.into_iter().filter(|word| self.keep_numbers || !is_number(word));
        kept.map(|word| if self.letters_and_digits { word.to_lowercase() } else { word }).collect()
    }

    /// Returns the terms of a text, as often as they occur.
    fn terms(&self, text: &str) -> Vec<String> {
        let words = self.words(text);
        let mut terms = Vec::new();
        let mut first = 0;
        while first + self.shingle_size <= words.len() {
            terms.push(words[first..first + self.shingle_size].join("\u{a0}"));
            first += 1;
        }
        terms
    }

    /// Returns each term of a text once, with its count, in the order of first occurrences.
    pub fn bag(&self, text: &str) -> Vec<(String, u64)> {
        let terms = self.terms(text);
        let mut bag: Vec<(String, u64)> = Vec::new();
        for term in &terms {
            if bag.iter().all(|(known, _)| known != term) {
                let count = terms.iter().filter(|other| *other == term).count();
                bag.push((term.clone(), count as u64));
            }
        }
        bag
    }
}

fn compose(text: &str) -> String {
    COMPOSED
        .iter()
        .fold(text.to_string(), |text, (apart, one)| text.replace(apart, one))
        .replace(INVISIBLE, "")
}

fn cut(text: &str, is_between: impl Fn(char) -> bool) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in text.chars() {
        if is_between(character) {
            words.push(String::new());
        } else {
            words.last_mut().unwrap().push(character);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_number(word: &str) -> bool {
    word.chars().all(|character| character.is_numeric())
}

/// Returns a document's name as written in the pipeline's files.
pub fn encoded(name: &str) -> String {
    let mut written = String::new();
    for character in name.chars() {
        let code = u32::from(character);
        let is_control = code < 0x20 || (0x7f..0xa0).contains(&code);
        if is_control || "%:()".contains(character) || WHITE_SPACE.contains(&character) {
            let bytes = character.to_string().into_bytes();
            bytes.iter().for_each(|byte| written += &format!("%{byte:02X}"));
        } else {
            written.push(character);
        }
    }
    written
}

/// Returns a line of a BOW file.
pub fn bow_line(name: &str, bag: &[(String, u64)]) -> String {
    let terms: String = bag.iter().map(|(term, count)| format!(" {term}:{count}")).collect();
    format!("{name}:{}{terms}\n", bag.len())
}
