//! create_voc: usage, flags, errors.
