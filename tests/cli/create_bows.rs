//! create_bows: usage, flags, errors.
