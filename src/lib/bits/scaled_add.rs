//! Adds a multiple of a vector to a vector.

use super::cpu::Cpu;
use super::vector::{BitVector, Kernel};

/// Adds `factor` times each value to the sum at its position. No product is fused with its sum, so every instruction set gives the same numbers.
#[inline(always)]
pub fn add_scaled(sums: &mut [f64], factor: f64, values: &[f32], cpu: Cpu) {
    cpu.run(AddScaled { sums, factor, values });
}

struct AddScaled<'a> {
    sums: &'a mut [f64],
    factor: f64,
    values: &'a [f32],
}

impl Kernel for AddScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: BitVector>(self) {
        for (sum, value) in self.sums.iter_mut().zip(self.values) {
            *sum += self.factor * f64::from(*value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_instruction_sets_round_alike(
            sums in prop::collection::vec(prop::num::f64::NORMAL, 0..50),
            factor in prop::num::f64::NORMAL,
            values in prop::collection::vec(prop::num::f32::NORMAL, 0..50),
        ) {
            let mut expected = sums.clone();
            for (sum, value) in expected.iter_mut().zip(&values) {
                *sum += factor * f64::from(*value);
            }
            let bits = |sums: &[f64]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
            for cpu in Cpu::available() {
                let mut found = sums.clone();
                add_scaled(&mut found, factor, &values, cpu);
                prop_assert_eq!(bits(&found), bits(&expected));
            }
        }
    }
}
