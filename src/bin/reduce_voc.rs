//! reduce_voc: a vocabulary within limits.

nearsig::executable!(nearsig::chain::voc::ReduceVoc);
