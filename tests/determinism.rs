//! The same bytes for any number of threads, with and without `use_hdd`, compressed or not.
