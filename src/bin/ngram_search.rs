//! ngram_search: the documents of an index that a text was copied from.

nearsig::executable!(nearsig::ngrams::search::NgramSearch);
