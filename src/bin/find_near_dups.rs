//! find_near_dups: near-duplicate pairs, clusters, a deduplicated copy.

nearsig::executable!(nearsig::near_dups::FindNearDups);
