//! create_vecs: usage, flags, errors.
