//! Killed, truncated, damaged, full: never a wrong or half file under the final name.
