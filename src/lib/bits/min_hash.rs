//! Smallest values of many linear hash functions over a set.

use super::vector::{BitVector, Kernel};

/// Functions evaluated together: their parameters and minima fit the registers of AVX2 and of AVX-512.
const LANES: usize = 32;

/// Returns the number of functions, filled up to a multiple of those evaluated together.
pub(crate) fn padded(functions: usize) -> usize {
    functions.next_multiple_of(LANES)
}

/// Lowers `minima[f]` to the smallest `multipliers[f]·x + offsets[f]` modulo 2³² over all elements x. The slices of functions have one length, a
/// multiple of [`LANES`].
pub(crate) struct MinHash<'a> {
    pub elements: &'a [u32],
    pub multipliers: &'a [u32],
    pub offsets: &'a [u32],
    pub minima: &'a mut [u32],
}

impl Kernel for MinHash<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: BitVector>(self) {
        let (multipliers, _) = self.multipliers.as_chunks::<LANES>();
        let (offsets, _) = self.offsets.as_chunks::<LANES>();
        let (minima, _) = self.minima.as_chunks_mut::<LANES>();
        for ((multipliers, offsets), minima) in multipliers.iter().zip(offsets).zip(minima) {
            let mut lowest = *minima;
            for element in self.elements {
                for lane in 0..LANES {
                    let value =
                        multipliers[lane].wrapping_mul(*element).wrapping_add(offsets[lane]);
                    lowest[lane] = lowest[lane].min(value);
                }
            }
            *minima = lowest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cpu::Cpu;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn minima_are_those_of_single_functions(
            elements in prop::collection::vec(any::<u32>(), 0..20),
            functions in prop::collection::vec(any::<(u32, u32)>(), 64),
        ) {
            let (multipliers, offsets): (Vec<u32>, Vec<u32>) = functions.iter().copied().unzip();
            let value = |(a, b): (u32, u32), x: u32| (u64::from(a) * u64::from(x) + u64::from(b)) as u32;
            let lowest = |f: &(u32, u32)| elements.iter().map(|x| value(*f, *x)).min().unwrap_or(u32::MAX);
            let expected: Vec<u32> = functions.iter().map(lowest).collect();
            for cpu in Cpu::available() {
                let mut minima = vec![u32::MAX; functions.len()];
                let kernel = MinHash { elements: &elements, multipliers: &multipliers, offsets: &offsets, minima: &mut minima };
                cpu.run(kernel);
                prop_assert_eq!(&minima, &expected);
            }
        }
    }
}
