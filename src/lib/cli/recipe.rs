//! Values of the flags of `create_corpus`, checked at the border.

use crate::corpus::synthetic::MOST_TERMS;
use crate::executable::values::within;

/// The longest mean document: more words than the longest book.
const MOST_WORDS: f64 = 1e7;

/// With a spread of 2 the mean is already held by one document in six.
const LARGEST_SPREAD: f64 = 2.0;

/// Above, the most frequent word is nearly all there is.
const LARGEST_EXPONENT: f64 = 10.0;

/// A mean number of words.
pub fn mean_words(text: &str) -> Result<f64, String> {
    within(text, 1.0, MOST_WORDS)
}

/// A standard deviation of the logarithm of lengths.
pub fn spread(text: &str) -> Result<f64, String> {
    within(text, 0.0, LARGEST_SPREAD)
}

/// Zipf's exponent.
pub fn exponent(text: &str) -> Result<f64, String> {
    within(text, 0.0, LARGEST_EXPONENT)
}

/// A number of terms: at least two, so that a word can be replaced by another.
pub fn terms(text: &str) -> Result<u32, String> {
    let terms = text.parse().ok().filter(|terms| (2..=MOST_TERMS).contains(terms));
    terms.ok_or_else(|| format!("expected an integer from 2 to {MOST_TERMS}"))
}
