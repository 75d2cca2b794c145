//! implant_rnd_vecs: hyperplanes as documents.

nearsig::executable!(nearsig::chain::implant::ImplantRndVecs);
