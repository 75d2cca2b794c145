//! Reads sources and works on their documents at the same time; gives the results in reading order.
//!
//! Every thread reads for itself, one after the other, works on what it has read and reads on. None waits for the others, unless one takes so long
//! that too many results would have to be kept for later.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Inputs;
use super::batch::{Batch, Maker, Spot};
use super::feed::{Feeder, Load, Unit};
use super::skip::Skip;
use super::source::{Kind, Source};
use crate::error::Result;
use crate::session::Session;

/// Results that came before their turn are kept for so many loads of each thread, at most.
const EARLY_A_THREAD: usize = 32;

/// What became of a batch.
pub(super) struct Made<T> {
    /// What the work made of its documents, if it has any.
    pub result: Option<T>,
    /// Where they stand.
    pub spots: Vec<Spot>,
    /// What the sources of the batch are.
    pub kinds: Vec<(usize, Kind)>,
    pub skips: Vec<Skip>,
    pub guessed: u64,
    pub bytes: u64,
}

/// Reads all sources. `work` is called by several threads at once, `take` in order; its first error ends it all.
pub(super) fn drive<T: Send>(
    inputs: &Inputs,
    sources: &[Source],
    session: &Session,
    work: impl Fn(&Batch<'_>) -> T + Sync,
    take: impl FnMut(Made<T>) -> Result<()> + Send,
) -> Result<()> {
    let threads = rayon::current_num_threads();
    let maker = Maker::new(inputs, sources);
    let feeder = Mutex::new((Feeder::new(inputs, sources), 0));
    let order = Order::new(take, EARLY_A_THREAD * threads);
    let read = |load: &mut Load| {
        let (feeder, next) = &mut *lock(&feeder);
        feeder.fill(load);
        *next += 1;
        *next - 1
    };
    let run = || {
        let (mut load, _guard) = (Load::default(), order.guard());
        loop {
            let number = read(&mut load);
            if load.is_empty() {
                return;
            }
            let units = load.units().into_iter();
            if !order.put(number, units.map(|unit| make(&maker, unit, &work)).collect()) {
                return;
            }
            session.advance(load.stored);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(run)));
        run();
    });
    order.outcome()
}

fn make<T>(maker: &Maker<'_>, unit: Unit<'_>, work: impl Fn(&Batch<'_>) -> T) -> Made<T> {
    let mut kinds = Vec::new();
    let batch = match unit {
        Unit::Records(parts) => {
            kinds.extend(parts.iter().map(|part| (part.source, part.kind)));
            maker.records(&parts)
        }
        Unit::Files(sources) => maker.files(sources),
        #[cfg(feature = "parquet")]
        Unit::Rows { source, first, rows } => maker.rows(source, first, rows),
        Unit::Skip(skip) => Batch { skips: vec![skip.clone()], ..Batch::default() },
    };
    let result = (!batch.documents.is_empty()).then(|| work(&batch));
    let Batch { spots, skips, guessed, bytes, .. } = batch;
    Made { result, spots, kinds, skips, guessed, bytes }
}

/// Hands things on in their order, whenever they come.
struct Order<T, F> {
    state: Mutex<State<T, F>>,
    has_moved: Condvar,
    most_early: usize,
}

struct State<T, F> {
    take: F,
    /// The number of what is handed on next.
    next: usize,
    /// What came before its turn.
    early: BTreeMap<usize, Vec<T>>,
    /// Nothing more is handed on.
    has_ended: bool,
    outcome: Result<()>,
}

impl<T, F: FnMut(T) -> Result<()>> Order<T, F> {
    fn new(take: F, most_early: usize) -> Self {
        let (early, outcome) = (BTreeMap::new(), Ok(()));
        let state = State { take, next: 0, early, has_ended: false, outcome };
        Order { state: Mutex::new(state), has_moved: Condvar::new(), most_early }
    }

    /// Hands some things on, or keeps them until those before were. Waits while too many are kept: who has those before does not wait. Whether there is use in going on.
    fn put(&self, number: usize, things: Vec<T>) -> bool {
        let mut state = lock(&self.state);
        state.early.insert(number, things);
        if number == state.next {
            state.hand_on();
            self.has_moved.notify_all();
        }
        let is_full =
            |state: &mut State<T, F>| state.early.len() >= self.most_early && !state.has_ended;
        let state = self.has_moved.wait_while(state, is_full);
        !state.unwrap_or_else(PoisonError::into_inner).has_ended
    }

    /// Ends it all if its owner panics, so that nobody waits for what never comes.
    fn guard(&self) -> Guard<'_, T, F> {
        Guard(self)
    }

    fn outcome(self) -> Result<()> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
    }
}

impl<T, F: FnMut(T) -> Result<()>> State<T, F> {
    fn hand_on(&mut self) {
        while let Some(things) = self.early.remove(&self.next) {
            self.next += 1;
            if self.outcome.is_ok() {
                self.outcome = things.into_iter().try_for_each(&mut self.take);
            }
        }
        self.has_ended |= self.outcome.is_err();
    }
}

struct Guard<'a, T, F>(&'a Order<T, F>);

impl<T, F> Drop for Guard<'_, T, F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.state).has_ended = true;
            self.0.has_moved.notify_all();
        }
    }
}

/// What a panic leaves behind is not looked at: it goes on in all threads.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::Error;

    /// Several threads put numbers, twice each, and each waits for the others now and then. Returns what was taken.
    fn put_all(count: usize, most_early: usize, fails_at: usize) -> (Vec<usize>, Result<()>) {
        let (mut taken, next) = (Vec::new(), AtomicUsize::new(0));
        let order = Order::new(
            |number| {
                taken.push(number);
                let fails = number == fails_at;
                if fails { Err(Error::Message("it is enough".into())) } else { Ok(()) }
            },
            most_early,
        );
        let run = || {
            let _guard = order.guard();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number % 7 == 0 {
                    std::thread::sleep(std::time::Duration::from_micros(300));
                }
                if number >= count || !order.put(number, vec![number, number]) {
                    return;
                }
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(run))));
        let outcome = order.outcome();
        (taken, outcome)
    }

    #[test]
    fn things_are_handed_on_in_order() {
        for most_early in [1, 2, 100] {
            let (taken, outcome) = put_all(500, most_early, usize::MAX);
            assert!(taken.into_iter().eq((0..500).flat_map(|number| [number, number])));
            assert!(outcome.is_ok());
        }
    }

    #[test]
    fn nothing_is_handed_on_after_an_error() {
        let (taken, outcome) = put_all(500, 3, 100);
        assert_eq!(taken.len(), 201);
        assert_eq!(outcome.unwrap_err().to_string(), "it is enough");
    }

    #[test]
    fn nobody_waits_for_what_never_comes() {
        let order = Order::new(|_: usize| Ok(()), 1);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let _guard = order.guard();
                    panic!("the first one");
                });
                assert!(!order.put(1, vec![1]), "it has ended");
            });
        }));
        assert!(outcome.is_err());
    }
}
