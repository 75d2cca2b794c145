//! align_passages: the passages that documents have from others.

nearsig::executable!(nearsig::alignment::AlignPassages);
