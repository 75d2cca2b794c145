//! Time from texts in memory to a matrix: `cargo bench --bench gather -- JSONL [RUNS=5] [THREADS=1,2]`. The environment variable
//! `GATHER_JSONL` replaces the first argument. Lines are JSON objects with a field `text`.
//!
//! Prints CSV with the median of the runs: stage, threads, seconds, documents and megabytes of text per second. Sizes go to standard error.

use std::path::Path;
use std::time::Instant;

use nearsig::text::AnalyzerOptions;
use nearsig::vector::gather::MatrixBuilder;
use nearsig::vector::sparse::SparseRows;
use rayon::prelude::*;

const OPTIONS: AnalyzerOptions = AnalyzerOptions::letters(1);
/// Documents per batch.
const BATCH: usize = 128;
const STAGES: [&str; 3] = ["parse", "gather", "matrix"];

fn parsed(bytes: &[u8]) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Line {
        text: String,
    }
    let lines: Vec<&[u8]> =
        bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let text = |line: &&[u8]| serde_json::from_slice::<Line>(line).expect("JSON with a text").text;
    lines.par_iter().map(text).collect()
}

/// Runs all stages once, and returns the seconds of each.
fn run(bytes: &[u8]) -> [f64; STAGES.len()] {
    let mut seconds = [0.0; STAGES.len()];
    let mut start = Instant::now();
    let mut stages = seconds.iter_mut();
    let mut done = || {
        if let Some(stage) = stages.next() {
            *stage = start.elapsed().as_secs_f64();
        }
        start = Instant::now();
    };
    let texts = parsed(bytes);
    done();
    let builder = MatrixBuilder::new(OPTIONS);
    let batches = texts.par_chunks(BATCH).map(|batch| builder.add(batch)).collect::<Vec<_>>();
    done();
    let matrix = builder.finish(&batches);
    done();
    eprintln!(
        "{} documents, {} terms, {} components",
        matrix.vectors.rows(),
        matrix.terms.len(),
        matrix.vectors.components()
    );
    seconds
}

fn main() {
    // `cargo bench` adds this flag.
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let Ok(path) = std::env::var("GATHER_JSONL") {
        arguments.insert(0, path);
    }
    let Some(path) = arguments.first() else {
        eprintln!("gather: expected JSONL, as an argument or in GATHER_JSONL");
        return;
    };
    let path = Path::new(path);
    let runs: usize = arguments.get(1).map_or(5, |runs| runs.parse().expect("a number of runs"));
    let threads = arguments.get(2).map_or("1,2", String::as_str);
    let bytes = std::fs::read(path).expect("a readable file");
    let texts = parsed(&bytes);
    let (documents, size) =
        (texts.len() as f64, texts.iter().map(String::len).sum::<usize>() as f64);
    drop(texts);
    println!("stage,threads,seconds,documents_per_second,megabytes_per_second");
    for threads in threads.split(',').map(|number| number.parse().expect("numbers of threads")) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        let times: Vec<_> = pool.install(|| (0..runs).map(|_| run(&bytes)).collect());
        for (number, stage) in STAGES.iter().enumerate() {
            let mut seconds: Vec<f64> = times.iter().map(|run| run[number]).collect();
            seconds.sort_by(f64::total_cmp);
            let middle = seconds[runs / 2];
            println!(
                "{stage},{threads},{middle:.4},{:.0},{:.1}",
                documents / middle,
                size / 1e6 / middle
            );
        }
    }
}
