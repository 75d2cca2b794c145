//! merge_sigs: signatures of shards to one list.

nearsig::executable!(nearsig::chain::merge::MergeSigs);
