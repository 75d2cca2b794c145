//! Keys of an index. Those of the head share a slot, so that scripts change them as one; all others spread over the slots.

/// Number of marks that reveal lost writes: enough for each node of a small cluster to hold some.
const MARKS: usize = 256;

/// Keys of one index.
#[derive(Debug, Clone)]
pub struct Keys {
    name: String,
    /// The state.
    pub head: String,
    /// The epoch of the state.
    pub epoch: String,
    /// The run that writes.
    pub lock: String,
    /// Counts runs that write.
    pub runs: String,
}

impl Keys {
    /// Returns the keys of the index with a name.
    pub fn new(name: &str) -> Self {
        let of_head = |kind: &str| format!("{{{name}}}:{kind}");
        Keys {
            name: name.to_string(),
            head: of_head("head"),
            epoch: of_head("epoch"),
            lock: of_head("lock"),
            runs: of_head("runs"),
        }
    }

    /// Returns the keys of all marks.
    pub fn marks(&self) -> impl Iterator<Item = String> {
        (0..MARKS).map(|number| format!("{}:mark:{number}", self.name))
    }

    /// Returns the counter of documents of an epoch.
    pub fn documents(&self, epoch: u64) -> String {
        format!("{{{}}}:documents:{epoch}", self.name)
    }

    /// Returns the list of removed documents that a run has written.
    pub fn removed(&self, epoch: u64, run: u64) -> String {
        format!("{}:{epoch}:r:{run}", self.name)
    }

    /// Returns a block of the catalogue.
    pub fn catalogue(&self, epoch: u64, block: u64) -> String {
        format!("{}:{epoch}:c:{block:x}", self.name)
    }

    /// Returns a bucket of postings.
    pub fn bucket(&self, epoch: u64, level: u64, bucket: u64) -> String {
        format!("{}:{epoch}:p:{level:x}:{bucket:x}", self.name)
    }

    /// Returns the patterns of all keys outside the head: those of epochs, and the counters of documents.
    pub fn patterns(&self) -> [String; 2] {
        [format!("{}:*", self.name), format!("{{{}}}:documents:*", self.name)]
    }

    /// Returns the epoch of a key that [`Keys::patterns`] match; `None` for marks and foreign keys.
    pub fn epoch_of(&self, key: &str) -> Option<u64> {
        let rest = key.strip_prefix(&format!("{}:", self.name));
        let own = rest.and_then(|rest| rest.split_once(':')).map(|(epoch, _)| epoch);
        let counter = key.strip_prefix(&format!("{{{}}}:documents:", self.name));
        own.or(counter)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_are_read_from_keys() {
        let keys = Keys::new("a");
        for key in
            [keys.documents(7), keys.catalogue(7, 9), keys.bucket(7, 1, 2), keys.removed(7, 3)]
        {
            assert_eq!(keys.epoch_of(&key), Some(7), "{key}");
        }
        for key in [&*keys.head, "a:mark:1", "a:b:1", "b:1:c:1", "ab:1:c:1"] {
            assert_eq!(keys.epoch_of(key), None, "{key}");
        }
    }
}
