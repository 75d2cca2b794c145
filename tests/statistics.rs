//! What theory promises of signatures, measured.
