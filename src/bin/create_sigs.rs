//! create_sigs: random-hyperplane signatures.

nearsig::executable!(nearsig::chain::sigs::CreateSigs);
