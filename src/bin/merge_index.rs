//! merge_index: n-gram indexes of shards to one.

nearsig::executable!(nearsig::ngrams::MergeIndex);
