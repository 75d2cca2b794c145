//! Sketches of sparse vectors: a small upper bound on the cosine of two.
//!
//! Indexes are dealt into classes. A sketch holds the norm of each class's part of the vector, rounded up to 7 bits. Within a class the
//! product of the norms is at least the dot product of the parts (Cauchy–Schwarz), so the sum over the classes is at least the cosine.

use super::cpu::Cpu;
use super::prefetch::prefetch;
use super::vector::{BitVector, Kernel};

/// Bytes per sketch: two pairs of cache lines, the cost of reading one.
pub const BYTES: usize = 256;
/// Classes of indexes; the remaining bytes hold the scale. Frequent terms have neighboring ranks and get classes of their own.
const CLASSES: usize = BYTES - size_of::<f32>();
/// Stored value of the largest norm. Two products of 7-bit numbers are added in 16 bits with a sign.
const LARGEST: f64 = 127.0;
/// Sketches prefetched ahead: about as many cache misses as a core can have outstanding.
const PREFETCH_DISTANCE: usize = 12;

/// Norms of the parts, then the stored value of a norm of one.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct Sketch(pub(super) [u8; BYTES]);

impl Sketch {
    /// Returns the sketch of a vector of norm `norm`, which is above 0.
    pub fn new(components: impl Iterator<Item = (u32, f32)>, norm: f64, cpu: Cpu) -> Self {
        cpu.run(Build { components, norm })
    }

    fn scale(&self) -> f32 {
        let bytes = self.0.last_chunk().expect("a sketch has more than four bytes");
        f32::from_ne_bytes(*bytes)
    }

    /// Returns the sketch with zeros in place of the scale, so that products with it are sums over the classes only.
    fn without_scale(mut self) -> Self {
        self.0[CLASSES..].fill(0);
        self
    }

    /// Keeps the numbers of those `sketches` whose cosine with this one may be at least `min`.
    pub fn retain(&self, sketches: &[Sketch], min: f64, numbers: &mut Vec<u32>, cpu: Cpu) {
        let min = (min * f64::from(self.scale())) as f32;
        cpu.run(Retain { query: self.without_scale(), sketches, min, numbers });
    }
}

struct Build<I> {
    components: I,
    norm: f64,
}

impl<I: Iterator<Item = (u32, f32)>> Kernel for Build<I> {
    type Output = Sketch;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Sketch {
        let mut squares = [0f64; CLASSES];
        for (index, value) in self.components {
            let value = f64::from(value);
            squares[index as usize % CLASSES] += value * value;
        }
        let scale = LARGEST / squares.iter().copied().fold(0.0, f64::max).sqrt();
        let mut sketch = Sketch([0; BYTES]);
        for (norm, square) in sketch.0.iter_mut().zip(squares) {
            *norm = root_rounded_up((square * scale * scale) as f32);
        }
        sketch.0[CLASSES..].copy_from_slice(&((scale * self.norm) as f32).to_ne_bytes());
        sketch
    }
}

/// Returns the square root rounded up, at most [`LARGEST`]. The four steps are off by at most 2⁻²⁴ of the root each. Additions alone
/// vectorize: above 2²³ all numbers are integers, and the nearest integer to x + ½ is not below x.
#[inline(always)]
fn root_rounded_up(square: f32) -> u8 {
    const INTEGERS: f32 = (1 << 23) as f32;
    let root = (square.sqrt() + 0.5).min(LARGEST as f32);
    (root + INTEGERS).to_bits() as u8
}

struct Retain<'a> {
    query: Sketch,
    sketches: &'a [Sketch],
    min: f32,
    numbers: &'a mut Vec<u32>,
}

impl Kernel for Retain<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: BitVector>(self) {
        let numbers = self.numbers;
        let mut kept = 0;
        for at in 0..numbers.len() {
            if let Some(next) = numbers.get(at + PREFETCH_DISTANCE) {
                prefetch(&self.sketches[*next as usize]);
            }
            let number = numbers[at];
            let other = &self.sketches[number as usize];
            numbers[kept] = number;
            let bound = V::sketch_dot(&self.query, other) as f32;
            kept += usize::from(bound >= self.min * other.scale());
        }
        numbers.truncate(kept);
    }
}

/// Returns the sum of products; `query` is without scale.
#[inline(always)]
pub(super) fn scalar_dot(query: &Sketch, other: &Sketch) -> i32 {
    query.0.iter().zip(&other.0).map(|(l, r)| i32::from(*l) * i32::from(*r)).sum()
}

/// The sum of products with AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{BYTES, Sketch};

    /// Bytes per register.
    const WIDTH: usize = 32;

    /// Returns the sum of products; `query` is without scale. The scale of `other` may exceed 7 bits, but its factors are 0.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX2, on a machine that has it.
    #[inline(always)]
    pub unsafe fn dot(query: &Sketch, other: &Sketch) -> i32 {
        // SAFETY: the caller runs on AVX2; a sketch is aligned and a whole number of registers long.
        unsafe {
            let ones = _mm256_set1_epi16(1);
            let mut sums = _mm256_setzero_si256();
            for at in (0..BYTES).step_by(WIDTH) {
                let load = |sketch: &Sketch| _mm256_load_si256(sketch.0.as_ptr().add(at).cast());
                let products = _mm256_maddubs_epi16(load(other), load(query));
                sums = _mm256_add_epi32(sums, _mm256_madd_epi16(products, ones));
            }
            let (low, high) = (_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            let half = _mm_add_epi32(low, high);
            let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
            let eighth = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b10_11_00_01>(quarter));
            _mm_cvtsi128_si32(eighth)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Components = Vec<(u32, f32)>;

    /// Signed components of sizes that need scaling; some classes are empty, some shared.
    fn vector() -> impl Strategy<Value = Components> {
        let value = prop_oneof![4 => -3f32..3.0, 1 => -1e30f32..1e30, 1 => Just(1e-40f32)];
        let vector = prop::collection::btree_map(0..400u32, value, 1..200);
        vector.prop_map(|vector| vector.into_iter().filter(|(_, value)| *value != 0.0).collect())
    }

    fn norm(vector: &Components) -> f64 {
        let squares = vector.iter().map(|(_, value)| f64::from(*value) * f64::from(*value));
        squares.sum::<f64>().sqrt()
    }

    fn sketch(vector: &Components, cpu: Cpu) -> Sketch {
        Sketch::new(vector.iter().copied(), norm(vector), cpu)
    }

    proptest! {
        #[test]
        fn the_bound_is_at_least_the_sum_of_absolute_products(left in vector(), right in vector()) {
            prop_assume!(norm(&left) > 0.0 && norm(&right) > 0.0);
            let mut sum = 0.0;
            for (index, value) in &left {
                if let Ok(at) = right.binary_search_by_key(index, |(index, _)| *index) {
                    sum += (f64::from(*value) * f64::from(right[at].1)).abs();
                }
            }
            let (l, r) = (sketch(&left, Cpu::SCALAR), sketch(&right, Cpu::SCALAR));
            let dot = f64::from(scalar_dot(&l.without_scale(), &r));
            let bound = dot / f64::from(l.scale()) / f64::from(r.scale());
            prop_assert!(bound >= sum / norm(&left) / norm(&right) - 1e-6);
        }

        #[test]
        fn all_instruction_sets_keep_the_same_numbers(
            vectors in prop::collection::vec(vector(), 2..40), min in 0.0..1.0,
        ) {
            let vectors: Vec<_> = vectors.into_iter().filter(|vector| norm(vector) > 0.0).collect();
            prop_assume!(!vectors.is_empty());
            let kept = |cpu| {
                let sketches: Vec<Sketch> = vectors.iter().map(|vector| sketch(vector, cpu)).collect();
                let mut kept: Vec<u32> = (0..vectors.len() as u32).collect();
                sketches[0].retain(&sketches, min, &mut kept, cpu);
                kept
            };
            prop_assert!(kept(Cpu::SCALAR).contains(&0), "a vector is similar to itself");
            for cpu in Cpu::available() {
                prop_assert_eq!(kept(cpu), kept(Cpu::SCALAR));
            }
        }
    }
}
