//! How many documents a second the signing kernels manage, without files: `cargo bench --bench signing`.
//!
//! Documents are synthetic: 250 words each, drawn by Zipf's law from 500,000, weighted by tf·idf; signatures have 1024 bits. Prints CSV:
//! what, threads, documents (or rows of random vectors) a second, the best of some runs.

use std::time::Instant;

use nearsig::bits::cpu::Cpu;
use nearsig::signature::{Block, Documents, Hyperplanes, Levels, SignatureSet, gauss, levels};
use nearsig::vector::{Weighting, idf};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const DOCUMENTS: usize = 20_000;
const WORDS_A_DOCUMENT: usize = 250;
const VOCABULARY: usize = 500_000;
/// Zipf's law with this exponent gives 175 different words of 250.
const EXPONENT: f64 = 1.05;
const BITS: usize = 1024;
/// Documents that a task takes.
const DOCUMENTS_A_PART: usize = 500;
/// Runs of which the best counts; the portable kernels are slow and steady enough for one.
const RUNS: usize = 5;
const PORTABLE_RUNS: usize = 1;

type Vector = (Vec<u32>, Vec<f32>);

/// Documents over terms in the order of their frequency, as a vocabulary has them.
fn vectors() -> Vec<Vector> {
    let mut sums = Vec::with_capacity(VOCABULARY);
    let mut sum = 0.0;
    for rank in 1..=VOCABULARY {
        sum += (rank as f64).powf(-EXPONENT);
        sums.push(sum);
    }
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut word = || {
        let drawn = generator.random::<f64>() * sum;
        sums.partition_point(|sum| *sum < drawn) as u32
    };
    let mut documents: Vec<Vec<u32>> = Vec::new();
    for _ in 0..DOCUMENTS {
        let mut words: Vec<u32> = (0..WORDS_A_DOCUMENT).map(|_| word()).collect();
        words.sort_unstable();
        documents.push(words);
    }
    weighted(&documents)
}

fn weighted(documents: &[Vec<u32>]) -> Vec<Vector> {
    let mut frequencies = vec![0u64; VOCABULARY];
    for words in documents {
        words.chunk_by(|l, r| l == r).for_each(|run| frequencies[run[0] as usize] += 1);
    }
    let vector = |words: &Vec<u32>| {
        let runs = words.chunk_by(|left, right| left == right);
        let weight = |run: &[u32]| {
            let documents = frequencies[run[0] as usize];
            Weighting::TfIdf.component(run.len() as u64, idf(documents, DOCUMENTS as u64))
        };
        runs.map(|run| (run[0], weight(run))).filter(|(_, weight)| *weight != 0.0).unzip()
    };
    documents.iter().map(vector).collect()
}

fn parts(vectors: &[Vector], steps: i16) -> Vec<Documents> {
    let part = |vectors: &[Vector]| {
        let mut documents = Documents::new(steps);
        vectors.iter().for_each(|(indexes, values)| documents.push(indexes, values));
        documents
    };
    vectors.chunks(DOCUMENTS_A_PART).map(part).collect()
}

/// Prints how many of `count` things a second `work` does.
fn measure(what: &str, threads: usize, count: usize, mut work: impl FnMut() + Send) {
    let runs = if what.ends_with(Cpu::Scalar.name()) { PORTABLE_RUNS } else { RUNS };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let mut run = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let best = pool.install(|| (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min));
    println!("{what},{threads},{:.0}", count as f64 / best);
}

fn main() {
    let vectors = vectors();
    let terms: usize = vectors.iter().map(|(indexes, _)| indexes.len()).sum();
    eprintln!("{DOCUMENTS} documents of {:.1} terms", terms as f64 / DOCUMENTS as f64);
    let for_gauss = parts(&vectors, gauss::STEPS);
    let for_levels = parts(&vectors, levels::STEPS);
    let words = SignatureSet::words_for(BITS);
    let mut signatures = vec![0; DOCUMENTS * words];
    let planes = Hyperplanes::new(1, BITS, VOCABULARY);
    let mut rows = memmap2::MmapMut::map_anon(2 * VOCABULARY * BITS).expect("a gigabyte");
    #[cfg(target_os = "linux")]
    let _ = rows.advise(memmap2::Advice::HugePage);
    let rows: &mut [i16] = bytemuck::cast_slice_mut(&mut rows);
    gauss::fill(&planes, rows);
    println!("what,threads,per_second");
    for threads in [1, 2] {
        for cpu in Cpu::available() {
            let name = cpu.name();
            let sign = |signatures: &mut [u64], sign: &dyn Fn(&mut [&mut [u64]])| {
                signatures.fill(0);
                sign(&mut signatures.chunks_mut(DOCUMENTS_A_PART * words).collect::<Vec<_>>());
            };
            let block = Block { bits: 0..BITS, terms: VOCABULARY, rows };
            measure(&format!("gauss_{name}"), threads, DOCUMENTS, || {
                sign(&mut signatures, &|all| block.sign(&for_gauss, BITS, all, cpu));
            });
            let levels = Levels::new(1, BITS, VOCABULARY, cpu);
            measure(&format!("levels_{name}"), threads, DOCUMENTS, || {
                sign(&mut signatures, &|all| levels.sign(&for_levels, all));
            });
        }
        measure("gauss_rows_drawn", threads, VOCABULARY, || gauss::fill(&planes, rows));
    }
}
