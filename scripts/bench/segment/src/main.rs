//! Words of ICU4X: reads one JSON object with "text" per line, writes the list of its words per line.
use std::io::{BufRead, Write, stdin, stdout};

use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed, options::WordBreakInvariantOptions};

fn main() {
    let kind = std::env::args().nth(1).expect("auto or dictionary");
    let options = WordBreakInvariantOptions::default();
    let segmenter: WordSegmenterBorrowed = match &*kind {
        "auto" => WordSegmenter::new_auto(options),
        "dictionary" => WordSegmenter::new_dictionary(options),
        _ => panic!("expected auto or dictionary"),
    };
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let document: serde_json::Value = serde_json::from_str(&line.expect("a line")).expect("an object");
        let text = document["text"].as_str().expect("a text");
        let mut words = Vec::new();
        let mut start = 0;
        let mut ends = segmenter.segment_str(text);
        while let Some(end) = ends.next() {
            if ends.is_word_like() {
                words.push(text[start..end].to_lowercase());
            }
            start = end;
        }
        writeln!(out, "{}", serde_json::to_string(&words).expect("strings")).expect("standard output");
    }
}
