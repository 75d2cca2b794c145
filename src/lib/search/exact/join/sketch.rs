//! Sketches of the indexed vectors.

use rayon::prelude::*;

use super::rows::Rows;
use crate::bits::cpu::Cpu;
use crate::bits::pages::advise_huge_pages;
use crate::bits::sketch::Sketch;
use crate::vector::sparse::{SparseRows, Weight};

/// Returns the sketch of a row that has a direction.
pub(super) fn sketch(rows: &Rows<impl SparseRows>, row: usize, cpu: Cpu) -> Sketch {
    let (ranks, weights) = rows.get(row);
    let values = weights.iter().map(|weight| weight.value());
    Sketch::new(ranks.iter().copied().zip(values), rows.norms[row], cpu)
}

/// Returns the sketches of vectors, in one pass over their components.
pub(super) fn sketch_all(rows: &Rows<impl SparseRows>, vectors: &[u32], cpu: Cpu) -> Vec<Sketch> {
    let mut sketches = Vec::with_capacity(vectors.len());
    advise_huge_pages(&sketches);
    let all = vectors.par_iter().map(|row| sketch(rows, *row as usize, cpu));
    all.collect_into_vec(&mut sketches);
    sketches
}
