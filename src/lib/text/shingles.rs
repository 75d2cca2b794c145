//! Token filter that combines consecutive words into shingles.

use super::analyzer::{Token, TokenFilter, Tokens};

/// Separates the words of a shingle: a no-break space. It is white space, so no word contains it, but neither the space nor the newline that
/// separate items of the pipeline's files.
pub const SHINGLE_SEPARATOR: char = '\u{a0}';

/// Combines every run of this many words, at least 1, into one token. A text of fewer words has none.
pub(super) struct Shingles(pub usize);

impl TokenFilter for Shingles {
    fn apply<'a>(&self, tokens: Tokens<'a>) -> Tokens<'a> {
        let words: Vec<Token<'a>> = tokens.collect();
        let shingles: Vec<Token<'a>> = words.windows(self.0).map(shingle).collect();
        Box::new(shingles.into_iter())
    }
}

fn shingle<'a>(words: &[Token<'a>]) -> Token<'a> {
    let terms: Vec<&str> = words.iter().map(|word| &*word.term).collect();
    let range = words[0].range.start..words[words.len() - 1].range.end;
    Token { term: terms.join(SHINGLE_SEPARATOR.encode_utf8(&mut [0; 2])).into(), range }
}
