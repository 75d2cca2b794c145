//! Batches of sample queries.

/// Queries of a sample answered per thread before their lines are written.
const QUERIES_PER_THREAD: usize = 4;

/// Returns the number of sample queries to answer at once: enough for all threads, few enough for memory.
pub(super) fn batch_size() -> usize {
    QUERIES_PER_THREAD * rayon::current_num_threads()
}
