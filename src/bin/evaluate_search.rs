//! evaluate_search: found passages compared with known ones.

nearsig::executable!(nearsig::alignment::EvaluateSearch);
