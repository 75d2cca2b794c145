//! similarity: exact similarities of vectors.

nearsig::executable!(nearsig::chain::similarity::Similarity);
