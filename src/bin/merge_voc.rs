//! merge_voc: vocabularies of shards to one.

nearsig::executable!(nearsig::chain::merge::MergeVoc);
