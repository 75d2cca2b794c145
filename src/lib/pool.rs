//! Work of a thread pool: reuse of expensive objects between its tasks, and the size of batches.

use std::sync::{Mutex, PoisonError};

/// An object pool. It never holds more objects than there are concurrent tasks.
pub(crate) struct ObjectPool<T> {
    free: Mutex<Vec<T>>,
}

impl<T> Default for ObjectPool<T> {
    fn default() -> Self {
        ObjectPool { free: Mutex::new(Vec::new()) }
    }
}

impl<T> ObjectPool<T> {
    /// Runs `work` on a pooled object, creating one if none is free.
    pub fn with<R>(&self, create: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut object = free.unwrap_or_else(create);
        let result = work(&mut object);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(object);
        result
    }

    /// Returns all objects.
    pub fn into_all(self) -> Vec<T> {
        self.free.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Queries of a sample answered per thread before their lines are written.
const QUERIES_PER_THREAD: usize = 4;

/// Returns the number of sample queries to answer at once: enough for all threads, few enough for memory.
pub(crate) fn batch_size() -> usize {
    QUERIES_PER_THREAD * rayon::current_num_threads()
}
