//! Connections to all masters of a cluster, and batches of commands that are split by node.
//!
//! A batch is sent to all its nodes before the first answer is read: one round trip. After any failure the connections are dropped, so that no
//! answer can be taken for that of another command.

use std::time::Duration;

use redis::{Cmd, Connection, InfoDict, RedisError, RedisResult, Value};

use super::slots::{SLOTS, SlotRange, parse_ranges, slot};
use super::url::RedisUrl;

/// How long a node may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a node may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// How long replicas may take to confirm a batch, in milliseconds.
const REPLICA_TIMEOUT: u64 = 5_000;
/// Errors of a server that pass when the cluster has recovered, or the slots are read again.
const PASSING: [&str; 9] = [
    "MOVED",
    "ASK",
    "TRYAGAIN",
    "CLUSTERDOWN",
    "LOADING",
    "MASTERDOWN",
    "READONLY",
    "NOREPLICAS",
    // WAIT on a master that has become a replica.
    "UNBLOCKED",
];
/// The only policy that keeps every key of a node without memory: writes fail then.
const KEEPING_POLICY: &str = "noeviction";

/// A failed command or connection.
#[derive(Debug)]
pub struct Failure {
    /// What failed, with the node.
    pub message: String,
    /// Whether the same may succeed later.
    pub is_passing: bool,
}

impl Failure {
    fn passing(message: String) -> Self {
        Failure { message, is_passing: true }
    }

    /// Returns the failure of a node.
    fn of_node(node: &str, error: &RedisError) -> Self {
        let is_passing = match error.code() {
            Some(code) => PASSING.contains(&code),
            None => true,
        };
        let text = match error.is_timeout() {
            true => "no answer in time".to_string(),
            false => error.to_string(),
        };
        let has_no_cluster = text.contains("cluster support disabled");
        let hint = if has_no_cluster { " (expected a node of a cluster)" } else { "" };
        Failure { message: format!("{node}: {text}{hint}"), is_passing }
    }
}

/// A command with the slot of its key.
#[derive(Debug, Clone)]
pub struct Request {
    slot: usize,
    command: Cmd,
}

impl Request {
    /// Returns a command on one key.
    pub fn new(name: &str, key: &str) -> Self {
        let mut command = redis::cmd(name);
        command.arg(key);
        Request { slot: slot(key.as_bytes()), command }
    }

    /// Returns a script on keys of one slot. Further arguments are its `ARGV`.
    pub fn script(source: &str, keys: &[&str]) -> Self {
        let mut command = redis::cmd("EVAL");
        command.arg(source).arg(keys.len()).arg(keys);
        Request { slot: slot(keys.first().copied().unwrap_or_default().as_bytes()), command }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl redis::ToRedisArgs) -> Self {
        self.command.arg(argument);
        self
    }
}

/// A master with its connection.
struct Master {
    /// Host, port and slots, for messages.
    name: String,
    connection: Connection,
    has_replicas: bool,
}

/// Connections to all masters.
pub struct ClusterConnections {
    masters: Vec<Master>,
    /// The position of the master of each slot.
    by_slot: Vec<usize>,
}

/// The share of a batch that one master gets.
#[derive(Default)]
struct NodeBatch {
    packed: Vec<u8>,
    /// Positions in the batch.
    positions: Vec<usize>,
}

impl ClusterConnections {
    /// Asks the first node that answers for all others, and connects to the masters.
    pub fn open(url: &RedisUrl) -> Result<Self, Failure> {
        let ranges = read_ranges(url)?;
        let mut connections = ClusterConnections { masters: Vec::new(), by_slot: Vec::new() };
        let mut by_slot = vec![usize::MAX; SLOTS];
        let mut addresses: Vec<&(String, u16)> = Vec::new();
        for range in &ranges {
            let known = addresses.iter().position(|address| **address == range.master);
            let position = match known {
                Some(position) => position,
                None => {
                    connections.masters.push(Master::open(url, range, &ranges)?);
                    addresses.push(&range.master);
                    addresses.len() - 1
                }
            };
            by_slot[range.slots.0..=range.slots.1].fill(position);
        }
        if let Some(missing) = by_slot.iter().position(|position| *position == usize::MAX) {
            return Err(Failure::passing(format!("slot {missing}: no node has it")));
        }
        connections.by_slot = by_slot;
        Ok(connections)
    }

    /// Returns the number of masters.
    pub fn masters(&self) -> usize {
        self.masters.len()
    }

    /// Returns the name of the master of a slot.
    pub fn name_of(&self, slot: usize) -> &str {
        &self.masters[self.by_slot[slot]].name
    }

    /// Runs commands and returns their answers in order. With `is_write`, a replica of each master that has one must confirm the writes.
    pub fn run(&mut self, batch: &[Request], is_write: bool) -> Result<Vec<Value>, Failure> {
        let shares = self.split(batch);
        for (master, share) in self.masters.iter_mut().zip(&shares) {
            master.send(share, is_write).map_err(|e| Failure::of_node(&master.name, &e))?;
        }
        let mut answers = vec![Value::Nil; batch.len()];
        for (master, share) in self.masters.iter_mut().zip(&shares) {
            for position in &share.positions {
                answers[*position] = master.receive()?;
            }
            if is_write && master.has_replicas && !share.positions.is_empty() {
                master.receive_confirmation()?;
            }
        }
        Ok(answers)
    }

    /// Runs one command on a master given by its position.
    pub fn run_on(&mut self, master: usize, command: &Cmd) -> Result<Value, Failure> {
        let master = &mut self.masters[master];
        let sent = master.connection.send_packed_command(&command.get_packed_command());
        sent.map_err(|e| Failure::of_node(&master.name, &e))?;
        master.receive()
    }

    fn split(&self, batch: &[Request]) -> Vec<NodeBatch> {
        let mut shares: Vec<NodeBatch> = Vec::new();
        shares.resize_with(self.masters.len(), NodeBatch::default);
        for (position, request) in batch.iter().enumerate() {
            let share = &mut shares[self.by_slot[request.slot]];
            request.command.write_packed_command(&mut share.packed);
            share.positions.push(position);
        }
        shares
    }
}

impl Master {
    fn open(url: &RedisUrl, range: &SlotRange, all: &[SlotRange]) -> Result<Self, Failure> {
        let (host, port) = &range.master;
        let own = all.iter().filter(|other| other.master == range.master);
        let slots: Vec<String> =
            own.map(|own| format!("{}-{}", own.slots.0, own.slots.1)).collect();
        let name = format!("{host}:{port} (slots {})", slots.join(","));
        let failed = |error: RedisError| Failure::of_node(&name, &error);
        let mut connection = connect(url, host, *port).map_err(failed)?;
        let memory = redis::cmd("INFO").arg("memory").query(&mut connection).map_err(failed)?;
        check_policy(&name, &memory)?;
        Ok(Master { name, connection, has_replicas: range.replicas > 0 })
    }

    fn send(&mut self, share: &NodeBatch, is_write: bool) -> RedisResult<()> {
        if share.positions.is_empty() {
            return Ok(());
        }
        self.connection.send_packed_command(&share.packed)?;
        if is_write && self.has_replicas {
            let wait = redis::cmd("WAIT").arg(1).arg(REPLICA_TIMEOUT).get_packed_command();
            self.connection.send_packed_command(&wait)?;
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Value, Failure> {
        let answer = self.connection.recv_response().and_then(Value::extract_error);
        answer.map_err(|e| Failure::of_node(&self.name, &e))
    }

    fn receive_confirmation(&mut self) -> Result<(), Failure> {
        match self.receive()? {
            Value::Int(1..) => Ok(()),
            _ => Err(Failure::passing(format!("{}: no replica confirms the writes", self.name))),
        }
    }
}

/// Refuses a node that would remove keys when its memory is full: postings would be missing without an error.
fn check_policy(node: &str, memory: &InfoDict) -> Result<(), Failure> {
    let policy: Option<String> = memory.get("maxmemory_policy");
    let found = policy.unwrap_or_else(|| "none".into());
    if found == KEEPING_POLICY {
        return Ok(());
    }
    let hint =
        "a full node would remove postings; CONFIG SET maxmemory-policy noeviction on every node";
    let message =
        format!("{node}: expected maxmemory-policy {KEEPING_POLICY}, found {found}: {hint}");
    Err(Failure { message, is_passing: false })
}

fn connect(url: &RedisUrl, host: &str, port: u16) -> RedisResult<Connection> {
    let client = redis::Client::open(url.of_node(host, port))?;
    let connection = client.get_connection_with_timeout(CONNECT_TIMEOUT)?;
    let timeout = Some(ANSWER_TIMEOUT.min(url.timeout));
    connection.set_read_timeout(timeout)?;
    connection.set_write_timeout(timeout)?;
    Ok(connection)
}

/// Reads the slots of all nodes from the first node that answers.
fn read_ranges(url: &RedisUrl) -> Result<Vec<SlotRange>, Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    for (host, port) in &url.nodes {
        let name = format!("{host}:{port}");
        let answer = connect(url, host, *port)
            .and_then(|mut connection| redis::cmd("CLUSTER").arg("SLOTS").query(&mut connection))
            .and_then(|answer: Value| parse_ranges(answer, host));
        match answer {
            Ok(Some(ranges)) if !ranges.is_empty() => return Ok(ranges),
            Ok(_) => failures.push(Failure::passing(format!("{name}: no slots are assigned"))),
            Err(error) => failures.push(Failure::of_node(&name, &error)),
        }
    }
    let is_passing = failures.iter().any(|failure| failure.is_passing);
    let messages: Vec<String> = failures.into_iter().map(|failure| failure.message).collect();
    Err(Failure { message: messages.join("; "), is_passing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_evict_are_refused() {
        let checked = |text: &str| check_policy("node", &InfoDict::new(text));
        assert!(checked("used_memory:9\r\nmaxmemory_policy:noeviction\r\n").is_ok());
        for (text, found) in [("maxmemory_policy:volatile-lru\r\n", "volatile-lru"), ("", "none")] {
            let failure = checked(text).unwrap_err();
            let expected =
                format!("node: expected maxmemory-policy noeviction, found {found}: a full node");
            assert!(failure.message.starts_with(&expected) && !failure.is_passing, "{failure:?}");
        }
    }
}
