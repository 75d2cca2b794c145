//! Things that work needs one of at a time, kept from one piece of work to the next.

use std::sync::{Mutex, PoisonError};

/// Spare things: there are never more than pieces of work at once, so one a thread at most.
pub(super) struct Spare<T> {
    things: Mutex<Vec<T>>,
}

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare { things: Mutex::new(Vec::new()) }
    }
}

impl<T> Spare<T> {
    /// Does something with a spare thing, or with a new one if there is none. What fails keeps its thing.
    pub fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let spare = self.things.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut thing = spare.unwrap_or_else(make);
        let result = work(&mut thing);
        self.things.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
        result
    }

    /// All of them, when the work is done.
    pub fn into_all(self) -> Vec<T> {
        self.things.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
