//! Copied passages of documents in files: `align_passages` finds them, `evaluate_search` compares found ones with known ones.

mod align;
mod evaluate;
mod scores;

pub use align::AlignPassages;
pub use evaluate::EvaluateSearch;
