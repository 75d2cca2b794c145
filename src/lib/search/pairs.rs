//! Found pairs, and the same seen from each of the two.

/// Two items, the lower number first, and their similarity in per cent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The item with the lower number.
    pub low: u32,
    /// The item with the higher number.
    pub high: u32,
    /// Their similarity in per cent.
    pub similarity: f64,
}

/// What one item is similar to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The other item.
    pub other: u32,
    /// The similarity in per cent.
    pub similarity: f64,
}

/// Lists made by several threads as one, each let go as soon as it is copied.
pub(super) fn joined(lists: Vec<Vec<Pair>>) -> Vec<Pair> {
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.into_iter().for_each(|list| all.extend(list));
    all
}

/// Every pair listed under both of its items.
pub struct Rows {
    starts: Vec<usize>,
    matches: Vec<Match>,
}

impl Rows {
    /// Lists pairs, sorted by their lower and then their higher item, under the `items` they join. Time and memory are
    /// proportional to the items and the pairs.
    pub fn new(items: usize, pairs: &[Pair]) -> Self {
        debug_assert!(pairs.is_sorted_by_key(|pair| (pair.low, pair.high)));
        let mut starts = vec![0usize; items + 1];
        for pair in pairs {
            starts[pair.low as usize + 1] += 1;
            starts[pair.high as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut matches = vec![Match { other: 0, similarity: 0.0 }; 2 * pairs.len()];
        let mut put = |item: u32, other: u32, similarity: f64| {
            matches[next[item as usize]] = Match { other, similarity };
            next[item as usize] += 1;
        };
        // In the pairs' order every item meets its lower partners before its higher ones: each row comes out sorted.
        for pair in pairs {
            put(pair.low, pair.high, pair.similarity);
            put(pair.high, pair.low, pair.similarity);
        }
        Rows { starts, matches }
    }

    /// The matches of an item, by ascending number.
    pub fn get(&self, item: usize) -> &[Match] {
        &self.matches[self.starts[item]..self.starts[item + 1]]
    }
}
