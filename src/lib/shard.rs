//! Shards: the work of a stage in N parts, each for a process of its own.

use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// The largest number of shards. A list of more would take longer to read than a shard takes.
const MAX_SHARDS: u32 = 100_000;
/// Extensions of compressed files; the extension before them belongs to the name's end, too.
const COMPRESSIONS: [&str; 4] = ["gz", "zst", "bz2", "xz"];

/// Part `index` of `count`, counted from 1, as in `2/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Returns part `index` of `count`, if there is one.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        let is_part = (1..=count).contains(&index) && count <= MAX_SHARDS;
        is_part.then_some(Shard { index, count })
    }

    /// Returns the number of this part, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns the number of parts.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns this part's share of `total` equal steps: consecutive, and those of all parts together are all steps.
    pub fn range(self, total: u64) -> Range<u64> {
        let end = |index: u32| {
            let end = u128::from(total) * u128::from(index) / u128::from(self.count);
            u64::try_from(end).expect("a share is at most the total")
        };
        end(self.index - 1)..end(self.index)
    }

    /// Returns this part's share of items with weights: consecutive items, and those of all parts together are all items. An item belongs to the part
    /// in whose share of the total weight it begins; weights of 0 count as 1.
    pub fn of_weights(self, weights: &[u64]) -> Range<usize> {
        let mut total = 0;
        let starts: Vec<u64> = weights
            .iter()
            .map(|weight| {
                total += (*weight).max(1);
                total - (*weight).max(1)
            })
            .collect();
        let share = self.range(total);
        let begins_before = |end: u64| starts.partition_point(|start| *start < end);
        begins_before(share.start)..begins_before(share.end)
    }

    /// Returns the name of this part of an output: `pairs.tsv.gz` becomes `pairs.2-of-8.tsv.gz`.
    pub fn path(self, path: &Path) -> PathBuf {
        let Some(name) = path.file_name() else { return path.to_path_buf() };
        let mut stem = Path::new(name).to_path_buf();
        let mut ending = OsString::new();
        if stem.extension().is_some_and(|found| COMPRESSIONS.iter().any(|known| found == *known)) {
            take_extension(&mut stem, &mut ending);
        }
        take_extension(&mut stem, &mut ending);
        let mut name = stem.into_os_string();
        name.push(format!(".{}-of-{}", self.index, self.count));
        name.push(ending);
        path.with_file_name(name)
    }
}

/// Moves the extension of a name, if it has one, to the beginning of `ending`.
fn take_extension(name: &mut PathBuf, ending: &mut OsString) {
    let Some(extension) = name.extension().map(OsString::from) else { return };
    let mut longer = OsString::from(".");
    longer.push(extension);
    longer.push(&ending);
    *ending = longer;
    name.set_extension("");
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            let number = |digits: &str| {
                let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                digits.parse().ok().filter(|_| is_plain)
            };
            Shard::new(number(index)?, number(count)?)
        });
        let legal = || format!("expected I/N with 1 <= I <= N <= {MAX_SHARDS}, such as 2/8");
        numbers.ok_or_else(legal)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shards_are_spelled_index_of_count() {
        assert_eq!("2/8".parse(), Ok(Shard { index: 2, count: 8 }));
        assert_eq!(Shard::new(8, 8).unwrap().to_string(), "8/8");
        for wrong in ["0/8", "9/8", "1/0", "1", "/", "1/", "a/2", "+1/2", "1/100001", "1/2/3", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_number_stands_before_the_extension() {
        let shard = Shard::new(2, 8).unwrap();
        for (name, part) in [
            ("bow_paths", "bow_paths.2-of-8"),
            ("a.b/pairs", "a.b/pairs.2-of-8"),
            ("pairs.tsv", "pairs.2-of-8.tsv"),
            ("x/pairs.tsv.gz", "x/pairs.2-of-8.tsv.gz"),
            ("pairs.gz", "pairs.2-of-8.gz"),
            (".hidden", ".hidden.2-of-8"),
            ("a b.c:d.jsonl.zst", "a b.c:d.2-of-8.jsonl.zst"),
        ] {
            assert_eq!(shard.path(Path::new(name)), Path::new(part));
        }
    }

    proptest! {
        #[test]
        fn shares_are_consecutive_and_complete(
            weights in prop::collection::vec(prop_oneof![0u64..9, Just(1 << 40)], 0..40),
            count in 1u32..12,
        ) {
            let parts = || (1..=count).map(|index| Shard::new(index, count).unwrap());
            let (mut next, mut position) = (0, 0);
            for part in parts() {
                let (items, steps) = (part.of_weights(&weights), part.range(weights.len() as u64));
                prop_assert_eq!((items.start, steps.start), (next, position));
                prop_assert!(steps.end - steps.start <= weights.len() as u64 / u64::from(count) + 1);
                (next, position) = (items.end, steps.end);
            }
            prop_assert_eq!((next, position), (weights.len(), weights.len() as u64));
        }
    }
}
