//! The client of an index: connections that are used again, retries with back-off, and marks that reveal lost writes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use redis::{Cmd, Value};

use super::connection::{ClusterConnections, Failure, Request};
use super::keys::Keys;
use super::slots::slot;
use super::url::RedisUrl;
use crate::error::{Error, Result};

/// The first wait before a retry; each one is twice as long as the last.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// The longest wait before a retry.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Commands that are sent at once, before their answers are read.
pub const BATCH: usize = 2_000;

/// A client of one index, for many threads.
pub struct RedisClient {
    pub url: RedisUrl,
    pub keys: Keys,
    /// Connections that no thread uses.
    idle: Mutex<Vec<ClusterConnections>>,
    /// The state that all nodes must have; 0 if none is known.
    generation: AtomicU64,
    /// Why the cluster was given up. Later commands fail at once: a search of many documents would wait for each.
    given_up: OnceLock<String>,
}

impl RedisClient {
    /// Returns a client without connections.
    pub fn new(url: &RedisUrl) -> Self {
        let (url, keys) = (url.clone(), Keys::new(&url.name));
        let (generation, given_up) = (AtomicU64::new(0), OnceLock::new());
        RedisClient { url, keys, idle: Mutex::default(), generation, given_up }
    }

    /// Runs reading commands in batches and returns their answers in order.
    ///
    /// # Errors
    /// A command without an answer within the time that the address allows. The error names the node.
    pub fn read(&self, requests: &[Request]) -> Result<Vec<Value>> {
        self.run_batches(requests, false)
    }

    /// Runs writing commands in batches: after a retry some have run twice. A replica of each master that has one holds the writes then.
    pub fn write(&self, requests: &[Request]) -> Result<Vec<Value>> {
        self.run_batches(requests, true)
    }

    fn run_batches(&self, requests: &[Request], is_write: bool) -> Result<Vec<Value>> {
        let mut answers = Vec::with_capacity(requests.len());
        for batch in requests.chunks(BATCH) {
            answers.extend(self.retry(|connections| connections.run(batch, is_write))?);
        }
        Ok(answers)
    }

    /// Runs one command on every master, with the answers of each.
    pub fn for_each_master(
        &self,
        mut work: impl FnMut(&mut dyn FnMut(&Cmd) -> Result<Value, Failure>) -> Result<(), Failure>,
    ) -> Result<()> {
        self.retry(|connections| {
            for master in 0..connections.masters() {
                work(&mut |command| connections.run_on(master, command))?;
            }
            Ok(())
        })
    }

    /// Runs writing commands without a retry.
    pub fn try_once(&self, requests: &[Request]) -> Result<Vec<Value>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connections = idle.map_or_else(|| self.open(), Ok);
        let answers = connections.and_then(|mut own| own.run(requests, true));
        answers.map_err(|failure| self.error(failure.message))
    }

    /// Reads one value as bytes.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let answer = self.read(&[Request::new("GET", key)])?.pop();
        self.bytes(answer.unwrap_or(Value::Nil))
    }

    /// Reads the values of keys.
    pub fn get_all(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let requests: Vec<Request> = keys.iter().map(|key| Request::new("GET", key)).collect();
        self.read(&requests)?.into_iter().map(|answer| self.bytes(answer)).collect()
    }

    /// Returns the error of this index.
    pub fn error(&self, message: impl std::fmt::Display) -> Error {
        Error::Message(format!("{}: {message}", self.url))
    }

    fn bytes(&self, answer: Value) -> Result<Option<Vec<u8>>> {
        match answer {
            Value::Nil => Ok(None),
            Value::BulkString(bytes) => Ok(Some(bytes)),
            other => Err(self.error(format!("expected a string, found {other:?}"))),
        }
    }

    /// Requires from now on that all nodes hold the writes of a state. Each new connection checks this: a node that restarts without its
    /// data, or with an older copy, breaks the connections.
    ///
    /// # Errors
    /// A node that lacks writes.
    pub fn require(&self, generation: u64) -> Result<()> {
        self.generation.store(generation, Ordering::Relaxed);
        self.retry(|connections| check_marks(&self.keys, generation, connections))
    }

    fn open(&self) -> Result<ClusterConnections, Failure> {
        let mut connections = ClusterConnections::open(&self.url)?;
        match self.generation.load(Ordering::Relaxed) {
            0 => {}
            generation => check_marks(&self.keys, generation, &mut connections)?,
        }
        Ok(connections)
    }

    /// Runs `work` until it succeeds, with new connections after each failure.
    fn retry<T>(
        &self,
        mut work: impl FnMut(&mut ClusterConnections) -> Result<T, Failure>,
    ) -> Result<T> {
        let (start, mut wait) = (Instant::now(), FIRST_WAIT);
        loop {
            if let Some(why) = self.given_up.get() {
                return Err(self.error(why));
            }
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connections = idle.map_or_else(|| self.open(), Ok);
            let failure =
                match connections.and_then(|mut own| work(&mut own).map(|done| (done, own))) {
                    Ok((done, connections)) => {
                        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connections);
                        return Ok(done);
                    }
                    Err(failure) => failure,
                };
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
            if !failure.is_passing {
                return Err(self.error(failure.message));
            }
            if start.elapsed() + wait > self.url.timeout {
                return Err(self.gave_up(&failure));
            }
            thread::sleep(wait);
            wait = (wait * 2).min(MAX_WAIT);
        }
    }

    fn gave_up(&self, failure: &Failure) -> Error {
        let seconds = self.url.timeout.as_secs();
        let hint = "start the node or promote its replica, then run again";
        let why = || format!("{}; tried for {seconds} s: {hint}", failure.message);
        self.error(self.given_up.get_or_init(why))
    }
}

/// Checks that every node has the marks of a state, or of a later one.
fn check_marks(
    keys: &Keys,
    generation: u64,
    connections: &mut ClusterConnections,
) -> Result<(), Failure> {
    let marks: Vec<String> = keys.marks().collect();
    let requests: Vec<Request> = marks.iter().map(|mark| Request::new("GET", mark)).collect();
    for (mark, answer) in marks.iter().zip(connections.run(&requests, false)?) {
        let found: Option<u64> = match answer {
            Value::BulkString(text) => std::str::from_utf8(&text).ok().and_then(|t| t.parse().ok()),
            _ => None,
        };
        if found.is_none_or(|found| found < generation) {
            let node = connections.name_of(slot(mark.as_bytes()));
            let found = found.map_or_else(|| "none".into(), |found| found.to_string());
            let message = format!(
                "{node}: expected state {generation} of the index, found {found}: the node has lost writes; restore its data, or add all documents to an index with another name"
            );
            return Err(Failure { message, is_passing: false });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_lost_cluster_is_given_up_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, is_over) =
            (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, over) = (Arc::clone(&connections), Arc::clone(&is_over));
        // A node that closes every connection.
        let node = thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok(_) => drop(counted.fetch_add(1, Ordering::Relaxed)),
                    Err(e) if e.kind() == ErrorKind::WouldBlock => {
                        thread::sleep(Duration::from_millis(1));
                    }
                    Err(e) => panic!("{e}"),
                }
            }
        });
        let url: RedisUrl = format!("redis://{address}/texts?timeout=1").parse().unwrap();
        let client = RedisClient::new(&url);
        let read = || client.read(&[Request::new("GET", "a")]).unwrap_err().to_string();
        let first = read();
        assert!(first.contains("; tried for 1 s: "), "{first}");
        let tried = connections.load(Ordering::Relaxed);
        assert!(tried > 0);
        assert!((0..3).all(|_| read() == first));
        assert_eq!(connections.load(Ordering::Relaxed), tried);
        is_over.store(true, Ordering::Relaxed);
        node.join().unwrap();
    }
}
