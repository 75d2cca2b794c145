//! create_voc: the vocabulary of a collection.

nearsig::executable!(nearsig::chain::voc::CreateVoc);
