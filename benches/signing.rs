//! Documents per second of the signing kernels, without files: `cargo bench --bench signing -- VEC_PATHS`.
//!
//! Signatures have 1024 bits. Prints CSV: what, threads, documents (or rows of hyperplanes) per second, the median of the runs.

use std::path::PathBuf;
use std::time::Instant;

use nearsig::Session;
use nearsig::bits::cpu::Cpu;
use nearsig::chain::similarity::read_vectors;
use nearsig::search::exact::SparseMatrix;
use nearsig::signature::{
    HyperplaneBlock, Hyperplanes, Levels, QuantizedVectors, SignatureSet, gauss, levels,
};

const BITS: usize = 1024;
/// Vectors per part.
const VECTORS_PER_PART: usize = 500;
/// Runs; the median counts.
const RUNS: usize = 3;

/// Returns all vectors, quantized.
fn parts(vectors: &SparseMatrix, steps: i16) -> Vec<QuantizedVectors> {
    let mut parts = Vec::new();
    for (number, vector) in vectors.outer_iterator().enumerate() {
        if number % VECTORS_PER_PART == 0 {
            parts.push(QuantizedVectors::new(steps));
        }
        let part = parts.last_mut().expect("the first vector starts a part");
        part.push(vector.indices(), vector.data());
    }
    parts
}

/// Prints the rate of `work` on `count` items.
fn measure(what: &str, threads: usize, count: usize, mut work: impl FnMut() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let mut run = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let mut seconds: Vec<f64> = pool.install(|| (0..RUNS).map(|_| run()).collect());
    seconds.sort_by(f64::total_cmp);
    println!("{what},{threads},{:.0}", count as f64 / seconds[RUNS / 2]);
}

fn main() {
    // `cargo bench` adds a flag of its own.
    let path = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let path = PathBuf::from(path.expect("VEC_PATHS, the list of VEC files"));
    let (names, vectors) = read_vectors(&path, &Session::silent()).expect("VEC files");
    let (documents, terms, cpu) = (names.len(), vectors.cols(), Cpu::best());
    eprintln!("{documents} documents of {:.1} terms", vectors.nnz() as f64 / documents as f64);
    let for_gauss = parts(&vectors, gauss::STEPS);
    let for_levels = parts(&vectors, levels::STEPS);
    let words = SignatureSet::words_for(BITS);
    let mut signatures = vec![0; documents * words];
    let mut sign = |sign: &dyn Fn(&mut [&mut [u64]])| {
        signatures.fill(0);
        sign(&mut signatures.chunks_mut(VECTORS_PER_PART * words).collect::<Vec<_>>());
    };
    let planes = Hyperplanes::new(1, BITS, terms);
    let mut rows = memmap2::MmapMut::map_anon(2 * terms * BITS).expect("memory for the rows");
    #[cfg(target_os = "linux")]
    let _ = rows.advise(memmap2::Advice::HugePage);
    let rows: &mut [i16] = bytemuck::cast_slice_mut(&mut rows);
    println!("what,threads,per_second");
    for threads in [1, 2] {
        measure("gauss_rows_drawn", threads, terms, || gauss::fill(&planes, rows));
        let block = HyperplaneBlock { bits: 0..BITS, terms, rows };
        measure("gauss", threads, documents, || {
            sign(&|all| block.sign(&for_gauss, BITS, all, cpu));
        });
        let levels = Levels::new(1, BITS, terms, cpu);
        measure("levels", threads, documents, || sign(&|all| levels.sign(&for_levels, all)));
    }
}
