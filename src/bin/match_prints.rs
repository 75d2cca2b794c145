//! match_prints: pairs of documents whose fingerprints agree.

nearsig::executable!(nearsig::chain::prints::MatchPrints);
