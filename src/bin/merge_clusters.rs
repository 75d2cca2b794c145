//! merge_clusters: clusters of different collections, joined by the pairs between them.

nearsig::executable!(nearsig::chain::merge::MergeClusters);
