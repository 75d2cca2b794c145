//! Work of a thread pool: reuse of expensive objects between its tasks, and the size of batches.

use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Returns the results of some work on all items, in their order. The threads are not those of a thread pool, which may be waiting for the result.
pub(crate) fn map_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut own = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return own };
            own.push((at, work(item)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(items.len())).map(|_| scope.spawn(run)).collect();
        let mut all = run();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Queries of a sample answered per thread before their lines are written.
const QUERIES_PER_THREAD: usize = 4;

/// Returns the number of sample queries to answer at once: enough for all threads, few enough for memory.
pub(crate) fn batch_size() -> usize {
    QUERIES_PER_THREAD * rayon::current_num_threads()
}
