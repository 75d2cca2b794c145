//! Precomputed text of vector components. Most terms occur once in a document, and a term that occurs once has the same component in every
//! document.

use rayon::prelude::*;

use crate::bits::pages::advise_huge_pages;
use crate::bits::prefetch::prefetch;
use crate::files::decimal::{append_float, append_number};
use crate::vector::{Vocabulary, Weighting};

/// Bytes of an entry, text and length: half a cache line.
const ENTRY: usize = 32;
/// Maximum length of a text; its last byte holds the length.
const MAX_TEXT: usize = ENTRY - 1;
/// Marks a text that does not fit, in place of its length.
const TOO_LONG: u8 = u8::MAX;

/// Number of terms with texts for several occurrences: those of the lowest indexes, which a vocabulary in its usual order has for its most
/// frequent terms.
const FREQUENT_TERMS: usize = 2048;
/// Maximum number of occurrences with a precomputed text.
const MAX_COUNT: usize = 8;

/// The text of a component; the last byte is its length, 0 for a component of 0. It never spans two cache lines.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Entry([u8; ENTRY]);

/// The components of a collection's terms and their text.
pub struct ComponentTexts {
    weighting: Weighting,
    factors: Vec<f64>,
    /// ` index:value` of each term for one occurrence.
    once: Vec<Entry>,
    /// The same of each frequent term for 2 to [`MAX_COUNT`] occurrences.
    several: Vec<Entry>,
    /// Whether any component is 0.
    has_zeros: bool,
}

impl ComponentTexts {
    /// Prepares the terms of a vocabulary. Memory: 40 bytes per term.
    pub fn new(vocabulary: &Vocabulary, weighting: Weighting) -> Self {
        let factor = |index| weighting.factor(vocabulary.term(index), vocabulary.documents);
        let factors: Vec<f64> = (0..vocabulary.len()).into_par_iter().map(factor).collect();
        let text = |index: usize, count: usize| {
            let value = weighting.component(count as u64, factors[index]);
            Entry(if value == 0.0 { [0; ENTRY] } else { packed(index as u32, value) })
        };
        let mut once: Vec<Entry> = Vec::with_capacity(factors.len());
        advise_huge_pages(&once);
        (0..factors.len()).into_par_iter().map(|index| text(index, 1)).collect_into_vec(&mut once);
        let frequent = (0..factors.len().min(FREQUENT_TERMS)).into_par_iter();
        let several =
            frequent.flat_map_iter(|index| (2..=MAX_COUNT).map(move |count| text(index, count)));
        let several = several.collect();
        let has_zeros = once.par_iter().any(|text| text.0[MAX_TEXT] == 0);
        ComponentTexts { weighting, factors, once, several, has_zeros }
    }

    /// Returns whether the term's component is 0 for any number of occurrences.
    #[inline]
    pub fn is_zero(&self, index: u32) -> bool {
        self.has_zeros && self.once[index as usize].0[MAX_TEXT] == 0
    }

    /// Prefetches the entry that [`ComponentTexts::append`] will read.
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
            Some(Entry(text)) if text[MAX_TEXT] != TOO_LONG => {
                // A copy of fixed length takes few instructions; the excess is cut off again.
                line.extend_from_slice(text);
                line.truncate(line.len() - ENTRY + usize::from(text[MAX_TEXT]));
            }
            _ => {
                let value = self.weighting.component(count, self.factors[index as usize]);
                append_component(line, index, value);
            }
        }
    }

    /// Returns the text for more than one occurrence, if it is precomputed.
    #[inline]
    fn text_of_several(&self, index: u32, count: u64) -> Option<&Entry> {
        if !(2..=MAX_COUNT as u64).contains(&count) {
            return None;
        }
        self.several.get(index as usize * (MAX_COUNT - 1) + count as usize - 2)
    }
}

/// Appends a space and one component.
pub fn append_component(line: &mut Vec<u8>, index: u32, value: f32) {
    line.push(b' ');
    append_number(line, u64::from(index));
    line.push(b':');
    append_float(line, value);
}

fn packed(index: u32, value: f32) -> [u8; ENTRY] {
    let mut text = Vec::with_capacity(ENTRY);
    append_component(&mut text, index, value);
    let mut packed = [0; ENTRY];
    if text.len() > MAX_TEXT {
        packed[MAX_TEXT] = TOO_LONG;
        return packed;
    }
    packed[..text.len()].copy_from_slice(&text);
    packed[MAX_TEXT] = text.len() as u8;
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
                let components = ComponentTexts::new(&vocabulary, weighting);
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
    fn a_text_that_does_not_fit_is_formatted_on_demand() {
        // A very small ln(N / DC) has many leading zeros.
        let mut vocabulary = Vocabulary::new(1 << 52);
        vocabulary.push(Term { text: "", occurrences: 1 << 52, documents: (1 << 52) - 1 });
        let components = ComponentTexts::new(&vocabulary, Weighting::TfIdf);
        let mut line = Vec::new();
        components.append(&mut line, 0, 1);
        let value = libm::log((1u64 << 52) as f64 / ((1u64 << 52) - 1) as f64) as f32;
        assert_eq!(line, format!(" 0:{value}").into_bytes());
    }
}
