//! create_sigs: usage, flags, errors.
