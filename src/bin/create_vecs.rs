//! create_vecs: sparse document vectors.

nearsig::executable!(nearsig::chain::vecs::CreateVecs);
