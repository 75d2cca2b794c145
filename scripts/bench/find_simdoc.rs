//! The crate find-simdoc as a peer: text lines to pairs with a Jaccard similarity of words at or over a threshold (sketches of 1-bit minwise hashes, its sketch-sort join), the
//! question that rensa answers too. Speaks as peers.py does: FILE as its argument, then "run RADIUS" lines on standard input, an answer in JSON for each.

use std::io::BufRead;
use std::time::Instant;

use find_simdoc::JaccardSearcher;

/// Sketches of 20 · 64 bits, as in its documentation.
const CHUNKS: usize = 20;

fn main() {
    let path = std::env::args().nth(1).expect("a file of text lines");
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("standard input can be read");
        let radius: f64 = line.split(' ').nth(1).expect("run RADIUS").parse().expect("a radius");
        let start = Instant::now();
        let pairs = search(&path, radius);
        let seconds = start.elapsed().as_secs_f64();
        println!("{{\"seconds\": {seconds}, \"pairs\": {pairs}}}");
    }
}

fn search(path: &str, radius: f64) -> usize {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let documents: Vec<&str> = text.lines().collect();
    let searcher = JaccardSearcher::new(1, Some(' '), Some(42)).expect("word unigrams");
    let searcher = searcher.build_sketches_in_parallel(documents.iter(), CHUNKS).expect("sketches");
    searcher.search_similar_pairs(radius).len()
}
