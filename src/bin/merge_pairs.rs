//! merge_pairs: the pairs of all shards to those of the whole stage.

nearsig::executable!(nearsig::chain::merge::MergePairs);
