//! Times the exact join of `similarity` without its files: `cargo bench --bench join -- VEC_PATHS [THRESHOLDS=80,95] [THREADS=1,2] [REPEATS=3] [METHODS=join]`, or
//! the same with VEC_PATHS in the environment variable `JOIN_VEC_PATHS`. Prints one CSV line per
//! run and one per phase (`join: …`); counts of candidates go to standard error. METHODS are `join` and `scan`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use nearsig::chain::similarity::read_vectors;
use nearsig::search::exact::{Comparison, SparseMatrix, join};
use nearsig::search::{Pair, SimilarityMeasure};
use nearsig::session::{Progress, Session};

/// The phases of a run with their start times.
#[derive(Default)]
struct PhaseTimes(Mutex<Vec<(String, Instant)>>);

impl Progress for PhaseTimes {
    fn phase(&self, part: &str, _steps: Option<u64>) {
        self.0.lock().expect("no thread panics").push((part.to_string(), Instant::now()));
    }
    fn advance(&self, _steps: u64) {}
    fn info(&self, _message: &str) {}
    fn detail(&self, message: &str) {
        eprintln!("{message}");
    }
}

impl PhaseTimes {
    /// Returns the phases with their seconds; the last ends now.
    fn seconds(&self) -> Vec<(String, f64)> {
        let mut end = Instant::now();
        let mut parts = self.0.lock().expect("no thread panics").clone();
        parts.reverse();
        let mut seconds = Vec::new();
        for (part, start) in parts {
            seconds.push((part, (end - start).as_secs_f64()));
            end = start;
        }
        seconds.reverse();
        seconds
    }
}

/// Parses the comma-separated values of an argument.
fn list<T: std::str::FromStr>(argument: Option<&String>, default: &str) -> Vec<T> {
    let text = argument.map_or(default, String::as_str);
    text.split(',').map(|value| value.parse().ok().expect("numbers, separated by commas")).collect()
}

/// Returns the pairs by one of the two methods.
fn pairs(method: &str, vectors: SparseMatrix, threshold: f64, session: &Session) -> Vec<Pair> {
    match method {
        "scan" => Comparison::new(vectors, SimilarityMeasure::Cosine, threshold).pairs(session),
        _ => join::pairs(vectors, threshold, session),
    }
}

fn main() {
    // `cargo bench` adds a flag of its own.
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let Ok(paths) = std::env::var("JOIN_VEC_PATHS") {
        arguments.insert(0, paths);
    }
    let Some(paths) = arguments.first().map(PathBuf::from) else {
        eprintln!("join: expected VEC_PATHS, as an argument or in JOIN_VEC_PATHS");
        return;
    };
    let (_, vectors) =
        read_vectors(&paths, &Session::silent()).expect("VEC files that can be read");
    println!("what,documents,threads,threshold,seconds,pairs");
    let repeats = list::<usize>(arguments.get(3), "3")[0];
    let methods = list::<String>(arguments.get(4), "join");
    for threads in list::<usize>(arguments.get(2), "1,2") {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        for threshold in list::<f64>(arguments.get(1), "80,95") {
            for method in methods.iter().flat_map(|method| std::iter::repeat_n(method, repeats)) {
                let (mine, parts) = (vectors.clone(), Arc::new(PhaseTimes::default()));
                let session = Session::silent().with_progress(parts.clone());
                let start = Instant::now();
                let pairs = pool.install(|| pairs(method, mine, threshold, &session));
                let all = (format!("similarity {method}"), start.elapsed().as_secs_f64());
                let parts =
                    parts.seconds().into_iter().map(|(part, s)| (format!("{method}: {part}"), s));
                for (what, seconds) in std::iter::once(all).chain(parts) {
                    let (documents, pairs) = (vectors.rows(), pairs.len());
                    println!("{what},{documents},{threads},{threshold},{seconds:.4},{pairs}");
                }
            }
        }
    }
}
