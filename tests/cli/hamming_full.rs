//! hamming_full: usage, flags, errors.
