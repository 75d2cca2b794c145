//! Slots of a cluster: which node has which keys.

use redis::{RedisResult, Value};

/// Slots of a cluster.
pub const SLOTS: usize = 16_384;

/// CRC-16 (XMODEM) by byte.
const TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = ((byte as u16) << 8, 0);
        while bit < 8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// Returns the slot of a key: of the part in its first braces, if it has one.
pub fn slot(key: &[u8]) -> usize {
    let open = key.iter().position(|byte| *byte == b'{').map_or(key.len(), |at| at + 1);
    let tag = key[open..].split(|byte| *byte == b'}').next().unwrap_or_default();
    let is_tag = !tag.is_empty() && open + tag.len() < key.len();
    let hashed = if is_tag { tag } else { key };
    let add = |crc: u16, byte: &u8| crc << 8 ^ TABLE[usize::from((crc >> 8) as u8 ^ byte)];
    usize::from(hashed.iter().fold(0, add)) % SLOTS
}

/// A range of slots with the node that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotRange {
    /// First and last slot.
    pub slots: (usize, usize),
    /// Host and port of the master.
    pub master: (String, u16),
    /// The number of its replicas.
    pub replicas: usize,
}

/// Parses the answer to `CLUSTER SLOTS` of the node at `host`. Returns `None` for another answer.
pub fn parse_ranges(answer: Value, host: &str) -> RedisResult<Option<Vec<SlotRange>>> {
    let Value::Array(ranges) = answer.extract_error()? else { return Ok(None) };
    Ok(ranges.into_iter().map(|range| parse_range(range, host)).collect())
}

fn parse_range(range: Value, host: &str) -> Option<SlotRange> {
    let Value::Array(fields) = range else { return None };
    let [Value::Int(first), Value::Int(last), Value::Array(master), replicas @ ..] = &fields[..]
    else {
        return None;
    };
    let (first, last) = (usize::try_from(*first).ok()?, usize::try_from(*last).ok()?);
    let own = match master.first()? {
        Value::BulkString(name) if !name.is_empty() => String::from_utf8(name.clone()).ok()?,
        _ => host.to_string(),
    };
    let Value::Int(port) = master.get(1)? else { return None };
    let master = (own, u16::try_from(*port).ok()?);
    (first <= last && last < SLOTS).then_some(SlotRange {
        slots: (first, last),
        master,
        replicas: replicas.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_redis() {
        // As CLUSTER KEYSLOT answers.
        assert_eq!(slot(b"123456789"), 0x31c3);
        assert_eq!(slot(b"foo{hash_tag}"), 2515);
        assert_eq!(slot(b"hash_tag"), 2515);
        assert_eq!(slot(b"{}a"), slot(b"{}a"));
        assert_ne!(slot(b"{}a"), slot(b""));
        assert_ne!(slot(b"{ab"), slot(b"ab"));
    }
}
