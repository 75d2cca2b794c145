//! Table of characters for the fast tokenizer: class and normalized form by one lookup, filled block by block as characters occur.

use super::characters::{is_ignorable, is_mark, is_spaceless};
use super::normalization::Normalization;

/// Characters per block: those of most scripts fit into one or two.
const BLOCK: usize = 128;
const BLOCKS: usize = (char::MAX as usize + 1) / BLOCK;

/// Class and normalized form of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CharEntry(u32);

impl CharEntry {
    /// Bits of the normalized character, or of the position of several.
    const VALUE: u32 = (1 << 21) - 1;
    /// A letter or digit: begins a word.
    pub const LETTER: u32 = 1 << 21;
    /// A combining mark: continues a word.
    pub const MARK: u32 = 1 << 22;
    /// Belongs to a script without spaces.
    pub const SPACELESS: u32 = 1 << 23;
    /// Separates words.
    pub const SEPARATOR: u32 = 1 << 24;
    /// The normalized form is another character.
    pub const CHANGED: u32 = 1 << 25;
    /// The normalized form consists of several characters, of which the value is the position.
    pub const EXPANDED: u32 = 1 << 26;
    /// The normalized form is not known without the characters around.
    pub const CONTEXT: u32 = 1 << 27;

    /// Returns the flags.
    #[inline(always)]
    pub fn flags(self) -> u32 {
        self.0 & !Self::VALUE
    }

    /// Returns whether one of the flags is set.
    #[inline(always)]
    pub fn has(self, flags: u32) -> bool {
        self.0 & flags != 0
    }
}

/// Entries of all characters that occurred.
pub(super) struct CharTable {
    normalization: Normalization,
    blocks: Vec<Option<Box<[CharEntry; BLOCK]>>>,
    expansions: Vec<Box<str>>,
}

impl CharTable {
    /// Creates an empty table.
    pub fn new(normalization: Normalization) -> Self {
        CharTable { normalization, blocks: Vec::new(), expansions: Vec::new() }
    }

    /// Returns the entry of a character.
    #[inline(always)]
    pub fn entry(&mut self, character: char) -> CharEntry {
        let (block, at) = (character as usize / BLOCK, character as usize % BLOCK);
        match self.blocks.get(block) {
            Some(Some(entries)) => entries[at],
            _ => self.fill(block)[at],
        }
    }

    /// Appends the normalized form of a character, in lower case. That of a mark, or of a character with context, is the character itself.
    #[inline(always)]
    pub fn append(&self, text: &mut String, entry: CharEntry) {
        let value = entry.0 & CharEntry::VALUE;
        match entry.has(CharEntry::EXPANDED) {
            true => text.push_str(&self.expansions[value as usize]),
            false => text.push(char::from_u32(value).unwrap_or_default()),
        }
    }

    #[cold]
    fn fill(&mut self, block: usize) -> &[CharEntry; BLOCK] {
        if self.blocks.is_empty() {
            self.blocks.resize(BLOCKS, None);
        }
        let mut entries = [CharEntry::default(); BLOCK];
        for (at, entry) in entries.iter_mut().enumerate() {
            // Surrogates are no characters; their entries are never read.
            if let Some(character) = char::from_u32((block * BLOCK + at) as u32) {
                *entry = self.entry_of(character);
            }
        }
        self.blocks[block].insert(Box::new(entries))
    }

    fn entry_of(&mut self, character: char) -> CharEntry {
        let flags = class(character);
        let own = |flags: u32| CharEntry(flags | character as u32);
        if flags & CharEntry::SEPARATOR != 0 {
            return own(flags);
        }
        let form = self.form(character);
        let mut parts = form.chars();
        let (first, second) = (parts.next(), parts.next());
        let is_stable = self.normalization.splits_before(character) && keeps_class(&form, flags);
        match (first, second) {
            // A mark is normalized with the character before it.
            (Some(same), None) if flags & CharEntry::MARK != 0 && same == character => {
                own(flags | self.context_of_mark(character))
            }
            (Some(same), None) if is_stable && same == character => own(flags),
            (Some(other), None) if is_stable => {
                CharEntry(flags | CharEntry::CHANGED | other as u32)
            }
            (Some(_), Some(_)) if is_stable && self.normalization.folds => {
                self.expansions.push(form.into());
                let position = self.expansions.len() as u32 - 1;
                CharEntry(flags | CharEntry::CHANGED | CharEntry::EXPANDED | position)
            }
            _ => own(flags | CharEntry::CONTEXT),
        }
    }

    /// Returns the normalized form of a character alone, in lower case.
    fn form(&self, character: char) -> String {
        let text = character.to_string();
        let form = self.normalization.apply(&text);
        match self.normalization.folds {
            true => form.into_owned(),
            // Its lower case depends on its place in the word.
            false if character == 'Σ' => String::new(),
            false => form.to_lowercase(),
        }
    }

    /// Returns whether a mark that is its own normal form depends on the characters before it.
    fn context_of_mark(&self, character: char) -> u32 {
        // The dot above i is dropped; jamo and vowel signs that compose are found by the quick check of normal form C.
        let depends = self.normalization.folds && character == '\u{307}';
        if depends { CharEntry::CONTEXT } else { 0 }
    }
}

/// Returns the flags of a character's class.
fn class(character: char) -> u32 {
    let mut flags = 0;
    let mut set = |flag: u32, is_set: bool| flags |= if is_set { flag } else { 0 };
    set(CharEntry::LETTER, character.is_alphanumeric());
    set(CharEntry::MARK, is_mark(character));
    set(CharEntry::SPACELESS, is_spaceless(character));
    match flags & (CharEntry::LETTER | CharEntry::MARK) != 0 || is_ignorable(character) {
        true => flags,
        false => CharEntry::SEPARATOR,
    }
}

/// Returns whether all characters of a form have the class of the original: letters, no marks, of the same kind of script.
fn keeps_class(form: &str, flags: u32) -> bool {
    flags & CharEntry::MARK == 0 && form.chars().all(|character| class(character) == flags)
}
