//! analyze_rnd_vecs_quality: statistical tests of the hyperplanes.

nearsig::executable!(nearsig::chain::quality::AnalyzeRndVecsQuality);
