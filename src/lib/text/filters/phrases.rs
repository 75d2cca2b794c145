//! Phrases dropped from texts: a trie over words.

use rustc_hash::FxHashMap;

/// Phrases, each a sequence of words.
#[derive(Debug, Default)]
pub(super) struct PhraseTrie {
    /// Numbers of the words that occur in phrases.
    words: FxHashMap<Box<str>, u32>,
    /// The next node after a node and a word. Node 0 is the root.
    nodes: FxHashMap<(u32, u32), u32>,
    /// Whether a phrase ends at a node.
    ends: Vec<bool>,
}

impl PhraseTrie {
    /// Adds a phrase of at least one word.
    pub fn add<'w>(&mut self, phrase: impl IntoIterator<Item = &'w str>) {
        let PhraseTrie { words, nodes, ends } = self;
        if ends.is_empty() {
            ends.push(false);
        }
        let mut node = 0;
        for word in phrase {
            let count = words.len() as u32;
            let word = *words.entry(word.into()).or_insert(count);
            node = *nodes.entry((node, word)).or_insert_with(|| {
                ends.push(false);
                ends.len() as u32 - 1
            });
        }
        ends[node as usize] = true;
    }

    /// Returns whether there is no phrase.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of a word, if it occurs in a phrase.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.words.get(word).copied()
    }

    /// Returns the number of words in the longest phrase at the start of some words, given by their numbers; 0 if there is none.
    pub fn longest(&self, words: &[Option<u32>]) -> usize {
        let (mut node, mut longest) = (0, 0);
        for (length, word) in (1..).zip(words) {
            let next = word.and_then(|word| self.nodes.get(&(node, word)));
            let Some(next) = next else { break };
            node = *next;
            if self.ends[node as usize] {
                longest = length;
            }
        }
        longest
    }
}
