//! create_prints: fingerprints of documents.

nearsig::executable!(nearsig::chain::prints::CreatePrints);
