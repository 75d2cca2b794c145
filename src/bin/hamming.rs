//! hamming: similar signatures by PLEB.

nearsig::executable!(nearsig::chain::hamming::Hamming);
