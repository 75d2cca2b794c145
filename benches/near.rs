//! Times the search strategies for similar documents: `cargo bench --bench near -- COLLECTION.jsonl [COSINES=0.5,0.7,0.8,0.9,0.95] [STRATEGIES=exact,scan,join,tables] [THREADS=2] [RECALL=0.999]`.
//!
//! Vectors are built from the field `text` as in find_near_dups. Prints one CSV line per strategy and cosine, with the cost estimate and the recall
//! against the exact pairs (if `exact` is among the strategies); statistics of the collection go to standard error.

use std::collections::HashMap;
use std::io::BufRead;
use std::time::Instant;

use nearsig::bits::cpu::Cpu;
use nearsig::bits::distance;
use nearsig::search::exact::{Prepared, SparseMatrix};
use nearsig::search::near::{self, CollectionShape, SearchRequest, SearchStrategy};
use nearsig::search::{GroupedPairs, Pair};
use nearsig::session::{Progress, Session};
use nearsig::signature::{Levels, QuantizedVectors, SignatureSet, effective_terms, levels};
use nearsig::text::{AnalyzerOptions, TermCounter};

const BITS: usize = 1024;
const SEED: u64 = 2007;
/// Vectors per signing task.
const VECTORS_PER_PART: usize = 500;

/// Prints phases and details with their times.
struct PhaseLog(Instant);

impl Progress for PhaseLog {
    fn phase(&self, part: &str, _steps: Option<u64>) {
        eprintln!("  {:8.3} {part}", self.0.elapsed().as_secs_f64());
    }
    fn advance(&self, _steps: u64) {}
    fn info(&self, _message: &str) {}
    fn detail(&self, message: &str) {
        eprintln!("  {:8.3}   {message}", self.0.elapsed().as_secs_f64());
    }
}

/// Returns the vectors of a collection, terms from frequent to rare.
fn vectors(path: &str) -> SparseMatrix {
    let file = std::fs::File::open(path).expect("a collection that can be read");
    let rules = AnalyzerOptions::letters(1);
    let mut bagger = TermCounter::new(rules);
    let mut numbers = HashMap::<String, u32>::new();
    let mut frequencies: Vec<u32> = Vec::new();
    let mut rows: Vec<Vec<(u32, f32)>> = Vec::new();
    for line in std::io::BufReader::with_capacity(1 << 20, file).lines() {
        let line = line.expect("lines of text");
        let document: serde_json::Value = serde_json::from_str(&line).expect("JSON lines");
        let text = document["text"].as_str().expect("a text");
        let row = bagger.bag(text).map(|term| {
            let next = frequencies.len() as u32;
            let number = *numbers.entry(term.text.to_string()).or_insert(next);
            if number == next {
                frequencies.push(0);
            }
            frequencies[number as usize] += 1;
            let weight = 1.0 + (term.count as f64).ln();
            (number, ((weight * 1024.0).round() / 1024.0) as f32)
        });
        rows.push(row.collect());
    }
    let mut order: Vec<u32> = (0..frequencies.len() as u32).collect();
    order.sort_by_key(|term| std::cmp::Reverse(frequencies[*term as usize]));
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, term)| ranks[*term as usize] = rank as u32);
    let (mut starts, mut indexes, mut values) = (vec![0], Vec::new(), Vec::new());
    for mut row in rows.into_iter() {
        row.iter_mut().for_each(|(term, _)| *term = ranks[*term as usize]);
        row.sort_unstable_by_key(|(term, _)| *term);
        indexes.extend(row.iter().map(|(term, _)| *term));
        values.extend(row.iter().map(|(_, value)| *value));
        starts.push(indexes.len());
    }
    SparseMatrix::new((starts.len() - 1, order.len()), starts, indexes, values)
}

fn signed(vectors: &SparseMatrix) -> SignatureSet {
    let mut parts = Vec::new();
    for (number, vector) in vectors.outer_iterator().enumerate() {
        if number % VECTORS_PER_PART == 0 {
            parts.push(QuantizedVectors::new(levels::STEPS));
        }
        let part = parts.last_mut().expect("the first vector starts a part");
        part.push(vector.indices(), vector.data());
    }
    let words = SignatureSet::words_for(BITS);
    let mut signatures = vec![0; vectors.rows() * words];
    let levels = Levels::new(SEED, BITS, vectors.cols(), Cpu::best());
    let start = Instant::now();
    let mut chunks: Vec<&mut [u64]> = signatures.chunks_mut(VECTORS_PER_PART * words).collect();
    levels.sign(&parts, &mut chunks);
    eprintln!("signing {:.3} s", start.elapsed().as_secs_f64());
    let mut set = SignatureSet::new(BITS);
    set.reserve(vectors.rows());
    signatures.chunks(words).for_each(|signature| set.push(signature));
    set
}

/// Returns the vectors whose signatures are too inaccurate.
fn short(vectors: &SparseMatrix) -> Vec<u32> {
    let is_short = |values: &[f32]| effective_terms(values) < levels::MIN_EFFECTIVE_TERMS;
    let rows = vectors.outer_iterator().enumerate();
    rows.filter(|(_, row)| is_short(row.data())).map(|(number, _)| number as u32).collect()
}

/// Estimates the mean cosine of random pairs from their signatures and prints quantiles.
fn background(set: &SignatureSet) -> f64 {
    const STRIDE: usize = 1_000_003;
    let share = |number: usize| {
        let one = number.wrapping_mul(STRIDE) % set.len();
        let other = (one + 1 + number.wrapping_mul(STRIDE / 7) % (set.len() - 1)) % set.len();
        f64::from(distance(set.get(one), set.get(other))) / BITS as f64
    };
    let mut shares: Vec<f64> = (0..1 << 16).map(share).collect();
    shares.sort_by(f64::total_cmp);
    let cosine = |share: f64| (share * std::f64::consts::PI).cos();
    let at = |quantile: f64| cosine(shares[(shares.len() as f64 * quantile) as usize]);
    let mean = cosine(shares.iter().sum::<f64>() / shares.len() as f64);
    eprintln!(
        "background: mean {mean:.3}; {:.3} at 1/1000, {:.3} at 1/100, {:.3} at 1/2",
        at(0.001),
        at(0.01),
        at(0.5)
    );
    mean
}

/// Returns the share of the exact pairs of groups that was found.
fn recall(found: &[Pair], exact: &[Pair]) -> f64 {
    let hits = exact.iter().filter(|pair| {
        found.binary_search_by_key(&(pair.low, pair.high), |pair| (pair.low, pair.high)).is_ok()
    });
    hits.count() as f64 / exact.len().max(1) as f64
}

fn run(
    vectors: &SparseMatrix,
    set: &SignatureSet,
    short: &[u32],
    request: &SearchRequest,
) -> (GroupedPairs, f64) {
    let copy = vectors.clone();
    let start = Instant::now();
    let prepared = Prepared::new(copy, &Session::silent());
    let session = Session::silent().with_progress(std::sync::Arc::new(PhaseLog(start)));
    let found = near::pairs(&prepared, set, short, request, &session);
    (found, start.elapsed().as_secs_f64())
}

fn main() {
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else {
        eprintln!("near: expected COLLECTION.jsonl");
        return;
    };
    let argument = |at: usize, default: &str| arguments.get(at).cloned().unwrap_or(default.into());
    let cosines = argument(1, "0.5,0.7,0.8,0.9,0.95");
    let strategies = argument(2, "exact,scan,join,tables");
    let threads: usize = argument(3, "2").parse().expect("a number of threads");
    let wanted: f64 = argument(4, "0.999").parse().expect("a recall");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads");
    let vectors = vectors(path);
    let terms = vectors.nnz() as f64 / vectors.rows() as f64;
    let short = short(&vectors);
    eprintln!(
        "{} documents of {terms:.1} terms of {}, {} short",
        vectors.rows(),
        vectors.cols(),
        short.len()
    );
    let set = signed(&vectors);
    let shape = CollectionShape {
        documents: vectors.rows() as u64,
        new_documents: vectors.rows() as u64,
        signed_documents: vectors.rows() as u64,
        terms_per_document: terms,
        background: background(&set),
        threads,
    };
    println!(
        "strategy,documents,threads,cosine,seconds,estimated_seconds,pairs,pairs_of_groups,guaranteed,recall"
    );
    for cosine in cosines.split(',').map(|cosine| cosine.parse::<f64>().expect("a cosine")) {
        let start = Instant::now();
        let mut plans = near::plans(&shape, cosine, wanted, BITS);
        eprintln!("planned in {:.4} s", start.elapsed().as_secs_f64());
        plans.retain(|plan| strategies.split(',').any(|name| name == plan.strategy.name()));
        plans.sort_by_key(|plan| plan.strategy != SearchStrategy::Exact);
        let mut exact: Option<Vec<Pair>> = None;
        for plan in plans {
            eprintln!("{plan:?}");
            let request = SearchRequest {
                threshold: 100.0 * cosine,
                strategy: plan.strategy,
                seed: SEED,
                first_new: 0,
            };
            let (found, seconds) = run(&vectors, &set, &short, &request);
            let measured = exact.as_ref().map_or(f64::NAN, |exact| recall(found.between(), exact));
            println!(
                "{},{},{threads},{cosine},{seconds:.3},{:.3},{},{},{:.5},{measured:.5}",
                plan.strategy.name(),
                vectors.rows(),
                plan.seconds,
                found.count(),
                found.between().len(),
                plan.recall,
            );
            if plan.strategy == SearchStrategy::Exact {
                exact = Some(found.between().to_vec());
            }
        }
    }
}
