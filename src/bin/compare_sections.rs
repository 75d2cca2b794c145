//! compare_sections: copied sections and passages of documents.

nearsig::executable!(nearsig::sections::CompareSections);
