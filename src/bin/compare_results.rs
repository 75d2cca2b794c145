//! compare_results: how well one result approximates another.

nearsig::executable!(nearsig::chain::compare::CompareResults);
