//! hamming: usage, flags, errors.
