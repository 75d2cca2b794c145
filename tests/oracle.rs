//! Slow, obvious re-implementations that share no code with the library, against the executables.
