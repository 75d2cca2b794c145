"""Experiments with ngram_index and ngram_search: a corpus of planted copies, tables and claims of two theses."""
