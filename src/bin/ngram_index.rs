//! ngram_index: an index of word n-grams, in which copied passages are found.

nearsig::executable!(nearsig::ngrams::NgramIndex);
