//! compare_results: usage, flags, errors.
