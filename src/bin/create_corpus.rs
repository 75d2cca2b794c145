//! create_corpus: a synthetic collection with known near-duplicates.

nearsig::executable!(nearsig::chain::corpus::CreateCorpus);
