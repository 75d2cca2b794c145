//! report_pairs: pairs of near-duplicates as an HTML report.

nearsig::executable!(nearsig::page::ReportPairs);
