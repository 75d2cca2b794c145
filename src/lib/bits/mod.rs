//! Words of bits and how far apart they are. Knows nothing of documents.

pub mod bytes;
pub(crate) mod classes;
pub mod cpu;
pub(crate) mod pages;
pub mod planes;
pub(crate) mod prefetch;
pub(crate) mod probe_table;
pub mod shuffled;
pub mod sliced;
pub mod transpose;
pub mod vector;

/// The number of positions in which two equally long runs of words differ.
#[inline(always)]
pub fn distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones()).sum()
}

/// Words that are compared before the distance so far is looked at.
const STRIDE: usize = 4;

/// The distance if it is at most `most`, else `None`, as soon as that is certain.
#[inline(always)]
pub fn distance_within(left: &[u64], right: &[u64], most: u32) -> Option<u32> {
    let mut sum = 0;
    for (l, r) in left.chunks(STRIDE).zip(right.chunks(STRIDE)) {
        sum += distance(l, r);
        if sum > most {
            return None;
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::cpu::Cpu;
    use super::vector::{MANY, Task, Vector};
    use super::*;
    use proptest::prelude::*;

    /// The distance, and the distance within a limit.
    struct Both<'a>(&'a [u64], &'a [u64], u32);

    impl Task for Both<'_> {
        type Output = (u32, Option<u32>);
        #[inline(always)]
        fn run<V: Vector>(self) -> Self::Output {
            (distance(self.0, self.1), distance_within(self.0, self.1, self.2))
        }
    }

    /// Whether one row is near any of many.
    struct Near<'a>(&'a [u64; 3], &'a [[u64; MANY]; 3], u64);

    impl Task for Near<'_> {
        type Output = bool;
        #[inline(always)]
        fn run<V: Vector>(self) -> bool {
            V::any_within(self.0, self.1.each_ref(), self.2)
        }
    }

    proptest! {
        #[test]
        fn every_set_of_instructions_sees_whether_any_is_near(
            one in any::<[u64; 3]>(), flips in prop::collection::vec(any::<[u64; 3]>(), MANY), most in 60u64..130,
        ) {
            let mut others = [[0; MANY]; 3];
            for (lane, flips) in flips.iter().enumerate() {
                (0..3).for_each(|word| others[word][lane] = one[word] ^ flips[word]);
            }
            let nearest = flips.iter().map(|flips| distance(flips, &[0; 3])).min().unwrap();
            for cpu in Cpu::available() {
                let is_near = |most: u64| cpu.run(Near(&one, &others, most));
                prop_assert_eq!(is_near(most), u64::from(nearest) <= most);
                prop_assert!(is_near(nearest.into()) && !is_near(u64::from(nearest) - 1));
            }
        }

        #[test]
        fn every_set_of_instructions_counts_the_same(
            words in prop::collection::vec(any::<(u64, u64)>(), 0..40), most in 0u32..1500,
        ) {
            let (left, right): (Vec<u64>, Vec<u64>) = words.into_iter().unzip();
            let bits = |words: &[u64]| -> Vec<bool> {
                words.iter().flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1)).collect()
            };
            let differing = bits(&left).iter().zip(bits(&right)).filter(|(l, r)| **l != *r).count() as u32;
            for cpu in Cpu::available() {
                let expected = (differing, (differing <= most).then_some(differing));
                prop_assert_eq!(cpu.run(Both(&left, &right, most)), expected);
            }
        }
    }
}
