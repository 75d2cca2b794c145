//! The lock of a run that writes. It expires if the run dies, and a run that has lost it cannot commit.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use redis::Value;

use super::client::RedisClient;
use super::connection::Request;
use crate::error::Result;
use crate::session::Session;

/// How long the lock outlives its run.
const EXPIRY: Duration = Duration::from_secs(15);
/// How often the run renews it.
const RENEWAL: Duration = Duration::from_secs(4);
/// How often a waiting run asks.
const POLL: Duration = Duration::from_millis(200);

/// Takes the lock if it is free, or renews it.
const ACQUIRE: &str = "local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1";
/// Renews the lock if the run still has it.
const RENEW: &str = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])";
/// Frees the lock if the run still has it.
const RELEASE: &str = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])";
/// Replaces the head if the run still has the lock, or has replaced it before.
const COMMIT: &str = "if redis.call('GET', KEYS[2]) == ARGV[2] then return 1 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[3], ARGV[3])
return 1";

/// The lock of an index. Dropping it frees the index.
pub struct WriterLock {
    client: Arc<RedisClient>,
    token: String,
    stop: Option<Sender<()>>,
    renewal: Option<JoinHandle<()>>,
}

impl WriterLock {
    /// Takes the lock. Waits for another run that writes.
    pub fn acquire(client: &Arc<RedisClient>, session: &Session) -> Result<Self> {
        let token =
            format!("{}-{:016x}", std::process::id(), RandomState::new().build_hasher().finish());
        let mut is_told = false;
        while !run(client, ACQUIRE, &token)? {
            if !std::mem::replace(&mut is_told, true) {
                session.info(&format!("{}: waiting for another run", client.url));
            }
            thread::sleep(POLL);
        }
        let (stop, stopped) = channel();
        let (own, owned) = (client.clone(), token.clone());
        let renewal = thread::spawn(move || {
            while stopped.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
                // A failure is that of the run, which cannot commit then.
                let _ = run(&own, RENEW, &owned);
            }
        });
        Ok(WriterLock { client: client.clone(), token, stop: Some(stop), renewal: Some(renewal) })
    }

    /// Replaces the head by another one with an epoch.
    ///
    /// # Errors
    /// A lost lock; a lost node.
    pub fn commit(&self, head: &[u8], epoch: u64) -> Result<()> {
        let keys = &self.client.keys;
        let request = Request::script(COMMIT, &[&keys.lock, &keys.head, &keys.epoch]);
        let request = request.arg(&self.token).arg(head).arg(epoch);
        match self.client.write(&[request])?.pop() {
            Some(Value::Int(1)) => Ok(()),
            _ => Err(self.client.error("another run has taken the lock, which this one had lost: nothing was changed; run again")),
        }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(renewal) = self.renewal.take() {
            let _ = renewal.join();
        }
        // If this fails, the lock expires.
        let _ = self.client.try_once(&[request(&self.client, RELEASE, &self.token)]);
    }
}

fn request(client: &RedisClient, script: &str, token: &str) -> Request {
    let expiry = EXPIRY.as_millis() as u64;
    Request::script(script, &[&client.keys.lock]).arg(token).arg(expiry)
}

fn run(client: &RedisClient, script: &str, token: &str) -> Result<bool> {
    let answer = client.write(&[request(client, script, token)])?.pop();
    Ok(answer == Some(Value::Int(1)))
}
