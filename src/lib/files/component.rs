//! The text of vectors' components, made once where it is the same again and again: most terms of a document occur once in it, and a
//! term that occurs once has the same component in every document.

use rayon::prelude::*;

use super::decimal::{append_float, append_number};
use crate::bits::pages::advise_huge_pages;
use crate::bits::prefetch::prefetch;
use crate::vector::{Vocabulary, Weighting};

/// Bytes of a piece of text and its length, side by side in half a cache line.
const TEXT: usize = 32;
/// The longest text that fits beside its length.
const LONGEST: usize = TEXT - 1;
/// Instead of a length: the text does not fit.
const TOO_LONG: u8 = u8::MAX;

/// The terms of the lowest indexes, which occur most often where a vocabulary is in its usual order, ...
const FREQUENT: usize = 2048;
/// ... have the text of their components for up to so many occurrences.
const OFTEN: usize = 8;

/// A component's text; the last byte is the length, 0 for a component that is 0. It never lies in two cache lines.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Text([u8; TEXT]);

/// The components of a collection's terms and their text.
pub struct Components {
    weighting: Weighting,
    factors: Vec<f64>,
    /// For each term ` index:value` for one occurrence.
    once: Vec<Text>,
    /// For each of the first terms the same for 2, 3, … occurrences.
    often: Vec<Text>,
    /// Whether there are components that are 0 at all.
    has_zeros: bool,
}

impl Components {
    /// Prepares the terms of a vocabulary. Memory: 40 bytes a term.
    pub fn new(vocabulary: &Vocabulary, weighting: Weighting) -> Self {
        let factor = |index| weighting.factor(vocabulary.term(index), vocabulary.documents);
        let factors: Vec<f64> = (0..vocabulary.len()).into_par_iter().map(factor).collect();
        let text = |index: usize, count: usize| {
            let value = weighting.component(count as u64, factors[index]);
            Text(if value == 0.0 { [0; TEXT] } else { packed(index as u32, value) })
        };
        let mut once = Vec::with_capacity(factors.len());
        advise_huge_pages(&once);
        (0..factors.len()).into_par_iter().map(|index| text(index, 1)).collect_into_vec(&mut once);
        let frequent = (0..factors.len().min(FREQUENT)).into_par_iter();
        let often =
            frequent.flat_map_iter(|index| (2..=OFTEN).map(move |count| text(index, count)));
        let often = often.collect();
        let has_zeros = once.par_iter().any(|text| text.0[LONGEST] == 0);
        Components { weighting, factors, once, often, has_zeros }
    }

    /// Whether the term's component is 0, however often it occurs.
    #[inline]
    pub fn is_zero(&self, index: u32) -> bool {
        self.has_zeros && self.once[index as usize].0[LONGEST] == 0
    }

    /// Asks for the memory that [`Components::append`] will read.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        prefetch(&self.once[index as usize]);
    }

    /// Appends ` index:value` for a term that occurs `count` times.
    #[inline]
    pub fn append(&self, line: &mut Vec<u8>, index: u32, count: u64) {
        let text = if count == 1 {
            Some(&self.once[index as usize])
        } else {
            self.text_of_several(index, count)
        };
        match text {
            Some(Text(text)) if text[LONGEST] != TOO_LONG => {
                // A copy of fixed length is a few instructions; what is too much is cut off again.
                line.extend_from_slice(text);
                line.truncate(line.len() - TEXT + usize::from(text[LONGEST]));
            }
            _ => {
                let value = self.weighting.component(count, self.factors[index as usize]);
                append_component(line, index, value);
            }
        }
    }

    /// The text for more than one occurrence, if it is kept.
    #[inline]
    fn text_of_several(&self, index: u32, count: u64) -> Option<&Text> {
        let is_kept = (2..=OFTEN as u64).contains(&count);
        is_kept.then(|| self.often.get(index as usize * (OFTEN - 1) + count as usize - 2)).flatten()
    }
}

/// Appends one component and the space before it.
pub fn append_component(line: &mut Vec<u8>, index: u32, value: f32) {
    line.push(b' ');
    append_number(line, u64::from(index));
    line.push(b':');
    append_float(line, value);
}

fn packed(index: u32, value: f32) -> [u8; TEXT] {
    let mut text = Vec::with_capacity(TEXT);
    append_component(&mut text, index, value);
    let mut packed = [0; TEXT];
    if text.len() > LONGEST {
        packed[LONGEST] = TOO_LONG;
        return packed;
    }
    packed[..text.len()].copy_from_slice(&text);
    packed[LONGEST] = text.len() as u8;
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Term;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_spelled_as_by_the_standard_library(
            collection in 1u64..u64::MAX,
            documents in prop::collection::vec(1u64..u64::MAX, 1..20),
            counts in prop::collection::vec(prop_oneof![1u64..5, 1u64..u64::MAX], 20),
        ) {
            let mut vocabulary = Vocabulary::new(collection);
            for documents in documents.iter().map(|documents| *documents.min(&collection)) {
                vocabulary.push(Term { text: "word", occurrences: documents, documents });
            }
            for weighting in [Weighting::Tf, Weighting::TfIdf, Weighting::WordWeights] {
                let components = Components::new(&vocabulary, weighting);
                for ((index, term), count) in vocabulary.terms().enumerate().zip(&counts) {
                    let idf = libm::log(collection as f64 / term.documents as f64);
                    let value = match weighting {
                        Weighting::Tf => *count as f32,
                        Weighting::TfIdf => (*count as f64 * idf) as f32,
                        Weighting::WordWeights => ((1.0 + (*count as f64).ln()) / 2.0 * 1024.0).round() as f32 / 1024.0,
                    };
                    prop_assert_eq!(components.is_zero(index as u32), value == 0.0);
                    if value != 0.0 {
                        let mut line = b"before".to_vec();
                        components.append(&mut line, index as u32, *count);
                        prop_assert_eq!(line, format!("before {index}:{value}").into_bytes());
                    }
                }
            }
        }
    }

    #[test]
    fn a_text_that_does_not_fit_is_made_when_it_is_needed() {
        // ln(N / DC) that is very small is spelled with many zeros.
        let mut vocabulary = Vocabulary::new(1 << 52);
        vocabulary.push(Term { text: "", occurrences: 1 << 52, documents: (1 << 52) - 1 });
        let components = Components::new(&vocabulary, Weighting::TfIdf);
        let mut line = Vec::new();
        components.append(&mut line, 0, 1);
        let value = libm::log((1u64 << 52) as f64 / ((1u64 << 52) - 1) as f64) as f32;
        assert_eq!(line, format!(" 0:{value}").into_bytes());
    }
}
