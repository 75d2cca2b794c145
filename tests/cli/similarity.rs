//! similarity: usage, flags, errors.
