//! Addresses of an index in a cluster: `redis://HOST:PORT,…/NAME?timeout=SECONDS`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// The name of an index if the address has none.
const DEFAULT_NAME: &str = "nearsig";
/// The port of a node if the address has none.
const DEFAULT_PORT: u16 = 6379;
/// Seconds that a lost node may take to return, or its replica to replace it.
const DEFAULT_TIMEOUT: u64 = 30;
/// The longest name of an index: each key begins with it.
const MAX_NAME: usize = 64;
/// What an address looks like.
const EXPECTED: &str = "expected redis://HOST:PORT,…/NAME, with letters, digits, '_', '.' and '-' in NAME, and at the end ?timeout=SECONDS if wanted";

/// The address of an index in a cluster.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl {
    /// User and password, with the `@` after them.
    credentials: String,
    /// Some nodes of the cluster, which name the others.
    pub nodes: Vec<(String, u16)>,
    /// The name of the index, with which its keys begin.
    pub name: String,
    /// How long a command may fail before the run ends.
    pub timeout: Duration,
}

impl RedisUrl {
    /// Returns the address of one node for the client.
    pub fn of_node(&self, host: &str, port: u16) -> String {
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_string() };
        format!("redis://{}{host}:{port}/", self.credentials)
    }
}

impl FromStr for RedisUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| EXPECTED.to_string())
    }
}

fn parse(text: &str) -> Option<RedisUrl> {
    let rest = text.strip_prefix("redis://")?;
    let (rest, timeout) = match rest.split_once("?timeout=") {
        Some((rest, seconds)) => (rest, seconds.parse().ok().filter(|seconds| *seconds > 0)?),
        None => (rest, DEFAULT_TIMEOUT),
    };
    let (start, nodes) = rest.rsplit_once('@').unwrap_or(("", rest));
    let credentials = if start.is_empty() { String::new() } else { format!("{start}@") };
    let (nodes, name) = nodes.split_once('/').unwrap_or((nodes, ""));
    let name = if name.is_empty() { DEFAULT_NAME } else { name };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if name.len() > MAX_NAME || !name.bytes().all(is_plain) {
        return None;
    }
    let nodes = nodes.split(',').map(parse_node).collect::<Option<Vec<_>>>()?;
    Some(RedisUrl { credentials, nodes, name: name.into(), timeout: Duration::from_secs(timeout) })
}

/// Parses `host`, `host:port` or `[IPv6]:port`.
fn parse_node(text: &str) -> Option<(String, u16)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => port.parse().ok()?,
        None if port.is_empty() => DEFAULT_PORT,
        None => return None,
    };
    let is_plain = |c: char| !c.is_whitespace() && !"/?#@".contains(c);
    (!host.is_empty() && host.chars().all(is_plain)).then(|| (host.to_string(), port))
}

/// Without user and password.
impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = |(host, port): &(String, u16)| match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        let nodes: Vec<String> = self.nodes.iter().map(node).collect();
        write!(f, "redis://{}/{}", nodes.join(","), self.name)
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RedisUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let url: RedisUrl = "redis://me:a@b@one:7001,[::1]:7002,two/x-1?timeout=5".parse().unwrap();
        let nodes = [("one", 7001), ("::1", 7002), ("two", 6379)];
        assert_eq!(url.nodes, nodes.map(|(host, port)| (host.to_string(), port)));
        assert_eq!((&*url.name, url.timeout.as_secs()), ("x-1", 5));
        assert_eq!(url.of_node("::1", 1), "redis://me:a@b@[::1]:1/");
        assert_eq!(url.to_string(), "redis://one:7001,[::1]:7002,two:6379/x-1");
        let url: RedisUrl = "redis://one".parse().unwrap();
        assert_eq!(
            (url.to_string(), url.timeout.as_secs()),
            ("redis://one:6379/nearsig".into(), 30)
        );
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in [
            "one:7001",
            "redis://",
            "redis://one:x",
            "redis://one:7001,,two",
            "redis://one/a b",
            "redis://one/a{b}",
            "redis://one/a?timeout=0",
            "redis://one/a?x=0",
            "redis://[::1/a",
        ] {
            assert!(text.parse::<RedisUrl>().is_err(), "{text}");
        }
    }
}
