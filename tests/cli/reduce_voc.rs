//! reduce_voc: usage, flags, errors.
