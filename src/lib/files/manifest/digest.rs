//! Length and checksum of a file's content.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Length and XXH3 (64 bits) of some bytes; `xxhsum -H3` prints the same checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// The number of bytes.
    pub bytes: u64,
    /// Their checksum.
    pub xxh3: Checksum,
}

impl Digest {
    /// Returns the digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Digest { bytes: bytes.len() as u64, xxh3: Checksum(xxh3_64(bytes)) }
    }
}

/// A checksum of 64 bits, spelled in 16 hexadecimal digits: not every reader of JSON has whole numbers of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksum(pub u64);

impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let wrong = |_| serde::de::Error::custom("a checksum has 16 hexadecimal digits");
        u64::from_str_radix(&digits, 16).map(Checksum).map_err(wrong)
    }
}

/// The digest of bytes that come piece by piece.
#[derive(Default)]
pub struct Hasher {
    bytes: u64,
    state: Box<Xxh3>,
}

impl Hasher {
    /// Takes the next bytes.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.state.update(bytes);
    }

    /// Returns the digest of all bytes taken.
    pub fn digest(&self) -> Digest {
        Digest { bytes: self.bytes, xxh3: Checksum(self.state.digest()) }
    }
}
