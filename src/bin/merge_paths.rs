//! merge_paths: lists of shards to one list.

nearsig::executable!(nearsig::chain::merge::MergePaths);
