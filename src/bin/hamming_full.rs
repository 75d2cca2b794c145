//! hamming_full: all pairs of similar signatures.

nearsig::executable!(nearsig::chain::hamming::HammingFull);
