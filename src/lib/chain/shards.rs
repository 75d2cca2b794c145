//! Shards of the stages that find pairs.

use std::hash::Hasher as _;
use std::ops::Range;

use serde_json::{Map, Value};
use twox_hash::XxHash3_64;

use crate::corpus::Sample;
use crate::files::manifest::{Provenance, ShardEntry};
use crate::files::names::Names;
use crate::files::pairs::PairPart;
use crate::shard::Shard;

/// Describes a part of the pairs of documents: `provenance` is that of the stage, `input` that of the list that it read. The names of
/// documents and sample shape the pairs, too.
pub(super) fn pair_part(
    shard: Shard,
    provenance: Provenance,
    input: Option<&Provenance>,
    documents: &Names,
    sample: Option<&[Sample]>,
) -> PairPart {
    let shard = ShardEntry::new(shard).with_collection(checksum(documents.iter()));
    let mut provenance = provenance.input(input);
    if let Some(sample) = sample {
        let names = checksum(sample.iter().map(|document| &*document.name));
        let names = Value::String(format!("{names:016x}"));
        provenance = provenance.with_parameters(Map::from_iter([("sample_list".into(), names)]));
    }
    PairPart { provenance, shard }
}

/// Returns the checksum of names in their order.
fn checksum<'a>(names: impl Iterator<Item = &'a str>) -> u64 {
    let mut state = XxHash3_64::default();
    for name in names {
        state.write(name.as_bytes());
        state.write(b"\n");
    }
    state.finish()
}

/// Returns the share of a shard, or all, of some equal items.
pub(super) fn share(shard: Option<Shard>, count: usize) -> Range<usize> {
    let Some(shard) = shard else { return 0..count };
    let range = shard.range(count as u64);
    range.start as usize..range.end as usize
}
