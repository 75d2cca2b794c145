//! Each file format against a file kept in `tests/golden/`.
