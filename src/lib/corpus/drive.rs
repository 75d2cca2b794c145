//! Reading and working on documents in parallel. Workers take turns reading; a reorder buffer restores input order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::batch::{Batch, BatchResult, DocumentParser};
use super::feed::{SourceReader, WorkItem};
use super::inputs::Inputs;
use super::source::InputSource;
use crate::error::{Error, Result};
use crate::session::Session;

/// Capacity of the reorder buffer, in work items per thread.
const PENDING_PER_THREAD: usize = 32;

/// Work that a sink passes on to the calling thread, to run outside the sink.
pub type DeferredWork<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;

/// The answer of a sink to a batch.
#[derive(Default)]
pub(super) struct Delivery<'a> {
    /// Work to run in parallel with that of other threads, in any order.
    pub deferred: Vec<DeferredWork<'a>>,
    /// Whether this was the last batch the sink wants.
    pub is_last: bool,
}

/// Reads all sources. Several threads call `work` at once; `sink` receives the results in order. The first error ends the run.
pub(super) fn drive<'s, T: Send>(
    inputs: &Inputs,
    sources: &[InputSource],
    session: &Session,
    work: impl Fn(&Batch<'_>) -> T + Sync,
    sink: impl FnMut(BatchResult<T>) -> Result<Delivery<'s>> + Send,
) -> Result<()> {
    let threads = rayon::current_num_threads();
    let parser = DocumentParser::new(inputs, sources);
    let reader = Mutex::new((SourceReader::new(inputs, sources), 0));
    let buffer = ReorderBuffer::new(sink, PENDING_PER_THREAD * threads);
    let read = |item: &mut WorkItem| {
        let (reader, next) = &mut *lock(&reader);
        reader.fill(item);
        *next += 1;
        (!item.is_empty()).then_some(*next - 1)
    };
    let run = || {
        let (mut item, _guard) = (WorkItem::default(), PanicGuard(&buffer));
        while let Some(number) = read(&mut item) {
            if !buffer.put(number, item.process(&parser, &work)) {
                return;
            }
            session.advance(item.stored);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(run)));
        run();
    });
    buffer.outcome()
}

/// Passes items to a sink in the order of their numbers.
struct ReorderBuffer<T, F> {
    state: Mutex<State<T, F>>,
    has_moved: Condvar,
    capacity: usize,
}

struct State<T, F> {
    sink: F,
    /// The number of the next item.
    next: usize,
    /// Items that arrived early.
    pending: BTreeMap<usize, Vec<T>>,
    has_ended: bool,
    outcome: Result<()>,
}

impl<'s, T, F: FnMut(T) -> Result<Delivery<'s>>> ReorderBuffer<T, F> {
    fn new(sink: F, capacity: usize) -> Self {
        let (pending, outcome) = (BTreeMap::new(), Ok(()));
        let state = State { sink, next: 0, pending, has_ended: false, outcome };
        ReorderBuffer { state: Mutex::new(state), has_moved: Condvar::new(), capacity }
    }

    /// Delivers an item, or keeps it until its turn. Waits while the buffer is full; the thread with the next item never waits. Returns whether
    /// more items are wanted.
    fn put(&self, number: usize, items: Vec<T>) -> bool {
        let mut state = lock(&self.state);
        state.pending.insert(number, items);
        let mut deferred = Vec::new();
        if number == state.next {
            deferred = state.deliver();
            self.has_moved.notify_all();
        }
        if !deferred.is_empty() {
            drop(state);
            if let Err(error) = deferred.into_iter().try_for_each(|work| work()) {
                self.fail(error);
            }
            state = lock(&self.state);
        }
        let is_full =
            |state: &mut State<T, F>| state.pending.len() >= self.capacity && !state.has_ended;
        let state = self.has_moved.wait_while(state, is_full);
        !state.unwrap_or_else(PoisonError::into_inner).has_ended
    }

    fn fail(&self, error: Error) {
        let mut state = lock(&self.state);
        if state.outcome.is_ok() {
            state.outcome = Err(error);
        }
        state.has_ended = true;
        self.has_moved.notify_all();
    }

    fn outcome(self) -> Result<()> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
    }
}

impl<'s, T, F: FnMut(T) -> Result<Delivery<'s>>> State<T, F> {
    /// Delivers all items whose turn it is and returns the deferred work.
    fn deliver(&mut self) -> Vec<DeferredWork<'s>> {
        let mut deferred = Vec::new();
        while let Some(items) = self.pending.remove(&self.next) {
            self.next += 1;
            for item in items {
                if self.has_ended {
                    break;
                }
                match (self.sink)(item) {
                    Ok(delivery) => {
                        deferred.extend(delivery.deferred);
                        self.has_ended = delivery.is_last;
                    }
                    Err(error) => (self.has_ended, self.outcome) = (true, Err(error)),
                }
            }
        }
        deferred
    }
}

/// Ends the run if its owner panics, so that no thread waits forever.
struct PanicGuard<'a, T, F>(&'a ReorderBuffer<T, F>);

impl<T, F> Drop for PanicGuard<'_, T, F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.state).has_ended = true;
            self.0.has_moved.notify_all();
        }
    }
}

/// Locks a mutex. A poisoned state is never used: the panic continues in all threads.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// What happens at a number.
    #[derive(Clone, Copy, PartialEq)]
    enum Event {
        Fails,
        Ends,
        FailsLater,
    }

    /// Four threads put numbers, twice each, with irregular delays. Returns what the sink received, how many deferred works ran, and the outcome.
    fn put_all(
        count: usize,
        capacity: usize,
        event: Option<(Event, usize)>,
    ) -> (Vec<usize>, usize, Result<()>) {
        let (mut received, next, ran) = (Vec::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        let enough = || Error::Message("it is enough".into());
        let buffer = ReorderBuffer::new(
            |number| {
                received.push(number);
                let is = |wanted: Event| event == Some((wanted, number));
                if is(Event::Fails) {
                    return Err(enough());
                }
                let (ran, fails) = (&ran, is(Event::FailsLater));
                let work: DeferredWork<'_> = Box::new(move || {
                    ran.fetch_add(1, Ordering::Relaxed);
                    if fails { Err(enough()) } else { Ok(()) }
                });
                Ok(Delivery { deferred: vec![work], is_last: is(Event::Ends) })
            },
            capacity,
        );
        let run = || {
            let _guard = PanicGuard(&buffer);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number % 7 == 0 {
                    std::thread::sleep(std::time::Duration::from_micros(300));
                }
                if number >= count || !buffer.put(number, vec![number, number]) {
                    return;
                }
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(run))));
        let outcome = buffer.outcome();
        (received, ran.into_inner(), outcome)
    }

    #[test]
    fn items_are_delivered_in_order() {
        for capacity in [1, 2, 100] {
            let (received, ran, outcome) = put_all(500, capacity, None);
            assert!(received.into_iter().eq((0..500).flat_map(|number| [number, number])));
            assert!(ran == 1000 && outcome.is_ok());
        }
    }

    #[test]
    fn nothing_is_delivered_after_an_error_or_the_last_batch() {
        let (received, ran, outcome) = put_all(500, 3, Some((Event::Fails, 100)));
        assert_eq!((received.len(), ran), (201, 200));
        assert_eq!(outcome.unwrap_err().to_string(), "it is enough");
        let (received, ran, outcome) = put_all(500, 3, Some((Event::Ends, 100)));
        assert_eq!((received.len(), ran), (201, 201));
        assert!(outcome.is_ok());
        let (received, _, outcome) = put_all(100_000, 3, Some((Event::FailsLater, 100)));
        assert!(received.len() < 200_000);
        assert_eq!(outcome.unwrap_err().to_string(), "it is enough");
    }

    #[test]
    fn no_thread_waits_for_one_that_panicked() {
        let buffer = ReorderBuffer::new(|_: usize| Ok(Delivery::default()), 1);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let _guard = PanicGuard(&buffer);
                    panic!("the first one");
                });
                assert!(!buffer.put(1, vec![1]), "it has ended");
            });
        }));
        assert!(outcome.is_err());
    }
}
