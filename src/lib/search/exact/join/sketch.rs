//! A small upper bound on the cosine of two vectors.
//!
//! Terms are dealt into classes; a sketch holds the length of each class's part of the vector, rounded up to 7 bits. Within a class the product of the
//! lengths is at least the dot product of the parts (Cauchy and Schwarz), so the sum over the classes is at least the cosine.

use rayon::prelude::*;

use super::rows::Rows;
use crate::bits::cpu::Cpu;
use crate::bits::pages::advise_huge_pages;
use crate::vector::sparse::{SparseRows, Weight};

/// Bytes of a sketch: two cache lines, which is what a look at one costs.
const BYTES: usize = 256;
/// The last bytes hold the scale. Frequent terms have neighbouring ranks and get classes of their own.
const CLASSES: usize = BYTES - size_of::<f32>();
/// What the longest part is stored as. Two products of 7 bits are added in 16 bits, with a sign.
const LONGEST: f64 = 127.0;

/// The lengths of the parts and, behind them, what a length of one would be stored as.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Sketch([u8; BYTES]);

impl Sketch {
    /// The sketch of a row that has a direction.
    pub(super) fn of(cpu: Cpu, rows: &Rows<impl SparseRows>, row: usize) -> Self {
        let (vector, norm) = (rows.get(row), rows.norms[row]);
        match cpu {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: Cpu has these values only where the processor has AVX2.
            Cpu::Avx2 | Cpu::Avx512 => unsafe { avx2::sketch(vector, norm) },
            _ => Sketch::new(vector, norm),
        }
    }

    #[inline(always)]
    fn new((ranks, weights): (&[u32], &[impl Weight]), norm: f64) -> Self {
        let mut squares = [0f64; CLASSES];
        for (rank, weight) in ranks.iter().zip(weights) {
            let value = f64::from(weight.value());
            squares[*rank as usize % CLASSES] += value * value;
        }
        let scale = LONGEST / squares.iter().copied().fold(0.0, f64::max).sqrt();
        let mut sketch = Sketch([0; BYTES]);
        for (length, square) in sketch.0.iter_mut().zip(squares) {
            *length = rounded_up((square * scale * scale) as f32);
        }
        sketch.0[CLASSES..].copy_from_slice(&((scale * norm) as f32).to_ne_bytes());
        sketch
    }

    fn scale(&self) -> f32 {
        let bytes = self.0.last_chunk().expect("the last bytes are there");
        f32::from_ne_bytes(*bytes)
    }

    /// The same with nothing in place of the scale, so that products with it are sums over the classes only.
    fn without_scale(mut self) -> Self {
        self.0[CLASSES..].fill(0);
        self
    }

    /// The sum of the products; one of the two is without scale.
    fn dot(&self, other: &Sketch) -> u32 {
        let products = self.0.iter().zip(&other.0).map(|(l, r)| u32::from(*l) * u32::from(*r));
        products.sum()
    }
}

/// The root of a square, rounded up; of what is beyond the longest part by rounding, that. The four steps are off by 2⁻²⁴ of the root each at most. Written with additions
/// alone, which a processor does for several at once: behind 2²³ there are whole numbers only, and the nearest one to a number and a half is not below the number.
fn rounded_up(square: f32) -> u8 {
    const WHOLE: f32 = (1 << 23) as f32;
    let length = (square.sqrt() + 0.5).min(LONGEST as f32);
    (length + WHOLE).to_bits() as u8
}

/// The sketches of those that are indexed.
pub(super) struct Sketches(Vec<Sketch>);

impl Sketches {
    /// Sketches these vectors: one look at all their components.
    pub(super) fn new(cpu: Cpu, rows: &Rows<impl SparseRows>, vectors: &[u32]) -> Self {
        let mut sketches = Vec::with_capacity(vectors.len());
        advise_huge_pages(&sketches);
        let sketched = vectors.par_iter().map(|row| Sketch::of(cpu, rows, *row as usize));
        sketched.collect_into_vec(&mut sketches);
        Sketches(sketches)
    }

    /// The sketch of the vector at a place, if it is here.
    pub(super) fn get(&self, place: usize) -> Option<Sketch> {
        self.0.get(place).copied()
    }

    /// Keeps of `others` those whose cosine with the sketched vector may be `least` or more.
    pub(super) fn retain(&self, cpu: Cpu, sketch: &Sketch, least: f64, others: &mut Vec<u32>) {
        let query = sketch.without_scale();
        let least = (least * f64::from(sketch.scale())) as f32;
        match cpu {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: Cpu has these values only where the processor has AVX2.
            Cpu::Avx2 | Cpu::Avx512 => unsafe { avx2::retain(&self.0, &query, least, others) },
            _ => others.retain(|other| {
                let other = &self.0[*other as usize];
                query.dot(other) as f32 >= least * other.scale()
            }),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BYTES, Sketch};
    use crate::bits::prefetch::prefetch;
    use crate::vector::sparse::Weight;

    /// [`Sketch::new`] by wider instructions, which do the same.
    #[target_feature(enable = "avx2")]
    pub(super) fn sketch(vector: (&[u32], &[impl Weight]), norm: f64) -> Sketch {
        Sketch::new(vector, norm)
    }

    /// Bytes of a vector.
    const WIDTH: usize = 32;
    /// So many sketches are on their way from memory at a time: about what a core can wait for.
    const AHEAD: usize = 12;

    #[target_feature(enable = "avx2")]
    pub(super) fn retain(all: &[Sketch], query: &Sketch, least: f32, others: &mut Vec<u32>) {
        let mut kept = 0;
        for at in 0..others.len() {
            if let Some(next) = others.get(at + AHEAD) {
                prefetch(&all[*next as usize]);
            }
            let number = others[at];
            let other = &all[number as usize];
            others[kept] = number;
            kept += usize::from(dot(query, other) as f32 >= least * other.scale());
        }
        others.truncate(kept);
    }

    /// [`Sketch::dot`] with a sketch without scale: the bytes of the other's scale may be beyond 7 bits, those that they meet are 0.
    #[target_feature(enable = "avx2")]
    pub(super) fn dot(query: &Sketch, other: &Sketch) -> i32 {
        let ones = _mm256_set1_epi16(1);
        let mut sums = _mm256_setzero_si256();
        for at in (0..BYTES).step_by(WIDTH) {
            // SAFETY: a sketch is a whole number of vectors long, and aligned.
            let (left, right) = unsafe {
                let vector = |sketch: &Sketch| _mm256_load_si256(sketch.0.as_ptr().add(at).cast());
                (vector(query), vector(other))
            };
            let products = _mm256_maddubs_epi16(right, left);
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(products, ones));
        }
        let half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
        let eighth = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b10_11_00_01>(quarter));
        _mm_cvtsi128_si32(eighth)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Components of a vector: signed, of sizes that need scaling, some classes empty and some shared.
    fn vector() -> impl Strategy<Value = (Vec<u32>, Vec<f32>)> {
        let value = prop_oneof![4 => -3f32..3.0, 1 => -1e30f32..1e30, 1 => Just(1e-40f32)];
        let vector = prop::collection::btree_map(0..400u32, value, 1..200);
        vector.prop_map(|vector| vector.into_iter().filter(|(_, value)| *value != 0.0).unzip())
    }

    fn length((_, values): &(Vec<u32>, Vec<f32>)) -> f64 {
        crate::vector::norm(values)
    }

    fn sketch(vector: &(Vec<u32>, Vec<f32>)) -> Sketch {
        Sketch::new((&vector.0, &*vector.1), length(vector))
    }

    proptest! {
        #[test]
        fn the_sum_of_sizes_of_products_is_never_above_the_bound(left in vector(), right in vector()) {
            prop_assume!(length(&left) > 0.0 && length(&right) > 0.0);
            let mut sum = 0.0;
            for (index, value) in left.0.iter().zip(&left.1) {
                if let Ok(at) = right.0.binary_search(index) {
                    sum += (f64::from(*value) * f64::from(right.1[at])).abs();
                }
            }
            let (l, r) = (sketch(&left), sketch(&right));
            let bound = f64::from(l.without_scale().dot(&r)) / f64::from(l.scale()) / f64::from(r.scale());
            prop_assert!(bound >= sum / length(&left) / length(&right) - 1e-6);
        }

        #[test]
        fn every_processor_keeps_the_same(
            vectors in prop::collection::vec(vector(), 2..40), least in 0.0..1.0,
        ) {
            let vectors: Vec<_> = vectors.into_iter().filter(|vector| length(vector) > 0.0).collect();
            prop_assume!(!vectors.is_empty());
            let sketches = Sketches(vectors.iter().map(sketch).collect());
            let all: Vec<u32> = (0..vectors.len() as u32).collect();
            let kept = |cpu| {
                let mut kept = all.clone();
                sketches.retain(cpu, &sketches.get(0).unwrap(), least, &mut kept);
                kept
            };
            prop_assert!(kept(Cpu::Scalar).contains(&0), "a vector is similar to itself");
            for cpu in Cpu::available() {
                prop_assert_eq!(kept(cpu), kept(Cpu::Scalar));
            }
        }
    }
}
