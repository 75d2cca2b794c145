//! The lexicon words of a document, as text, and random parts of them.

use std::hint::select_unpredictable;

/// Words of a document that belong to the lexicon, in ascending order, each followed by a newline.
#[derive(Default)]
pub(super) struct LexiconText {
    pieces: Vec<Piece>,
    /// The words of one lexicon.
    kept: Vec<u8>,
}

/// Bytes of a piece: few words are longer.
const PIECE: usize = 16;

/// A word and its newline, or a part of a longer one. Pieces have one length, so that copying one needs no branch.
struct Piece {
    bytes: [u8; PIECE],
    length: usize,
    /// 1 for the end of a word, else 0.
    words: usize,
    hash: u64,
    /// Random bytes of the word in eight lexicons.
    random: u64,
}

impl LexiconText {
    /// Takes the words of a document.
    pub fn fill<'t>(&mut self, words: impl Iterator<Item = (u64, &'t str)>) {
        self.pieces.clear();
        for (hash, word) in words {
            let (parts, end) = word.as_bytes().as_chunks::<PIECE>();
            let part = |bytes: &[u8; PIECE]| Piece {
                bytes: *bytes,
                length: PIECE,
                words: 0,
                hash,
                random: 0,
            };
            self.pieces.extend(parts.iter().map(part));
            let (mut bytes, length) = ([0; PIECE], end.len() + 1);
            bytes[..end.len()].copy_from_slice(end);
            bytes[end.len()] = b'\n';
            self.pieces.push(Piece { bytes, length, words: 1, hash, random: 0 });
        }
        self.kept.resize((self.pieces.len() + 1) * PIECE, 0);
    }

    /// Draws the random bytes of all words.
    pub fn randomize(&mut self, random: impl Fn(u64) -> u64) {
        self.pieces.iter_mut().for_each(|piece| piece.random = random(piece.hash));
    }

    /// Returns the words whose random bytes `is_kept`, and their number. Dropped words are copied too, then overwritten: random branches would be
    /// mispredicted.
    pub fn select(&mut self, is_kept: impl Fn(u64) -> bool) -> (&[u8], usize) {
        let (mut length, mut count) = (0, 0);
        for piece in &self.pieces {
            if let Some(place) = self.kept[length..].first_chunk_mut() {
                *place = piece.bytes;
            }
            let is_kept = is_kept(piece.random);
            length += select_unpredictable(is_kept, piece.length, 0);
            count += select_unpredictable(is_kept, piece.words, 0);
        }
        (&self.kept[..length], count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn random_parts_are_those_of_the_words(words in prop::collection::vec(("[a-zé]{1,30}", any::<u64>()), 0..20), bit in 0u32..64) {
            let mut text = LexiconText::default();
            for words in [&words[..], &words[words.len() / 2..]] {
                text.fill(words.iter().map(|(word, hash)| (*hash, &**word)));
                text.randomize(|hash| !hash);
                let joined = |wanted: &dyn Fn(u64) -> bool| {
                    let kept = words.iter().filter(|(_, hash)| wanted(*hash));
                    let lines: Vec<String> = kept.map(|(word, _)| format!("{word}\n")).collect();
                    (lines.concat(), lines.len())
                };
                let (all, count) = text.select(|_| true);
                let all = (String::from_utf8_lossy(all).into_owned(), count);
                prop_assert_eq!(all, joined(&|_| true));
                let (kept, count) = text.select(|random| random >> bit & 1 == 1);
                let expected = joined(&|hash| hash >> bit & 1 == 0);
                prop_assert_eq!((String::from_utf8_lossy(kept).into_owned(), count), expected);
            }
        }
    }
}
