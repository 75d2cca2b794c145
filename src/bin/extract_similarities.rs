//! extract_similarities: the pairs of a result as plain lines.

nearsig::executable!(nearsig::chain::extract::ExtractSimilarities);
