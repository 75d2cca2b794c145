//! What a caller gives every stage in one argument: threads, CPU features, durability and a sink for progress.
//!
//! The library reads none of these from the environment. [`crate::cli`] builds a session from flags and environment variables; other
//! callers start from [`Session::silent`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bits::cpu::Cpu;
use crate::error::{Error, Result};

/// Receives the progress of long-running stages; ignores it by default. The executables show it on standard error.
pub trait Progress: Send + Sync {
    /// Starts a phase of the work, with its number of steps where known.
    fn phase(&self, _name: &str, _steps: Option<u64>) {}
    /// Starts a phase whose steps are bytes.
    fn byte_phase(&self, name: &str, bytes: Option<u64>) {
        self.phase(name, bytes);
    }
    /// Reports that `steps` more steps of the phase are complete.
    fn advance(&self, _steps: u64) {}
    /// Reports an output of the run that is complete: its name, and how many items it has, named in the plural.
    fn output(&self, _name: &str, _count: u64, _items: &str) {}
    /// Reports something every user should read.
    fn info(&self, _message: &str) {}
    /// Reports a detail, shown on request only.
    fn detail(&self, _message: &str) {}
    /// Returns whether details are shown.
    fn shows_details(&self) -> bool {
        false
    }
    /// Asks the user and returns the number of the answer; `None` if nobody can answer.
    fn ask(&self, _question: &str, _answers: &[&str]) -> Option<usize> {
        None
    }
}

/// Discards all progress events.
impl Progress for () {}

/// Passes progress events on, with a name before that of every phase.
struct NamedProgress {
    name: String,
    inner: Arc<dyn Progress>,
}

impl Progress for NamedProgress {
    fn phase(&self, name: &str, steps: Option<u64>) {
        self.inner.phase(&format!("{}: {name}", self.name), steps);
    }
    fn byte_phase(&self, name: &str, bytes: Option<u64>) {
        self.inner.byte_phase(&format!("{}: {name}", self.name), bytes);
    }
    fn advance(&self, steps: u64) {
        self.inner.advance(steps);
    }
    fn output(&self, name: &str, count: u64, items: &str) {
        self.inner.output(name, count, items);
    }
    fn info(&self, message: &str) {
        self.inner.info(message);
    }
    fn detail(&self, message: &str) {
        self.inner.detail(message);
    }
    fn shows_details(&self) -> bool {
        self.inner.shows_details()
    }
    fn ask(&self, question: &str, answers: &[&str]) -> Option<usize> {
        self.inner.ask(question, answers)
    }
}

/// Threads, CPU features, durability and progress of one run. Results depend on none of them.
#[derive(Clone)]
pub struct Session {
    pool: Option<Arc<rayon::ThreadPool>>,
    cpu: Cpu,
    progress: Arc<dyn Progress>,
    is_durable: bool,
    interruptible: Arc<AtomicBool>,
}

impl Session {
    /// Returns a session that reports nothing and uses the calling thread's pool and the best CPU features.
    pub fn silent() -> Self {
        Session {
            pool: None,
            cpu: Cpu::best(),
            progress: Arc::new(()),
            is_durable: true,
            interruptible: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Sets the number of threads, 0 for one per core. Fails if the threads cannot be started.
    pub fn with_threads(mut self, threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let failed = |e| Error::Message(format!("cannot start {threads} threads: {e}"));
        self.pool = Some(Arc::new(pool.map_err(failed)?));
        Ok(self)
    }

    /// Sets the instruction set to use.
    pub fn with_cpu(self, cpu: Cpu) -> Self {
        Session { cpu, ..self }
    }

    /// Sets the receiver of progress events.
    pub fn with_progress(self, progress: Arc<dyn Progress>) -> Self {
        Session { progress, ..self }
    }

    /// Sets whether outputs are synced to disk before and after they get their names, which is the default.
    pub fn with_durability(self, is_durable: bool) -> Self {
        Session { is_durable, ..self }
    }

    /// Returns the same session whose phases have a name before theirs: `tile 2 of 3: reading documents`.
    pub fn within(&self, name: String) -> Self {
        let progress = Arc::new(NamedProgress { name, inner: self.progress.clone() });
        Session { progress, ..self.clone() }
    }

    /// Returns a session with the same threads and CPU features that reports nothing.
    pub fn quiet(&self) -> Self {
        Session { progress: Arc::new(()), ..self.clone() }
    }

    /// Runs `work` on the session's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Returns the CPU features to use.
    pub fn cpu(&self) -> Cpu {
        self.cpu
    }

    /// Returns whether outputs are synced to disk.
    pub fn is_durable(&self) -> bool {
        self.is_durable
    }

    /// Returns a flag that is false while outputs get their names. A handler of signals should not end the process then.
    pub fn interruptible(&self) -> &Arc<AtomicBool> {
        &self.interruptible
    }

    /// Runs `work` while [`Session::interruptible`] is false.
    pub(crate) fn uninterrupted<R>(&self, work: impl FnOnce() -> R) -> R {
        self.interruptible.store(false, Ordering::SeqCst);
        let result = work();
        self.interruptible.store(true, Ordering::SeqCst);
        result
    }

    /// Starts a phase of the work, with its number of steps where known.
    pub fn phase(&self, name: &str, steps: Option<u64>) {
        self.progress.phase(name, steps);
    }

    /// Starts a phase whose steps are bytes, with their number where known.
    pub fn byte_phase(&self, name: &str, bytes: Option<u64>) {
        self.progress.byte_phase(name, bytes);
    }

    /// Reports an output of the run that is complete: its name, and how many items it has, named in the plural.
    pub fn output(&self, name: &str, count: u64, items: &str) {
        self.progress.output(name, count, items);
    }

    /// Reports that `steps` more steps of the phase are complete.
    pub fn advance(&self, steps: u64) {
        self.progress.advance(steps);
    }

    /// Returns whether details are shown.
    pub fn shows_details(&self) -> bool {
        self.progress.shows_details()
    }

    /// Asks the user and returns the number of the answer; `None` if nobody can answer.
    pub fn ask(&self, question: &str, answers: &[&str]) -> Option<usize> {
        self.progress.ask(question, answers)
    }

    /// Reports something every user should read.
    pub fn info(&self, message: &str) {
        self.progress.info(message);
    }

    /// Reports a detail, shown on request only.
    pub fn detail(&self, message: &str) {
        self.progress.detail(message);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("cpu", &self.cpu).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::{Arc, Mutex};

    use super::{Progress, Session};

    /// Records all progress events.
    #[derive(Default)]
    pub struct Recorder {
        pub infos: Mutex<Vec<String>>,
        pub details: Mutex<Vec<String>>,
        /// The expected and the completed steps of the last phase.
        pub steps: Mutex<(Option<u64>, u64)>,
    }

    impl Recorder {
        /// Returns a session that reports to a new recorder.
        pub fn session() -> (Session, Arc<Recorder>) {
            let recorder = Arc::new(Recorder::default());
            (Session::silent().with_progress(recorder.clone()), recorder)
        }
    }

    impl Progress for Recorder {
        fn phase(&self, _: &str, steps: Option<u64>) {
            *self.steps.lock().unwrap() = (steps, 0);
        }
        fn advance(&self, steps: u64) {
            self.steps.lock().unwrap().1 += steps;
        }
        fn info(&self, message: &str) {
            self.infos.lock().unwrap().push(message.to_string());
        }
        fn detail(&self, message: &str) {
            self.details.lock().unwrap().push(message.to_string());
        }
    }
}
